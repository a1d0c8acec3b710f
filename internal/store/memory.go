package store

import (
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/internal/room"
	"github.com/kith-crm/kith/internal/store/layout"
	"github.com/kith-crm/kith/internal/store/search"
)

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
