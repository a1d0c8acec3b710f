package store

import (
	"context"
	"fmt"
	"strings"
)

// openEngine connects to the database that an address names. Here and in dialectOf it is decided which engine it is; nobody else asks.
func openEngine(ctx context.Context, url string) (e engine, p planner, err error) {
	path, sqlite := sqlitePath(url)
	switch {
	case sqlite:
		e, err = openSQLite(path)
		return e, sqlitePlanner{}, err
	case strings.HasPrefix(url, "postgres://"), strings.HasPrefix(url, "postgresql://"):
		e, err = openPostgres(ctx, url)
		return e, postgresPlanner{}, err
	}
	scheme, rest, _ := strings.Cut(url, ":")
	if rest != "" {
		scheme += ":…" // there may be a password in it
	}
	return nil, nil, fmt.Errorf("the database must be sqlite:PATH or postgres://USER@HOST/NAME, not %q", scheme)
}

// dialectOf gives the dialect of an engine, sqlite or postgres, without a database.
func dialectOf(engine string) dialect {
	if engine == (postgresDialect{}).name() {
		return postgresDialect{}
	}
	return sqliteDialect{}
}

// Steps lists what a new SQLite database needs.
func Steps() ([]Migration, error) { return migrationsOf(sqliteDialect{}.name()) }
