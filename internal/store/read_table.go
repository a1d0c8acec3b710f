package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/layout"
)

// Whole tables are read by whoever checks a database, copies it or backs it up: in pages, in the order of their keys, so that no
// table is ever in memory.

// pageRows and pageBytes are how much of a table is read at once.
const (
	pageRows  = 1000
	pageBytes = 4 << 20
)

// tableReading is how far a table has been read.
type tableReading struct {
	engine.Table
	// of is the business whose rows are read; nil are all.
	of *Tenant
	// where is what else holds of the rows, with the arguments of its marks, which are counted from the first.
	where string
	args  []schema.Value
	// most is how many rows a page has; 0 is pageRows.
	most int
	// after is the key of the last row that was read; nil at the beginning.
	after []schema.Value
}

// page reads the next rows, which are none at the end. Each has the values of the table's columns.
func (r *tableReading) page(ctx context.Context, s *Store, c engine.Conn) (page [][]schema.Value, err error) {
	columns, keys := make([]string, len(r.Columns)), make([]int, len(r.Primary))
	for i, column := range r.Columns {
		columns[i] = "t." + column.Name
	}
	for i, name := range r.Primary {
		keys[i] = slices.IndexFunc(r.Columns, func(column engine.Column) bool { return column.Name == name })
	}
	args := slices.Clone(r.args)
	arg := func(v schema.Value) string {
		args = append(args, v)
		return s.engine.Mark(len(args))
	}
	var where []string
	if r.where != "" {
		where = append(where, r.where)
	}
	if r.of != nil {
		args = append(args, r.of.key)
		where = append(where, "t.business_id = "+s.engine.TenantMark(len(args)))
	}
	order := make([]string, len(keys))
	for i, at := range keys {
		order[i] = columns[at]
	}
	if r.after != nil {
		marks := make([]string, len(r.after))
		for i, v := range r.after {
			marks[i] = arg(v)
		}
		where = append(where, "("+strings.Join(order, ", ")+") > ("+strings.Join(marks, ", ")+")")
	}
	sql := "SELECT " + strings.Join(columns, ", ") + " FROM " + r.Name + " t"
	if len(where) > 0 {
		sql += " WHERE " + strings.Join(where, " AND ")
	}
	sql += " ORDER BY " + strings.Join(order, ", ") + fmt.Sprintf(" LIMIT %d", cmp.Or(r.most, pageRows))
	bytes := 0
	err = c.Query(ctx, sql, args, func(row engine.Row) error {
		if bytes > pageBytes {
			return engine.ErrFull
		}
		values := make([]schema.Value, len(r.Columns))
		for i, column := range r.Columns {
			values[i] = row.Value(i, column.Kind)
			bytes += len(values[i].S)
		}
		page = append(page, values)
		return nil
	})
	if err != nil && !errors.Is(err, engine.ErrFull) {
		return nil, err
	}
	if len(page) > 0 {
		r.after = make([]schema.Value, len(keys))
		for i, at := range keys {
			r.after[i] = page[len(page)-1][at]
		}
	}
	return page, nil
}

// all reads what is left of the table.
func (r *tableReading) all(ctx context.Context, s *Store, c engine.Conn, each func(values []schema.Value) error) error {
	for {
		page, err := r.page(ctx, s, c)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, values := range page {
			if err := each(values); err != nil {
				return err
			}
		}
	}
}

// tableNamed finds a table among those that the store keeps.
func (s *Store) tableNamed(name string) engine.Table {
	all := layout.Tables(s.reg)
	return all[slices.IndexFunc(all, func(t engine.Table) bool { return t.Name == name })]
}

// plainKey is a tenant key as a row has it.
func plainKey(key schema.Value) schema.Value {
	return schema.Value{Kind: engine.KindTenant, Set: true, N: key.N, S: key.S}
}
