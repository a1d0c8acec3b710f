// Package store keeps records. There is one Store for both engines and one way to records: a Tenant, which already holds the
// business, so that no statement can be made without it. Every write appends to the business's change log in its own transaction.
package store

import (
	"context"
	"encoding/binary"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/room"
	"github.com/kith-crm/kith/internal/store/notifier"
	"github.com/kith-crm/kith/internal/store/seal"
	"github.com/kith-crm/kith/internal/store/search"
)

// Store is an open database.
type Store struct {
	engine engine.Engine
	// search is what searches of it go by.
	search *search.Database
	reg    *schema.Registry
	now    func() time.Time // this machine's clock
	role   *schema.Leaf     // the field of users that tells their role
	// rekeyBatch is how many rows the migration of keys has in memory.
	rekeyBatch int
	leaving    int           // see defaultLeaving
	layout     int64         // the last migration that this program knows
	limit      time.Duration // see LimitTime
	// operated tells that this process does what the operator told it, see Operate.
	operated bool
	audit    auditLeaves

	tenants sync.Map // schema.UUID → schema.Value: the tenant key of a business never changes
	inserts sync.Map // string → insertion
	// rendered are the statements of the rooms in the engine's dialect.
	rendered sync.Map // string → string
	// turns are what the last turns of the businesses that wrote last knew.
	turns room.Memory[schema.UUID, *turnMemory]
	// epochs counts the transactions of this process that could change what anyone may do. Businesses share the counts, which costs
	// those that share one with a business in which rights change a second look.
	epochs [1 << 12]atomic.Int64
	// everyone counts those that could change it in any business.
	everyone atomic.Int64
	// uses is what Uses tells.
	uses atomic.Int64
	// keys seal secrets that have to be read again; nil where there are none.
	keys *seal.Keys
	// notifier has those who wait for changes.
	notifier notifier.Notifier
	// corruption is the last damage of the database that was met.
	corruption atomic.Pointer[damage]
}

// Epoch counts the transactions in this process that could change what someone in the business may do. Who keeps a principal in
// memory compares it.
func (s *Store) Epoch(business schema.UUID) int64 {
	return s.epoch(business).Load() + s.everyone.Load()
}

// Doubt has everybody read anew what those in the business may do: another process changed it.
func (t Tenant) Doubt() { t.s.epoch(t.id).Add(1) }

func (s *Store) epoch(business schema.UUID) *atomic.Int64 {
	return &s.epochs[int(binary.BigEndian.Uint16(business[14:]))%len(s.epochs)] // the end of an id is random
}

// ErrNotFound is returned where a business or a record is not there.
var ErrNotFound = engine.ErrNotFound

// LimitTime sets how long a search, another read or a write of a business may take; 0, as it is at first, is as long as it takes.
// It is to be called before the store is in use. What the operator does, such as migrations, is not limited.
func (s *Store) LimitTime(limit time.Duration) { s.limit = limit }

// readCredentials reads what tells who somebody is, in a business or before that is known. It waits for no business.
func (s *Store) readCredentials(ctx context.Context, business schema.UUID, fn func(engine.Conn) error) error {
	return s.engine.Read(ctx, engine.Share{Business: business, Credentials: true, Limit: s.limit}, fn)
}

func (t Tenant) share() engine.Share { return engine.Share{Business: t.id, Limit: t.s.limit} }

func (t Tenant) read(ctx context.Context, fn func(engine.Conn) error) error {
	t.used()
	return t.s.engine.Read(ctx, t.share(), fn)
}

// searched is the business as searches see it.
func (t Tenant) searched() search.Business { return t.s.search.Business(t.id, t.key) }

// Close waits for writes under way and closes the database.
func (s *Store) Close() error { return s.engine.Close() }

// Tidy does at once what the database does by itself in the time after a large load, so that searches are as fast as they will be: SQLite
// merges the text indexes, PostgreSQL vacuums and counts.
func (s *Store) Tidy(ctx context.Context) error { return s.engine.Tidy(ctx) }

// Measure has the database learn how full its tables are by now, where that decides how it searches. It is for whoever fills them,
// now and then; mostly there is nothing to do.
func (s *Store) Measure(ctx context.Context) error { return s.engine.Measure(ctx) }

// Engine names the database: sqlite or postgres.
func (s *Store) Engine() string { return s.engine.Name() }

// Remarks are what the operator should know of how the database runs here.
func (s *Store) Remarks() []string { return s.engine.Remarks() }

// Registry gives the resources that the store was opened with.
func (s *Store) Registry() *schema.Registry { return s.reg }

// Ping tells whether the database answers.
func (s *Store) Ping(ctx context.Context) error { return s.engine.Ping(ctx) }

// Tenant is the handle to the records of one business.
type Tenant struct {
	s  *Store
	id schema.UUID
	// key is the value of business_id columns: a number in SQLite, where it leads row numbers, the id itself in PostgreSQL.
	key schema.Value
	// quiet tells that what is done by this handle is not counted, see Uses.
	quiet bool
}

// Quietly gives a handle for those who work in the background and give way to others: what they do does not count as somebody's use.
func (t Tenant) Quietly() Tenant {
	t.quiet = true
	return t
}

// used counts a use of the business.
func (t Tenant) used() {
	if !t.quiet {
		t.s.uses.Add(1)
	}
}

// Tenant gives the handle to a business, or ErrNotFound.
func (s *Store) Tenant(ctx context.Context, id schema.UUID) (Tenant, error) {
	if key, ok := s.tenants.Load(id); ok {
		return Tenant{s: s, id: id, key: key.(schema.Value)}, nil
	}
	var t Tenant
	err := s.readCredentials(ctx, id, func(c engine.Conn) (err error) {
		t, err = s.tenant(ctx, c, id)
		return err
	})
	return t, err
}

func (s *Store) tenant(ctx context.Context, c engine.Conn, id schema.UUID) (Tenant, error) {
	if key, ok := s.tenants.Load(id); ok {
		return Tenant{s: s, id: id, key: key.(schema.Value)}, nil
	}
	t := Tenant{s: s, id: id}
	err := c.Query(ctx, "SELECT business_id FROM business WHERE "+s.engine.BusinessBy()+" = "+s.engine.Mark(1),
		[]schema.Value{schema.IDValue(id)}, func(r engine.Row) error {
			t.key = s.engine.TenantKey(id, r.Value(0, engine.KindTenant).N)
			return nil
		})
	if err != nil {
		return t, err
	}
	if !t.key.Set {
		return t, ErrNotFound
	}
	s.tenants.Store(id, t.key)
	return t, nil
}

// ID gives the business.
func (t Tenant) ID() schema.UUID { return t.id }

// Gauges are the figures of this moment.
func (s *Store) Gauges() []engine.Gauge { return s.engine.Gauges() }

// Uses counts how often anybody has read or written anything of a business here: whoever works in the background tells by it
// whether others are there.
func (s *Store) Uses() int64 { return s.uses.Load() }
