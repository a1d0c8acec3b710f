package store

import (
	"context"
	"errors"
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

// Exec runs a statement in the transaction, and gives how many rows it changed.
func (tx *Tx) Exec(st room.Statement) (int64, error) {
	sql, args, err := tx.held(st)
	if err != nil {
		return 0, err
	}
	return tx.c.Exec(tx.ctx, sql, args)
}

// Query reads with a statement in the transaction.
func (tx *Tx) Query(st room.Statement, each func(room.Row) error) error {
	sql, args, err := tx.held(st)
	if err != nil {
		return err
	}
	return runWays[st.Way](tx.c, tx.ctx, sql, args, each)
}

// Change changes one row, no more and no fewer. It need not be done before the next statement is known, and may fail with that one.
func (tx *Tx) Change(st room.Statement) error {
	sql, args, err := tx.held(st)
	if err != nil {
		return err
	}
	return tx.c.Change(tx.ctx, sql, args)
}

// AddRows adds rows to a table of the business.
func (tx *Tx) AddRows(rows room.Rows) error {
	return tx.insertRows(rows.Table, func() []string { return rows.Columns }, rows.N, rows.Fill)
}

// Wipe has what the rest of the transaction deletes overwritten, too.
func (tx *Tx) Wipe() error { return tx.c.Wipe(tx.ctx) }

// ChangeRights says that the transaction may change what someone in the business may do.
func (tx *Tx) ChangeRights() { tx.rights = true }

// Query reads with a statement that is held to the business.
func (t Tenant) Query(ctx context.Context, st room.Statement, each func(room.Row) error) error {
	sql, args, err := t.held(st)
	if err != nil {
		return err
	}
	return t.read(ctx, func(c engine.Conn) error { return runWays[st.Way](c, ctx, sql, args, each) })
}

// WriteAsking runs fn as Write does, after one question, which is asked in one trip with that for the turn. The turn is answered first:
// nobody can change the other answer in between.
func (t Tenant) WriteAsking(ctx context.Context, actor Actor, question, fn func(*Tx) error) error {
	first := func(tx *Tx) error {
		err := tx.askTurn(tx.c.Ask)
		if err == nil {
			err = question(tx)
		}
		return tx.gotTurn(err)
	}
	return t.begin(ctx, t.s.engine.WriteLocked, actor, first, fn)
}

// LookUp lists the businesses that a lookup finds. What it tells besides is read by each, where that is given. Where some machines of a
// cluster cannot be asked, it gives what the others have, and an error.
func (s *Store) LookUp(ctx context.Context, l room.Lookup, each func(Tenant, room.Row)) ([]Tenant, error) {
	return s.tenantsAcross(ctx, engine.Lookup{SQL: s.numbered(l.Text, 1), Order: l.Order, Args: l.Args, Kinds: l.Kinds}, each)
}

// Directory is where it is found out who somebody is, and of which business. It reads on a connection that waits for no business.
type Directory struct {
	s   *Store
	ctx context.Context
	c   engine.Conn
	// business is the one that can be asked for, where businesses lie on several machines.
	business schema.UUID
}

// InDirectory finds out who somebody is: in a business, or before that is known where it is the zero id.
func (s *Store) InDirectory(ctx context.Context, business schema.UUID, fn func(Directory) error) error {
	return s.readCredentials(ctx, business, func(c engine.Conn) error { return fn(Directory{s, ctx, c, business}) })
}

// BusinessOf is the business of a key that a row has, or the zero id where the key does not tell it. Then there is only one machine, and it
// makes no difference.
func (s *Store) BusinessOf(key schema.Value) schema.UUID {
	id, _ := s.engine.BusinessOf(key)
	return id
}

// opened refuses to ask for a business for which the directory was not opened: it might lie on a machine that others need not wait for.
func (d Directory) opened(business schema.UUID) error {
	if business != d.business && d.s.engine.Scattered() {
		return fmt.Errorf("the directory was opened for %v, and %v is asked for", d.business, business)
	}
	return nil
}

// Query reads with a statement that is held to no business.
func (d Directory) Query(st room.Statement, each func(room.Row) error) error {
	return d.c.Query(d.ctx, d.s.render(st.Text), st.Args, each)
}

// Within reads with a statement that is held to a business.
func (d Directory) Within(t Tenant, st room.Statement, each func(room.Row) error) error {
	sql, args, err := t.held(st)
	if err != nil {
		return err
	}
	if err := d.opened(t.id); err != nil {
		return err
	}
	return d.c.Query(d.ctx, sql, args, each)
}

// Business gives the handle to a business by its id, or ErrNotFound.
func (d Directory) Business(id schema.UUID) (Tenant, error) {
	if err := d.opened(id); err != nil {
		return Tenant{}, err
	}
	return d.s.tenant(d.ctx, d.c, id)
}

// Tenant gives the handle to a business by its key, which a row has.
func (d Directory) Tenant(key schema.Value) (t Tenant, err error) {
	t = Tenant{s: d.s, key: key}
	known := false
	if t.id, known = d.s.engine.BusinessOf(key); known {
		return t, nil
	}
	err = d.Within(t, room.SQL("SELECT id FROM business WHERE business_id = {business}"), func(r engine.Row) error {
		t.id, known = r.Value(0, schema.ID).UUID(), true
		return nil
	})
	if err == nil && !known {
		err = ErrNotFound
	}
	return t, err
}

// OldSecrets is the table that tells the business of secrets which do not name it: that of all secrets, or where that lies on several
// machines a list of those that were there before.
func (d Directory) OldSecrets() string {
	if d.s.engine.Scattered() {
		return "old_secret"
	}
	return "credential"
}

// User reads a user and their role.
func (d Directory) User(t Tenant, id schema.UUID) (user, role *schema.Record, err error) {
	if err := d.opened(t.id); err != nil {
		return nil, nil, err
	}
	if user, err = t.get(d.ctx, d.c, d.s.reg.Resource("user"), id, false, ""); err != nil {
		return nil, nil, err
	}
	role, err = t.get(d.ctx, d.c, d.s.role.Target, user.Get(d.s.role).UUID(), false, "")
	return user, role, err
}

// Outside is a transaction in no business, or in all of them.
type Outside struct {
	s   *Store
	ctx context.Context
	c   engine.Conn
}

// Outside runs fn in a transaction that belongs to no business. fn may run more than once.
func (s *Store) Outside(ctx context.Context, fn func(Outside) error) error {
	return s.engine.Write(ctx, engine.Share{Limit: s.limit}, func(c engine.Conn) error { return fn(Outside{s, ctx, c}) })
}

// Outside is the transaction where it is about what belongs to no business.
func (tx *Tx) Outside() Outside { return Outside{tx.s, tx.ctx, tx.c} }

// Exec runs a statement that is held to no business.
func (o Outside) Exec(st room.Statement) (int64, error) {
	return o.c.Exec(o.ctx, o.s.render(st.Text), st.Args)
}

// Query reads with a statement that is held to no business.
func (o Outside) Query(st room.Statement, each func(room.Row) error) error {
	return o.c.Query(o.ctx, o.s.render(st.Text), st.Args, each)
}

// ExecWithin runs a statement that is held to a business.
func (o Outside) ExecWithin(t Tenant, st room.Statement) (int64, error) {
	sql, args, err := t.held(st)
	if err != nil {
		return 0, err
	}
	return o.c.Exec(o.ctx, sql, args)
}

// QueryWithin reads with a statement that is held to a business.
func (o Outside) QueryWithin(t Tenant, st room.Statement, each func(room.Row) error) error {
	sql, args, err := t.held(st)
	if err != nil {
		return err
	}
	return o.c.Query(o.ctx, sql, args, each)
}

// ChangeAllRights says that what someone may do may have changed, in any business.
func (s *Store) ChangeAllRights() { s.everyone.Add(1) }

// LeaveUntidy leaves the tidying of SQLite's text indexes to the other process that writes to the file: two that do it get in each
// other's way.
func (s *Store) LeaveUntidy() { s.engine.LeaveUntidy() }

// Read runs statements as they were run before, on one connection, and hands the rows of each to what each gives for it.
func (s *Store) Read(ctx context.Context, statements []room.Ran, each func(statement int, r room.Row) (more bool)) error {
	return s.engine.Read(ctx, engine.Share{}, func(c engine.Conn) error {
		for i, ran := range statements {
			err := runWays[ran.Way](c, ctx, ran.SQL, ran.Args, func(r engine.Row) error {
				if !each(i, r) {
					return engine.ErrFull
				}
				return nil
			})
			if err != nil && !errors.Is(err, engine.ErrFull) {
				return err
			}
		}
		return nil
	})
}

// runWays are the methods of a connection for each way.
var runWays = [...]func(c engine.Conn, ctx context.Context, sql string, args []schema.Value, each func(engine.Row) error) error{
	room.Query: engine.Conn.Query, room.Weigh: engine.Conn.Weigh, room.Ask: engine.Conn.Ask,
}

// Watch lets watchers see what the store reads, where watcher gives one for the context of the read. It is to be called before the store
// is in use.
func (s *Store) Watch(watcher func(ctx context.Context) room.Watcher) {
	s.engine = watched{s.engine, watcher}
}

type watched struct {
	engine.Engine
	watcher func(ctx context.Context) room.Watcher
}

func (w watched) Read(ctx context.Context, whose engine.Share, fn func(engine.Conn) error) error {
	watch := w.watcher(ctx)
	if watch == nil {
		return w.Engine.Read(ctx, whose, fn)
	}
	return w.Engine.Read(ctx, whose, func(c engine.Conn) error { return fn(watchedConn{c, watch}) })
}

type watchedConn struct {
	engine.Conn
	watch room.Watcher
}

func (w watchedConn) Query(ctx context.Context, sql string, args []schema.Value, each func(engine.Row) error) error {
	return w.Conn.Query(ctx, sql, args, w.watch(room.Ran{SQL: sql, Args: args, Way: room.Query}, each))
}

func (w watchedConn) Weigh(ctx context.Context, sql string, args []schema.Value, each func(engine.Row) error) error {
	return w.Conn.Weigh(ctx, sql, args, w.watch(room.Ran{SQL: sql, Args: args, Way: room.Weigh}, each))
}

func (w watchedConn) Ask(ctx context.Context, sql string, args []schema.Value, each func(engine.Row) error) error {
	return w.Conn.Ask(ctx, sql, args, w.watch(room.Ran{SQL: sql, Args: args, Way: room.Ask}, each))
}
