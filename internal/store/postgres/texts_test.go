package postgres

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// Texts of rows can be kept: those of later rows, of other statements and of other sizes leave them as they are.
func TestTextsOfRowsCanBeKept(t *testing.T) {
	rows := map[string]func(each func(engine.Row) error) error{
		"postgres": func(each func(engine.Row) error) error {
			r, buffer := row{Texts: &room.Texts{}}, make([]byte, 0, 1<<17)
			for i := 1; i <= 3000; i++ {
				buffer = fmt.Appendf(buffer[:0], "%d %s", i, strings.Repeat("x", i%97*(i%13)))
				first := len(buffer)
				buffer = fmt.Append(buffer, i)
				second := len(buffer)
				buffer = append(buffer, strings.Repeat("y", i%50/49*70000)...)
				r.Raw = [][]byte{buffer[:first], buffer[first:second], buffer[second:]}
				if err := each(&r); err != nil {
					return err
				}
			}
			return nil
		},
	}
	for e, query := range rows {
		var kept [][3]string
		for range 2 {
			err := query(func(r engine.Row) error {
				var texts [3]string
				for i := range texts {
					texts[i] = r.Value(i, schema.Text).S
				}
				kept = append(kept, texts)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		for n, has := range kept {
			i := n%3000 + 1
			if !strings.HasPrefix(has[0], fmt.Sprint(i)+" ") || has[1] != fmt.Sprint(i) || strings.Trim(has[2], "y") != "" {
				t.Fatalf("%s: row %d is now %.20q, %q, %.20q", e, i, has[0], has[1], has[2])
			}
		}
	}
}
