package schema

// Layout says where the fields of a record stand for people. Whatever it leaves out follows from the fields.
type Layout struct {
	// Head names the fields that stand under the name on a record's page.
	Head []string
	// About names the first fields of the page's first section; the others follow in declared order.
	About []string
	// Card names the fields of a card, and Form those that a new record is asked for first.
	Card, Form []string
}

// resolve refuses names of fields that are none.
func (l *Layout) resolve(res *Resource) {
	for _, paths := range [][]string{l.Head, l.About, l.Card, l.Form} {
		res.all(paths)
	}
}
