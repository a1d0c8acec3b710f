package record

import (
	"errors"
	"fmt"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/schema"
)

// MaxSearches is how many searches one request may ask. Together they take no longer than one may.
const MaxSearches = 10

// SearchesBody is what the body may have that asks for several searches, and SearchesOne what each of them may.
var (
	SearchesBody = schema.CompileBody("searches",
		schema.Field{Name: "searches", Kind: schema.Tags, Required: true, About: "The searches, which are answered in this order."},
	)
	SearchesOne = schema.CompileBody("a search among several",
		schema.Field{Name: "resource", Kind: schema.Text, Required: true, About: "The name of the resource whose records are searched."},
		schema.Field{Name: "search", Kind: schema.Document, About: "What the body of the search of that resource would be."},
	)
)

var searching = schema.FieldsOf[struct{ Resource, Search *schema.Leaf }](SearchesOne)

// Asked is one of several searches.
type Asked struct {
	Kind *Kind
	Body *body.Node
	at   string
}

// Searches reads the body that asks for several searches.
func Searches(n *body.Node) (asked []Asked, err error) {
	object, err := n.Object()
	if err != nil {
		return nil, err
	}
	var wrong problem.Fields
	list, _ := object.Get("searches")
	for _, m := range object.Members {
		if m.Name != "searches" || m.Again {
			wrong.Add(m.Name, "unknown_field", "is not a field of this request, or given twice")
		}
	}
	if list.Kind != body.Array || len(list.Items) == 0 || len(list.Items) > MaxSearches {
		wrong.Add("searches", "required", fmt.Sprintf("must be a list of 1 to %d searches", MaxSearches))
		list.Items = nil
	}
	for i, item := range list.Items {
		asked = append(asked, searchOf(item, fmt.Sprintf("searches[%d]", i), &wrong))
	}
	return asked, wrong.Err()
}

func searchOf(n body.Node, at string, wrong *problem.Fields) Asked {
	a := Asked{Body: &body.Node{Kind: body.Object}, at: at}
	if n.Kind != body.Object {
		wrong.Add(at, "wrong_type", "must be an object, not "+n.Kind.Name())
		return a
	}
	given := body.Decode(n, SearchesOne, true, at+".", wrong)
	if search, ok := given.Documents[searching.Search.Path]; ok {
		a.Body = &search
	}
	a.Kind = KindOf(given.Get(searching.Resource).S)
	if of := at + "." + searching.Resource.Path; (a.Kind == nil || !a.Kind.Offers("search")) && !wrong.Has(of) {
		wrong.Add(of, "not_allowed", "must be the name of a resource that can be searched")
	}
	return a
}

// In names the fields of a problem as those of the search among the others.
func (a Asked) In(err error) error {
	var p *problem.Problem
	if !errors.As(err, &p) || len(p.Fields) == 0 {
		return err
	}
	placed := *p
	placed.Fields = nil
	for _, f := range p.Fields {
		f.Field = a.at + ".search." + f.Field
		placed.Fields = append(placed.Fields, f)
	}
	return &placed
}
