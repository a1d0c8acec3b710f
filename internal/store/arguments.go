package store

import "github.com/kith-crm/kith/internal/schema"

// separator stands around each tag in the folded key of a list. Tags have no control characters.
const separator = "\x1f"

// fewValues is up to how many values a set is written out. A longer one is one argument, a JSON array: a statement with hundreds of
// arguments takes long to prepare and much memory.
const fewValues = 32

// arguments are those of one statement. The first is always the tenant, so that every table in the statement can be bound to it.
type arguments struct {
	d      dialect
	tenant schema.Value
	args   []schema.Value
}

// arg adds an argument, and gives its placeholder.
func (a *arguments) arg(v schema.Value) string {
	a.args = append(a.args, v)
	return a.d.mark(len(a.args))
}

func (a *arguments) tenantMark() string { return a.d.tenantMark(1) }

// marks are the placeholders of values. Their number is rounded up so that few statements serve sets of all sizes.
func (a *arguments) marks(values []schema.Value) []string {
	size := 1
	for size < len(values) {
		size *= 2
	}
	marks := make([]string, size)
	for i := range marks {
		marks[i] = a.arg(values[min(i, len(values)-1)])
	}
	return marks
}
