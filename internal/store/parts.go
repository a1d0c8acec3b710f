package store

import (
	"errors"
	"maps"
)

// errInParts has a transaction run once more, with savepoints: a part of it failed in the middle. Nearly all that fail do so before
// they have changed anything, and savepoints are a fifth of the cost of a write.
var errInParts = errors.New("a part of the transaction is to be undone alone")

// Part runs fn as a part of the transaction that is undone alone where it fails; the others stay.
func (tx *Tx) Part(fn func() error) error {
	before := *tx
	if tx.inParts { // otherwise a part that fails has changed nothing, or everything runs once more
		tx.tallies, tx.figures = maps.Clone(tx.tallies), maps.Clone(tx.figures)
		tx.placed, tx.textRanges, tx.read = maps.Clone(tx.placed), maps.Clone(tx.textRanges), maps.Clone(tx.read)
	}
	wrote, err := tx.c.part(tx.ctx, tx.inParts, fn)
	if err == nil {
		return nil
	}
	*tx = before
	if tx.inParts {
		tx.memory = remembered{outdated: before.memory.outdated} // it may have what the part wrote
	}
	if wrote && !tx.inParts {
		return errInParts
	}
	return err
}

// again runs a transaction, and once more in parts where that turns out to be needed.
func again(run func(inParts bool) error) error {
	err := run(false)
	if errors.Is(err, errInParts) {
		err = run(true)
	}
	return err
}
