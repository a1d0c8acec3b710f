package bench

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/schema"
)

// madeUp is a set that is nowhere loaded.
func madeUp(size int) *Set {
	f := filler{set: &Set{Size: size, token: "secret", loaded: time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)}}
	for range manyOwners {
		f.set.owners = append(f.set.owners, schema.NewID(f.set.loaded))
	}
	for range 4 {
		f.set.lifecycle = append(f.set.lifecycle, schema.NewID(f.set.loaded))
	}
	for _, kind := range []string{"open", "open", "won", "lost"} {
		f.stages = append(f.stages, stage{
			schema.IDValue(schema.NewID(f.set.loaded)), schema.IDValue(schema.NewID(f.set.loaded)), kind,
			schema.IntValue(schema.Percent, 0),
		})
	}
	f.companies = make([]company, size/contactsPerCompany)
	f.set.contacts, f.set.deals = make([]contactFacts, size), make([]dealFacts, size/contactsPerDeal)
	f.deals = len(f.set.deals)
	for i := range f.companies {
		f.company(i)
		f.set.employers = append(f.set.employers, f.companies[i].name)
	}
	for i := range size {
		f.contact(i)
	}
	for i := range f.set.deals {
		f.deal(i)
	}
	f.set.changes = size
	f.set.chooseBusy()
	return f.set
}

func TestNoQuestionComesTwice(t *testing.T) {
	set := madeUp(60_000)
	a := asking{"127.0.0.1:1", set}
	first, again := a.operations(a.find(`{}`)), a.operations(a.find(`{}`))
	for i, op := range first {
		if op.prepare != nil {
			continue // asks the server
		}
		most := 100_000
		if op.count > 0 {
			most = min(most, op.count)
		}
		seen := make(map[string]int, most)
		for n, size := 0, 0; n < most && size < 64<<20; n++ { // of batches, fewer are more than a run asks
			r := op.question(n).request
			size += len(r)
			if before, ok := seen[string(r)]; ok {
				t.Fatalf("%s: the questions %d and %d are the same: %s", op.name, before, n, r)
			}
			seen[string(r)] = n
		}
		for n := 0; n < most; n += 1 + most/100 {
			if !bytes.Equal(op.question(n).request, again[i].question(n).request) {
				t.Errorf("%s: the question %d is another one the second time", op.name, n)
			}
		}
	}
}

// Those that a run can use up are enough for it.
func TestThereAreEnoughQuestions(t *testing.T) {
	least := map[string]int{
		"get one": 60_000, "e-mail contains": 100_000, "e-mail contains, many matches": 5000, "search_text of two words": 30_000,
		"search_text of two characters": 35, "company name starts with": 3000,
		"page of changes": 50_000, "aggregate: count and sum by stage": 1, "aggregate: count and sum by month": 1,
		"aggregate: open deals of a pipeline by stage": 2,
		firstPage: 1, deepPage: 1, "search_text, matches all oldest, by name": 1, "search_text, matches all oldest, by created_at": 1,
		"order by a field mostly absent": 1,
	}
	for _, op := range (asking{"", madeUp(60_000)}).operations(question{}) {
		if op.count == 0 {
			continue
		}
		if least[op.name] == 0 || op.count < least[op.name] {
			t.Errorf("%s has only %d questions", op.name, op.count)
		}
		if few := op.count < 100; few != op.again && op.name != "get one" {
			t.Errorf("%s has %d questions, and asks them again: %v", op.name, op.count, op.again)
		}
	}
}

func TestShuffledGivesEachNumberOnce(t *testing.T) {
	for _, size := range []int{1, 2, 3, 64, 1000, 4096, 4097} {
		order := shuffled(size, 7)
		seen, moved := make([]bool, size), 0
		for n := range size {
			at := order[n]
			if seen[at] {
				t.Fatalf("of %d: %d comes twice", size, at)
			}
			seen[at] = true
			if at != n {
				moved++
			}
		}
		if size > 100 && moved < size*9/10 {
			t.Errorf("of %d: only %d are moved", size, moved)
		}
	}
}

// A business in which no owner has a second page is measured without it.
func TestSecondPagesNeedOwnersWithEnough(t *testing.T) {
	for size, want := range map[int]int{600: 0, 6000: 1} { // ten and a hundred contacts for each owner
		if got := (asking{"", madeUp(size)}).secondPage(); len(got) != want {
			t.Errorf("with %d contacts there are %d operations", size, len(got))
		}
	}
}

func TestInParallelAsksEachOnce(t *testing.T) {
	made, err := inParallel(t.Context(), time.Minute, 100, func(n int) (question, error) {
		if n%2 == 0 {
			return question{}, nil
		}
		return question{request: request{byte(n)}}, nil
	})
	seen := map[byte]bool{}
	for _, q := range made {
		seen[q.request[0]] = true
	}
	if err != nil || len(made) != 50 || len(seen) != 50 {
		t.Errorf("%d questions, %d different ones, %v", len(made), len(seen), err)
	}
	if made, err = inParallel(t.Context(), 0, 100,
		func(n int) (question, error) { return question{request: request{byte(n)}}, nil }); err != nil || len(made) == 0 || len(made) > 4 {
		t.Errorf("without time: %d questions, %v", len(made), err)
	}
	if _, err = inParallel(t.Context(), time.Minute, 100, func(int) (question, error) { return question{}, nil }); err == nil {
		t.Error("no question at all is no error")
	}
}

func TestPieces(t *testing.T) {
	if got := strings.Join(pieces("anna", 3), " "); got != "ann anna nna" {
		t.Error(got)
	}
	if got := strings.Join(pieces("novák", 2), " "); got != "no nov ov" {
		t.Error(got)
	}
}

func TestAskerEndsWithItsQuestions(t *testing.T) {
	a := asker{count: 100, request: func(n int) (request, error) { return request{byte(n)}, nil }}
	a.asked.Store(10)
	if l := a.load(1, time.Second, 9); l.count != 10 {
		t.Errorf("the first of 9 loads for 90 questions asks %d", l.count)
	}
	a.again = true
	if l := a.load(1, time.Second, 9); l.count != 0 {
		t.Errorf("a load that may ask again ends after %d", l.count)
	}
	a.asked.Store(100)
	if r, _ := a.next(); !bytes.Equal(r, request{0}) {
		t.Errorf("after the last question comes %v", r)
	}
}

func TestAnnounced(t *testing.T) {
	addr, debug := announced([]byte("{\"level\":\"WARN\",\"msg\":\"serving\"\nnoise\n{\"msg\":\"debugging\"," +
		"\"address\":\"http://127.0.0.1:2\"}\n{\"time\":\"now\",\"msg\":\"serving\",\"address\":\"http://127.0.0.1:1\"}\n"))
	if addr != "127.0.0.1:1" || debug != "127.0.0.1:2" {
		t.Errorf("%q, %q", addr, debug)
	}
	if addr, debug := announced([]byte(`{"msg":"serving","addr`)); addr != "" || debug != "" {
		t.Errorf("half a line tells %q, %q", addr, debug)
	}
}

func TestCPUIsComparedWithTheFirstPage(t *testing.T) {
	r := &Result{Rows: []Row{{Operation: "a", CPUMs: 0.6, RSSMB: 20}, {Operation: firstPage, CPUMs: 0.2, RSSMB: 10}}}
	r.compare()
	if r.Rows[0].CPUTimes < 2.99 || r.Rows[0].CPUTimes > 3.01 || r.Rows[1].CPUTimes != 1 || r.PeakMB != 20 {
		t.Errorf("%+v", r)
	}
}
