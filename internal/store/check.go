package store

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/reconcile"
	"github.com/kith-crm/kith/internal/store/internal/room"
	"github.com/kith-crm/kith/internal/store/layout"
	"github.com/kith-crm/kith/internal/store/search"
)

// Much of what the store keeps follows from something else: the text index, counts, the rows by which records are found. Check
// holds all of it to what it follows from, a business at a time, in one state of the database, while others go on. What can be made
// anew is mended in the business's turn, by the code that makes it every day.

// Rules are what the domain knows about the records of a business.
type Rules struct {
	// Fields is the resource that says what a business adds to its records, and Shaped gives the resources as they are with that.
	Fields *schema.Resource
	Shaped func(changes int64, fields []*schema.Record) ([]*schema.Resource, error)
	// Removed are the actions behind which there is no record any more.
	Removed []string
	// Wrong tells what a record has computed wrongly of its own values.
	Wrong func(rec *schema.Record) []string
}

// Fault is something that is not as it should be.
type Fault struct {
	Business schema.UUID
	// Resource and ID are the record that it is about, where it is about one.
	Resource string
	ID       schema.UUID
	What     string
	// Mended tells that it is as it should be now.
	Mended bool
	// mend makes it so, and is nil where it cannot be known how.
	mend func(*Tx) error
}

// Checking is how a business is checked.
type Checking struct {
	Rules
	Repair bool
	// Found is told every fault, after it was mended where that was asked for and can be done.
	Found func(Fault)
	// Looked is told now and then that some more records were looked at.
	Looked func(records int64)
}

// serial has those who are told be told by one at a time.
func (how *Checking) serial() {
	var one sync.Mutex
	found, looked := how.Found, how.Looked
	how.Found = func(f Fault) {
		one.Lock()
		defer one.Unlock()
		found(f)
	}
	how.Looked = func(records int64) {
		one.Lock()
		defer one.Unlock()
		if looked != nil {
			looked(records)
		}
	}
}

// mostFaults is how many faults of a business are kept in mind to be mended; with more, it is looked through again.
const mostFaults = 5000

// CheckFile holds the database itself to its own rules, where it has a way to tell.
func (s *Store) CheckFile(ctx context.Context, found func(what string)) error {
	// On the connection of credentials, so that all others are for the businesses, which are checked at the same time.
	return s.engine.Read(ctx, engine.Share{Credentials: true}, func(c engine.Conn) error { return s.engine.Inspect(ctx, c, found) })
}

// Records is how many records there are to be checked in the business, as far as its counts are right.
func (t Tenant) Records(ctx context.Context) (n int64, err error) {
	err = t.read(ctx, func(c engine.Conn) error {
		for _, res := range t.s.reg.Resources {
			for _, bin := range []bool{false, true} {
				some, err := t.searched().Tally(ctx, c, layout.TallyName(res, bin))
				if err != nil {
					return err
				}
				n += some
			}
		}
		return nil
	})
	return n, err
}

// Check looks through everything that belongs to the business.
func (t Tenant) Check(ctx context.Context, how Checking) error {
	audit, err := t.CheckAudit(ctx)
	if err != nil {
		return err
	}
	for _, what := range audit.Wrong {
		how.Found(Fault{Business: t.id, What: "the audit log: " + what})
	}
	how.serial()
	for told := 0; ; {
		k := &checker{Checking: how, t: t, ctx: ctx}
		err := t.s.engine.Snapshot(ctx, runtime.GOMAXPROCS(0), func(all []engine.Conn) error {
			k.c, k.conns = all[0], all
			return k.look()
		})
		how.Looked = func(int64) {} // they were counted
		if err != nil {
			return err
		}
		mended := 0
		for i := range k.faults {
			f := &k.faults[i]
			if how.Repair && f.mend != nil {
				if err := k.mend(f); err != nil {
					return err
				}
				if f.Mended {
					mended++
				}
			}
			if f.Mended || i >= told {
				how.Found(*f)
			}
		}
		if !k.more || mended == 0 {
			return nil
		}
		told = len(k.faults) - mended // which come first again
	}
}

// mend mends a fault in the business's turn, unless what its records are has changed since.
func (k *checker) mend(f *Fault) error {
	return k.t.Write(k.ctx, Actor{}, func(tx *Tx) error {
		f.Mended = false
		if now, _ := tx.Shape(); now != k.shape {
			return nil
		}
		if err := f.mend(tx); err != nil {
			return err
		}
		f.Mended = true
		return nil
	})
}

// checker looks through a business once.
type checker struct {
	Checking
	t     Tenant
	ctx   context.Context
	c     engine.Conn
	conns []engine.Conn

	// seq is the number of the last entry of the log, and shape how often what records are has changed.
	seq, shape int64
	figured    bool
	resources  []*schema.Resource
	// unsettled are the added fields whose index is being made or removed.
	unsettled map[int64]bool
	// reconcilers hold what follows from records to what there is, by the names of the tables.
	reconcilers map[string]*reconcile.Reconciler
	// of is the checker of which this one does a part, or nil, and joining is held by who puts reconcilers together.
	of      *checker
	joining *sync.Mutex
	// counted are the counts of live and deleted records, and sums what is kept of them in figures.
	counted map[string]int64
	sums    *Tx
	words   []byte

	faults []Fault
	more   bool
}

// query reads what belongs to the business.
func (k *checker) query(st room.Statement, each func(room.Row) error) error {
	return k.t.queryOn(k.ctx, k.c, st, each)
}

// tell notes a fault of a record that cannot be mended.
func (k *checker) tell(resource string, id schema.UUID, what string, args ...any) {
	k.found(Fault{Resource: resource, ID: id, What: fmt.Sprintf(what, args...)})
}

// found notes a fault.
func (k *checker) found(f Fault) {
	f.Business = k.t.id
	if len(k.faults) < mostFaults {
		k.faults = append(k.faults, f)
		return
	}
	k.more = true
	if !k.Repair {
		k.Found(f)
	}
}

func (k *checker) look() error {
	if err := k.begin(); err != nil {
		return err
	}
	records, err := k.walk((*checker).record)
	if err != nil {
		return err
	}
	if err := k.atOnce(slices.Concat(k.readDerived(), records, k.checkLog())); err != nil {
		return err
	}
	for _, compare := range []func() error{k.compareDerived, k.checkCounts, k.checkLoginDomains} {
		if err := compare(); err != nil {
			return err
		}
	}
	for _, res := range k.resources {
		err := k.t.s.search.Planner.Text().Misplaced(k.ctx, k.c, k.t.searched(), res,
			func(id schema.UUID, what string, mend func(*search.Writing) error) {
				f := Fault{Resource: res.Name, ID: id, What: what}
				if mend != nil {
					f.mend = func(tx *Tx) error { return mend(&tx.texts) }
				}
				k.found(f)
			})
		if err != nil {
			return err
		}
	}
	return nil
}

// task is a part of the look that can be taken at the same time as others. It is handed a checker of its own.
type task func(*checker) error

// atOnce runs tasks, as many at once as there are connections, and puts together what they saw, in their order.
func (k *checker) atOnce(tasks []task) error {
	ctx, stop := context.WithCancel(k.ctx)
	defer stop()
	seen, failed := make([]*checker, len(tasks)), make([]error, len(k.conns))
	var next atomic.Int64
	var all sync.WaitGroup
	for i, c := range k.conns {
		all.Go(func() {
			reconcilers := map[string]*reconcile.Reconciler{}
			for failed[i] == nil {
				at := int(next.Add(1)) - 1
				if at >= len(tasks) {
					break
				}
				one := *k
				one.ctx, one.c, one.reconcilers, one.of, one.faults, one.more = ctx, c, reconcilers, k, nil, false
				one.counted, one.sums = map[string]int64{}, &Tx{Tenant: k.t, figured: true, figures: map[string]figure{}}
				if failed[i] = tasks[at](&one); failed[i] != nil {
					stop()
				}
				seen[at] = &one
			}
			k.joining.Lock()
			defer k.joining.Unlock()
			for name, l := range reconcilers {
				k.reconciler(name).Join(l)
			}
		})
	}
	all.Wait()
	if err := firstCause(failed); err != nil {
		return err
	}
	for _, one := range seen {
		for name, n := range one.counted {
			k.counted[name] += n
		}
		k.sums.joinFigures(one.sums)
		for _, f := range one.faults {
			k.found(f)
		}
		k.more = k.more || one.more
	}
	return nil
}

// firstCause is the error for which the others were stopped.
func firstCause(all []error) (err error) {
	for _, one := range all {
		if err == nil || errors.Is(err, context.Canceled) && one != nil {
			err = one
		}
	}
	return err
}

// begin reads what the business's records are.
func (k *checker) begin() error {
	there := false
	about := room.SQL("SELECT t.change_seq, t.shape_seq, t.figured_seq FROM business t WHERE t.business_id = {business}")
	err := k.query(about, func(r room.Row) error {
		there = true
		k.seq, k.shape = room.FirstInt(r), r.Value(1, schema.Integer).N
		k.figured = k.t.s.whole(r.Value(2, schema.Integer), k.seq)
		return nil
	})
	if err != nil {
		return err
	}
	if !there {
		return ErrNotFound
	}
	fields, err := k.t.all(k.ctx, k.c, k.Fields, 1<<20)
	if err != nil {
		return err
	}
	if k.resources, err = k.Shaped(k.shape, fields); err != nil {
		return err
	}
	k.unsettled = map[int64]bool{}
	err = k.query(room.SQL("SELECT t.field FROM slip_work t WHERE t.business_id = {business}"), func(r room.Row) error {
		k.unsettled[room.FirstInt(r)] = true
		return nil
	})
	k.reconcilers, k.counted, k.joining = map[string]*reconcile.Reconciler{}, map[string]int64{}, &sync.Mutex{}
	k.sums = &Tx{Tenant: k.t, figured: true, figures: map[string]figure{}}
	return err
}

// stored is a record as it lies in its table, with what follows from it there.
type stored struct {
	*schema.Record
	keys  []schema.Value
	doc   string
	place int64
}

// checkedAtOnce is how many records are in memory for each that looks, and stretchRecords how many are one task.
const (
	checkedAtOnce  = 500
	stretchRecords = 10_000
)

// walk gives the tasks that hand all records of the business to each, resource by resource, some at a time.
func (k *checker) walk(each func(k *checker, res *schema.Resource, some []stored) error) (tasks []task, err error) {
	for _, res := range k.resources {
		ends, err := k.stretches(res)
		if err != nil {
			return nil, err
		}
		after := schema.Absent(schema.ID)
		for _, end := range append(ends, schema.Absent(schema.ID)) {
			from := after
			tasks = append(tasks, func(k *checker) error {
				for at := from; ; {
					some, err := k.storedFrom(res, at, end)
					if err != nil || len(some) == 0 {
						return err
					}
					if err := each(k, res, some); err != nil {
						return err
					}
					at = some[len(some)-1].Get(res.Common.ID)
				}
			})
			after = end
		}
	}
	return tasks, nil
}

// stretches are the ids with which all tasks but the last end.
func (k *checker) stretches(res *schema.Resource) (ends []schema.Value, err error) {
	st := room.SQL(`
		SELECT x.id FROM (SELECT t.id, row_number() OVER (ORDER BY t.id) AS n FROM `+res.Plural+` t WHERE t.business_id = {business}) x
		WHERE x.n % ? = 0 ORDER BY x.id`, room.Integer(stretchRecords))
	err = k.query(st, room.Collect(&ends, room.First(schema.ID)))
	return ends, err
}

func (k *checker) storedFrom(res *schema.Resource, after, end schema.Value) (some []stored, err error) {
	b := k.t.builder()
	columns := []string{b.wholeRecord(res)}
	own := layout.OwnLeaves(&res.Shape)
	keyed := 0
	for _, l := range own {
		if l.Key != "" {
			columns = append(columns, "t."+l.Key)
			keyed++
		}
	}
	columns = append(columns, "t.search_doc", "t."+k.t.s.search.Planner.Text().PlacedBy())
	where := "t.business_id = " + b.TenantMark()
	if after.Set {
		where += " AND t.id > " + b.Arg(after)
	}
	if end.Set {
		where += " AND t.id <= " + b.Arg(end)
	}
	sql := "SELECT " + strings.Join(columns, ", ") + " FROM " + res.Plural + " t" +
		" WHERE " + where +
		fmt.Sprintf(" ORDER BY t.id LIMIT %d", checkedAtOnce)
	bytes := 0
	err = k.c.Query(k.ctx, sql, b.Values, func(r engine.Row) error {
		if bytes > pageBytes {
			return engine.ErrFull
		}
		rec, err := scanRecord(r, res)
		if err != nil {
			return fmt.Errorf("%s: %w", schema.FormatID(res.Name, room.FirstID(r)), err)
		}
		one := stored{Record: rec, keys: make([]schema.Value, keyed), doc: r.Value(len(own)+keyed, schema.Text).S}
		one.place = r.Value(len(own)+keyed+1, schema.Integer).N
		for i := range one.keys {
			one.keys[i] = r.Value(len(own)+i, schema.Text)
		}
		bytes += rec.Weight() + len(one.doc)
		some = append(some, one)
		return nil
	})
	if errors.Is(err, engine.ErrFull) {
		err = nil
	}
	return some, err
}

// record looks at some records of a resource.
func (k *checker) record(res *schema.Resource, some []stored) error {
	for _, one := range some {
		k.counted[layout.TallyName(res, !one.Live())]++
		if one.Live() {
			k.sums.figure(res, one.Get, 1)
		}
		k.derive(res, one, 1)
		if what := staleColumns(res, one); what != "" {
			k.found(Fault{
				Resource: res.Name, ID: one.ID(), What: what,
				mend: func(tx *Tx) error { return tx.rewriteColumns(res, one.ID()) },
			})
		}
		for _, what := range k.Wrong(one.Record) {
			k.tell(res.Name, one.ID(), "%s", what)
		}
	}
	if err := k.checkReferences(res, some); err != nil {
		return err
	}
	if err := k.checkVersions(res, some); err != nil {
		return err
	}
	k.Looked(int64(len(some)))
	return nil
}

// staleColumns tells which of the columns that follow from others do not.
func staleColumns(res *schema.Resource, one stored) string {
	at := 0
	for i, l := range layout.OwnLeaves(&res.Shape) {
		if l.Key == "" {
			continue
		}
		if want := layout.KeyOf(l, one.Values[i]); want.Set != one.keys[at].Set || want.S != one.keys[at].S {
			return fmt.Sprintf("the key of %s is %s, expected %s", l.Path, quoted(one.keys[at]), quoted(want))
		}
		at++
	}
	want := layout.SearchDocument(one.Record)
	if one.doc == want || forgotten(one.Record) && hasWords(one.doc, want) {
		return ""
	}
	return "the search document does not have the words of its fields"
}

func quoted(v schema.Value) string {
	if !v.Set {
		return "absent"
	}
	return fmt.Sprintf("%q", v.S)
}

// forgotten tells whether a record has values of added fields that are no more. Their words may still be found, until it changes.
func forgotten(rec *schema.Record) (yes bool) {
	document, added := rec.Document()
	if document == nil || !rec.Get(document).Set {
		return false
	}
	_ = schema.ScanDocument(rec.Get(document).S, func(name, _ string) error {
		yes = yes || !slices.ContainsFunc(added, func(l *schema.Leaf) bool { return l.Member == name || l.Key == name })
		return nil
	})
	return yes
}

func hasWords(doc, want string) bool {
	has := strings.Fields(doc)
	for _, word := range strings.Fields(want) {
		if !slices.Contains(has, word) {
			return false
		}
	}
	return true
}

// rewriteColumns writes anew what follows from the other columns of a record, and tells the text index.
func (tx *Tx) rewriteColumns(res *schema.Resource, id schema.UUID) error {
	rec, err := GetAny(tx, res, id)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	b := tx.builder()
	doc := layout.SearchDocument(rec)
	sets := []string{"search_doc = " + b.Arg(text(doc))}
	for i, l := range layout.OwnLeaves(&res.Shape) {
		if l.Key != "" {
			sets = append(sets, l.Key+" = "+b.Arg(layout.KeyOf(l, rec.Values[i])))
		}
	}
	sql := "UPDATE " + res.Plural + " SET " + strings.Join(sets, ", ") +
		" WHERE business_id = " + b.TenantMark() + " AND id = " + b.Arg(schema.IDValue(id))
	if err := tx.updateOne(res, id, sql, b.Values); err != nil {
		return err
	}
	return tx.s.search.Planner.Text().Change(&tx.texts, res, id, true, rec.Live(), doc)
}
