// Package work is what outlasts a request: jobs, such as bulk operations and changes taken back, erasure, bins that are emptied, and
// indexes of added fields that are built.
package work

import (
	"github.com/kith-crm/kith/internal/record"
)

// Register lets an engine erase.
func Register(e *record.Engine) {
	e.RegisterOperation(record.Erase, planErase)
}

// JobKinds are the kinds of jobs of this package, by their names.
func JobKinds() map[string]*JobKind {
	return map[string]*JobKind{record.BulkJob: {Prepare: findMore, Step: stepBulk}, UndoJob: {Step: stepUndo}}
}
