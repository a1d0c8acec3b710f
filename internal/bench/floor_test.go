package bench

import (
	"bytes"
	"context"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"kith/internal/crm"
	"kith/internal/httpapi"
	"kith/internal/pgtest"
	"kith/internal/store"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// The floor is only worth comparing with if it answers with the same bytes.
func TestFloorAnswersAsKithDoes(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { sameAnswers(t, "sqlite:"+filepath.Join(t.TempDir(), "bench.db")) })
	t.Run("postgres", func(t *testing.T) { sameAnswers(t, pgtest.NewDatabase(t, func(string) error { return nil })) })
}

func sameAnswers(t *testing.T, url string) {
	ctx := context.Background()
	set, last, err := loadSet(ctx, url, []int{4000, 100}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if set.Size != 4000 || last.Size != 100 || len(set.owners) != 10 || len(set.ids) != 4000 {
		t.Fatalf("loaded %d and %d contacts; %d owners, %d ids", set.Size, last.Size, len(set.owners), len(set.ids))
	}
	s, err := store.Open(ctx, url, crm.Registry)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	engine, err := crm.NewEngine(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(httpapi.New(engine, httpapi.Options{Log: quiet()}))
	t.Cleanup(server.Close)
	floor, err := NewFloor(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { floor.db.Close(); floor.watching.Close() })
	addr := server.Listener.Addr().String()
	ops, err := operations(ctx, target{addr: addr, token: set.token}, set)
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range ops {
		if op.writes {
			continue
		}
		path, err := floor.learn(op.requests[0])
		if err != nil {
			t.Fatalf("%s: %v", op.name, err)
		}
		w := httptest.NewRecorder()
		floor.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		want, err := load{addr: addr, connections: 1, duration: timeout, count: 1, next: func(int64) request { return op.requests[0] }}.run(ctx)
		if err != nil {
			t.Fatalf("%s: %v", op.name, err)
		}
		if !bytes.Equal(bytes.TrimSpace(w.Body.Bytes()), bytes.TrimSpace(want.example)) {
			t.Errorf("%s: the floor answers\n%.300s\nkith answers\n%.300s", op.name, w.Body, want.example)
		}
	}
}
