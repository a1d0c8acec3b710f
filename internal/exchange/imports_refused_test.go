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

// What is wrong in many rows is told once, by column and value, all of it at the first try; and corrected once.
func TestWrongValuesAreGroupedAndCorrectedAtOnce(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Workers(t)
		file := "name,email,lead_score,lifecycle_stage,company\n"
		for i := range 12 {
			mail := "anna@example.com"
			if i%4 == 0 {
				mail = "nowhere"
			}
			score, stage := []string{"many", "7", "8"}[i%3], []string{"Kunde", "Kunde", "customer"}[i%3]
			file += fmt.Sprintf("Person %d,%s,%s,%s,Kontor %d\n", i, mail, score, stage, i)
		}
		w.Upload(t, `{"resource":"contact"}`, file)
		groups := func(rule, want string) {
			t.Helper()
			w.Check(t, Step{Do: "POST /imports/$import/preview", Status: 202})
			w.Settled(t, "", w.Vars["import"])
			w.Check(t, Step{Rule: rule, Do: "POST /imports/$import/refused/groups", Status: 200, Want: want})
		}
		groups("all that is wrong is told at once", `{"data":[{"column":"lifecycle_stage","value":"Kunde","count":8,"code":"not_found"},`+
			`{"column":"lead_score","field":"lead_score","value":"many","count":4,"rows":[1,4,7,10],"allowed":[],"code":"invalid_format"},`+
			`{"column":"email","value":"nowhere","count":3,"rows":[1,5,9]}],"meta":{"refused":9,"grouped":9,"has_more":false}}`)
		w.Run(t, []Step{
			{
				Rule: "companies are not made of rows that were only tried", Do: "POST /companies/search", Status: 200,
				Want: `{"meta":{"total":0}}`,
			},
			{
				Rule: "a correction is of a row or of a value", Do: "PATCH /imports/$import",
				Body:   `{"corrections":[{"column":"email","value":"x"},{"row":1,"from":"y","column":"email","value":"x"}]}`,
				Status: 422, Wrong: "corrections[0].row:required corrections[1].row:required",
			},
			{
				Rule: "a value is corrected in all rows", Do: "PATCH /imports/$import", Status: 200,
				Body: `{"corrections":[{"column":"lifecycle_stage","from":"Kunde","value":"Klient"},` +
					`{"column":"lead_score","from":"many","value":"9"},{"row":1,"column":"email","value":"bea@example.com"}]}`,
			},
			{
				Rule: "as rows tell", Do: "GET /imports/$import/rows?n=1", Status: 200,
				Want: `{"data":[{"n":1,"cells":["Person 0","bea@example.com","9","Klient","Kontor 0"]}]}`,
			},
		})
		groups("what is still wrong is told", `{"data":[{"column":"lifecycle_stage","value":"Klient","count":8},`+
			`{"column":"email","value":"nowhere","count":2,"rows":[5,9]}],"meta":{"refused":9}}`)
		w.Check(t, Step{
			Rule: "and corrected again", Do: "PATCH /imports/$import", Status: 200,
			Body: `{"corrections":[{"column":"lifecycle_stage","from":"Klient","value":"Customer"}]}`,
		})
		w.Check(t, Step{Rule: "the rest goes on without the others", Do: "POST /imports/$import/run", Status: 202})
		w.Settled(t, "", w.Vars["import"])
		w.Run(t, []Step{
			{Rule: "what is good is there", Do: "POST /contacts/search", Body: `{"limit":1}`, Status: 200, Want: `{"meta":{"total":10}}`},
			{
				Rule: "what was left out is told", Do: "POST /imports/$import/refused/groups", Status: 200,
				Want: `{"data":[{"column":"email","value":"nowhere","count":2}],"meta":{"refused":2}}`,
			},
		})
		found := w.Send(t, Step{Do: "POST /contacts/search", Body: `{"limit":2,"fields":["id"]}`})
		for i := range 2 {
			w.Check(t, Step{
				Rule: "somebody changes what it made", Do: "PATCH /contacts/" + fmt.Sprint(At(found.JSON, fmt.Sprintf("data.%d.id", i))),
				Body: `{"job_title":"Captain"}`, Status: 200,
			})
		}
		w.Check(t, Step{Do: "POST /imports/$import/undo", Status: 200})
		w.Check(t, Step{
			Rule: "an undo says what it left, and why", Do: "GET /imports/$import", Status: 200,
			Want: `{"undo":{"left":2,"reasons":[{"why":"The contact was changed since: job_title has another value by now.","count":2}]}}`,
		})
	})
}

// A wrong value can be emptied, which is a correction like any other, and what no cell is to blame for is told by its field and its rows.
func TestWrongValuesAreEmptied(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Workers(t)
		w.Upload(t, `{"resource":"contact"}`, "first_name,lead_score\nAnna,many\nBea,lots\n,7\n")
		previews := func(rule, want string) {
			t.Helper()
			w.Check(t, Step{Do: "POST /imports/$import/preview", Status: 202})
			w.Settled(t, "", w.Vars["import"])
			w.Check(t, Step{Rule: rule, Do: "POST /imports/$import/refused/groups", Status: 200, Want: want})
		}
		corrected := func(rule, from, value, rows string) {
			t.Helper()
			w.Check(t, Step{
				Rule: rule, Do: "PATCH /imports/$import", Status: 200,
				Body: `{"corrections":[{"column":"lead_score","from":"` + from + `","value":` + value + `}]}`,
			})
			w.Check(t, Step{Rule: rule, Do: "GET /imports/$import/rows?n=1,2", Status: 200, Want: `{"data":[` + rows + `]}`})
		}
		nameless := `{"column":null,"field":"name","value":null,"code":"required","count":1,"rows":[3],"allowed":[],` +
			`"message":"give at least one of name, first_name, last_name, email, phone and mobile_phone"}`
		previews("what no column has is told by its field", `{"data":[{"column":"lead_score","value":"many"},`+
			`{"column":"lead_score","value":"lots"},`+nameless+`]}`)
		corrected("a value is another", "many", `"lots"`, `{"cells":["Anna","lots"]},{"cells":["Bea","lots"]}`)
		corrected("and both are emptied", "lots", `""`, `{"cells":["Anna",""]},{"cells":["Bea",""]}`)
		corrected("what was emptied becomes something else", "lots", `"8"`, `{"cells":["Anna","8"]},{"cells":["Bea","8"]}`)
		corrected("null empties, too", "8", `null`, `{"cells":["Anna",""]},{"cells":["Bea",""]}`)
		previews("what is emptied is not refused", `{"data":[`+nameless+`],"meta":{"refused":1}}`)
		w.Check(t, Step{Do: "POST /imports/$import/run", Status: 202})
		w.Settled(t, "", w.Vars["import"])
		w.Check(t, Step{
			Rule: "and comes without the value", Do: "POST /contacts/search", Status: 200,
			Want: `{"data":[{"name":"Anna"},{"name":"Bea"}]}`,
			Body: `{"filters":[{"field":"lead_score","operator":"is_not_set"},{"field":"name","operator":"in","values":["Anna","Bea"]}],` +
				`"fields":["name"],"order_by":"name","sort_direction":"asc"}`,
		})
	})
}
