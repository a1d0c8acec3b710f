package record

import (
	"slices"
	"strings"

	"github.com/kith-crm/kith/internal/schema"
)

// LayoutSchema tells where the fields of a resource stand for people: on a page, on a card and in the form of a new record. Fields are
// named by their paths.
type LayoutSchema struct {
	// Head are the fields under the name on a record's page.
	Head []string `json:"head"`
	// Sections have every field that a page shows, each once.
	Sections []SectionSchema `json:"sections"`
	// Card are the fields of a card on a board or in a short list.
	Card []string `json:"card"`
	// Form are the fields that a new record is asked for first.
	Form []string `json:"form"`
}

// SectionSchema is one section of a record's page.
type SectionSchema struct {
	Name   string   `json:"name"`
	Label  string   `json:"label"`
	Fields []string `json:"fields"`
	// Folded sections are closed until somebody opens them.
	Folded  bool `json:"folded"`
	Columns int  `json:"columns"`
}

// describeLayout tells the layout that is declared, completed by what follows from the fields: what no section names stands in the first
// one, groups and added fields have sections of their own, and what kith keeps of every record is last.
func describeLayout(res *schema.Resource) LayoutSchema {
	about := SectionSchema{Name: "about", Label: "About", Fields: slices.Clone(res.Layout.About), Columns: 1}
	own := SectionSchema{Name: schema.CustomFields, Label: "Our fields", Columns: 1}
	system := SectionSchema{Name: "system", Label: "System", Folded: true, Columns: 1}
	var groups []SectionSchema
	for _, l := range res.Leaves {
		switch {
		case l.Writing.BinOnly || !laidOut(l):
		case l.Member != "":
			own.Fields = append(own.Fields, l.Path)
		case l.Of != nil:
			if at := len(groups) - 1; at < 0 || groups[at].Name != l.Of.Name {
				groups = append(groups, SectionSchema{Name: l.Of.Name, Label: label(res, l.Of), Columns: 1})
			}
			last := &groups[len(groups)-1]
			last.Fields = append(last.Fields, l.Path)
		case slices.Contains(keptOfAll(res), l):
			system.Fields = append(system.Fields, l.Path)
		case !slices.Contains(about.Fields, l.Path):
			about.Fields = append(about.Fields, l.Path)
		}
	}
	sections := append([]SectionSchema{about}, groups...)
	if len(own.Fields) > 0 {
		sections = append(sections, own)
	}
	return LayoutSchema{
		Head: append([]string{}, res.Layout.Head...), Sections: append(sections, system), Card: orElse(res.Layout.Card, toldBy(res)),
		Form: orElse(res.Layout.Form, askedFirst(res)),
	}
}

// laidOut tells whether a field has a place among others; lists have tables of their own.
func laidOut(l *schema.Leaf) bool { return l.Kind != schema.List && l.Kind != schema.Document }

func orElse(declared, otherwise []string) []string {
	if len(declared) > 0 {
		return declared
	}
	return otherwise
}

// keptOfAll are the fields that kith, and not a seller, fills in.
func keptOfAll(res *schema.Resource) []*schema.Leaf {
	c := &res.Common
	return []*schema.Leaf{c.CreatedAt, c.CreatedBy, c.UpdatedAt, c.UpdatedBy, c.ExternalID, c.ID, c.Version}
}

// toldBy are the fields that tell most of a record, without what they lead to.
func toldBy(res *schema.Resource) []string {
	paths := []string{}
	for _, told := range res.Summary.Telling {
		name, _, _ := strings.Cut(told, ".")
		for _, l := range res.Leaves {
			if l.Path == told || l.Kind == schema.ID && l.RefersAs() == name {
				paths = append(paths, l.Path)
			}
		}
	}
	return paths
}

// askedFirst are the fields without which nothing is made, and those that tell most.
func askedFirst(res *schema.Resource) []string {
	paths := []string{}
	told := toldBy(res)
	for _, l := range res.Leaves {
		if l.Of == nil && !l.ReadOnly && laidOut(l) && (l.Required || slices.Contains(res.Names, l) || slices.Contains(told, l.Path)) {
			paths = append(paths, l.Path)
		}
	}
	return paths
}
