package httpapi_test

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
)

func TestSearchInput(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		for i := range 27 {
			w.create(t, "contacts", fmt.Sprintf(`{"name":"Contact %02d","external_id":"c%02d","lead_score":%d}`, i, i, i), "")
		}
		search := "POST /contacts/search"
		first25 := make([]string, 25)
		for i := range first25 {
			first25[i] = fmt.Sprintf("c%02d", 26-i)
		}
		w.run(t, []step{
			{
				rule: "no body is a valid search: 25 records, newest first", do: search, status: 200,
				found: found(strings.Join(first25, " ")), want: `{"meta":{"total":27,"cursor":{"has_more":true,"next":"*"}}}`,
			},
			{rule: "an empty object is a valid search", do: search, body: `{}`, status: 200, found: found(strings.Join(first25, " "))},
			{
				rule: "null stands for what is not given", do: search,
				body: `{"limit":null,"cursor":null,"order_by":null,"sort_direction":null,"search_text":null,"filters":null,` +
					`"fields":null}`, status: 200, found: found(strings.Join(first25, " ")),
			},
			{rule: "limit 1 gives one record", do: search, body: `{"limit":1}`, status: 200, found: found("c26")},
			{
				rule: "limit 100 is the most", do: search, body: `{"limit":100,"sort_direction":"asc","fields":["name"]}`, status: 200,
				want: `{"meta":{"cursor":{"next":null,"has_more":false},"total":27}}`,
			},
			{rule: "limit above 100 is 422 on limit", do: search, body: `{"limit":101}`, status: 422, wrong: "limit:out_of_range"},
			{rule: "limit 0 is 422 on limit", do: search, body: `{"limit":0}`, status: 422, wrong: "limit:out_of_range"},
			{rule: "a negative limit is 422 on limit", do: search, body: `{"limit":-1}`, status: 422, wrong: "limit:out_of_range"},
			{rule: "limit is a whole number", do: search, body: `{"limit":1.5}`, status: 422, wrong: "limit:wrong_type"},
			{rule: "limit is not a string", do: search, body: `{"limit":"10"}`, status: 422, wrong: "limit:wrong_type"},
			{rule: "limit is not a boolean", do: search, body: `{"limit":true}`, status: 422, wrong: "limit:wrong_type"},
			{rule: "a huge limit is 422 on limit", do: search, body: `{"limit":1e999}`, status: 422, wrong: "limit:out_of_range"},
			{
				rule: "an unknown order_by is 422 and the fields are listed", do: search, body: `{"order_by":"height"}`, status: 422,
				wrong: "order_by:unknown_field",
			},
			{rule: "a list cannot be sorted by", do: search, body: `{"order_by":"tags"}`, status: 422, wrong: "order_by:not_sortable"},
			{
				rule: "an object cannot be sorted by", do: search, body: `{"order_by":"address"}`, status: 422,
				wrong: "order_by:unknown_field",
			},
			{
				rule: "a document cannot be sorted by", do: search, body: `{"order_by":"custom_fields"}`, status: 422,
				wrong: "order_by:not_sortable",
			},
			{rule: "order_by is a string", do: search, body: `{"order_by":["name"]}`, status: 422, wrong: "order_by:wrong_type"},
			{
				rule: "sort_direction is asc or desc", do: search, body: `{"sort_direction":"up"}`, status: 422,
				wrong: "sort_direction:not_allowed",
			},
			{
				rule: "sort_direction is compared to the letter", do: search, body: `{"sort_direction":"ASC"}`, status: 422,
				wrong: "sort_direction:not_allowed",
			},
			{rule: "search_text is a string", do: search, body: `{"search_text":5}`, status: 422, wrong: "search_text:wrong_type"},
			{
				rule: "search_text of 501 characters is 422", do: search, body: `{"search_text":"` + strings.Repeat("ü", 501) + `"}`,
				status: 422, wrong: "search_text:too_long",
			},
			{
				rule: "search_text of 500 characters is fine", do: search, body: `{"search_text":"` + strings.Repeat("ü", 500) + `"}`,
				status: 200, found: found(""),
			},
			{
				rule: "search_text has no NUL", do: search, body: `{"search_text":"a\u0000"}`, status: 422,
				wrong: "search_text:invalid_characters",
			},
			{rule: "fields is an array", do: search, body: `{"fields":"name"}`, status: 422, wrong: "fields:wrong_type"},
			{
				rule: "every wrong field name is reported", do: search, body: `{"fields":["name",5,"height","company.height"]}`,
				status: 422,
				wrong:  "fields[1]:wrong_type fields[2]:unknown_field fields[3]:unknown_field",
			},
			{
				rule: "unknown keys are 422", do: search, body: `{"page":2,"offset":1}`, status: 422,
				wrong: "page:unknown_field offset:unknown_field",
			},
			{rule: "a key given twice is 422", do: search, body: `{"limit":1,"limit":2}`, status: 422, wrong: "limit:duplicate_key"},
			{
				rule: "a cursor that is none is 422 on cursor", do: search, body: `{"cursor":"abc"}`, status: 422,
				wrong: "cursor:invalid_cursor",
			},
			{rule: "an empty cursor is 422 on cursor", do: search, body: `{"cursor":""}`, status: 422, wrong: "cursor:invalid_cursor"},
			{rule: "a cursor is a string", do: search, body: `{"cursor":5}`, status: 422, wrong: "cursor:invalid_cursor"},
			{
				rule: "every wrong part is reported at once", do: search,
				body: `{"limit":0,"order_by":"x","sort_direction":"y","search_text":1,"filters":[{"field":"name","operator":"like",` +
					`"value":1}],"fields":["z"],"cursor":5,"q":1}`, status: 422,
				wrong: "limit:out_of_range order_by:unknown_field sort_direction:not_allowed search_text:wrong_type " +
					"filters[0].operator:unknown_operator fields[0]:unknown_field cursor:invalid_cursor q:unknown_field",
			},
			{rule: "a body that is no object is 422", do: search, body: `[]`, status: 422, wrong: "body:wrong_type"},
		})
	})
}

func TestProjection(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.create(t, "contacts", `{"name":"Anna","external_id":"a","address":{"city":"Kiel","street":"Hafen 1"},"tags":["x"]}`, "anna")
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
				a := w.check(t, step{do: search, body: `{"fields":` + c.fields + `}`, status: 200})
				want := `{"data":[` + w.expand(t, c.want) + `],"meta":{"cursor":{"next":null,"has_more":false},"total":1}}`
				if string(a.text) != want {
					t.Errorf("the answer is\n%s, want\n%s", a.text, want)
				}
			})
		}
		all := w.check(t, step{do: search, status: 200})
		record := w.check(t, step{do: "GET /contacts/$anna", status: 200})
		if !strings.Contains(string(all.text), string(record.text)) {
			t.Errorf("without fields a search gives the whole record: %s, want %s in it", all.text, record.text)
		}
	})
}

func TestSearchText(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		for _, body := range []string{
			`{"external_id":"anna","name":"Anna-Lena José Müller","email":"anna.m@harbour.example","phone":"+49 (30) 123-45 67",` +
				`"tags":["Big Fish"],"lead_source":"fair"}`,
			`{"external_id":"bo","name":"Bo Jose","job_title":"CEO","address":{"city":"Ålesund"},"mobile_phone":"0171 99"}`,
			`{"external_id":"cy","name":"Cyrus ØSTERGAARD","email":"cy_o%x@ost.example"}`,
			`{"external_id":"dee","name":"Δέλτα 株式会社"}`,
		} {
			w.create(t, "contacts", body, "")
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
			w.run(t, []step{{
				rule: c.rule + ": " + c.text, do: "POST /contacts/search",
				body: fmt.Sprintf(`{"search_text":%q,"order_by":"name","sort_direction":"asc"}`, c.text), status: 200,
				found: found(c.found),
			}})
		}
		w.run(t, []step{
			{
				rule: "text and filters are both held", do: "POST /contacts/search",
				body: `{"search_text":"jose","filters":[{"field":"job_title","operator":"eq","value":"ceo"}]}`, status: 200,
				found: found("bo"), want: `{"meta":{"total":1}}`,
			},
			{
				rule: "a change is found at once", do: "POST /contacts/search", body: `{"search_text":"ostergaard"}`, status: 200,
				save: "cy=data.0.id",
			},
			{rule: "renamed", do: "PATCH /contacts/$cy", body: `{"name":"Cyrus Berg"}`, status: 200},
			{
				rule: "the old name is not found", do: "POST /contacts/search", body: `{"search_text":"ostergaard"}`, status: 200,
				found: found(""),
			},
			{rule: "the new one is", do: "POST /contacts/search", body: `{"search_text":"berg"}`, status: 200, found: found("cy")},
			{rule: "deleted", do: "DELETE /contacts/$cy", status: 204},
			{
				rule: "a deleted record is not found", do: "POST /contacts/search", body: `{"search_text":"berg"}`, status: 200,
				found: found(""),
			},
			{
				rule: "in the bin it is", do: "POST /contacts/deleted/search", body: `{"search_text":"berg"}`, status: 200,
				found: found("cy"),
			},
			{rule: "restored", do: "POST /contacts/$cy/restore", status: 200},
			{
				rule: "a restored record is found", do: "POST /contacts/search", body: `{"search_text":"berg"}`, status: 200,
				found: found("cy"),
			},
		})
	})
}

func TestCursors(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		for i := range 5 {
			body := fmt.Sprintf(`{"name":"N%d","external_id":"n%d","lead_score":%d}`, i, i, i/2)
			w.create(t, "contacts", body, "")
			w.check(t, step{as: "stranger", do: "POST /contacts", body: body, status: 201})
		}
		w.create(t, "companies", `{"name":"x"}`, "")
		w.create(t, "companies", `{"name":"y"}`, "")
		search := "POST /contacts/search"
		const same = `"order_by":"lead_score","sort_direction":"asc","search_text":"n","filters":[{"field":"name",` +
			`"operator":"starts_with","value":"n"}]`
		w.run(t, []step{
			{
				rule: "the first page", do: search, body: `{"limit":2,` + same + `}`, status: 200, found: found("n0 n1"),
				save: "cursor=meta.cursor.next", want: `{"meta":{"total":5,"cursor":{"has_more":true}}}`,
			},
			{
				rule: "the cursor gives the next page, with the total", do: search, body: `{"limit":2,"cursor":"$cursor",` + same + `}`,
				status: 200, found: found("n2 n3"), save: "second=meta.cursor.next",
				want: `{"meta":{"total":5,"cursor":{"has_more":true}}}`,
			},
			{
				rule: "the last page has no further cursor", do: search, body: `{"limit":2,"cursor":"$second",` + same + `}`, status: 200,
				found: found("n4"), want: `{"meta":{"total":5,"cursor":{"has_more":false,"next":null}}}`,
			},
			{
				rule: "a cursor can be used again", do: search, body: `{"limit":2,"cursor":"$cursor",` + same + `}`, status: 200,
				found: found("n2 n3"),
			},
			{
				rule: "the page size can change on the way", do: search, body: `{"limit":100,"cursor":"$cursor",` + same + `}`, status: 200,
				found: found("n2 n3 n4"),
			},
			{
				rule: "so can the fields", do: search, body: `{"limit":1,"fields":["external_id"],"cursor":"$cursor",` + same + `}`,
				status: 200, found: found("n2"),
			},
			{
				rule: "the same query in other words is the same", do: search,
				body: `{"cursor":"$cursor","limit":2,"sort_direction":"asc","order_by":"lead_score","search_text":" N n ",` +
					`"filters":[{"value":"N","operator":"starts_with","field":"name"}]}`, status: 200, found: found("n2 n3"),
			},
			{
				rule: "another order is 422 on cursor", do: search,
				body: `{"cursor":"$cursor",` + strings.Replace(same, "lead_score", "name", 1) + `}`, status: 422,
				wrong: "cursor:invalid_cursor",
			},
			{
				rule: "another direction is 422 on cursor", do: search,
				body: `{"cursor":"$cursor",` + strings.Replace(same, "asc", "desc", 1) + `}`, status: 422, wrong: "cursor:invalid_cursor",
			},
			{
				rule: "another text is 422 on cursor", do: search,
				body: `{"cursor":"$cursor",` + strings.Replace(same, `"search_text":"n"`, `"search_text":"n1"`, 1) + `}`, status: 422,
				wrong: "cursor:invalid_cursor",
			},
			{
				rule: "another filter is 422 on cursor", do: search,
				body: `{"cursor":"$cursor",` + strings.Replace(same, `"value":"n"`, `"value":"n1"`, 1) + `}`, status: 422,
				wrong: "cursor:invalid_cursor",
			},
			{
				rule: "another operator is 422 on cursor", do: search,
				body: `{"cursor":"$cursor",` + strings.Replace(same, `starts_with`, `contains`, 1) + `}`, status: 422,
				wrong: "cursor:invalid_cursor",
			},
			{rule: "no filters are 422 on cursor", do: search, body: `{"cursor":"$cursor"}`, status: 422, wrong: "cursor:invalid_cursor"},
			{
				rule: "another tenant is 422 on cursor", as: "stranger", do: search, body: `{"cursor":"$cursor",` + same + `}`, status: 422,
				wrong: "cursor:invalid_cursor",
			},
			{
				rule: "the bin is 422 on cursor", do: "POST /contacts/deleted/search", body: `{"cursor":"$cursor",` + same + `}`,
				status: 422, wrong: "cursor:invalid_cursor",
			},
			{
				rule: "another user of the business is 422 on cursor", as: "viewer", do: search,
				body: `{"limit":2,"cursor":"$cursor",` + same + `}`, status: 422, wrong: "cursor:invalid_cursor",
			},
			{
				rule: "a cursor of companies", do: "POST /companies/search", body: `{"limit":1}`, status: 200,
				save: "company=meta.cursor.next",
			},
			{
				rule: "another resource is 422 on cursor", do: search, body: `{"cursor":"$company"}`, status: 422,
				wrong: "cursor:invalid_cursor",
			},
			{
				rule: "a line break in it is 422", do: search, body: `{"cursor":"$cursor\n",` + same + `}`, status: 422,
				wrong: "cursor:invalid_cursor",
			},
			{rule: "padding is 422", do: search, body: `{"cursor":"$cursor=",` + same + `}`, status: 422, wrong: "cursor:invalid_cursor"},
		})
		cursor := w.vars["cursor"]
		for i := range cursor {
			altered := []byte(cursor)
			altered[i] ^= 1 << (i % 7)
			text, err := json.Marshal(string(altered))
			if err != nil {
				t.Fatal(err)
			}
			w.vars["altered"] = string(text)
			w.check(t, step{do: search, body: `{"cursor":$altered,` + same + `}`, status: 422, wrong: "cursor:invalid_cursor"})
		}
	})
}

func TestPagingWhileRecordsChange(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		for i := range 9 {
			w.create(t, "contacts", fmt.Sprintf(`{"name":"m%d","external_id":"m%d"}`, i, i), fmt.Sprintf("m%d", i))
		}
		page := func(body string) *answer {
			return w.check(t, step{do: "POST /contacts/search", body: body, status: 200})
		}
		const order = `"limit":3,"order_by":"name","sort_direction":"asc"`
		a := page(`{` + order + `}`)
		got := labels(a)
		for i := range 2 {
			// Between two pages records appear before and behind the position, one already seen changes, one still to come goes.
			w.create(t, "contacts", fmt.Sprintf(`{"name":"a%d","external_id":"before%d"}`, i, i), "")
			w.create(t, "contacts", fmt.Sprintf(`{"name":"z%d","external_id":"behind%d"}`, i, i), "")
			w.check(t, step{do: "PATCH /contacts/$m1", body: fmt.Sprintf(`{"job_title":"t%d"}`, i), status: 200})
			w.check(t, step{do: fmt.Sprintf("DELETE /contacts/$m%d", 5+2*i), status: 204})
			a = page(`{` + order + `,"cursor":"` + fmt.Sprint(at(a.json, "meta.cursor.next")) + `"}`)
			got += " " + labels(a)
		}
		// The record at the position itself goes as well.
		w.check(t, step{do: "DELETE /contacts/$m8", status: 204})
		for at(a.json, "meta.cursor.has_more") == true {
			a = page(`{` + order + `,"cursor":"` + fmt.Sprint(at(a.json, "meta.cursor.next")) + `"}`)
			got += " " + labels(a)
		}
		if want := "m0 m1 m2 m3 m4 m6 m8 behind0 behind1"; got != want {
			t.Errorf("the pages gave %q, want %q", got, want)
		}
	})
}

func TestTotals(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		const many = 101
		kind := record.KindOf("note")
		err := w.tenant.Write(context.Background(), store.Actor{User: w.users["admin"]}, func(tx *store.Tx) error {
			who := &record.Principal{Tenant: w.tenant, User: w.users["admin"], Scopes: record.Scopes()}
			for i := range many {
				title := "common"
				if i == 0 {
					title = "rare"
				}
				if _, err := w.engine.Add(tx, who, kind, `{"title":"`+title+`"}`); err != nil {
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
		w.run(t, []step{
			{
				rule: "an unfiltered search always has its total", do: search, body: `{` + fields + `}`, status: 200,
				want: `{"meta":{"total":101}}`, save: "next=meta.cursor.next",
			},
			{
				rule: "on later pages, too", do: search, body: `{` + fields + `,"cursor":"$next"}`, status: 200,
				want: `{"meta":{"total":101}}`,
			},
			{
				rule: "matches are counted", do: search, body: `{` + fields + `,` + common + `}`, status: 200,
				want: `{"meta":{"total":100}}`, save: "next=meta.cursor.next",
			},
			{
				rule: "the count goes with the cursor", do: search, body: `{` + fields + `,` + common + `,"cursor":"$next"}`, status: 200,
				want: `{"meta":{"total":100}}`,
			},
			{
				rule: "matches of a text are counted", do: search, body: `{` + fields + `,"search_text":"common"}`, status: 200,
				want: `{"meta":{"total":100}}`,
			},
			{rule: "total is true or false", do: search, body: `{"total":1}`, status: 422, wrong: "total:wrong_type"},
			{rule: "one match more", do: "POST /notes", body: `{"title":"common"}`, status: 201, save: "extra"},
			{
				rule: "the unfiltered count follows at once", do: search, body: `{` + fields + `}`, status: 200,
				want: `{"meta":{"total":102}}`,
			},
			{rule: "deleting counts down", do: "DELETE /notes/$extra", status: 204},
			{rule: "one less", do: search, body: `{` + fields + `}`, status: 200, want: `{"meta":{"total":101}}`},
			{rule: "one in the bin", do: "POST /notes/deleted/search", status: 200, want: `{"meta":{"total":1}}`},
			{
				rule: "a few matches are counted", do: search, body: `{` + fields + `,"search_text":"rare"}`, status: 200,
				want: `{"meta":{"total":1,"cursor":{"has_more":false,"next":null}}}`,
			},
			{
				rule: "no match is a total of 0", do: search, body: `{` + fields + `,"search_text":"nowhere"}`, status: 200,
				want: `{"data":[],"meta":{"total":0,"cursor":{"has_more":false,"next":null}}}`,
			},
		})
	})
}

func TestSearchAcrossReferences(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.create(t, "companies", `{"name":"Århus Skib","owner_id":"$member","annual_revenue":5}`, "aarhus")
		w.create(t, "companies", `{"name":"Zebra","annual_revenue":50}`, "zebra")
		w.create(t, "contacts", `{"name":"Anna","external_id":"anna","company_id":"$aarhus","owner_id":"$member"}`, "anna")
		w.create(t, "contacts", `{"name":"Bo","external_id":"bo","company_id":"$zebra"}`, "bo")
		w.create(t, "contacts", `{"name":"Cy","external_id":"cy"}`, "cy")
		w.create(t, "contacts", `{"name":"Di","external_id":"di","company_id":"$zebra"}`, "di")
		w.create(t, "roles", `{"name":"Narrow","permissions":{"contact":{"read":"all"},"company":{"read":"own"}}}`, "narrow")
		w.create(t, "roles", `{"name":"Blind","permissions":{"contact":{"read":"all"}}}`, "blind")
		search := "POST /contacts/search"
		by := func(f string) string { return `{"order_by":"name","sort_direction":"asc","filters":[` + f + `]}` }
		w.run(t, []step{
			{
				rule: "a filter follows a reference", do: search, body: by(filter("company.name", "eq", `"arhus skib"`)), status: 200,
				found: found("anna"),
			},
			{
				rule: "neq includes what has no reference", do: search, body: by(filter("company.name", "neq", `"zebra"`)), status: 200,
				found: found("anna cy"),
			},
			{
				rule: "is_not_set includes what has no reference", do: search, body: by(filter("company.name", "is_not_set", "")),
				status: 200, found: found("cy"),
			},
			{
				rule: "numbers behind a reference", do: search, body: by(filter("company.annual_revenue", "gt", `"5"`)), status: 200,
				found: found("bo di"),
			},
			{
				rule: "the owner's e-mail address", do: search, body: by(filter("owner.email", "starts_with", `"member@"`)), status: 200,
				found: found("anna"),
			},
			{
				rule: "who created it", do: search, body: by(filter("created_by.name", "eq", `"admin"`)), status: 200,
				found: found("anna bo cy di"),
			},
			{
				rule: "several references in one search", do: search,
				body: by(filter("company.name", "contains", `"zeb"`) + "," + filter("owner.name", "eq",
					`"admin"`) + "," + filter("lifecycle_stage.name", "eq", `"Lead"`)), status: 200, found: found("bo di"),
			},
			{
				rule: "an order follows a reference, absent last", do: search, body: `{"order_by":"company.name","sort_direction":"asc"}`,
				status: 200, found: found("anna bo di cy"),
			},
			{
				rule: "absent last in the other direction, too, ties by id", do: search, body: `{"order_by":"company.name"}`, status: 200,
				found: found("di bo anna cy"),
			},
			{
				rule: "such an order has pages", do: search, body: `{"order_by":"company.name","limit":2}`, status: 200,
				found: found("di bo"), save: "next=meta.cursor.next",
			},
			{
				rule: "the second page", do: search, body: `{"order_by":"company.name","limit":1,"cursor":"$next"}`, status: 200,
				found: found("anna"), save: "next=meta.cursor.next",
			},
			{
				rule: "the page of absent values", do: search, body: `{"order_by":"company.name","limit":2,"cursor":"$next"}`, status: 200,
				found: found("cy"), want: `{"meta":{"cursor":{"has_more":false}}}`,
			},
			{
				rule: "an unknown field behind a reference is 422", do: search, body: by(filter("company.height", "is_set", "")),
				status: 422, wrong: "filters[0].field:unknown_field",
			},
			{
				rule: "a second step is 422", do: search, body: by(filter("company.parent_company.name", "is_set", "")), status: 422,
				wrong: "filters[0].field:unknown_field",
			},
			{
				rule: "an unknown reference is 422", do: search, body: `{"order_by":"boat.name"}`, status: 422,
				wrong: "order_by:unknown_field",
			},
			{
				rule: "the kind behind the reference decides the operators", do: search,
				body: by(filter("company.annual_revenue", "contains", `"5"`)), status: 422,
				wrong: "filters[0].operator:operator_not_allowed",
			},
			{
				rule: "a list behind a reference cannot be sorted by", do: search, body: `{"order_by":"company.tags"}`, status: 422,
				wrong: "order_by:not_sortable",
			},
			{
				rule: "without the scope for the reference it is 403 and names the scope", as: "admin:contact.read", do: search,
				body: by(filter("company.name", "is_set", "")), status: 403, code: "insufficient_scope", want: `{"scope":"company.read"}`,
				head: []string{`WWW-Authenticate: Bearer realm="kith", error="insufficient_scope", scope="company.read", ` +
					`resource_metadata=*`},
			},
			{
				rule: "the same for the order", as: "admin:contact.read", do: search, body: `{"order_by":"owner.name"}`, status: 403,
				code: "insufficient_scope", want: `{"scope":"user.read"}`,
			},
			{
				rule: "wrong input comes before what is forbidden by it", as: "admin:contact.read", do: search,
				body: `{"order_by":"owner.name","limit":0}`, status: 422, wrong: "limit:out_of_range",
			},
			{rule: "the viewer gets a role without companies", do: "PATCH /users/$viewer", body: `{"role_id":"$blind"}`, status: 200},
			{
				rule: "without the role for the reference it is 403", as: "viewer", do: search,
				body: by(filter("company.name", "is_set", "")), status: 403, code: "forbidden_by_role",
			},
			{
				rule: "the field itself stays", as: "viewer", do: search, body: by(filter("company_id", "eq", `"$zebra"`)), status: 200,
				found: found("bo di"),
			},
			{rule: "the member gets a role with own companies", do: "PATCH /users/$member", body: `{"role_id":"$narrow"}`, status: 200},
			{
				rule: "under own only one's own referenced records count", as: "member", do: search,
				body: by(filter("company.name", "is_set", "")), status: 200, found: found("anna"),
			},
			{
				rule: "the others count as absent", as: "member", do: search, body: by(filter("company.name", "is_not_set", "")),
				status: 200, found: found("bo cy di"),
			},
			{
				rule: "in the order, too", as: "member", do: search, body: `{"order_by":"company.name","sort_direction":"asc"}`,
				status: 200,
				found:  found("anna bo cy di"),
			},
			{rule: "the company is deleted", do: "DELETE /companies/$aarhus", status: 204},
			{
				rule: "what refers to a deleted record counts as absent", do: search, body: by(filter("company.name", "is_not_set", "")),
				status: 200, found: found("anna cy"),
			},
			{
				rule: "the reference itself is still set", do: search, body: by(filter("company_id", "is_set", "")), status: 200,
				found: found("anna bo di"),
			},
		})
	})
}

// Every scalar field of every resource can be sorted by, in both directions, page by page.
func TestEveryScalarFieldSorts(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		base := w.oneOfEach(t)
		for _, k := range record.Kinds() {
			for i := range 6 {
				w.create(t, k.Plural, variedRecord(k, i, base), "")
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
							a := w.check(t, step{
								do:     "POST /" + k.Plural + "/search",
								body:   fmt.Sprintf(`{"limit":4,"order_by":%q,"sort_direction":%q%s}`, l.Path, direction, cursor),
								status: 200, chance: l.Path == "hint",
							})
							records = append(records, at(a.json, "data").([]any)...)
							if at(a.json, "meta.cursor.next") == nil {
								break
							}
							cursor = fmt.Sprintf(`,"cursor":%q`, at(a.json, "meta.cursor.next"))
							if pages > 20 {
								t.Fatal("the pages do not end")
							}
						}
						sorted := slices.Clone(records)
						slices.SortFunc(sorted, func(a, b any) int { return compareRecords(t, l, a, b, direction == "desc") })
						for i := range records {
							if at(records[i], "id") != at(sorted[i], "id") {
								t.Fatalf("record %d of %d has %s %v, want %v", i, len(records), l.Path, at(records[i], l.Path),
									at(sorted[i], l.Path))
							}
						}
						if ids := w.count(t, k.Plural); len(records) != ids {
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
	onBothEngines(t, func(t *testing.T, w *world) {
		for _, priority := range []string{"urgent", "low", "high", "normal"} {
			for _, status := range []string{"completed", "open"} {
				name := priority + "-" + status
				w.create(t, "tasks", fmt.Sprintf(`{"title":%q,"external_id":%q,"priority":%q,"status":%q}`, name, name, priority, status),
					"")
			}
		}
		for _, direction := range []string{"outbound", "", "inbound"} {
			fields := `"activity_type":"call","subject":"x","external_id":"` + direction + `-"`
			if direction != "" {
				fields += `,"direction":"` + direction + `"`
			}
			w.create(t, "activities", "{"+fields+"}", "")
		}
		soon := time.Now().AddDate(0, 0, 10).Format(time.DateOnly)
		w.create(t, "contacts", `{"name":"Buyer","external_id":"buyer"}`, "buyer")
		w.create(t, "contacts", `{"name":"Theirs","external_id":"theirs","owner_id":"$member"}`, "")
		for _, name := range []string{"sent", "draft", "expired", "accepted"} {
			day := soon
			if name == "expired" {
				day = "2020-01-01"
			}
			w.create(t, "quotes", fmt.Sprintf(`{"title":%q,"external_id":%q,"contact_id":"$buyer","valid_until":%q,`+
				`"line_items":[{"name":"x","unit_price":1}]}`, name, name, day), name)
			if name != "draft" {
				w.run(t, []step{{rule: "send", do: "POST /quotes/$" + name + "/send", status: 200}})
			}
		}
		tasks := "POST /tasks/search"
		w.run(t, []step{
			{rule: "accept", do: "POST /quotes/$accepted/accept", status: 200},
			{rule: "rising", do: tasks, body: `{"order_by":"priority","sort_direction":"asc","filters":[{"field":"status",` +
				`"operator":"eq","value":"open"}]}`, status: 200, found: found("low-open normal-open high-open urgent-open")},
			{rule: "falling", do: tasks, body: `{"order_by":"priority","filters":[{"field":"status","operator":"eq",` +
				`"value":"completed"}]}`, status: 200, found: found("urgent-completed high-completed normal-completed low-completed")},
			{
				rule: "the first page", do: tasks, body: `{"order_by":"priority","limit":3}`, status: 200,
				found: found("urgent-open urgent-completed high-open"), save: "next=meta.cursor.next",
			},
			{
				rule: "the second, in the middle of a choice", do: tasks, body: `{"order_by":"priority","limit":3,"cursor":"$next"}`,
				status: 200, found: found("high-completed normal-open normal-completed"), save: "next=meta.cursor.next",
			},
			{
				rule: "the last", do: tasks, body: `{"order_by":"priority","limit":3,"cursor":"$next"}`, status: 200,
				found: found("low-open low-completed"), want: `{"meta":{"cursor":{"has_more":false}}}`,
			},
			{
				rule: "absent last", do: "POST /activities/search", body: `{"order_by":"direction","sort_direction":"asc"}`, status: 200,
				found: found("inbound- outbound- -"),
			},
			{
				rule: "absent last, falling", do: "POST /activities/search", body: `{"order_by":"direction","limit":2}`, status: 200,
				found: found("outbound- inbound-"), save: "next=meta.cursor.next",
			},
			{
				rule: "absent last, on its own page", do: "POST /activities/search",
				body: `{"order_by":"direction","limit":2,"cursor":"$next"}`, status: 200, found: found("-"),
			},
			{
				rule: "a state that the day decides", do: "POST /quotes/search", body: `{"order_by":"status","sort_direction":"asc"}`,
				status: 200, found: found("draft sent accepted expired"),
			},
			{rule: "the member is suspended", do: "PATCH /users/$member", body: `{"status":"suspended"}`, status: 200},
			{
				rule: "through a reference", do: "POST /contacts/search", body: `{"order_by":"owner.status"}`, status: 200,
				found: found("theirs buyer"),
			},
		})
	})
}
