package exchange

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/queue"
	"github.com/kith-crm/kith/internal/work"
)

// What rows were refused for is grouped by column and value, since a file mostly has few wrong values in many rows: what is chosen for
// one holds for all of them.

const (
	mostGroupedRows = 5
	// MostGroups is how many groups are told.
	MostGroups = 200
)

// Group is what many rows were refused for, or would be: one value of a column, or one reason that no cell has.
type Group struct {
	Column  *string  `json:"column"`
	Field   *string  `json:"field"`
	Value   *string  `json:"value"`
	Code    string   `json:"code"`
	Message string   `json:"message"`
	Count   int64    `json:"count"`
	Rows    []int64  `json:"rows"`
	Allowed []string `json:"allowed"`
}

// Groups are why rows were refused, the most frequent first. Refused is how many rows were, and Grouped of how many it is told why.
type Groups struct {
	Data []*Group `json:"data"`
	Meta struct {
		Refused int64 `json:"refused"`
		Grouped int64 `json:"grouped"`
		HasMore bool  `json:"has_more"`
	} `json:"meta"`
}

// RefusedGroups groups why the rows of an import were refused, or would be.
func RefusedGroups(ctx context.Context, e *record.Engine, c record.Call, id string) (*Groups, error) {
	s, job, err := ranImport(ctx, e, c, id)
	if err != nil {
		return nil, err
	}
	all := &Groups{Data: []*Group{}}
	all.Meta.Refused = job.Failed
	known := map[wrongCell]*Group{}
	for after, more := int64(0), true; more; {
		refusals, err := queue.Refusals(ctx, c.Tenant, job.ID, after, errorsAtOnce)
		if err != nil {
			return nil, err
		}
		for _, r := range refusals {
			after = r.N
			all.Meta.Grouped++
			all.add(known, r)
		}
		more = len(refusals) == errorsAtOnce
	}
	slices.SortStableFunc(all.Data, func(a, b *Group) int { return cmp.Compare(b.Count, a.Count) })
	if len(all.Data) > MostGroups {
		all.Data, all.Meta.HasMore = all.Data[:MostGroups], true
	}
	return all, s.allow(ctx, e, c, all.Data)
}

// add counts a refused row to its groups.
func (g *Groups) add(known map[wrongCell]*Group, r queue.Refusal) {
	var cells []wrongCell
	if err := json.Unmarshal([]byte(r.Input), &cells); err != nil { // it was refused by an earlier version
		cells = []wrongCell{{Message: Reason(work.ReadProblem(r.Problem))}}
	}
	for _, cell := range cells {
		key := wrongCell{Column: cell.Column, Field: cell.Field, Value: cell.Value}
		if cell.Column == "" || cell.Value == "" {
			key.Message = cell.Message
		}
		group := known[key]
		if group == nil {
			group = &Group{
				Column: orNull(cell.Column), Field: orNull(cell.Field), Value: orNull(cell.Value), Code: cell.Code, Message: cell.Message,
				Rows: []int64{}, Allowed: []string{},
			}
			known[key] = group
			g.Data = append(g.Data, group)
		}
		if group.Count++; len(group.Rows) < mostGroupedRows {
			group.Rows = append(group.Rows, r.N)
		}
	}
}

// allow tells of the columns of groups which field they are, and which values it takes where these are few.
func (s *ImportState) allow(ctx context.Context, e *record.Engine, c record.Call, groups []*Group) error {
	if s.file == nil || s.file.Head == nil {
		return nil
	}
	im, err := s.plan(e, c.Principal)
	if im == nil {
		return err
	}
	return c.Tenant.Keep(ctx, store.Actor{}, func(tx *store.Tx) error {
		allowed := map[string][]string{}
		for _, g := range groups {
			at := slices.IndexFunc(im.columns, func(col importColumn) bool { return g.Column != nil && col.name == *g.Column })
			if at < 0 {
				continue
			}
			col := im.columns[at]
			g.Field = orNull(col.field())
			values, known := allowed[col.name]
			if !known {
				if values, err = im.allowed(tx, col); err != nil {
					return err
				}
				allowed[col.name] = values
			}
			g.Allowed = values
		}
		return nil
	})
}

// allowed are the values that a column can have, where these are few: options, or names of what a reference leads to.
func (im *Import) allowed(tx *store.Tx, c importColumn) ([]string, error) {
	values := []string{}
	switch {
	case c.leaf == nil:
	case c.by == nil && (c.leaf.Kind == schema.Choice || c.leaf.Kind == schema.Choices):
		values = append(values, c.leaf.Options...)
	case c.by == nil:
	case c.leaf.ListItem != nil:
		part := c.leaf.ListItem
		wholes, err := tx.Find(part.Whole, maxWholes)
		if err != nil {
			return nil, err
		}
		for _, whole := range wholes {
			if !im.who.MayRead(part.Whole, whole) {
				continue
			}
			parts, err := body.Items(whole.Get(part.List), part.Shape)
			if err != nil {
				return nil, err
			}
			for _, p := range parts {
				if name := p.Text(c.by); !slices.Contains(values, name) {
					values = append(values, name)
				}
			}
		}
	case c.leaf.Target.Storage.Small:
		all, err := tx.Find(c.leaf.Target, maxWholes)
		if err != nil {
			return nil, err
		}
		for _, rec := range all {
			if im.who.MayRead(c.leaf.Target, rec) {
				values = append(values, rec.Text(c.by))
			}
		}
	}
	return values[:min(len(values), maxWholes)], nil
}
