package exchange_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/exchange"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/queue"

	. "github.com/kith-crm/kith/internal/apitest"
)

// refusedBytes is what is kept of why rows of a job were refused, and of how many.
func refusedBytes(w *World, t *testing.T, job string) (rows, bytes int) {
	t.Helper()
	id, err := schema.ParseID("job", job)
	if err != nil {
		t.Fatal(err)
	}
	all, err := queue.Refusals(t.Context(), w.Tenant, id, 0, 2*exchange.MaxRefused)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		bytes += len(r.Problem)
	}
	return len(all), bytes
}

// Why rows are refused is told of the first of them, and the others are counted, be it tried or run: neither many rows nor long names
// that are told with each fill the database, and what nobody can ask for any more is forgotten.
func TestRefusedRowsTakeLittleRoom(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		w.Workers(t)
		var stages []string
		for i, kind := range []string{"open", "open", "open", "open", "open", "won", "lost"} {
			stages = append(stages, fmt.Sprintf(`{"name":"%s%d","kind":"%s"}`, strings.Repeat("\U00010400", 240), i, kind))
		}
		w.Check(t, Step{
			Rule: "a pipeline with long names", Do: "POST /pipelines", Body: `{"name":"Long","stages":[` + strings.Join(stages, ",") + `]}`,
			Status: 201,
		})
		for what, c := range map[string]struct {
			resource, file string
			rows           int
			does           []string
		}{
			"many rows":  {"contact", "name,email\nA,x\n", exchange.MaxRefused + 100, []string{"run"}},
			"long names": {"deal", "name,pipeline,stage\nA,Long,x\n", 2500, []string{"preview"}},
			"few rows":   {"contact", "name,email\nA,x\n", 10, []string{"preview", "preview", "run"}},
		} {
			head, row, _ := strings.Cut(c.file, "\n")
			w.Upload(t, `{"resource":"`+c.resource+`"}`, head+"\n"+strings.Repeat(row, c.rows))
			var jobs []string
			for _, does := range c.does {
				w.Check(t, Step{Rule: what, Do: "POST /imports/$import/" + does, Status: 202})
				done := w.Settled(t, "", w.Vars["import"])
				if got := fmt.Sprint(At(done.JSON, does+".refused")); got != fmt.Sprint(c.rows) {
					t.Errorf("%s: %s counts %s refused rows, want %d", what, does, got, c.rows)
				}
				job := fmt.Sprint(At(done.JSON, does+".job_id"))
				rows, bytes := refusedBytes(w, t, job)
				if rows == 0 || rows > exchange.MaxRefused || bytes > 5<<20 {
					t.Errorf("%s: of %s, %d rows with %d bytes are kept", what, does, rows, bytes)
				}
				first := w.Send(t, Step{Do: "POST /jobs/" + job + "/refused/search", Body: `{"limit":1}`})
				if At(first.JSON, "data.0.n") == nil || At(first.JSON, "data.0.error") == nil {
					t.Errorf("%s: of the first row %s is told", what, first.Text)
				}
				jobs = append(jobs, job)
			}
			if rows, _ := refusedBytes(w, t, jobs[0]); len(jobs) > 1 && rows > 0 {
				t.Errorf("%s: of the preview before the last %d rows are kept", what, rows)
			}
			w.Check(t, Step{Rule: what, Do: "DELETE /imports/$import", Status: 204})
			for _, job := range jobs {
				if rows, _ := refusedBytes(w, t, job); rows > 0 {
					t.Errorf("%s: of an import that was deleted %d refused rows are kept", what, rows)
				}
			}
		}
	})
}
