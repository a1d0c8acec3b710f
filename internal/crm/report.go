package crm

import (
	"slices"
	"strings"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

var Report = &record.Kind{Since: 38, NamesResource: "resource", Resource: schema.Resource{
	Name: "report", Plural: "reports", Label: "Report",
	Access:  schema.Access{Feature: "manage_settings", OwnFree: true, Shared: "shared"},
	Summary: schema.Summary{Telling: []string{"resource", "chart", "shared"}},
	Storage: schema.Storage{Small: true},
	Example: `{"name":"Won by person","resource":"deal","aggregate":{"filters":[{"field":"status","operator":"eq","value":"won"}],` +
		`"group_by":["owner_id"],"metrics":["sum:amount","count"]},"chart":"bar","shared":true}`,
	Fields: []schema.Field{
		{Name: "name", Kind: schema.Text, Label: "Name", Required: true, Find: schema.Find{Searchable: true, Sorted: true}},
		{
			Name: "resource", Kind: schema.Choice, Label: "Resource", Required: true, Writing: schema.Writing{Immutable: true},
			Find: schema.Find{Indexed: true}, About: "What it counts records of.",
		},
		{Name: "aggregate", Kind: schema.Document, Label: "Aggregate", About: "The body of an aggregate of the resource."},
		{
			Name: "chart", Kind: schema.Choice, Options: []string{"bar", "line", "number", "table"}, Label: "Chart", Required: true,
			Derived: true, Default: "bar",
		},
		positionField,
		{
			Name: "shared", Kind: schema.Bool, Label: "Shared", Required: true, Derived: true, Default: "false",
			Find: schema.Find{Indexed: true}, About: "Whether others see it.",
		},
		{
			Name: "missing", Kind: schema.Tags, Format: schema.FieldName, Label: "Missing", ReadOnly: true,
			About: "Custom fields that it names and that were deleted: restore them, or leave them out.",
		},
	},
}}

// Reports are the fields of reports that code names.
var Reports struct {
	schema.Common
	Resource, Aggregate, Position, Missing *schema.Leaf
}

func declareReports() {
	schema.Bind(&Report.Shape, &Reports)
	Report.Documents = map[*schema.Leaf]func(body.Node, *problem.Fields) string{
		Reports.Aggregate: func(n body.Node, wrong *problem.Fields) string { return kept(n, Reports.Aggregate, wrong) },
	}
	Report.Prepare = func(w *record.Mutation) error {
		if err := w.PlaceLast(Reports.Position); err != nil {
			return err
		}
		if countsAnew(w.Proposed()) != nil {
			w.Rec.Put(Reports.Missing, schema.Absent(schema.Tags))
		}
		return nil
	}
	Report.Validate = validateReport
	Report.FieldRenamed = followIn(Report, keeping{
		resource: Reports.Resource, missing: Reports.Missing, mentions: []*schema.Leaf{Reports.Aggregate}, eachName: eachNameCounted,
	})
	Report.GoesWithUser = Report.Common.OwnerID
}

// countsAnew is the resource of a report that is to count otherwise than before, or nil where it counts the same, or something is wrong
// already.
func countsAnew(p record.Proposed) *schema.Resource {
	if p.Refused() != nil || !slices.ContainsFunc([]*schema.Leaf{Reports.Resource, Reports.Aggregate}, p.Changed) {
		return nil
	}
	return record.Registry.Resource(p.Text(Reports.Resource))
}

// validateReport holds what a report asks to the resource that it counts records of.
func validateReport(p record.Proposed) error {
	res := countsAnew(p)
	if res == nil {
		return nil
	}
	asked, err := body.Parse([]byte(p.Text(Reports.Aggregate)))
	if err != nil {
		return err
	}
	object, err := asked.Object()
	if err != nil {
		return err
	}
	_, err = query.CheckAggregate(object, p.Who().Shaped(res), p.ReaderOfKept())
	if wrong := problem.As(problem.Inside(err, Reports.Aggregate.Path)); err != nil && wrong != nil {
		p.RefuseAll(wrong.Fields)
		return nil
	}
	return err
}

// eachNameCounted hands the names of fields in what a report asks to rename, and puts what it gives in their place.
func eachNameCounted(rec *schema.Record, rename func(string) string) error {
	asked, err := body.Parse([]byte(rec.Text(Reports.Aggregate)))
	if err != nil || asked == nil {
		return err
	}
	// A field stands before its unit, and behind what is measured of it.
	at := func(n *body.Node) {
		before, after, both := strings.Cut(n.Text, ":")
		switch {
		case n.Kind != body.String || n.Text == string(query.Count):
		case both && slices.Contains(query.Measures, query.Measure(before)):
			n.Text = before + ":" + rename(after)
		case both:
			n.Text = rename(before) + ":" + after
		default:
			n.Text = rename(before)
		}
	}
	for i := range asked.Members {
		switch m := &asked.Members[i]; m.Name {
		case "order_by":
			at(&m.Value)
		case "group_by", "metrics":
			for j := range m.Value.Items {
				at(&m.Value.Items[j])
			}
		case "filters":
			eachFiltered(m.Value, at)
		}
	}
	rec.PutText(Reports.Aggregate, string(body.Append(nil, *asked)))
	return nil
}
