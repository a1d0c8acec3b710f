package record

import (
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/store"
)

// A step is long only for as long as nobody else uses the store, because they would wait for it.
func TestAStepEndsWhereOthersCome(t *testing.T) {
	others := &Background{store: &store.Store{}}
	run := &JobRun{Tx: &store.Tx{}, began: time.Now(), Bystanders: others.Look()}
	run.Records = StepRecords
	if run.Spent() {
		t.Error("a job that is alone ends its step as if somebody waited")
	}
	others.own.Add(-1) // one more use of the store than jobs have had
	if !run.Spent() {
		t.Error("a job goes on with its step although somebody else uses the store")
	}
	others.own.Add(1)
	run.Records = manyRecords
	if !run.Spent() {
		t.Error("a job that is alone never ends its step")
	}
}
