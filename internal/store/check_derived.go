package store

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/reconcile"
	"github.com/kith-crm/kith/internal/store/internal/room"
	"github.com/kith-crm/kith/internal/store/layout"
)

// derive notes the rows of other tables that follow from a record.
func (k *checker) derive(res *schema.Resource, one stored, sign int) {
	for table, rows := range k.t.derivedRows(res, one.Record) {
		for _, values := range rows {
			if k.settled(table, values) {
				k.reconciler(table).Add(values, sign)
			}
		}
	}
	if one.Live() {
		k.words = k.t.s.search.Planner.Text().Words(k.words[:0], k.t.searched(), one.doc)
		k.reconciler(res.Plural).AddWords(one.place, k.words, sign) // a text index has the name of its records, which are no derived table
	}
}

func (k *checker) reconciler(table string) *reconcile.Reconciler {
	l := k.reconcilers[table]
	if l == nil {
		if l = reconcile.New(); k.of != nil {
			k.joining.Lock()
			l = k.of.reconciler(table).Part()
			k.joining.Unlock()
		}
		k.reconcilers[table] = l
	}
	return l
}

// derivedRows are the rows that follow from a record, by their table, without the business.
func (t Tenant) derivedRows(res *schema.Resource, rec *schema.Record) map[string][][]schema.Value {
	rows := map[string][][]schema.Value{}
	add := func(table string, values ...schema.Value) { rows[table] = append(rows[table], values) }
	id := rec.Get(res.Common.ID)
	if res.Life.Duplicates != nil && rec.Live() {
		for _, key := range matchKeys(res.Life.Duplicates, rec.Get) {
			add("match_key", text(res.Name), text(key), id)
		}
	}
	for _, s := range layout.CustomEntries(rec) {
		add(s.Table, room.Integer(s.Field), s.Key, id, rec.Get(res.Common.CreatedAt))
	}
	_, added := rec.Document()
	for _, l := range added {
		if l.Follows() && rec.Get(l).Set {
			add("added_reference", rec.Get(l), text(res.Name), text(l.Member), id)
		}
	}
	if len(res.EndLeaves) > 0 {
		if ends, err := EndsOf(res, rec); err == nil { // otherwise that is told of the record
			for _, values := range endRows(rec, ends) {
				add(layout.EndTable(res), values...)
			}
		}
	}
	for _, p := range t.s.reg.ListItems {
		if p.Whole.Name == res.Name && rec.Live() {
			items, err := layout.ListItemRows(p, rec.Get(p.List))
			for _, values := range items {
				if err == nil {
					add(p.Table(), append([]schema.Value{id}, values...)...)
				}
			}
		}
	}
	return rows
}

// settled tells whether a row is one that is kept up to date: indexes that are being made or removed are left alone, and references
// by fields that are no more.
func (k *checker) settled(table string, values []schema.Value) bool {
	switch table {
	case layout.CustomTexts, layout.CustomNumbers:
		return !k.unsettled[values[0].N]
	case "added_reference":
		res := k.resource(values[1].S)
		if res == nil {
			return false
		}
		_, added := res.Document()
		return slices.ContainsFunc(added, func(l *schema.Leaf) bool { return l.Member == values[2].S })
	}
	return true
}

func (k *checker) resource(name string) *schema.Resource {
	at := slices.IndexFunc(k.resources, func(res *schema.Resource) bool { return res.Name == name })
	if at < 0 {
		return nil
	}
	return k.resources[at]
}

// derivedTables are the tables that have nothing but what follows from records.
func (s *Store) derivedTables() []engine.Table {
	names := []string{"match_key", "added_reference", layout.CustomTexts, layout.CustomNumbers}
	for _, res := range s.reg.Resources {
		if len(res.EndLeaves) > 0 {
			names = append(names, layout.EndTable(res))
		}
	}
	for _, p := range s.reg.ListItems {
		names = append(names, p.Table())
	}
	return slices.DeleteFunc(layout.Tables(s.reg), func(t engine.Table) bool { return !slices.Contains(names, t.Name) })
}

// owner is the record that a row of a derived table follows from.
func (k *checker) owner(t engine.Table, values []schema.Value) (*schema.Resource, schema.UUID) {
	switch t.Name {
	case "match_key":
		return k.resource(values[0].S), values[2].UUID()
	case "added_reference":
		return k.resource(values[1].S), values[3].UUID()
	case layout.CustomTexts, layout.CustomNumbers:
		for _, res := range k.resources {
			if slices.ContainsFunc(res.Filed(), func(l *schema.Leaf) bool { return layout.FieldNumber(l).N == values[0].N }) {
				return res, values[2].UUID()
			}
		}
		return nil, values[2].UUID()
	}
	for _, res := range k.resources {
		if len(res.EndLeaves) > 0 && layout.EndTable(res) == t.Name {
			return res, values[5].UUID()
		}
	}
	for _, p := range k.t.s.reg.ListItems {
		if p.Table() == t.Name {
			return k.resource(p.Whole.Name), values[0].UUID()
		}
	}
	return nil, schema.UUID{}
}

// readDerived gives the tasks that read what there is of what follows from records. Text indexes come first: they take the longest.
func (k *checker) readDerived() (tasks []task) {
	for _, res := range k.resources {
		tasks = append(tasks, func(k *checker) error {
			l := k.reconciler(res.Plural)
			return k.t.s.search.Planner.Text().Indexed(k.ctx, k.c, k.t.searched(), res,
				func(place int64, word string) { l.AddWord(place, word, -1) })
		})
	}
	for _, t := range k.t.s.derivedTables() {
		tasks = append(tasks, func(k *checker) error {
			l := k.reconciler(t.Name)
			var names []string
			for _, c := range t.Columns[1:] {
				names = append(names, "t."+c.Name)
			}
			values := make([]schema.Value, len(names))
			st := room.SQL("SELECT " + strings.Join(names, ", ") + " FROM " + t.Name + " t WHERE t.business_id = {business}")
			return k.query(st, func(r room.Row) error {
				for i, c := range t.Columns[1:] {
					values[i] = r.Value(i, c.Kind)
				}
				if k.settled(t.Name, values) {
					l.Add(values, -1)
				}
				return nil
			})
		})
	}
	return tasks
}

// compareDerived holds what follows from records to what there is. Both have been gone through.
func (k *checker) compareDerived() error {
	again := false
	for _, l := range k.reconcilers {
		again = l.Settle() || again
		k.more = k.more || l.More
	}
	if !again {
		return nil
	}
	records, err := k.walk(func(k *checker, res *schema.Resource, some []stored) error {
		for _, one := range some {
			k.derive(res, one, 1)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := k.atOnce(append(k.readDerived(), records...)); err != nil {
		return err
	}
	for _, t := range k.t.s.derivedTables() {
		if err := k.tellDerived(t); err != nil {
			return err
		}
	}
	for _, res := range k.resources {
		if err := k.tellTexts(res); err != nil {
			return err
		}
	}
	return nil
}

func kindsOf(columns []engine.Column) (kinds []schema.Kind) {
	for _, c := range columns {
		kinds = append(kinds, c.Kind)
	}
	return kinds
}

// tellDerived tells of rows that are missing or too many.
func (k *checker) tellDerived(t engine.Table) error {
	missing, extra, err := k.reconciler(t.Name).Differences(kindsOf(t.Columns[1:]))
	if err != nil {
		return err
	}
	for _, rows := range []struct {
		what string
		all  [][]schema.Value
	}{{"%s has a row too many about it: %s", extra}, {"%s lacks a row about it: %s", missing}} {
		for _, values := range rows.all {
			res, id := k.owner(t, values)
			f := Fault{
				ID: id, What: fmt.Sprintf(rows.what, t.Name, shownRow(t.Columns[1:], values)),
				mend: func(tx *Tx) error { return tx.mendRow(t, values, res, id) },
			}
			if res != nil {
				f.Resource = res.Name
			}
			k.found(f)
		}
	}
	return nil
}

// shownRow writes a row for people.
func shownRow(columns []engine.Column, values []schema.Value) string {
	var parts []string
	for i, v := range values {
		told := "null"
		switch {
		case !v.Set:
		case v.Kind == schema.ID || v.Kind == engine.KindBytes:
			told = hex.EncodeToString([]byte(v.S))
		case v.Kind == schema.Time:
			told = string(schema.AppendTime(nil, v.Time()))
		case engine.CountsInN(v.Kind):
			told = fmt.Sprint(v.N)
		default:
			told = fmt.Sprintf("%.40q", v.S)
		}
		parts = append(parts, columns[i].Name+" "+told)
	}
	return strings.Join(parts, ", ")
}

// mendRow brings a row of a derived table to what its record says now.
func (tx *Tx) mendRow(t engine.Table, values []schema.Value, res *schema.Resource, id schema.UUID) error {
	expected := false
	if res != nil {
		rec, err := GetAny(tx, res, id)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
		if err == nil {
			expected = slices.ContainsFunc(tx.derivedRows(res, rec)[t.Name], func(other []schema.Value) bool {
				return string(room.AppendRow(nil, other)) == string(room.AppendRow(nil, values))
			})
		}
	}
	b := tx.builder()
	names, marks, where := []string{"business_id"}, []string{b.TenantMark()}, []string{"business_id = " + b.TenantMark()}
	for i, c := range t.Columns[1:] {
		if !expected && !slices.Contains(t.Primary, c.Name) {
			continue
		}
		mark := b.Arg(values[i])
		names, marks, where = append(names, c.Name), append(marks, mark), append(where, c.Name+" = "+mark)
	}
	sql := "DELETE FROM " + t.Name + " WHERE " + strings.Join(where, " AND ")
	if expected {
		sql = "INSERT INTO " + t.Name + " (" + strings.Join(names, ", ") + ")" +
			" VALUES (" + strings.Join(marks, ", ") + ")" +
			" ON CONFLICT (" + strings.Join(t.Primary, ", ") + ") DO NOTHING"
	}
	_, err := tx.c.Exec(tx.ctx, sql, b.Values)
	return err
}

// tellTexts tells of records that the text index does not have, or not as they are.
func (k *checker) tellTexts(res *schema.Resource) error {
	missing, extra, err := k.reconciler(res.Plural).Differences(reconcile.WordKinds)
	if err != nil {
		return err
	}
	places := map[int64]string{}
	for _, values := range extra {
		places[values[0].N] = "the text index finds it by words that it does not have"
	}
	for _, values := range missing {
		places[values[0].N] = "the text index does not find it by all of its words"
	}
	for _, place := range slices.Sorted(maps.Keys(places)) {
		f := Fault{
			Resource: res.Name, What: places[place],
			mend: func(tx *Tx) error { return tx.s.search.Planner.Text().Mend(&tx.texts, res, place) },
		}
		at := room.SQL("SELECT t.id FROM "+res.Plural+" t WHERE t.business_id = {business} AND t."+
			k.t.s.search.Planner.Text().PlacedBy()+" = ?", room.Integer(place))
		if err := k.query(at, room.Into(&f.ID, room.FirstID)); err != nil {
			return err
		}
		if f.ID == (schema.UUID{}) {
			f.What = fmt.Sprintf("the text index of %s finds a record at place %d, where none is", res.Plural, place)
		}
		k.found(f)
	}
	return nil
}

// checkCounts holds the kept counts and figures to the records.
func (k *checker) checkCounts() error {
	kept := map[string]int64{}
	err := k.query(room.SQL("SELECT t.name, t.n FROM tally t WHERE t.business_id = {business}"), func(r room.Row) error {
		kept[room.FirstText(r)] = r.Value(1, schema.Integer).N
		return nil
	})
	if err != nil {
		return err
	}
	for _, res := range k.resources {
		for _, bin := range []bool{false, true} {
			name := layout.TallyName(res, bin)
			if kept[name] == k.counted[name] {
				continue
			}
			state := "live"
			if bin {
				state = "deleted"
			}
			k.found(Fault{
				Resource: res.Name,
				What:     fmt.Sprintf("the kept count of %s %s is %d, expected %d", state, res.Plural, kept[name], k.counted[name]),
				mend:     func(tx *Tx) error { return tx.recount(res, bin) },
			})
		}
	}
	if !k.figured { // an older server has written; they are made anew when it is gone
		return nil
	}
	for _, res := range k.resources {
		if layout.KeepsFigures(res) {
			if err := k.checkFigures(res); err != nil {
				return err
			}
		}
	}
	return nil
}

// recount counts the records of a resource anew.
func (tx *Tx) recount(res *schema.Resource, bin bool) error {
	state := engine.Live
	if bin {
		state = "deleted_at IS NOT NULL"
	}
	n := int64(0)
	err := tx.Query(room.SQL("SELECT count(*) FROM "+res.Plural+" t WHERE t.business_id = {business} AND t."+state),
		room.Into(&n, room.FirstInt))
	if err != nil {
		return err
	}
	return tx.run(`
		INSERT INTO tally (business_id, name, n)
		VALUES ({business}, ?, ?)
		ON CONFLICT (business_id, name) DO UPDATE SET n = excluded.n`, text(layout.TallyName(res, bin)), room.Integer(n))
}

// checkFigures holds the kept figures of a resource to its records.
func (k *checker) checkFigures(res *schema.Resource) error {
	expected := map[string][]int64{}
	for _, f := range k.sums.figures {
		if f.res.Name == res.Name {
			expected[f.place] = f.deltas
		}
	}
	t := k.t.s.tableNamed(layout.FigureTable(res))
	numbers := len(layout.FigureNumbers(res))
	wrong := ""
	err := (&tableReading{Table: t, of: &k.t}).all(k.ctx, k.t.s, k.c, func(values []schema.Value) error {
		place, kept := values[1].S, make([]int64, numbers)
		for i := range kept {
			kept[i] = values[len(values)-numbers+i].N
		}
		if want := expected[place]; want == nil {
			if slices.ContainsFunc(kept, func(n int64) bool { return n != 0 }) {
				wrong = fmt.Sprintf("the kept figures have %d %s where there are none", kept[0], res.Plural)
			}
		} else if !slices.Equal(want, kept) {
			wrong = fmt.Sprintf("the kept figures are %v, expected %v", kept, want)
		}
		delete(expected, place)
		return nil
	})
	if err != nil {
		return err
	}
	for _, want := range expected {
		wrong = fmt.Sprintf("the kept figures lack %d %s", want[0], res.Plural)
	}
	if wrong != "" {
		k.found(Fault{Resource: res.Name, What: wrong, mend: (*Tx).refigure})
	}
	return nil
}

// checkLoginDomains holds the rows by which a business is found from the domain of an e-mail address to what the business says of
// its identity provider.
func (k *checker) checkLoginDomains() error {
	want, err := k.t.loginDomains(k.ctx, k.c)
	if err != nil {
		return err
	}
	var there []string
	err = k.query(room.SQL("SELECT t.domain FROM login_domain t WHERE t.business_id = {business}"), room.Collect(&there, room.FirstText))
	if err != nil {
		return err
	}
	wrong := func(domain, says string) {
		k.found(Fault{What: fmt.Sprintf(says, domain), mend: (*Tx).rewriteLoginDomains})
	}
	for _, d := range want {
		if !slices.Contains(there, d) {
			wrong(d, "login_domain lacks %q, so nobody with such an address is offered the log-in of the business")
		}
	}
	for _, d := range there {
		if !slices.Contains(want, d) {
			wrong(d, "login_domain has %q, which the business does not name")
		}
	}
	return nil
}

// loginDomains are the domains that the business names, as its own record has them.
func (t Tenant) loginDomains(ctx context.Context, c engine.Conn) (all []string, err error) {
	err = t.queryOn(ctx, c, room.SQL("SELECT t.login_domains FROM business t WHERE t.business_id = {business}"),
		room.Into(&all, func(r room.Row) []string { return body.Strings(r.Value(0, schema.Tags)) }))
	return all, err
}

// rewriteLoginDomains makes the rows of login_domain anew.
func (tx *Tx) rewriteLoginDomains() error {
	want, err := tx.loginDomains(tx.ctx, tx.c)
	if err != nil {
		return err
	}
	if err := tx.run("DELETE FROM login_domain WHERE business_id = {business}"); err != nil {
		return err
	}
	for _, d := range want {
		if err := tx.run("INSERT INTO login_domain (business_id, domain) VALUES ({business}, ?)", text(d)); err != nil {
			return err
		}
	}
	return nil
}
