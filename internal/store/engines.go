package store

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/layout"
	"github.com/kith-crm/kith/internal/store/migrations"
	"github.com/kith-crm/kith/internal/store/postgres"
	"github.com/kith-crm/kith/internal/store/search"
	"github.com/kith-crm/kith/internal/store/sqlite"
)

// openEngine connects to the database that an address names. Here and in dialectOf it is decided which engine it is; nobody else asks.
func openEngine(ctx context.Context, url string) (e engine.Engine, p search.Planner, err error) {
	path, file := sqlite.Path(url)
	switch {
	case file:
		e, err = sqlite.Open(path)
		return e, search.SQLite{}, err
	case strings.HasPrefix(url, "postgres://"), strings.HasPrefix(url, "postgresql://"):
		e, err = postgres.Open(ctx, url)
		return e, search.Postgres{}, err
	}
	scheme, rest, _ := strings.Cut(url, ":")
	if rest != "" {
		scheme += ":…" // there may be a password in it
	}
	return nil, nil, fmt.Errorf("the database must be sqlite:PATH or postgres://USER@HOST/NAME, not %q", scheme)
}

// dialectOf gives the dialect of an engine, sqlite or postgres, without a database.
func dialectOf(engine string) engine.Dialect {
	if engine == (postgres.Dialect{}).Name() {
		return postgres.Dialect{}
	}
	return sqlite.Dialect{}
}

// Render gives the statements that make all tables fresh in the dialect of sqlite or postgres.
func Render(reg *schema.Registry, engine string) []string {
	return layout.Render(reg, dialectOf(engine))
}

// Evolve gives the statements that bring a database with the existing columns and indexes (by table) to the declarations.
func Evolve(reg *schema.Registry, engine string, columns, indexes map[string][]string) []string {
	return layout.Evolve(reg, dialectOf(engine), columns, indexes)
}

// Steps lists what a new SQLite database needs.
func Steps() ([]migrations.Step, error) { return migrations.Of(sqlite.Dialect{}.Name()) }

// temporary is the address of a database that is made for a moment, in a folder that goes with it.
func temporary(folder string) string { return "sqlite:" + filepath.Join(folder, "kith.db") }
