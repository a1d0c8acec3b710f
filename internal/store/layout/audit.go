package layout

import (
	"slices"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

// auditTable has the lines of the audit log.
func auditTable(line *schema.Resource) engine.Table {
	t := engine.Table{
		Name: line.Plural, Columns: []engine.Column{engine.Required("business_id", engine.KindTenant)},
		Primary: []string{"business_id", "seq"},
	}
	for _, l := range line.Leaves {
		t.Columns = append(t.Columns, engine.Column{Name: l.Column.Name, Kind: l.Kind, NotNull: l.Required})
		if l.Find.Indexed {
			columns := []string{"business_id", l.Column.Name, "created_at", "id"}
			t.Indexes = append(t.Indexes, engine.Index{
				Name: line.Name + "_" + l.Column.Name, Columns: slices.Compact(columns),
				Matches: 100,
			})
		}
	}
	// The address is what a line has of a person. Of it the chain has a digest, so that it can be forgotten and the chain still holds.
	t.Columns = append(t.Columns, engine.Optional("address_salt", engine.KindBytes), engine.Optional("address_digest", engine.KindBytes))
	return t
}

// auditHeadTable tells where the audit log of a business ends.
func auditHeadTable() engine.Table {
	return engine.Table{
		Name: "audit_head",
		Columns: []engine.Column{
			engine.Required("business_id", engine.KindTenant),
			engine.Required("seq", schema.Integer),
			engine.Required("hash", engine.KindBytes),
			engine.Optional("at", schema.Time),
			engine.Optional("last_id", schema.ID),
		},
		Primary: []string{"business_id"},
	}
}
