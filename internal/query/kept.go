package query

import (
	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/schema"
)

// CheckKept tells what is wrong with a search that is kept to be asked again, with the columns in which its records are shown and
// the field by which they are grouped.
func CheckKept(res *schema.Resource, search body.Node, columns []string, groupBy string, who Reader) (wrong problem.Fields) {
	for _, name := range []string{"cursor", "skip"} {
		if _, given := search.Get(name); given {
			wrong.Add("search."+name, "not_allowed", "belongs to one page and cannot be kept")
			return wrong
		}
	}
	if _, err := Check(search, res, false, who, nil, Asker{}); err != nil {
		if p := problem.As(problem.Inside(err, "search")); p != nil {
			wrong = append(wrong, p.Fields...)
		}
	}
	c := &checker{q: &Query{Resource: res}, who: who}
	names := body.Node{Kind: body.Array}
	for _, column := range columns {
		names.Items = append(names.Items, body.Node{Kind: body.String, Text: column})
	}
	c.fields("columns", names)
	if groupBy != "" {
		c.groupable(groupBy)
	}
	return append(wrong, c.wrong...)
}

// groupable holds a name to be that of a field whose values can tell records apart.
func (c *checker) groupable(name string) {
	path, known := c.path("group_by", name, Groupable)
	if known && !Groupable(path.Leaf.Kind) {
		c.wrong.Add("group_by", "not_allowed", "is a "+path.Leaf.Kind.Name()+" and cannot be grouped by",
			names(&c.q.Resource.Shape, false, Groupable)...)
	}
}
