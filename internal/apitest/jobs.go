package apitest

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/queue"
	"github.com/kith-crm/kith/internal/wiring"
	"github.com/kith-crm/kith/internal/work"
)

// Worker makes what works on the jobs of the world's server.
func (w *World) Worker() *work.Worker {
	worker := work.NewWorker(w.Engine, wiring.JobKinds())
	worker.Lease = cmp.Or(w.Lease, worker.Lease)
	return worker
}

// Workers lets the world's server work on jobs until the test ends.
func (w *World) Workers(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		w.Worker().Work(ctx, func(err error) { t.Errorf("jobs: %v", err) })
		close(done)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
}

// Settled waits until nothing is under way for an import, and gives it.
func (w *World) Settled(t *testing.T, as, id string) *Answer {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); ; w.Idle(t, as, 250*time.Millisecond) {
		a := w.Send(t, Step{As: as, Do: "GET /imports/" + id})
		if status := fmt.Sprint(At(a.JSON, "status")); !strings.HasSuffix(status, "ing") {
			return a
		}
		if a.Status != http.StatusOK || time.Now().After(deadline) {
			t.Fatalf("the import has not come to an end: %d %s", a.Status, a.Text)
		}
	}
}

// Idle waits until no job of the business is open, but no longer than so long. Jobs rest while others use the database, so it looks
// quietly.
func (w *World) Idle(t *testing.T, as string, most time.Duration) {
	t.Helper()
	tenant := w.Tenant
	if as == "stranger" {
		tenant = w.stranger
	}
	for deadline := time.Now().Add(most); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		jobs, err := queue.Jobs(t.Context(), tenant.Quietly(), schema.UUID{}, schema.UUID{}, false, 100)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(jobs, func(j queue.Job) bool { return j.Open() }) {
			return
		}
	}
}

// Upload makes an import and sends its file; the import is then the variable $import.
func (w *World) Upload(t *testing.T, decided, file string) *Answer {
	t.Helper()
	a := w.Send(t, Step{Do: "POST /imports", Body: decided})
	if a.Status != http.StatusCreated {
		t.Fatalf("%s: %d %s", decided, a.Status, a.Text)
	}
	w.Vars["import"] = fmt.Sprint(At(a.JSON, "id"))
	w.Vars["file"] = file // whose own $ are none of the steps'
	a = w.Send(t, Step{Do: "PUT /imports/$import/file", Body: "$file", Send: []string{"Content-Type: text/csv"}})
	if a.Status != http.StatusOK {
		t.Fatalf("the file: %d %s", a.Status, a.Text)
	}
	return a
}

// WorkOff does everything that is left to do about records that were removed.
func (w *World) WorkOff(t *testing.T) {
	t.Helper()
	for more := true; more; {
		var err error
		if more, err = work.WorkOff(context.Background(), w.Engine); err != nil {
			t.Fatal(err)
		}
	}
}
