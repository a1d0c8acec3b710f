package store

import (
	"strconv"
	"strings"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/layout"
)

// Index entries of values that are there already, and the removal of those that nobody needs any more, may take long. So they are written
// down as work, which package queue has.

// indexWorkTable has a row for each field of which index entries are to be removed or filed. Those that are there already are
// removed first, since nobody knows how old they are; but not at once, because other servers may take some seconds to hear that the
// index is no more.
func indexWorkTable() engine.Table {
	return engine.Table{
		Name: "slip_work",
		Columns: []engine.Column{
			engine.Required("business_id", engine.KindTenant),
			engine.Required("field", schema.Integer),
			engine.Required("resource", schema.Text),
			// filing tells that index entries are to be filed when the old ones are gone, cleared that these are, and after_id is the last
			// record whose index entries are there.
			engine.Required("filing", schema.Integer),
			engine.Required("cleared", schema.Integer),
			engine.Optional("after_id", schema.ID),
			engine.Required("planned_at", schema.Time),
		},
		Primary: []string{"business_id", "field"},
	}
}

// FileEntries writes the index entries of the records behind an id, at most so many, and tells the last, and whether it was the last of
// all.
func (tx *Tx) FileEntries(res *schema.Resource, l *schema.Leaf, after schema.Value, most int) (last schema.Value, all bool, err error) {
	b := newBuilder(tx.s.engine, tx.key)
	where := []string{"t.business_id = " + b.TenantMark(), "t." + engine.Live}
	if after.Set {
		where = append(where, "t.id > "+b.Arg(after))
	}
	sql := "SELECT t.id, t.created_at, " + b.Column("t", l) + " FROM " + res.Plural + " t WHERE " + strings.Join(where,
		" AND ") + " ORDER BY t.id LIMIT " + strconv.Itoa(most)
	var rows [][]schema.Value
	err = tx.c.Query(tx.ctx, sql, b.Values, func(r engine.Row) error {
		rows = append(rows, []schema.Value{r.Value(0, schema.ID), r.Value(1, schema.Time), r.Value(2, l.Kind)})
		return nil
	})
	if err != nil {
		return last, false, err
	}
	for _, values := range rows {
		last = values[0]
		for _, s := range layout.CustomEntriesOf(l, values[2]) {
			if err := tx.fileCustomEntry(s, values[0], values[1]); err != nil {
				return last, false, err
			}
		}
	}
	return last, len(rows) < most, nil
}
