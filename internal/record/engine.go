// Package record is the engine that serves every kind of record alike: operations, writes, access, batches, the resources as a business
// shapes them, the change log and its stream. It has the kinds that it needs itself, what a business adds (fields) and what links two
// records (associations); it names no other.
package record

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/paper"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/queue"
	"github.com/kith-crm/kith/internal/store/search"
)

// Engine creates, reads, changes, deletes and searches records on behalf of a principal.
type Engine struct {
	store   *store.Store
	cursors *query.Cursors
	shapes  shapeMemory
	// RemovalsDue, JobsDue, IndexesDue, DeliveriesDue and PushesDue tell who works them off that there is something to do: what removed
	// records leave, jobs, indexes of added fields, what is sent to webhooks, and notifications that are pushed to browsers.
	RemovalsDue, JobsDue, IndexesDue, DeliveriesDue, PushesDue Signal
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
	// Noticed is handed every record that was written, in its transaction.
	Noticed func(w *Mutation) error
	// JobEnded is handed every job that has ended, in the transaction in which it does.
	JobEnded func(e *Engine, tx *store.Tx, job *queue.Job) error
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

// Wake says that there is something to do.
func (s Signal) Wake() {
	select {
	case s <- struct{}{}:
	default: // somebody said so already
	}
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
	if k.ShownWith != nil {
		shown, err := c.showsWith(ctx, rec.Get(k.ShownWith))
		if err != nil {
			return nil, err
		}
		if !shown {
			return nil, NotFound(&k.Resource)
		}
	}
	return rec, c.SeesEnds(&k.Resource, rec, c.getting(ctx))
}

// showsWith tells whether the caller may read the record that something is shown with, so that it may be shown.
func (c Call) showsWith(ctx context.Context, about schema.Value) (bool, error) {
	if !about.Set {
		return true, nil
	}
	resource, id, err := schema.RecordOf(about.S)
	if err != nil {
		return false, err
	}
	res := &KindOf(resource).Resource
	if reach, err := c.Allow(res, Read); err != nil || reach == None {
		return false, nil
	}
	rec, err := c.Tenant.Get(ctx, c.Shaped(res), id, false)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil && c.MayRead(res, rec), err
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
	q, asker, err := CheckSearch(ctx, e, c, k, bin, n)
	if err != nil {
		return List{}, err
	}
	var held [][]schema.Value
	about := slices.Index(q.Leaves, k.ShownWith)
	page, err := c.Tenant.Search(ctx, q, func(values []schema.Value) error {
		if k.ShownWith != nil && about >= 0 {
			held = append(held, slices.Clone(values))
		} else {
			each(q, values)
		}
		return nil
	})
	if err != nil {
		return List{}, err
	}
	for _, values := range held {
		shown, err := c.showsWith(ctx, values[about])
		if err != nil {
			return List{}, err
		}
		if shown {
			each(q, values)
		}
	}
	return e.listed(q, asker, page), nil
}

// CheckSearch checks a search body, and holds the search to what the caller may see.
func CheckSearch(
	ctx context.Context, e *Engine, c Call, k *Kind, bin bool, n *body.Node,
) (q *query.Query, asker query.Asker, err error) {
	reach, err := c.Allow(&k.Resource, Read)
	if err != nil {
		return nil, asker, err
	}
	object, err := n.Object()
	if err != nil {
		return nil, asker, err
	}
	asker = query.Asker{Business: c.Tenant.ID(), User: c.User, Own: reach == Own}
	if q, err = query.Check(object, c.Resource(k), bin, c.Reader(ctx), e.cursors, asker); err == nil {
		c.Confine(q, reach)
	}
	return q, asker, err
}

// Found are the records of a search.
type Found struct {
	List
	IDs []schema.UUID
}

// Find gives the ids of the records that a search finds, at most so many, with the number of all where there are more, if it can be told
// in time.
func Find(ctx context.Context, e *Engine, c Call, k *Kind, bin bool, search body.Node, most int) (found Found, err error) {
	q, asker, err := CheckSearch(ctx, e, c, k, bin, &search)
	if err != nil {
		return found, err
	}
	q.Limit, q.Total, q.CountTo, q.Leaves = most, true, math.MaxInt32, []*schema.Leaf{k.Common.ID}
	page, err := c.Tenant.Search(ctx, q, func(values []schema.Value) error {
		found.IDs = append(found.IDs, values[0].UUID())
		return nil
	})
	found.List = e.listed(q, asker, page)
	return found, err
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
	if a.Zoned() && !a.ZoneAsked {
		business, err := c.Business(ctx)
		if err != nil {
			return nil, nil, false, err
		}
		a.Zone = ZoneNamed(business.Text(OwnBusiness.Timezone))
	}
	rows, more, err = c.Tenant.Aggregate(ctx, a)
	return a, rows, more, err
}

// Business reads the business of the caller, which needs no permission.
func (c Call) Business(ctx context.Context) (*schema.Record, error) {
	return c.Tenant.Own(ctx, Business)
}
