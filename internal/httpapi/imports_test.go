package httpapi_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/kith-crm/kith/internal/exchange"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/queue"
	"github.com/kith-crm/kith/internal/tabular"
	"github.com/kith-crm/kith/internal/work"
)

// settled waits until nothing is under way for an import, and gives it.
func (w *world) settled(t *testing.T, as, id string) *answer {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); ; w.idle(t, as, 250*time.Millisecond) {
		a := w.send(t, step{as: as, do: "GET /imports/" + id})
		if status := fmt.Sprint(at(a.json, "status")); !strings.HasSuffix(status, "ing") {
			return a
		}
		if a.status != http.StatusOK || time.Now().After(deadline) {
			t.Fatalf("the import has not come to an end: %d %s", a.status, a.text)
		}
	}
}

// idle waits until no job of the business is open, but no longer than so long. Jobs rest while others use the database, so it looks
// quietly.
func (w *world) idle(t *testing.T, as string, most time.Duration) {
	t.Helper()
	tenant := w.tenant
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

// upload makes an import and sends its file; the import is then the variable $import.
func (w *world) upload(t *testing.T, decided, file string) *answer {
	t.Helper()
	a := w.send(t, step{do: "POST /imports", body: decided})
	if a.status != http.StatusCreated {
		t.Fatalf("%s: %d %s", decided, a.status, a.text)
	}
	w.vars["import"] = fmt.Sprint(at(a.json, "id"))
	w.vars["file"] = file // whose own $ are none of the steps'
	a = w.send(t, step{do: "PUT /imports/$import/file", body: "$file", send: []string{"Content-Type: text/csv"}})
	if a.status != http.StatusOK {
		t.Fatalf("the file: %d %s", a.status, a.text)
	}
	return a
}

// runs runs the import, and holds what became of it to how many rows were created, changed, unchanged and refused.
func (w *world) runs(t *testing.T, want string) *answer {
	t.Helper()
	if a := w.send(t, step{do: "POST /imports/$import/run"}); a.status != http.StatusAccepted {
		t.Fatalf("run: %d %s", a.status, a.text)
	}
	a := w.settled(t, "", w.vars["import"])
	w.counted(t, a, "run", want)
	return a
}

func (w *world) counted(t *testing.T, a *answer, what, want string) {
	t.Helper()
	n := func(name string) any { return at(a.json, what+"."+name) }
	if got := fmt.Sprint(n("status"), " ", n("created"), " ", n("changed"), " ", n("unchanged"), " ", n("refused")); got != want {
		t.Errorf("%s: %s, want %s: %s", what, got, want, a.text)
	}
}

func (w *world) contacts(t *testing.T) any {
	t.Helper()
	return at(w.send(t, step{do: "POST /contacts/search", body: `{"limit":1,"total":true}`}).json, "meta.total")
}

// Fields and options that the business lacks are made on the way by who may make them.
func TestImportsMakeFieldsAndOptions(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.workers(t)
		w.run(t, []step{
			{
				rule: "new fields are checked", do: "POST /imports",
				body: `{"resource":"contact","new_fields":{"Shoe":{"kind":"text"},"a":"text","b":{"label":"B"},"c":{"kind":"reference"}},` +
					`"unknown_options":"maybe"}`, status: 422,
				wrong: "unknown_options:not_allowed new_fields.Shoe:invalid_format new_fields.a:wrong_type new_fields.b.kind:required " +
					"new_fields.c.kind:not_allowed",
			},
			{
				rule: "who may not make fields makes none by files", as: "member", do: "POST /imports",
				body: `{"resource":"contact","new_fields":{"tier":{"kind":"select"}}}`, status: 403, code: "forbidden_by_role",
			},
			{
				rule: "nor options", as: "member", do: "POST /imports", body: `{"resource":"contact","unknown_options":"make"}`,
				status: 403,
				code:   "forbidden_by_role",
			},
		})
		file := "name,Tier,Shoe size,Colours\nA,gold,\"38,5\",\"red;blue\"\nB,,,\nC,Silver,44,red\nD,\"a \"\"b\"\"\",1,\n"
		a := w.upload(t, `{"resource":"contact","new_fields":{"tier":{"kind":"select"},"shoe":{"kind":"number","label":"Shoe size"}},`+
			`"decimals":"comma"}`, file)
		if got := fmt.Sprint(at(a.json, "columns.2.field"), "|", at(a.json, "columns.2.about"), "|",
			at(a.json, "undecided.0.field")); got != "custom_fields.shoe|a new field|mapping.Colours" {
			t.Errorf("the columns are %s: %s", got, a.text)
		}
		w.run(t, []step{
			{
				rule: "a column is mapped to a new field", do: "PATCH /imports/$import",
				body: `{"new_fields":{"colours":{"kind":"multi_select"},"x":{"kind":"text"}}}`, status: 200, want: `{"undecided":[]}`,
			},
			{rule: "a new field is taken back", do: "PATCH /imports/$import", body: `{"new_fields":{"x":null}}`, status: 200},
			{rule: "a preview", do: "POST /imports/$import/preview", status: 202},
		})
		w.counted(t, w.settled(t, "", w.vars["import"]), "preview", "succeeded 3 0 0 1")
		w.run(t, []step{{rule: "makes no fields", do: "POST /fields/search", status: 200, want: `{"data":[]}`}})
		w.runs(t, "succeeded 3 0 0 1")
		w.run(t, []step{
			{
				rule: "the fields are made", do: "POST /contacts/search",
				body: `{"filters":[{"field":"custom_fields.shoe","operator":"eq","value":38.5},{"field":"custom_fields.tier",` +
					`"operator":"eq","value":"gold"}],"fields":["name","custom_fields"]}`, status: 200,
				want: `{"data":[{"name":"A","custom_fields":{"colours":["red","blue"]}}]}`,
			},
			{
				rule: "with the options of the file", do: "POST /fields/search",
				body: `{"filters":[{"field":"name","operator":"eq","value":"tier"}],"fields":["options"]}`, status: 200,
				want: `{"data":[{"options":[{"value":"gold"},{"value":"Silver"}]}]}`,
			},
		})
		w.upload(t, `{"resource":"contact"}`, "name,Tier\nE,bronze\nF,silver\n")
		w.runs(t, "succeeded 1 0 0 1")
		w.upload(t, `{"resource":"contact","unknown_options":"make"}`, "name,Tier\nE,bronze\n")
		w.runs(t, "succeeded 1 0 0 0")
	})
}

// What is wrong in a cell is corrected in the rows that are kept, and that is what is imported.
func TestCellsOfImportsAreCorrected(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.workers(t)
		var table strings.Builder
		table.WriteString("name,email\n")
		for i := range 130 {
			fmt.Fprintf(&table, "Row %d,r%d@example.com\n", i+1, i+1)
		}
		table.WriteString("Bea,nowhere\nBo\n")
		w.upload(t, `{"resource":"contact"}`, table.String())
		w.run(t, []step{
			{rule: "a preview", do: "POST /imports/$import/preview", status: 202},
		})
		w.counted(t, w.settled(t, "", w.vars["import"]), "preview", "succeeded 131 0 0 1")
		w.run(t, []step{
			{
				rule: "rows can be looked at", do: "GET /imports/$import/rows?n=1,131,132,999", status: 200,
				want: `{"data":[{"n":1,"cells":["Row 1","r1@example.com"]},{"n":131,"cells":["Bea","nowhere"]},{"n":132,"cells":["Bo"]}]}`,
			},
			{rule: "by their numbers", do: "GET /imports/$import/rows?n=0", status: 422, wrong: "n:invalid_format"},
			{rule: "some are asked for", do: "GET /imports/$import/rows", status: 422, wrong: "n:invalid_format"},
			{rule: "by who may see the import", as: "member", do: "GET /imports/$import/rows?n=1", status: 404, code: "not_found"},
			{
				rule: "only what there is can be corrected", do: "PATCH /imports/$import",
				body:   `{"corrections":[{"row":133,"column":"email"},{"row":1,"column":"E-Mail"},{"row":0,"column":"email"}]}`,
				status: 422, wrong: "corrections[2].row:out_of_range",
			},
			{
				rule: "in rows and columns", do: "PATCH /imports/$import",
				body: `{"corrections":[{"row":133,"column":"email"},{"row":1,"column":"E-Mail"}]}`, status: 422,
				wrong: "corrections[0].row:out_of_range corrections[1].column:unknown_field",
			},
			{
				rule: "cells are corrected, far apart and in short rows", do: "PATCH /imports/$import",
				body: `{"corrections":[{"row":131,"column":"email","value":"bea@example.com"},{"row":2,"column":"name","value":"Second"},` +
					`{"row":132,"column":"email","value":"bo@example.com"},{"row":3,"column":"email"}]}`, status: 200,
			},
			{
				rule: "and so they are kept", do: "GET /imports/$import/rows?n=2,3,131,132", status: 200,
				want: `{"data":[{"cells":["Second","r2@example.com"]},{"cells":["Row 3",""]},{"cells":["Bea","bea@example.com"]},` +
					`{"cells":["Bo","bo@example.com"]}]}`,
			},
		})
		w.runs(t, "succeeded 132 0 0 0")
		w.run(t, []step{
			{
				rule: "what was corrected is imported", do: "POST /contacts/search",
				body: `{"filters":[{"field":"email","operator":"in","values":["bea@example.com","bo@example.com"]}],"fields":["name"],` +
					`"order_by":"name","sort_direction":"asc"}`, status: 200, want: `{"data":[{"name":"Bea"},{"name":"Bo"}]}`,
			},
			{
				rule: "what was run is not corrected any more", do: "PATCH /imports/$import",
				body: `{"corrections":[{"row":1,"column":"name","value":"x"}]}`, status: 409, code: "invalid_transition",
			},
		})
	})
}

// noise is a text that cannot be packed to much less.
func noise(n int) string {
	text := make([]byte, n)
	random := rand.NewChaCha8([32]byte{1})
	for i := range text {
		text[i] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"[random.Uint64()%64]
	}
	return string(text)
}

// keptBytes is how much is kept of a row.
func keptBytes(t *testing.T, cells ...string) int64 {
	t.Helper()
	var p tabular.Packer
	p.Add(tabular.Row{N: 1, Cells: cells})
	_, data, err := p.Pack()
	if err != nil {
		t.Fatal(err)
	}
	return int64(len(data))
}

// The files of a business are bounded together, whoever sends them.
func TestFilesOfImportsAreBoundedTogether(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		row := noise(60)
		w.engine.ImportRoom = keptBytes(t, row) * 3 / 2
		w.upload(t, `{"resource":"contact"}`, "name\n"+row+"\n")
		w.vars["first"] = w.vars["import"]
		w.vars["file"] = "name\n" + row + "\n"
		put := func(rule string, status int) step {
			return step{
				rule: rule, as: "manager", do: "PUT /imports/$import/file", body: "$file",
				send: []string{"Content-Type: text/csv"}, status: status,
			}
		}
		refused := put("is too much beside the first", 409)
		refused.code = "conflict"
		w.run(t, []step{
			{rule: "the file of another", as: "manager", do: "POST /imports", body: `{"resource":"contact"}`, status: 201, save: "import"},
			refused,
			{rule: "and is not kept", as: "manager", do: "GET /imports/$import", status: 200, want: `{"file":null}`},
			{rule: "when the first is forgotten", do: "DELETE /imports/$first", status: 204},
			put("there is room", 200),
			put("also in its own place", 200),
		})
	})
}

// Also those that come at the same time: as many are kept as there is room for.
func TestFilesThatComeAtOnceAreBoundedTogether(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		const most = 3
		row := noise(60)
		w.engine.ImportRoom = keptBytes(t, row) * (2*most + 1) / 2
		var paths []string
		for range 2 * most {
			a := w.send(t, step{do: "POST /imports", body: `{"resource":"contact"}`})
			paths = append(paths, "/imports/"+fmt.Sprint(at(a.json, "id")))
		}
		var all sync.WaitGroup
		for _, path := range paths {
			all.Go(func() {
				for { // of one business two files come at once
					a := w.send(t, step{do: "PUT " + path + "/file", body: "name\n" + row + "\n", send: []string{"Content-Type: text/csv"}})
					if a.status == http.StatusTooManyRequests {
						time.Sleep(5 * time.Millisecond)
						continue
					}
					if a.status != http.StatusOK && at(a.json, "code") != "conflict" {
						t.Errorf("%d %s", a.status, a.text)
					}
					return
				}
			})
		}
		all.Wait()
		kept := 0
		for _, path := range paths {
			if at(w.send(t, step{do: "GET " + path}).json, "file") != nil {
				kept++
			}
		}
		if kept != most {
			t.Errorf("%d files are kept, and there is room for %d", kept, most)
		}
	})
}

func TestImports(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.workers(t)
		w.run(t, []step{
			{rule: "an import says what its rows are", do: "POST /imports", body: `{}`, status: 422, wrong: "resource:required"},
			{
				rule: "not everything comes out of files", do: "POST /imports", body: `{"resource":"token","policy":"maybe","nope":1}`,
				status: 422, wrong: "resource:not_allowed policy:not_allowed nope:unknown_field",
			},
			{
				rule: "a policy needs what it goes by", do: "POST /imports", body: `{"resource":"contact","policy":"update"}`, status: 422,
				wrong: "match:required",
			},
			{
				rule: "what is matched can be matched", do: "POST /imports", body: `{"resource":"contact","match":"name"}`, status: 422,
				wrong: "match:not_allowed",
			},
			{
				rule: "an import needs write", as: "admin:contact.read", do: "POST /imports", body: `{"resource":"contact"}`, status: 403,
				code: "insufficient_scope",
			},
			{
				rule: "viewers import nothing", as: "viewer", do: "POST /imports", body: `{"resource":"contact"}`, status: 403,
				code: "forbidden_by_role",
			},
			{
				rule: "a dry one is not kept", do: "POST /imports?dry_run=true", body: `{"resource":"contact"}`, status: 201,
				head: []string{"Dry-Run: true"},
			},
			{rule: "nothing is there yet", do: "POST /imports/search", status: 200, want: `{"data":[]}`},
			{
				rule: "an import begins without a file", do: "POST /imports", body: `{"resource":"contact"}`, status: 201, save: "import",
				want: `{"resource":"contact","status":"new","file":null,"columns":[],"empty":"keep"}`,
				head: []string{"Location: /v1/imports/import_*"},
			},
			{rule: "without a file it cannot be run", do: "POST /imports/$import/run", status: 409, code: "invalid_transition"},
			{rule: "nor tried", do: "POST /imports/$import/preview", status: 409, code: "invalid_transition"},
			{rule: "nothing was refused yet", do: "GET /imports/$import/errors", status: 409, code: "invalid_transition"},
			{rule: "nothing can be undone yet", do: "POST /imports/$import/undo", status: 409, code: "invalid_transition"},
			{rule: "nothing can be cancelled", do: "POST /imports/$import/cancel", status: 409, code: "invalid_transition"},
			{rule: "it is its business's", as: "stranger", do: "GET /imports/$import", status: 404, code: "not_found"},
			{rule: "and its user's", as: "member", do: "PUT /imports/$import/file", body: "name\nx\n", status: 404, code: "not_found"},
			{
				rule: "and of a token that can do as much", as: "admin:contact.all", do: "GET /imports/$import", status: 404,
				code: "not_found",
			},
			{rule: "an empty file is none", do: "PUT /imports/$import/file", body: "", status: 422, code: "validation_failed"},
			{
				rule: "nor is one without rows", do: "PUT /imports/$import/file", body: "name,email\n", status: 422,
				code: "validation_failed",
			},
			{
				rule: "a file is not compressed", do: "PUT /imports/$import/file", send: []string{"Content-Encoding: gzip"},
				body: "name\nx\n", status: 415, code: "unsupported_media_type",
			},
			{
				rule: "parameters are what they can be", do: "PUT /imports/$import/file?delimiter=x&encoding=latin9&sheet=1",
				body: "name\nx\n", status: 422, wrong: "sheet:unknown_parameter",
			},
			{
				rule: "all of them", do: "PUT /imports/$import/file?delimiter=x&encoding=latin9", body: "name\nx\n", status: 422,
				wrong: "encoding:not_allowed delimiter:not_allowed",
			},
			{
				rule: "what is no text is refused", do: "PUT /imports/$import/file", body: "\x00\x01\x02\x00", status: 422,
				code: "validation_failed",
			},
			{
				rule: "a dry file is looked at, and not kept", do: "PUT /imports/$import/file?dry_run=true",
				body: "Vorname;Nachname\nAnna;Adler\n", status: 200, head: []string{"Dry-Run: true"},
				want: `{"file":{"format":"csv","delimiter":";","rows":1},"columns":[{"name":"Vorname","field":"first_name",` +
					`"samples":["Anna"]},{"name":"Nachname","field":"last_name"}]}`,
			},
			{rule: "so it is not there", do: "GET /imports/$import", status: 200, want: `{"status":"new","file":null}`},
			{
				rule: "the file tells what it is", do: "PUT /imports/$import/file", send: []string{"Content-Type: text/csv"}, status: 200,
				body: "\ufeffName;E-Mail;Firma;Seit;Schuhgröße;Do not contact\nAnna Adler;anna@example.com;Hafen & Co;03/04/2026;38;" +
					"ja\nBen " +
					"Bose;no address;Hafen & Co;13/04/2026;44;vielleicht\nCleo;cleo@example.com;;;41;nein\n",
				want: `{"status":"ready","file":{"format":"csv","encoding":"utf-8","delimiter":";","rows":3},"decimals":"comma",` +
					`"columns":[{"name":"Name","field":"name"},{"name":"E-Mail","field":"email","samples":["anna@example.com","no ` +
					`address","cleo@example.com"]},{"name":"Firma","field":"company.name"},{"name":"Seit","field":null},` +
					`{"name":"Schuhgröße","field":null},{"name":"Do not contact","field":"do_not_contact"}],` +
					`"undecided":[{"field":"mapping.Seit","code":"required"},{"field":"mapping.Schuhgröße","code":"required"}]}`,
			},
			{
				rule: "what is not decided keeps it from being run", do: "POST /imports/$import/run", status: 422,
				wrong: "mapping.Seit:required mapping.Schuhgröße:required",
			},
			{
				rule: "what is decided has to make sense", do: "PATCH /imports/$import",
				body: `{"mapping":{"Seit":"nope","Nowhere":"name","*":"name"}}`, status: 422, wrong: "mapping.*:not_allowed",
			},
			{
				rule: "for the file that there is", do: "PATCH /imports/$import", body: `{"mapping":{"Seit":"nope"}}`, status: 422,
				wrong: "mapping.Seit:unknown_field",
			},
			{
				rule: "a column is of this file", do: "PATCH /imports/$import", body: `{"mapping":{"Nowhere":"name"}}`, status: 422,
				wrong: "mapping.Nowhere:unknown_field",
			},
			{
				rule: "no two are said to be the same field", do: "PATCH /imports/$import",
				body: `{"mapping":{"Seit":"name","Name":"name"}}`, status: 422, wrong: "mapping.Seit:not_allowed",
			},
			{
				rule: "what somebody says goes before what a column is called", do: "PATCH /imports/$import?dry_run=true",
				body: `{"mapping":{"Seit":"name"}}`, status: 200,
				want: `{"columns":[{"name":"Name","field":null,"about":"not read: the column Seit is read for it"},"*","*",` +
					`{"name":"Seit","field":"name"},"*","*"]}`,
			},
			{
				rule: "all others can be left out", do: "PATCH /imports/$import",
				body: `{"mapping":{"*":"-"},"match":"email","policy":"upsert"}`, status: 200,
				want: `{"mapping":{"*":"-"},"match":"email","policy":"upsert","undecided":[]}`,
			},
			{
				rule: "a dry run begins no job", do: "POST /imports/$import/run?dry_run=true", status: 202, head: []string{"Dry-Run: true"},
				chance: true,
			},
		})
		if a := w.send(t, step{do: "POST /imports/$import/preview"}); a.status != http.StatusAccepted {
			t.Fatalf("preview: %d %s", a.status, a.text)
		}
		tried := w.settled(t, "", w.vars["import"])
		w.counted(t, tried, "preview", "succeeded 2 0 0 1")
		w.vars["preview"] = fmt.Sprint(at(tried.json, "preview.job_id"))
		w.run(t, []step{
			{rule: "a preview writes nothing", do: "POST /contacts/search", status: 200, want: `{"data":[]}`},
			{
				rule: "it tells every wrong cell", do: "POST /jobs/$preview/refused/search", status: 200, chance: true,
				want: `{"data":[{"n":2,"error":{"errors":[{"field":"Do not contact","code":"invalid_format"}]}}],` +
					`"meta":{"has_more":false}}`,
			},
			{
				rule: "the wrong rows are a file", do: "GET /imports/$import/errors", status: 200,
				head: []string{"Content-Type: text/csv*", `Content-Disposition: attachment; filename="refused-*`},
			},
		})
		done := w.runs(t, "succeeded 2 0 0 1")
		w.vars["run"] = fmt.Sprint(at(done.json, "run.job_id"))
		w.run(t, []step{
			{
				rule: "its records are there", do: "POST /contacts/search",
				body: `{"order_by":"name","sort_direction":"asc","fields":["name","email","company.name","do_not_contact"]}`, status: 200,
				want: `{"data":[{"name":"Anna Adler","email":"anna@example.com","company":{"name":"Hafen & Co"},"do_not_contact":true},` +
					`{"name":"Cleo","company":null}]}`,
			},
			{rule: "it is not run twice", do: "POST /imports/$import/run", status: 409, code: "invalid_transition"},
			{
				rule: "nor does it take another file", do: "PUT /imports/$import/file", body: "name\nx\n", status: 409,
				code: "invalid_transition",
			},
			{
				rule: "imports are listed", do: "POST /imports/search", body: `{"limit":1}`, status: 200, chance: true,
				want: `{"data":[{"id":"$import","status":"succeeded"}],"meta":{"cursor":{"has_more":false}}}`,
			},
		})
		refused := w.send(t, step{do: "GET /imports/$import/errors"})
		table := csv.NewReader(bytes.NewReader(refused.text))
		table.Comma = ';' // as in the file that was sent
		rows, err := table.ReadAll()
		if err != nil || len(rows) != 2 || rows[0][6] != "import_error" || rows[1][0] != "Ben Bose" ||
			!strings.Contains(rows[1][6], "must be yes or no") {
			t.Errorf("the refused rows are %q", rows)
		}
		// They are corrected, and sent again.
		text := strings.NewReplacer("vielleicht", "ja", "no address", "ben@example.com").Replace(string(refused.text))
		w.upload(t, `{"resource":"contact","match":"email","mapping":{"*":"-"}}`, text)
		w.runs(t, "succeeded 1 0 0 0")
		w.run(t, []step{
			{
				rule: "the same once more changes nothing", do: "POST /contacts/search", body: `{"limit":1,"total":true}`, status: 200,
				want: `{"meta":{"total":3}}`, chance: true,
			},
		})
		w.upload(t, `{"resource":"contact","match":"email","policy":"update","mapping":{"*":"-"}}`, text)
		w.runs(t, "succeeded 0 0 1 0")
		w.upload(t, `{"resource":"contact"}`, "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Dora Dahl\r\nORG:Hafen & Co\r\nUID:card-1\r\nEND:VCARD\r\n")
		w.runs(t, "succeeded 1 0 0 0")
		w.run(t, []step{
			{
				rule: "a card is a contact", do: "POST /contacts/search",
				body:   `{"filters":[{"field":"external_id","operator":"eq","value":"card-1"}],"fields":["name","company.name"]}`,
				status: 200, want: `{"data":[{"name":"Dora Dahl","company":{"name":"Hafen & Co"}}]}`,
			},
			{rule: "an import is forgotten", do: "DELETE /imports/$import", status: 204},
			{rule: "then it is gone", do: "GET /imports/$import", status: 404, code: "not_found"},
		})
	})
}

// A worker that dies in the middle of an import leaves nothing that is done twice or not at all; a job that is cancelled leaves
// what it did.
func TestImportsAreDoneOnce(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.lease = 100 * time.Millisecond
		const n = 700
		var file strings.Builder
		file.WriteString("name\n")
		for i := range n {
			fmt.Fprintf(&file, "Person %d\n", i)
		}
		w.upload(t, `{"resource":"contact"}`, file.String())
		if a := w.send(t, step{do: "POST /imports/$import/run"}); a.status != http.StatusAccepted {
			t.Fatalf("run: %d %s", a.status, a.text)
		}
		// Every worker is stopped after some steps; the next one goes on.
		for done, tries := false, 0; !done && tries < 1000; tries++ {
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan struct{})
			go func() {
				w.worker().Work(ctx, func(error) {})
				close(ended)
			}()
			before := fmt.Sprint(at(w.send(t, step{do: "GET /imports/$import"}).json, "run.done"))
			for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
				a := w.send(t, step{do: "GET /imports/$import"})
				if done = at(a.json, "status") == "succeeded"; done || fmt.Sprint(at(a.json, "run.done")) != before {
					break
				}
			}
			cancel()
			<-ended
		}
		w.counted(t, w.settled(t, "", w.vars["import"]), "run", fmt.Sprintf("succeeded %d 0 0 0", n))
		if total := fmt.Sprint(w.contacts(t)); total != fmt.Sprint(n) {
			t.Errorf("there are %s contacts", total)
		}
	})
}

// What a commit costs is shared by many rows where nobody else uses the server, however the file is kept; and no row is refused
// because of those before it.
func TestImportsWriteManyRowsAtOnce(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.workers(t)
		const n = 6000
		var file strings.Builder
		file.WriteString("name,email\n")
		for i := range n {
			fmt.Fprintf(&file, "Person %d,p%d@firm.example\n", i, i)
		}
		w.upload(t, `{"resource":"contact"}`, file.String())
		if a := w.send(t, step{do: "POST /imports/$import/run"}); a.status != http.StatusAccepted {
			t.Fatalf("run: %d %s", a.status, a.text)
		}
		w.idle(t, "", 5*time.Minute) // whoever asks how far it is cuts a step short
		w.counted(t, w.settled(t, "", w.vars["import"]), "run", fmt.Sprintf("succeeded %d 0 0 0", n))
		a := w.send(t, step{do: "POST /contacts/export", body: `{"format":"csv","fields":["created_at"]}`})
		lines := strings.Fields(string(a.text))
		slices.Sort(lines)
		if steps := len(slices.Compact(lines)) - 1; len(lines) != n+1 || steps > n/200 {
			t.Errorf("%d rows were written in %d steps", len(lines)-1, steps)
		}
	})
}

// What came out of the business goes into it without a change, line items of deals included.
func TestExportsAreImportedWithoutAChange(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.workers(t)
		w.run(t, []step{
			{
				rule: "a product", do: "POST /products", body: `{"name":"Coffee, black","sku":"C-1","price":"1234.50","currency":"EUR"}`,
				status: 201, save: "product",
			},
			{rule: "a company", do: "POST /companies", body: `{"name":"=Hafen"}`, status: 201, save: "company"},
			{
				rule: "a deal with lines", do: "POST /deals",
				body: `{"name":"Big; one","company_id":"$company","currency":"EUR","line_items":[{"product_id":"$product",` +
					`"quantity":"2.5"},{"name":"Free \"text\"","quantity":"1","unit_price":"3.00"}]}`, status: 201, save: "deal",
			},
			{
				rule: "a contact", do: "POST /contacts",
				body:   `{"name":"Anna","company_id":"$company","tags":["a,b","c"],"address":{"city":"Köln"},"lead_score":12.5}`,
				status: 201,
			},
			{rule: "a task", do: "POST /tasks", body: `{"title":"Call","due_at":"2030-01-02T03:04:05Z","deal_id":"$deal"}`, status: 201},
			{rule: "a note", do: "POST /notes", body: `{"body":"line\nbreak","deal_id":"$deal"}`, status: 201},
		})
		for _, text := range []string{
			" both ends \n", "\r\nlines\r\nof\rall\nkinds\r\n", "'=x", "''+1", "=1+1", "-", "a ::: b", "* a",
			strings.Repeat("a|", 40), strings.Repeat(";", 40), "\t", "\u00a0x\u2028", "_x000D_", "\"",
			"a \"quoted\" \r\n\"line\"", "[1", "sep=;", "\\;\\n", "é😀\ufffe", "1,5", "03/04/2026", " ",
		} {
			note, err := json.Marshal(map[string]any{"body": "-" + text, "deal_id": w.vars["deal"]})
			if err != nil {
				t.Fatal(err)
			}
			whole, err := json.Marshal(map[string]any{"body": text + "\n", "deal_id": w.vars["deal"]})
			if err != nil {
				t.Fatal(err)
			}
			line := strings.TrimSpace(strings.Map(func(r rune) rune {
				if unicode.IsControl(r) {
					return -1
				}
				return r
			}, text))
			person, err := json.Marshal(map[string]any{"name": "x" + line, "job_title": line, "tags": []string{line + "x", "x" + line}})
			if err != nil {
				t.Fatal(err)
			}
			w.vars["note"], w.vars["whole"], w.vars["person"] = string(note), string(whole), string(person)
			w.run(t, []step{
				{rule: "a note", do: "POST /notes", body: "$note", status: 201},
				{rule: "another", do: "POST /notes", body: "$whole", status: 201},
				{rule: "somebody", do: "POST /contacts", body: "$person", status: 201},
			})
		}
		for _, resource := range []string{"contact", "company", "deal", "product", "task", "note"} {
			plural := map[string]string{"company": "companies"}[resource]
			if plural == "" {
				plural = resource + "s"
			}
			for _, format := range []string{"csv", "jsonl", "xlsx"} {
				file := w.send(t, step{do: "POST /" + plural + "/export", body: `{"format":"` + format + `"}`})
				a := w.upload(t, `{"resource":"`+resource+`","mapping":{"*":"-"}}`, string(file.text))
				if resource == "deal" && format != "jsonl" { // a list is read where somebody says so
					w.check(t, step{do: "PATCH /imports/$import", body: `{"mapping":{"line_items":"line_items"}}`, status: 200})
				}
				w.runs(t, "succeeded 0 0 "+fmt.Sprint(at(a.json, "file.rows"))+" 0")
			}
		}
	})
}

// Files that are made to do harm are refused within bounds.
func TestHostileFiles(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		a := w.send(t, step{do: "POST /imports", body: `{"resource":"contact"}`})
		w.vars["import"] = fmt.Sprint(at(a.json, "id"))
		for rule, file := range map[string]string{
			"a line without an end":         "name\n" + strings.Repeat("x", 2<<20),
			"a quote that is not closed":    "name\n\"" + strings.Repeat("x\n", 1<<20),
			"many columns":                  strings.Repeat("a,", 100_000) + "\n1\n",
			"a line of JSON without an end": `{"name":"` + strings.Repeat("x", 2<<20),
			"bytes that are no text":        "PK\x05\x06" + strings.Repeat("\x00", 100),
			"a workbook that is none":       "PK\x03\x04" + strings.Repeat("\x00", 100),
		} {
			a := w.send(t, step{do: "PUT /imports/$import/file", body: file, send: []string{"Content-Type: text/csv"}})
			if a.status != 422 {
				t.Errorf("%s: %d %.300s", rule, a.status, a.text)
			}
		}
		if a := w.send(t, step{do: "GET /imports/$import"}); at(a.json, "status") != "new" {
			t.Errorf("something was kept: %s", a.text)
		}
		id, err := schema.ParseID("import", w.vars["import"])
		if err != nil {
			t.Fatal(err)
		}
		err = w.tenant.Keep(t.Context(), store.Actor{}, func(tx *store.Tx) error {
			done, err := queue.ForgetImportRows(tx, id, 1)
			if !done {
				t.Error("rows of files that were refused are left")
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// The rows of files go when somebody is erased whom they may name, and with time.
func TestImportedRowsGo(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.workers(t)
		w.upload(t, `{"resource":"contact"}`, "name,lead_score\nAnna,secret of Anna\nBen,\n")
		w.runs(t, "succeeded 1 0 0 1")
		w.vars["ran"] = w.vars["import"]
		w.upload(t, `{"resource":"contact"}`, "name\nAnna once more\n")
		ben := at(w.send(t, step{do: "POST /contacts/search"}).json, "data.0.id")
		w.vars["ben"] = fmt.Sprint(ben)
		w.check(t, step{do: "POST /contacts/$ben/erase", body: `{"reason":"asked"}`, status: 204})
		for more := true; more; {
			var err error
			if more, err = work.WorkOff(t.Context(), w.engine); err != nil {
				t.Fatal(err)
			}
		}
		w.run(t, []step{
			{rule: "the file is gone", do: "GET /imports/$import", status: 200, want: `{"status":"new","file":null}`},
			{
				rule: "also of the one that was run", do: "GET /imports/$ran", status: 200,
				want: `{"status":"succeeded","file":null,"columns":[]}`,
			},
			{rule: "and what was refused of it", do: "GET /imports/$ran/errors", status: 409, code: "invalid_transition"},
			{
				rule: "another one can be sent", do: "PUT /imports/$import/file", body: "name\nCleo\n", status: 200,
				want: `{"status":"ready"}`,
			},
		})
		if err := exchange.SweepImports(t.Context(), w.engine, time.Now().AddDate(0, 0, 29)); err != nil {
			t.Fatal(err)
		}
		w.check(t, step{do: "GET /imports/$import", status: 200})
		if err := exchange.SweepImports(t.Context(), w.engine, time.Now().AddDate(0, 0, 31)); err != nil {
			t.Fatal(err)
		}
		w.check(t, step{do: "GET /imports/$import", status: 404})
		w.check(t, step{do: "GET /imports/$ran", status: 404})
	})
}
