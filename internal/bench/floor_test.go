package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/crm"
	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/pgtest"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/watch"
	"github.com/kith-crm/kith/internal/wiring"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// onBoth runs a test on a database of each engine.
func onBoth(t *testing.T, test func(t *testing.T, url string)) {
	t.Run("sqlite", func(t *testing.T) { test(t, "sqlite:"+filepath.Join(t.TempDir(), "bench.db")) })
	t.Run("postgres", func(t *testing.T) { test(t, pgtest.NewDatabase(t, func(string) error { return nil })) })
}

// serveSet loads a set and serves it.
func serveSet(t *testing.T, url string, o Options, sizes ...int) (first, last *Set, addr string) {
	ctx := context.Background()
	first, last, err := o.loadSet(ctx, url, sizes)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(ctx, url, record.Registry)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	engine, err := wiring.NewEngine(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(httpapi.New(engine, httpapi.Options{Log: quiet()}))
	t.Cleanup(server.Close)
	return first, last, server.Listener.Addr().String()
}

// readyOperations gives the operations on a set, with their questions.
func readyOperations(t *testing.T, addr string, set *Set) []*operation {
	ops, err := operations(t.Context(), asking{addr, set})
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range ops {
		if err := op.makeReady(t.Context(), learning/10); err != nil {
			t.Fatalf("%s: %v", op.name, err)
		}
	}
	return ops
}

// The floor is only worth comparing with if it answers with the same bytes, and a question is only worth asking if it finds something.
func TestFloorAnswersAsKithDoes(t *testing.T) {
	onBoth(t, func(t *testing.T, url string) {
		set, last, addr := serveSet(t, url, Options{Disorder: 0.3}, 4000, 100)
		if set.Size != 4000 || last.Size != 100 || len(set.owners) != manyOwners || len(last.owners) != someOwners ||
			len(set.contacts) != 4000 || len(set.deals) != 400 {
			t.Fatalf("loaded %d and %d contacts; %d and %d owners, %d contacts and %d deals known", set.Size, last.Size, len(set.owners),
				len(last.owners), len(set.contacts), len(set.deals))
		}
		floor, err := NewFloor(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { floor.Close() })
		for _, op := range readyOperations(t, addr, set) {
			if op.writes || op.ours {
				continue
			}
			some := 10
			if op.count > 0 {
				some = min(some, op.count)
			}
			lesson := Lesson{Afresh: true}
			for n := range some {
				lesson.Requests = append(lesson.Requests, op.question(n).request)
			}
			if err := floor.learn(t.Context(), lesson); err != nil {
				t.Fatalf("%s: %v", op.name, err)
			}
			for n, r := range lesson.Requests {
				w := httptest.NewRecorder()
				floor.ServeHTTP(w, httptest.NewRequest("GET", "/"+strconv.Itoa(n), nil))
				want, err := once(addr, r)
				if err != nil {
					t.Fatalf("%s: %v", op.name, err)
				}
				if !bytes.Equal(bytes.TrimSpace(w.Body.Bytes()), bytes.TrimSpace(want)) {
					t.Fatalf("%s: %s\nthe floor answers\n%.300s\nkith answers\n%.300s", op.name, r, w.Body, want)
				}
				var found page
				if err := json.Unmarshal(want, &found); err != nil || len(found.Data) == 0 && op.name != "get one" {
					t.Errorf("%s: %s finds nothing: %s, %v", op.name, r, want, err)
				}
			}
			for _, a := range floor.answers {
				for _, s := range a.statements {
					if floor.acting[s.SQL] || strings.HasPrefix(a.statements[len(a.statements)-1].SQL, "SELECT count(*)") {
						t.Errorf("%s: the floor runs what only kith should: %s", op.name, s.SQL)
					}
				}
			}
		}
		if len(floor.acting) == 0 {
			t.Error("the floor does not know which statements tell who acts")
		}
	})
}

// What comes from two statements in turn goes out in the order that kith gave it.
func TestFloorPutsRecordsInTheirOrder(t *testing.T) {
	a := answer{leaves: []*schema.Leaf{crm.Contacts.Name}}
	row := func(name string) []schema.Value { return []schema.Value{schema.TextValue(schema.Text, name)} }
	a.statements = []watch.Ran{
		{SQL: "a", Rows: [][]schema.Value{row("Anna"), row("Clara")}},
		{SQL: "b", Rows: [][]schema.Value{row("Ben"), row("David")}},
	}
	var records []json.RawMessage
	for _, name := range []string{"Anna", "Ben", "Clara"} {
		records = append(records, json.RawMessage(`{"name":"`+name+`"}`))
	}
	if err := a.find(records); err != nil {
		t.Fatal(err)
	}
	if a.records != 3 || len(a.reads[0].used) != 2 || len(a.reads[1].used) != 1 || a.reads[0].used[1] != (use{1, 2}) {
		t.Errorf("%+v", a)
	}
	if err := a.find(append(records, json.RawMessage(`{"name":"Emma"}`))); err == nil {
		t.Error("a record that no statement gives is passed over")
	}
}
