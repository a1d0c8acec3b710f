package layout

import (
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

// EndColumns are those of the key, behind the business.
var EndColumns = []string{"near", "far", "live", "near_id", "far_id", "link_id"}

// ends has each link twice, once as either end sees it.
func ends(via *schema.Resource) engine.Table {
	return engine.Table{
		Name: EndTable(via),
		Columns: []engine.Column{
			engine.Required("business_id", engine.KindTenant),
			engine.Required("near", schema.Text),
			engine.Required("far", schema.Text),
			engine.Required("live", schema.Integer),
			engine.Required("near_id", schema.ID),
			engine.Required("far_id", schema.ID),
			engine.Required("link_id", schema.ID),
		},
		Primary: append([]string{"business_id"}, EndColumns...),
		Indexes: []engine.Index{{Name: EndTable(via) + "_link", Columns: []string{"business_id", "link_id"}}},
	}
}
