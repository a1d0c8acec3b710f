package exchange

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/queue"
	"github.com/kith-crm/kith/internal/tabular"
	"github.com/kith-crm/kith/internal/work"
)

// A file comes into a business by an import: somebody says what its rows are, sends the file, which is read once and kept as rows,
// decides what its columns are, has it tried, and has it made records by a job (job.go). What an import is by now follows from its
// jobs, so there is no second truth about it. See ADR 0063.

const (
	// MaxImports is how many imports a business has at once.
	MaxImports = 100
	// importDays is for how many days an import is kept about which nothing happens. Its jobs are kept for longer, because they end later.
	importDays = work.JobDays
	// MaxImportFile is how many bytes a file has at most.
	MaxImportFile = 100 << 20
	// MaxImportFiles is how many bytes the rows of all imports of a business may take together, as they are kept.
	MaxImportFiles = 1 << 30
	// importID is what the ids of imports begin with.
	importID = "import"
)

// What an empty cell does to a field that has a value.
const (
	emptyKeeps  = "keep"
	emptyClears = "clear"
)

// importDecisions are the fields of an import that can be decided at any time before it is run.
func importDecisions() []schema.Field {
	return []schema.Field{
		{Name: "mapping", Kind: schema.Document, About: "Which columns are which fields, by the names of the columns, where these do not " +
			"tell: a path as filters name it, or - for none. The column * stands for all that are no field; it can only be -."},
		{
			Name: "new_fields", Kind: schema.Document,
			About: "Custom fields that are made on the way, by their names: {\"tier\": {\"kind\": \"select\", \"label\": \"Tier\"}}. The " +
				"columns that are called so, or mapped to custom_fields.tier, are its values. Needs write on fields.",
		},
		{
			Name: "unknown_options", Kind: schema.Choice, Options: []string{optionsRefuse, optionsMake}, Default: optionsRefuse,
			About: "Whether a row is refused that names an option which its custom field does not have, or the option is made. To make " +
				"some needs write on fields.",
		},
		{Name: "match", Kind: schema.Text, About: "The field by which a row finds the record that it changes, as in an upsert."},
		{
			Name: "policy", Kind: schema.Choice, Options: ImportPolicies,
			About: "What becomes of a row: create makes a record and refuses the row if it matches one, " +
				"update changes the one that it matches and refuses the row if there is none, upsert does either. " +
				"Without one, rows with an id, or with match all that find one, change a record, and the others make one.",
		},
		{
			Name: "empty", Kind: schema.Choice, Options: []string{emptyKeeps, emptyClears}, Default: emptyKeeps,
			About: "Whether an empty cell keeps what the field has, or clears it.",
		},
		{
			Name: "decimals", Kind: schema.Choice, Options: []string{"comma", "point"},
			About: "How the file writes decimals; found out where it is not given.",
		},
		{
			Name: "dates", Kind: schema.Choice, Options: []string{"dmy", "mdy"},
			About: "What comes first in 03/04/2026; found out where it is not given.",
		},
	}
}

// ImportCreation and ImportPatch are the bodies that make an import and change it.
var (
	ImportCreation = schema.CompileBody("import", append([]schema.Field{
		{
			Name: "resource", Kind: schema.Choice, Options: ImportNames(), Required: true,
			About: "What the rows are; business for the archive of a whole one.",
		},
	}, importDecisions()...)...)
	ImportPatch = schema.CompileBody("import", append(importDecisions(), corrections)...)
)

type importLeaves struct{ Mapping, NewFields, UnknownOptions, Match, Policy, Empty, Decimals, Dates *schema.Leaf }

var (
	importing  = schema.FieldsOf[struct{ Resource *schema.Leaf }](ImportCreation)
	newImport  = schema.FieldsOf[importLeaves](ImportCreation)
	redeciding = schema.FieldsOf[importLeaves](ImportPatch)
)

// decisions are what was decided about an import, as it is kept.
type decisions struct {
	Mapping   map[string]string   `json:"mapping,omitempty"`
	NewFields map[string]NewField `json:"new_fields,omitempty"`
	Options   string              `json:"unknown_options,omitempty"`
	Match     string              `json:"match,omitempty"`
	Policy    string              `json:"policy,omitempty"`
	Empty     string              `json:"empty,omitempty"`
	Decimals  string              `json:"decimals,omitempty"`
	Dates     string              `json:"dates,omitempty"`
}

// decide takes over what a body decides.
func (d *decisions) decide(given *body.Changes, of importLeaves, wrong *problem.Fields) {
	for l, to := range map[*schema.Leaf]*string{
		of.Match: &d.Match, of.Policy: &d.Policy, of.Empty: &d.Empty, of.Decimals: &d.Decimals,
		of.Dates: &d.Dates, of.UnknownOptions: &d.Options,
	} {
		if given.Has(l) {
			*to = given.Get(l).S
		}
	}
	if fields, there := given.Documents[of.NewFields.Path]; there {
		d.decideFields(fields, of.NewFields.Path, wrong)
	}
	mapping, there := given.Documents[of.Mapping.Path]
	switch {
	case there && mapping.Kind == body.Null:
		d.Mapping = nil
	case there:
		if d.Mapping == nil {
			d.Mapping = map[string]string{}
		}
		for _, m := range mapping.Members {
			at := of.Mapping.Path + "." + m.Name
			switch {
			case m.Value.Kind == body.Null:
				delete(d.Mapping, m.Name)
			case m.Value.Kind != body.String:
				wrong.Add(at, "wrong_type", "must be the name of a field, not "+m.Value.Kind.Name())
			case m.Name == everyOther && m.Value.Text != ignored:
				wrong.Add(at, "not_allowed", "must be -", ignored)
			default:
				d.Mapping[m.Name] = m.Value.Text
			}
		}
	}
	if len(d.Mapping) > tabular.MaxColumns+1 {
		wrong.Add(of.Mapping.Path, "too_many", "must have at most "+strconv.Itoa(tabular.MaxColumns)+" columns")
	}
}

// fit refuses what cannot be decided about an archive, whose records say themselves what they are.
func (d decisions) fit(k *record.Kind) error {
	var wrong problem.Fields
	for _, given := range []struct {
		l  *schema.Leaf
		is bool
	}{
		{newImport.Mapping, len(d.Mapping) > 0},
		{newImport.Match, d.Match != ""},
		{newImport.Policy, d.Policy != ""},
		{newImport.NewFields, len(d.NewFields) > 0},
		{newImport.UnknownOptions, d.Options == optionsMake},
	} {
		if k == wholeBusiness && given.is {
			wrong.Add(given.l.Path, "not_allowed", "is not for the archive of a business")
		}
	}
	return wrong.Err()
}

// options are the decisions as a plan takes them.
func (d decisions) options() ImportOptions {
	return ImportOptions{
		Map: d.Mapping, NewFields: d.NewFields, MakeOptions: d.Options == optionsMake, Match: d.Match, Policy: d.Policy,
		Clear: d.Empty == emptyClears,
	}
}

// importFile is what is known of the file of an import, as it is kept. Of what is in its rows it has only corrected values.
type importFile struct {
	Format    string `json:"format"`
	Encoding  string `json:"encoding,omitempty"`
	Delimiter string `json:"delimiter,omitempty"`
	Bytes     int64  `json:"bytes"`
	Rows      int64  `json:"rows"`
	// Kept is how many bytes its rows take in the database.
	Kept int64 `json:"kept,omitempty"`
	// Guide is that of an archive.
	Guide *Guide `json:"guide,omitempty"`
	// Head are the names of the columns, and Seen what the cells of each tell of how numbers and days are written.
	Head []string         `json:"head,omitempty"`
	Seen []tabular.Survey `json:"seen,omitempty"`
	// Values are the values of columns that were corrected in all rows.
	Values replacements `json:"values,omitempty"`
}

// corrected gives rows with the values that were corrected.
func (f *importFile) corrected(rows []tabular.Row) []tabular.Row {
	return f.Values.corrected(f.Head, rows)
}

// dialect is how the file is written.
func (f *importFile) dialect() tabular.Dialect {
	d := tabular.Dialect{Format: f.Format, Encoding: f.Encoding}
	for _, r := range f.Delimiter {
		d.Delimiter = r
	}
	return d
}

// ImportState is an import with what its jobs tell of it.
type ImportState struct {
	*queue.Import
	kind      *record.Kind
	decisions decisions
	file      *importFile

	preview, run, undo *queue.Job
	// left is why the undo left what it did, where somebody asked.
	left []leftReason
}

var errNoImport = problem.New(problem.NotFound, "There is no such import. Imports are kept for %d days after the last thing that "+
	"happened to them.", importDays)

// finder gives the jobs of an import.
type finder func(schema.UUID) (*queue.Job, error)

func jobsIn(tx *store.Tx) finder {
	return func(id schema.UUID) (*queue.Job, error) { return queue.JobIn(tx, id) }
}

func jobsOf(ctx context.Context, t store.Tenant) finder {
	return func(id schema.UUID) (*queue.Job, error) { return queue.FindJob(ctx, t, id) }
}

// state puts together what an import is.
func state(p *record.Principal, i *queue.Import, err error, job finder) (*ImportState, error) {
	if errors.Is(err, store.ErrNotFound) || err == nil && !p.MaySeeOf(i.User, i.Connection, i.Scopes) {
		return nil, errNoImport
	}
	if err != nil {
		return nil, err
	}
	s := &ImportState{Import: i, kind: importKind(i.Resource)}
	if err := mayImport(p, s.kind); err != nil {
		return nil, err
	}
	if err := json.Unmarshal([]byte(i.Options), &s.decisions); err != nil {
		return nil, err
	}
	if i.File != "" {
		s.file = &importFile{}
		if err := json.Unmarshal([]byte(i.File), s.file); err != nil {
			return nil, err
		}
	}
	for id, to := range map[schema.UUID]**queue.Job{i.Preview: &s.preview, i.Run: &s.run, i.Undo: &s.undo} {
		if id == (schema.UUID{}) {
			continue
		}
		found, err := job(id)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
		*to = found
	}
	return s, nil
}

// stateIn reads an import in a transaction.
func stateIn(p *record.Principal, tx *store.Tx, id string) (*ImportState, error) {
	uuid, err := schema.ParseID(importID, id)
	if err != nil {
		return nil, errNoImport
	}
	i, err := queue.ImportIn(tx, uuid)
	return state(p, i, err, jobsIn(tx))
}

// idleIn reads an import in a transaction, and refuses it while a job for it is under way.
func idleIn(p *record.Principal, tx *store.Tx, id string) (*ImportState, error) {
	s, err := stateIn(p, tx, id)
	if err == nil {
		err = s.idle()
	}
	return s, err
}

// FindImport reads an import.
func FindImport(ctx context.Context, e *record.Engine, c record.Call, id string) (*ImportState, error) {
	uuid, err := schema.ParseID(importID, id)
	if err != nil {
		return nil, errNoImport
	}
	i, err := queue.FindImport(ctx, c.Tenant, uuid)
	return state(c.Principal, i, err, jobsOf(ctx, c.Tenant))
}

// Imports lists the imports that the caller may see, the newest first unless they ask otherwise.
func Imports(ctx context.Context, e *record.Engine, c record.Call, n *body.Node, each func(*ImportState)) (record.List, error) {
	imports, list, err := work.ListBegun(e, c, n, "imports", func(i queue.Import) schema.UUID { return i.ID },
		func(of, after schema.UUID, up bool, limit int) ([]queue.Import, error) {
			return queue.Imports(ctx, c.Tenant, of, after, up, limit)
		})
	if err != nil {
		return record.List{}, err
	}
	for i := range imports {
		s, err := state(c.Principal, &imports[i], nil, jobsOf(ctx, c.Tenant))
		if problem.As(err) != nil {
			continue // it is for others
		}
		if err != nil {
			return record.List{}, err
		}
		each(s)
	}
	return list, nil
}

// The states of an import.
const (
	importNew        = "new"
	importReady      = "ready"
	importPreviewing = "previewing"
	importRunning    = "running"
	importUndoing    = "undoing"
	importUndone     = "undone"
)

// ImportStates lists them; the others are those of the job that ran it.
var ImportStates = []string{
	importNew, importReady, importPreviewing, importRunning, queue.JobSucceeded, queue.JobFailed,
	queue.JobCancelled, importUndoing, importUndone,
}

// Status tells what an import is by now.
func (s *ImportState) Status() string {
	switch {
	case s.undo != nil && s.undo.Open():
		return importUndoing
	case s.Undone != "" || s.undo != nil && s.undo.Status == queue.JobSucceeded:
		return importUndone
	case s.run != nil && s.run.Open():
		return importRunning
	case s.run != nil:
		return s.run.Status
	case s.preview != nil && s.preview.Open():
		return importPreviewing
	case s.file == nil:
		return importNew
	}
	return importReady
}

// open is the job that is under way for the import, or nil.
func (s *ImportState) open() *queue.Job {
	for _, job := range []*queue.Job{s.undo, s.run, s.preview} {
		if job != nil && job.Open() {
			return job
		}
	}
	return nil
}

// idle refuses what cannot be done while a job for the import is under way.
func (s *ImportState) idle() error {
	if s.open() != nil {
		return problem.New(problem.InvalidTransition, "The import is %s. Wait until that has ended, or cancel it.", s.Status())
	}
	return nil
}

// PlanNewImport reads the body that makes an import.
func PlanNewImport(e *record.Engine, c record.Call, n *body.Node) (func(*store.Tx) (*ImportState, error), error) {
	object, err := n.Object()
	if err != nil {
		return nil, err
	}
	var wrong problem.Fields
	given := body.Decode(object, ImportCreation, true, "", &wrong)
	var d decisions
	d.decide(given, newImport, &wrong)
	if len(wrong) == 0 && !given.Has(importing.Resource) {
		wrong.Add(importing.Resource.Path, "required", "must be given: what the rows of the file are", ImportNames()...)
	}
	if err := wrong.Err(); err != nil {
		return nil, err
	}
	k := importKind(given.Get(importing.Resource).S)
	if err := mayImport(c.Principal, k); err != nil {
		return nil, err
	}
	if err := d.fit(k); err != nil {
		return nil, err
	}
	if k != wholeBusiness {
		if _, err := PlanImport(e, c.Principal, k, nil, nil, ImportOptions{Match: d.Match, Policy: d.Policy}); err != nil {
			return nil, err
		}
		if err := d.options().mayMake(c.Principal); err != nil {
			return nil, err
		}
	}
	options, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	return func(tx *store.Tx) (*ImportState, error) {
		n, err := queue.CountImports(tx)
		if err != nil {
			return nil, err
		}
		if n >= MaxImports {
			return nil, problem.New(problem.Conflict,
				"The business has %d imports. Delete some that are not needed any more; they are forgotten %d days after the last thing "+
					"that happened to them.", n, importDays)
		}
		i := &queue.Import{
			ID: tx.NewID(), Resource: k.Name, User: c.User, Connection: c.Connection, Scopes: c.Scopes,
			Options: string(options),
		}
		if err := queue.AddImport(tx, i); err != nil {
			return nil, err
		}
		return state(c.Principal, i, nil, jobsIn(tx))
	}, nil
}

// PlanImportPatch reads the body that decides something about an import.
func PlanImportPatch(e *record.Engine, c record.Call, id string, n *body.Node) (func(*store.Tx) (*ImportState, error), error) {
	object, err := n.Object()
	if err != nil {
		return nil, err
	}
	var wrong problem.Fields
	given := body.Decode(object, ImportPatch, false, "", &wrong)
	var try decisions
	try.decide(given, redeciding, &wrong)
	if err := wrong.Err(); err != nil {
		return nil, err
	}
	return func(tx *store.Tx) (*ImportState, error) {
		s, err := idleIn(c.Principal, tx, id)
		if err != nil {
			return nil, err
		}
		var wrong problem.Fields
		if s.decisions.decide(given, redeciding, &wrong); len(wrong) > 0 {
			return nil, wrong.Err()
		}
		if err := s.decisions.fit(s.kind); err != nil {
			return nil, err
		}
		if err := s.decisions.options().mayMake(c.Principal); err != nil {
			return nil, err
		}
		// What is not decided yet may stay so; what was decided wrongly is told.
		if _, err := s.plan(e, c.Principal); problem.As(err) != nil {
			p := *problem.As(err)
			p.Fields = slices.DeleteFunc(slices.Clone(p.Fields), func(f problem.Field) bool { return f.Code == "required" })
			if len(p.Fields) > 0 && s.file != nil {
				return nil, &p
			}
		}
		cells, err := s.readCorrections(given)
		if err == nil {
			err = s.correct(tx, e, cells)
		}
		if err != nil {
			return nil, err
		}
		return s, s.putDecisions(tx)
	}, nil
}

// putDecisions keeps what was decided.
func (s *ImportState) putDecisions(tx *store.Tx) error {
	options, err := json.Marshal(s.decisions)
	if err != nil {
		return err
	}
	s.Options = string(options)
	return queue.PutImport(tx, s.Import)
}

// plan decides what the columns of the file are. It gives a plan also where something is still to be decided.
func (s *ImportState) plan(e *record.Engine, who *record.Principal) (*Import, error) {
	file := cmp.Or(s.file, &importFile{})
	if s.kind == wholeBusiness {
		return PlanArchive(e, who, file.Guide)
	}
	im, err := PlanImport(e, who, s.kind, file.Head, file.Seen, s.decisions.options())
	if p := problem.As(err); p != nil {
		told := *p
		told.Fields = slices.Clone(p.Fields)
		for i, f := range told.Fields {
			if rest, ok := strings.CutPrefix(f.Field, "map."); ok {
				told.Fields[i].Field = redeciding.Mapping.Path + "." + rest
			}
		}
		err = &told
	}
	if s.file != nil {
		im.Style = im.StyleOf(s.file.dialect(), s.decisions.Decimals, s.decisions.Dates)
		im.corrected = s.file.corrected
	}
	return im, err
}

// CancelImport ends what is under way for an import.
func CancelImport(e *record.Engine, tx *store.Tx, c record.Call, id string) (*ImportState, error) {
	s, err := stateIn(c.Principal, tx, id)
	if err != nil {
		return nil, err
	}
	job := s.open()
	if job == nil {
		return nil, problem.New(problem.InvalidTransition, "Nothing is under way for this import, which is %s.", s.Status())
	}
	if _, err := work.CancelJob(e, tx, c.Principal, schema.FormatID("job", job.ID)); err != nil {
		return nil, err
	}
	return stateIn(c.Principal, tx, id)
}

// PlanImportUndo finds what an import that was run has changed.
func PlanImportUndo(ctx context.Context, e *record.Engine, c record.Call, id string) (*work.Undo, error) {
	s, err := FindImport(ctx, e, c, id)
	if err != nil {
		return nil, err
	}
	if err := s.idle(); err != nil {
		return nil, err
	}
	if s.run == nil || s.Status() == importUndone {
		return nil, problem.New(problem.InvalidTransition, "The import is %s: there is nothing to undo.", s.Status())
	}
	return work.PlanUndo(ctx, e, c, &body.Node{Kind: body.Object, Members: []body.Member{
		{Name: work.Undoing.JobID.Path, Value: body.Node{Kind: body.String, Text: schema.FormatID("job", s.run.ID)}},
	}})
}

// NoteUndo notes that an import was undone, at once or by a job.
func NoteUndo(e *record.Engine, tx *store.Tx, c record.Call, id string, job *queue.Job, done work.Undone, request string) error {
	s, err := stateIn(c.Principal, tx, id)
	if err != nil {
		return err
	}
	if s.Undo, s.Undone = (schema.UUID{}), ""; job != nil {
		s.Undo = job.ID
	} else {
		reasons, err := json.Marshal(reasonsOf(func(yield func(*problem.Problem) bool) {
			for _, r := range done.Left {
				if !yield(r.Problem) {
					return
				}
			}
		}))
		if err != nil {
			return err
		}
		meta := strings.TrimSuffix(string(done.AppendMeta(nil, request)), "}")
		s.Undone = meta + `,"reasons":` + string(reasons) + "}"
	}
	return queue.PutImport(tx, s.Import)
}

// DropImport takes the file of an import away, and forgets its rows, in small steps; the import itself is forgotten by ForgetImport.
func DropImport(ctx context.Context, e *record.Engine, c record.Call, id string) error {
	var dropped *ImportState
	err := c.Tenant.Write(ctx, c.By(), func(tx *store.Tx) error {
		s, err := idleIn(c.Principal, tx, id)
		if err != nil {
			return err
		}
		dropped = s
		return queue.LoseFile(tx, s.ID)
	})
	if err != nil {
		return err
	}
	for _, job := range []schema.UUID{dropped.Preview, dropped.Run} {
		if err := forgetRefused(ctx, c.Tenant, job); err != nil {
			return err
		}
	}
	return forgetRows(ctx, c.Tenant, dropped.ID)
}

// forgetRefused forgets why rows were refused, in small steps.
func forgetRefused(ctx context.Context, t store.Tenant, job schema.UUID) error {
	return inSteps(ctx, t, func(tx *store.Tx) (bool, error) { return queue.ForgetRefusalsOf(tx, job, work.RefusalsForgotten) })
}

// inSteps forgets something in transactions of their own, until that is done.
func inSteps(ctx context.Context, t store.Tenant, forget func(*store.Tx) (done bool, err error)) error {
	for done := false; !done; {
		err := t.Keep(ctx, store.Actor{}, func(tx *store.Tx) (err error) {
			done, err = forget(tx)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// ForgetImport forgets an import.
func ForgetImport(e *record.Engine, tx *store.Tx, c record.Call, id string) error {
	s, err := idleIn(c.Principal, tx, id)
	if err != nil {
		return err
	}
	return queue.ForgetImport(tx, s.ID)
}

// forgetRows forgets the rows of an import that belong to none of its files any more.
func forgetRows(ctx context.Context, t store.Tenant, id schema.UUID) error {
	return inSteps(ctx, t, func(tx *store.Tx) (bool, error) { return queue.ForgetImportRows(tx, id, work.RowsForgotten) })
}

// SweepImports forgets imports about which nothing happened for long, and what came of files whose server died while they were sent.
func SweepImports(ctx context.Context, e *record.Engine, now time.Time) error {
	abandoned, failed := queue.AbandonedFiles(ctx, e.Store(), now.Add(-abandonedAfter))
	for _, d := range abandoned {
		err := d.Keep(ctx, store.Actor{}, func(tx *store.Tx) error { return queue.AbandonFile(tx, d.Job, d.File) })
		if err == nil {
			err = forgetRows(ctx, d.Tenant, d.Job)
		}
		failed = errors.Join(failed, err)
	}
	for {
		old, err := queue.OldImports(ctx, e.Store(), now.AddDate(0, 0, -importDays))
		for _, d := range old {
			err = errors.Join(err, sweepImport(ctx, d))
		}
		if err != nil || len(old) == 0 {
			return errors.Join(failed, err)
		}
	}
}

func sweepImport(ctx context.Context, d queue.DueJob) error {
	if err := d.Keep(ctx, store.Actor{}, func(tx *store.Tx) error { return queue.LoseFile(tx, d.Job) }); err != nil {
		return err
	}
	if err := forgetRows(ctx, d.Tenant, d.Job); err != nil {
		return err
	}
	return d.Keep(ctx, store.Actor{}, func(tx *store.Tx) error { return queue.ForgetImport(tx, d.Job) })
}
