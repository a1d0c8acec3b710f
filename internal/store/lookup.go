package store

import (
	"strings"

	"github.com/kith-crm/kith/internal/schema"
)

// lookup is a SELECT over all businesses. Its tables stand in braces, so that they can be those of a shard. The columns have these kinds;
// order, which may have a limit, names them by their numbers.
type lookup struct {
	sql, order string
	args       []schema.Value
	kinds      []schema.Kind
}

// askedTables are all that a lookup may name.
var askedTables = []string{"business", "erasure", "import", "job", "slip_work", "webhook_feed", "webhook_state"}

// on gives the text for tables of some names.
func (l lookup) on(name func(table string) string) string {
	text := strings.Join(strings.Fields(l.sql), " ")
	for _, table := range askedTables {
		text = strings.ReplaceAll(text, "{"+table+"}", name(table))
	}
	return text
}

// whole is the statement where all businesses are in one place.
func (l lookup) whole() string {
	return l.on(func(table string) string { return table }) + l.order
}

// machineLookup is a lookup for one machine of a cluster. Each row of its answer has some of the lookup's.
type machineLookup struct {
	// business is an id that would lie on the machine, by which that is found.
	business schema.UUID
	sql      string
	args     []schema.Value
	rows     func(row) ([]row, error)
}
