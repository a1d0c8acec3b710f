package crm

import (
	"slices"
	"strconv"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

var View = &record.Kind{Since: 10, NamesResource: "resource", Resource: schema.Resource{
	Name: "view", Plural: "views", Label: "View",
	Access:  schema.Access{Feature: "manage_settings", OwnFree: true, Shared: "shared"},
	Summary: schema.Summary{Telling: []string{"resource", "layout", "shared"}},
	Storage: schema.Storage{Small: true},
	Example: `{"name":"Large deals","resource":"deal","search":{"filters":[{"field":"amount","operator":"gte","value":"10000.00"}],` +
		`"order_by":"amount"},"columns":["name","amount","company.name"],"shared":true}`,
	Fields: []schema.Field{
		{Name: "name", Kind: schema.Text, Label: "Name", Required: true, Find: schema.Find{Searchable: true, Sorted: true}},
		{
			Name: "resource", Kind: schema.Choice, Label: "Resource", Required: true, Writing: schema.Writing{Immutable: true},
			Find: schema.Find{Indexed: true}, About: "What it shows records of.",
		},
		{Name: "search", Kind: schema.Document, Label: "Search", About: "The body of a search of the resource, without `cursor`."},
		{
			Name: "layout", Kind: schema.Choice, Options: []string{"table", "board", "calendar"}, Label: "Layout", Required: true,
			Derived: true, Default: "table",
		},
		{
			Name: "columns", Kind: schema.Tags, Format: schema.FieldName, Label: "Columns",
			About: "Fields of the resource, in order; a reference may be followed, as in `fields` of a search.",
		},
		{
			Name: "group_by", Kind: schema.Text, Format: schema.FieldName, Label: "Group by",
			About: "A field whose values make the columns of a board, or the days of a calendar.",
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

// Views are the fields of views that code names.
var Views struct {
	schema.Common
	Name, Resource, Search, Columns, GroupBy, Position, Shared, Missing *schema.Leaf
}

// maxKeptSearch is how many bytes the search of a view may have. A search of its own may be longer; but who lists views gets them all.
const maxKeptSearch = 32 << 10

func declareViews() {
	schema.Bind(&View.Shape, &Views)
	View.Documents = map[*schema.Leaf]func(body.Node, *problem.Fields) string{Views.Search: keptSearch}
	View.Prepare = prepareView
	View.Validate = validateView
	View.FieldRenamed = followIn(View, keeping{
		resource: Views.Resource, missing: Views.Missing, mentions: []*schema.Leaf{Views.Search, Views.Columns, Views.GroupBy},
		eachName: eachNameShown,
	})
	View.GoesWithUser = View.Common.OwnerID
}

// keptSearch gives the search of a view as it is stored. What is in it only the whole view can tell, because it depends on the resource.
func keptSearch(n body.Node, wrong *problem.Fields) string {
	return kept(n, Views.Search, wrong)
}

// kept gives a document as it is stored, if it is not too long.
func kept(n body.Node, l *schema.Leaf, wrong *problem.Fields) string {
	if len(n.Members) == 0 {
		return ""
	}
	text := body.Append(nil, n)
	if len(text) > maxKeptSearch {
		wrong.Add(l.Path, "too_long", "must have at most "+strconv.Itoa(maxKeptSearch)+" bytes")
	}
	return string(text)
}

// prepareView places a view at the end, and forgets what was missing where it is asked anew: what is missing is wrong from then on.
func prepareView(w *record.Mutation) error {
	if err := w.PlaceLast(Views.Position); err != nil {
		return err
	}
	if keptAnew(w.Proposed()) != nil {
		w.Rec.Put(Views.Missing, schema.Absent(schema.Tags))
	}
	return nil
}

// keptAnew is the resource of a view that is to keep another search than before, or nil where it keeps the same, or something is
// wrong already.
func keptAnew(p record.Proposed) *schema.Resource {
	kept := []*schema.Leaf{Views.Resource, Views.Search, Views.Columns, Views.GroupBy}
	if p.Refused() != nil || !slices.ContainsFunc(kept, p.Changed) {
		return nil
	}
	return record.Registry.Resource(p.Text(Views.Resource))
}

// validateView holds what a view keeps of a search to the resource that it is of.
func validateView(p record.Proposed) error {
	res := keptAnew(p)
	if res == nil {
		return nil
	}
	search, err := body.Parse([]byte(p.Text(Views.Search)))
	if err != nil {
		return err
	}
	object, err := search.Object()
	if err != nil {
		return err
	}
	p.RefuseAll(query.CheckKept(p.Who().Shaped(res), object, body.Strings(p.Get(Views.Columns)), p.Text(Views.GroupBy), p.ReaderOfKept()))
	return nil
}
