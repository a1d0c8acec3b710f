// Package work is what is done to many records, or to what is left of them: bulk operations, changes taken back, erasure, bins that
// are emptied, and indexes of added fields that are built.
package work

import (
	"github.com/kith-crm/kith/internal/record"
)

// Register lets an engine work on many records at once, take changes back, and erase.
func Register(e *record.Engine) {
	e.RegisterJob(record.BulkJob, &record.JobKind{Step: stepBulk})
	e.RegisterJob(UndoJob, &record.JobKind{Step: stepUndo})
	e.RegisterOperation(record.Erase, planErase)
}
