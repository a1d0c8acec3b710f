package engine

import "github.com/kith-crm/kith/internal/schema"

// Separator stands around each tag in the folded key of a list. Tags have no control characters.
const Separator = "\x1f"

// FewValues is up to how many values a set is written out. A longer one is one argument, a JSON array: a statement with hundreds of
// arguments takes long to prepare and much memory.
const FewValues = 32

// Arguments are those of one statement. The first is always the tenant, so that every table in the statement can be bound to it.
type Arguments struct {
	Dialect Dialect
	Tenant  schema.Value
	Values  []schema.Value
}

// Arg adds an argument, and gives its placeholder.
func (a *Arguments) Arg(v schema.Value) string {
	a.Values = append(a.Values, v)
	return a.Dialect.Mark(len(a.Values))
}

func (a *Arguments) TenantMark() string { return a.Dialect.TenantMark(1) }

// Marks are the placeholders of values. Their number is rounded up so that few statements serve sets of all sizes.
func (a *Arguments) Marks(values []schema.Value) []string {
	size := 1
	for size < len(values) {
		size *= 2
	}
	marks := make([]string, size)
	for i := range marks {
		marks[i] = a.Arg(values[min(i, len(values)-1)])
	}
	return marks
}
