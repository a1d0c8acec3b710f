package store

import (
	"errors"
	"maps"
)

// errNeedsSavepoints has a transaction run once more, with savepoints: an operation of it failed in the middle. Nearly all that
// fail do so before they have changed anything, and savepoints are a fifth of the cost of a write.
var errNeedsSavepoints = errors.New("an operation of the transaction is to be undone alone")

// Savepoint runs fn as an operation of the transaction that is undone alone where it fails; the others stay.
func (tx *Tx) Savepoint(fn func() error) error {
	before := *tx
	if tx.savepoints { // otherwise an operation that fails has changed nothing, or everything runs once more
		tx.tallies, tx.figures = maps.Clone(tx.tallies), maps.Clone(tx.figures)
		tx.texts, tx.read = tx.texts.Clone(), maps.Clone(tx.read)
	}
	wrote, err := tx.c.Savepoint(tx.ctx, tx.savepoints, fn)
	if err == nil {
		return nil
	}
	*tx = before
	if tx.savepoints {
		tx.memory = remembered{outdated: before.memory.outdated} // it may have what the operation wrote
	}
	if wrote && !tx.savepoints {
		return errNeedsSavepoints
	}
	return err
}

// again runs a transaction, and once more with savepoints where that turns out to be needed.
func again(run func(savepoints bool) error) error {
	err := run(false)
	if errors.Is(err, errNeedsSavepoints) {
		err = run(true)
	}
	return err
}
