// Package record is the engine that serves every kind of record alike: operations, writes, access, batches, the resources as a business
// shapes them, the change log and its stream. It has the kinds that it needs itself, who acts (users, roles, tokens, apps), what a
// business adds (fields) and what links two records (associations); it names no other.
package record

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/paper"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/search"
)

// Kind is a resource with its behaviour. Every function may be nil.
type Kind struct {
	schema.Resource
	// patched may rearrange what a patch gave, before it is compared with what was there.
	patched func(w *Mutation) error
	// prepare completes a record before it is written and reports what is wrong with it. w.Old is nil at creation.
	Prepare func(w *Mutation) error
	// Computed are the fields that follow from others: one that is read-only always, another one unless somebody gave it.
	Computed map[*schema.Leaf]func(*schema.Record) schema.Value
	// told notes with AfterCommit who is to hear of a creation or a patch, also of one that changed nothing.
	told func(w *Mutation)
	// written runs after the record was written, in the same transaction.
	Written func(w *Mutation) error
	// removing may refuse a deletion, and restoring that it is taken back.
	Removing, Restoring func(w *Mutation) error
	// Erasing may refuse that a record is erased, and does what else that takes.
	Erasing func(w *Mutation) error
	// acts holds what the declared actions do to w.Rec.
	Acts map[string]func(w *Mutation, args *body.Changes) error
	// check tells which values of a kept record do not follow from the others, for a check of the database.
	Check func(rec *schema.Record) []string
	// fieldRenamed lets the records of this kind follow a field that a business calls otherwise now, or deleted.
	FieldRenamed func(w *Mutation, resource, was, is string) error
	// MembersRead tells that the role of members begins with reading the kind alone.
	MembersRead bool
	// NamesResource names a field whose value is the name of any resource.
	NamesResource string
	// GoesWithUser is the reference to the user with whom a record is erased, because it is nobody else's. AboutOthers tells that a
	// record is erased with the last one that it is about.
	GoesWithUser *schema.Leaf
	AboutOthers  bool
	// Since is the migration that brings the kind to businesses that are older than it; zero for those that all have.
	Since int64
	// Default is the mark of the one record that is meant where none is named.
	Default *schema.Leaf
	// Carried are the fields that an archive brings although a request cannot write them: what happened to a record where it was.
	Carried []*schema.Leaf
	// MadeByName tells that an import makes a record where a row leads to one by a name that none has.
	MadeByName bool
	// Parent is the reference by which a record stands below another one of its kind, and never below itself.
	Parent *schema.Leaf
	// Combined are the fields of which the survivor of a merge has neither its own value nor the other's, but what both make together.
	Combined map[*schema.Leaf]func(mine, theirs schema.Value) schema.Value
	// Merging and Unmerging are the fields of the bodies of these two actions, where the kind has them.
	Merging, Unmerging mergeArguments
	// documents checks Document fields and gives them as they are stored.
	Documents map[*schema.Leaf]func(n body.Node, wrong *problem.Fields) string
}

// KeepsDeleted tells the kinds whose deleted records stay for as long as there is a business: the settings. Others refer to them,
// and a history is read by them; and of an added field records may still have values, which a later one must not come to have.
func KeepsDeleted(k *Kind) bool { return k.Access.Feature != "" }

// Counter is what the numbers go by that a Counted field takes.
func (k *Kind) Counter(l *schema.Leaf) string { return k.Name + "." + l.Path }

// Engine creates, reads, changes, deletes and searches records on behalf of a principal.
type Engine struct {
	store   *store.Store
	cursors *query.Cursors
	shapes  shapeMemory
	// RemovalsDue, JobsDue, IndexesDue and DeliveriesDue tell whoever works them off that there is something to do: what removed
	// records leave, jobs, indexes of added fields, and what is sent to webhooks.
	RemovalsDue, JobsDue, IndexesDue, DeliveriesDue Signal
	// ImportRoom is how many bytes the rows of all imports of a business may take together, as they are kept.
	ImportRoom int64
	// IndexRest is how long an index that is switched off stays, for those who do not know yet.
	IndexRest time.Duration
	// Accounts are set once they are made, because they write by the engine. They are nil where nobody logs in.
	Accounts Accounts
	// operations are what plans each operation, by its name; any other name is that of an action of the resource.
	operations map[string]func(Plan) (Step, error)
	// press draws PDFs.
	press *paper.Press
	// PrivateReceivers lets addresses to which something is sent be in the own network.
	PrivateReceivers bool
	// Background tells whether those who work in the background have to give way.
	Background *Background
}

// Accounts are by what people log in, as the engine needs them.
type Accounts interface {
	// Invited is told of every user who is to be invited, and Readdressed of every user who is to confirm a new e-mail address, after
	// the transaction.
	Invited(ctx context.Context, t store.Tenant, user schema.UUID)
	Readdressed(ctx context.Context, t store.Tenant, user schema.UUID)
	// Mails tells whether links are sent by mail; where they are not, somebody has to hand them on.
	Mails() bool
	// TryProvider tells what is wrong with the issuer of an identity provider, before a business goes by it: nothing, or a sentence
	// without its subject.
	TryProvider(ctx context.Context, issuer string) string
}

// Signal tells that there is something to do, however often it was said.
type Signal chan struct{}

func newSignal() Signal { return make(Signal, 1) }

// Wake says that there is something to do.
func (s Signal) Wake() {
	select {
	case s <- struct{}{}:
	default: // somebody said so already
	}
}

// NewEngine makes the engine of an open, migrated store. What package wiring adds to it belongs to it, too.
func NewEngine(ctx context.Context, s *store.Store) (*Engine, error) {
	if Registry == nil {
		panic("record: no kinds are declared")
	}
	key, err := s.Secret(ctx, "cursor")
	if err != nil {
		return nil, err
	}
	return &Engine{
		store: s, cursors: query.NewCursors(key), Background: &Background{store: s},
		RemovalsDue: newSignal(), JobsDue: newSignal(), IndexesDue: newSignal(), DeliveriesDue: newSignal(), IndexRest: 30 * time.Second,
		press: paper.NewPress(),
		operations: map[string]func(Plan) (Step, error){
			Create: Plan.create, Update: Plan.update, Upsert: Plan.upsert, Remove: Plan.remove, Restore: Plan.restore, Tag: Plan.tag,
		},
	}, nil
}

// Store gives the store under the engine.
func (e *Engine) Store() *store.Store { return e.store }

// Cursors seal the places where pages begin.
func (e *Engine) Cursors() *query.Cursors { return e.cursors }

// Press bounds what is drawn for quotes and logos at once.
func (e *Engine) Press() *paper.Press { return e.press }

// Call is one operation: who, in which request.
type Call struct {
	*Principal
	RequestID string
	// Address is where the request came from, with or without a port.
	Address string
	// Tx is the transaction that a write is part of, or nil to give it one of its own. Whoever gives one must undo it when the write fails.
	Tx *store.Tx
}

// By is who makes the changes of the call.
func (c Call) By() store.Actor {
	a := c.Actor(c.RequestID)
	a.Address = c.Address
	return a
}

// Write runs fn in the call's transaction, or in one of its own.
func (c Call) Write(ctx context.Context, fn func(*store.Tx) error) error {
	if c.Tx != nil {
		return fn(c.Tx)
	}
	return c.Tenant.Write(ctx, c.By(), fn)
}

// Get reads one record.
func (c Call) Get(ctx context.Context, k *Kind, id string) (*schema.Record, error) {
	reach, err := c.Allow(&k.Resource, Read)
	if err != nil {
		return nil, err
	}
	uuid, err := schema.ParseID(k.Name, id)
	if err != nil {
		return nil, NotFound(&k.Resource)
	}
	rec, err := c.Tenant.Get(ctx, c.Resource(k), uuid, false)
	if errors.Is(err, store.ErrNotFound) {
		return nil, c.Missing(ctx, &k.Resource, uuid)
	}
	if err != nil {
		return nil, err
	}
	if err := c.Reaches(&k.Resource, rec, Read, reach); err != nil {
		return nil, err
	}
	return rec, c.SeesEnds(&k.Resource, rec, c.getting(ctx))
}

// getting reads records outside of a transaction.
func (c Call) getting(ctx context.Context) getting {
	return func(res *schema.Resource, id schema.UUID, bin bool) (*schema.Record, error) {
		return c.Tenant.Get(ctx, res, id, bin)
	}
}

// List is what a page of a list tells besides its records.
type List struct {
	// Next is the cursor of the next page, empty where there is none.
	Next string
	// Total is how many there are, or -1 where that is not known.
	Total int64
}

// Search answers a search body: it hands the values of each record to each, in the order in which q, which knows how they are
// rendered, selects them.
func (e *Engine) Search(ctx context.Context, c Call, k *Kind, bin bool, n *body.Node,
	each func(q *query.Query, values []schema.Value),
) (List, error) {
	reach, err := c.Allow(&k.Resource, Read)
	if err != nil {
		return List{}, err
	}
	object, err := n.Object()
	if err != nil {
		return List{}, err
	}
	asker := query.Asker{Business: c.Tenant.ID(), User: c.User, Own: reach == Own}
	q, err := query.Check(object, c.Resource(k), bin, c.Reader(ctx), e.cursors, asker)
	if err != nil {
		return List{}, err
	}
	c.Confine(q, reach)
	page, err := c.Tenant.Search(ctx, q, func(values []schema.Value) error {
		each(q, values)
		return nil
	})
	if err != nil {
		return List{}, err
	}
	return e.listed(q, asker, page), nil
}

// listed tells of a page how many there are, and where the next one begins.
func (e *Engine) listed(q *query.Query, asker query.Asker, page search.Page) List {
	list := List{Total: page.Total}
	if page.More {
		list.Next = e.cursors.Seal(q, asker, page.Last)
	}
	return list
}

// Aggregate answers the body of an aggregate: it gives the rows, the question that knows how they are rendered, and whether there are more.
func (c Call) Aggregate(ctx context.Context, k *Kind, n *body.Node) (a *query.Aggregate, rows []query.Row, more bool,
	err error,
) {
	reach, err := c.Allow(&k.Resource, Read)
	if err != nil {
		return nil, nil, false, err
	}
	object, err := n.Object()
	if err != nil {
		return nil, nil, false, err
	}
	if a, err = query.CheckAggregate(object, c.Resource(k), c.Reader(ctx)); err != nil {
		return nil, nil, false, err
	}
	c.Confine(a.Query, reach)
	if a.Zoned() {
		business, err := c.Business(ctx)
		if err != nil {
			return nil, nil, false, err
		}
		a.Zone = ZoneNamed(business.Text(OwnBusiness.Timezone))
	}
	rows, more, err = c.Tenant.Aggregate(ctx, a)
	return a, rows, more, err
}

// Answer gives what became of a record as JSON: the record to those who may read it, to others only its id and version. A secret that is
// shown once is shown in either case. Every answer to a write passes this, AnswerBeside or withhold.
func (p *Principal) Answer(dst []byte, k *Kind, rec *schema.Record) []byte {
	if p.MayRead(&k.Resource, rec) {
		return Render(dst, rec)
	}
	return AppendShort(dst, k, rec)
}

// AnswerBeside gives what an operation tells beside the record, each with a comma before it, as far as the principal may read the records
// that it tells of.
func (p *Principal) AnswerBeside(dst []byte, k *Kind, out Outcome) []byte {
	for _, told := range out.Beside {
		if !slices.ContainsFunc(told.Of, func(rec *schema.Record) bool { return !p.MayRead(&k.Resource, rec) }) {
			dst = append(append(schema.AppendString(append(dst, ','), told.Name), ':'), told.JSON...)
		}
	}
	return dst
}

// withhold takes out of a problem the state that a record is in, and what that allows, where the principal may not read the record.
func (p *Principal) withhold(err error, res *schema.Resource, rec *schema.Record) error {
	told := problem.As(err)
	if told == nil || told.Code != problem.InvalidTransition || p.MayRead(res, rec) {
		return err
	}
	return problem.New(problem.InvalidTransition, "The state that the %s is in does not allow this.",
		strings.ReplaceAll(res.Name, "_", " "))
}

// AppendShort renders the id and version of a record, and a secret that is shown once.
func AppendShort(dst []byte, k *Kind, rec *schema.Record) []byte {
	dst = append(dst, `{"id":"`...)
	dst = append(dst, schema.FormatID(k.Name, rec.ID())...)
	dst = append(dst, `","version":`...)
	dst = strconv.AppendInt(dst, rec.Version(), 10)
	return appendOnce(append(dst, '}'), rec)
}

// Render gives a live record, or the business, as JSON.
func Render(dst []byte, rec *schema.Record) []byte {
	return appendOnce(rec.Append(dst), rec)
}

// appendOnce adds to a JSON object what is shown this once.
func appendOnce(dst []byte, rec *schema.Record) []byte {
	if rec.Once == nil {
		return dst
	}
	dst = append(dst[:len(dst)-1], ',')
	dst = schema.AppendString(dst, rec.Once.Name)
	dst = append(dst, ':')
	dst = schema.AppendString(dst, rec.Once.Value)
	return append(dst, '}')
}
