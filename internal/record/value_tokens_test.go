package record_test

import (
	"fmt"
	"testing"
	"time"

	. "github.com/kith-crm/kith/internal/apitest"
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
	OnBothEngines(t, func(t *testing.T, w *World) {
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
			w.Create(t, "tasks", fmt.Sprintf(`{"title":"Due","external_id":%q,"due_at":%q}`, task.name,
				task.due.UTC().Format(time.RFC3339)), "")
		}
		for i, name := range []string{"last", "this", "next"} {
			w.Create(t, "deals", fmt.Sprintf(`{"name":"Close","external_id":%q,"expected_close_date":%q}`, name,
				start(noon, i-1).Format(time.DateOnly)), "")
		}
		w.Check(t, Step{As: "member", Do: "POST /deals", Body: `{"name":"Hers","external_id":"hers"}`, Status: 201})
		due := func(filter string) string {
			return `{"order_by":"due_at","sort_direction":"asc","filters":[{"field":"due_at",` + filter + `}]}`
		}
		closing := func(filter string) string {
			return `{"order_by":"expected_close_date","sort_direction":"asc","filters":[{"field":"expected_close_date",` + filter + `}]}`
		}
		w.Run(t, []Step{
			{Rule: "a user has a time zone", Do: "PATCH /users/$admin", Body: `{"timezone":"` + here + `"}`, Status: 200, Chance: true},
			{
				Rule: "on a time, today is the start of the day there", Do: "POST /tasks/search",
				Body: due(`"operator":"gte","value":"@today"`), Status: 200, Found: Found("today tonight tomorrow"),
			},
			{
				Rule: "and tomorrow a day later", Do: "POST /tasks/search", Body: due(`"operator":"lt","value":"@today+1d"`), Status: 200,
				Found: Found("yesterday today tonight"),
			},
			{
				Rule: "between takes tokens", Do: "POST /tasks/search", Body: due(`"operator":"between","values":["@today","@today+1d"]`),
				Status: 200, Found: Found("today tonight tomorrow"),
			},
			{
				Rule: "so does in", Do: "POST /tasks/search", Body: due(`"operator":"in","values":["@today","@today+1d"]`), Status: 200,
				Found: Found("today tomorrow"),
			},
			{
				Rule: "now is this moment", Do: "POST /tasks/search", Body: due(`"operator":"lt","value":"@now"`), Status: 200,
				Found: Found("yesterday today"),
			},
			{
				Rule: "and some hours are hours", Do: "POST /tasks/search", Body: due(`"operator":"gt","value":"@now+15h"`), Status: 200,
				Found: Found(""),
			},
			{
				Rule: "on a date, today is the day there", Do: "POST /deals/search", Body: closing(`"operator":"eq","value":"@today"`),
				Status: 200, Found: Found("this"),
			},
			{
				Rule: "and the day before", Do: "POST /deals/search", Body: closing(`"operator":"lte","value":"@today-1d"`), Status: 200,
				Found: Found("last"),
			},
			{
				Rule: "now is a day, too", Do: "POST /deals/search", Body: closing(`"operator":"gt","value":"@now"`), Status: 200,
				Found: Found("next"),
			},
			{
				Rule: "me is who asks", As: "member", Do: "POST /deals/search",
				Body: `{"filters":[{"field":"owner_id","operator":"eq","value":"@me"}]}`, Status: 200, Found: Found("hers"),
			},
			{
				Rule: "also through a reference", As: "member", Do: "POST /deals/search",
				Body: `{"filters":[{"field":"created_by.id","operator":"in","values":["@me"]}]}`, Status: 200, Found: Found("hers"),
			},
			{
				Rule: "and among users", As: "member", Do: "POST /users/search",
				Body: `{"fields":["name"],"filters":[{"field":"id","operator":"eq","value":"@me"}]}`, Status: 200,
				Want: `{"data":[{"name":"member"}]}`,
			},
			{
				Rule: "a wrong one says what is allowed", Do: "POST /tasks/search", Body: due(`"operator":"gte","value":"@tomorrow"`),
				Status: 422, Wrong: "filters[0].value:invalid_value_token",
				Want: `{"errors":[{"allowed":["@now","@today","@week_start","@month_start","@quarter_start","@year_start"]}]}`,
			},
			{
				Rule: "also in a list", Do: "POST /deals/search",
				Body: `{"filters":[{"field":"owner_id","operator":"in","values":["@me","@you"]}]}`, Status: 422,
				Wrong: "filters[0].values[1]:invalid_value_token", Want: `{"errors":[{"allowed":["@me"]}]}`,
			},
			{
				Rule: "a record cannot be written with one", Do: "POST /deals",
				Body: `{"name":"x","expected_close_date":"@today","owner_id":"@me"}`, Status: 422,
				Wrong: "expected_close_date:invalid_date owner_id:invalid_id",
			},

			{
				Rule: "the first page of several", Do: "POST /tasks/search",
				Body:   due(`"operator":"gte","value":"@today"`)[:1] + `"limit":2,` + due(`"operator":"gte","value":"@today"`)[1:],
				Status: 200, Found: Found("today tonight"), Save: "next=meta.cursor.next", Chance: true,
			},
			{
				Rule: "goes on", Do: "POST /tasks/search",
				Body:   due(`"operator":"gte","value":"@today"`)[:1] + `"cursor":"$next",` + due(`"operator":"gte","value":"@today"`)[1:],
				Status: 200, Found: Found("tomorrow"), Chance: true,
			},

			{Rule: "a business has a time zone", Do: "PATCH /business", Body: `{"timezone":"` + there + `"}`, Status: 200, Chance: true},
			{
				Rule: "which a user's own goes before", Do: "POST /tasks/search", Body: due(`"operator":"eq","value":"@today"`),
				Status: 200,
				Found:  Found("today"),
			},
			{Rule: "who has none", Do: "PATCH /users/$admin", Body: `{"timezone":null}`, Status: 200, Chance: true},
			{
				Rule: "is answered by that of the business", Do: "POST /tasks/search", Body: due(`"operator":"eq","value":"@today"`),
				Status: 200, Found: Found(""),
			},
		})
		w.Create(t, "tasks", fmt.Sprintf(`{"title":"Due","external_id":"there","due_at":%q}`, start(six, 0).UTC().Format(time.RFC3339)), "")
		w.Check(t, Step{Do: "POST /tasks/search", Body: due(`"operator":"eq","value":"@today"`), Status: 200, Found: Found("there")})
		w.Check(t, Step{Do: "PATCH /business", Body: `{"timezone":null}`, Status: 200, Chance: true})
		w.Check(t, Step{Do: "POST /tasks/search", Body: due(`"operator":"gte","value":"@now-1d"`), Status: 200, Chance: true}) // UTC
	})
}
