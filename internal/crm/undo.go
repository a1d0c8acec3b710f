package crm

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"time"

	"kith/internal/body"
	"kith/internal/problem"
	"kith/internal/schema"
	"kith/internal/store"
)

// What a request or a job did is taken back by the change log: entry by entry, the last first, each by an ordinary write that puts back what was there. So the rules
// and permissions of writes hold, and undo is in the log itself and can be undone. An entry whose record was changed since by somebody else is left. See ADR 0061.

// UndoBody is what the body of an undo may have.
var UndoBody = schema.CompileBody("undo",
	schema.Field{Name: "request_id", Kind: schema.Text, About: "The request whose changes are taken back: its `X-Request-Id`."},
	schema.Field{Name: "job_id", Kind: schema.Text, About: "The job whose changes are taken back."},
)

var undoing struct{ RequestID, JobID *schema.Leaf }

// UndoJob is the kind of job that takes many changes back.
const UndoJob = "undo"

func init() {
	schema.Bind(UndoBody, &undoing)
	jobKinds[UndoJob] = &JobKind{Step: stepUndo}
}

const (
	// maxUndone is how many entries of the log are taken back at once; what has more is a job.
	maxUndone = 300
	// undoStretch is how many entries of the log a step of that job looks through.
	undoStretch = 2000
	// UndoDays is for how many days what happened can be taken back.
	UndoDays = jobDays
)

// Undo is what is to be taken back.
type Undo struct {
	e   *Engine
	who *Principal
	// request is whose changes, which lie between two numbers of the log among others, about total of them.
	Request            string
	first, last, total int64
	// Long tells that it is too much for one request.
	Long bool
}

// PlanUndo reads the body of an undo, and finds what is to be taken back.
func (e *Engine) PlanUndo(ctx context.Context, c Call, n *body.Node) (*Undo, error) {
	object, err := n.Object()
	if err != nil {
		return nil, err
	}
	var wrong problem.Fields
	given := body.Decode(object, UndoBody, true, "", &wrong)
	l, prefix := undoing.RequestID, "req"
	if given.Get(undoing.JobID).Set {
		l, prefix = undoing.JobID, "job"
	}
	if !given.Get(l).Set || given.Get(undoing.RequestID).Set && given.Get(undoing.JobID).Set {
		if len(wrong) == 0 {
			wrong.Add(undoing.RequestID.Path, "required", "must be given, or job_id, and not both")
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
	job, err := c.Tenant.Job(ctx, id)
	switch {
	case err == nil && prefix == "job" && !c.maySee(job):
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
		separated, err := c.Tenant.RequestDid(ctx, u.Request, Unmerge, u.first, u.last)
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

// maxUndoneBytes is how many bytes of entries are taken back at once.
const maxUndoneBytes = 1 << 20

// maxUndoneByRequest is more than any request can change: a batch of merges.
const maxUndoneByRequest = 1 << 20

var errNothingDone = problem.New(problem.NotFound, "There is no such request, or it changed nothing that may be read.")

// Undone is what became of it.
type Undone struct {
	// Total is how many changes there are, as far as that is known, Tried how many of them were looked at, of which Count are taken back and Left are not.
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
	t := &taker{Tx: tx, e: u.e, who: u.who, request: u.Request}
	var again []store.Change
	for _, entry := range entries {
		outcome, err := t.take(entry)
		if err != nil {
			return done, err
		}
		switch {
		case outcome == nil:
			done.Count++
		case outcome.hidden:
		default:
			again = append(again, entry)
		}
	}
	// What was refused may have come along with another record since.
	for _, entry := range again {
		outcome, err := t.take(entry)
		if err != nil {
			return done, err
		}
		if outcome == nil {
			done.Count++
			continue
		}
		done.Left = append(done.Left, Refused{entry.Seq, schema.FormatID(entry.Resource, entry.RecordID), outcome.why})
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
func (u *Undo) Start(tx *store.Tx) (*store.Job, error) {
	params, err := json.Marshal(map[string]string{undoing.RequestID.Path: u.Request})
	if err != nil {
		return nil, err
	}
	place, err := json.Marshal([2]int64{u.first, u.last})
	if err != nil {
		return nil, err
	}
	return u.e.StartJob(tx, u.who, UndoJob, string(params), string(place), u.total)
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
	entries, more, err := run.EntriesOf(of[undoing.RequestID.Path], from, last, stepRecords)
	if err != nil {
		return false, err
	}
	t := &taker{Tx: run.Tx, e: run.Engine, who: run.Who, request: of[undoing.RequestID.Path]}
	place := from
	if more {
		place = entries[len(entries)-1].Seq
	}
	for _, entry := range entries {
		run.records++
		outcome, err := t.take(entry)
		if err != nil {
			return false, err
		}
		if outcome == nil || !outcome.hidden {
			run.Job.Done++
		}
		if outcome != nil && !outcome.hidden {
			if err := run.Refuse(between[1]-entry.Seq+1, KindOf(entry.Resource), entry.RecordID, "", outcome.why); err != nil {
				return false, err
			}
		}
		if run.Spent() {
			place = entry.Seq
			break
		}
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

// taker takes changes of one request back.
type taker struct {
	*store.Tx
	e       *Engine
	who     *Principal
	request string
}

// leftAs is why a change is left. Of a hidden one the caller is not to know.
type leftAs struct {
	why    *problem.Problem
	hidden bool
}

// take takes one change back, or tells why it is left; nil where the record is as it was.
func (t *taker) take(entry store.Change) (*leftAs, error) {
	err := t.Part(func() error { return t.takeBack(entry) })
	p := problem.As(err)
	switch {
	case err == nil:
		return nil, nil
	case p == nil || p.Code.WorthRetrying():
		return nil, err
	}
	return &leftAs{p, errors.Is(err, errHidden)}, nil
}

// errHidden is what a change of a record is left with that the caller may not read.
var errHidden error = problem.New(problem.NotFound, "There is no such record.")

// notUndone is why a change is left that cannot be taken back.
func notUndone(why string) error {
	return problem.New(problem.Conflict, "This is not taken back: %s", why)
}

func (t *taker) takeBack(entry store.Change) error {
	k := KindOf(entry.Resource)
	if k == nil || kept(k) {
		if k == nil || !t.mayKnow(k, entry) {
			return errHidden
		}
		return notUndone("changes of settings and of who may do what have to be made anew.")
	}
	res := t.who.Resource(k)
	rec, err := t.GetAny(res, entry.RecordID)
	if errors.Is(err, store.ErrNotFound) || err == nil && (!t.who.mayRead(res, rec) || t.who.seesEnds(res, rec, t.Get) != nil) {
		return errHidden
	}
	if err != nil {
		return err
	}
	back, err := readEntry(k, res, entry)
	if err != nil {
		return err
	}
	if back.isDone(rec) {
		return nil
	}
	if err := t.unchangedSince(res, rec, entry); err != nil {
		return err
	}
	operation := Operation{Kind: k, ID: schema.FormatID(k.Name, rec.ID())}
	switch entry.Action {
	case Merge:
		if back.merged == "" {
			return notUndone("it was merged into another record, of which more changed since.")
		}
		operation.Name = Unmerge
		operation.Body = &body.Node{Kind: body.Object, Members: []body.Member{{Name: unmerging[k].OtherID.Path, Value: body.Node{Kind: body.String, Text: back.merged}}}}
	case Remove:
		operation.Name = Restore
	case Restore:
		operation.Name = Remove
	default:
		if entry.Version > 1 {
			return t.putBack(k, res, rec, back)
		}
		operation.Name = Remove
	}
	step, err := t.e.Plan(t.who, operation)
	if err != nil {
		return err
	}
	_, err = step(t.Tx)
	return err
}

// mayKnow tells whether the caller may read the record of an entry.
func (t *taker) mayKnow(k *Kind, entry store.Change) bool {
	rec, err := t.GetAny(&k.Resource, entry.RecordID)
	return err == nil && t.who.mayRead(&k.Resource, rec)
}

// unchangedSince refuses where somebody else changed the record after an entry. What the same request did later has been taken back, or the fields tell.
func (t *taker) unchangedSince(res *schema.Resource, rec *schema.Record, entry store.Change) error {
	changed, err := t.ChangedSince(res, rec.ID(), entry.Seq, t.request, t.Actor().RequestID)
	if err != nil || !changed {
		return err
	}
	p := problem.New(problem.PreconditionFailed, "The %s was changed since; it is at version %d.", res.Name, rec.Version())
	p.CurrentVersion = rec.Version()
	return p
}

// putBack gives the fields of a record what they had before an entry.
func (t *taker) putBack(k *Kind, res *schema.Resource, rec *schema.Record, back entryBack) error {
	if !rec.Live() {
		return notUndone("the record is deleted.")
	}
	if s := k.States; s != nil && k == quote && slices.ContainsFunc(back.fields, func(f fieldBack) bool { return f.leaf == s.Leaf }) {
		return notUndone("a quote that was sent, accepted or declined stays so; revise it.")
	}
	if k == quote && slices.ContainsFunc(back.fields, func(f fieldBack) bool { return f.leaf == Quotes.SharedAt && f.from.Set }) {
		return notUndone("a link that ended does not come back; share the quote again.")
	}
	reach, err := t.who.Allow(res, Write)
	if err != nil {
		return err
	}
	p := plan{e: t.e, who: t.who, Operation: Operation{Kind: k, Name: Update}, verb: Write, reach: reach, res: res}
	_, err = p.change(t.Tx, rec, nil, func(w *write) error {
		for _, f := range back.fields {
			if rec.Get(f.leaf) != f.to {
				return notUndone(f.leaf.Path + " has another value by now.")
			}
			w.rec.Put(f.leaf, f.from)
		}
		if err := w.checkReferences(); err != nil {
			return err
		}
		if err := w.wrong.Err(); err != nil {
			return err
		}
		if err := w.checkNeeded(); err != nil {
			return err
		}
		return w.checkUnique()
	})
	return err
}

// entryBack is what an entry of the log changed.
type entryBack struct {
	fields []fieldBack
	// merged is the record that was merged into this one by it, or empty.
	merged string
	// live tells whether the record was live before; it is nil where that is not known, or did not change.
	live *bool
}

// fieldBack is a field with what it had before and after.
type fieldBack struct {
	leaf     *schema.Leaf
	from, to schema.Value
}

// readEntry reads what an entry changed.
func readEntry(k *Kind, res *schema.Resource, entry store.Change) (back entryBack, err error) {
	n, err := body.Parse([]byte(entry.Changes))
	if err != nil || n == nil {
		return back, err
	}
	was := func(live bool) { back.live = &live }
	switch entry.Action {
	case Remove:
		was(true)
	case Restore:
		was(false)
	case Merge, Unmerge:
	default:
		if entry.Version == 1 {
			was(false)
			return back, nil
		}
	}
	for _, m := range n.Members {
		from, _ := m.Value.Get("from")
		to, _ := m.Value.Get("to")
		if m.Name == mergedID {
			back.merged = to.Text
			continue
		}
		l := res.Leaf(m.Name)
		if l == nil {
			return back, notUndone("there is no field " + m.Name + " any more.")
		}
		f := fieldBack{leaf: l}
		for into, n := range map[*schema.Value]body.Node{&f.from: from, &f.to: to} {
			if *into, err = loggedValue(n, l); err != nil {
				return back, err
			}
		}
		back.fields = append(back.fields, f)
	}
	if entry.Action == Merge && back.merged == "" {
		was(true)
	}
	return back, nil
}

// isDone tells whether the record is as it was before the entry.
func (b entryBack) isDone(rec *schema.Record) bool {
	if b.merged != "" || b.live != nil && *b.live != rec.Live() {
		return false
	}
	return (b.live != nil || len(b.fields) > 0) && !slices.ContainsFunc(b.fields, func(f fieldBack) bool { return rec.Get(f.leaf) != f.from })
}

// loggedValue reads a value of a field as the log tells it.
func loggedValue(n body.Node, l *schema.Leaf) (schema.Value, error) {
	switch {
	case n.Kind == body.Null || n.Kind == body.Array && len(n.Items) == 0 || n.Kind == body.Object && len(n.Members) == 0 && !l.Free:
		return schema.Absent(l.Kind), nil
	case n.Kind == body.Array || n.Kind == body.Object:
		return schema.TextValue(l.Kind, string(body.Append(nil, n))), nil
	case n.Kind == body.String && (l.Kind == schema.Text || l.Kind == schema.LongText || l.Kind == schema.Choice):
		return schema.TextValue(l.Kind, n.Text), nil
	}
	v, wrong := body.Scalar(n, l)
	if wrong != nil {
		return v, notUndone(l.Path + " cannot have the value any more that it had.")
	}
	return v, nil
}
