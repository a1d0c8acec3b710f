package work

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/queue"
)

// foundAtOnce is how many records are found at once. A request finds the first ones; where there are more, the job goes on with the same
// search, before it changes any.
var foundAtOnce = 20_000

// BulkBody is what the body of a bulk operation may have besides the search that says which records are meant.
var BulkBody = schema.CompileBody("bulk",
	schema.Field{Name: "op", Kind: schema.Text, Required: true, About: "What to do to each record."},
	schema.Field{Name: "action", Kind: schema.Text, About: "For act: the action."},
	schema.Field{Name: "data", Kind: schema.Document, About: "What the body of the single call would be."},
)

var bulking = schema.FieldsOf[struct{ Op, Action, Data *schema.Leaf }](BulkBody)

// The members of a bulk operation that say which records are meant, as in a search.
var meaning = []string{"filters", "search_text"}

// Bulk is one operation on many records, which were found.
type Bulk struct {
	e    *record.Engine
	who  *record.Principal
	kind *record.Kind
	does bulkOperation
	// ids are the first records that it is about, of total as far as that is known, and rest is how the others are found, if there are.
	ids    []schema.UUID
	total  int64
	rest   *finding
	action string
}

// finding is how far a job has come that is still to find records: behind a cursor of a search, with so many found before.
type finding struct {
	Search json.RawMessage `json:"search"`
	Cursor string          `json:"cursor"`
	Found  int64           `json:"found"`
}

// bulkOperation is what is done to each record, as the job keeps it. Params are what is told of it.
type bulkOperation struct {
	Resource string `json:"resource"`
	Op       string `json:"op"`
	Action   string `json:"action,omitempty"`
}

func (o bulkOperation) name() string {
	if o.Op == record.Act {
		return o.Action
	}
	return o.Op
}

// PlanBulk reads the body of a bulk operation, and finds the records that it is about.
func PlanBulk(ctx context.Context, e *record.Engine, c record.Call, k *record.Kind, n *body.Node) (*Bulk, error) {
	object, err := n.Object()
	if err != nil {
		return nil, err
	}
	var wrong problem.Fields
	search := body.Node{Kind: body.Object}
	rest := body.Node{Kind: body.Object}
	for _, m := range object.Members {
		if slices.Contains(meaning, m.Name) {
			search.Members = append(search.Members, m)
		} else {
			rest.Members = append(rest.Members, m)
		}
	}
	given := body.Decode(rest, BulkBody, true, "", &wrong)
	if _, there := search.Get(meaning[0]); !there {
		wrong.Add(meaning[0], "required", "must be given; an empty list means all "+k.Plural)
	}
	does := bulkOperation{Resource: k.Name, Op: given.Get(bulking.Op).S, Action: given.Get(bulking.Action).S}
	ops, actions := k.BulkOperations()
	among := func(l *schema.Leaf, text string, allowed []string) {
		if !slices.Contains(allowed, text) && !wrong.Has(l.Path) {
			wrong.Add(l.Path, "not_allowed", "must be one of "+strings.Join(allowed, ", "), allowed...)
		}
	}
	among(bulking.Op, does.Op, ops)
	if does.Op == record.Act {
		among(bulking.Action, does.Action, actions)
	} else if given.Has(bulking.Action) {
		wrong.Add(bulking.Action.Path, "not_allowed", "is not for this op")
	}
	data, hasData := given.Documents[bulking.Data.Path]
	switch {
	case wrong.Has(bulking.Data.Path):
	case does.Op == record.Update && len(data.Members) == 0:
		wrong.Add(bulking.Data.Path, "required", "must have the fields that are to change")
	case does.Op == record.Tag && len(data.Members) == 0:
		wrong.Add(bulking.Data.Path, "required", "must have the tags to add or to remove")
	case does.Op == record.Remove && hasData || does.Op == record.Restore && hasData:
		wrong.Add(bulking.Data.Path, "not_allowed", "is not for this op")
	}
	if err := wrong.Err(); err != nil {
		return nil, err
	}
	b := &Bulk{e: e, who: c.Principal, kind: k, does: does}
	var each *body.Node // none is as good as an empty one, as in the single call
	if hasData {
		each, b.action = &data, string(body.Append(nil, data))
	}
	// What is wrong whatever record it is done to is told now; any id will do for that.
	if _, err := e.Plan(c.Principal, b.operation(c.User, each)); err != nil {
		return nil, record.InData(err)
	}
	found, err := record.Find(ctx, e, c, k, does.Op == record.Restore, search, foundAtOnce)
	if err != nil {
		return nil, err
	}
	b.ids, b.total = found.IDs, max(found.Total, int64(len(found.IDs)))
	if found.Next != "" {
		b.rest = &finding{Search: body.Append(nil, search), Cursor: found.Next, Found: int64(len(b.ids))}
	}
	return b, nil
}

func (b *Bulk) operation(id schema.UUID, data *body.Node) record.Operation {
	op := record.Operation{Kind: b.kind, Name: b.does.name(), ID: schema.FormatID(b.kind.Name, id)}
	if b.does.Op != record.Remove && b.does.Op != record.Restore {
		op.Body = data
	}
	return op
}

// Start begins the job that does it.
func (b *Bulk) Start(tx *store.Tx) (*queue.Job, error) {
	params, err := json.Marshal(b.does)
	if err != nil {
		return nil, err
	}
	job, err := StartJob(b.e, tx, b.who, record.BulkJob, string(params), b.action, b.total)
	if err == nil && b.rest != nil {
		if err = b.rest.keep(job); err == nil {
			err = queue.PutJob(tx, job, schema.UUID{}, time.Time{})
		}
	}
	if err != nil {
		return nil, err
	}
	return job, queue.PutJobSet(tx, job.ID, 0, b.ids)
}

func (f *finding) keep(job *queue.Job) error {
	place, err := json.Marshal(f)
	job.Place = string(place)
	return err
}

// found are the next records of a job that is still to find them, from a place on.
type found struct {
	place string
	finding
	record.Found
}

// findMore finds the next records of a job, as far as there are more than the request found.
func findMore(ctx context.Context, e *record.Engine, t store.Tenant, job *queue.Job) (any, error) {
	if job.Place == "" {
		return nil, nil
	}
	more := &found{place: job.Place}
	var does bulkOperation
	if err := errors.Join(json.Unmarshal([]byte(job.Place), &more.finding), json.Unmarshal([]byte(job.Params), &does)); err != nil {
		return nil, err
	}
	search, err := body.Parse(more.Search)
	if err != nil {
		return nil, err
	}
	var who *record.Principal
	err = t.Keep(ctx, job.Actor, func(tx *store.Tx) (err error) {
		who, err = account.Resume(e, tx, job.Actor, job.Connection, job.Scopes)
		return err
	})
	if err != nil {
		return nil, err
	}
	search.Members = append(search.Members, body.Member{Name: "cursor", Value: body.Node{Kind: body.String, Text: more.Cursor}})
	k := record.KindOf(does.Resource)
	more.Found, err = record.Find(ctx, e, record.Call{Principal: who}, k, does.Op == record.Restore, *search, foundAtOnce)
	return more, err
}

// note keeps the records that were found.
func (f *found) note(run *JobRun) error {
	if f.place != run.Job.Place { // another worker was faster
		return nil
	}
	if err := queue.PutJobSet(run.Tx, run.Job.ID, f.finding.Found, f.IDs); err != nil {
		return err
	}
	f.finding.Found, f.Cursor = f.finding.Found+int64(len(f.IDs)), f.Next
	if f.Cursor == "" {
		run.Job.Place, run.Job.Total = "", f.finding.Found
		return nil
	}
	run.Job.Total = max(run.Job.Total, f.finding.Found)
	return f.keep(run.Job)
}

func stepBulk(run *JobRun) (done bool, err error) {
	if more, ok := run.Prepared.(*found); ok {
		return false, more.note(run)
	}
	b := &Bulk{}
	if err := json.Unmarshal([]byte(run.Job.Params), &b.does); err != nil {
		return false, err
	}
	b.kind = record.KindOf(b.does.Resource)
	data, err := readData(run.Job.Private)
	if err != nil {
		return false, err
	}
	ids, err := queue.JobSet(run.Tx, run.Job.ID, run.Job.Done)
	if err != nil {
		return false, err
	}
	for _, id := range ids {
		run.Job.Done++
		if _, err := run.Do(b.operation(id, data)); err != nil {
			if err := run.Refuse(run.Job.Done, b.kind, id, "", record.InData(err)); err != nil {
				return false, err
			}
		}
		if run.Spent() {
			break
		}
	}
	return run.Job.Done >= run.Job.Total || len(ids) == 0, nil
}

func readData(text string) (*body.Node, error) {
	if text == "" {
		return nil, nil
	}
	return body.Parse([]byte(text))
}

// Preview is what a bulk operation would do, tried on the first of its records.
type Preview struct {
	// Total is how many records it is about, and Tried how many of them it was tried on: so many would change, stay as they are,
	// and be refused.
	Total, Tried, Changed, Unchanged, Refused int
	// Samples are some that would change, and Refusals some that would be refused.
	Samples  []Sample
	Refusals []Refused
}

// Sample is what would change in a record: the fields as a JSON object, each with its value before and after.
type Sample struct{ ID, Changes string }

const mostSamples = 10

// Preview tries the operation on some of the records. Everything that it does is to be undone.
func (b *Bulk) Preview(tx *store.Tx) (p Preview, err error) {
	p.Total = int(b.total)
	data, err := readData(b.action)
	if err != nil {
		return p, err
	}
	for i, id := range b.ids[:min(len(b.ids), record.MaxBatch)] {
		if tx.Weight > record.MaxBatchWeight {
			break
		}
		p.Tried++
		told := schema.FormatID(b.kind.Name, id)
		before := tx.LogEnd()
		err := tx.Savepoint(func() error {
			step, err := b.e.Plan(b.who, b.operation(id, data))
			if err == nil {
				_, err = step(tx)
			}
			return err
		})
		failed := problem.As(err)
		switch {
		case err != nil && (failed == nil || failed.Code.WorthRetrying()):
			return p, err
		case err != nil:
			if p.Refused++; len(p.Refusals) < mostSamples {
				p.Refusals = append(p.Refusals, Refused{N: int64(i) + 1, Record: told, Problem: problem.As(record.InData(err))})
			}
		case tx.LogEnd() == before:
			p.Unchanged++
		default:
			if p.Changed++; len(p.Samples) < mostSamples {
				changes := "{}"
				if err := tx.History(&b.kind.Resource, id, tx.Now, func(c store.Change) bool {
					changes = c.Changes
					return false
				}); err != nil {
					return p, err
				}
				p.Samples = append(p.Samples, Sample{told, changes})
			}
		}
	}
	return p, nil
}

// Append renders the preview; refused renders why a record would be refused.
func (p Preview) Append(dst []byte, refused func(dst []byte, p *problem.Problem) []byte) []byte {
	for i, n := range []struct {
		name string
		n    int
	}{{"total", p.Total}, {"tried", p.Tried}, {"changed", p.Changed}, {"unchanged", p.Unchanged}, {"refused", p.Refused}} {
		dst = append(dst, "{,"[min(i, 1)])
		dst = strconv.AppendInt(append(schema.AppendString(dst, n.name), ':'), int64(n.n), 10)
	}
	dst = append(dst, `,"samples":[`...)
	for i, s := range p.Samples {
		dst = schema.AppendComma(dst, i)
		dst = schema.AppendString(append(dst, `{"record_id":`...), s.ID)
		dst = append(append(append(dst, `,"changes":`...), s.Changes...), '}')
	}
	dst = append(dst, `],"refusals":[`...)
	for i, r := range p.Refusals {
		dst = schema.AppendComma(dst, i)
		dst = AppendRefused(dst, r, refused)
	}
	return append(dst, "]}"...)
}

// AppendRefused renders what was refused; why renders the reason.
func AppendRefused(dst []byte, r Refused, why func(dst []byte, p *problem.Problem) []byte) []byte {
	dst = strconv.AppendInt(append(dst, `{"n":`...), r.N, 10)
	dst = schema.AppendStringOrNull(append(dst, `,"record_id":`...), r.Record)
	return append(why(append(dst, `,"error":`...), r.Problem), '}')
}
