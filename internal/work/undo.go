package work

import (
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
	"github.com/kith-crm/kith/internal/store/merged"
	"github.com/kith-crm/kith/internal/store/queue"
)

// What a request or a job did is taken back by the change log: entry by entry, the last first, each by an ordinary write that puts
// back what was there. So the rules and permissions of writes hold, and undo is in the log itself and can be undone. An entry is
// left whose fields no longer have what it gave them. See ADR 0085.

// UndoBody is what the body of an undo may have.
var UndoBody = schema.CompileBody("undo",
	schema.Field{Name: "request_id", Kind: schema.Text, About: "The request whose changes are taken back: its `X-Request-Id`."},
	schema.Field{Name: "job_id", Kind: schema.Text, About: "The job whose changes are taken back."},
)

var Undoing = schema.FieldsOf[struct{ RequestID, JobID *schema.Leaf }](UndoBody)

// UndoJob is the kind of job that takes many changes back.
const UndoJob = "undo"

const (
	// maxUndone is how many entries of the log are taken back at once; what has more is a job.
	maxUndone = 300
	// undoStretch is how many entries of the log a step of that job looks through.
	undoStretch = 2000
	// UndoDays is for how many days what happened can be taken back.
	UndoDays = JobDays
)

// Undo is what is to be taken back.
type Undo struct {
	e   *record.Engine
	who *record.Principal
	// request is whose changes, which lie between two numbers of the log among others, about total of them.
	Request            string
	first, last, total int64
	// Long tells that it is too much for one request.
	Long bool
}

// PlanUndo reads the body of an undo, and finds what is to be taken back.
func PlanUndo(ctx context.Context, e *record.Engine, c record.Call, n *body.Node) (*Undo, error) {
	var wrong problem.Fields
	given, err := record.ReadBody(n, UndoBody, &wrong)
	if err != nil {
		return nil, err
	}
	l, prefix := Undoing.RequestID, "req"
	if given.Get(Undoing.JobID).Set {
		l, prefix = Undoing.JobID, "job"
	}
	if !given.Get(l).Set || given.Get(Undoing.RequestID).Set && given.Get(Undoing.JobID).Set {
		if len(wrong) == 0 {
			wrong.Add(Undoing.RequestID.Path, "required", "must be given, or job_id, and not both")
		}
		return nil, wrong.Err()
	}
	id, bad := schema.ParseID(prefix, given.Get(l).S)
	switch {
	case bad != nil:
		wrong.Add(l.Path, "invalid_id", "must be an id that starts with "+prefix+"_")
	case time.Since(id.Time()) > UndoDays*24*time.Hour:
		wrong.Add(l.Path, "not_allowed", "is too long ago: what happened can be taken back for "+strconv.Itoa(UndoDays)+" days")
	}
	if err := wrong.Err(); err != nil {
		return nil, err
	}
	u := &Undo{e: e, who: c.Principal, Request: schema.FormatID("req", id)}
	job, err := queue.FindJob(ctx, c.Tenant, id)
	switch {
	case err == nil && prefix == "job" && !maySee(c.Principal, job):
		return nil, errNoJob
	case err == nil && job.Open():
		return nil, problem.New(problem.Conflict, "The job has not ended yet. Cancel it, and then undo what it did.")
	case err == nil:
		u.first, u.last, u.total = job.FirstSeq, job.LastSeq, job.Done-job.Failed
		u.Long = u.last-u.first >= maxUndone
	case !errors.Is(err, store.ErrNotFound):
		return nil, err
	case prefix == "job":
		return nil, errNoJob
	default:
		if u.first, u.last, err = c.Tenant.RequestEntries(ctx, u.Request, id.Time(), maxUndoneByRequest); err != nil {
			return nil, err
		}
		u.total = u.last - u.first + 1
		u.Long = u.total > maxUndone
	}
	if u.first == 0 {
		return nil, errNothingDone
	}
	if job == nil || job.Kind == UndoJob { // others separate nothing
		separated, err := c.Tenant.RequestDid(ctx, u.Request, record.Unmerge, u.first, u.last)
		if err != nil {
			return nil, err
		}
		if separated { // to move back what was moved would lead half of it to the wrong one
			return nil, notUndone("records that were separated have to be merged anew.")
		}
	}
	if !u.Long {
		bytes, err := c.Tenant.RequestWeight(ctx, u.Request, u.first, u.last)
		if err != nil {
			return nil, err
		}
		u.Long = bytes > maxUndoneBytes
	}
	return u, nil
}

const maxUndoneBytes = 1 << 20

// maxUndoneByRequest is more than any request can change: a batch of merges.
const maxUndoneByRequest = 1 << 20

var errNothingDone = problem.New(problem.NotFound, "There is no such request, or it changed nothing that may be read.")

// Undone is what became of it.
type Undone struct {
	// Total is how many changes there are, as far as that is known, Tried how many of them were looked at, of which Count are taken
	// back and Left are not.
	Total        int64
	Tried, Count int
	Left         []Refused
}

// AppendMeta renders the counts, and the request by which it can be undone itself.
func (u Undone) AppendMeta(dst []byte, request string) []byte {
	dst = strconv.AppendInt(append(dst, `{"total":`...), u.Total, 10)
	dst = strconv.AppendInt(append(dst, `,"tried":`...), int64(u.Tried), 10)
	dst = strconv.AppendInt(append(dst, `,"undone":`...), int64(u.Count), 10)
	dst = strconv.AppendInt(append(dst, `,"left":`...), int64(len(u.Left)), 10)
	return append(schema.AppendString(append(dst, `,"request_id":`...), request), '}')
}

// Run takes the changes back: all of them, or where they are too many, which only a rehearsal may ask for, the last ones.
func (u *Undo) Run(tx *store.Tx) (done Undone, err error) {
	entries, _, err := tx.EntriesOf(u.Request, u.first, u.last, maxUndone)
	if err != nil {
		return done, err
	}
	t := &taker{Tx: tx, e: u.e, who: u.who}
	for _, entry := range entries {
		taken, err := t.take(entry)
		if err != nil {
			return done, err
		}
		if taken {
			done.Count++
		}
	}
	err = t.again(func(entry store.Change, why *problem.Problem) error {
		if why == nil {
			done.Count++
		} else {
			done.Left = append(done.Left, Refused{entry.Seq, schema.FormatID(entry.Resource, entry.RecordID), why})
		}
		return nil
	})
	if err != nil {
		return done, err
	}
	done.Tried, done.Total = done.Count+len(done.Left), u.total
	if !u.Long {
		done.Total = int64(done.Tried)
	}
	if done.Tried == 0 {
		err = errNothingDone
	}
	return done, err
}

// Start begins the job that takes them back.
func (u *Undo) Start(tx *store.Tx) (*queue.Job, error) {
	params, err := json.Marshal(map[string]string{Undoing.RequestID.Path: u.Request})
	if err != nil {
		return nil, err
	}
	place, err := json.Marshal([2]int64{u.first, u.last})
	if err != nil {
		return nil, err
	}
	return StartJob(u.e, tx, u.who, UndoJob, string(params), string(place), u.total)
}

// stepUndo takes the next changes back. Where it has come to the job's Place tells: the number of the entry that was taken last.
func stepUndo(run *JobRun) (done bool, err error) {
	var of map[string]string
	var between [2]int64
	if err := errors.Join(json.Unmarshal([]byte(run.Job.Params), &of), json.Unmarshal([]byte(run.Job.Private), &between)); err != nil {
		return false, err
	}
	first, last := between[0], between[1]
	if run.Job.Place != "" {
		if last, err = strconv.ParseInt(run.Job.Place, 10, 64); err != nil {
			return false, err
		}
		last--
	}
	from := max(first, last-undoStretch+1)
	entries, more, err := run.EntriesOf(of[Undoing.RequestID.Path], from, last, stepRecords)
	if err != nil {
		return false, err
	}
	t := &taker{Tx: run.Tx, e: run.Engine, who: run.Who}
	place := from
	if more {
		place = entries[len(entries)-1].Seq
	}
	for _, entry := range entries {
		run.Records++
		taken, err := t.take(entry)
		if err != nil {
			return false, err
		}
		if taken {
			run.Job.Done++
		}
		if run.Spent() {
			place = entry.Seq
			break
		}
	}
	err = t.again(func(entry store.Change, why *problem.Problem) error {
		run.Job.Done++
		if why == nil {
			return nil
		}
		return run.Refuse(between[1]-entry.Seq+1, record.KindOf(entry.Resource), entry.RecordID, "", why)
	})
	if err != nil {
		return false, err
	}
	run.Job.Place = strconv.FormatInt(place, 10)
	if run.Job.Done > run.Job.Total {
		run.Job.Total = run.Job.Done
	}
	if place > first {
		return false, nil
	}
	run.Job.Total = run.Job.Done
	return true, nil
}

type taker struct {
	*store.Tx
	e   *record.Engine
	who *record.Principal
	// refused are the changes that could not be taken back at first, and second tells that they are tried again.
	refused []store.Change
	second  bool
}

// take takes one change back, and tells whether the record is as it was. Where it is not, the change is tried again, unless the caller
// is not to know of it.
func (t *taker) take(entry store.Change) (taken bool, err error) {
	why, err := t.try(entry)
	if why != nil && why != errHidden {
		t.refused = append(t.refused, entry)
	}
	return why == nil && err == nil, err
}

// try takes one change back, or tells why it is left.
func (t *taker) try(entry store.Change) (why *problem.Problem, err error) {
	err = t.Savepoint(func() error { return t.takeBack(entry) })
	if why = problem.As(err); why == nil || why.Code.WorthRetrying() {
		return nil, err
	}
	return why, nil
}

// again tries what was refused once more: it may have come along with another record since. Of each it tells why it is left, or nothing.
func (t *taker) again(each func(entry store.Change, why *problem.Problem) error) error {
	t.second = true
	for _, entry := range t.refused {
		why, err := t.try(entry)
		if err == nil && why != errHidden {
			err = each(entry, why)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// errHidden is what a change of a record is left with that the caller may not read.
var errHidden = problem.New(problem.NotFound, "There is no such record.")

func notUndone(why string) error {
	return problem.New(problem.Conflict, "This is not taken back: %s", why)
}

func (t *taker) takeBack(entry store.Change) error {
	k := record.KindOf(entry.Resource)
	if k == nil || record.KeepsDeleted(k) {
		if k == nil || !t.mayKnow(k, entry) {
			return errHidden
		}
		return notUndone("changes of settings and of who may do what have to be made anew.")
	}
	res := t.who.Resource(k)
	rec, err := store.GetAny(t.Tx, res, entry.RecordID)
	if errors.Is(err, store.ErrNotFound) || err == nil && (!t.who.MayRead(res, rec) || t.who.SeesEnds(res, rec, t.Get) != nil) {
		return errHidden
	}
	if err != nil {
		return err
	}
	if k.Accompanying != nil && entry.Version == 1 && k.Accompanying(rec) {
		return errHidden
	}
	back, err := readEntry(res, entry)
	if err != nil {
		return err
	}
	operation := record.Operation{Kind: k, ID: schema.FormatID(k.Name, rec.ID())}
	switch {
	case entry.Action == record.Merge:
		done, err := t.isSeparate(k, res, rec, back)
		if err != nil || done {
			return err
		}
		operation.Name = record.Unmerge
		operation.Body = &body.Node{Kind: body.Object, Members: []body.Member{
			{Name: k.Unmerging.OtherID.Path, Value: body.Node{Kind: body.String, Text: back.merged}},
		}}
	case entry.Action == record.Remove:
		if rec.Live() {
			return nil
		}
		operation.Name = record.Restore
	case !rec.Live() && (entry.Action == record.Restore || entry.Version == 1):
		return nil
	case entry.Action == record.Restore && len(back.fields) > 0 && !t.second:
		return notUndone("it came back with another record.") // and goes with that
	case entry.Action == record.Restore:
		operation.Name = record.Remove
	case entry.Version == 1:
		if err := t.isAsMade(k, res, rec, back); err != nil {
			return err
		}
		operation.Name = record.Remove
	default:
		return t.putBack(k, res, rec, back)
	}
	step, err := t.e.Plan(t.who, operation)
	if err != nil {
		return err
	}
	_, err = step(t.Tx)
	return err
}

func (t *taker) mayKnow(k *record.Kind, entry store.Change) bool {
	rec, err := store.GetAny(t.Tx, &k.Resource, entry.RecordID)
	return err == nil && t.who.MayRead(&k.Resource, rec)
}

// changedSince says that a record no longer has what an entry gave it.
func changedSince(res *schema.Resource, rec *schema.Record, what string) error {
	p := problem.New(problem.PreconditionFailed, "The %s was changed since: %s.", strings.ReplaceAll(res.Name, "_", " "), what)
	p.CurrentVersion = rec.Version()
	return p
}

// current finds which fields of an entry have to be put back. It refuses where one has neither what the entry gave it nor what it had
// before. What kith computes from other fields does not count: it follows them back.
func (t *taker) current(k *record.Kind, res *schema.Resource, rec *schema.Record, fields []fieldBack) (back []fieldBack, err error) {
	var other []string
	for _, f := range fields {
		value, compute := rec.Get(f.leaf), k.Computed[f.leaf]
		if compute != nil && f.leaf.ReadOnly {
			continue
		}
		given, err := t.same(f.leaf, f.to, value)
		if err != nil {
			return nil, err
		}
		if given {
			back = append(back, f)
			continue
		}
		before, err := t.same(f.leaf, f.from, value)
		switch {
		case err != nil:
			return nil, err
		case !before && (compute == nil || value != compute(rec)):
			other = append(other, f.leaf.Path)
		}
	}
	switch len(other) {
	case 0:
		return back, nil
	case 1:
		return nil, changedSince(res, rec, other[0]+" has another value by now")
	}
	return nil, changedSince(res, rec, strings.Join(other, ", ")+" have other values by now")
}

// same tells whether a field has a value, or leads to the record into which that one was merged since.
func (t *taker) same(l *schema.Leaf, expected, value schema.Value) (bool, error) {
	if expected == value || !expected.Set || !value.Set {
		return expected == value, nil
	}
	switch {
	case l.Follows():
		survivor, err := merged.SurvivorIn(t.Tx, l.Target, expected.UUID())
		return survivor == value.UUID(), err
	case l.Format == schema.RecordID:
		name, id, err := schema.RecordOf(expected.S)
		if k := record.KindOf(name); err == nil && k != nil && k.Life.Merges {
			survivor, err := merged.SurvivorIn(t.Tx, &k.Resource, id)
			return schema.FormatID(name, survivor) == value.S, err
		}
	}
	return false, nil
}

// isAsMade refuses where a record is no longer as an entry made it.
func (t *taker) isAsMade(k *record.Kind, res *schema.Resource, rec *schema.Record, back entryBack) error {
	made := map[*schema.Leaf]bool{}
	for _, f := range back.fields {
		made[f.leaf] = true
	}
	c := &res.Common
	document, _ := res.Document()
	untold := []*schema.Leaf{document, c.ID, c.CreatedAt, c.CreatedBy, c.UpdatedAt, c.UpdatedBy, c.Version}
	for _, l := range rec.Leaves {
		if !made[l] && !l.Writing.BinOnly && !slices.Contains(untold, l) {
			back.fields = append(back.fields, fieldBack{leaf: l, from: schema.Absent(l.Kind), to: schema.Absent(l.Kind)})
		}
	}
	for i := range back.fields { // to have nothing is not what it was made with
		back.fields[i].from = back.fields[i].to
	}
	if _, err := t.current(k, res, rec, back.fields); err != nil || !k.Life.Merges {
		return err
	}
	n, err := merged.Count(t.Tx, &k.Resource, rec.ID())
	if err == nil && n > 0 {
		err = changedSince(res, rec, "others were merged into it")
	}
	return err
}

// isSeparate tells whether the two records of a merge are two again, and refuses where the survivor no longer has what the merge gave it.
func (t *taker) isSeparate(k *record.Kind, res *schema.Resource, rec *schema.Record, back entryBack) (bool, error) {
	if back.merged == "" { // an entry of the other record
		if rec.Live() {
			return true, nil
		}
		return false, notUndone("it was merged into another record, of which more changed since.")
	}
	id, err := schema.ParseID(k.Name, back.merged)
	if err != nil {
		return false, err
	}
	other, err := store.GetAny(t.Tx, res, id)
	switch {
	case err == nil && other.Live():
		return true, nil
	case err != nil && !errors.Is(err, store.ErrNotFound):
		return false, err
	}
	_, err = t.current(k, res, rec, back.fields)
	return false, err
}

// putBack gives the fields of a record what they had before an entry. The record need not have been before as it is then, because
// other fields may have been changed since. So the rules of its kind are asked, but for moves of its state.
func (t *taker) putBack(k *record.Kind, res *schema.Resource, rec *schema.Record, back entryBack) error {
	fields, err := t.current(k, res, rec, back.fields)
	if err != nil || len(fields) == 0 {
		return err
	}
	if !rec.Live() {
		return notUndone("the record is deleted.")
	}
	given := &body.Changes{Shape: rec.Shape, Given: make([]bool, len(rec.Values)), Values: make([]schema.Value, len(rec.Values))}
	for _, f := range fields {
		at := rec.Index(f.leaf)
		given.Given[at], given.Values[at] = true, f.from
	}
	return t.e.Amend(t.Tx, t.who, k, rec, given, func(w *record.Mutation) error {
		settle := func() {
			copy(w.Rec.Values, w.Old.Values)
			for _, f := range fields {
				w.Rec.Put(f.leaf, f.from)
			}
			for l, compute := range k.Computed {
				if !w.Gave(l) && w.Old.Get(l) == compute(w.Old) {
					w.Rec.Put(l, compute(w.Rec))
				}
			}
		}
		settle()
		w.Carried = func() error {
			settle() // whatever was derived
			return nil
		}
		if err := w.Settle(); err != nil {
			return err
		}
		return w.CheckNeeded()
	})
}

type entryBack struct {
	fields []fieldBack
	// merged is the record that was merged into this one by it, or empty.
	merged string
}

type fieldBack struct {
	leaf     *schema.Leaf
	from, to schema.Value
}

func readEntry(res *schema.Resource, entry store.Change) (back entryBack, err error) {
	n, err := body.Parse([]byte(entry.Changes))
	if err != nil || n == nil {
		return back, err
	}
	for _, m := range n.Members {
		from, _ := m.Value.Get("from")
		to, _ := m.Value.Get("to")
		if m.Name == record.MergedID {
			back.merged = to.Text
			continue
		}
		l := res.Leaf(m.Name)
		if l == nil && entry.Version == 1 {
			continue // with the record goes all that it has
		}
		if l == nil {
			return back, notUndone("there is no field " + m.Name + " any more.")
		}
		f := fieldBack{leaf: l}
		for into, n := range map[*schema.Value]body.Node{&f.from: from, &f.to: to} {
			known := false
			if *into, known = record.LoggedValue(n, l); !known {
				return back, notUndone(l.Path + " cannot have the value any more that it had.")
			}
		}
		back.fields = append(back.fields, f)
	}
	return back, nil
}
