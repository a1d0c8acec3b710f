package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/kith-crm/kith/internal/crm"
	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/watch"
	"github.com/kith-crm/kith/internal/wiring"
)

// Floor is a bare HTTP handler that runs the same SQL on the same driver and writes the same bytes as kith, and does nothing else: no
// parsing, no permission, no log, no count. What it reaches is what the engine can give.
type Floor struct {
	db       *store.Store
	api      http.Handler
	watching *store.Store
	template *schema.Record
	tenant   store.Tenant
	// created counts the records that it made.
	created atomic.Int64

	mu sync.Mutex
	// answers are what was learnt. They change only between runs.
	answers []answer
	// acting are the statements that tell who acts, which a running server remembers; nil before the first lesson.
	acting map[string]bool
}

// answer is one request's statements, what of their rows goes into the answer, and the bytes around it.
type answer struct {
	statements []watch.Ran
	reads      []reads
	leaves     []*schema.Leaf
	records    int
	head, tail []byte
}

// reads is how far a statement is read.
type reads struct {
	rows  int
	stops bool // there may be more rows, which are not wanted
	used  []use
}

// use is a row that is a record of the answer, and its place there.
type use struct{ row, place int }

// NewFloor opens the database a second time to learn, through the real API, which statements each request runs.
func NewFloor(ctx context.Context, url string) (*Floor, error) {
	f := &Floor{}
	var err error
	if f.db, err = store.Open(ctx, url, record.Registry); err != nil {
		return nil, err
	}
	f.db.LeaveUntidy()
	if f.watching, err = store.Open(ctx, url, record.Registry); err != nil {
		return nil, err
	}
	f.watching.LeaveUntidy()
	watch.Begin(f.watching)
	engine, err := wiring.NewEngine(ctx, f.watching)
	if err != nil {
		return nil, err
	}
	f.api = httpapi.New(engine, httpapi.Options{Log: quiet()})
	return f, nil
}

// ServeHTTP answers /N with what was learnt, and POST /create with a new record.
func (f *Floor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost && r.URL.Path == "/create" {
		f.create(w, r)
		return
	}
	n, err := strconv.Atoi(r.URL.Path[1:])
	if err != nil || n < 0 || n >= len(f.answers) {
		http.NotFound(w, r)
		return
	}
	_, _ = io.Copy(io.Discard, r.Body)
	buffer := floorBuffers.Get().(*floorBuffer)
	defer floorBuffers.Put(buffer)
	out, err := f.answers[n].run(r.Context(), f.db, buffer)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(out)))
	_, _ = w.Write(out)
}

// floorBuffer is the memory of one answer.
type floorBuffer struct {
	out, records []byte
	values       []schema.Value
	// places are where in records each record of the answer lies.
	places [][2]int
}

var floorBuffers = sync.Pool{New: func() any { return &floorBuffer{out: make([]byte, 0, 32<<10)} }}

// run runs the statements as far as kith read them, and writes the answer.
func (a *answer) run(ctx context.Context, db *store.Store, b *floorBuffer) ([]byte, error) {
	b.out, b.records, b.places = append(b.out[:0], a.head...), b.records[:0], append(b.places[:0], make([][2]int, a.records)...)
	if len(b.values) < len(a.leaves) {
		b.values = make([]schema.Value, len(a.leaves))
	}
	values := b.values[:len(a.leaves)]
	from, row, used, written := -1, 0, 0, 0
	err := watch.Read(ctx, db, a.statements, func(statement int, r watch.Row) (more bool) {
		if statement != from {
			from, row, used = statement, 0, 0
		}
		to := &a.reads[statement]
		if used < len(to.used) && to.used[used].row == row {
			for column, l := range a.leaves {
				values[column] = r.Value(column, l.Kind)
			}
			begin := len(b.records)
			b.records = schema.AppendRecord(b.records, a.leaves, values)
			b.places[to.used[used].place] = [2]int{begin, len(b.records)}
			written++
			used++
		}
		row++
		return !to.stops || row < to.rows
	})
	if err == nil && written != a.records {
		err = fmt.Errorf("%d records are there, %d were learnt", written, a.records)
	}
	for i, place := range b.places {
		if i > 0 {
			b.out = append(b.out, ',')
		}
		b.out = append(b.out, b.records[place[0]:place[1]]...)
	}
	b.out = append(b.out, a.tail...)
	return b.out, err
}

// create writes ready records, as many as the query's records says or one, with the same statements, group commit and wait for the
// disk as kith. Each has new values, like those that kith is sent: the same one over and over would always come to the same place
// of every index.
func (f *Floor) create(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	many, err := strconv.Atoi(cmp.Or(r.URL.Query().Get("records"), "1"))
	if err != nil || many < 1 {
		http.Error(w, "records is a number from 1 on", http.StatusBadRequest)
		return
	}
	recs := make([]*schema.Record, many)
	for i := range recs {
		recs[i] = f.comes()
	}
	err = f.tenant.Write(r.Context(), store.Actor{User: f.template.Get(crm.Contacts.OwnerID).UUID()}, func(tx *store.Tx) error {
		for _, rec := range recs {
			rec.Put(crm.Contacts.ID, schema.IDValue(schema.NewID(tx.Now)))
			rec.Put(crm.Contacts.CreatedAt, schema.TimeValue(tx.Now))
			rec.Put(crm.Contacts.UpdatedAt, schema.TimeValue(tx.Now))
		}
		return tx.InsertMany(&record.KindOf("contact").Resource, recs, "create")
	})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	var out []byte
	for _, rec := range recs {
		out = record.Render(out, rec)
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(out)))
	w.WriteHeader(http.StatusCreated)
	_, _ = w.Write(out)
}

// comes is the next record that it makes.
func (f *Floor) comes() *schema.Record {
	rec := f.template.Clone()
	c := comes("create at the floor", int(f.created.Add(1)))
	rec.PutText(crm.Contacts.FirstName, c.first)
	rec.PutText(crm.Contacts.LastName, c.last)
	rec.PutText(crm.Contacts.Name, c.first+" "+c.last)
	rec.PutText(crm.Contacts.Email, c.email)
	rec.PutText(crm.Contacts.Phone, c.phone)
	rec.Put(crm.Contacts.LeadScore, schema.FloatValue(c.score))
	return rec
}

// Pattern takes what new records have without being told from an existing one.
func (f *Floor) Pattern(ctx context.Context, business, id schema.UUID) (err error) {
	if f.tenant, err = f.db.Tenant(ctx, business); err != nil {
		return err
	}
	rec, err := f.tenant.Get(ctx, &record.KindOf("contact").Resource, id, false)
	if err != nil {
		return err
	}
	f.template = schema.NewRecord(rec.Shape)
	for _, l := range []*schema.Leaf{
		rec.Common.OwnerID, rec.Common.CreatedBy, rec.Common.UpdatedBy, crm.Contacts.LifecycleStageID, crm.Contacts.DoNotContact,
	} {
		f.template.Put(l, rec.Get(l))
	}
	f.template.Put(crm.Contacts.Version, schema.IntValue(schema.Integer, 1))
	return nil
}

// Close closes the database.
func (f *Floor) Close() error {
	return errors.Join(f.db.Close(), f.watching.Close())
}
