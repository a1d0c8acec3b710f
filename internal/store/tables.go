package store

import (
	"slices"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/layout"
)

// tables lists everything that the store keeps: the system's own tables and one for each resource.
func tables(reg *schema.Registry) []engine.Table {
	all := slices.Concat(layout.SystemTables(), []engine.Table{
		matchTable(), notTwinsTable(), layout.ErasureTable(), mergedTable(), mergedReferenceTable(), addedReferenceTable(),
	}, layout.AccessTables())
	if reg.Audit != nil {
		all = append(all, layout.AuditTable(reg.Audit), layout.AuditHeadTable())
	}
	for _, res := range reg.Resources {
		all = append(all, layout.RecordTable(res))
		if layout.KeepsFigures(res) {
			all = append(all, layout.Figures(res))
		}
		if len(res.EndLeaves) > 0 {
			all = append(all, layout.Ends(res))
		}
	}
	for _, p := range reg.ListItems {
		all = append(all, layout.ListItemTable(p))
	}
	return slices.Concat(all, layout.CustomEntryTables(), []engine.Table{layout.CustomIndexWork()}, layout.JobTables(),
		layout.ImportTables(), layout.HookTables())
}

// Render gives the statements that make all tables fresh in the dialect of sqlite or postgres.
func Render(reg *schema.Registry, engine string) []string {
	d := dialectOf(engine)
	out := d.Before()
	for _, t := range tables(reg) {
		out = append(out, d.Create(t)...)
	}
	return append(out, d.After()...)
}

// Evolve gives the statements that bring a database with the existing columns and indexes (by table) to the declarations.
// Columns that are no longer declared stay, so that a running older server survives.
func Evolve(reg *schema.Registry, engine string, columns, indexes map[string][]string) []string {
	if len(columns) == 0 {
		return Render(reg, engine)
	}
	d := dialectOf(engine)
	var out []string
	for _, t := range tables(reg) {
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
