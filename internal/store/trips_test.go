package store_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/changelog"
	"github.com/kith-crm/kith/internal/store/storetest"
)

// tripCounter stands between the store and PostgreSQL, and counts how often the store waits for an answer: each message Sync or Query ends
// what is sent in one go.
type tripCounter struct{ trips atomic.Int64 }

// between starts a counter before a database, and gives the URL that leads through it.
func (c *tripCounter) between(t *testing.T, address string) string {
	t.Helper()
	parsed, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	server := parsed.Host
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go c.pass(client, server)
		}
	}()
	parsed.Host = listener.Addr().String()
	return parsed.String()
}

func (c *tripCounter) pass(client net.Conn, server string) {
	defer client.Close()
	to, err := net.Dial("tcp", server)
	if err != nil {
		return
	}
	defer to.Close()
	go func() {
		_, _ = io.Copy(client, to)
		client.Close()
	}()
	// The first message has no type: it opens the connection. The one that feels the server's health probe waits for nobody's operation.
	healthProbe := false
	for head := 4; ; head = 5 {
		message := make([]byte, head)
		if _, err := io.ReadFull(client, message); err != nil {
			return
		}
		rest := make([]byte, binary.BigEndian.Uint32(message[head-4:])-4)
		if _, err := io.ReadFull(client, rest); err != nil {
			return
		}
		healthProbe = healthProbe || head == 4 && strings.Contains(string(rest), "kith health probe")
		if head == 5 && !healthProbe && (message[0] == 'S' || message[0] == 'Q') {
			c.trips.Add(1)
		}
		if _, err := to.Write(append(message, rest...)); err != nil {
			return
		}
	}
}

// What each operation costs far from the database: the number of times that it waits for it. Statements are prepared the first time, which
// is one wait more, so each operation runs several times.
func TestRoundTripsToPostgres(t *testing.T) {
	ctx := context.Background()
	var counter tripCounter
	address := counter.between(t, newPostgres(t))
	s := open(t, address+"&pool_max_conns=1")
	e := newEngine(t, s)
	who := newBusiness(t, e)
	contacts := &record.KindOf("contact").Resource
	call := record.Call{Principal: who}
	made := 0
	create := func() (string, error) {
		made++
		n, err := body.Parse([]byte(fmt.Sprintf(`{"first_name":"Anna","last_name":"Number %d","email":"anna%d@example.com",`+
			`"lead_score":%d}`, made, made, made%100)))
		if err != nil {
			return "", err
		}
		rec, err := e.Do(ctx, call, record.Operation{Kind: record.KindOf("contact"), Name: record.Create, Body: n})
		if err != nil {
			return "", err
		}
		return schema.FormatID("contact", rec.ID()), nil
	}
	last, err := create()
	if err != nil {
		t.Fatal(err)
	}
	// So many that what matches is not counted unless somebody asks for it.
	err = who.Tenant.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
		all := make([]*schema.Record, query.CountedAnyway)
		for i := range all {
			rec := storetest.NewRecord(contacts)
			rec.PutText(contacts.Must("last_name"), fmt.Sprintf("Number %d", i))
			rec.PutText(contacts.Must("name"), fmt.Sprintf("Anna%d Number", i))
			rec.Put(contacts.Must("lead_score"), schema.FloatValue(float64(i%100)))
			all[i] = rec
		}
		return tx.InsertMany(contacts, all, "create")
	})
	if err != nil {
		t.Fatal(err)
	}
	n, err := body.Parse([]byte(fmt.Sprintf(`{"activity_type":"call","occurred_at":"2024-03-01T09:00:00Z","contact_id":%q}`, last)))
	if err == nil {
		_, err = e.Do(ctx, call, record.Operation{Kind: record.KindOf("activity"), Name: record.Create, Body: n})
	}
	if err != nil {
		t.Fatal(err)
	}
	n, err = body.Parse([]byte(`{"name":"Harbour"}`))
	if err != nil {
		t.Fatal(err)
	}
	harbour, err := e.Do(ctx, call, record.Operation{Kind: record.KindOf("company"), Name: record.Create, Body: n})
	if err != nil {
		t.Fatal(err)
	}
	company := schema.FormatID("company", harbour.ID())
	search := func(text string) func() error {
		return func() error {
			n, err := body.Parse([]byte(text))
			if err != nil {
				return err
			}
			_, err = httpapi.AppendList(ctx, e, call, record.KindOf("contact"), false, n, nil)
			return err
		}
	}
	var after *query.Position
	page := func() error {
		q := &query.Query{
			Resource: contacts, Order: query.Path{Ref: -1, Leaf: contacts.Must("created_at")}, Desc: true, Limit: 25,
			After: after, Leaves: contacts.Visible(false),
		}
		found, err := who.Tenant.Search(ctx, q, func([]schema.Value) error { return nil })
		after = &found.Last
		return err
	}
	if err := page(); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		what  string
		trips int64
		do    func() error
	}{
		{"get one", 1, func() error { _, err := call.Get(ctx, record.KindOf("contact"), last); return err }},
		{"first page", 1, search(`{}`)},
		{"a long page, when it is known how large records are", 2, search(`{"limit":100}`)},
		{"a page behind a cursor", 1, func() error { first := after; defer func() { after = first }(); return page() }},
		{"a filter, in another order", 1, search(`{"filters":[{"field":"lead_score","operator":"between","values":[1,90]}],` +
			`"order_by":"updated_at","limit":5}`)},
		{"several filters", 1, search(`{"filters":[{"field":"lead_score","operator":"gte","value":1},{"field":"last_name",` +
			`"operator":"starts_with","value":"Num"}],"limit":5}`)},
		{"a word that many have", 1, search(`{"search_text":"anna","limit":5}`)},
		{"a word that few have, after a glance", 2, search(`{"search_text":"anna777"}`)},
		{"a total that is asked for", 2, search(`{"search_text":"anna","limit":5,"total":true}`)},
		{"a history, with the record that decides who may read it", 1, func() error {
			_, err := e.History(ctx, call, record.KindOf("contact"), last, nil, func(store.Change) {})
			return err
		}},
		{
			"changes, with the number of the newest", 1,
			func() error { _, err := call.Changes(ctx, nil, func(store.Change) {}); return err },
		},
		{"a timeline: the first of all that stands in it", 1, func() error {
			_, err := e.Timeline(ctx, call, record.KindOf("contact"), last, nil, func(changelog.Event) {})
			return err
		}},
		// the turn and all the rest: the default stage is known from the turn before
		{"create", 2, func() error { _, err := create(); return err }},
		// The turn, what is prefetched, the records, the log, which is described before it is sent; the rest goes along.
		{"a batch of a hundred", 5, func() error {
			var operations []string
			for range record.MaxBatch {
				made++
				operations = append(operations, fmt.Sprintf(`{"op":"create","data":{"name":"Number %d","external_id":"x%d",`+
					`"company_id":%q}}`, made, made, company))
			}
			n, err := body.Parse([]byte(`{"operations":[` + strings.Join(operations, ",") + `]}`))
			if err != nil {
				return err
			}
			b, err := e.PlanBatch(who, record.KindOf("contact"), n)
			if err != nil {
				return err
			}
			return call.Write(ctx, func(tx *store.Tx) error {
				return b.Run(tx, func(r record.Result) {
					if r.Err != nil {
						t.Error(r.Err)
					}
				})
			})
		}},
		{"patch", 3, func() error { // the turn, the record, all the rest
			made++
			n, err := body.Parse([]byte(fmt.Sprintf(`{"lead_score":%d.5}`, made)))
			if err == nil {
				_, err = e.Do(ctx, call, record.Operation{Kind: record.KindOf("contact"), Name: record.Update, ID: last, Body: n})
			}
			return err
		}},
	} {
		t.Run(strings.ReplaceAll(tt.what, " ", "_"), func(t *testing.T) {
			for i := range 4 {
				before := counter.trips.Load()
				if err := tt.do(); err != nil {
					t.Fatal(err)
				}
				if trips := counter.trips.Load() - before; i > 1 && trips != tt.trips {
					t.Errorf("%s waits for the database %d times, want %d", tt.what, trips, tt.trips)
				}
			}
		})
	}
}

// Statements that wait fail when they are sent, at the latest with the commit. Of such a write nothing is left either.
func TestNothingIsLeftOfAWriteThatFailsAtItsEnd(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		b := storetest.Business(t, s)
		contacts := s.Registry().Resource("contact")
		rec := storetest.NewRecord(contacts)
		err := b.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
			return errors.Join(tx.Insert(contacts, storetest.NewRecord(contacts), "create"), tx.Insert(contacts, rec, "create"),
				tx.Insert(contacts, rec, "create"))
		})
		if err == nil {
			t.Error("a record was written twice")
		}
		if n, err := b.Count(ctx, contacts); n != 0 || err != nil {
			t.Errorf("%d records are counted, %v", n, err)
		}
		if _, err := b.Get(ctx, contacts, rec.ID(), false); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the record: %v, want ErrNotFound", err)
		}
		if err := b.Changes(ctx, 0, func(c store.Change) error { return fmt.Errorf("the log has %v", c) }); err != nil {
			t.Error(err)
		}
		// The connection is as good as before.
		if err := b.Write(ctx, store.Actor{}, func(tx *store.Tx) error { return tx.Insert(contacts, rec, "create") }); err != nil {
			t.Error(err)
		}
	})
}

// Writes that have come while another one ran share its transaction or the next, and so the wait for the disk.
func TestWritesOfABusinessShareTheirCommit(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	var counter tripCounter
	s := open(t, counter.between(t, newPostgres(t)))
	b := storetest.Business(t, s)
	contacts := s.Registry().Resource("contact")
	const writes = 20
	var wait sync.WaitGroup
	write := func(first func()) {
		wait.Go(func() {
			err := b.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
				first()
				return tx.Insert(contacts, storetest.NewRecord(contacts), "create")
			})
			if err != nil {
				t.Error(err)
				leave() // nobody is to wait for it
			}
		})
	}
	begun := make(chan struct{})
	write(func() {
		close(begun)
		for s.WaitingWrites() < writes && ctx.Err() == nil {
			runtime.Gosched()
		}
	})
	select {
	case <-begun:
	case <-ctx.Done():
		t.Fatal("the first write does not run")
	}
	before := counter.trips.Load()
	for range writes {
		write(func() {})
	}
	wait.Wait()
	// Each of them takes its turn; the rest goes along, but for a few commits and statements that are prepared.
	if trips := counter.trips.Load() - before; trips > writes+writes/2 {
		t.Errorf("%d writes waited for the database %d times", writes, trips)
	}
}
