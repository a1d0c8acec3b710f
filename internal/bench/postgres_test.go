package bench

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/kith-crm/kith/internal/pgtest"
)

// The database of a run is there during it and gone afterwards, even if the run was interrupted.
func TestNewDatabaseIsDropped(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	address, drop, err := newDatabase(ctx, pgtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		t.Fatal(err)
	}
	name := conn.Config().Database
	if !strings.HasPrefix(name, "kith_bench_") {
		t.Errorf("the database is %q", name)
	}
	if err := conn.Close(ctx); err != nil {
		t.Fatal(err)
	}
	interrupt()
	drop()
	if _, err := pgx.Connect(t.Context(), address); err == nil || !strings.Contains(err.Error(), name) {
		t.Errorf("the database is still there: %v", err)
	}
}

func TestNewDatabaseDoesNotTellThePassword(t *testing.T) {
	_, _, err := newDatabase(t.Context(), "mysql://root:secret@127.0.0.1/x")
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Error(err)
	}
}
