package client

import "encoding/json"

// Custom is a field that a business added to a resource, by its name, with the type of its values: string for texts and choices,
// float64 for numbers, [Decimal] for decimals and money, bool, [Date], time.Time, []string for several choices, and the type of an
// id for a reference.
//
//	var Tier = client.Custom[string]("tier")
//
//	tier, ok := Tier.Of(contact.CustomFields)
//	input.CustomFields = client.Set(client.CustomValues(Tier.Is("gold")))
//	filters := []client.Filter{Tier.Exact().Eq("gold")}
type Custom[T any] string

// Path is the name of the field in filters, orders and projections.
func (c Custom[T]) Path() string { return "custom_fields." + string(c) }

// Of reads the field's value from the custom fields of a record, and tells whether there is one of its type.
func (c Custom[T]) Of(fields map[string]any) (value T, ok bool) {
	raw, there := fields[string(c)]
	if !there || raw == nil {
		return value, false
	}
	if value, ok = raw.(T); ok {
		return value, true
	}
	text, err := json.Marshal(raw)
	if err != nil || json.Unmarshal(text, &value) != nil {
		var none T
		return none, false
	}
	return value, true
}

// Is says what the field is to be.
func (c Custom[T]) Is(value T) CustomValue { return CustomValue{string(c), Set(value)} }

// Empty says that the field is to be empty.
func (c Custom[T]) Empty() CustomValue { return CustomValue{string(c), nil} }

// Words names the field as a text, for filters and orders.
func (c Custom[T]) Words() TextField { return TextField(c.Path()) }

// Exact names the field as a choice, an id or a truth value.
func (c Custom[T]) Exact() ExactField[T] { return ExactField[T](c.Path()) }

// Range names the field as a number, a decimal, a date or a time.
func (c Custom[T]) Range() RangeField[T] { return RangeField[T](c.Path()) }

// List names the field as several choices.
func (c Custom[T]) List() ListField[string] { return ListField[string](c.Path()) }

// CustomValue is what one custom field is to be; see [Custom.Is].
type CustomValue struct {
	name  string
	value any
}

// CustomValues puts together what custom fields are to be, for an input. Those that it does not name stay as they are.
func CustomValues(values ...CustomValue) map[string]any {
	all := make(map[string]any, len(values))
	for _, v := range values {
		all[v.name] = v.value
	}
	return all
}
