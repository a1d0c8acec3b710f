package client

import (
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"time"
)

// Field is a value of an input, of which one of three things is said: nothing, which is its zero value and leaves the record's
// field as it is; that it is to be empty ([Null]); or what it is to be ([Set]).
type Field[T any] struct {
	value T
	state state
}

type state uint8

const (
	notGiven state = iota
	null
	given
)

// Set says what a field is to be. An empty text, list, id, [Decimal], [Date] or time empties the field, as [Null] does.
func Set[T any](value T) Field[T] { return Field[T]{value, given} }

// Null says that a field is to be empty: client.Null[float64]().
func Null[T any]() Field[T] { return Field[T]{state: null} }

// Get gives the value, and whether there is one.
func (f Field[T]) Get() (T, bool) { return f.value, f.state == given }

// IsZero tells that nothing is said about the field; it is then not sent.
func (f Field[T]) IsZero() bool { return f.state == notGiven }

// IsNull tells that the field is to be empty.
func (f Field[T]) IsNull() bool { return f.state == null }

// MarshalJSON gives the value, or null.
func (f Field[T]) MarshalJSON() ([]byte, error) {
	if f.state != given {
		return []byte("null"), nil
	}
	if z, ok := any(f.value).(interface{ IsZero() bool }); ok && z.IsZero() {
		return []byte("null"), nil
	}
	return json.Marshal(f.value)
}

// UnmarshalJSON reads a value or null.
func (f *Field[T]) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*f = Null[T]()
		return nil
	}
	f.state = given
	return json.Unmarshal(text, &f.value)
}

// Decimal is an exact decimal number as a text, such as "1250.50"; the empty text is absent. Money, quantities and percentages are
// decimals.
type Decimal string

// decimalNumber is how a number is written in JSON, without an exponent.
var decimalNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)

// Rat gives the number itself, to reckon with exactly. Of an absent decimal it is nil, without an error.
func (d Decimal) Rat() (*big.Rat, error) {
	if d == "" {
		return nil, nil
	}
	if !decimalNumber.MatchString(string(d)) {
		return nil, fmt.Errorf("client: %q is no decimal number", string(d))
	}
	number, _ := new(big.Rat).SetString(string(d))
	return number, nil
}

// MarshalJSON gives the digits as they are.
func (d Decimal) MarshalJSON() ([]byte, error) {
	switch {
	case d == "":
		return []byte("null"), nil
	case decimalNumber.MatchString(string(d)):
		return []byte(d), nil
	}
	return json.Marshal(string(d)) // the server says what is wrong with it
}

// UnmarshalJSON takes a text or a number, digit by digit.
func (d *Decimal) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	if len(text) > 0 && text[0] == '"' {
		return json.Unmarshal(text, (*string)(d))
	}
	var number json.Number
	err := json.Unmarshal(text, &number)
	*d = Decimal(number)
	return err
}

// Date is a calendar day; its zero value is absent.
type Date struct {
	Year  int
	Month time.Month
	Day   int
}

// DateOf gives the day that a time is in, in the time's own zone.
func DateOf(t time.Time) Date {
	year, month, day := t.Date()
	return Date{year, month, day}
}

// ParseDate reads a day such as 2026-11-30.
func ParseDate(text string) (Date, error) {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return Date{}, fmt.Errorf("client: %q is no date such as 2026-11-30", text)
	}
	return DateOf(t), nil
}

// String gives the day as 2026-11-30.
func (d Date) String() string { return fmt.Sprintf("%04d-%02d-%02d", d.Year, d.Month, d.Day) }

// In gives the time at which the day begins in a zone.
func (d Date) In(zone *time.Location) time.Time {
	return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, zone)
}

// IsZero tells that there is no date.
func (d Date) IsZero() bool { return d == Date{} }

// MarshalJSON gives the day as a text, or null.
func (d Date) MarshalJSON() ([]byte, error) {
	if d.IsZero() {
		return []byte("null"), nil
	}
	return []byte(`"` + d.String() + `"`), nil
}

// UnmarshalJSON reads a day, or null.
func (d *Date) UnmarshalJSON(text []byte) error {
	var day string
	if err := json.Unmarshal(text, &day); err != nil {
		return err
	}
	*d = Date{}
	if day == "" {
		return nil
	}
	var err error
	*d, err = ParseDate(day)
	return err
}
