package engine

import (
	"strings"

	"github.com/kith-crm/kith/internal/schema"
)

// Lookup is a SELECT over all businesses. Its tables stand in braces, so that they can be those of a shard. The columns have these kinds;
// order, which may have a limit, names them by their numbers.
type Lookup struct {
	SQL, Order string
	Args       []schema.Value
	Kinds      []schema.Kind
}

// AskedTables are all that a lookup may name.
var AskedTables = []string{
	"business", "erasure", "import", "job", "notification_mail", "notification_push", "slip_work", "webhook_feed", "webhook_state",
}

// On gives the text for tables of some names.
func (l Lookup) On(name func(table string) string) string {
	text := strings.Join(strings.Fields(l.SQL), " ")
	for _, table := range AskedTables {
		text = strings.ReplaceAll(text, "{"+table+"}", name(table))
	}
	return text
}

// Whole is the statement where all businesses are in one place.
func (l Lookup) Whole() string {
	return l.On(func(table string) string { return table }) + l.Order
}

// MachineLookup is a lookup for one machine of a cluster. Each row of its answer has some of the lookup's.
type MachineLookup struct {
	// Business is an id that would lie on the machine, by which that is found.
	Business schema.UUID
	SQL      string
	Args     []schema.Value
	Rows     func(Row) ([]Row, error)
}
