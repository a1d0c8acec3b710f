package store

import (
	"maps"
	"slices"
	"time"

	"github.com/kith-crm/kith/internal/schema"
)

var nothingRemembered = &turnMemory{}

// lastTurn is what was known when the turn before ended, where that was one of this process.
func (tx *Tx) lastTurn() *turnMemory {
	if tx.last == nil {
		tx.last = nothingRemembered
		if known, ok := tx.s.turns.Load(tx.id); ok && tx.before.Set && known.clock == tx.before.N {
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
		tx.s.turns.Store(tx.id, &next)
	}
}
