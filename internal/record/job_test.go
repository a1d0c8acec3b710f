package record

import (
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/store"
)

// A step is long only for as long as nobody else uses the store, because they would wait for it.
func TestAStepEndsWhereOthersCome(t *testing.T) {
	e := &Engine{store: &store.Store{}}
	run := &JobRun{Tx: &store.Tx{}, began: time.Now(), bystanders: e.lookAround()}
	run.Records = StepRecords
	if run.Spent() {
		t.Error("a job that is alone ends its step as if somebody waited")
	}
	e.jobUses.Add(-1) // one more use of the store than jobs have had
	if !run.Spent() {
		t.Error("a job goes on with its step although somebody else uses the store")
	}
	e.jobUses.Add(1)
	run.Records = manyRecords
	if !run.Spent() {
		t.Error("a job that is alone never ends its step")
	}
}
