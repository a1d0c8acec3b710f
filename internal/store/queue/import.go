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
	texts := func(i int, k schema.Kind) string { return r.Value(i, k).S }
	id := func(i int) schema.UUID { return r.Value(i, schema.ID).UUID() }
	return Import{
		ID: id(0), Resource: texts(1, schema.Text), User: id(2), Connection: id(3), Scopes: strings.Fields(texts(4, schema.Text)),
		Options: texts(5, schema.Document), File: texts(6, schema.Document), FileID: id(7), Preview: id(8), Run: id(9), Undo: id(10),
		Undone:  texts(11, schema.Document),
		Version: r.Value(12, schema.Integer).N, CreatedAt: r.Value(13, schema.Time).Time(), UpdatedAt: r.Value(14, schema.Time).Time(),
	}
}

// AddImport keeps an import that has no file yet.
func AddImport(tx *store.Tx, i *Import) error {
	i.Version, i.CreatedAt, i.UpdatedAt = 1, tx.Now, tx.Now
	_, err := tx.Exec(room.SQL(`
		INSERT INTO import (business_id, id, resource, user_id, connection_id, scopes, options, version, created_at, updated_at)
		VALUES ({business}, ?, ?, ?, ?, ?, ?, 1, ?, ?)`,
		schema.IDValue(i.ID), room.Text(i.Resource), schema.IDValue(i.User), schema.IDValue(i.Connection),
		schema.TextValue(schema.Text, strings.Join(i.Scopes, " ")),
		room.DocumentOrNone(i.Options), schema.TimeValue(tx.Now), schema.TimeValue(tx.Now)))
	return err
}

// PutImport writes what was decided about an import, and the jobs for it. Its file is written by EndFile alone.
func PutImport(tx *store.Tx, i *Import) error {
	i.Version, i.UpdatedAt = i.Version+1, tx.Now
	_, err := tx.Exec(room.SQL(`
		UPDATE import SET options = ?, preview_id = ?, run_id = ?, undo_id = ?, undone = ?, version = ?, updated_at = ?
		WHERE business_id = {business} AND id = ?`,
		room.DocumentOrNone(i.Options), schema.IDValue(i.Preview), schema.IDValue(i.Run), schema.IDValue(i.Undo),
		room.DocumentOrNone(i.Undone), room.Integer(i.Version), schema.TimeValue(tx.Now), schema.IDValue(i.ID)))
	return err
}

// ImportIn finds an import in a transaction, or store.ErrNotFound.
func ImportIn(tx *store.Tx, id schema.UUID) (*Import, error) {
	return oneImport(id, func(st room.Statement, each func(room.Row) error) error { return tx.Query(st, each) })
}

// FindImport finds an import, or store.ErrNotFound.
func FindImport(ctx context.Context, t store.Tenant, id schema.UUID) (*Import, error) {
	return oneImport(id, func(st room.Statement, each func(room.Row) error) error { return t.Query(ctx, st, each) })
}

func oneImport(id schema.UUID, query func(room.Statement, func(room.Row) error) error) (found *Import, err error) {
	err = query(room.SQL("SELECT "+importColumns+" FROM import i WHERE i.business_id = {business} AND i.id = ?", schema.IDValue(id)),
		func(r room.Row) error {
			i := scanImport(r)
			found = &i
			return nil
		})
	if err == nil && found == nil {
		err = store.ErrNotFound
	}
	return found, err
}

// Imports lists imports of the business, the newest first, or with asc the oldest: those of a user, or of all where that is the zero id,
// behind one where that is not the zero id, at most so many.
func Imports(ctx context.Context, t store.Tenant, user, after schema.UUID, asc bool, most int) (all []Import, err error) {
	st := room.SQL("SELECT " + importColumns + " FROM import i WHERE i.business_id = {business}")
	if user != (schema.UUID{}) {
		st.Text, st.Args = st.Text+" AND i.user_id = ?", append(st.Args, schema.IDValue(user))
	}
	direction, sign := " DESC", "<"
	if asc {
		direction, sign = " ASC", ">"
	}
	if after != (schema.UUID{}) {
		st.Text, st.Args = st.Text+" AND i.id "+sign+" ?", append(st.Args, schema.IDValue(after))
	}
	st.Text += " ORDER BY i.id" + direction + " LIMIT " + strconv.Itoa(most)
	err = t.Query(ctx, st, func(r room.Row) error {
		all = append(all, scanImport(r))
		return nil
	})
	return all, err
}

// FilesBeside gives what is known of the files of all imports of the business but one.
func FilesBeside(ctx context.Context, t store.Tenant, id schema.UUID) (all []string, err error) {
	return filesBeside(id, func(st room.Statement, each func(room.Row) error) error { return t.Query(ctx, st, each) })
}

// FilesBesideIn tells the same in a transaction.
func FilesBesideIn(tx *store.Tx, id schema.UUID) (all []string, err error) {
	return filesBeside(id, func(st room.Statement, each func(room.Row) error) error { return tx.Query(st, each) })
}

func filesBeside(id schema.UUID, query func(room.Statement, func(room.Row) error) error) (all []string, err error) {
	err = query(room.SQL(`
		SELECT i.file
		FROM import i
		WHERE i.business_id = {business} AND i.id <> ? AND i.file IS NOT NULL`,
		schema.IDValue(id)), func(r room.Row) error {
		all = append(all, r.Value(0, schema.Document).S)
		return nil
	})
	return all, err
}

// CountImports tells how many imports the business has.
func CountImports(tx *store.Tx) (n int64, err error) {
	err = tx.Query(room.SQL("SELECT count(*) FROM import i WHERE i.business_id = {business}"), func(r room.Row) error {
		n = r.Value(0, schema.Integer).N
		return nil
	})
	return n, err
}

// BeginFile says that a file is coming for an import; one that was coming before is not waited for any more.
func BeginFile(tx *store.Tx, id, file schema.UUID) error {
	_, err := tx.Exec(room.SQL("UPDATE import SET coming_id = ?, updated_at = ? WHERE business_id = {business} AND id = ?",
		schema.IDValue(file), schema.TimeValue(tx.Now), schema.IDValue(id)))
	return err
}

// stillComing tells whether a file is the one that is being sent, and holds the import until the transaction ends.
func stillComing(tx *store.Tx, id, file schema.UUID) (bool, error) {
	n, err := tx.Exec(room.SQL(`
		UPDATE import SET updated_at = ?
		WHERE business_id = {business} AND id = ? AND coming_id = ?`,
		schema.TimeValue(tx.Now), schema.IDValue(id), schema.IDValue(file)))
	return n == 1, err
}

// PutImportRows keeps rows of a file that is coming, and tells whether it is still waited for.
func PutImportRows(tx *store.Tx, id, file schema.UUID, rows []ImportRows) (bool, error) {
	if still, err := stillComing(tx, id, file); err != nil || !still {
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
func ComingBytes(tx *store.Tx) (n int64, err error) {
	err = tx.Query(room.SQL(`
		SELECT coalesce(sum(length(r.data)), 0) FROM import i
		JOIN import_row r ON r.import_id = i.id AND r.file_id = i.coming_id
		WHERE i.business_id = {business} AND r.business_id = {business}`), func(r room.Row) error {
		n = r.Value(0, schema.Integer).N
		return nil
	})
	return n, err
}

// AbandonFile says that a file is not waited for any more. What has come of it is then forgotten by ForgetImportRows.
func AbandonFile(tx *store.Tx, id, file schema.UUID) error {
	_, err := tx.Exec(room.SQL(`
		UPDATE import SET coming_id = NULL
		WHERE business_id = {business} AND id = ? AND coming_id = ?`,
		schema.IDValue(id), schema.IDValue(file)))
	return err
}

// EndFile says that a file has come, and what is known of it. What was done with another one before is forgotten. It tells whether it was
// still waited for.
func EndFile(tx *store.Tx, id, file schema.UUID, about string) (bool, error) {
	n, err := tx.Exec(room.SQL(`
		UPDATE import SET file = ?, file_id = ?, coming_id = NULL, preview_id = NULL, run_id = NULL, undo_id = NULL, undone = NULL,
		version = version + 1, updated_at = ?
		WHERE business_id = {business} AND id = ? AND coming_id = ?`,
		room.DocumentOrNone(about), schema.IDValue(file), schema.TimeValue(tx.Now), schema.IDValue(id), schema.IDValue(file)))
	return n == 1, err
}

// FindRows gives the rows among which one of a file is, or none.
func FindRows(ctx context.Context, t store.Tenant, id, file schema.UUID, row int64) (found ImportRows, err error) {
	err = t.Query(ctx, rowsAmong(id, file, row), found.read)
	return found, err
}

// RowsIn gives them in a transaction.
func RowsIn(tx *store.Tx, id, file schema.UUID, row int64) (found ImportRows, err error) {
	err = tx.Query(rowsAmong(id, file, row), found.read)
	return found, err
}

func rowsAmong(id, file schema.UUID, row int64) room.Statement {
	return room.SQL(`
		SELECT r.first_row, r.data FROM import_row r
		WHERE r.business_id = {business} AND r.import_id = ? AND r.file_id = ? AND r.first_row <= ? ORDER BY r.first_row DESC LIMIT 1`,
		schema.IDValue(id), schema.IDValue(file), room.Integer(row))
}

func (rows *ImportRows) read(r room.Row) error {
	*rows = ImportRows{r.Value(0, schema.Integer).N, []byte(r.Value(1, room.Bytes).S)}
	return nil
}

// ReplaceImportRows puts rows in the place of those that begin with the same one.
func ReplaceImportRows(tx *store.Tx, id, file schema.UUID, rows ImportRows) error {
	_, err := tx.Exec(room.SQL(`
		UPDATE import_row SET data = ?
		WHERE business_id = {business} AND import_id = ? AND file_id = ? AND first_row = ?`,
		room.Blob(rows.Data), schema.IDValue(id), schema.IDValue(file), room.Integer(rows.First)))
	return err
}

// PutFile writes down what is known of a file by now.
func PutFile(tx *store.Tx, id, file schema.UUID, about string) error {
	_, err := tx.Exec(room.SQL("UPDATE import SET file = ? WHERE business_id = {business} AND id = ? AND file_id = ?",
		room.DocumentOrNone(about), schema.IDValue(id), schema.IDValue(file)))
	return err
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
		strays.Text, strays.Args = strays.Text+" AND r.import_id = ?", append(strays.Args, schema.IDValue(id))
	}
	strays.Text += " LIMIT 1"
	found := false
	var file schema.UUID
	err = tx.Query(strays, func(r room.Row) error {
		found, id, file = true, r.Value(0, schema.ID).UUID(), r.Value(1, schema.ID).UUID()
		return nil
	})
	if err != nil || !found {
		return err == nil, err
	}
	if err := tx.Wipe(); err != nil {
		return false, err
	}
	_, err = tx.Exec(room.SQL(`
		DELETE FROM import_row WHERE business_id = {business} AND import_id = ? AND file_id = ?
			AND first_row <= (SELECT max(f.first_row) FROM (SELECT r.first_row
			FROM import_row r WHERE r.business_id = {business} AND r.import_id = ? AND r.file_id = ?
			ORDER BY r.first_row LIMIT `+strconv.Itoa(most)+`) f)`,
		schema.IDValue(id), schema.IDValue(file), schema.IDValue(id), schema.IDValue(file)))
	return false, err
}

// ForgetImport forgets an import whose rows are gone.
func ForgetImport(tx *store.Tx, id schema.UUID) error {
	_, err := tx.Exec(room.SQL("DELETE FROM import WHERE business_id = {business} AND id = ?", schema.IDValue(id)))
	return err
}

// LoseFile says that an import has no file any more, and that none is waited for. Its rows are then forgotten by ForgetImportRows.
func LoseFile(tx *store.Tx, id schema.UUID) error {
	_, err := tx.Exec(room.SQL(`
		UPDATE import SET file = NULL, file_id = NULL, coming_id = NULL
		WHERE business_id = {business} AND id = ?`, schema.IDValue(id)))
	return err
}

// LoseFiles says that of all imports of the business.
func LoseFiles(tx *store.Tx) error {
	_, err := tx.Exec(room.SQL(`
		UPDATE import SET file = NULL, file_id = NULL, coming_id = NULL
		WHERE business_id = {business} AND (file_id IS NOT NULL OR coming_id IS NOT NULL)`))
	return err
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
		all = append(all, AbandonedFile{DueJob{t, r.Value(2, schema.ID).UUID()}, r.Value(3, schema.ID).UUID()})
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
