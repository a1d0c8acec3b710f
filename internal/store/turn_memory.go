package store

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/internal/room"
	"github.com/kith-crm/kith/internal/store/layout"
	"github.com/kith-crm/kith/internal/store/search"
)

var nothingRemembered = &turnMemory{}

// lastTurn is what was known when the turn before ended, where that was one of this process.
func (tx *Tx) lastTurn() *turnMemory {
	if tx.last == nil {
		tx.last = nothingRemembered
		if known := tx.s.turns.load(tx.id); known != nil && tx.before.Set && known.clock == tx.before.N {
			tx.last = known
		}
	}
	return tx.last
}

// remember keeps what is known for the next turn. The commit may yet fail; then no turn ever finds this clock.
func (tx *Tx) remember(clock time.Time) {
	if tx.Rehearsal { // the next turn may have its time
		return
	}
	next := turnMemory{schema.TimeValue(clock).N, tx.texts.TextRanges, tx.lastTurn().found}
	if next.textRanges == nil {
		next.textRanges = tx.lastTurn().textRanges
	}
	for _, res := range tx.s.reg.Resources {
		found := tx.memory.found[res.Name]
		if !res.Storage.Small || len(found) == 0 && !slices.Contains(tx.memory.outdated, res.Name) {
			continue
		}
		if next.found = maps.Clone(next.found); next.found == nil {
			next.found = map[string]map[string]known{}
		}
		if delete(next.found, res.Name); len(found) > 0 && len(found) <= rememberedAnswers &&
			!slices.ContainsFunc(slices.Collect(maps.Values(found)), func(k known) bool {
				return k.rec != nil && k.rec.Weight() > rememberedBytes
			}) {
			next.found[res.Name] = found
		}
	}
	if next.textRanges != nil || next.found != nil {
		tx.s.turns.store(tx.id, &next)
	}
}

// remembered is what a transaction remembers.
type remembered struct {
	// holders are who holds unique values: nobody where the id is zero.
	holders map[string]schema.UUID
	// records are answers to questions for live ones by their id, and found those to questions for the first one that matches, by resource.
	records map[schema.UUID]known
	found   map[string]map[string]known
	// weight is how many bytes of texts the records have.
	weight int
	// currency is the business's.
	currency string
	// outdated are the small resources of which the transaction has written records: what the turn before knew of them is no longer so.
	outdated []string
}

// known is what a question for one record was answered, as it has been read: with the fields of a shape.
type known struct {
	shape *schema.Shape
	rec   *schema.Record // nil where there is none
}

// mostRemembered is how many bytes of records are remembered.
const mostRemembered = 2 << 20

// begin makes room for what is remembered.
func (m *remembered) begin() {
	if m.holders == nil {
		m.holders, m.records, m.found = map[string]schema.UUID{}, map[schema.UUID]known{}, map[string]map[string]known{}
	}
}

// takes tells whether there is room for a record.
func (m *remembered) takes(rec *schema.Record) bool {
	for _, v := range rec.Values {
		m.weight += len(v.S)
	}
	return m.weight <= mostRemembered
}

// holding names a unique value.
func holding(res *schema.Resource, l *schema.Leaf, v schema.Value) string {
	// an added field may come to have another's name
	name := room.AppendValue([]byte(res.Name+" "+l.Path+" "+l.Member+" "), layout.KeyOf(l, v))
	if l.Identity.Exact {
		name = room.AppendValue(name, v)
	}
	return string(name)
}

// turnMemory is what a transaction of this process knew when its turn ended. It holds as long as the business's clock says that no
// other turn came after. On PostgreSQL each of the two spares creates a trip, a tenth of their time.
type turnMemory struct {
	clock      int64
	textRanges search.TextRangeEnds
	// found are answers to questions for the first record of a small resource that matches, as in remembered: nearly every write
	// asks for the default stage.
	found map[string]map[string]known
}

// Of how many businesses something is remembered, and of a small resource how many answers with how many bytes.
const (
	rememberedBusinesses = 4096
	rememberedAnswers    = 4
	rememberedBytes      = 4 << 10
)

// turnMemories are those of the businesses that wrote last.
type turnMemories struct {
	mu  sync.RWMutex
	all map[schema.UUID]*turnMemory
}

func (m *turnMemories) load(business schema.UUID) *turnMemory {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.all[business]
}

func (m *turnMemories) store(business schema.UUID, known *turnMemory) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.all == nil || len(m.all) >= rememberedBusinesses && m.all[business] == nil {
		m.all = map[schema.UUID]*turnMemory{} // whoever goes on writing is soon in there again
	}
	m.all[business] = known
}
