package record_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/query"

	. "github.com/kith-crm/kith/internal/apitest"
)

// The years behind 2037 are in no zone's file: their summer time follows from a rule, in leap years as in others.
func TestFarDaysInAZoneWithSummerTime(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Check(t, Step{Do: "PATCH /business", Body: `{"timezone":"Europe/Berlin"}`, Status: 200})
		for _, due := range []string{
			"2040-12-30T23:00:00Z", "2040-12-31T22:59:59.999999Z", "2040-12-31T23:00:00Z", "2041-07-01T21:59:59Z", "2041-07-01T22:00:00Z",
			"2044-02-29T12:00:00Z", "2044-03-27T21:59:59Z", "2044-12-31T22:59:59Z", "2044-12-31T23:00:00Z", "9999-12-31T22:59:59Z",
		} {
			w.Create(t, "tasks", fmt.Sprintf(`{"title":"Due","external_id":%q,"due_at":%[1]q}`, due), "")
		}
		ask := func(unit string) string {
			return fmt.Sprintf(`{"group_by":["due_at:%s"],"order_by":"due_at:%[1]s","sort_direction":"asc"}`, unit)
		}
		w.Run(t, []Step{
			{Rule: "days", Do: "POST /tasks/aggregate", Body: ask("day"), Status: 200, Want: `{"data":[
				{"due_at:day":"2040-12-31","from":"2040-12-30T23:00:00.000000Z","to":"2040-12-31T23:00:00.000000Z","count":2},
				{"due_at:day":"2041-01-01","from":"2040-12-31T23:00:00.000000Z","to":"2041-01-01T23:00:00.000000Z","count":1},
				{"due_at:day":"2041-07-01","from":"2041-06-30T22:00:00.000000Z","to":"2041-07-01T22:00:00.000000Z","count":1},
				{"due_at:day":"2041-07-02","count":1},
				{"due_at:day":"2044-02-29","from":"2044-02-28T23:00:00.000000Z","to":"2044-02-29T23:00:00.000000Z","count":1},
				{"due_at:day":"2044-03-27","from":"2044-03-26T23:00:00.000000Z","to":"2044-03-27T22:00:00.000000Z","count":1},
				{"due_at:day":"2044-12-31","from":"2044-12-30T23:00:00.000000Z","to":"2044-12-31T23:00:00.000000Z","count":1},
				{"due_at:day":"2045-01-01","count":1},
				{"due_at:day":"9999-12-31","from":"9999-12-30T23:00:00.000000Z","to":"9999-12-31T23:59:59.999999Z","count":1}]}`},
			{Rule: "weeks", Do: "POST /tasks/aggregate", Body: ask("week"), Status: 200, Want: `{"data":[
				{"due_at:week":"2041-W01","from":"2040-12-30T23:00:00.000000Z","to":"2041-01-06T23:00:00.000000Z","count":3},
				{"due_at:week":"2041-W27","count":2},
				{"due_at:week":"2044-W09","count":1},{"due_at:week":"2044-W12","to":"2044-03-27T22:00:00.000000Z","count":1},
				{"due_at:week":"2044-W52","count":2},{"due_at:week":"9999-W52","count":1}]}`},
			{Rule: "months", Do: "POST /tasks/aggregate", Body: ask("month"), Status: 200, Want: `{"data":[
				{"due_at:month":"2040-12","to":"2040-12-31T23:00:00.000000Z","count":2},{"due_at:month":"2041-01","count":1},
				{"due_at:month":"2041-07","from":"2041-06-30T22:00:00.000000Z","count":2},
				{"due_at:month":"2044-02","count":1},{"due_at:month":"2044-03","count":1},{"due_at:month":"2044-12","count":1},
				{"due_at:month":"2045-01","count":1},{"due_at:month":"9999-12","count":1}]}`},
			{Rule: "years", Do: "POST /tasks/aggregate", Body: ask("year"), Status: 200, Want: `{"data":[
				{"due_at:year":"2040","to":"2040-12-31T23:00:00.000000Z","count":2},{"due_at:year":"2041","count":3},
				{"due_at:year":"2044","count":3},{"due_at:year":"2045","count":1},{"due_at:year":"9999","count":1}]}`},
			{
				Rule: "the last hour that can be written is in a year that cannot", Do: "POST /tasks",
				Body: `{"title":"Due","due_at":"9999-12-31T23:30:00Z"}`, Status: 201,
			},
			{
				Rule: "it belongs to the last day that can", Do: "POST /tasks/aggregate",
				Body: `{"group_by":["due_at:day"],"order_by":"due_at:day","limit":2}`, Status: 200,
				Want: `{"data":[{"due_at:day":"9999-12-31","from":"9999-12-30T23:00:00.000000Z","to":"9999-12-31T23:59:59.999999Z",` +
					`"count":2},{"due_at:day":"2045-01-01","count":1}]}`,
			},
			{
				Rule: "and to the last week", Do: "POST /tasks/aggregate",
				Body: `{"group_by":["due_at:week"],"order_by":"due_at:week","limit":1}`, Status: 200,
				Want: `{"data":[{"due_at:week":"9999-W52","count":2}]}`,
			},
			{
				Rule: "month", Do: "POST /tasks/aggregate", Body: `{"group_by":["due_at:month"],"order_by":"due_at:month","limit":1}`,
				Status: 200, Want: `{"data":[{"due_at:month":"9999-12","to":"9999-12-31T23:59:59.999999Z","count":2}]}`,
			},
			{
				Rule: "quarter", Do: "POST /tasks/aggregate", Body: `{"group_by":["due_at:quarter"],"order_by":"due_at:quarter","limit":1}`,
				Status: 200, Want: `{"data":[{"due_at:quarter":"9999-Q4","count":2}]}`,
			},
			{
				Rule: "and year", Do: "POST /tasks/aggregate", Body: `{"group_by":["due_at:year"],"order_by":"due_at:year","limit":1}`,
				Status: 200, Want: `{"data":[{"due_at:year":"9999","count":2}]}`,
			},
		})

		// What a token means is counted from today on, so it is asked for again where a day, or a year, ended meanwhile.
		finds := func(token func(today time.Time) string, want string) {
			t.Helper()
			for {
				today := dayIn(berlin)
				a := w.Send(t, Step{
					Do: "POST /tasks/search",
					Body: `{"order_by":"due_at","sort_direction":"asc","limit":1,"filters":[{"field":"due_at","operator":"gte",` +
						`"value":"` + token(today) + `"}]}`,
				})
				if dayIn(berlin) != today {
					continue
				}
				if a.Status != 200 || Labels(a) != want {
					t.Errorf("the first task from %s on is %q, want %q: %d %.300s", token(today), Labels(a), want, a.Status, a.Text)
				}
				return
			}
		}
		days := func(until string) func(time.Time) string {
			day, err := time.Parse(time.DateOnly, until)
			if err != nil {
				t.Fatal(err)
			}
			return func(today time.Time) string { return fmt.Sprintf("@today+%dd", int(day.Sub(today).Hours()/24)) }
		}
		years := func(until int) func(time.Time) string {
			return func(today time.Time) string { return fmt.Sprintf("@year_start+%dy", until-today.Year()) }
		}
		finds(days("2040-12-31"), "2040-12-30T23:00:00Z")
		finds(days("2041-01-01"), "2040-12-31T23:00:00Z")
		finds(days("2041-07-01"), "2041-07-01T21:59:59Z")
		finds(days("2041-07-02"), "2041-07-01T22:00:00Z")
		finds(days("2044-12-31"), "2044-12-31T22:59:59Z")
		finds(days("2045-01-01"), "2044-12-31T23:00:00Z")
		finds(days("2045-01-02"), "9999-12-31T22:59:59Z")
		finds(years(2041), "2040-12-31T23:00:00Z")
		finds(years(2045), "2044-12-31T23:00:00Z")
		finds(years(9998), "9999-12-31T22:59:59Z")
		a := w.Send(t, Step{
			Do:   "POST /tasks/search",
			Body: `{"filters":[{"field":"due_at","operator":"gte","value":"@year_start+9000y"}]}`,
		})
		if a.Status != 422 || WrongFields(a) != "filters[0].value:out_of_range" {
			t.Errorf("a day that is too far away: %d %s", a.Status, a.Text)
		}
	})
}

// dayIn is the calendar day that it is in a zone, as midnight in UTC.
func dayIn(zone *time.Location) time.Time {
	year, month, day := time.Now().In(zone).Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// So many days that they cannot be told apart in one request are refused, and what is asked for instead is answered.
func TestTooManyPeriodsAreRefused(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		const first, years = 2000, query.MaxPeriods/366 + 2
		var operations []string
		for year := first; year < first+years; year++ {
			for _, day := range []string{"01-01", "12-31"} {
				operations = append(operations, fmt.Sprintf(`{"op":"create","data":{"title":"Due","due_at":"%d-%sT12:00:00Z"}}`, year, day))
			}
		}
		for len(operations) > 0 {
			n := min(100, len(operations))
			w.Check(t, Step{Do: "POST /tasks/batch", Body: `{"operations":[` + strings.Join(operations[:n], ",") + `]}`, Status: 200})
			operations = operations[n:]
		}
		const tasks = "POST /tasks/aggregate"
		tooMany := fmt.Sprintf(`{"errors":[{"message":"has records in more than %d periods; take a longer unit, or filter by time"}]}`,
			query.MaxPeriods)
		w.Run(t, []Step{
			{
				Rule: "days", Do: tasks, Body: `{"group_by":["due_at:day"]}`, Status: 422, Code: "validation_failed",
				Wrong: "group_by[0]:too_many", Want: tooMany,
			},
			{
				Rule: "the group that has them is named", Do: tasks, Body: `{"group_by":["status","due_at:day"]}`, Status: 422,
				Wrong: "group_by[1]:too_many", Want: tooMany,
			},
			{
				Rule: "a longer unit", Do: tasks, Body: `{"group_by":["due_at:week"],"limit":1}`, Status: 200,
				Want: `{"meta":{"has_more":true}}`,
			},
			{Rule: "has them all", Do: tasks, Body: `{"group_by":["due_at:year"]}`, Status: 200, Want: `{"meta":{"has_more":false}}`},
			{
				Rule: "a filter by time leaves fewer", Do: tasks,
				Body: fmt.Sprintf(`{"group_by":["due_at:day"],"limit":1,"order_by":"due_at:day","filters":[{"field":"due_at",`+
					`"operator":"lt","value":"%d-01-01"}]}`, first+years-2), Status: 200,
				Want: fmt.Sprintf(`{"data":[{"due_at:day":"%d-12-31","count":1}],"meta":{"has_more":true}}`, first+years-3),
			},
		})
	})
}
