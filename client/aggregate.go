package client

import (
	"context"
	"encoding/json"
	"fmt"
)

// AggregateQuery asks for figures of records rather than for the records.
type AggregateQuery struct {
	// Text and Filters say of which records, as those of a [Query] do.
	Text    string   `json:"search_text,omitzero"`
	Filters []Filter `json:"filters,omitempty"`
	// GroupBy are up to two fields by which the records are put together; a time needs a unit, see [Per].
	GroupBy []string `json:"group_by,omitempty"`
	// Metrics are the figures of each group: [Count], and see [Sum], [Avg], [Min] and [Max].
	Metrics []string `json:"metrics,omitempty"`
	// Order sorts by a metric or a group, by its name.
	Order
	// Timezone is where the periods of times begin, such as Europe/Berlin; that of the business when empty.
	Timezone string `json:"timezone,omitzero"`
	// Limit is how many groups are answered, up to 1,000.
	Limit int `json:"limit,omitzero"`
}

// Count is the metric of how many records there are.
const Count = "count"

// Sum is the metric of the sum of a field: client.Sum(client.DealFields.Amount).
func Sum(field fmt.Stringer) string { return "sum:" + field.String() }

// Avg is the metric of the average of a field.
func Avg(field fmt.Stringer) string { return "avg:" + field.String() }

// Min is the metric of the least value of a field.
func Min(field fmt.Stringer) string { return "min:" + field.String() }

// Max is the metric of the greatest value of a field.
func Max(field fmt.Stringer) string { return "max:" + field.String() }

// Per groups by the day, week, month, quarter or year that a time or date is in: client.Per(client.DealFields.CreatedAt, "month").
func Per(field fmt.Stringer, unit string) string { return field.String() + ":" + unit }

// Figures are the answer to an [AggregateQuery].
type Figures struct {
	Rows []Row
	// HasMore tells that there are more groups than the limit.
	HasMore bool
}

// Row is one group: its values and figures by the names with which they were asked for, as JSON.
type Row map[string]json.RawMessage

// Text gives a value of a group, such as an id, a choice or a month; the empty text where the records have none.
func (r Row) Text(name string) string {
	var text string
	_ = json.Unmarshal(r[name], &text) // null, and what is no text, leave it empty
	return text
}

// Decimal gives a figure, digit by digit: a count, a sum, an average. It is empty where there is none.
func (r Row) Decimal(name string) Decimal {
	var d Decimal
	_ = json.Unmarshal(r[name], &d) // null, and what is no number, leave it empty
	return d
}

// Count gives how many records the group has, if that was asked for.
func (r Row) Count() int64 {
	var n int64
	_ = json.Unmarshal(r[Count], &n) // what was not asked for leaves it zero
	return n
}

func (s calls[R]) aggregate(ctx context.Context, q AggregateQuery) (*Figures, error) {
	in, err := read[Row](ctx, s.core, s.path+"/aggregate", q)
	if err != nil {
		return nil, err
	}
	return &Figures{Rows: in.Data, HasMore: in.Meta.HasMore}, nil
}
