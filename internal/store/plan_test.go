package store_test

import (
	"context"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/crm"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/storetest"
)

// planned is a database with enough in it for a planner to choose by, and a handle to one of its businesses.
type planned struct {
	*store.Store
	business store.Tenant
	// narrow is the same business where up to 500 matches are few.
	narrow store.Tenant
	mu     sync.Mutex
	seen   []store.Statement
}

// newPlanned fills businesses with records of every resource.
func newPlanned(t *testing.T, url string, businesses, records int) *planned {
	t.Helper()
	ctx := context.Background()
	s := open(t, url)
	p := &planned{}
	// In PostgreSQL the businesses share one partition, as they do where there are many: alone in it, a small business is read as a whole.
	pool := make([]string, businesses)
	if s.Engine() == "postgres" {
		var err error
		pool, err = s.Rows(ctx, fmt.Sprintf("SELECT encode(uuid_send(id), 'hex') FROM (SELECT gen_random_uuid() AS id FROM "+
			"generate_series(1, 1000)) ids WHERE satisfies_hash_partition('contacts'::regclass, "+
			"(SELECT count(*)::int FROM pg_inherits WHERE inhparent = 'contacts'::regclass), 0, id) LIMIT %d", businesses), 1)
		if err != nil || len(pool) != businesses {
			t.Fatalf("%d businesses, %v", len(pool), err)
		}
	}
	for _, text := range pool {
		id := schema.NewID(time.Now())
		if text != "" {
			if _, err := hex.Decode(id[:], []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		err := s.CreateBusiness(ctx, store.Business{ID: id, Name: "Planned", Currency: "EUR", CreatedAt: time.Now()}, store.Actor{},
			func(*store.Tx) error { return nil })
		if err == nil {
			p.business, err = s.Tenant(ctx, id)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, res := range record.Registry.Resources {
			var all []*schema.Record
			for n := range records {
				rec := storetest.NewRecord(res)
				for i, l := range res.Leaves {
					switch {
					case l.Writing.BinOnly || l.Path == "id" || l.Path == "version":
					case l.Identity.Unique || l.Find.Sorted:
						rec.Values[i] = storetest.Sample(l, n)
					case l.Find.Indexed:
						rec.Values[i] = storetest.Sample(l, n%25)
					}
					if l.Find.Sorted && !l.Required && n%2 == 0 {
						rec.Values[i] = schema.Absent(l.Kind)
					}
				}
				if res.Name == "pipeline" && n < 25 {
					stage := schema.FormatID("stage", storetest.Sample(crm.Deals.StageID, n).UUID())
					rec.Put(crm.Pipelines.Stages, schema.TextValue(schema.List,
						fmt.Sprintf(`[{"id":%q,"name":"Stage %d","kind":"open"}]`, stage, n)))
				}
				all = append(all, rec)
			}
			if err := p.business.Write(ctx, store.Actor{},
				func(tx *store.Tx) error { return tx.InsertMany(res, all, "create") }); err != nil {
				t.Fatal(err)
			}
		}
	}
	if s.Engine() == "postgres" {
		if err := s.Script(ctx, []string{"ANALYZE"}); err != nil {
			t.Fatal(err)
		}
	}
	// A store of its own is traced, so that asking for plans is not.
	p.Store = s
	traced := func(set func(*store.Store)) store.Tenant {
		s := open(t, url)
		set(s)
		s.Trace(func(s store.Statement) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.seen = append(p.seen, s)
		})
		business, err := s.Tenant(ctx, p.business.ID())
		if err != nil {
			t.Fatal(err)
		}
		return business
	}
	p.narrow = traced(func(s *store.Store) { s.SetStatistics(records, 500) })
	p.business = traced(func(s *store.Store) { s.SetWindow(10) })
	return p
}

// statements runs a search and gives what it asked of the resource's table.
func (p *planned) statements(t *testing.T, q *query.Query) (pages, counts []store.Statement) {
	t.Helper()
	return p.statementsIn(t, p.business, q)
}

// statementsIn does so in one of the handles to the business.
func (p *planned) statementsIn(t *testing.T, business store.Tenant, q *query.Query) (pages, counts []store.Statement) {
	t.Helper()
	p.seen = nil
	if _, err := business.Search(context.Background(), q, func([]schema.Value) error { return nil }); err != nil {
		t.Fatal(err)
	}
	for _, s := range p.seen {
		switch {
		case strings.Contains(s.SQL, "count(*)"):
			counts = append(counts, s)
		// the sample, which is taken once in a while, and where its rows end
		case strings.Contains(s.SQL, "FROM place"), strings.HasPrefix(s.SQL, "SELECT t.rid, "):
			p.hold(t, "the sample of "+q.Resource.Plural, q.Resource, rules{}, s)
		// a look into an index that tells how many candidates it has
		case strings.Contains(s.SQL, "SELECT 1 FROM "), strings.HasPrefix(s.SQL, "WITH RECURSIVE k "):
			for _, plan := range p.plans(t, s) {
				if strings.Contains(s.SQL, " x WHERE ") && !strings.Contains(plan, "SCAN x") && !strings.Contains(plan, "Seq Scan") {
					continue // into the index entries of an added field
				}
				// whose status depends on the day
				if !strings.Contains(plan, "SEARCH t USING COVERING INDEX") && q.Resource.Name != "quote" {
					t.Errorf("%s: a look into an index reads more than that:\n%s\n%s", q.Resource.Plural, s.SQL, plan)
				}
			}
		case lookup.MatchString(s.SQL): // of what references lead to, see checkReference
			for _, plan := range p.plans(t, s) {
				if !strings.Contains(plan, "SEARCH r0 USING") {
					t.Errorf("%s: a look-up reads a whole table:\n%s\n%s", q.Resource.Plural, s.SQL, plan)
				}
			}
		case !strings.Contains(s.SQL, "FROM tally"):
			pages = append(pages, s)
		}
	}
	return pages, counts
}

var lookup = regexp.MustCompile(`^SELECT r\d+\.id FROM `)

// plans gives the ways in which the engine may run a statement: in PostgreSQL, for these arguments and for any.
func (p *planned) plans(t *testing.T, s store.Statement) map[string]string {
	t.Helper()
	plans := map[string]string{}
	for name, generic := range map[string]bool{"plan": false, "generic plan": true} {
		if generic && p.Engine() == "sqlite" {
			continue
		}
		lines, err := p.ExplainPlan(context.Background(), s.SQL, s.Args, generic)
		if err != nil {
			t.Fatalf("%s: %v", s.SQL, err)
		}
		plans[name] = strings.Join(lines, "\n")
	}
	return plans
}

// rules of a plan.
type rules struct {
	// unsorted plans read records in the order of the answer.
	unsorted bool
	// index is what SQLite must use. PostgreSQL may know better from its statistics, as long as it uses one.
	index string
}

var sorting = regexp.MustCompile(`(?m)^\s*(->\s+)?(Incremental )?Sort$`)

// broken says which rule a plan breaks.
func (r rules) broken(engine, table, plan string) string {
	if engine == "sqlite" {
		switch {
		case strings.Contains(plan, "SCAN t"):
			return "it reads the whole table"
		case !strings.Contains(plan, "SEARCH t USING"):
			return "it does not use an index"
		case r.index != "" && !regexp.MustCompile(`SEARCH t USING (COVERING )?INDEX `+r.index+` `).MatchString(plan):
			return "it does not use the index " + r.index
		case r.unsorted && strings.Contains(plan, "TEMP B-TREE"):
			return "it sorts"
		}
		return ""
	}
	switch {
	case strings.Contains(plan, "Seq Scan on "+table):
		return "it reads the whole table"
	case !regexp.MustCompile(`(Index|Index Only|Bitmap Heap) Scan`).MatchString(plan):
		return "it does not use an index"
	case r.unsorted && sorting.MatchString(plan):
		return "it sorts"
	}
	return ""
}

func (p *planned) hold(t *testing.T, what string, res *schema.Resource, r rules, statements ...store.Statement) {
	t.Helper()
	for _, s := range statements {
		for name, plan := range p.plans(t, s) {
			if broken := r.broken(p.Engine(), res.Plural, plan); broken != "" {
				t.Errorf("%s: the %s is wrong, %s:\n%s\n%s", what, name, broken, s.SQL, plan)
			}
		}
	}
}

// Searches by every order that is declared as sorted, and by every field that is declared as indexed, use an index on both engines; so do
// the counts that come with them.
func TestSearchesUseAnIndex(t *testing.T) {
	for name, size := range map[string][2]int{"sqlite": {2, 60}, "postgres": {8, 500}} {
		t.Run(name, func(t *testing.T) {
			oneMachine(t, name)
			p := newPlanned(t, engines[name](t), size[0], size[1])
			for _, res := range record.Registry.Resources {
				t.Run(res.Plural, func(t *testing.T) {
					for _, l := range res.Leaves {
						if l.Find.Sorted {
							p.checkOrder(t, res, l)
						}
						if l.Find.Indexed || l.Identity.Unique {
							p.checkFilter(t, res, l)
						}
						if l.ListItem != nil {
							p.checkPart(t, res, l)
						}
						if p.Engine() == "sqlite" && l.Find.Indexed && !l.Identity.Unique {
							p.checkWindow(t, res, l)
						}
						if p.Engine() == "sqlite" && l.Target != nil && l.Find.Indexed {
							p.checkReference(t, res, l)
						}
					}
					p.checkBin(t, res)
					p.checkText(t, res)
				})
			}
			t.Run("the change log", p.checkLog)
		})
	}
}

func (p *planned) search(res *schema.Resource) *query.Query {
	return &query.Query{
		Resource: res, Order: query.Path{Ref: -1, Leaf: res.Must("created_at")}, Desc: true, Limit: 3,
		Leaves: res.Visible(false),
	}
}

// checkOrder goes through all statements that an order can need: the first page, one behind a value, the first absent values, and one
// behind an absent value.
func (p *planned) checkOrder(t *testing.T, res *schema.Resource, l *schema.Leaf) {
	t.Helper()
	behind := func(v schema.Value) *query.Position {
		if l.Key != "" {
			v.S = query.Key(l, v.S)
		}
		return &query.Position{Value: v, ID: schema.NewID(time.Now())}
	}
	for _, desc := range []bool{false, true} {
		end := storetest.Sample(l, 100_000)
		if desc {
			end = storetest.Sample(l, -100_000)
		}
		if isText(l.Kind) {
			end.S = map[bool]string{true: " ", false: "\U0010ffff"}[desc]
		}
		positions := []*query.Position{nil, behind(storetest.Sample(l, 200)), behind(end)}
		if !l.Required {
			positions = append(positions, behind(schema.Absent(l.Kind)))
		}
		for n, after := range positions {
			q := p.search(res)
			q.Order.Leaf, q.Desc, q.After, q.Limit = l, desc, after, 25
			pages, _ := p.statements(t, q)
			if absent := n == 2 && !l.Required; len(pages) == 0 || absent && len(pages) != 2 {
				t.Fatalf("%s by %s: %d statements were seen", res.Plural, l.Path, len(pages))
			}
			p.hold(t, fmt.Sprintf("%s by %s, descending: %v, position %d", res.Plural, l.Path, desc, n), res,
				rules{unsorted: true, index: res.Name + "_" + l.Column.Name + "_order"}, pages...)
		}
	}
}

// checkFilter goes through the page and the count of a filter, also with a range beside it that has an index of its own. PostgreSQL may
// sort where it expects only a few matches.
func (p *planned) checkFilter(t *testing.T, res *schema.Resource, l *schema.Leaf) {
	t.Helper()
	value := storetest.Sample(l, 3)
	index := res.Name + "_" + l.Column.Name
	if !l.Identity.Unique {
		index += "_filter"
	}
	if l.Identity.Unique && l.Find.Indexed {
		index = "" // either of the two will do
	}
	q := p.search(res)
	q.Filters = []query.Condition{store.Equal(l, value)}
	q.Limit = 1
	pages, counts := p.statementsIn(t, p.narrow, q)
	p.hold(t, res.Plural+" with "+l.Path, res, rules{unsorted: !l.Identity.Unique && p.Engine() == "sqlite", index: index}, pages...)
	if !l.Identity.Unique && len(counts) == 0 {
		t.Errorf("%s with %s: no count was seen", res.Plural, l.Path)
	}
	if l.Find.Recent {
		index = strings.Replace(index, "_filter", "_(filter|recent)", 1)
	}
	p.hold(t, "the count of "+res.Plural+" with "+l.Path, res, rules{index: index}, counts...)

	// A set is read once, and not anew for each record that is held to it.
	some := p.search(res)
	some.Filters = []query.Condition{{Path: query.Path{Ref: -1, Leaf: l}, Operator: query.In, Values: []schema.Value{value, value}}}
	pages, _ = p.statementsIn(t, p.narrow, some)
	for _, s := range pages {
		for name, plan := range p.plans(t, s) {
			if regexp.MustCompile(`\(.*::text\)::[a-z]+\[\]`).MatchString(plan) {
				t.Errorf("%s with one of some %s: the %s reads the set for each record:\n%s", res.Plural, l.Path, name, plan)
			}
		}
	}

	for _, sorted := range res.Leaves {
		if !sorted.Find.Sorted || !slices.Contains(query.Allowed(sorted.Kind), query.Gte) || l.Identity.Unique {
			continue
		}
		q := p.search(res)
		q.Limit = 1
		low := storetest.Sample(sorted, 0)
		q.Filters = []query.Condition{
			store.Equal(l, value),
			{Path: query.Path{Ref: -1, Leaf: sorted}, Operator: query.Gte, Values: []schema.Value{low}},
		}
		pages, counts := p.statementsIn(t, p.narrow, q)
		what := fmt.Sprintf("%s with %s from some %s on", res.Plural, l.Path, sorted.Path)
		p.hold(t, what, res, rules{index: index}, pages...)
		p.hold(t, "the count of "+what, res, rules{index: index}, counts...)
	}
}

// checkPart goes through a filter by the name of a part: the part is looked up, and the records by the index of the reference to it.
func (p *planned) checkPart(t *testing.T, res *schema.Resource, l *schema.Leaf) {
	t.Helper()
	name := query.Path{Ref: 0, Leaf: l.ListItem.Must("name")}
	q := p.search(res)
	q.Limit = 1
	q.Refs = []query.Ref{{Via: l}}
	q.Filters = []query.Condition{{Path: name, Operator: query.Eq, Values: []schema.Value{schema.TextValue(schema.Text, "stage 3")}}}
	pages, counts := p.statementsIn(t, p.narrow, q)
	what := res.Plural + " by the name of " + l.Path
	p.hold(t, what, res, rules{index: res.Name + "_" + l.Column.Name + "_filter"}, pages...)
	p.hold(t, "the count of "+what, res, rules{index: res.Name + "_" + l.Column.Name + "_filter"}, counts...)
}

// checkWindow goes through a wide filter in an order that its index does not have: along the order's index, where the records are
// fetched one by one and nothing is sorted; then, because that finds too few, by the filter's.
func (p *planned) checkWindow(t *testing.T, res *schema.Resource, l *schema.Leaf) {
	t.Helper()
	for _, sorted := range res.Leaves {
		if !sorted.Find.Sorted || !sorted.Required || sorted == res.Common.CreatedAt || sorted == res.Common.UpdatedAt {
			continue
		}
		q := p.search(res)
		q.Order.Leaf = sorted
		q.Filters = []query.Condition{store.Equal(l, storetest.Sample(l, 3))}
		pages, _ := p.statements(t, q)
		what := fmt.Sprintf("%s with %s by %s", res.Plural, l.Path, sorted.Path)
		if l.Find.Named && sorted.Path == "name" {
			p.hold(t, what, res, rules{unsorted: true, index: res.Name + "_" + l.Column.Name + "_named"}, pages...)
			continue
		}
		if len(pages) != 2 {
			t.Fatalf("%s: %d statements were seen", what, len(pages))
		}
		p.holdWindow(t, what, res, sorted, pages[0])
		p.hold(t, what, res, rules{index: res.Name + "_" + l.Column.Name + "_filter"}, pages[1])
		narrow, _ := p.statementsIn(t, p.narrow, q)
		p.hold(t, what+", few", res, rules{index: res.Name + "_" + l.Column.Name + "_filter"}, narrow...)
	}
}

// holdWindow holds a statement to a walk along the order: only its index, then each record by its row number, and what references
// lead to by id.
func (p *planned) holdWindow(t *testing.T, what string, res *schema.Resource, order *schema.Leaf, s store.Statement) {
	t.Helper()
	index := fmt.Sprintf("SEARCH t USING COVERING INDEX %s_%s_order", res.Name, order.Column.Name)
	for _, plan := range p.plans(t, s) {
		lines := strings.Split(plan, "\n")
		if len(lines) < 4 || lines[0] != "CO-ROUTINE k" || !strings.HasPrefix(lines[1], index) || lines[2] != "SCAN k" ||
			!strings.HasPrefix(lines[3], "SEARCH t USING INTEGER PRIMARY KEY") || strings.Contains(plan, "TEMP B-TREE") {
			t.Errorf("%s: the walk along the order is wrong:\n%s\n%s", what, s.SQL, plan)
		}
		for _, line := range lines[4:] {
			if !strings.HasPrefix(line, "SEARCH r") || !strings.Contains(line, "id=?") {
				t.Errorf("%s: a reference is not followed by its id:\n%s\n%s", what, s.SQL, plan)
			}
		}
	}
}

// checkReference goes through a filter by a text of what a reference leads to: where few records have it, they are looked up by its
// index and the searched ones by that of the reference; where many do, the order is walked first.
func (p *planned) checkReference(t *testing.T, res *schema.Resource, via *schema.Leaf) {
	t.Helper()
	var text *schema.Leaf
	for _, l := range via.Target.Leaves {
		if text == nil && l.Find.Sorted && isText(l.Kind) {
			text = l
		}
	}
	if text == nil {
		return
	}
	q := p.search(res)
	q.Limit = 1
	q.Refs = []query.Ref{{Via: via}}
	q.Filters = []query.Condition{{
		Path: query.Path{Ref: 0, Leaf: text}, Operator: query.StartsWith,
		Values: []schema.Value{schema.TextValue(schema.Text, query.Key(text, storetest.Sample(text, 3).S))},
	}}
	what := fmt.Sprintf("%s by %s.%s", res.Plural, via.RefersAs(), text.Path)
	index := rules{index: res.Name + "_" + via.Column.Name + "_filter"}
	few, counts := p.statementsIn(t, p.narrow, q)
	p.hold(t, what, res, index, few...)
	p.hold(t, "the count of "+what, res, index, counts...)
	if found := slices.ContainsFunc(p.seen, func(s store.Statement) bool { return lookup.MatchString(s.SQL) }); !found {
		t.Errorf("%s: nothing was looked up", what)
	}
	many, _ := p.statements(t, q)
	if len(many) == 0 {
		t.Fatalf("%s: no statement was seen", what)
	}
	p.holdWindow(t, what, res, res.Common.CreatedAt, many[0])
	p.hold(t, what+", many", res, index, many[1:]...)
}

func (p *planned) checkBin(t *testing.T, res *schema.Resource) {
	t.Helper()
	for _, desc := range []bool{false, true} {
		q := p.search(res)
		q.Bin, q.Desc, q.Order.Leaf = true, desc, res.Must("deleted_at")
		pages, _ := p.statements(t, q)
		p.hold(t, "the bin of "+res.Plural, res, rules{index: res.Name + "_bin"}, pages...)
	}
}

// checkText goes through the ways of a text search in a large business: along the text index in the order of creation; in another order a
// window of the order's index, and the text index.
func (p *planned) checkText(t *testing.T, res *schema.Resource) {
	t.Helper()
	byText := func(s store.Statement, unsorted bool) {
		t.Helper()
		for _, plan := range p.plans(t, s) {
			sorted := unsorted && strings.Contains(plan, "TEMP B-TREE")
			if p.Engine() == "sqlite" && !strings.Contains(plan, "SEARCH t USING INTEGER PRIMARY KEY") ||
				strings.Contains(plan, "Seq Scan on "+res.Plural) || sorted {
				t.Errorf("%s by the text index: the plan is wrong:\n%s\n%s", res.Plural, s.SQL, plan)
			}
		}
	}
	q := p.search(res)
	q.Words = []string{"nowhere"}
	pages, _ := p.statements(t, q)
	if p.Engine() == "sqlite" { // in another order it first counts what the text index finds
		if len(pages) != 1 {
			t.Fatalf("%s: %d statements were seen", res.Plural, len(pages))
		}
		byText(pages[0], true)
		return
	}
	if len(pages) != 2 {
		t.Fatalf("%s: %d statements were seen", res.Plural, len(pages))
	}
	p.hold(t, "the glance at "+res.Plural, res, rules{index: res.Name + "_created_at_order"}, pages[0])
	byText(pages[1], true)
	// Where records are small and as few as here, reading all of the business costs no more.
	textRanges := regexp.MustCompile(`^Limit\n  ->  Nested Loop\n(.*\n)*        ->  Limit\n              ->  Sort\n(.*\n)*.*Bitmap Index ` +
		`Scan on ` + res.Plural + `.*_(search|shelf).*\n.*\(shelf = `)
	for _, plan := range p.plans(t, pages[1]) {
		if res.Name == "contact" && !textRanges.MatchString(plan) {
			t.Errorf("%s along the shelves: the plan is wrong:\n%s\n%s", res.Plural, pages[1].SQL, plan)
		}
	}
	q.Order.Leaf = res.Must("updated_at")
	if !q.Order.Leaf.Find.Sorted {
		return
	}
	if pages, _ = p.statements(t, q); len(pages) != 2 {
		t.Fatalf("%s: %d statements were seen", res.Plural, len(pages))
	}
	p.hold(t, "the window of "+res.Plural, res, rules{index: res.Name + "_updated_at_order"}, pages[0])
	byText(pages[1], false)
}

// The rules are only worth something if plans can break them.
func TestPlanRulesRefuse(t *testing.T) {
	strict := rules{unsorted: true, index: "contact_name_order"}
	for _, tt := range []struct {
		engine, plan string
		ok           bool
	}{
		{"sqlite", "SEARCH t USING INDEX contact_name_order (business_id=?)", true},
		{"sqlite", "SEARCH t USING COVERING INDEX contact_name_order (business_id=?)", true},
		{"sqlite", "SEARCH t USING INDEX contact_bin (business_id=?)", false},
		{"sqlite", "SCAN t", false},
		{"sqlite", "SCAN t USING INDEX contact_name_order", false},
		{"sqlite", "SEARCH t USING INDEX contact_name_order (business_id=?)\nUSE TEMP B-TREE FOR ORDER BY", false},
		{"postgres", "Limit\n  ->  Index Scan Backward using contacts_p1_name on contacts_p1 t", true},
		{"postgres", "Limit\n  ->  Merge Append\n        Sort Key: t.name_key DESC\n        ->  Index Scan using x on contacts_p1 t", true},
		{"postgres", "Limit\n  ->  Sort\n        Sort Key: t.name_key\n        ->  Index Scan using x on contacts_p1 t", false},
		{"postgres", "Sort\n  Sort Key: t.name_key\n  ->  Index Scan using x on contacts_p1 t", false},
		{"postgres", "Limit\n  ->  Incremental Sort\n        ->  Index Scan using x on contacts_p1 t", false},
		{"postgres", "Limit\n  ->  Seq Scan on contacts_p1 t", false},
		{"postgres", "Limit\n  ->  Result", false},
	} {
		if broken := strict.broken(tt.engine, "contacts", tt.plan); (broken == "") != tt.ok {
			t.Errorf("%s\n%s: %q, want accepted: %v", tt.engine, tt.plan, broken, tt.ok)
		}
	}
}
