package main

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/bench"
	"github.com/kith-crm/kith/internal/schema"
)

// asked puts a search of kith's to PocketBase, and gives the path and the parameters of each way.
func asked(t *testing.T, path, body, before string) (paths []string, queries []url.Values) {
	questions, err := (&pocketBase{token: "t"}).Ask(httptest.NewRequest(http.MethodPost, path, strings.NewReader(body)), []byte(before))
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	for _, q := range questions {
		u, err := url.Parse(q.Path)
		if err != nil || q.Method != http.MethodGet || q.Token != "t" {
			t.Fatalf("%+v, %v", q, err)
		}
		paths, queries = append(paths, u.Path), append(queries, u.Query())
	}
	return paths, queries
}

func TestSearchesAreTranslated(t *testing.T) {
	id := schema.NewID(time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC))
	user, stage, short := schema.FormatID("user", id), schema.FormatID("lifecycle_stage", id), `"`+shortID(id)+`"`
	const own = `business = "000000000000001"`
	for _, tt := range []struct{ path, body, before, filter, sort string }{
		{path: "contacts", body: `{}`, filter: own, sort: "-created,-id"},
		{
			path: "contacts", body: `{"filters":[{"field":"owner_id","operator":"eq","value":"` + user + `"},{"field":"lead_score",` +
				`"operator":"between","values":[0.0000001,30.10]}],"order_by":"updated_at","total":true}`,
			filter: own + ` && owner = ` + short + ` && lead_score >= 0.0000001 && lead_score <= 30.10`, sort: "-updated,-id",
		},
		{
			path: "contacts", body: `{"filters":[{"field":"owner_id","operator":"in","values":["` + user + `","` + user + `"]}]}`,
			filter: own + ` && (owner = ` + short + ` || owner = ` + short + `)`, sort: "-created,-id",
		},
		{
			path: "contacts", body: `{"filters":[{"field":"lifecycle_stage_id","operator":"eq","value":"` + stage +
				`"}],"order_by":"name","sort_direction":"asc"}`,
			filter: own + ` && lifecycle_stage = ` + short, sort: "name,id",
		},
		{
			path: "contacts", body: `{"filters":[{"field":"created_at","operator":"gte","value":"2026-10-16T12:00:00.007Z"}],` +
				`"order_by":"lead_score"}`,
			filter: own + ` && created >= "2026-10-16 12:00:00.007Z"`, sort: "-lead_score,-id",
		},
		{
			path: "contacts", body: `{"filters":[{"field":"company.name","operator":"starts_with","value":"Kal"}]}`,
			filter: own + ` && company.name ~ "Kal%"`, sort: "-created,-id",
		},
		{
			path: "contacts", body: `{"filters":[{"field":"email","operator":"contains","value":"na.al"}]}`,
			filter: own + ` && email ~ "na.al"`, sort: "-created,-id",
		},
		{
			path: "contacts", body: `{"search_text":"ann we"}`, sort: "-created,-id",
			filter: own + ` && (name ~ "ann" || email ~ "ann" || phone ~ "ann" || job_title ~ "ann" || city ~ "ann") && (name ~ "we%" || ` +
				`name ~ "% we%" || email ~ "we%" || email ~ "% we%" || phone ~ "we%" || phone ~ "% we%" || job_title ~ "we%" || ` +
				`job_title ~ "% we%" || city ~ "we%" || city ~ "% we%")`,
		},
		{
			path: "deals", body: `{"filters":[{"field":"status","operator":"eq","value":"won"},{"field":"amount","operator":"gte",` +
				`"value":"1200.0042"}],"order_by":"name","sort_direction":"asc"}`,
			filter: own + ` && status = "won" && amount >= 1200.0042`, sort: "name,id",
		},
		{
			path: "contacts", body: `{"filters":[{"field":"email","operator":"contains","value":"x"}],"order_by":"updated_at",` +
				`"cursor":"sealed"}`, before: `{"id":"` + user + `","updated_at":"2026-10-16T12:00:00.007000Z"}`,
			filter: own + ` && email ~ "x" && updated <= "2026-10-16 ` +
				`12:00:00.007Z" && (updated < "2026-10-16 12:00:00.007Z" || id < ` + short + `)`, sort: "-updated,-id",
		},
	} {
		paths, queries := asked(t, "/v1/"+tt.path+"/search", tt.body, tt.before)
		ways := 2
		if tt.before != "" {
			ways = 1
		}
		if len(paths) != ways || queries[0].Get("skipTotal") != "1" || ways == 2 && queries[1].Has("skipTotal") {
			t.Fatalf("%s: %v, %v", tt.body, paths, queries)
		}
		for i, q := range queries {
			if paths[i] != "/api/collections/"+tt.path+"/records" || q.Get("filter") != tt.filter || q.Get("sort") != tt.sort ||
				q.Get("perPage") != "25" {
				t.Errorf("%s becomes %s\n%s\nsorted by %s, not\n%s\nsorted by %s", tt.body, paths[i], q.Get("filter"), q.Get("sort"),
					tt.filter, tt.sort)
			}
		}
	}
}

func TestWhatCannotBeTranslatedIsRefused(t *testing.T) {
	for _, body := range []string{`{"filters":[{"field":"name","operator":"is_set"}]}`, `{"fields":["id"]}`, `[]`} {
		if _, err := (&pocketBase{}).Ask(httptest.NewRequest(http.MethodPost, "/v1/contacts/search", strings.NewReader(body)),
			nil); err == nil {
			t.Errorf("%s is passed over", body)
		}
	}
}

func TestRecordsAreAskedForByTheirShortID(t *testing.T) {
	id := schema.NewID(time.Now())
	questions, err := (&pocketBase{}).Ask(httptest.NewRequest(http.MethodPatch, "/v1/contacts/"+schema.FormatID("contact", id),
		strings.NewReader(`{"lead_score":1}`)), nil)
	if err != nil || len(questions) != 1 || questions[0].Path != "/api/collections/contacts/records/"+shortID(id) ||
		string(questions[0].Body) != `{"lead_score":1}` {
		t.Errorf("%+v, %v", questions, err)
	}
	if len(shortID(id)) != 15 {
		t.Errorf("%q is no id for PocketBase", shortID(id))
	}
}

func TestAnswersAreCompared(t *testing.T) {
	id, other := schema.NewID(time.Now()), schema.NewID(time.Now())
	own := func(total string, ids ...schema.UUID) []byte {
		var items []string
		for _, id := range ids {
			items = append(items, `{"id":"`+schema.FormatID("contact", id)+`"}`)
		}
		return []byte(`{"data":[` + strings.Join(items, ",") + `],"meta":{` + total + `}}`)
	}
	theirs := []byte(`{"items":[{"id":"` + shortID(id) + `"},{"id":"` + shortID(other) + `"}],"totalItems":7}`)
	p := &pocketBase{}
	for _, same := range [][]byte{own("", id, other), own(`"total":7`, id, other)} {
		if err := p.Same(bench.Question{}, same, theirs); err != nil {
			t.Errorf("%s: %v", same, err)
		}
	}
	for _, different := range [][]byte{own("", other, id), own("", id), own(""), own(`"total":8`, id, other)} {
		if p.Same(bench.Question{}, different, theirs) == nil {
			t.Errorf("%s and %s are taken as the same", different, theirs)
		}
	}
	if p.Same(bench.Question{}, own(""), []byte(`{"items":[]}`)) == nil {
		t.Error("a question that finds nothing is measured")
	}
}
