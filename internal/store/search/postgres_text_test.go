package search

import (
	"context"
	"errors"
	"testing"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

// plainRow is a row with its values.
type plainRow []schema.Value

func (r plainRow) Value(column int, _ schema.Kind) schema.Value { return r[column] }

// A page by created_at is in the order that was asked for, or it is none.
func TestRecordsOutOfOrderAreNoticed(t *testing.T) {
	for _, tt := range []struct {
		what string
		desc bool
		// rows have created_at and the last byte of the id.
		rows [][2]int64
		ok   bool
	}{
		{"none", true, nil, true},
		{"newest first", true, [][2]int64{{9, 1}, {7, 2}, {7, 1}, {3, 5}}, true},
		{"oldest first", false, [][2]int64{{-3, 1}, {0, 2}, {0, 3}, {9, 1}}, true},
		{"newest first, a later one behind", true, [][2]int64{{9, 1}, {3, 1}, {7, 1}}, false},
		{"oldest first, an earlier one behind", false, [][2]int64{{3, 1}, {9, 1}, {7, 1}}, false},
		{"of one time, in the order of ids", true, [][2]int64{{9, 1}, {9, 2}}, false},
		{"a record twice", false, [][2]int64{{9, 1}, {9, 1}}, false},
	} {
		s := &Search{q: &query.Query{Desc: tt.desc}}
		seen := 0
		err := s.inOrder(func(_ context.Context, _ string, _ []schema.Value, each func(engine.Row) error) error {
			for _, r := range tt.rows {
				if err := each(plainRow{
					schema.IntValue(schema.Time, r[0]),
					schema.IDValue(schema.UUID{0: 1, 15: byte(r[1])}),
				}); err != nil {
					return err
				}
			}
			return nil
		})(t.Context(), "", nil, func(engine.Row) error {
			seen++
			return nil
		})
		if tt.ok && (err != nil || seen != len(tt.rows)) || !tt.ok && (!errors.Is(err, errOutOfOrder) || seen != len(tt.rows)-1) {
			t.Errorf("%s: %d of %d records, %v", tt.what, seen, len(tt.rows), err)
		}
	}
}
