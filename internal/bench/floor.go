package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"time"

	"kith/internal/crm"
	"kith/internal/httpapi"
	"kith/internal/schema"
	"kith/internal/store"
)

// Floor is a bare HTTP handler that runs the same SQL on the same driver and writes the same bytes as kith, and does nothing else: no
// parsing, no permission, no log. What it reaches is what the engine can give.
type Floor struct {
	db       *store.Store
	api      http.Handler
	watching *store.Store
	mu       sync.Mutex
	seen     []store.Ran
	answers  []answer
	template *schema.Record
	tenant   store.Tenant
}

// answer is one request's statements and the bytes around their rows.
type answer struct {
	statements []store.Ran
	kinds      [][]schema.Kind
	tries      []bool // which statements' rows count only if no other gives any
	leaves     []*schema.Leaf
	head, tail []byte
	list       bool
}

// NewFloor opens the database a second time to learn, through the real API, which statements each request runs.
func NewFloor(ctx context.Context, url string) (*Floor, error) {
	f := &Floor{}
	var err error
	if f.db, err = store.Open(ctx, url, crm.Registry); err != nil {
		return nil, err
	}
	f.db.LeaveUntidy()
	if f.watching, err = store.Open(ctx, url, crm.Registry); err != nil {
		return nil, err
	}
	f.watching.LeaveUntidy()
	f.watching.Watch(func(s store.Ran) {
		f.mu.Lock()
		f.seen = append(f.seen, s)
		f.mu.Unlock()
	})
	engine, err := crm.NewEngine(ctx, f.watching)
	if err != nil {
		return nil, err
	}
	f.api = httpapi.New(engine, httpapi.Options{Log: quiet()})
	return f, nil
}

// learn sends a request through the real API and keeps what it ran, as /N of the floor.
func (f *Floor) learn(r request) (path string, err error) {
	in, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(r)))
	if err != nil {
		return "", err
	}
	// The first time also fetches who acts; the second is what a running server does.
	if _, err := f.through(in); err != nil {
		return "", err
	}
	if in, err = http.ReadRequest(bufio.NewReader(bytes.NewReader(r))); err != nil {
		return "", err
	}
	f.mu.Lock()
	f.seen = nil
	f.mu.Unlock()
	body, err := f.through(in)
	if err != nil {
		return "", err
	}
	a := answer{list: strings.HasSuffix(in.URL.Path, "/search")}
	res := &crm.KindOf("contact").Resource
	a.leaves = res.Visible(false)
	record := kindsOf(a.leaves)
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.seen {
		switch {
		case strings.HasPrefix(s.SQL, "SELECT (SELECT y.n FROM tally"):
			a.kinds = append(a.kinds, []schema.Kind{schema.Integer, schema.Integer})
		case strings.Contains(s.SQL, "SELECT count(*)"):
			a.kinds = append(a.kinds, []schema.Kind{schema.Integer})
		case !strings.Contains(s.SQL, "contacts"):
			continue // who acts, which a running server remembers
		case strings.Contains(s.SQL, " THEN 1 ELSE 0 END FROM"): // each row tells whether it matches
			a.kinds = append(a.kinds, append(kindsOf(a.leaves), orderKind(s.SQL), schema.ID, schema.Integer))
		case a.list:
			a.kinds = append(a.kinds, append(kindsOf(a.leaves), orderKind(s.SQL), schema.ID))
		default:
			a.kinds = append(a.kinds, record)
		}
		a.statements = append(a.statements, s)
		a.tries = append(a.tries, strings.Contains(s.SQL, " THEN 1 ELSE 0 END FROM") || strings.Contains(s.SQL, "FROM (SELECT * FROM contacts"))
	}
	if a.list {
		end := bytes.LastIndex(body, []byte(`],"meta":`))
		a.head, a.tail = []byte(`{"data":[`), bytes.Clone(body[end:])
	}
	f.answers = append(f.answers, a)
	return "/" + strconv.Itoa(len(f.answers)-1), nil
}

func kindsOf(leaves []*schema.Leaf) []schema.Kind {
	kinds := make([]schema.Kind, len(leaves))
	for i, l := range leaves {
		kinds[i] = l.Kind
	}
	return kinds
}

// orderKind is the kind of the sort value that a page's statement selects behind the record.
func orderKind(sql string) schema.Kind {
	if strings.Contains(sql, "ORDER BY t.name_key") {
		return schema.Text
	}
	return schema.Time
}

func (f *Floor) through(in *http.Request) ([]byte, error) {
	w := httptest.NewRecorder()
	f.api.ServeHTTP(w, in)
	if w.Code/100 != 2 {
		return nil, fmt.Errorf("learn: status %d: %s", w.Code, w.Body)
	}
	return w.Body.Bytes(), nil
}

// ServeHTTP answers /N with what was learnt, and POST /create with a new record.
func (f *Floor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost && r.URL.Path == "/create" {
		f.create(w, r)
		return
	}
	n, err := strconv.Atoi(r.URL.Path[1:])
	if err != nil || n >= len(f.answers) {
		http.NotFound(w, r)
		return
	}
	_, _ = io.Copy(io.Discard, r.Body)
	a := &f.answers[n]
	buffer := floorBuffers.Get().(*[]byte)
	defer floorBuffers.Put(buffer)
	out := append((*buffer)[:0], a.head...)
	rows, from := 0, 0
	err = f.db.Read(r.Context(), a.statements, a.kinds, func(statement int, values []schema.Value) bool {
		marked := len(values) == len(a.leaves)+3
		if len(values) < len(a.leaves) || marked && values[len(values)-1].N == 0 {
			return true
		}
		if statement != from {
			if a.tries[from] {
				out, rows = append(out[:0], a.head...), 0
			}
			from = statement
		}
		if rows == 25 {
			return false
		}
		if rows > 0 {
			out = append(out, ',')
		}
		rows++
		out = schema.AppendRecord(out, a.leaves, values[:len(a.leaves)])
		return true
	})
	out = append(out, a.tail...)
	*buffer = out
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(out)))
	_, _ = w.Write(out)
}

var floorBuffers = sync.Pool{New: func() any { b := make([]byte, 0, 32<<10); return &b }}

// create writes a ready record with the same statements, group commit and wait for the disk as kith.
func (f *Floor) create(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	res := &crm.KindOf("contact").Resource
	rec := f.template.Clone()
	err := f.tenant.Write(r.Context(), store.Actor{User: rec.Get(crm.Contacts.OwnerID).UUID()}, func(tx *store.Tx) error {
		rec.Put(crm.Contacts.ID, schema.IDValue(schema.NewID(tx.Now)))
		rec.Put(crm.Contacts.CreatedAt, schema.TimeValue(tx.Now))
		rec.Put(crm.Contacts.UpdatedAt, schema.TimeValue(tx.Now))
		return tx.Insert(res, rec, "create")
	})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	out := crm.Render(nil, rec)
	w.Header().Set("Content-Length", strconv.Itoa(len(out)))
	w.WriteHeader(http.StatusCreated)
	_, _ = w.Write(out)
}

// Pattern takes an existing record as the pattern of new ones.
func (f *Floor) Pattern(ctx context.Context, business, id schema.UUID) (err error) {
	if f.tenant, err = f.db.Tenant(ctx, business); err != nil {
		return err
	}
	f.template, err = f.tenant.Get(ctx, &crm.KindOf("contact").Resource, id, false)
	return err
}

// Lesson is what the driver of the benchmark tells the floor to learn, and what it answers.
type Lesson struct {
	Requests [][]byte `json:"requests"`
	Paths    []string `json:"paths"`
}

// Teach lets the floor learn over HTTP: it is a process of its own, so that its cost can be told apart.
func (f *Floor) Teach(w http.ResponseWriter, r *http.Request) {
	var lesson Lesson
	if err := json.NewDecoder(r.Body).Decode(&lesson); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	for _, text := range lesson.Requests {
		path, err := f.learn(text)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		lesson.Paths = append(lesson.Paths, path)
	}
	_ = json.NewEncoder(w).Encode(lesson)
}

// timeout bounds one step of the benchmark that should take a moment.
const timeout = 5 * time.Minute
