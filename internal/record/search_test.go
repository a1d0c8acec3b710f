package record_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/store"

	. "github.com/kith-crm/kith/internal/apitest"
)

func TestSearchInput(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		for i := range 27 {
			w.Create(t, "contacts", fmt.Sprintf(`{"name":"Contact %02d","external_id":"c%02d","lead_score":%d}`, i, i, i), "")
		}
		search := "POST /contacts/search"
		first25 := make([]string, 25)
		for i := range first25 {
			first25[i] = fmt.Sprintf("c%02d", 26-i)
		}
		w.Run(t, []Step{
			{
				Rule: "no body is a valid search: 25 records, newest first", Do: search, Status: 200,
				Found: Found(strings.Join(first25, " ")), Want: `{"meta":{"total":27,"cursor":{"has_more":true,"next":"*"}}}`,
			},
			{Rule: "an empty object is a valid search", Do: search, Body: `{}`, Status: 200, Found: Found(strings.Join(first25, " "))},
			{
				Rule: "null stands for what is not given", Do: search,
				Body: `{"limit":null,"cursor":null,"order_by":null,"sort_direction":null,"search_text":null,"filters":null,` +
					`"fields":null}`, Status: 200, Found: Found(strings.Join(first25, " ")),
			},
			{Rule: "limit 1 gives one record", Do: search, Body: `{"limit":1}`, Status: 200, Found: Found("c26")},
			{
				Rule: "limit 100 is the most", Do: search, Body: `{"limit":100,"sort_direction":"asc","fields":["name"]}`, Status: 200,
				Want: `{"meta":{"cursor":{"next":null,"has_more":false},"total":27}}`,
			},
			{Rule: "limit above 100 is 422 on limit", Do: search, Body: `{"limit":101}`, Status: 422, Wrong: "limit:out_of_range"},
			{Rule: "limit 0 is 422 on limit", Do: search, Body: `{"limit":0}`, Status: 422, Wrong: "limit:out_of_range"},
			{Rule: "a negative limit is 422 on limit", Do: search, Body: `{"limit":-1}`, Status: 422, Wrong: "limit:out_of_range"},
			{Rule: "limit is a whole number", Do: search, Body: `{"limit":1.5}`, Status: 422, Wrong: "limit:wrong_type"},
			{Rule: "limit is not a string", Do: search, Body: `{"limit":"10"}`, Status: 422, Wrong: "limit:wrong_type"},
			{Rule: "limit is not a boolean", Do: search, Body: `{"limit":true}`, Status: 422, Wrong: "limit:wrong_type"},
			{Rule: "a huge limit is 422 on limit", Do: search, Body: `{"limit":1e999}`, Status: 422, Wrong: "limit:out_of_range"},
			{
				Rule: "an unknown order_by is 422 and the fields are listed", Do: search, Body: `{"order_by":"height"}`, Status: 422,
				Wrong: "order_by:unknown_field",
			},
			{Rule: "a list cannot be sorted by", Do: search, Body: `{"order_by":"tags"}`, Status: 422, Wrong: "order_by:not_sortable"},
			{
				Rule: "an object cannot be sorted by", Do: search, Body: `{"order_by":"address"}`, Status: 422,
				Wrong: "order_by:unknown_field",
			},
			{
				Rule: "a document cannot be sorted by", Do: search, Body: `{"order_by":"custom_fields"}`, Status: 422,
				Wrong: "order_by:not_sortable",
			},
			{Rule: "order_by is a string", Do: search, Body: `{"order_by":["name"]}`, Status: 422, Wrong: "order_by:wrong_type"},
			{
				Rule: "sort_direction is asc or desc", Do: search, Body: `{"sort_direction":"up"}`, Status: 422,
				Wrong: "sort_direction:not_allowed",
			},
			{
				Rule: "sort_direction is compared to the letter", Do: search, Body: `{"sort_direction":"ASC"}`, Status: 422,
				Wrong: "sort_direction:not_allowed",
			},
			{Rule: "search_text is a string", Do: search, Body: `{"search_text":5}`, Status: 422, Wrong: "search_text:wrong_type"},
			{
				Rule: "search_text of 501 characters is 422", Do: search, Body: `{"search_text":"` + strings.Repeat("ü", 501) + `"}`,
				Status: 422, Wrong: "search_text:too_long",
			},
			{
				Rule: "search_text of 500 characters is fine", Do: search, Body: `{"search_text":"` + strings.Repeat("ü", 500) + `"}`,
				Status: 200, Found: Found(""),
			},
			{
				Rule: "search_text has no NUL", Do: search, Body: `{"search_text":"a\u0000"}`, Status: 422,
				Wrong: "search_text:invalid_characters",
			},
			{Rule: "fields is an array", Do: search, Body: `{"fields":"name"}`, Status: 422, Wrong: "fields:wrong_type"},
			{
				Rule: "every wrong field name is reported", Do: search, Body: `{"fields":["name",5,"height","company.height"]}`,
				Status: 422,
				Wrong:  "fields[1]:wrong_type fields[2]:unknown_field fields[3]:unknown_field",
			},
			{
				Rule: "unknown keys are 422", Do: search, Body: `{"page":2,"offset":1}`, Status: 422,
				Wrong: "page:unknown_field offset:unknown_field",
			},
			{Rule: "a key given twice is 422", Do: search, Body: `{"limit":1,"limit":2}`, Status: 422, Wrong: "limit:duplicate_key"},
			{
				Rule: "a cursor that is none is 422 on cursor", Do: search, Body: `{"cursor":"abc"}`, Status: 422,
				Wrong: "cursor:invalid_cursor",
			},
			{Rule: "an empty cursor is 422 on cursor", Do: search, Body: `{"cursor":""}`, Status: 422, Wrong: "cursor:invalid_cursor"},
			{Rule: "a cursor is a string", Do: search, Body: `{"cursor":5}`, Status: 422, Wrong: "cursor:invalid_cursor"},
			{
				Rule: "every wrong part is reported at once", Do: search,
				Body: `{"limit":0,"order_by":"x","sort_direction":"y","search_text":1,"filters":[{"field":"name","operator":"like",` +
					`"value":1}],"fields":["z"],"cursor":5,"q":1}`, Status: 422,
				Wrong: "limit:out_of_range order_by:unknown_field sort_direction:not_allowed search_text:wrong_type " +
					"filters[0].operator:unknown_operator fields[0]:unknown_field cursor:invalid_cursor q:unknown_field",
			},
			{Rule: "a body that is no object is 422", Do: search, Body: `[]`, Status: 422, Wrong: "body:wrong_type"},
		})
	})
}

func TestProjection(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "contacts", `{"name":"Anna","external_id":"a","address":{"city":"Kiel","street":"Hafen 1"},"tags":["x"]}`, "anna")
		search := "POST /contacts/search"
		for _, c := range []struct{ rule, fields, want string }{
			{"only the named attributes come back", `["name"]`, `{"name":"Anna"}`},
			{"they come in declared order", `["tags","name","id"]`, `{"id":"$anna","name":"Anna","tags":["x"]}`},
			{"naming one twice changes nothing", `["name","name"]`, `{"name":"Anna"}`},
			{
				"an object comes whole", `["address"]`,
				`{"address":{"street":"Hafen 1","city":"Kiel","region":null,"postal_code":null,"country":null}}`,
			},
			{"or in part", `["address.city"]`, `{"address":{"city":"Kiel"}}`},
			{"absent values are null", `["email","lead_score"]`, `{"email":null,"lead_score":null}`},
			{"an object with nothing in the named part is null", `["address.region"]`, `{"address":null}`},
		} {
			t.Run(c.rule, func(t *testing.T) {
				a := w.Check(t, Step{Do: search, Body: `{"fields":` + c.fields + `}`, Status: 200})
				want := `{"data":[` + w.Expand(t, c.want) + `],"meta":{"cursor":{"next":null,"has_more":false},"total":1}}`
				if string(a.Text) != want {
					t.Errorf("the answer is\n%s, want\n%s", a.Text, want)
				}
			})
		}
		all := w.Check(t, Step{Do: search, Status: 200})
		record := w.Check(t, Step{Do: "GET /contacts/$anna", Status: 200})
		if !strings.Contains(string(all.Text), string(record.Text)) {
			t.Errorf("without fields a search gives the whole record: %s, want %s in it", all.Text, record.Text)
		}
	})
}

func TestSearchText(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		for _, body := range []string{
			`{"external_id":"anna","name":"Anna-Lena José Müller","email":"anna.m@harbour.example","phone":"+49 (30) 123-45 67",` +
				`"tags":["Big Fish"],"lead_source":"fair"}`,
			`{"external_id":"bo","name":"Bo Jose","job_title":"CEO","address":{"city":"Ålesund"},"mobile_phone":"0171 99"}`,
			`{"external_id":"cy","name":"Cyrus ØSTERGAARD","email":"cy_o%x@ost.example"}`,
			`{"external_id":"dee","name":"Δέλτα 株式会社"}`,
		} {
			w.Create(t, "contacts", body, "")
		}
		for _, c := range []struct{ text, found, rule string }{
			{"jose", "anna bo", "case and accents do not count"},
			{"JOSÉ", "anna bo", "in either direction"},
			{"ostergaard", "cy", "letters that do not decompose are written plainly"},
			{"alesund", "bo", "the city is searched"},
			{"an", "anna", "two characters are a prefix of a word"},
			{"m", "anna", "one character is a prefix of a word"},
			{"ul", "", "two characters do not match inside a word"},
			{"ull", "anna", "three characters match anywhere in a word"},
			{"na-le", "anna", "punctuation is part of the word"},
			{"le", "", "a hyphen does not begin a word"},
			{"anna jose", "anna", "each word must occur"},
			{"jose anna", "anna", "in any order"},
			{"anna bo", "", "all of them in one record"},
			{"ann mull harb", "anna", "across several fields"},
			{"301234567", "anna", "digits find a phone number whatever its punctuation"},
			{"4930", "anna", "from its beginning"},
			{"345", "anna", "or its middle"},
			{"49", "anna", "two digits from the beginning of the number or of a group"},
			{"67", "anna", "a group of the number is a word"},
			{"45", "", "not from the middle"},
			{"017199", "bo", "mobile phones, too"},
			{"+49", "anna", "punctuation can be given"},
			{"big fish", "anna", "tags are searched"},
			{"fair", "", "other fields are not"},
			{"cy_o%x@", "cy", "signs that mean something to SQL are plain"},
			{"c_o", "", "the underscore is no wildcard"},
			{"%%%", "", "the percent sign is no wildcard"},
			{`"quo`, "", "quotation marks are plain"},
			{"株式", "dee", "two characters that begin a word of any script"},
			{"式会", "", "two that do not"},
			{"株式会", "dee", "three characters of any script"},
			{"δελτα", "dee", "Greek without accents"},
			{"  \t anna \n ", "anna", "white space around words does not count"},
			{"anna anna", "anna", "a word twice is a word"},
			{"", "anna bo cy dee", "an empty text is none"},
			{"   ", "anna bo cy dee", "nor is white space"},
			{"xyz", "", "what is nowhere is not found"},
		} {
			w.Run(t, []Step{{
				Rule: c.rule + ": " + c.text, Do: "POST /contacts/search",
				Body: fmt.Sprintf(`{"search_text":%q,"order_by":"name","sort_direction":"asc"}`, c.text), Status: 200,
				Found: Found(c.found),
			}})
		}
		w.Run(t, []Step{
			{
				Rule: "text and filters are both held", Do: "POST /contacts/search",
				Body: `{"search_text":"jose","filters":[{"field":"job_title","operator":"eq","value":"ceo"}]}`, Status: 200,
				Found: Found("bo"), Want: `{"meta":{"total":1}}`,
			},
			{
				Rule: "a change is found at once", Do: "POST /contacts/search", Body: `{"search_text":"ostergaard"}`, Status: 200,
				Save: "cy=data.0.id",
			},
			{Rule: "renamed", Do: "PATCH /contacts/$cy", Body: `{"name":"Cyrus Berg"}`, Status: 200},
			{
				Rule: "the old name is not found", Do: "POST /contacts/search", Body: `{"search_text":"ostergaard"}`, Status: 200,
				Found: Found(""),
			},
			{Rule: "the new one is", Do: "POST /contacts/search", Body: `{"search_text":"berg"}`, Status: 200, Found: Found("cy")},
			{Rule: "deleted", Do: "DELETE /contacts/$cy", Status: 204},
			{
				Rule: "a deleted record is not found", Do: "POST /contacts/search", Body: `{"search_text":"berg"}`, Status: 200,
				Found: Found(""),
			},
			{
				Rule: "in the bin it is", Do: "POST /contacts/deleted/search", Body: `{"search_text":"berg"}`, Status: 200,
				Found: Found("cy"),
			},
			{Rule: "restored", Do: "POST /contacts/$cy/restore", Status: 200},
			{
				Rule: "a restored record is found", Do: "POST /contacts/search", Body: `{"search_text":"berg"}`, Status: 200,
				Found: Found("cy"),
			},
		})
	})
}

func TestCursors(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		for i := range 5 {
			body := fmt.Sprintf(`{"name":"N%d","external_id":"n%d","lead_score":%d}`, i, i, i/2)
			w.Create(t, "contacts", body, "")
			w.Check(t, Step{As: "stranger", Do: "POST /contacts", Body: body, Status: 201})
		}
		w.Create(t, "companies", `{"name":"x"}`, "")
		w.Create(t, "companies", `{"name":"y"}`, "")
		search := "POST /contacts/search"
		const same = `"order_by":"lead_score","sort_direction":"asc","search_text":"n","filters":[{"field":"name",` +
			`"operator":"starts_with","value":"n"}]`
		w.Run(t, []Step{
			{
				Rule: "the first page", Do: search, Body: `{"limit":2,` + same + `}`, Status: 200, Found: Found("n0 n1"),
				Save: "cursor=meta.cursor.next", Want: `{"meta":{"total":5,"cursor":{"has_more":true}}}`,
			},
			{
				Rule: "the cursor gives the next page, with the total", Do: search, Body: `{"limit":2,"cursor":"$cursor",` + same + `}`,
				Status: 200, Found: Found("n2 n3"), Save: "second=meta.cursor.next",
				Want: `{"meta":{"total":5,"cursor":{"has_more":true}}}`,
			},
			{
				Rule: "the last page has no further cursor", Do: search, Body: `{"limit":2,"cursor":"$second",` + same + `}`, Status: 200,
				Found: Found("n4"), Want: `{"meta":{"total":5,"cursor":{"has_more":false,"next":null}}}`,
			},
			{
				Rule: "a cursor can be used again", Do: search, Body: `{"limit":2,"cursor":"$cursor",` + same + `}`, Status: 200,
				Found: Found("n2 n3"),
			},
			{
				Rule: "the page size can change on the way", Do: search, Body: `{"limit":100,"cursor":"$cursor",` + same + `}`, Status: 200,
				Found: Found("n2 n3 n4"),
			},
			{
				Rule: "so can the fields", Do: search, Body: `{"limit":1,"fields":["external_id"],"cursor":"$cursor",` + same + `}`,
				Status: 200, Found: Found("n2"),
			},
			{
				Rule: "the same query in other words is the same", Do: search,
				Body: `{"cursor":"$cursor","limit":2,"sort_direction":"asc","order_by":"lead_score","search_text":" N n ",` +
					`"filters":[{"value":"N","operator":"starts_with","field":"name"}]}`, Status: 200, Found: Found("n2 n3"),
			},
			{
				Rule: "another order is 422 on cursor", Do: search,
				Body: `{"cursor":"$cursor",` + strings.Replace(same, "lead_score", "name", 1) + `}`, Status: 422,
				Wrong: "cursor:invalid_cursor",
			},
			{
				Rule: "another direction is 422 on cursor", Do: search,
				Body: `{"cursor":"$cursor",` + strings.Replace(same, "asc", "desc", 1) + `}`, Status: 422, Wrong: "cursor:invalid_cursor",
			},
			{
				Rule: "another text is 422 on cursor", Do: search,
				Body: `{"cursor":"$cursor",` + strings.Replace(same, `"search_text":"n"`, `"search_text":"n1"`, 1) + `}`, Status: 422,
				Wrong: "cursor:invalid_cursor",
			},
			{
				Rule: "another filter is 422 on cursor", Do: search,
				Body: `{"cursor":"$cursor",` + strings.Replace(same, `"value":"n"`, `"value":"n1"`, 1) + `}`, Status: 422,
				Wrong: "cursor:invalid_cursor",
			},
			{
				Rule: "another operator is 422 on cursor", Do: search,
				Body: `{"cursor":"$cursor",` + strings.Replace(same, `starts_with`, `contains`, 1) + `}`, Status: 422,
				Wrong: "cursor:invalid_cursor",
			},
			{Rule: "no filters are 422 on cursor", Do: search, Body: `{"cursor":"$cursor"}`, Status: 422, Wrong: "cursor:invalid_cursor"},
			{
				Rule: "another tenant is 422 on cursor", As: "stranger", Do: search, Body: `{"cursor":"$cursor",` + same + `}`, Status: 422,
				Wrong: "cursor:invalid_cursor",
			},
			{
				Rule: "the bin is 422 on cursor", Do: "POST /contacts/deleted/search", Body: `{"cursor":"$cursor",` + same + `}`,
				Status: 422, Wrong: "cursor:invalid_cursor",
			},
			{
				Rule: "another user of the business is 422 on cursor", As: "viewer", Do: search,
				Body: `{"limit":2,"cursor":"$cursor",` + same + `}`, Status: 422, Wrong: "cursor:invalid_cursor",
			},
			{
				Rule: "a cursor of companies", Do: "POST /companies/search", Body: `{"limit":1}`, Status: 200,
				Save: "company=meta.cursor.next",
			},
			{
				Rule: "another resource is 422 on cursor", Do: search, Body: `{"cursor":"$company"}`, Status: 422,
				Wrong: "cursor:invalid_cursor",
			},
			{
				Rule: "a line break in it is 422", Do: search, Body: `{"cursor":"$cursor\n",` + same + `}`, Status: 422,
				Wrong: "cursor:invalid_cursor",
			},
			{Rule: "padding is 422", Do: search, Body: `{"cursor":"$cursor=",` + same + `}`, Status: 422, Wrong: "cursor:invalid_cursor"},
		})
		cursor := w.Vars["cursor"]
		for i := range cursor {
			altered := []byte(cursor)
			altered[i] ^= 1 << (i % 7)
			text, err := json.Marshal(string(altered))
			if err != nil {
				t.Fatal(err)
			}
			w.Vars["altered"] = string(text)
			w.Check(t, Step{Do: search, Body: `{"cursor":$altered,` + same + `}`, Status: 422, Wrong: "cursor:invalid_cursor"})
		}
	})
}

func TestPagingWhileRecordsChange(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		for i := range 9 {
			w.Create(t, "contacts", fmt.Sprintf(`{"name":"m%d","external_id":"m%d"}`, i, i), fmt.Sprintf("m%d", i))
		}
		page := func(body string) *Answer {
			return w.Check(t, Step{Do: "POST /contacts/search", Body: body, Status: 200})
		}
		const order = `"limit":3,"order_by":"name","sort_direction":"asc"`
		a := page(`{` + order + `}`)
		got := Labels(a)
		for i := range 2 {
			// Between two pages records appear before and behind the position, one already seen changes, one still to come goes.
			w.Create(t, "contacts", fmt.Sprintf(`{"name":"a%d","external_id":"before%d"}`, i, i), "")
			w.Create(t, "contacts", fmt.Sprintf(`{"name":"z%d","external_id":"behind%d"}`, i, i), "")
			w.Check(t, Step{Do: "PATCH /contacts/$m1", Body: fmt.Sprintf(`{"job_title":"t%d"}`, i), Status: 200})
			w.Check(t, Step{Do: fmt.Sprintf("DELETE /contacts/$m%d", 5+2*i), Status: 204})
			a = page(`{` + order + `,"cursor":"` + fmt.Sprint(At(a.JSON, "meta.cursor.next")) + `"}`)
			got += " " + Labels(a)
		}
		// The record at the position itself goes as well.
		w.Check(t, Step{Do: "DELETE /contacts/$m8", Status: 204})
		for At(a.JSON, "meta.cursor.has_more") == true {
			a = page(`{` + order + `,"cursor":"` + fmt.Sprint(At(a.JSON, "meta.cursor.next")) + `"}`)
			got += " " + Labels(a)
		}
		if want := "m0 m1 m2 m3 m4 m6 m8 behind0 behind1"; got != want {
			t.Errorf("the pages gave %q, want %q", got, want)
		}
	})
}

func TestTotals(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		const many = 101
		kind := record.KindOf("note")
		err := w.Tenant.Write(context.Background(), store.Actor{User: w.Users["admin"]}, func(tx *store.Tx) error {
			who := &record.Principal{Tenant: w.Tenant, User: w.Users["admin"], Scopes: record.Scopes()}
			for i := range many {
				title := "common"
				if i == 0 {
					title = "rare"
				}
				if _, err := w.Engine.Add(tx, who, kind, `{"title":"`+title+`"}`); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		search, fields := "POST /notes/search", `"fields":["title"],"limit":1`
		common := `"filters":[{"field":"title","operator":"eq","value":"common"}]`
		w.Run(t, []Step{
			{
				Rule: "an unfiltered search always has its total", Do: search, Body: `{` + fields + `}`, Status: 200,
				Want: `{"meta":{"total":101}}`, Save: "next=meta.cursor.next",
			},
			{
				Rule: "on later pages, too", Do: search, Body: `{` + fields + `,"cursor":"$next"}`, Status: 200,
				Want: `{"meta":{"total":101}}`,
			},
			{
				Rule: "matches are counted", Do: search, Body: `{` + fields + `,` + common + `}`, Status: 200,
				Want: `{"meta":{"total":100}}`, Save: "next=meta.cursor.next",
			},
			{
				Rule: "the count goes with the cursor", Do: search, Body: `{` + fields + `,` + common + `,"cursor":"$next"}`, Status: 200,
				Want: `{"meta":{"total":100}}`,
			},
			{
				Rule: "matches of a text are counted", Do: search, Body: `{` + fields + `,"search_text":"common"}`, Status: 200,
				Want: `{"meta":{"total":100}}`,
			},
			{Rule: "total is true or false", Do: search, Body: `{"total":1}`, Status: 422, Wrong: "total:wrong_type"},
			{Rule: "one match more", Do: "POST /notes", Body: `{"title":"common"}`, Status: 201, Save: "extra"},
			{
				Rule: "the unfiltered count follows at once", Do: search, Body: `{` + fields + `}`, Status: 200,
				Want: `{"meta":{"total":102}}`,
			},
			{Rule: "deleting counts down", Do: "DELETE /notes/$extra", Status: 204},
			{Rule: "one less", Do: search, Body: `{` + fields + `}`, Status: 200, Want: `{"meta":{"total":101}}`},
			{Rule: "one in the bin", Do: "POST /notes/deleted/search", Status: 200, Want: `{"meta":{"total":1}}`},
			{
				Rule: "a few matches are counted", Do: search, Body: `{` + fields + `,"search_text":"rare"}`, Status: 200,
				Want: `{"meta":{"total":1,"cursor":{"has_more":false,"next":null}}}`,
			},
			{
				Rule: "no match is a total of 0", Do: search, Body: `{` + fields + `,"search_text":"nowhere"}`, Status: 200,
				Want: `{"data":[],"meta":{"total":0,"cursor":{"has_more":false,"next":null}}}`,
			},
		})
	})
}

func TestSearchAcrossReferences(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "companies", `{"name":"Århus Skib","owner_id":"$member","annual_revenue":5}`, "aarhus")
		w.Create(t, "companies", `{"name":"Zebra","annual_revenue":50}`, "zebra")
		w.Create(t, "contacts", `{"name":"Anna","external_id":"anna","company_id":"$aarhus","owner_id":"$member"}`, "anna")
		w.Create(t, "contacts", `{"name":"Bo","external_id":"bo","company_id":"$zebra"}`, "bo")
		w.Create(t, "contacts", `{"name":"Cy","external_id":"cy"}`, "cy")
		w.Create(t, "contacts", `{"name":"Di","external_id":"di","company_id":"$zebra"}`, "di")
		w.Create(t, "roles", `{"name":"Narrow","permissions":{"contact":{"read":"all"},"company":{"read":"own"}}}`, "narrow")
		w.Create(t, "roles", `{"name":"Blind","permissions":{"contact":{"read":"all"}}}`, "blind")
		search := "POST /contacts/search"
		by := func(f string) string { return `{"order_by":"name","sort_direction":"asc","filters":[` + f + `]}` }
		w.Run(t, []Step{
			{
				Rule: "a filter follows a reference", Do: search, Body: by(Filter("company.name", "eq", `"arhus skib"`)), Status: 200,
				Found: Found("anna"),
			},
			{
				Rule: "neq includes what has no reference", Do: search, Body: by(Filter("company.name", "neq", `"zebra"`)), Status: 200,
				Found: Found("anna cy"),
			},
			{
				Rule: "is_not_set includes what has no reference", Do: search, Body: by(Filter("company.name", "is_not_set", "")),
				Status: 200, Found: Found("cy"),
			},
			{
				Rule: "numbers behind a reference", Do: search, Body: by(Filter("company.annual_revenue", "gt", `"5"`)), Status: 200,
				Found: Found("bo di"),
			},
			{
				Rule: "the owner's e-mail address", Do: search, Body: by(Filter("owner.email", "starts_with", `"member@"`)), Status: 200,
				Found: Found("anna"),
			},
			{
				Rule: "who created it", Do: search, Body: by(Filter("created_by.name", "eq", `"admin"`)), Status: 200,
				Found: Found("anna bo cy di"),
			},
			{
				Rule: "several references in one search", Do: search,
				Body: by(Filter("company.name", "contains", `"zeb"`) + "," + Filter("owner.name", "eq",
					`"admin"`) + "," + Filter("lifecycle_stage.name", "eq", `"Lead"`)), Status: 200, Found: Found("bo di"),
			},
			{
				Rule: "an order follows a reference, absent last", Do: search, Body: `{"order_by":"company.name","sort_direction":"asc"}`,
				Status: 200, Found: Found("anna bo di cy"),
			},
			{
				Rule: "absent last in the other direction, too, ties by id", Do: search, Body: `{"order_by":"company.name"}`, Status: 200,
				Found: Found("di bo anna cy"),
			},
			{
				Rule: "such an order has pages", Do: search, Body: `{"order_by":"company.name","limit":2}`, Status: 200,
				Found: Found("di bo"), Save: "next=meta.cursor.next",
			},
			{
				Rule: "the second page", Do: search, Body: `{"order_by":"company.name","limit":1,"cursor":"$next"}`, Status: 200,
				Found: Found("anna"), Save: "next=meta.cursor.next",
			},
			{
				Rule: "the page of absent values", Do: search, Body: `{"order_by":"company.name","limit":2,"cursor":"$next"}`, Status: 200,
				Found: Found("cy"), Want: `{"meta":{"cursor":{"has_more":false}}}`,
			},
			{
				Rule: "an unknown field behind a reference is 422", Do: search, Body: by(Filter("company.height", "is_set", "")),
				Status: 422, Wrong: "filters[0].field:unknown_field",
			},
			{
				Rule: "a second step is 422", Do: search, Body: by(Filter("company.parent_company.name", "is_set", "")), Status: 422,
				Wrong: "filters[0].field:unknown_field",
			},
			{
				Rule: "an unknown reference is 422", Do: search, Body: `{"order_by":"boat.name"}`, Status: 422,
				Wrong: "order_by:unknown_field",
			},
			{
				Rule: "the kind behind the reference decides the operators", Do: search,
				Body: by(Filter("company.annual_revenue", "contains", `"5"`)), Status: 422,
				Wrong: "filters[0].operator:operator_not_allowed",
			},
			{
				Rule: "a list behind a reference cannot be sorted by", Do: search, Body: `{"order_by":"company.tags"}`, Status: 422,
				Wrong: "order_by:not_sortable",
			},
			{
				Rule: "without the scope for the reference it is 403 and names the scope", As: "admin:contact.read", Do: search,
				Body: by(Filter("company.name", "is_set", "")), Status: 403, Code: "insufficient_scope", Want: `{"scope":"company.read"}`,
				Head: []string{`WWW-Authenticate: Bearer realm="kith", error="insufficient_scope", scope="company.read", ` +
					`resource_metadata=*`},
			},
			{
				Rule: "the same for the order", As: "admin:contact.read", Do: search, Body: `{"order_by":"owner.name"}`, Status: 403,
				Code: "insufficient_scope", Want: `{"scope":"user.read"}`,
			},
			{
				Rule: "wrong input comes before what is forbidden by it", As: "admin:contact.read", Do: search,
				Body: `{"order_by":"owner.name","limit":0}`, Status: 422, Wrong: "limit:out_of_range",
			},
			{Rule: "the viewer gets a role without companies", Do: "PATCH /users/$viewer", Body: `{"role_id":"$blind"}`, Status: 200},
			{
				Rule: "without the role for the reference it is 403", As: "viewer", Do: search,
				Body: by(Filter("company.name", "is_set", "")), Status: 403, Code: "forbidden_by_role",
			},
			{
				Rule: "the field itself stays", As: "viewer", Do: search, Body: by(Filter("company_id", "eq", `"$zebra"`)), Status: 200,
				Found: Found("bo di"),
			},
			{Rule: "the member gets a role with own companies", Do: "PATCH /users/$member", Body: `{"role_id":"$narrow"}`, Status: 200},
			{
				Rule: "under own only one's own referenced records count", As: "member", Do: search,
				Body: by(Filter("company.name", "is_set", "")), Status: 200, Found: Found("anna"),
			},
			{
				Rule: "the others count as absent", As: "member", Do: search, Body: by(Filter("company.name", "is_not_set", "")),
				Status: 200, Found: Found("bo cy di"),
			},
			{
				Rule: "in the order, too", As: "member", Do: search, Body: `{"order_by":"company.name","sort_direction":"asc"}`,
				Status: 200,
				Found:  Found("anna bo cy di"),
			},
			{Rule: "the company is deleted", Do: "DELETE /companies/$aarhus", Status: 204},
			{
				Rule: "what refers to a deleted record counts as absent", Do: search, Body: by(Filter("company.name", "is_not_set", "")),
				Status: 200, Found: Found("anna cy"),
			},
			{
				Rule: "the reference itself is still set", Do: search, Body: by(Filter("company_id", "is_set", "")), Status: 200,
				Found: Found("anna bo di"),
			},
		})
	})
}

// Every scalar field of every resource can be sorted by, in both directions, page by page.
func TestEveryScalarFieldSorts(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		base := w.OneOfEach(t)
		for _, k := range record.Kinds() {
			for i := range 6 {
				w.Create(t, k.Plural, VariedRecord(k, i, base), "")
			}
			for _, l := range k.Leaves {
				if !l.Kind.Scalar() || l.Writing.BinOnly {
					continue
				}
				for _, direction := range []string{"asc", "desc"} {
					t.Run(k.Plural+" by "+l.Path+" "+direction, func(t *testing.T) {
						var records []any
						cursor := ""
						for pages := 0; ; pages++ {
							a := w.Check(t, Step{
								Do:     "POST /" + k.Plural + "/search",
								Body:   fmt.Sprintf(`{"limit":4,"order_by":%q,"sort_direction":%q%s}`, l.Path, direction, cursor),
								Status: 200, Chance: l.Path == "hint",
							})
							records = append(records, At(a.JSON, "data").([]any)...)
							if At(a.JSON, "meta.cursor.next") == nil {
								break
							}
							cursor = fmt.Sprintf(`,"cursor":%q`, At(a.JSON, "meta.cursor.next"))
							if pages > 20 {
								t.Fatal("the pages do not end")
							}
						}
						sorted := slices.Clone(records)
						slices.SortFunc(sorted, func(a, b any) int { return CompareRecords(t, l, a, b, direction == "desc") })
						for i := range records {
							if At(records[i], "id") != At(sorted[i], "id") {
								t.Fatalf("record %d of %d has %s %v, want %v", i, len(records), l.Path, At(records[i], l.Path),
									At(sorted[i], l.Path))
							}
						}
						if ids := w.Count(t, k.Plural); len(records) != ids {
							t.Errorf("the pages have %d records of %d", len(records), ids)
						}
					})
				}
			}
		}
	})
}

// Choices are sorted as they are declared, which is by what they mean: low, normal, high, urgent.
func TestChoicesAreSortedAsDeclared(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		for _, priority := range []string{"urgent", "low", "high", "normal"} {
			for _, status := range []string{"completed", "open"} {
				name := priority + "-" + status
				w.Create(t, "tasks", fmt.Sprintf(`{"title":%q,"external_id":%q,"priority":%q,"status":%q}`, name, name, priority, status),
					"")
			}
		}
		for _, direction := range []string{"outbound", "", "inbound"} {
			fields := `"activity_type":"call","subject":"x","external_id":"` + direction + `-"`
			if direction != "" {
				fields += `,"direction":"` + direction + `"`
			}
			w.Create(t, "activities", "{"+fields+"}", "")
		}
		soon := time.Now().AddDate(0, 0, 10).Format(time.DateOnly)
		w.Create(t, "contacts", `{"name":"Buyer","external_id":"buyer"}`, "buyer")
		w.Create(t, "contacts", `{"name":"Theirs","external_id":"theirs","owner_id":"$member"}`, "")
		for _, name := range []string{"sent", "draft", "expired", "accepted"} {
			day := soon
			if name == "expired" {
				day = "2020-01-01"
			}
			w.Create(t, "quotes", fmt.Sprintf(`{"title":%q,"external_id":%q,"contact_id":"$buyer","valid_until":%q,`+
				`"line_items":[{"name":"x","unit_price":1}]}`, name, name, day), name)
			if name != "draft" {
				w.Run(t, []Step{{Rule: "send", Do: "POST /quotes/$" + name + "/send", Status: 200}})
			}
		}
		tasks := "POST /tasks/search"
		w.Run(t, []Step{
			{Rule: "accept", Do: "POST /quotes/$accepted/accept", Status: 200},
			{Rule: "rising", Do: tasks, Body: `{"order_by":"priority","sort_direction":"asc","filters":[{"field":"status",` +
				`"operator":"eq","value":"open"}]}`, Status: 200, Found: Found("low-open normal-open high-open urgent-open")},
			{Rule: "falling", Do: tasks, Body: `{"order_by":"priority","filters":[{"field":"status","operator":"eq",` +
				`"value":"completed"}]}`, Status: 200, Found: Found("urgent-completed high-completed normal-completed low-completed")},
			{
				Rule: "the first page", Do: tasks, Body: `{"order_by":"priority","limit":3}`, Status: 200,
				Found: Found("urgent-open urgent-completed high-open"), Save: "next=meta.cursor.next",
			},
			{
				Rule: "the second, in the middle of a choice", Do: tasks, Body: `{"order_by":"priority","limit":3,"cursor":"$next"}`,
				Status: 200, Found: Found("high-completed normal-open normal-completed"), Save: "next=meta.cursor.next",
			},
			{
				Rule: "the last", Do: tasks, Body: `{"order_by":"priority","limit":3,"cursor":"$next"}`, Status: 200,
				Found: Found("low-open low-completed"), Want: `{"meta":{"cursor":{"has_more":false}}}`,
			},
			{
				Rule: "absent last", Do: "POST /activities/search", Body: `{"order_by":"direction","sort_direction":"asc"}`, Status: 200,
				Found: Found("inbound- outbound- -"),
			},
			{
				Rule: "absent last, falling", Do: "POST /activities/search", Body: `{"order_by":"direction","limit":2}`, Status: 200,
				Found: Found("outbound- inbound-"), Save: "next=meta.cursor.next",
			},
			{
				Rule: "absent last, on its own page", Do: "POST /activities/search",
				Body: `{"order_by":"direction","limit":2,"cursor":"$next"}`, Status: 200, Found: Found("-"),
			},
			{
				Rule: "a state that the day decides", Do: "POST /quotes/search", Body: `{"order_by":"status","sort_direction":"asc"}`,
				Status: 200, Found: Found("draft sent accepted expired"),
			},
			{Rule: "the member is suspended", Do: "PATCH /users/$member", Body: `{"status":"suspended"}`, Status: 200},
			{
				Rule: "through a reference", Do: "POST /contacts/search", Body: `{"order_by":"owner.status"}`, Status: 200,
				Found: Found("theirs buyer"),
			},
		})
	})
}
