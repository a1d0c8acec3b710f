package store

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// Texts of rows can be kept: those of later rows, of other statements and of other sizes leave them as they are.
func TestTextsOfRowsCanBeKept(t *testing.T) {
	c, err := openSQLiteConn(filepath.Join(t.TempDir(), "a.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	rows := map[string]func(each func(row) error) error{
		"sqlite": func(each func(row) error) error {
			return c.query(t.Context(), `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
				SELECT printf('%d %.*c', i, i % 97 * (i % 13), 'x'), '' || i, printf('%.*c', i % 50 / 49 * 70000, 'y') FROM n`, nil, each)
		},
		"postgres": func(each func(row) error) error {
			r, buffer := postgresRow{texts: &room.Texts{}}, make([]byte, 0, 1<<17)
			for i := 1; i <= 3000; i++ {
				buffer = fmt.Appendf(buffer[:0], "%d %s", i, strings.Repeat("x", i%97*(i%13)))
				first := len(buffer)
				buffer = fmt.Append(buffer, i)
				second := len(buffer)
				buffer = append(buffer, strings.Repeat("y", i%50/49*70000)...)
				r.raw = [][]byte{buffer[:first], buffer[first:second], buffer[second:]}
				if err := each(&r); err != nil {
					return err
				}
			}
			return nil
		},
	}
	for engine, query := range rows {
		var kept [][3]string
		for range 2 {
			err := query(func(r row) error {
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
				t.Fatalf("%s: row %d is now %.20q, %q, %.20q", engine, i, has[0], has[1], has[2])
			}
		}
	}
}
