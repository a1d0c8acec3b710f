package exchange_test

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

	. "github.com/kith-crm/kith/internal/apitest"
)

// runs runs the import, and holds what became of it to how many rows were created, changed, unchanged and refused.
func runs(w *World, t *testing.T, want string) *Answer {
	t.Helper()
	if a := w.Send(t, Step{Do: "POST /imports/$import/run"}); a.Status != http.StatusAccepted {
		t.Fatalf("run: %d %s", a.Status, a.Text)
	}
	a := w.Settled(t, "", w.Vars["import"])
	counted(w, t, a, "run", want)
	return a
}

func counted(w *World, t *testing.T, a *Answer, what, want string) {
	t.Helper()
	n := func(name string) any { return At(a.JSON, what+"."+name) }
	if got := fmt.Sprint(n("status"), " ", n("created"), " ", n("changed"), " ", n("unchanged"), " ", n("refused")); got != want {
		t.Errorf("%s: %s, want %s: %s", what, got, want, a.Text)
	}
}

func contacts(w *World, t *testing.T) any {
	t.Helper()
	return At(w.Send(t, Step{Do: "POST /contacts/search", Body: `{"limit":1,"total":true}`}).JSON, "meta.total")
}

// Fields and options that the business lacks are made on the way by who may make them.
func TestImportsMakeFieldsAndOptions(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		w.Workers(t)
		w.Run(t, []Step{
			{
				Rule: "new fields are checked", Do: "POST /imports",
				Body: `{"resource":"contact","new_fields":{"Shoe":{"kind":"text"},"a":"text","b":{"label":"B"},"c":{"kind":"reference"}},` +
					`"unknown_options":"maybe"}`, Status: 422,
				Wrong: "unknown_options:not_allowed new_fields.Shoe:invalid_format new_fields.a:wrong_type new_fields.b.kind:required " +
					"new_fields.c.kind:not_allowed",
			},
			{
				Rule: "who may not make fields makes none by files", As: "member", Do: "POST /imports",
				Body: `{"resource":"contact","new_fields":{"tier":{"kind":"select"}}}`, Status: 403, Code: "forbidden_by_role",
			},
			{
				Rule: "nor options", As: "member", Do: "POST /imports", Body: `{"resource":"contact","unknown_options":"make"}`,
				Status: 403,
				Code:   "forbidden_by_role",
			},
		})
		file := "name,Tier,Shoe size,Colours\nA,gold,\"38,5\",\"red;blue\"\nB,,,\nC,Silver,44,red\nD,\"a \"\"b\"\"\",1,\n"
		a := w.Upload(t, `{"resource":"contact","new_fields":{"tier":{"kind":"select"},"shoe":{"kind":"number","label":"Shoe size"}},`+
			`"decimals":"comma"}`, file)
		if got := fmt.Sprint(At(a.JSON, "columns.2.field"), "|", At(a.JSON, "columns.2.about"), "|",
			At(a.JSON, "undecided.0.field")); got != "custom_fields.shoe|a new field|mapping.Colours" {
			t.Errorf("the columns are %s: %s", got, a.Text)
		}
		w.Run(t, []Step{
			{
				Rule: "a column is mapped to a new field", Do: "PATCH /imports/$import",
				Body: `{"new_fields":{"colours":{"kind":"multi_select"},"x":{"kind":"text"}}}`, Status: 200, Want: `{"undecided":[]}`,
			},
			{Rule: "a new field is taken back", Do: "PATCH /imports/$import", Body: `{"new_fields":{"x":null}}`, Status: 200},
			{Rule: "a preview", Do: "POST /imports/$import/preview", Status: 202},
		})
		counted(w, t, w.Settled(t, "", w.Vars["import"]), "preview", "succeeded 3 0 0 1")
		w.Run(t, []Step{{Rule: "makes no fields", Do: "POST /fields/search", Status: 200, Want: `{"data":[]}`}})
		runs(w, t, "succeeded 3 0 0 1")
		w.Run(t, []Step{
			{
				Rule: "the fields are made", Do: "POST /contacts/search",
				Body: `{"filters":[{"field":"custom_fields.shoe","operator":"eq","value":38.5},{"field":"custom_fields.tier",` +
					`"operator":"eq","value":"gold"}],"fields":["name","custom_fields"]}`, Status: 200,
				Want: `{"data":[{"name":"A","custom_fields":{"colours":["red","blue"]}}]}`,
			},
			{
				Rule: "with the options of the file", Do: "POST /fields/search",
				Body: `{"filters":[{"field":"name","operator":"eq","value":"tier"}],"fields":["options"]}`, Status: 200,
				Want: `{"data":[{"options":[{"value":"gold"},{"value":"Silver"}]}]}`,
			},
		})
		w.Upload(t, `{"resource":"contact"}`, "name,Tier\nE,bronze\nF,silver\n")
		runs(w, t, "succeeded 1 0 0 1")
		w.Upload(t, `{"resource":"contact","unknown_options":"make"}`, "name,Tier\nE,bronze\n")
		runs(w, t, "succeeded 1 0 0 0")
	})
}

// What is wrong in a cell is corrected in the rows that are kept, and that is what is imported.
func TestCellsOfImportsAreCorrected(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		w.Workers(t)
		var table strings.Builder
		table.WriteString("name,email\n")
		for i := range 130 {
			fmt.Fprintf(&table, "Row %d,r%d@example.com\n", i+1, i+1)
		}
		table.WriteString("Bea,nowhere\nBo\n")
		w.Upload(t, `{"resource":"contact"}`, table.String())
		w.Run(t, []Step{
			{Rule: "a preview", Do: "POST /imports/$import/preview", Status: 202},
		})
		counted(w, t, w.Settled(t, "", w.Vars["import"]), "preview", "succeeded 131 0 0 1")
		w.Run(t, []Step{
			{
				Rule: "rows can be looked at", Do: "GET /imports/$import/rows?n=1,131,132,999", Status: 200,
				Want: `{"data":[{"n":1,"cells":["Row 1","r1@example.com"]},{"n":131,"cells":["Bea","nowhere"]},{"n":132,"cells":["Bo"]}]}`,
			},
			{Rule: "by their numbers", Do: "GET /imports/$import/rows?n=0", Status: 422, Wrong: "n:invalid_format"},
			{Rule: "some are asked for", Do: "GET /imports/$import/rows", Status: 422, Wrong: "n:invalid_format"},
			{Rule: "by who may see the import", As: "member", Do: "GET /imports/$import/rows?n=1", Status: 404, Code: "not_found"},
			{
				Rule: "only what there is can be corrected", Do: "PATCH /imports/$import",
				Body:   `{"corrections":[{"row":133,"column":"email"},{"row":1,"column":"E-Mail"},{"row":0,"column":"email"}]}`,
				Status: 422, Wrong: "corrections[2].row:out_of_range",
			},
			{
				Rule: "in rows and columns", Do: "PATCH /imports/$import",
				Body: `{"corrections":[{"row":133,"column":"email"},{"row":1,"column":"E-Mail"}]}`, Status: 422,
				Wrong: "corrections[0].row:out_of_range corrections[1].column:unknown_field",
			},
			{
				Rule: "cells are corrected, far apart and in short rows", Do: "PATCH /imports/$import",
				Body: `{"corrections":[{"row":131,"column":"email","value":"bea@example.com"},{"row":2,"column":"name","value":"Second"},` +
					`{"row":132,"column":"email","value":"bo@example.com"},{"row":3,"column":"email"}]}`, Status: 200,
			},
			{
				Rule: "and so they are kept", Do: "GET /imports/$import/rows?n=2,3,131,132", Status: 200,
				Want: `{"data":[{"cells":["Second","r2@example.com"]},{"cells":["Row 3",""]},{"cells":["Bea","bea@example.com"]},` +
					`{"cells":["Bo","bo@example.com"]}]}`,
			},
		})
		runs(w, t, "succeeded 132 0 0 0")
		w.Run(t, []Step{
			{
				Rule: "what was corrected is imported", Do: "POST /contacts/search",
				Body: `{"filters":[{"field":"email","operator":"in","values":["bea@example.com","bo@example.com"]}],"fields":["name"],` +
					`"order_by":"name","sort_direction":"asc"}`, Status: 200, Want: `{"data":[{"name":"Bea"},{"name":"Bo"}]}`,
			},
			{
				Rule: "what was run is not corrected any more", Do: "PATCH /imports/$import",
				Body: `{"corrections":[{"row":1,"column":"name","value":"x"}]}`, Status: 409, Code: "invalid_transition",
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
	OnEach(t, func(t *testing.T, w *World) {
		row := noise(60)
		w.Engine.ImportRoom = keptBytes(t, row) * 3 / 2
		w.Upload(t, `{"resource":"contact"}`, "name\n"+row+"\n")
		w.Vars["first"] = w.Vars["import"]
		w.Vars["file"] = "name\n" + row + "\n"
		put := func(rule string, status int) Step {
			return Step{
				Rule: rule, As: "manager", Do: "PUT /imports/$import/file", Body: "$file",
				Send: []string{"Content-Type: text/csv"}, Status: status,
			}
		}
		refused := put("is too much beside the first", 409)
		refused.Code = "conflict"
		w.Run(t, []Step{
			{Rule: "the file of another", As: "manager", Do: "POST /imports", Body: `{"resource":"contact"}`, Status: 201, Save: "import"},
			refused,
			{Rule: "and is not kept", As: "manager", Do: "GET /imports/$import", Status: 200, Want: `{"file":null}`},
			{Rule: "when the first is forgotten", Do: "DELETE /imports/$first", Status: 204},
			put("there is room", 200),
			put("also in its own place", 200),
		})
	})
}

// Also those that come at the same time: as many are kept as there is room for.
func TestFilesThatComeAtOnceAreBoundedTogether(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		const most = 3
		row := noise(60)
		w.Engine.ImportRoom = keptBytes(t, row) * (2*most + 1) / 2
		var paths []string
		for range 2 * most {
			a := w.Send(t, Step{Do: "POST /imports", Body: `{"resource":"contact"}`})
			paths = append(paths, "/imports/"+fmt.Sprint(At(a.JSON, "id")))
		}
		var all sync.WaitGroup
		for _, path := range paths {
			all.Go(func() {
				for { // of one business two files come at once
					a := w.Send(t, Step{Do: "PUT " + path + "/file", Body: "name\n" + row + "\n", Send: []string{"Content-Type: text/csv"}})
					if a.Status == http.StatusTooManyRequests {
						time.Sleep(5 * time.Millisecond)
						continue
					}
					if a.Status != http.StatusOK && At(a.JSON, "code") != "conflict" {
						t.Errorf("%d %s", a.Status, a.Text)
					}
					return
				}
			})
		}
		all.Wait()
		kept := 0
		for _, path := range paths {
			if At(w.Send(t, Step{Do: "GET " + path}).JSON, "file") != nil {
				kept++
			}
		}
		if kept != most {
			t.Errorf("%d files are kept, and there is room for %d", kept, most)
		}
	})
}

func TestImports(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Workers(t)
		w.Run(t, []Step{
			{Rule: "an import says what its rows are", Do: "POST /imports", Body: `{}`, Status: 422, Wrong: "resource:required"},
			{
				Rule: "not everything comes out of files", Do: "POST /imports", Body: `{"resource":"token","policy":"maybe","nope":1}`,
				Status: 422, Wrong: "resource:not_allowed policy:not_allowed nope:unknown_field",
			},
			{
				Rule: "a policy needs what it goes by", Do: "POST /imports", Body: `{"resource":"contact","policy":"update"}`, Status: 422,
				Wrong: "match:required",
			},
			{
				Rule: "what is matched can be matched", Do: "POST /imports", Body: `{"resource":"contact","match":"name"}`, Status: 422,
				Wrong: "match:not_allowed",
			},
			{
				Rule: "an import needs write", As: "admin:contact.read", Do: "POST /imports", Body: `{"resource":"contact"}`, Status: 403,
				Code: "insufficient_scope",
			},
			{
				Rule: "viewers import nothing", As: "viewer", Do: "POST /imports", Body: `{"resource":"contact"}`, Status: 403,
				Code: "forbidden_by_role",
			},
			{
				Rule: "a dry one is not kept", Do: "POST /imports?dry_run=true", Body: `{"resource":"contact"}`, Status: 201,
				Head: []string{"Dry-Run: true"},
			},
			{Rule: "nothing is there yet", Do: "POST /imports/search", Status: 200, Want: `{"data":[]}`},
			{
				Rule: "an import begins without a file", Do: "POST /imports", Body: `{"resource":"contact"}`, Status: 201, Save: "import",
				Want: `{"resource":"contact","status":"new","file":null,"columns":[],"empty":"keep"}`,
				Head: []string{"Location: /v1/imports/import_*"},
			},
			{Rule: "without a file it cannot be run", Do: "POST /imports/$import/run", Status: 409, Code: "invalid_transition"},
			{Rule: "nor tried", Do: "POST /imports/$import/preview", Status: 409, Code: "invalid_transition"},
			{Rule: "nothing was refused yet", Do: "GET /imports/$import/errors", Status: 409, Code: "invalid_transition"},
			{Rule: "nothing can be undone yet", Do: "POST /imports/$import/undo", Status: 409, Code: "invalid_transition"},
			{Rule: "nothing can be cancelled", Do: "POST /imports/$import/cancel", Status: 409, Code: "invalid_transition"},
			{Rule: "it is its business's", As: "stranger", Do: "GET /imports/$import", Status: 404, Code: "not_found"},
			{Rule: "and its user's", As: "member", Do: "PUT /imports/$import/file", Body: "name\nx\n", Status: 404, Code: "not_found"},
			{
				Rule: "and of a token that can do as much", As: "admin:contact.all", Do: "GET /imports/$import", Status: 404,
				Code: "not_found",
			},
			{Rule: "an empty file is none", Do: "PUT /imports/$import/file", Body: "", Status: 422, Code: "validation_failed"},
			{
				Rule: "nor is one without rows", Do: "PUT /imports/$import/file", Body: "name,email\n", Status: 422,
				Code: "validation_failed",
			},
			{
				Rule: "a file is not compressed", Do: "PUT /imports/$import/file", Send: []string{"Content-Encoding: gzip"},
				Body: "name\nx\n", Status: 415, Code: "unsupported_media_type",
			},
			{
				Rule: "parameters are what they can be", Do: "PUT /imports/$import/file?delimiter=x&encoding=latin9&sheet=1",
				Body: "name\nx\n", Status: 422, Wrong: "sheet:unknown_parameter",
			},
			{
				Rule: "all of them", Do: "PUT /imports/$import/file?delimiter=x&encoding=latin9", Body: "name\nx\n", Status: 422,
				Wrong: "encoding:not_allowed delimiter:not_allowed",
			},
			{
				Rule: "what is no text is refused", Do: "PUT /imports/$import/file", Body: "\x00\x01\x02\x00", Status: 422,
				Code: "validation_failed",
			},
			{
				Rule: "a dry file is looked at, and not kept", Do: "PUT /imports/$import/file?dry_run=true",
				Body: "Vorname;Nachname\nAnna;Adler\n", Status: 200, Head: []string{"Dry-Run: true"},
				Want: `{"file":{"format":"csv","delimiter":";","rows":1},"columns":[{"name":"Vorname","field":"first_name",` +
					`"samples":["Anna"]},{"name":"Nachname","field":"last_name"}]}`,
			},
			{
				Rule: "examples of a column are its first three values that differ", Do: "PUT /imports/$import/file?dry_run=true",
				Body: "Vorname;Nachname\nAnna;\nAnna;\nAnna;\nBen;\nCleo;Adler\nDora;Bose\n", Status: 200,
				Want: `{"columns":[{"name":"Vorname","samples":["Anna","Ben","Cleo"]},{"name":"Nachname","samples":["Adler","Bose"]}]}`,
			},
			{Rule: "so it is not there", Do: "GET /imports/$import", Status: 200, Want: `{"status":"new","file":null}`},
			{
				Rule: "the file tells what it is", Do: "PUT /imports/$import/file", Send: []string{"Content-Type: text/csv"}, Status: 200,
				Body: "\ufeffName;E-Mail;Firma;Seit;Schuhgröße;Do not contact\nAnna Adler;anna@example.com;Hafen & Co;03/04/2026;38;" +
					"ja\nBen " +
					"Bose;no address;Hafen & Co;13/04/2026;44;vielleicht\nCleo;cleo@example.com;;;41;nein\n",
				Want: `{"status":"ready","file":{"format":"csv","encoding":"utf-8","delimiter":";","rows":3},"decimals":"comma",` +
					`"columns":[{"name":"Name","field":"name"},{"name":"E-Mail","field":"email","samples":["anna@example.com","no ` +
					`address","cleo@example.com"]},{"name":"Firma","field":"company.name"},{"name":"Seit","field":null},` +
					`{"name":"Schuhgröße","field":null},{"name":"Do not contact","field":"do_not_contact"}],` +
					`"undecided":[{"field":"mapping.Seit","code":"required"},{"field":"mapping.Schuhgröße","code":"required"}]}`,
			},
			{
				Rule: "what is not decided keeps it from being run", Do: "POST /imports/$import/run", Status: 422,
				Wrong: "mapping.Seit:required mapping.Schuhgröße:required",
			},
			{
				Rule: "what is decided has to make sense", Do: "PATCH /imports/$import",
				Body: `{"mapping":{"Seit":"nope","Nowhere":"name","*":"name"}}`, Status: 422, Wrong: "mapping.*:not_allowed",
			},
			{
				Rule: "for the file that there is", Do: "PATCH /imports/$import", Body: `{"mapping":{"Seit":"nope"}}`, Status: 422,
				Wrong: "mapping.Seit:unknown_field",
			},
			{
				Rule: "a column is of this file", Do: "PATCH /imports/$import", Body: `{"mapping":{"Nowhere":"name"}}`, Status: 422,
				Wrong: "mapping.Nowhere:unknown_field",
			},
			{
				Rule: "no two are said to be the same field", Do: "PATCH /imports/$import",
				Body: `{"mapping":{"Seit":"name","Name":"name"}}`, Status: 422, Wrong: "mapping.Seit:not_allowed",
			},
			{
				Rule: "what somebody says goes before what a column is called", Do: "PATCH /imports/$import?dry_run=true",
				Body: `{"mapping":{"Seit":"name"}}`, Status: 200,
				Want: `{"columns":[{"name":"Name","field":null,"about":"not read: the column Seit is read for it"},"*","*",` +
					`{"name":"Seit","field":"name"},"*","*"]}`,
			},
			{
				Rule: "all others can be left out", Do: "PATCH /imports/$import",
				Body: `{"mapping":{"*":"-"},"match":"email","policy":"upsert"}`, Status: 200,
				Want: `{"mapping":{"*":"-"},"match":"email","policy":"upsert","undecided":[]}`,
			},
			{
				Rule: "a dry run begins no job", Do: "POST /imports/$import/run?dry_run=true", Status: 202, Head: []string{"Dry-Run: true"},
				Chance: true,
			},
		})
		if a := w.Send(t, Step{Do: "POST /imports/$import/preview"}); a.Status != http.StatusAccepted {
			t.Fatalf("preview: %d %s", a.Status, a.Text)
		}
		tried := w.Settled(t, "", w.Vars["import"])
		counted(w, t, tried, "preview", "succeeded 2 0 0 1")
		w.Vars["preview"] = fmt.Sprint(At(tried.JSON, "preview.job_id"))
		w.Run(t, []Step{
			{Rule: "a preview writes nothing", Do: "POST /contacts/search", Status: 200, Want: `{"data":[]}`},
			{
				Rule: "it tells every wrong cell", Do: "POST /jobs/$preview/refused/search", Status: 200, Chance: true,
				Want: `{"data":[{"n":2,"error":{"errors":[{"field":"Do not contact","code":"invalid_format"},` +
					`{"field":"E-Mail","code":"invalid_format"}]}}],` +
					`"meta":{"has_more":false}}`,
			},
			{
				Rule: "the wrong rows are a file", Do: "GET /imports/$import/errors", Status: 200,
				Head: []string{"Content-Type: text/csv*", `Content-Disposition: attachment; filename="refused-*`},
			},
		})
		done := runs(w, t, "succeeded 2 0 0 1")
		w.Vars["run"] = fmt.Sprint(At(done.JSON, "run.job_id"))
		w.Run(t, []Step{
			{
				Rule: "its records are there", Do: "POST /contacts/search",
				Body: `{"order_by":"name","sort_direction":"asc","fields":["name","email","company.name","do_not_contact"]}`, Status: 200,
				Want: `{"data":[{"name":"Anna Adler","email":"anna@example.com","company":{"name":"Hafen & Co"},"do_not_contact":true},` +
					`{"name":"Cleo","company":null}]}`,
			},
			{Rule: "it is not run twice", Do: "POST /imports/$import/run", Status: 409, Code: "invalid_transition"},
			{
				Rule: "nor does it take another file", Do: "PUT /imports/$import/file", Body: "name\nx\n", Status: 409,
				Code: "invalid_transition",
			},
			{
				Rule: "imports are listed", Do: "POST /imports/search", Body: `{"limit":1}`, Status: 200, Chance: true,
				Want: `{"data":[{"id":"$import","status":"succeeded"}],"meta":{"cursor":{"has_more":false}}}`,
			},
		})
		refused := w.Send(t, Step{Do: "GET /imports/$import/errors"})
		table := csv.NewReader(bytes.NewReader(refused.Text))
		table.Comma = ';' // as in the file that was sent
		rows, err := table.ReadAll()
		if err != nil || len(rows) != 2 || rows[0][6] != "import_error" || rows[1][0] != "Ben Bose" ||
			!strings.Contains(rows[1][6], "must be yes or no") {
			t.Errorf("the refused rows are %q", rows)
		}
		// They are corrected, and sent again.
		text := strings.NewReplacer("vielleicht", "ja", "no address", "ben@example.com").Replace(string(refused.Text))
		w.Upload(t, `{"resource":"contact","match":"email","mapping":{"*":"-"}}`, text)
		runs(w, t, "succeeded 1 0 0 0")
		w.Run(t, []Step{
			{
				Rule: "the same once more changes nothing", Do: "POST /contacts/search", Body: `{"limit":1,"total":true}`, Status: 200,
				Want: `{"meta":{"total":3}}`, Chance: true,
			},
		})
		w.Upload(t, `{"resource":"contact","match":"email","policy":"update","mapping":{"*":"-"}}`, text)
		runs(w, t, "succeeded 0 0 1 0")
		w.Upload(t, `{"resource":"contact"}`, "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Dora Dahl\r\nORG:Hafen & Co\r\nUID:card-1\r\nEND:VCARD\r\n")
		runs(w, t, "succeeded 1 0 0 0")
		w.Run(t, []Step{
			{
				Rule: "a card is a contact", Do: "POST /contacts/search",
				Body:   `{"filters":[{"field":"external_id","operator":"eq","value":"card-1"}],"fields":["name","company.name"]}`,
				Status: 200, Want: `{"data":[{"name":"Dora Dahl","company":{"name":"Hafen & Co"}}]}`,
			},
			{Rule: "an import is forgotten", Do: "DELETE /imports/$import", Status: 204},
			{Rule: "then it is gone", Do: "GET /imports/$import", Status: 404, Code: "not_found"},
		})
	})
}

// A worker that dies in the middle of an import leaves nothing that is done twice or not at all; a job that is cancelled leaves
// what it did.
func TestImportsAreDoneOnce(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		w.Lease = 100 * time.Millisecond
		const n = 700
		var file strings.Builder
		file.WriteString("name\n")
		for i := range n {
			fmt.Fprintf(&file, "Person %d\n", i)
		}
		w.Upload(t, `{"resource":"contact"}`, file.String())
		if a := w.Send(t, Step{Do: "POST /imports/$import/run"}); a.Status != http.StatusAccepted {
			t.Fatalf("run: %d %s", a.Status, a.Text)
		}
		// Every worker is stopped after some steps; the next one goes on.
		for done, tries := false, 0; !done && tries < 1000; tries++ {
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan struct{})
			go func() {
				w.Worker().Work(ctx, func(error) {})
				close(ended)
			}()
			before := fmt.Sprint(At(w.Send(t, Step{Do: "GET /imports/$import"}).JSON, "run.done"))
			for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
				a := w.Send(t, Step{Do: "GET /imports/$import"})
				if done = At(a.JSON, "status") == "succeeded"; done || fmt.Sprint(At(a.JSON, "run.done")) != before {
					break
				}
			}
			cancel()
			<-ended
		}
		counted(w, t, w.Settled(t, "", w.Vars["import"]), "run", fmt.Sprintf("succeeded %d 0 0 0", n))
		if total := fmt.Sprint(contacts(w, t)); total != fmt.Sprint(n) {
			t.Errorf("there are %s contacts", total)
		}
	})
}

// What a commit costs is shared by many rows where nobody else uses the server, however the file is kept; and no row is refused
// because of those before it.
func TestImportsWriteManyRowsAtOnce(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		w.Workers(t)
		const n = 6000
		var file strings.Builder
		file.WriteString("name,email\n")
		for i := range n {
			fmt.Fprintf(&file, "Person %d,p%d@firm.example\n", i, i)
		}
		w.Upload(t, `{"resource":"contact"}`, file.String())
		if a := w.Send(t, Step{Do: "POST /imports/$import/run"}); a.Status != http.StatusAccepted {
			t.Fatalf("run: %d %s", a.Status, a.Text)
		}
		w.Idle(t, "", 5*time.Minute) // whoever asks how far it is cuts a step short
		counted(w, t, w.Settled(t, "", w.Vars["import"]), "run", fmt.Sprintf("succeeded %d 0 0 0", n))
		a := w.Send(t, Step{Do: "POST /contacts/export", Body: `{"format":"csv","fields":["created_at"]}`})
		lines := strings.Fields(string(a.Text))
		slices.Sort(lines)
		if steps := len(slices.Compact(lines)) - 1; len(lines) != n+1 || steps > n/200 {
			t.Errorf("%d rows were written in %d steps", len(lines)-1, steps)
		}
	})
}

// What came out of the business goes into it without a change, line items of deals included.
func TestExportsAreImportedWithoutAChange(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		w.Workers(t)
		w.Run(t, []Step{
			{
				Rule: "a product", Do: "POST /products", Body: `{"name":"Coffee, black","sku":"C-1","price":"1234.50","currency":"EUR"}`,
				Status: 201, Save: "product",
			},
			{Rule: "a company", Do: "POST /companies", Body: `{"name":"=Hafen"}`, Status: 201, Save: "company"},
			{
				Rule: "a deal with lines", Do: "POST /deals",
				Body: `{"name":"Big; one","company_id":"$company","currency":"EUR","line_items":[{"product_id":"$product",` +
					`"quantity":"2.5"},{"name":"Free \"text\"","quantity":"1","unit_price":"3.00"}]}`, Status: 201, Save: "deal",
			},
			{
				Rule: "a contact", Do: "POST /contacts",
				Body:   `{"name":"Anna","company_id":"$company","tags":["a,b","c"],"address":{"city":"Köln"},"lead_score":12.5}`,
				Status: 201,
			},
			{Rule: "a task", Do: "POST /tasks", Body: `{"title":"Call","due_at":"2030-01-02T03:04:05Z","deal_id":"$deal"}`, Status: 201},
			{Rule: "a note", Do: "POST /notes", Body: `{"body":"line\nbreak","deal_id":"$deal"}`, Status: 201},
		})
		for _, text := range []string{
			" both ends \n", "\r\nlines\r\nof\rall\nkinds\r\n", "'=x", "''+1", "=1+1", "-", "a ::: b", "* a",
			strings.Repeat("a|", 40), strings.Repeat(";", 40), "\t", "\u00a0x\u2028", "_x000D_", "\"",
			"a \"quoted\" \r\n\"line\"", "[1", "sep=;", "\\;\\n", "é😀\ufffe", "1,5", "03/04/2026", " ",
		} {
			note, err := json.Marshal(map[string]any{"body": "-" + text, "deal_id": w.Vars["deal"]})
			if err != nil {
				t.Fatal(err)
			}
			whole, err := json.Marshal(map[string]any{"body": text + "\n", "deal_id": w.Vars["deal"]})
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
			w.Vars["note"], w.Vars["whole"], w.Vars["person"] = string(note), string(whole), string(person)
			w.Run(t, []Step{
				{Rule: "a note", Do: "POST /notes", Body: "$note", Status: 201},
				{Rule: "another", Do: "POST /notes", Body: "$whole", Status: 201},
				{Rule: "somebody", Do: "POST /contacts", Body: "$person", Status: 201},
			})
		}
		for _, resource := range []string{"contact", "company", "deal", "product", "task", "note"} {
			plural := map[string]string{"company": "companies"}[resource]
			if plural == "" {
				plural = resource + "s"
			}
			for _, format := range []string{"csv", "jsonl", "xlsx"} {
				file := w.Send(t, Step{Do: "POST /" + plural + "/export", Body: `{"format":"` + format + `"}`})
				a := w.Upload(t, `{"resource":"`+resource+`","mapping":{"*":"-"}}`, string(file.Text))
				if resource == "deal" && format != "jsonl" { // a list is read where somebody says so
					w.Check(t, Step{Do: "PATCH /imports/$import", Body: `{"mapping":{"line_items":"line_items"}}`, Status: 200})
				}
				runs(w, t, "succeeded 0 0 "+fmt.Sprint(At(a.JSON, "file.rows"))+" 0")
			}
		}
	})
}

// Files that are made to do harm are refused within bounds.
func TestHostileFiles(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		a := w.Send(t, Step{Do: "POST /imports", Body: `{"resource":"contact"}`})
		w.Vars["import"] = fmt.Sprint(At(a.JSON, "id"))
		for rule, file := range map[string]string{
			"a line without an end":         "name\n" + strings.Repeat("x", 2<<20),
			"a quote that is not closed":    "name\n\"" + strings.Repeat("x\n", 1<<20),
			"many columns":                  strings.Repeat("a,", 100_000) + "\n1\n",
			"a line of JSON without an end": `{"name":"` + strings.Repeat("x", 2<<20),
			"bytes that are no text":        "PK\x05\x06" + strings.Repeat("\x00", 100),
			"a workbook that is none":       "PK\x03\x04" + strings.Repeat("\x00", 100),
		} {
			a := w.Send(t, Step{Do: "PUT /imports/$import/file", Body: file, Send: []string{"Content-Type: text/csv"}})
			if a.Status != 422 {
				t.Errorf("%s: %d %.300s", rule, a.Status, a.Text)
			}
		}
		if a := w.Send(t, Step{Do: "GET /imports/$import"}); At(a.JSON, "status") != "new" {
			t.Errorf("something was kept: %s", a.Text)
		}
		id, err := schema.ParseID("import", w.Vars["import"])
		if err != nil {
			t.Fatal(err)
		}
		err = w.Tenant.Keep(t.Context(), store.Actor{}, func(tx *store.Tx) error {
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
	OnEach(t, func(t *testing.T, w *World) {
		w.Workers(t)
		w.Upload(t, `{"resource":"contact"}`, "name,lead_score\nAnna,secret of Anna\nBen,\n")
		runs(w, t, "succeeded 1 0 0 1")
		w.Vars["ran"] = w.Vars["import"]
		w.Upload(t, `{"resource":"contact"}`, "name\nAnna once more\n")
		ben := At(w.Send(t, Step{Do: "POST /contacts/search"}).JSON, "data.0.id")
		w.Vars["ben"] = fmt.Sprint(ben)
		w.Check(t, Step{Do: "POST /contacts/$ben/erase", Body: `{"reason":"asked"}`, Status: 204})
		for more := true; more; {
			var err error
			if more, err = work.WorkOff(t.Context(), w.Engine); err != nil {
				t.Fatal(err)
			}
		}
		w.Run(t, []Step{
			{Rule: "the file is gone", Do: "GET /imports/$import", Status: 200, Want: `{"status":"new","file":null}`},
			{
				Rule: "also of the one that was run", Do: "GET /imports/$ran", Status: 200,
				Want: `{"status":"succeeded","file":null,"columns":[]}`,
			},
			{Rule: "and what was refused of it", Do: "GET /imports/$ran/errors", Status: 409, Code: "invalid_transition"},
			{
				Rule: "another one can be sent", Do: "PUT /imports/$import/file", Body: "name\nCleo\n", Status: 200,
				Want: `{"status":"ready"}`,
			},
		})
		if err := exchange.SweepImports(t.Context(), w.Engine, time.Now().AddDate(0, 0, 29)); err != nil {
			t.Fatal(err)
		}
		w.Check(t, Step{Do: "GET /imports/$import", Status: 200})
		if err := exchange.SweepImports(t.Context(), w.Engine, time.Now().AddDate(0, 0, 31)); err != nil {
			t.Fatal(err)
		}
		w.Check(t, Step{Do: "GET /imports/$import", Status: 404})
		w.Check(t, Step{Do: "GET /imports/$ran", Status: 404})
	})
}
