package sqlite

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

func TestStatementsAreKeptBySize(t *testing.T) {
	c, err := openConn(filepath.Join(t.TempDir(), "kith.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	run := func(sql string) {
		if err := c.Query(t.Context(), sql, nil, func(engine.Row) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	run("SELECT 'used often'")
	for i := range 3 * maxStatements {
		run(fmt.Sprintf("SELECT %d", i))
		run("SELECT 'used often'")
	}
	if n := len(c.statements.known); n > maxStatements || n < maxStatements/2 {
		t.Errorf("%d short statements are kept", n)
	}
	if c.statements.known["SELECT 'used often'"] == nil {
		t.Error("the statement that was used last was forgotten")
	}
	for i := range 500 {
		run(fmt.Sprintf("SELECT %d, '%s'", i, strings.Repeat("x", longStatement-100)))
	}
	if n := c.statements.bytes; n > maxStatementBytes {
		t.Errorf("statements of %d bytes are kept", n)
	}
	before := len(c.statements.known)
	long := "SELECT '" + strings.Repeat("x", longStatement) + "'"
	run(long)
	if c.statements.known[long] != nil || len(c.statements.known) != before {
		t.Error("a very long statement is kept")
	}
	// A statement that runs inside itself, and one that is pushed out while it runs.
	err = c.Query(t.Context(), "SELECT 1 UNION ALL SELECT 2", nil, func(engine.Row) error {
		for i := range 2 * maxStatements {
			run(fmt.Sprintf("SELECT -%d", i))
		}
		run("SELECT 1 UNION ALL SELECT 2")
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// What is looked for inside a text takes time in proportion to the text, also where it nearly fits at every place of it. Compared
// at each place by itself, this would take many times as long as it may.
func TestPartsAreFoundInProportionToTheText(t *testing.T) {
	c, err := openConn(filepath.Join(t.TempDir(), "kith.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	d := Dialect{}
	a := engine.Arguments{Dialect: d, Values: []schema.Value{schema.TextValue(schema.Text, strings.Repeat("a", 1<<19))}}
	sql := "SELECT " + d.Contains(&a, d.Mark(1), strings.Repeat("a", 1<<18)+"b")
	begin := time.Now()
	if err := c.Query(t.Context(), sql, a.Values, func(engine.Row) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begin); took > 4*time.Second {
		t.Errorf("it took %v", took)
	}
}
