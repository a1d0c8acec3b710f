package record

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// MaxBatch is how many operations a batch may have, and MaxBatchWeight about how many bytes it may read and write: the records that
// it changes as they were and as they become, and what changes or is read with them. Nearly all batches stay far below that; a
// hundred of the largest deals would take too long for one request.
const (
	MaxBatch       = 100
	MaxBatchWeight = 8 << 20
)

// BatchBody is what the body of a batch may have besides its operations, and BatchOperation what each of those may.
var (
	BatchBody = schema.CompileBody("batch",
		schema.Field{Name: "atomic", Kind: schema.Bool, About: "Whether one failure undoes everything; false when not given."},
		schema.Field{Name: "operations", Kind: schema.Tags, Required: true, About: "What is done, in this order."},
	)
	BatchOperation = schema.CompileBody("an operation",
		schema.Field{Name: "op", Kind: schema.Text, Required: true, About: "What to do."},
		schema.Field{Name: "id", Kind: schema.Text, About: "The record, where one is changed."},
		schema.Field{Name: "if_match", Kind: schema.Integer, Min: schema.Bound(1), About: "The version that the record must have."},
		schema.Field{Name: "match", Kind: schema.Text, About: "For upsert: the field by which the record is found."},
		schema.Field{Name: "action", Kind: schema.Text, About: "For act: the action, or restore."},
		schema.Field{Name: "data", Kind: schema.Document, About: "What the body of the single call would be."},
	)
)

var (
	batching   = schema.FieldsOf[struct{ Atomic, Operations *schema.Leaf }](BatchBody)
	batchingOf = schema.FieldsOf[struct{ Op, ID, IfMatch, Match, Action, Data *schema.Leaf }](BatchOperation)
)

// Act is the op of a batch that runs an action.
const Act = "act"

// Batch is a list of operations on records of one kind that run in one transaction.
type Batch struct {
	// Atomic tells that all are done or none.
	Atomic bool
	steps  []Step
	// refused are the operations that cannot be done, whatever is there.
	refused []error
	// prefetched is what the operations are going to ask, which is asked at once.
	prefetched []store.Prefetched
}

// Result is what became of an operation of a batch.
type Result struct {
	Outcome
	Err error
}

// Operations are the names of what can be done to records of the kind: those that every resource has, unless it goes without, and
// its actions.
func (k *Kind) Operations() (ops, actions []string) {
	for name, route := range map[string]string{Create: "create", Update: "patch", Remove: "delete"} {
		if k.Offers(route) {
			ops = append(ops, name)
		}
	}
	if k.Upserts() {
		ops = append(ops, Upsert)
	}
	for _, a := range k.Actions {
		actions = append(actions, a.Name)
	}
	if k.Offers("restore") {
		actions = append(actions, Restore)
	}
	if len(actions) > 0 {
		ops = append(ops, Act)
	}
	slices.Sort(ops)
	return ops, actions
}

// BulkJob is the kind of job that a bulk operation is.
const BulkJob = "bulk"

// Bulks tells whether operations on many records of the kind at once are offered. Settings are few, and each of them matters.
func (k *Kind) Bulks() bool { return k.Access.Feature == "" && k.Offers("patch") }

// BulkOperations are the names of what can be done to many records of the kind at once, and those of the actions among it. What is
// about two records, such as a merge, is not.
func (k *Kind) BulkOperations() (ops, actions []string) {
	ops, actions = k.Operations()
	ops = slices.DeleteFunc(ops, func(op string) bool { return op == Create || op == Upsert })
	actions = slices.DeleteFunc(actions, func(a string) bool { return a == Restore || k.alone(a) })
	if len(actions) == 0 {
		ops = slices.DeleteFunc(ops, func(op string) bool { return op == Act })
	}
	if k.Offers("restore") {
		ops = append(ops, Restore)
	}
	return append(ops, Tag), actions
}

func (k *Kind) alone(action string) bool {
	return slices.ContainsFunc(k.Actions, func(a schema.Action) bool { return a.Name == action && a.Alone })
}

// Upserts tells whether the kind can be upserted: it takes both creations and patches.
func (k *Kind) Upserts() bool { return k.Offers("create") && k.Offers("patch") }

// PlanBatch reads the body of a batch. What is wrong with one operation is its own result, unless it cannot even be told what it is.
func (e *Engine) PlanBatch(who *Principal, k *Kind, n *body.Node) (*Batch, error) {
	object, err := n.Object()
	if err != nil {
		return nil, err
	}
	var wrong problem.Fields
	var list body.Node
	for i, m := range object.Members {
		if m.Name == batching.Operations.Path && m.Value.Kind == body.Array && !m.Again {
			list = m.Value
			object.Members = slices.Delete(slices.Clone(object.Members), i, i+1)
			break
		}
	}
	given := body.Decode(object, BatchBody, true, "", &wrong)
	at := batching.Operations.Path
	switch {
	case wrong.Has(at):
	case len(list.Items) == 0:
		wrong.Add(at, "required", fmt.Sprintf("must be a list of 1 to %d operations", MaxBatch))
	case len(list.Items) > MaxBatch:
		wrong.Add(at, "too_many", fmt.Sprintf("must have at most %d operations, not %d", MaxBatch, len(list.Items)))
		list.Items = nil
	}
	operations := make([]Operation, len(list.Items))
	for i, item := range list.Items {
		operations[i] = k.operation(item, fmt.Sprintf("%s[%d]", at, i), &wrong)
	}
	if err := wrong.Err(); err != nil {
		return nil, err
	}
	b := &Batch{Atomic: given.Get(batching.Atomic).True()}
	for _, op := range operations {
		b.Add(b.Plan(e, who, op))
	}
	return b, nil
}

// Plan plans an operation of the batch: what it is going to ask is asked together with what the others do.
func (b *Batch) Plan(e *Engine, who *Principal, op Operation) (Step, error) {
	return e.plan(who, op, &b.prefetched)
}

// Add adds an operation as it was planned, or why it cannot be done.
func (b *Batch) Add(step Step, refused error) {
	b.steps, b.refused = append(b.steps, step), append(b.refused, refused)
}

func (k *Kind) operation(n body.Node, at string, wrong *problem.Fields) Operation {
	op := Operation{Kind: k}
	if n.Kind != body.Object {
		wrong.Add(at, "wrong_type", "must be an object, not "+n.Kind.Name())
		return op
	}
	given := body.Decode(n, BatchOperation, true, at+".", wrong)
	text := func(l *schema.Leaf) string { return given.Get(l).S }
	ops, actions := k.Operations()
	among := func(l *schema.Leaf, allowed []string) {
		if !slices.Contains(allowed, text(l)) && !wrong.Has(at+"."+l.Path) {
			wrong.Add(at+"."+l.Path, "not_allowed", "must be one of "+strings.Join(allowed, ", "), allowed...)
		}
	}
	among(batchingOf.Op, ops)
	op.Name, op.ID = text(batchingOf.Op), text(batchingOf.ID)
	if v := given.Get(batchingOf.IfMatch); v.Set {
		op.IfMatch = IfMatch{v.N}
	}
	if data, ok := given.Documents[batchingOf.Data.Path]; ok {
		op.Body = &data
	}
	takes := []*schema.Leaf{batchingOf.Op, batchingOf.ID, batchingOf.IfMatch, batchingOf.Data}
	switch op.Name {
	case Create:
		takes = []*schema.Leaf{batchingOf.Op, batchingOf.Data}
	case Upsert:
		takes = []*schema.Leaf{batchingOf.Op, batchingOf.Match, batchingOf.Data}
		op.Body = &body.Node{Kind: body.Object, Members: slices.DeleteFunc(slices.Clone(n.Members),
			func(m body.Member) bool { return m.Name == batchingOf.Op.Path })}
	case Remove:
		takes = takes[:3]
	case Act:
		takes = append(takes, batchingOf.Action)
		among(batchingOf.Action, actions)
		op.Name = text(batchingOf.Action)
	}
	for i, l := range BatchOperation.Leaves {
		if given.Given[i] && !slices.Contains(takes, l) && !wrong.Has(at+"."+l.Path) {
			wrong.Add(at+"."+l.Path, "not_allowed", "is not for this op")
		}
	}
	if slices.Contains(takes, batchingOf.ID) && op.ID == "" && !wrong.Has(at+"."+batchingOf.ID.Path) {
		wrong.Add(at+"."+batchingOf.ID.Path, "required", "must be given")
	}
	return op
}

// Run does the operations in their order; each sees what those before it did, and hands its result to each. An atomic batch gives the first
// failure, others go on. It keeps no record: a hundred large ones would be too much.
func (b *Batch) Run(tx *store.Tx, each func(Result)) error {
	if err := tx.Prefetch(b.prefetched); err != nil {
		return err
	}
	before := tx.Weight // a step of an import has several
	for i, step := range b.steps {
		var done Result
		switch {
		case b.refused[i] != nil:
			done.Err = b.refused[i]
		case tx.Weight-before > MaxBatchWeight:
			done.Err = problem.New(problem.PayloadTooLarge,
				"The records of this batch are too large together. Send this operation, and those behind it, in another one.")
		default:
			done.Err = tx.Savepoint(func() (err error) {
				done.Outcome, err = step(tx)
				return err
			})
		}
		switch p := problem.As(done.Err); {
		case done.Err == nil:
		case p == nil || p.Code.WorthRetrying():
			return done.Err // a fault of ours, or no time left
		case b.Atomic:
			return inOperation(done.Err, i)
		}
		each(done)
	}
	return nil
}

func inOperation(err error, i int) error {
	at := fmt.Sprintf("%s[%d]", batching.Operations.Path, i)
	p := *problem.As(err)
	if len(p.Fields) == 0 {
		p.Fields = []problem.Field{{Field: at, Code: string(p.Code), Message: p.Detail}}
		return &p
	}
	if strings.HasPrefix(p.Fields[0].Field, batchingOf.Data.Path+".") || p.Fields[0].Field == batchingOf.Match.Path ||
		p.Fields[0].Field == batchingOf.Data.Path {
		return problem.Inside(&p, at) // an upsert, which names its fields so itself
	}
	return problem.Inside(&p, at+"."+batchingOf.Data.Path)
}
