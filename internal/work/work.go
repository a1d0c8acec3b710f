// Package work is what is done to many records, or to what is left of them: bulk operations, changes taken back, erasure, and bins
// that are emptied.
package work

import "github.com/kith-crm/kith/internal/crm"

// Register lets an engine work on many records at once, take changes back, and erase.
func Register(e *crm.Engine) {
	e.RegisterJob(crm.BulkJob, &crm.JobKind{Step: stepBulk})
	e.RegisterJob(UndoJob, &crm.JobKind{Step: stepUndo})
	e.RegisterOperation(crm.Erase, planErase)
}
