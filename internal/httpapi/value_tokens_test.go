package httpapi_test

import (
	"fmt"
	"testing"
	"time"
)

// zoneAt is a zone in which it is about the given hour now, so that no test is near its midnight.
func zoneAt(t *testing.T, hour int) (name string, zone *time.Location) {
	t.Helper()
	offset := hour - time.Now().UTC().Hour()
	if offset < -12 {
		offset += 12
	}
	name = fmt.Sprintf("Etc/GMT%+d", -offset) // where the sign is the other way round
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return name, zone
}

func TestValueTokensInSearches(t *testing.T) {
	here, noon := zoneAt(t, 12)
	there, six := zoneAt(t, 6)
	if here == there {
		t.Fatal("both zones are the same")
	}
	now := time.Now()
	onBothEngines(t, func(t *testing.T, w *world) {
		start := func(zone *time.Location, days int) time.Time {
			year, month, day := now.In(zone).Date()
			return time.Date(year, month, day+days, 0, 0, 0, 0, zone)
		}
		for _, task := range []struct {
			name string
			due  time.Time
		}{
			{"yesterday", start(noon, 0).Add(-time.Second)},
			{"today", start(noon, 0)},
			{"tonight", start(noon, 1).Add(-time.Second)},
			{"tomorrow", start(noon, 1)},
		} {
			w.create(t, "tasks", fmt.Sprintf(`{"title":"Due","external_id":%q,"due_at":%q}`, task.name,
				task.due.UTC().Format(time.RFC3339)), "")
		}
		for i, name := range []string{"last", "this", "next"} {
			w.create(t, "deals", fmt.Sprintf(`{"name":"Close","external_id":%q,"expected_close_date":%q}`, name,
				start(noon, i-1).Format(time.DateOnly)), "")
		}
		w.check(t, step{as: "member", do: "POST /deals", body: `{"name":"Hers","external_id":"hers"}`, status: 201})
		due := func(filter string) string {
			return `{"order_by":"due_at","sort_direction":"asc","filters":[{"field":"due_at",` + filter + `}]}`
		}
		closing := func(filter string) string {
			return `{"order_by":"expected_close_date","sort_direction":"asc","filters":[{"field":"expected_close_date",` + filter + `}]}`
		}
		w.run(t, []step{
			{rule: "a user has a time zone", do: "PATCH /users/$admin", body: `{"timezone":"` + here + `"}`, status: 200, chance: true},
			{
				rule: "on a time, today is the start of the day there", do: "POST /tasks/search",
				body: due(`"operator":"gte","value":"@today"`), status: 200, found: found("today tonight tomorrow"),
			},
			{
				rule: "and tomorrow a day later", do: "POST /tasks/search", body: due(`"operator":"lt","value":"@today+1d"`), status: 200,
				found: found("yesterday today tonight"),
			},
			{
				rule: "between takes tokens", do: "POST /tasks/search", body: due(`"operator":"between","values":["@today","@today+1d"]`),
				status: 200, found: found("today tonight tomorrow"),
			},
			{
				rule: "so does in", do: "POST /tasks/search", body: due(`"operator":"in","values":["@today","@today+1d"]`), status: 200,
				found: found("today tomorrow"),
			},
			{
				rule: "now is this moment", do: "POST /tasks/search", body: due(`"operator":"lt","value":"@now"`), status: 200,
				found: found("yesterday today"),
			},
			{
				rule: "and some hours are hours", do: "POST /tasks/search", body: due(`"operator":"gt","value":"@now+15h"`), status: 200,
				found: found(""),
			},
			{
				rule: "on a date, today is the day there", do: "POST /deals/search", body: closing(`"operator":"eq","value":"@today"`),
				status: 200, found: found("this"),
			},
			{
				rule: "and the day before", do: "POST /deals/search", body: closing(`"operator":"lte","value":"@today-1d"`), status: 200,
				found: found("last"),
			},
			{
				rule: "now is a day, too", do: "POST /deals/search", body: closing(`"operator":"gt","value":"@now"`), status: 200,
				found: found("next"),
			},
			{
				rule: "me is who asks", as: "member", do: "POST /deals/search",
				body: `{"filters":[{"field":"owner_id","operator":"eq","value":"@me"}]}`, status: 200, found: found("hers"),
			},
			{
				rule: "also through a reference", as: "member", do: "POST /deals/search",
				body: `{"filters":[{"field":"created_by.id","operator":"in","values":["@me"]}]}`, status: 200, found: found("hers"),
			},
			{
				rule: "and among users", as: "member", do: "POST /users/search",
				body: `{"fields":["name"],"filters":[{"field":"id","operator":"eq","value":"@me"}]}`, status: 200,
				want: `{"data":[{"name":"member"}]}`,
			},
			{
				rule: "a wrong one says what is allowed", do: "POST /tasks/search", body: due(`"operator":"gte","value":"@tomorrow"`),
				status: 422, wrong: "filters[0].value:invalid_value_token",
				want: `{"errors":[{"allowed":["@now","@today","@week_start","@month_start","@quarter_start","@year_start"]}]}`,
			},
			{
				rule: "also in a list", do: "POST /deals/search",
				body: `{"filters":[{"field":"owner_id","operator":"in","values":["@me","@you"]}]}`, status: 422,
				wrong: "filters[0].values[1]:invalid_value_token", want: `{"errors":[{"allowed":["@me"]}]}`,
			},
			{
				rule: "a record cannot be written with one", do: "POST /deals",
				body: `{"name":"x","expected_close_date":"@today","owner_id":"@me"}`, status: 422,
				wrong: "expected_close_date:invalid_date owner_id:invalid_id",
			},

			{
				rule: "the first page of several", do: "POST /tasks/search",
				body:   due(`"operator":"gte","value":"@today"`)[:1] + `"limit":2,` + due(`"operator":"gte","value":"@today"`)[1:],
				status: 200, found: found("today tonight"), save: "next=meta.cursor.next", chance: true,
			},
			{
				rule: "goes on", do: "POST /tasks/search",
				body:   due(`"operator":"gte","value":"@today"`)[:1] + `"cursor":"$next",` + due(`"operator":"gte","value":"@today"`)[1:],
				status: 200, found: found("tomorrow"), chance: true,
			},

			{rule: "a business has a time zone", do: "PATCH /business", body: `{"timezone":"` + there + `"}`, status: 200, chance: true},
			{
				rule: "which a user's own goes before", do: "POST /tasks/search", body: due(`"operator":"eq","value":"@today"`),
				status: 200,
				found:  found("today"),
			},
			{rule: "who has none", do: "PATCH /users/$admin", body: `{"timezone":null}`, status: 200, chance: true},
			{
				rule: "is answered by that of the business", do: "POST /tasks/search", body: due(`"operator":"eq","value":"@today"`),
				status: 200, found: found(""),
			},
		})
		w.create(t, "tasks", fmt.Sprintf(`{"title":"Due","external_id":"there","due_at":%q}`, start(six, 0).UTC().Format(time.RFC3339)), "")
		w.check(t, step{do: "POST /tasks/search", body: due(`"operator":"eq","value":"@today"`), status: 200, found: found("there")})
		w.check(t, step{do: "PATCH /business", body: `{"timezone":null}`, status: 200, chance: true})
		w.check(t, step{do: "POST /tasks/search", body: due(`"operator":"gte","value":"@now-1d"`), status: 200, chance: true}) // UTC
	})
}
