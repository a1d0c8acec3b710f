package notify_test

import (
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/queue"
	"github.com/kith-crm/kith/internal/work"

	. "github.com/kith-crm/kith/internal/apitest"
)

// began begins a job as somebody did some time ago, about no records, and keeps its id as a variable.
func began(t *testing.T, w *World, by *record.Principal, kind, params string, ago time.Duration, name string) {
	t.Helper()
	if err := w.Tenant.Write(t.Context(), by.Actor(""), func(tx *store.Tx) error {
		tx.Now = tx.Now.Add(-ago)
		job, err := work.StartJob(w.Engine, tx, by, kind, params, "", 7)
		w.Vars[name] = schema.FormatID("job", job.ID)
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

func TestWhoBeganAJobIsToldThatItEnded(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		m := sendingMail(t, w)
		member := account.SystemPrincipal(w.Tenant, w.Users["member"])
		lost := *member
		lost.Token = schema.NewID(time.Now())
		const bulk, contacts = record.BulkJob, `{"resource":"contact","op":"delete"}`
		began(t, w, member, queue.ImportJob, `{"import_id":"import_1"}`, time.Minute, "import")
		began(t, w, member, bulk, contacts, time.Minute, "own")
		began(t, w, member, bulk, contacts, time.Minute, "long")
		began(t, w, member, bulk, contacts, time.Second, "short")
		began(t, w, &lost, bulk, contacts, time.Minute, "lost")
		w.Run(t, []Step{
			{Do: "PATCH /users/$member", Body: `{"notifications_mailed_at_once":["job"]}`, Status: 200},
			{Rule: "by somebody else", Do: "POST /jobs/$import/cancel", Status: 200},
			{Rule: "and not by oneself", As: "member", Do: "POST /jobs/$own/cancel", Status: 200},
		})
		w.Workers(t)
		w.Idle(t, "admin", time.Minute)
		w.Run(t, []Step{
			{
				Rule: "if it took longer than one waits for it", As: "member", Do: "POST /notifications/search",
				Body: `{"order_by":"event","sort_direction":"asc"}`, Status: 200,
				Want: `{"data":[
					{"kind":"job","job_id":"$import","event":"job.cancelled","actor_id":"$admin","about_id":null,"text":null},
					{"kind":"job","job_id":"$lost","event":"job.failed","actor_id":null},
					{"kind":"job","job_id":"$long","event":"job.succeeded","actor_id":null}],"meta":{"total":3}}`,
			},
			{Rule: "and nobody else", Do: "POST /notifications/search", Body: "{}", Status: 200, Want: `{"data":[]}`},
			{Rule: "nor who does not want to be", Do: "PATCH /users/$member", Body: `{"muted_notifications":["job"]}`, Status: 200},
		})
		began(t, w, member, bulk, contacts, time.Minute, "muted")
		w.Engine.JobsDue.Wake()
		w.Idle(t, "admin", time.Minute)
		w.Check(t, Step{As: "member", Do: "POST /notifications/search", Body: "{}", Status: 200, Want: `{"meta":{"total":3}}`})

		letters := m.after(t, time.Second)
		for _, text := range letters {
			for _, want := range []string{
				"Bulk change is done: 0 of 7 done\r\nhttps://crm.example/app/settings/work\r\n", "Bulk change has failed: ",
				"Import was cancelled: 0 of 7 done\r\nhttps://crm.example/app/import/import_1\r\n",
			} {
				if !strings.Contains(text, want) {
					t.Errorf("there is no %q in %s", want, text)
				}
			}
		}
		if len(letters) != 1 {
			t.Errorf("there come %v", letters)
		}
	})
}
