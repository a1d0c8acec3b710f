package client

import "fmt"

// Filter is one condition of a search.
type Filter struct {
	Field    string `json:"field"`
	Operator string `json:"operator"`
	// Value is the operand, and Values are those of in, nin and between.
	Value  any `json:"value,omitempty"`
	Values any `json:"values,omitempty"`
}

// Where begins a condition on a field by its name, with any operator and value: for paths that are only known when the program runs.
// The server says what does not fit.
//
//	client.Where("company.name").StartsWith("Acme")
func Where(field string) AnyField { return AnyField(field) }

// Select names the fields that are to be answered: client.Select(client.ContactFields.ID, client.ContactFields.Company.Name).
func Select(fields ...fmt.Stringer) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.String()
	}
	return names
}

func one(field, operator string, value any) Filter {
	return Filter{Field: field, Operator: operator, Value: value}
}

// many makes a condition with several operands. None at all is an empty list, which the server takes.
func many[T any](field, operator string, values []T) Filter {
	if values == nil {
		values = []T{}
	}
	return Filter{Field: field, Operator: operator, Values: values}
}

// AnyField is the name of a field of which this package knows no more.
type AnyField string

// TextField is the name of a text.
type TextField string

// ExactField is the name of a choice, an id or a truth value.
type ExactField[T any] string

// RangeField is the name of a number, a decimal, a date or a time.
type RangeField[T any] string

// ListField is the name of a list of texts or choices.
type ListField[T any] string

// ObjectField is the name of an object, or of a list of objects.
type ObjectField string

// String gives the name.
func (f AnyField) String() string { return string(f) }

// Eq holds where the field equals the value.
func (f AnyField) Eq(value any) Filter { return one(string(f), "eq", value) }

// Neq holds where the field does not equal the value, or is absent.
func (f AnyField) Neq(value any) Filter { return one(string(f), "neq", value) }

// In holds where the field equals one of the values.
func (f AnyField) In(values ...any) Filter { return many(string(f), "in", values) }

// Nin holds where the field equals none of the values, or is absent.
func (f AnyField) Nin(values ...any) Filter { return many(string(f), "nin", values) }

// Contains holds where the text has the value in it, or the list has it as a member.
func (f AnyField) Contains(value any) Filter { return one(string(f), "contains", value) }

// StartsWith holds where the text begins with the value.
func (f AnyField) StartsWith(value any) Filter { return one(string(f), "starts_with", value) }

// Gt holds where the field is greater than the value.
func (f AnyField) Gt(value any) Filter { return one(string(f), "gt", value) }

// Gte holds where the field is greater than the value or equals it.
func (f AnyField) Gte(value any) Filter { return one(string(f), "gte", value) }

// Lt holds where the field is less than the value.
func (f AnyField) Lt(value any) Filter { return one(string(f), "lt", value) }

// Lte holds where the field is less than the value or equals it.
func (f AnyField) Lte(value any) Filter { return one(string(f), "lte", value) }

// Between holds where the field is from low to high, both included.
func (f AnyField) Between(low, high any) Filter {
	return many(string(f), "between", []any{low, high})
}

// IsSet holds where the field has a value.
func (f AnyField) IsSet() Filter { return one(string(f), "is_set", nil) }

// IsNotSet holds where the field is absent.
func (f AnyField) IsNotSet() Filter { return one(string(f), "is_not_set", nil) }

// Asc sorts by the field, the least first.
func (f AnyField) Asc() Order { return Asc(string(f)) }

// Desc sorts by the field, the greatest first.
func (f AnyField) Desc() Order { return Desc(string(f)) }

// String gives the name.
func (f TextField) String() string { return string(f) }

// Eq holds where the field equals the value.
func (f TextField) Eq(value string) Filter { return one(string(f), "eq", value) }

// Neq holds where the field does not equal the value, or is absent.
func (f TextField) Neq(value string) Filter { return one(string(f), "neq", value) }

// In holds where the field equals one of the values.
func (f TextField) In(values ...string) Filter { return many(string(f), "in", values) }

// Nin holds where the field equals none of the values, or is absent.
func (f TextField) Nin(values ...string) Filter { return many(string(f), "nin", values) }

// Contains holds where the text has the value in it.
func (f TextField) Contains(value string) Filter { return one(string(f), "contains", value) }

// StartsWith holds where the text begins with the value.
func (f TextField) StartsWith(value string) Filter { return one(string(f), "starts_with", value) }

// IsSet holds where the field has a value.
func (f TextField) IsSet() Filter { return one(string(f), "is_set", nil) }

// IsNotSet holds where the field is absent.
func (f TextField) IsNotSet() Filter { return one(string(f), "is_not_set", nil) }

// Asc sorts by the field, the least first.
func (f TextField) Asc() Order { return Asc(string(f)) }

// Desc sorts by the field, the greatest first.
func (f TextField) Desc() Order { return Desc(string(f)) }

// String gives the name.
func (f ExactField[T]) String() string { return string(f) }

// Eq holds where the field equals the value.
func (f ExactField[T]) Eq(value T) Filter { return one(string(f), "eq", value) }

// Neq holds where the field does not equal the value, or is absent.
func (f ExactField[T]) Neq(value T) Filter { return one(string(f), "neq", value) }

// In holds where the field equals one of the values.
func (f ExactField[T]) In(values ...T) Filter { return many(string(f), "in", values) }

// Nin holds where the field equals none of the values, or is absent.
func (f ExactField[T]) Nin(values ...T) Filter { return many(string(f), "nin", values) }

// IsSet holds where the field has a value.
func (f ExactField[T]) IsSet() Filter { return one(string(f), "is_set", nil) }

// IsNotSet holds where the field is absent.
func (f ExactField[T]) IsNotSet() Filter { return one(string(f), "is_not_set", nil) }

// Asc sorts by the field, the least first.
func (f ExactField[T]) Asc() Order { return Asc(string(f)) }

// Desc sorts by the field, the greatest first.
func (f ExactField[T]) Desc() Order { return Desc(string(f)) }

// String gives the name.
func (f RangeField[T]) String() string { return string(f) }

// Eq holds where the field equals the value.
func (f RangeField[T]) Eq(value T) Filter { return one(string(f), "eq", value) }

// Neq holds where the field does not equal the value, or is absent.
func (f RangeField[T]) Neq(value T) Filter { return one(string(f), "neq", value) }

// In holds where the field equals one of the values.
func (f RangeField[T]) In(values ...T) Filter { return many(string(f), "in", values) }

// Nin holds where the field equals none of the values, or is absent.
func (f RangeField[T]) Nin(values ...T) Filter { return many(string(f), "nin", values) }

// Gt holds where the field is greater than the value.
func (f RangeField[T]) Gt(value T) Filter { return one(string(f), "gt", value) }

// Gte holds where the field is greater than the value or equals it.
func (f RangeField[T]) Gte(value T) Filter { return one(string(f), "gte", value) }

// Lt holds where the field is less than the value.
func (f RangeField[T]) Lt(value T) Filter { return one(string(f), "lt", value) }

// Lte holds where the field is less than the value or equals it.
func (f RangeField[T]) Lte(value T) Filter { return one(string(f), "lte", value) }

// Between holds where the field is from low to high, both included.
func (f RangeField[T]) Between(low, high T) Filter {
	return many(string(f), "between", []T{low, high})
}

// IsSet holds where the field has a value.
func (f RangeField[T]) IsSet() Filter { return one(string(f), "is_set", nil) }

// IsNotSet holds where the field is absent.
func (f RangeField[T]) IsNotSet() Filter { return one(string(f), "is_not_set", nil) }

// Asc sorts by the field, the least first.
func (f RangeField[T]) Asc() Order { return Asc(string(f)) }

// Desc sorts by the field, the greatest first.
func (f RangeField[T]) Desc() Order { return Desc(string(f)) }

// String gives the name.
func (f ListField[T]) String() string { return string(f) }

// In holds where the list has one of the values.
func (f ListField[T]) In(values ...T) Filter { return many(string(f), "in", values) }

// Nin holds where the list has none of the values.
func (f ListField[T]) Nin(values ...T) Filter { return many(string(f), "nin", values) }

// Contains holds where the list has the value.
func (f ListField[T]) Contains(value T) Filter { return one(string(f), "contains", value) }

// IsSet holds where the list has a member.
func (f ListField[T]) IsSet() Filter { return one(string(f), "is_set", nil) }

// IsNotSet holds where the list is empty.
func (f ListField[T]) IsNotSet() Filter { return one(string(f), "is_not_set", nil) }

// String gives the name.
func (f ObjectField) String() string { return string(f) }

// IsSet holds where the field has a value.
func (f ObjectField) IsSet() Filter { return one(string(f), "is_set", nil) }

// IsNotSet holds where the field is absent.
func (f ObjectField) IsNotSet() Filter { return one(string(f), "is_not_set", nil) }
