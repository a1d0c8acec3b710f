package exchange

import (
	"cmp"
	"slices"
	"sync"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

// carriedKinds are the kinds whose records an archive brings, in the order in which they are made: the settings that every business
// begins with, the added fields, and then each kind behind those that it leads to; of two that stand equally far, what is about others
// comes last. What lets somebody in is not among them: users, roles, tokens, apps and webhooks; nor what is personal.
var carriedKinds = sync.OnceValue(func() []*record.Kind {
	order := append(slices.Clone(record.StartingKinds()), record.Field)
	var rest []*record.Kind
	for _, k := range record.Kinds() {
		if !k.Access.Rights && !k.Access.Closed && !k.Access.Personal && !slices.Contains(order, k) {
			rest = append(rest, k)
		}
	}
	far := map[*record.Kind]int{}
	for _, k := range rest {
		measure(k, slices.Concat(order, rest), far)
	}
	about := func(k *record.Kind) int {
		if k.AboutOthers {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(rest, func(a, b *record.Kind) int {
		return cmp.Or(cmp.Compare(far[a], far[b]), cmp.Compare(about(a), about(b)))
	})
	return append(order, rest...)
})

// measure finds how many kinds stand one behind the other before a kind. Where kinds lead to each other, one of them comes first.
func measure(k *record.Kind, among []*record.Kind, far map[*record.Kind]int) int {
	if n, known := far[k]; known {
		return n
	}
	far[k] = 0
	n := 0
	for _, to := range among {
		if to != k && leadsTo(k, to) {
			n = max(n, measure(to, among, far)+1)
		}
	}
	far[k] = n
	return n
}

// leadsTo tells whether records of a kind can name those of another. One that names a resource can name any of its fields and records.
func leadsTo(k, to *record.Kind) bool {
	if k.NamesResource != "" {
		return to.NamesResource == ""
	}
	leads := func(l *schema.Leaf) bool { return l.Target == &to.Resource || slices.Contains(l.Ref.Among, to.Name) }
	if slices.ContainsFunc(k.Leaves, leads) {
		return true
	}
	for _, list := range k.Inner {
		if slices.ContainsFunc(list.Leaves, leads) {
			return true
		}
	}
	return false
}

// place is where a kind stands in that order, or -1.
func place(name string) int {
	return slices.IndexFunc(carriedKinds(), func(k *record.Kind) bool { return k.Name == name })
}

// isNamed tells the kinds whose records are found by their names, because every business begins with some.
func isNamed(k *record.Kind) bool { return slices.Contains(record.StartingKinds(), k) }

// listItems are what records of a kind have in lists that others lead to.
func listItems(k *record.Kind) (all []*schema.ListItem) {
	for _, p := range record.Registry.ListItems {
		if p.Whole == &k.Resource {
			all = append(all, p)
		}
	}
	return all
}

// itemNamed finds by the prefix of its ids what is an item in a list of such a kind, or nil.
func itemNamed(prefix string) *schema.ListItem {
	for _, p := range record.Registry.ListItems {
		if p.Name == prefix && isNamed(record.KindOf(p.Whole.Name)) {
			return p
		}
	}
	return nil
}

// itemCalled is what an item of a list is called among the others: what it is, and its name. Its colour is no part of that: people choose
// another one, and earlier archives have none.
func itemCalled(p *schema.ListItem, read func(*schema.Leaf) string) (name string) {
	for _, l := range p.Leaves {
		if l.Kind == schema.Choice && !slices.Equal(l.Options, schema.Colours) {
			name += read(l) + " "
		}
	}
	return name + read(p.Must(schema.NameField))
}
