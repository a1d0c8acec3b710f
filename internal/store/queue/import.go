package queue

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// The rows of a file that is to become records are kept beside their business, so that every server can go on with them. The file is read
// once, when it comes; what is kept are its rows, some in each row of import_row, in the domain's words.

// Import is a file on its way into a business.
type Import struct {
	ID       schema.UUID
	Resource string
	// User is who began it, by which connection, and Scopes are those of the token that they had.
	User, Connection schema.UUID
	Scopes           []string
	// Options are what was decided, and File what is known of the file, both as JSON in the domain's words; File is empty while there is
	// none.
	Options, File string
	// FileID tells the rows of the file from those of another one that came before or is coming.
	FileID schema.UUID
	// Preview, Run and Undo are the last jobs for it, and Undone what an undo that needed no job was answered, as JSON.
	Preview, Run, Undo   schema.UUID
	Undone               string
	Version              int64
	CreatedAt, UpdatedAt time.Time
}

// The kinds of jobs that an import has.
const (
	ImportJob        = "import"
	ImportPreviewJob = "import_preview"
)

// ImportRows are some rows of a file, from the one numbered First on.
type ImportRows struct {
	First int64
	Data  []byte
}

const importColumns = `i.id, i.resource, i.user_id, i.connection_id, i.scopes, i.options, i.file, i.file_id, i.preview_id, i.run_id,
	i.undo_id, i.undone, i.version, i.created_at, i.updated_at`

func scanImport(r room.Row) Import {
	text, id, number, at := room.Columns(r)
	return Import{
		ID: id(0), Resource: text(1), User: id(2), Connection: id(3), Scopes: strings.Fields(text(4)), Options: text(5), File: text(6),
		FileID: id(7), Preview: id(8), Run: id(9), Undo: id(10), Undone: text(11), Version: number(12),
		CreatedAt: at(13), UpdatedAt: at(14),
	}
}

// AddImport keeps an import that has no file yet.
func AddImport(tx *store.Tx, i *Import) error {
	i.Version, i.CreatedAt, i.UpdatedAt = 1, tx.Now, tx.Now
	return store.Run(tx, `
		INSERT INTO import (business_id, id, resource, user_id, connection_id, scopes, options, version, created_at, updated_at)
		VALUES ({business}, ?, ?, ?, ?, ?, ?, 1, ?, ?)`,
		schema.IDValue(i.ID), room.Text(i.Resource), schema.IDValue(i.User), schema.IDValue(i.Connection),
		room.TextOrNone(strings.Join(i.Scopes, " ")), room.DocumentOrNone(i.Options), schema.TimeValue(tx.Now), schema.TimeValue(tx.Now))
}

// PutImport writes what was decided about an import, and the jobs for it. Its file is written by EndFile alone.
func PutImport(tx *store.Tx, i *Import) error {
	i.Version, i.UpdatedAt = i.Version+1, tx.Now
	return store.Run(tx, `
		UPDATE import SET options = ?, preview_id = ?, run_id = ?, undo_id = ?, undone = ?, version = ?, updated_at = ?
		WHERE business_id = {business} AND id = ?`,
		room.DocumentOrNone(i.Options), schema.IDValue(i.Preview), schema.IDValue(i.Run), schema.IDValue(i.Undo),
		room.DocumentOrNone(i.Undone), room.Integer(i.Version), schema.TimeValue(tx.Now), schema.IDValue(i.ID))
}

// ImportIn finds an import in a transaction, or store.ErrNotFound.
func ImportIn(tx *store.Tx, id schema.UUID) (*Import, error) { return oneImport(tx.Query, id) }

// FindImport finds an import, or store.ErrNotFound.
func FindImport(ctx context.Context, t store.Tenant, id schema.UUID) (*Import, error) {
	return oneImport(t.Reader(ctx), id)
}

func oneImport(query room.Reader, id schema.UUID) (*Import, error) {
	find := room.SQL("SELECT "+importColumns+" FROM import i WHERE i.business_id = {business} AND i.id = ?", schema.IDValue(id))
	return store.Found(room.Find(query, find, scanImport))
}

// Imports lists imports of the business, the newest first, or with asc the oldest: those of a user, or of all where that is the zero id,
// behind one where that is not the zero id, at most so many.
func Imports(ctx context.Context, t store.Tenant, user, after schema.UUID, asc bool, most int) ([]Import, error) {
	st := room.SQL("SELECT " + importColumns + " FROM import i WHERE i.business_id = {business}")
	if user != (schema.UUID{}) {
		and(&st, "i.user_id = ?", schema.IDValue(user))
	}
	return room.All(t.Reader(ctx), page(st, "i.id", after, asc, most), scanImport)
}

// FilesBeside gives what is known of the files of all imports of the business but one.
func FilesBeside(ctx context.Context, t store.Tenant, id schema.UUID) ([]string, error) {
	return filesBeside(t.Reader(ctx), id)
}

// FilesBesideIn tells the same in a transaction.
func FilesBesideIn(tx *store.Tx, id schema.UUID) ([]string, error) { return filesBeside(tx.Query, id) }

func filesBeside(query room.Reader, id schema.UUID) ([]string, error) {
	list := room.SQL("SELECT i.file FROM import i WHERE i.business_id = {business} AND i.id <> ? AND i.file IS NOT NULL",
		schema.IDValue(id))
	return room.All(query, list, func(r room.Row) string { return room.TextAt(r, 0) })
}

// CountImports tells how many imports the business has.
func CountImports(tx *store.Tx) (int64, error) {
	return room.One(tx.Query, room.SQL("SELECT count(*) FROM import i WHERE i.business_id = {business}"), room.FirstInt)
}

// BeginFile says that a file is coming for an import; one that was coming before is not waited for any more.
func BeginFile(tx *store.Tx, id, file schema.UUID) error {
	return store.Run(tx, "UPDATE import SET coming_id = ?, updated_at = ? WHERE business_id = {business} AND id = ?",
		schema.IDValue(file), schema.TimeValue(tx.Now), schema.IDValue(id))
}

// PutImportRows keeps rows of a file that is coming, and tells whether it is still waited for.
func PutImportRows(tx *store.Tx, id, file schema.UUID, rows []ImportRows) (bool, error) {
	still, err := store.RunOnce(tx, "UPDATE import SET updated_at = ? WHERE business_id = {business} AND id = ? AND coming_id = ?",
		schema.TimeValue(tx.Now), schema.IDValue(id), schema.IDValue(file)) // which holds the import until the transaction ends
	if err != nil || !still {
		return false, err
	}
	columns := []string{"import_id", "file_id", "first_row", "data"}
	return true, tx.AddRows(room.Rows{
		Table: "import_row", Columns: columns, N: len(rows),
		Fill: func(i int, row []schema.Value) []schema.Value {
			return append(row, schema.IDValue(id), schema.IDValue(file), room.Integer(rows[i].First), room.Blob(rows[i].Data))
		},
	})
}

// ComingBytes is how many bytes are kept of all files that are coming for imports of the business.
func ComingBytes(tx *store.Tx) (int64, error) {
	return room.One(tx.Query, room.SQL(`
		SELECT coalesce(sum(length(r.data)), 0) FROM import i
		JOIN import_row r ON r.import_id = i.id AND r.file_id = i.coming_id
		WHERE i.business_id = {business} AND r.business_id = {business}`), room.FirstInt)
}

// AbandonFile says that a file is not waited for any more. What has come of it is then forgotten by ForgetImportRows.
func AbandonFile(tx *store.Tx, id, file schema.UUID) error {
	return store.Run(tx, "UPDATE import SET coming_id = NULL WHERE business_id = {business} AND id = ? AND coming_id = ?",
		schema.IDValue(id), schema.IDValue(file))
}

// EndFile says that a file has come, and what is known of it. What was done with another one before is forgotten. It tells whether it was
// still waited for.
func EndFile(tx *store.Tx, id, file schema.UUID, about string) (bool, error) {
	return store.RunOnce(tx, `
		UPDATE import SET file = ?, file_id = ?, coming_id = NULL, preview_id = NULL, run_id = NULL, undo_id = NULL, undone = NULL,
		version = version + 1, updated_at = ?
		WHERE business_id = {business} AND id = ? AND coming_id = ?`,
		room.DocumentOrNone(about), schema.IDValue(file), schema.TimeValue(tx.Now), schema.IDValue(id), schema.IDValue(file))
}

// FindRows gives the rows among which one of a file is, or none.
func FindRows(ctx context.Context, t store.Tenant, id, file schema.UUID, row int64) (ImportRows, error) {
	return rowsAmong(t.Reader(ctx), id, file, row)
}

// RowsIn gives them in a transaction.
func RowsIn(tx *store.Tx, id, file schema.UUID, row int64) (ImportRows, error) {
	return rowsAmong(tx.Query, id, file, row)
}

func rowsAmong(query room.Reader, id, file schema.UUID, row int64) (ImportRows, error) {
	return room.One(query, room.SQL(`
		SELECT r.first_row, r.data FROM import_row r
		WHERE r.business_id = {business} AND r.import_id = ? AND r.file_id = ? AND r.first_row <= ? ORDER BY r.first_row DESC LIMIT 1`,
		schema.IDValue(id), schema.IDValue(file), room.Integer(row)),
		func(r room.Row) ImportRows { return ImportRows{room.IntAt(r, 0), room.BytesAt(r, 1)} })
}

// ReplaceImportRows puts rows in the place of those that begin with the same one.
func ReplaceImportRows(tx *store.Tx, id, file schema.UUID, rows ImportRows) error {
	return store.Run(tx, `
		UPDATE import_row SET data = ? WHERE business_id = {business} AND import_id = ? AND file_id = ? AND first_row = ?`,
		room.Blob(rows.Data), schema.IDValue(id), schema.IDValue(file), room.Integer(rows.First))
}

// PutFile writes down what is known of a file by now.
func PutFile(tx *store.Tx, id, file schema.UUID, about string) error {
	return store.Run(tx, "UPDATE import SET file = ? WHERE business_id = {business} AND id = ? AND file_id = ?",
		room.DocumentOrNone(about), schema.IDValue(id), schema.IDValue(file))
}

// ForgetImportRows forgets rows of the business that belong to no file that an import has, or that is coming for it: of one import, or of
// all where that is the zero id. It forgets at most so many of the table, and tells whether none are left. A file that is neither there
// nor coming never is again, so whatever happens meanwhile, no row goes that somebody needs.
func ForgetImportRows(tx *store.Tx, id schema.UUID, most int) (done bool, err error) {
	strays := room.SQL(`
		SELECT r.import_id, r.file_id FROM import_row r WHERE r.business_id = {business} AND NOT EXISTS
			(SELECT 1 FROM import i WHERE i.business_id = {business} AND i.id = r.import_id
			AND (i.file_id = r.file_id OR i.coming_id = r.file_id))`)
	if id != (schema.UUID{}) {
		and(&strays, "r.import_id = ?", schema.IDValue(id))
	}
	strays.Text += " LIMIT 1"
	file, err := room.Find(tx.Query, strays, func(r room.Row) [2]schema.Value {
		return [2]schema.Value{r.Value(0, schema.ID), r.Value(1, schema.ID)}
	})
	if err != nil || file == nil {
		return err == nil, err
	}
	if err := tx.Wipe(); err != nil {
		return false, err
	}
	return false, store.Run(tx, `
		DELETE FROM import_row WHERE business_id = {business} AND import_id = ? AND file_id = ?
			AND first_row <= (SELECT max(f.first_row) FROM (SELECT r.first_row
			FROM import_row r WHERE r.business_id = {business} AND r.import_id = ? AND r.file_id = ?
			ORDER BY r.first_row LIMIT `+strconv.Itoa(most)+`) f)`, file[0], file[1], file[0], file[1])
}

// ForgetImport forgets an import whose rows are gone.
func ForgetImport(tx *store.Tx, id schema.UUID) error {
	return store.Run(tx, "DELETE FROM import WHERE business_id = {business} AND id = ?", schema.IDValue(id))
}

// LoseFile says that an import has no file any more, and that none is waited for. Its rows are then forgotten by ForgetImportRows.
func LoseFile(tx *store.Tx, id schema.UUID) error {
	return store.Run(tx, "UPDATE import SET file = NULL, file_id = NULL, coming_id = NULL WHERE business_id = {business} AND id = ?",
		schema.IDValue(id))
}

// LoseFiles says that of all imports of the business.
func LoseFiles(tx *store.Tx) error {
	return store.Run(tx, `
		UPDATE import SET file = NULL, file_id = NULL, coming_id = NULL
		WHERE business_id = {business} AND (file_id IS NOT NULL OR coming_id IS NOT NULL)`)
}

// AbandonedFile is a file that is waited for, and of which nothing has come for long.
type AbandonedFile struct {
	DueJob
	File schema.UUID
}

// AbandonedFiles lists some files of all businesses that are waited for, and of which nothing has come since a time.
func AbandonedFiles(ctx context.Context, s *store.Store, before time.Time) (all []AbandonedFile, err error) {
	_, err = s.LookUp(ctx, room.Lookup{
		Text: `SELECT t.id, t.business_id, i.id, i.coming_id, i.updated_at
			FROM {import} i JOIN {business} t ON t.business_id = i.business_id
			WHERE i.updated_at < ? AND i.coming_id IS NOT NULL`,
		Order: " ORDER BY 5 LIMIT 100", Args: []schema.Value{schema.TimeValue(before)},
		Kinds: []schema.Kind{schema.ID, schema.ID, schema.Time},
	}, func(t store.Tenant, r room.Row) {
		all = append(all, AbandonedFile{DueJob{t, room.IDAt(r, 2)}, room.IDAt(r, 3)})
	})
	return all, err
}

// OldImports lists some imports of all businesses about which nothing happened since a time.
func OldImports(ctx context.Context, s *store.Store, before time.Time) ([]DueJob, error) {
	return someJobs(ctx, s, room.Lookup{
		Text: `SELECT t.id, t.business_id, i.id, i.updated_at FROM {import} i JOIN {business} t ON t.business_id = i.business_id
			WHERE i.updated_at < ?`,
		Order: " ORDER BY 4 LIMIT 100", Args: []schema.Value{schema.TimeValue(before)},
	})
}
