package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unique"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/watch"
)

// Lesson is what the driver of the benchmark tells the floor to learn.
type Lesson struct {
	// Afresh forgets what was learnt before.
	Afresh   bool     `json:"afresh"`
	Requests [][]byte `json:"requests"`
}

// Teach lets the floor learn over HTTP: it is a process of its own, so that its cost can be told apart. The n-th request that it learns is
// its /n.
func (f *Floor) Teach(w http.ResponseWriter, r *http.Request) {
	var lesson Lesson
	if err := json.NewDecoder(r.Body).Decode(&lesson); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if err := f.learn(r.Context(), lesson); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// learn sends each request through the real API, once, and keeps what it ran.
func (f *Floor) learn(ctx context.Context, lesson Lesson) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if lesson.Afresh {
		f.answers = nil
	}
	if f.acting == nil {
		if err := f.meet(ctx, lesson.Requests[0]); err != nil {
			return err
		}
	}
	learnt := make([]answer, len(lesson.Requests))
	failed := make([]error, len(lesson.Requests))
	var wait sync.WaitGroup
	for i, r := range lesson.Requests {
		wait.Go(func() { learnt[i], failed[i] = f.learnOne(ctx, r) })
	}
	wait.Wait()
	f.answers = append(f.answers, learnt...)
	return errors.Join(failed...)
}

// meet asks for the first page twice: what only the first time ran tells who acts.
func (f *Floor) meet(ctx context.Context, r request) error {
	in, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(r)))
	if err != nil {
		return err
	}
	in.Method, in.URL.Path, in.ContentLength = http.MethodPost, contactSearch, int64(len(`{}`))
	in.Header.Set("Content-Type", "application/json")
	var seen [2][]watch.Ran
	for i := range seen {
		in.Body = io.NopCloser(strings.NewReader(`{}`))
		if _, err := f.through(ctx, in, &seen[i]); err != nil {
			return err
		}
	}
	f.acting = map[string]bool{}
	for _, s := range seen[0] {
		f.acting[s.SQL] = true
	}
	for _, s := range seen[1] {
		delete(f.acting, s.SQL)
	}
	return nil
}

// through sends a request through the real API and notes what it reads.
func (f *Floor) through(ctx context.Context, in *http.Request, seen *[]watch.Ran) ([]byte, error) {
	w := httptest.NewRecorder()
	f.api.ServeHTTP(w, in.WithContext(watch.Noting(ctx, seen)))
	if w.Code/100 != 2 {
		return nil, fmt.Errorf("learn %s: status %d: %s", in.URL, w.Code, w.Body)
	}
	return w.Body.Bytes(), nil
}

func (f *Floor) learnOne(ctx context.Context, r request) (answer, error) {
	in, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(r)))
	if err != nil {
		return answer{}, err
	}
	var seen []watch.Ran
	body, err := f.through(ctx, in, &seen)
	if err != nil {
		return answer{}, err
	}
	plural, _, _ := strings.Cut(strings.TrimPrefix(in.URL.Path, "/v1/"), "/")
	var a answer
	for _, res := range record.Registry.Resources {
		if res.Plural == plural {
			a.leaves = res.Visible(false)
		}
	}
	records := []json.RawMessage{bytes.TrimSpace(body)}
	if end := bytes.LastIndex(body, []byte(`],"meta":`)); end >= 0 {
		a.head, a.tail = []byte(`{"data":[`), bytes.Clone(body[end:])
		var page page
		if err := json.Unmarshal(body, &page); err != nil {
			return answer{}, err
		}
		records = page.Data
	}
	for _, s := range seen {
		if !f.acting[s.SQL] {
			s.SQL = unique.Make(s.SQL).Value() // thousands of questions share a few
			a.statements = append(a.statements, s)
		}
	}
	if err := a.find(records); err != nil {
		return answer{}, fmt.Errorf("%s %s: %w", in.Method, in.URL, err)
	}
	return a, nil
}

// find looks up which rows became which records of the answer. What was read twice is taken from the last statement that has it.
func (a *answer) find(records []json.RawMessage) error {
	type found struct{ statement, row int }
	rows := map[string]found{}
	var text []byte
	for i, s := range a.statements {
		for j, values := range s.Rows {
			if len(values) >= len(a.leaves) && fits(a.leaves, values) {
				text = schema.AppendRecord(text[:0], a.leaves, values[:len(a.leaves)])
				rows[string(text)] = found{i, j}
			}
		}
	}
	a.records = len(records)
	used := make([][]use, len(a.statements))
	for place, record := range records {
		at, ok := rows[string(record)]
		if !ok {
			return fmt.Errorf("no statement gives %s", record)
		}
		used[at.statement] = append(used[at.statement], use{at.row, place})
	}
	for i, s := range a.statements {
		slices.SortFunc(used[i], func(a, b use) int { return a.row - b.row })
		a.reads = append(a.reads, reads{rows: len(s.Rows), stops: s.Stopped, used: used[i]})
		a.statements[i].Rows = nil // they may be many
	}
	// What is counted behind the last record is the total, which is the one thing that the floor leaves out.
	for n := len(a.statements); n > 0 && strings.HasPrefix(a.statements[n-1].SQL, "SELECT count(*)"); n-- {
		a.statements, a.reads = a.statements[:n-1], a.reads[:n-1]
	}
	return nil
}

// fits tells whether the columns of a row were read as these leaves.
func fits(leaves []*schema.Leaf, values []schema.Value) bool {
	for i, l := range leaves {
		if values[i].Set && values[i].Kind != l.Kind {
			return false
		}
	}
	return true
}

const (
	// mostLearnt bounds how many questions of an operation the floor learns, and learning how long it does.
	mostLearnt = 30_000
	learning   = 5 * time.Second
	batch      = 32
)

// teach lets the floor learn as many of an operation's questions as the time allows, and gives what asks them, or nil where the
// floor has no part in it. What was learnt is asked once, unless there are no other questions by nature.
func (p *process) teach(op *operation, within time.Duration) (*asker, error) {
	if op.creates > 0 {
		path := "/create?records=" + strconv.Itoa(op.creates)
		return &asker{addr: p.addr, request: func(int) (request, error) { return newRequest("POST", p.addr, path, "", `{}`), nil }}, nil
	}
	if op.ours || op.writes {
		return nil, nil
	}
	most := mostLearnt
	if op.count > 0 {
		most = min(most, op.count)
	}
	learnt := 0
	for end := time.Now().Add(min(within, learning)); learnt == 0 || learnt < most && time.Now().Before(end); {
		lesson := Lesson{Afresh: learnt == 0}
		for range min(batch, most-learnt) {
			lesson.Requests = append(lesson.Requests, op.question(learnt).request)
			learnt++
		}
		text, err := json.Marshal(lesson)
		if err != nil {
			return nil, err
		}
		if _, err := once(p.debug, newRequest("POST", p.debug, "/learn", "", string(text))); err != nil {
			return nil, fmt.Errorf("the floor could not learn: %w", err)
		}
	}
	return &asker{
		addr: p.addr, count: learnt, again: op.again && learnt == op.count,
		request: func(n int) (request, error) { return newRequest("GET", p.addr, fmt.Sprintf("/%d", n), "", ""), nil },
	}, nil
}
