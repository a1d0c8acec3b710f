package layout

import (
	"slices"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

// Render gives the statements that make all tables fresh in a dialect.
func Render(reg *schema.Registry, d engine.Dialect) []string {
	out := d.Before()
	for _, t := range Tables(reg) {
		out = append(out, d.Create(t)...)
	}
	return append(out, d.After()...)
}

// Evolve gives the statements that bring a database with the existing columns and indexes (by table) to the declarations.
// Columns that are no longer declared stay, so that a running older server survives.
func Evolve(reg *schema.Registry, d engine.Dialect, columns, indexes map[string][]string) []string {
	if len(columns) == 0 {
		return Render(reg, d)
	}
	var out []string
	for _, t := range Tables(reg) {
		have, ok := columns[t.Name]
		if !ok {
			out = append(out, d.Create(t)...)
			continue
		}
		for _, c := range t.Columns {
			if !slices.Contains(have, c.Name) {
				c.NotNull = false // existing rows have no value for it
				out = append(out, "ALTER TABLE "+t.Name+" ADD COLUMN "+t.Column(d, c))
			}
		}
		declared := []string{t.Name + "_id", t.Name + "_search"}
		for _, i := range t.Indexes {
			declared = append(declared, i.Name)
			if !slices.Contains(indexes[t.Name], i.Name) {
				out = append(out, d.CreateIndex(t, i)...)
			}
		}
		for _, name := range indexes[t.Name] {
			if !slices.Contains(declared, name) {
				out = append(out, "DROP INDEX "+name)
			}
		}
	}
	if len(out) > 0 {
		out = append(out, d.After()...)
	}
	return out
}
