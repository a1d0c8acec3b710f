package store

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// What is no record is kept by packages of its own below this one: package keep has what lets somebody in, package queue what is yet to
// be done, package merged which records became one; package portable copies databases and backs them up. They write their SQL
// themselves. These are the ways by which it is run; what they take can only be made in the store's own packages.

// render gives the text of a statement in the engine's dialect. The business, where there is one, is the first argument.
func (s *Store) render(text string) string {
	if sql, ok := s.rendered.Load(text); ok {
		return sql.(string)
	}
	first := 1
	if strings.Contains(text, "{business}") {
		first++
	}
	words := strings.NewReplacer("{business}", s.engine.TenantMark(1), " {lock}", s.engine.Lock())
	sql := words.Replace(s.numbered(text, first))
	for word, put := range map[*regexp.Regexp]func(string) string{indexedWord: s.engine.IndexedBy, weightWord: s.engine.Weight} {
		sql = word.ReplaceAllStringFunc(sql, func(found string) string { return put(word.FindStringSubmatch(found)[1]) })
	}
	s.rendered.Store(text, sql)
	return sql
}

// The words of a statement that name something.
var indexedWord, weightWord = regexp.MustCompile(` \{indexed ([^}]*)\}`), regexp.MustCompile(`\{weight ([^}]*)\}`)

// numbered puts the engine's placeholders in the place of ?, the first of them for the argument of a number.
func (s *Store) numbered(text string, first int) string {
	var sql strings.Builder
	for i, part := range strings.Split(strings.Join(strings.Fields(text), " "), "?") {
		if i > 0 {
			sql.WriteString(s.engine.Mark(first + i - 1))
		}
		sql.WriteString(part)
	}
	return sql.String()
}

// held renders a statement that is held to a business.
func (t Tenant) held(st room.Statement) (sql string, args []schema.Value, err error) {
	if !strings.Contains(st.Text, "{business}") {
		return "", nil, fmt.Errorf("the statement is not held to a business: %s", st.Text)
	}
	sql, args = t.s.sought(st, t.s.render(st.Text), append([]schema.Value{t.key}, st.Args...))
	return sql, args, nil
}

// sought puts the conditions on many values and on a text in others into a statement that is rendered.
func (s *Store) sought(st room.Statement, sql string, args []schema.Value) (string, []schema.Value) {
	if len(st.Among) == 0 && st.Needle == "" {
		return sql, args
	}
	a := engine.Arguments{Dialect: s.engine, Values: args}
	put := func(word string, condition func(x string) string) {
		for before, rest, found := strings.Cut(sql, word); found; before, rest, found = strings.Cut(sql, word) {
			x, after, _ := strings.Cut(rest, "}")
			sql = before + condition(x) + after
		}
	}
	put("{among ", func(x string) string { return a.Dialect.Among(&a, x, st.Among) })
	put("{contains ", func(x string) string { return a.Dialect.Contains(&a, x, st.Needle) })
	return sql, a.Values
}

// queryOn reads on a connection with a statement that is held to the business, and execOn runs one there.
func (t Tenant) queryOn(ctx context.Context, c engine.Conn, st room.Statement, each func(room.Row) error) error {
	sql, args, err := t.held(st)
	if err != nil {
		return err
	}
	return runWays[st.Way](c, ctx, sql, args, each)
}

func (t Tenant) execOn(ctx context.Context, c engine.Conn, st room.Statement) (int64, error) {
	sql, args, err := t.held(st)
	if err != nil {
		return 0, err
	}
	return c.Exec(ctx, sql, args)
}

// Exec runs a statement in the transaction, and gives how many rows it changed.
func (tx *Tx) Exec(st room.Statement) (int64, error) { return tx.execOn(tx.ctx, tx.c, st) }

// run is Exec where it does not matter how many rows were changed, and send need not be done before the next statement is known.
func (tx *Tx) run(text string, args ...schema.Value) error {
	_, err := tx.Exec(room.SQL(text, args...))
	return err
}

func (tx *Tx) send(st room.Statement) error {
	st.Way = room.Ask
	return tx.Query(st, func(room.Row) error { return nil })
}

// Run runs a statement in the transaction of which nobody wants to know how many rows it changes.
func Run(tx *Tx, sql string, args ...schema.Value) error {
	_, err := tx.Exec(room.SQL(sql, args...))
	return err
}

// RunOnce runs a statement in the transaction that changes one row or none, and tells whether it did.
func RunOnce(tx *Tx, sql string, args ...schema.Value) (bool, error) {
	n, err := tx.Exec(room.SQL(sql, args...))
	return n == 1, err
}

// Query reads with a statement in the transaction.
func (tx *Tx) Query(st room.Statement, each func(room.Row) error) error {
	return tx.queryOn(tx.ctx, tx.c, st, each)
}

// Change changes one row, no more and no fewer. It need not be done before the next statement is known, and may fail with that one.
func (tx *Tx) Change(st room.Statement) error {
	sql, args, err := tx.held(st)
	if err != nil {
		return err
	}
	return tx.c.Change(tx.ctx, sql, args)
}

// Wipe has what the rest of the transaction deletes overwritten, too.
func (tx *Tx) Wipe() error { return tx.c.Wipe(tx.ctx) }

// ChangeRights says that the transaction may change what someone in the business may do.
func (tx *Tx) ChangeRights() { tx.rights = true }

// Query reads with a statement that is held to the business.
func (t Tenant) Query(ctx context.Context, st room.Statement, each func(room.Row) error) error {
	return t.read(ctx, func(c engine.Conn) error { return t.queryOn(ctx, c, st, each) })
}

// Reader reads with statements that are held to the business.
func (t Tenant) Reader(ctx context.Context) room.Reader {
	return func(st room.Statement, each func(room.Row) error) error { return t.Query(ctx, st, each) }
}

// Found is what was looked for, or ErrNotFound where it is nil.
func Found[T any](found *T, err error) (*T, error) {
	if err == nil && found == nil {
		err = ErrNotFound
	}
	return found, err
}

// LookUp lists the businesses that a lookup finds. What it tells besides is read by each, where that is given. Where some machines of a
// cluster cannot be asked, it gives what the others have, and an error.
func (s *Store) LookUp(ctx context.Context, l room.Lookup, each func(Tenant, room.Row)) ([]Tenant, error) {
	return s.tenantsAcross(ctx, engine.Lookup{SQL: s.numbered(l.Text, 1), Order: l.Order, Args: l.Args, Kinds: l.Kinds}, each)
}

// ChangeAllRights says that what someone may do may have changed, in any business.
func (s *Store) ChangeAllRights() { s.everyone.Add(1) }

// LeaveUntidy leaves the tidying of SQLite's text indexes to the other process that writes to the file: two that do it get in each
// other's way.
func (s *Store) LeaveUntidy() { s.engine.LeaveUntidy() }

// runWays are the methods of a connection for each way.
var runWays = [...]func(c engine.Conn, ctx context.Context, sql string, args []schema.Value, each func(engine.Row) error) error{
	room.Query: engine.Conn.Query, room.Weigh: engine.Conn.Weigh, room.Ask: engine.Conn.Ask,
}
