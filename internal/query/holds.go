package query

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/kith-crm/kith/internal/schema"
)

// Holds tells whether a value fulfils a condition, as a search does that finds records by it: for values that no record has any
// more. It is for fields of the searched records themselves that are as they are kept, and not for links.
func (c Condition) Holds(v schema.Value) bool {
	switch c.Operator {
	case IsSet:
		return v.Set
	case IsNotSet:
		return !v.Set
	case Neq, Nin:
		return !v.Set || !c.amongValues(v)
	}
	if !v.Set {
		return false
	}
	switch c.Operator {
	case Eq, In:
		return c.amongValues(v)
	case Contains:
		if c.isList() {
			return c.amongValues(v)
		}
		return strings.Contains(c.comparable(v).S, c.Values[0].S)
	case StartsWith:
		return strings.HasPrefix(c.comparable(v).S, c.Values[0].S)
	}
	v = c.comparable(v)
	switch low := c.Values[0]; c.Operator {
	case Gt:
		return Less(low, v)
	case Gte:
		return !Less(v, low)
	case Lt:
		return Less(v, low)
	case Lte:
		return !Less(low, v)
	default: // between
		return !Less(v, low) && !Less(c.Values[1], v)
	}
}

func (c Condition) isList() bool { return c.Leaf.Kind == schema.Tags || c.Leaf.Kind == schema.Choices }

// comparable is a value in the form in which it is compared.
func (c Condition) comparable(v schema.Value) schema.Value {
	if c.Leaf.Kind.Folded() {
		v.S = Key(c.Leaf, v.S)
	}
	return v
}

// amongValues tells whether a value, or an item of a list, is one of those of the condition.
func (c Condition) amongValues(v schema.Value) bool {
	if !c.isList() {
		v = c.comparable(v)
		return slices.ContainsFunc(c.Values, func(one schema.Value) bool { return !Less(v, one) && !Less(one, v) })
	}
	var items []string
	if err := json.Unmarshal([]byte(v.S), &items); err != nil {
		return false // no list has been kept so
	}
	return slices.ContainsFunc(items, func(item string) bool {
		item = c.comparable(schema.TextValue(schema.Text, item)).S
		return slices.ContainsFunc(c.Values, func(one schema.Value) bool { return one.S == item })
	})
}
