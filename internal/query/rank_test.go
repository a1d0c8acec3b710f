package query

import (
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/schema"
)

func TestRanks(t *testing.T) {
	name := &schema.Leaf{Field: &schema.Field{Kind: schema.Text, Find: schema.Find{Searchable: true}}}
	phone := &schema.Leaf{Field: &schema.Field{Kind: schema.Text, Format: schema.Phone, Find: schema.Find{Searchable: true}}}
	tags := &schema.Leaf{Field: &schema.Field{Kind: schema.Tags, Find: schema.Find{Searchable: true}}}
	hidden := &schema.Leaf{Field: &schema.Field{Kind: schema.Text}}
	leaves := []*schema.Leaf{name, phone, tags, hidden}
	for _, c := range []struct {
		text, name, phone, tags, hidden string
		want                            Rank
	}{
		{text: "anna", name: "Anna", want: AsWhole},
		{text: "ANNA  lund", name: " Ánna Lund ", want: AsWhole},
		{text: "lund anna", name: "Anna Lund", want: AsBeginning},
		{text: "lu", name: "Anna Lund", want: AsBeginning},
		{text: "und", name: "Anna Lund", want: AsPart},
		{text: "und", name: "Sund-Und", want: AsBeginning},
		{text: "neil", name: "O'Neil", want: AsBeginning},
		{text: "example", name: "anna@lund.example", want: AsBeginning},
		{text: "2b", name: "a2b", want: AsPart},
		{text: "7", name: "öl7", want: AsPart},
		{text: "ol", name: "Öl7", want: AsBeginning},
		{text: "anna und", name: "Anna Lund", want: AsPart},
		{text: "anna vip", name: "Anna", tags: `["vip"]`, want: AsWhole},
		{text: "vip", tags: `["x","VIP"]`, want: AsWhole},
		{text: "vi", tags: `["x","very vip"]`, want: AsBeginning},
		{text: "4670123", phone: "+46 (70) 12-3", want: AsWhole},
		{text: "4670", phone: "+46 (70) 12-3", want: AsBeginning},
		{text: "0123", phone: "+46 (70) 12-3", want: AsPart},
		{text: "anna", hidden: "anna", want: AsPart},
		{text: "anna anna", name: "Anna", want: AsWhole},
		{text: "anna anna", name: "Anna Anna", want: AsWhole},
		{text: "\ufdfa", name: "صلى الله عليه وسلم", want: AsWhole},
		{text: "@lund", name: "anna@lund", want: AsPart},
		{text: "@lund", name: "anna @lund", want: AsBeginning},
		{text: "anna", name: strings.Repeat("Ä", ranked/2-2) + " Anna", want: AsPart}, // half of it is behind what is looked at
	} {
		value := func(k schema.Kind, text string) schema.Value { return schema.TextValue(k, text) }
		values := []schema.Value{
			value(schema.Text, c.name), value(schema.Text, c.phone), value(schema.Tags, c.tags),
			value(schema.Text, c.hidden),
		}
		if got := NewRanked(c.text).Of(leaves, values); got != c.want {
			t.Errorf("%q in %+v ranks %d, want %d", c.text, c, got, c.want)
		}
	}
}
