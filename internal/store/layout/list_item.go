package layout

import (
	"fmt"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

// listItemTable keeps the items of a list, which live as JSON in the record that has them, a second time as rows, so that a search
// can follow references to them. It has those of live records only, and is written together with them.
func listItemTable(p *schema.ListItem) engine.Table {
	t := engine.Table{
		Name: p.Table(), Columns: columns("business_id business, " + WholeColumn(p) + " id"),
		Primary: []string{"business_id", "id"},
	}
	for _, l := range p.Leaves {
		t.Columns = append(t.Columns, engine.Column{Name: l.Column.Name, Kind: l.Kind, NotNull: l.Path == "id"})
		if l.Key != "" {
			t.Columns = append(t.Columns, engine.Column{Name: l.Key, Kind: schema.Text})
		}
	}
	t.Indexes = []engine.Index{{Name: p.Name + "_whole", Columns: []string{"business_id", WholeColumn(p)}}}
	return t
}

// ListItemColumns are the columns that an item fills, behind those of its record.
func ListItemColumns(p *schema.ListItem) []string {
	columns := []string{WholeColumn(p)}
	for _, l := range p.Leaves {
		columns = append(columns, l.Column.Name)
		if l.Key != "" {
			columns = append(columns, l.Key)
		}
	}
	return columns
}

// ListItemRows gives the rows of the items in a list, each beginning behind the column of its record. An item without an id cannot be
// pointed to.
func ListItemRows(p *schema.ListItem, list schema.Value) (rows [][]schema.Value, err error) {
	items, err := body.Items(list, p.Shape)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", p.List.Path, err)
	}
	for _, item := range items {
		if !item.Get(p.ID).Set {
			continue
		}
		var row []schema.Value
		for i, l := range p.Leaves {
			row = append(row, item.Values[i])
			if l.Key != "" {
				row = append(row, KeyOf(l, item.Values[i]))
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}
