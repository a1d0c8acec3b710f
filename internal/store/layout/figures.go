package layout

import (
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

// FigureNumbers are the columns of numbers: how many records there are, and for each field that is added up how many have a value,
// and the sums of the upper and of the lower bits, see LowBits.
func FigureNumbers(res *schema.Resource) []string {
	columns := []string{"n"}
	for _, l := range res.Storage.Figures.Sums {
		columns = append(columns, l.Column.Name+"_n", l.Column.Name+"_high", l.Column.Name+"_low")
	}
	return columns
}

// figures has a row for each combination of keys. Since keys may be absent, and absent values are never equal, place says which
// row it is.
func figures(res *schema.Resource) engine.Table {
	t := engine.Table{
		Name:    FigureTable(res),
		Columns: []engine.Column{engine.Required("business_id", engine.KindTenant), engine.Required("place", engine.KindBytes)},
		Primary: []string{"business_id", "place"},
	}
	for _, l := range res.Storage.Figures.Keys {
		t.Columns = append(t.Columns, engine.Optional(l.Column.Name, l.Kind))
	}
	for _, name := range FigureNumbers(res) {
		t.Columns = append(t.Columns, engine.Required(name, schema.Integer))
	}
	return t
}
