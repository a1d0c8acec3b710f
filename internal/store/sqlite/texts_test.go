package sqlite

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

// Texts of rows can be kept: those of later rows, of other statements and of other sizes leave them as they are.
func TestTextsOfRowsCanBeKept(t *testing.T) {
	c, err := openConn(filepath.Join(t.TempDir(), "a.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	rows := map[string]func(each func(engine.Row) error) error{
		"sqlite": func(each func(engine.Row) error) error {
			return c.Query(t.Context(), `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
				SELECT printf('%d %.*c', i, i % 97 * (i % 13), 'x'), '' || i, printf('%.*c', i % 50 / 49 * 70000, 'y') FROM n`, nil, each)
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
