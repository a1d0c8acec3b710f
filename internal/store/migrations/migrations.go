// Package migrations has the numbered steps of the database's layout, for each engine, and knows which of them a database has.
package migrations

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

//go:embed sqlite postgres
var files embed.FS

// Step is one numbered step of the database's layout. Steps only go forward.
type Step struct {
	Number  int64
	Name    string
	Applied bool
	// Script is what it does.
	Script string
}

// Of lists the steps of a database of an engine, sqlite or postgres, in their order.
func Of(engine string) ([]Step, error) {
	entries, err := fs.ReadDir(files, engine)
	if err != nil {
		return nil, err
	}
	var all []Step
	for _, entry := range entries {
		name, ok := strings.CutSuffix(entry.Name(), ".sql")
		number, title, cut := strings.Cut(name, "_")
		n, err := strconv.ParseInt(number, 10, 64)
		if !ok || !cut || err != nil {
			return nil, fmt.Errorf("migration %s is not named NUMBER_NAME.sql", entry.Name())
		}
		script, err := fs.ReadFile(files, path.Join(engine, entry.Name()))
		if err != nil {
			return nil, err
		}
		all = append(all, Step{Number: n, Name: title, Script: string(script)})
	}
	slices.SortFunc(all, func(a, b Step) int { return int(a.Number - b.Number) })
	return all, nil
}

// MarkApplied reads which of the steps a database has.
func MarkApplied(ctx context.Context, c engine.Conn, all []Step) error {
	return c.Query(ctx, "SELECT number FROM migration", nil, func(r engine.Row) error {
		number := r.Value(0, schema.Integer).N
		for i := range all {
			if all[i].Number == number {
				all[i].Applied = true
			}
		}
		return nil
	})
}

// RefuseNewer refuses a database that has steps which this program does not know: it may have been told to keep what this program
// would lose. A program that runs already while a newer one migrates goes on, because steps only add.
func RefuseNewer(ctx context.Context, c engine.Conn, known []Step) error {
	var newer []string
	err := c.Query(ctx, "SELECT number, name FROM migration ORDER BY number", nil, func(r engine.Row) error {
		number := r.Value(0, schema.Integer).N
		if !slices.ContainsFunc(known, func(m Step) bool { return m.Number == number }) {
			newer = append(newer, fmt.Sprintf("%04d %s", number, r.Value(1, schema.Text).S))
		}
		return nil
	})
	if err != nil || len(newer) == 0 {
		return err
	}
	last := known[len(known)-1]
	return fmt.Errorf("the database belongs to a newer kith: it has %s, and this program knows migrations up to %04d %s. Start the newer "+
		"program, or restore a backup from before the upgrade",
		strings.Join(newer, ", "), last.Number, last.Name)
}
