package record_test

import (
	"fmt"
	"strings"
	"testing"

	. "github.com/kith-crm/kith/internal/apitest"
)

// stagesOf saves the stages of the default pipeline under names.
func stagesOf(w *World, t *testing.T, names ...string) {
	t.Helper()
	save := []string{"pipeline=data.0.id"}
	for i, name := range names {
		save = append(save, fmt.Sprintf("%s=data.0.stages.%d.id", name, i))
	}
	w.Check(t, Step{Do: "POST /pipelines/search", Status: 200, Save: strings.Join(save, " ")})
}

func TestAggregatesCountAndAddUp(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		stagesOf(w, t, "first", "second")
		w.Create(t, "companies", `{"name":"Acme"}`, "acme")
		for _, deal := range []string{
			`{"name":"a","amount":"100.01","currency":"EUR","stage_id":"$first","company_id":"$acme"}`,
			`{"name":"b","amount":"50","currency":"EUR","stage_id":"$first","company_id":"$acme"}`,
			`{"name":"c","amount":"7.0005","currency":"USD","stage_id":"$first"}`,
			`{"name":"d","currency":"EUR","stage_id":"$second"}`,
			`{"name":"e","amount":"-0.01","currency":"EUR","stage_id":"$second"}`,
		} {
			w.Create(t, "deals", deal, "")
		}
		const deals = "POST /deals/aggregate"
		w.Run(t, []Step{
			{
				Rule: "without a body all records are counted", Do: deals, Status: 200,
				Want: `{"data":[{"count":5}],"meta":{"has_more":false}}`,
			},
			{
				Rule: "money is grouped by currency as well", Do: deals, Body: `{"metrics":["count","sum:amount"]}`, Status: 200,
				Want: `{"data":[{"currency":"EUR","count":4,"sum:amount":"150.00"},{"currency":"USD","count":1,"sum:amount":"7.0005"}]}`,
			},
			{
				Rule: "by stage", Do: deals, Body: `{"group_by":["stage_id"],"metrics":["count","sum:amount"],"order_by":"count"}`,
				Status: 200, Want: `{"data":[
				{"stage_id":"$first","currency":"EUR","count":2,"sum:amount":"150.01"},
				{"stage_id":"$second","currency":"EUR","count":2,"sum:amount":"-0.01"},
				{"stage_id":"$first","currency":"USD","count":1,"sum:amount":"7.0005"}]}`, Chance: true,
			},
			{
				Rule: "averages have four places, rounded half away from zero, and leave absent values out", Do: deals,
				Body:   `{"group_by":["stage_id"],"metrics":["avg:amount"],"filters":[{"field":"currency","operator":"eq","value":"EUR"}]}`,
				Status: 200, Want: `{"data":[{"stage_id":"$first","avg:amount":"75.0050"},{"stage_id":"$second","avg:amount":"-0.0100"}]}`,
			},
			{
				Rule: "the least and the most", Do: deals,
				Body:   `{"group_by":["currency"],"metrics":["min:amount","max:amount"],"order_by":"currency","sort_direction":"asc"}`,
				Status: 200, Want: `{"data":[{"currency":"EUR","min:amount":"-0.01","max:amount":"100.01"},{"currency":"USD",` +
					`"min:amount":"7.0005","max:amount":"7.0005"}]}`,
			},
			{
				Rule: "of times, too", Do: deals, Body: `{"metrics":["min:created_at","max:closed_at"]}`, Status: 200,
				Want: `{"data":[{"min:created_at":"*","max:closed_at":null}]}`,
			},
			{
				Rule: "a choice is a group", Do: deals, Body: `{"group_by":["status"]}`, Status: 200,
				Want: `{"data":[{"status":"open","count":5}]}`,
			},
			{
				Rule: "through a reference, and absent last", Do: deals, Body: `{"group_by":["company.name"],"order_by":"company.name"}`,
				Status: 200, Want: `{"data":[{"company.name":"Acme","count":2},{"company.name":null,"count":3}]}`,
			},
			{
				Rule: "absent last in the other direction, too", Do: deals,
				Body: `{"group_by":["company.name"],"order_by":"company.name","sort_direction":"asc"}`, Status: 200,
				Want: `{"data":[{"company.name":"Acme","count":2},{"company.name":null,"count":3}]}`,
			},
			{
				Rule: "by the name of a stage", Do: deals,
				Body: `{"group_by":["stage.name"],"order_by":"stage.name","sort_direction":"asc"}`, Status: 200,
				Want: `{"data":[{"stage.name":"Meeting","count":2},{"stage.name":"Qualification","count":3}]}`,
			},
			{
				Rule: "and of the owner", Do: deals, Body: `{"group_by":["owner.name"]}`, Status: 200,
				Want: `{"data":[{"owner.name":"admin","count":5}]}`,
			},
			{
				Rule: "two groups", Do: deals, Body: `{"group_by":["stage.name","company_id"],"order_by":"stage.name",` +
					`"sort_direction":"asc"}`, Status: 200,
				Want: `{"data":[{"stage.name":"Meeting","company_id":null,"count":2},{"stage.name":"Qualification","company_id":"$acme",` +
					`"count":2},{"stage.name":"Qualification","company_id":null,"count":1}]}`,
			},
			{
				Rule: "filters and text are those of the search", Do: deals,
				Body: `{"filters":[{"field":"amount","operator":"gt","value":10}],"search_text":"b"}`, Status: 200,
				Want: `{"data":[{"count":1}]}`,
			},
			{
				Rule: "through a reference, too", Do: deals, Body: `{"filters":[{"field":"company.name","operator":"eq","value":"ACME"}]}`,
				Status: 200, Want: `{"data":[{"count":2}]}`,
			},
			{
				Rule: "value tokens mean the same", Do: deals, Body: `{"filters":[{"field":"owner_id","operator":"eq","value":"@me"}]}`,
				Status: 200, Want: `{"data":[{"count":5}]}`,
			},
			{
				Rule: "no groups and no records: one row", Do: deals,
				Body: `{"search_text":"zzz","metrics":["count","sum:probability","min:created_at"]}`, Status: 200,
				Want: `{"data":[{"count":0,"sum:probability":null,"min:created_at":null}]}`,
			},
			{
				Rule: "of money, too", Do: deals, Body: `{"search_text":"zzz","metrics":["count","sum:amount"]}`, Status: 200,
				Want: `{"data":[{"currency":null,"count":0,"sum:amount":null}]}`,
			},
			{
				Rule: "groups and no records: no row", Do: deals, Body: `{"search_text":"zzz","group_by":["status"]}`, Status: 200,
				Want: `{"data":[],"meta":{"has_more":false}}`,
			},
			{
				Rule: "limit keeps the first, and tells that there are more", Do: deals,
				Body: `{"group_by":["name"],"order_by":"name","limit":2}`, Status: 200,
				Want: `{"data":[{"name":"e"},{"name":"d"}],"meta":{"has_more":true}}`,
			},
			{
				Rule: "exactly as many are all", Do: deals, Body: `{"group_by":["name"],"limit":5}`, Status: 200,
				Want: `{"meta":{"has_more":false}}`,
			},
			{
				Rule: "percentages are numbers, as in the record", Do: deals, Body: `{"metrics":["sum:probability","avg:probability"]}`,
				Status: 200, Want: `{"data":[{"sum:probability":80,"avg:probability":16.0000}]}`,
			},
			{
				Rule: "only one's own count for who may read only those", As: "member", Do: "POST /tokens/aggregate", Status: 200,
				Want: `{"data":[{"count":1}]}`,
			},
			{
				Rule: "all others are counted for an administrator", Do: "POST /tokens/aggregate", Status: 200,
				Want: `{"data":[{"count":4}]}`,
			},
			{Rule: "another business has none", As: "stranger", Do: deals, Status: 200, Want: `{"data":[{"count":0}]}`},
			{Rule: "reading is what it needs", As: "admin:contact.read", Do: deals, Status: 403, Code: "insufficient_scope"},
			{Rule: "and nothing else", As: "admin:deal.read", Do: deals, Status: 200, Want: `{"data":[{"count":5}]}`},
			{
				Rule: "what a group leads to must be readable", As: "admin:deal.read", Do: deals, Body: `{"group_by":["company.name"]}`,
				Status: 403, Code: "insufficient_scope",
			},
			{
				Rule: "what a metric leads to, too", As: "admin:deal.read", Do: deals, Body: `{"metrics":["sum:company.annual_revenue"]}`,
				Status: 403, Code: "insufficient_scope",
			},
			{
				Rule: "a metric of a referenced record is in its currency", Do: deals, Body: `{"metrics":["max:company.annual_revenue"]}`,
				Status: 200, Want: `{"data":[{"company.currency":"EUR","max:company.annual_revenue":null},{"company.currency":null,` +
					`"max:company.annual_revenue":null}]}`,
			},
		})
	})
}

func TestWrongAggregatesNameEveryField(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		const deals = "POST /deals/aggregate"
		w.Run(t, []Step{
			{
				Rule: "all that is wrong is named at once", Do: deals,
				Body: `{"group_by":["nmae","created_at","tags","name:month","created_at:hour"],"metrics":["total","sum:name","sum:amont",` +
					`7],"limit":1001,"sort_direction":"up","colour":1,"filters":[{"field":"x","operator":"eq","value":1}]}`, Status: 422,
				Wrong: "group_by:too_many metrics[0]:unknown_metric metrics[1]:not_measurable metrics[2]:unknown_field " +
					"metrics[3]:wrong_type limit:out_of_range sort_direction:not_allowed colour:unknown_field " +
					"filters[0].field:unknown_field",
			},
			{
				Rule: "an unknown group has those that there are", Do: deals, Body: `{"group_by":["nmae"]}`, Status: 422,
				Wrong: "group_by[0]:unknown_field",
				Want: `{"errors":[{"allowed":["id","name","pipeline_id","stage_id","status","amount","currency","probability",` +
					`"weighted_amount","expected_close_date","closed_at","loss_reason_id","lost_reason","company_id","contact_id",` +
					`"next_step","stage_changed_at","owner_id","external_id","created_at","created_by","updated_at","updated_by",` +
					`"version"]}]}`,
			},
			{
				Rule: "a list cannot be grouped by", Do: deals, Body: `{"group_by":["tags","line_items"]}`, Status: 422,
				Wrong: "group_by[0]:not_groupable group_by[1]:not_groupable",
			},
			{Rule: "nor a long text", Do: deals, Body: `{"group_by":["description"]}`, Status: 422, Wrong: "group_by[0]:not_groupable"},
			{
				Rule: "a time needs a unit", Do: deals, Body: `{"group_by":["created_at"]}`, Status: 422,
				Wrong: "group_by[0]:unit_required",
				Want: `{"errors":[{"allowed":["created_at:day","created_at:week","created_at:month","created_at:quarter",` +
					`"created_at:year"]}]}`,
			},
			{
				Rule: "one that there is", Do: deals, Body: `{"group_by":["created_at:hour"]}`, Status: 422,
				Wrong: "group_by[0]:unit_required",
			},
			{
				Rule: "nothing else has one", Do: deals, Body: `{"group_by":["name:month"]}`, Status: 422, Wrong: "group_by[0]:not_allowed",
				Want: `{"errors":[{"allowed":["name"]}]}`,
			},
			{
				Rule: "no group twice", Do: deals, Body: `{"group_by":["company.name","company_id.name"]}`, Status: 422,
				Wrong: "group_by[1]:not_allowed",
			},
			{Rule: "no metric twice", Do: deals, Body: `{"metrics":["count","count"]}`, Status: 422, Wrong: "metrics[1]:not_allowed"},
			{Rule: "at least one metric", Do: deals, Body: `{"metrics":[]}`, Status: 422, Wrong: "metrics:required"},
			{
				Rule: "texts have no least", Do: deals,
				Body: `{"metrics":["min:name","sum:created_at","max:stage_id","avg:expected_close_date"]}`, Status: 422,
				Wrong: "metrics[0]:not_measurable metrics[1]:not_measurable metrics[2]:not_measurable metrics[3]:not_measurable",
			},
			{
				Rule: "what may be measured is told", Do: deals, Body: `{"metrics":["sum:name"]}`, Status: 422,
				Wrong: "metrics[0]:not_measurable",
				Want:  `{"errors":[{"allowed":["count","sum:amount","sum:probability","sum:weighted_amount","sum:version"]}]}`,
			},
			{
				Rule: "order_by is one of what is asked for", Do: deals, Body: `{"group_by":["stage_id"],"order_by":"sum:amount"}`,
				Status: 422, Wrong: "order_by:not_allowed", Want: `{"errors":[{"allowed":["stage_id","count"]}]}`,
			},
			{
				Rule: "an object is not a group", Do: "POST /contacts/aggregate", Body: `{"group_by":["address"]}`, Status: 422,
				Wrong: "group_by[0]:unknown_field",
			},
			{Rule: "one of its fields is", Do: "POST /contacts/aggregate", Body: `{"group_by":["address.city"]}`, Status: 200},
			{
				Rule: "two references are not followed", Do: deals, Body: `{"group_by":["company.owner.name"]}`, Status: 422,
				Wrong: "group_by[0]:unknown_field",
			},
			{Rule: "it has no pages", Do: deals, Body: `{"cursor":"x"}`, Status: 422, Wrong: "cursor:unknown_field"},
			{Rule: "and no query parameters", Do: deals + "?dry_run=true", Status: 422, Wrong: "dry_run:unknown_parameter"},
			{
				Rule: "the parts have types", Do: deals, Body: `{"group_by":"stage_id","metrics":"count","order_by":1,"limit":"1"}`,
				Status: 422, Wrong: "group_by:wrong_type metrics:wrong_type limit:wrong_type order_by:wrong_type",
			},
			{Rule: "an array is no question", Do: deals, Body: `[]`, Status: 422},
		})
	})
}

func TestHugeSumsAreExact(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		const most = "99999999999999.9999"
		for i := range 12 { // together more than 64 bits of ten-thousandths
			w.Create(t, "deals", fmt.Sprintf(`{"name":"d%d","amount":%q,"currency":"EUR"}`, i, most), "")
			w.Create(t, "deals", fmt.Sprintf(`{"name":"e%d","amount":"-%s","currency":"USD"}`, i, most), "")
		}
		w.Create(t, "deals", `{"name":"one more","amount":"0.0001","currency":"USD"}`, "")
		w.Run(t, []Step{
			{
				Rule: "beyond 64 bits, to the last digit", Do: "POST /deals/aggregate", Body: `{"metrics":["sum:amount","avg:amount"]}`,
				Status: 200, Want: `{"data":[
				{"currency":"EUR","sum:amount":"1199999999999999.9988","avg:amount":"99999999999999.9999"},
				{"currency":"USD","sum:amount":"-1199999999999999.9987","avg:amount":"-92307692307692.3076"}]}`,
			},
			{
				Rule: "also in the index of sums", Do: "POST /deals/aggregate",
				Body: `{"group_by":["status"],"metrics":["sum:amount"],"order_by":"sum:amount","sort_direction":"asc"}`, Status: 200,
				Want: `{"data":[
				{"currency":"USD","sum:amount":"-1199999999999999.9987"},{"currency":"EUR","sum:amount":"1199999999999999.9988"}]}`,
			},
			{
				Rule: "also record by record", Do: "POST /deals/aggregate",
				Body: `{"group_by":["probability"],"metrics":["sum:amount"],"order_by":"sum:amount","sort_direction":"asc"}`, Status: 200,
				Want: `{"data":[
				{"currency":"USD","sum:amount":"-1199999999999999.9987"},{"currency":"EUR","sum:amount":"1199999999999999.9988"}]}`,
			},
		})
		for i, score := range []string{"0.1", "0.2", "0.3", "1e17", "1", "-1e17"} {
			w.Create(t, "contacts", fmt.Sprintf(`{"name":"c%d","lead_score":%s}`, i, score), "")
		}
		w.Run(t, []Step{
			{
				Rule: "numbers are added up exactly and rounded once", Do: "POST /contacts/aggregate",
				Body: `{"metrics":["sum:lead_score","avg:lead_score"]}`, Status: 200,
				Want: `{"data":[{"sum:lead_score":1.6,"avg:lead_score":0.2667}]}`,
			},
		})
		for i, n := range []string{"1", "2", "2"} {
			w.Create(t, "companies", fmt.Sprintf(`{"name":"c%d","employee_count":%s}`, i, n), "")
		}
		w.Run(t, []Step{
			{
				Rule: "sums of whole numbers are whole numbers", Do: "POST /companies/aggregate",
				Body: `{"metrics":["sum:employee_count","avg:employee_count"]}`, Status: 200,
				Want: `{"data":[{"sum:employee_count":5,"avg:employee_count":1.6667}]}`,
			},
		})
	})
}

func TestTextsGroupByTheirKeys(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		for i, city := range []string{"Köln", "KÖLN", "Köln", "koln", "Bonn", "bonn", "Ulm"} {
			w.Create(t, "contacts", fmt.Sprintf(`{"name":"c%d","address":{"city":%q}}`, i, city), "")
		}
		w.Create(t, "contacts", `{"name":"nowhere"}`, "")
		w.Run(t, []Step{
			{
				Rule: "and show the most frequent spelling, or the smallest", Do: "POST /contacts/aggregate",
				Body: `{"group_by":["address.city"]}`, Status: 200, Want: `{"data":[
				{"address.city":"Köln","count":4},{"address.city":"Bonn","count":2},{"address.city":"Ulm","count":1},
				{"address.city":null,"count":1}]}`,
			},
			{
				Rule: "the same in every row", Do: "POST /contacts/aggregate",
				Body: `{"group_by":["address.city","name"],"limit":1,"order_by":"name"}`, Status: 200,
				Want: `{"data":[{"address.city":null,"name":"nowhere"}],"meta":{"has_more":true}}`,
			},
			{
				Rule: "also where the row itself has another", Do: "POST /contacts/aggregate",
				Body: `{"group_by":["address.city","name"],"order_by":"name","sort_direction":"asc","limit":2}`, Status: 200,
				Want: `{"data":[{"address.city":"Köln","name":"c0"},{"address.city":"Köln","name":"c1"}]}`,
			},
		})
	})
}

func TestPeriodsAreThoseOfTheBusiness(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		for i, at := range []string{
			"2024-03-30T22:59:59.999999Z", "2024-03-30T23:00:00Z", "2024-03-31T21:59:59.999999Z", "2024-03-31T22:00:00Z",
			"2024-10-27T21:59:59Z", "2024-10-27T22:59:59Z", "2024-12-31T23:00:00Z", "2024-12-30T12:00:00Z",
		} {
			w.Create(t, "tasks", fmt.Sprintf(`{"title":"t%d","due_at":%q}`, i, at), "")
		}
		w.Create(t, "tasks", `{"title":"never"}`, "")
		ask := func(unit string) string {
			return fmt.Sprintf(`{"group_by":["due_at:%s"],"order_by":"due_at:%s","sort_direction":"asc"}`, unit, unit)
		}
		const tasks = "POST /tasks/aggregate"
		w.Run(t, []Step{
			{Rule: "UTC where the business has no zone", Do: tasks, Body: ask("month"), Status: 200, Want: `{"data":[
				{"due_at:month":"2024-03","from":"2024-03-01T00:00:00.000000Z","to":"2024-04-01T00:00:00.000000Z","count":4},
				{"due_at:month":"2024-10","count":2},{"due_at:month":"2024-12","count":2},
				{"due_at:month":null,"from":null,"to":null,"count":1}]}`},
			{Rule: "in Berlin", Do: "PATCH /business", Body: `{"timezone":"Europe/Berlin"}`, Status: 200},
			{Rule: "a month begins in winter and ends in summer", Do: tasks, Body: ask("month"), Status: 200, Want: `{"data":[
				{"due_at:month":"2024-03","from":"2024-02-29T23:00:00.000000Z","to":"2024-03-31T22:00:00.000000Z","count":3},
				{"due_at:month":"2024-04","from":"2024-03-31T22:00:00.000000Z","to":"2024-04-30T22:00:00.000000Z","count":1},
				{"due_at:month":"2024-10","from":"2024-09-30T22:00:00.000000Z","to":"2024-10-31T23:00:00.000000Z","count":2},
				{"due_at:month":"2024-12","count":1},{"due_at:month":"2025-01","count":1},{"due_at:month":null,"count":1}]}`},
			{Rule: "the day of the change has 23 hours", Do: tasks, Body: ask("day"), Status: 200, Want: `{"data":[
				{"due_at:day":"2024-03-30","from":"2024-03-29T23:00:00.000000Z","to":"2024-03-30T23:00:00.000000Z","count":1},
				{"due_at:day":"2024-03-31","from":"2024-03-30T23:00:00.000000Z","to":"2024-03-31T22:00:00.000000Z","count":2},
				{"due_at:day":"2024-04-01","count":1},{"due_at:day":"2024-10-27","from":"2024-10-26T22:00:00.000000Z",
				"to":"2024-10-27T23:00:00.000000Z","count":2},
				{"due_at:day":"2024-12-30","count":1},{"due_at:day":"2025-01-01","count":1},{"due_at:day":null}]}`},
			{Rule: "weeks start on Monday and belong to their year", Do: tasks, Body: ask("week"), Status: 200, Want: `{"data":[
				{"due_at:week":"2024-W13","from":"2024-03-24T23:00:00.000000Z","to":"2024-03-31T22:00:00.000000Z","count":3},
				{"due_at:week":"2024-W14","count":1},{"due_at:week":"2024-W43","count":2},{"due_at:week":"2025-W01","count":2},
				{"due_at:week":null}]}`},
			{
				Rule: "quarters", Do: tasks, Body: ask("quarter"), Status: 200,
				Want: `{"data":[{"due_at:quarter":"2024-Q1","count":3},{"due_at:quarter":"2024-Q2","count":1},` +
					`{"due_at:quarter":"2024-Q4","count":3},{"due_at:quarter":"2025-Q1","count":1},{"due_at:quarter":null}]}`,
			},
			{
				Rule: "years", Do: tasks, Body: ask("year"), Status: 200,
				Want: `{"data":[{"due_at:year":"2024","from":"2023-12-31T23:00:00.000000Z","to":"2024-12-31T23:00:00.000000Z","count":7},` +
					`{"due_at:year":"2025","count":1},{"due_at:year":null}]}`,
			},
			{
				Rule: "from and to lead to the same records", Do: "POST /tasks/search",
				Body: `{"filters":[{"field":"due_at","operator":"gte","value":"2024-03-30T23:00:00.000000Z"},{"field":"due_at",` +
					`"operator":"lt","value":"2024-03-31T22:00:00.000000Z"}],"total":true}`, Status: 200, Want: `{"meta":{"total":2}}`,
			},
			{
				Rule: "two periods have bounds of their own", Do: tasks,
				Body:   `{"group_by":["due_at:year","due_at:quarter"],"order_by":"due_at:quarter","sort_direction":"asc","limit":1}`,
				Status: 200, Want: `{"data":[{"due_at:year":"2024","from":"2023-12-31T23:00:00.000000Z","due_at:quarter":"2024-Q1",` +
					`"due_at:quarter:from":"2023-12-31T23:00:00.000000Z","due_at:quarter:to":"2024-03-31T22:00:00.000000Z","count":3}]}`,
			},
			{Rule: "in New York", Do: "PATCH /business", Body: `{"timezone":"America/New_York"}`, Status: 200},
			{
				Rule: "the last day of the year is longer", Do: tasks, Body: ask("year"), Status: 200,
				Want: `{"data":[{"due_at:year":"2024","from":"2024-01-01T05:00:00.000000Z","to":"2025-01-01T05:00:00.000000Z","count":8},` +
					`{"due_at:year":null}]}`,
			},
			{
				Rule: "in the time zone of who asks", Do: tasks,
				Body:   `{"group_by":["due_at:day"],"order_by":"due_at:day","sort_direction":"asc","limit":1,"timezone":"Asia/Kathmandu"}`,
				Status: 200, Want: `{"data":[{"due_at:day":"2024-03-31","from":"2024-03-30T18:15:00.000000Z",` +
					`"to":"2024-03-31T18:15:00.000000Z","count":2}]}`,
			},
			{
				Rule: "which must be one", Do: tasks, Body: `{"group_by":["due_at:day"],"timezone":"Nowhere/City"}`, Status: 422,
				Want: `{"errors":[{"field":"timezone","code":"invalid_format"}]}`,
			},
			{
				Rule: "with a name", Do: tasks, Body: `{"group_by":["due_at:day"],"timezone":""}`, Status: 422,
				Want: `{"errors":[{"field":"timezone","code":"invalid_format"}]}`,
			},
			{Rule: "in Kathmandu", Do: "PATCH /business", Body: `{"timezone":"Asia/Kathmandu"}`, Status: 200},
			{
				Rule: "a day begins at a quarter past six", Do: tasks, Body: ask("day"), Status: 200,
				Want: `{"data":[{"due_at:day":"2024-03-31","from":"2024-03-30T18:15:00.000000Z","to":"2024-03-31T18:15:00.000000Z",` +
					`"count":2},{"due_at:day":"2024-04-01","count":2},{"due_at:day":"2024-10-28","count":2},{"due_at:day":"2024-12-30",` +
					`"count":1},{"due_at:day":"2025-01-01","count":1},{"due_at:day":null}]}`,
			},
			{Rule: "in Apia", Do: "PATCH /business", Body: `{"timezone":"Pacific/Apia"}`, Status: 200},
			{
				Rule: "before the day that never was", Do: "POST /tasks", Body: `{"title":"before","due_at":"2011-12-30T09:59:59.999999Z"}`,
				Status: 201,
			},
			{Rule: "and after it", Do: "POST /tasks", Body: `{"title":"after","due_at":"2011-12-30T10:00:00Z"}`, Status: 201},
			{Rule: "it is left out", Do: tasks, Body: `{"group_by":["due_at:day"],"order_by":"due_at:day","sort_direction":"asc",` +
				`"limit":2}`, Status: 200, Want: `{"data":[
				{"due_at:day":"2011-12-29","from":"2011-12-29T10:00:00.000000Z","to":"2011-12-30T10:00:00.000000Z","count":1},
				{"due_at:day":"2011-12-31","from":"2011-12-30T10:00:00.000000Z","to":"2011-12-31T10:00:00.000000Z","count":1}]}`},
			{Rule: "far years, one at each end", Do: "POST /tasks", Body: `{"title":"old","due_at":"0001-01-02T12:00:00Z"}`, Status: 201},
			{Rule: "and the other", Do: "POST /tasks", Body: `{"title":"far","due_at":"9999-12-30T12:00:00Z"}`, Status: 201},
			{
				Rule: "are days among others", Do: tasks, Body: ask("day"), Status: 200,
				Want: `{"data":[{"due_at:day":"0001-01-03","count":1},{"due_at:day":"2011-12-29"},{"due_at:day":"2011-12-31"},` +
					`{"due_at:day":"2024-03-31"},{"due_at:day":"2024-04-01"},{"due_at:day":"2024-10-28"},{"due_at:day":"2024-12-31"},` +
					`{"due_at:day":"2025-01-01"},{"due_at:day":"9999-12-31","count":1},{"due_at:day":null}]}`,
			},
		})
		w.Create(t, "deals", `{"name":"a","expected_close_date":"2024-03-31"}`, "")
		w.Create(t, "deals", `{"name":"b","expected_close_date":"2024-04-01"}`, "")
		w.Run(t, []Step{
			{
				Rule: "dates have no zone", Do: "POST /deals/aggregate",
				Body:   `{"group_by":["expected_close_date:week"],"sort_direction":"asc","order_by":"expected_close_date:week"}`,
				Status: 200, Want: `{"data":[{"expected_close_date:week":"2024-W13","from":"2024-03-25","to":"2024-04-01","count":1},` +
					`{"expected_close_date:week":"2024-W14","from":"2024-04-01","to":"2024-04-08","count":1}]}`,
			},
			{
				Rule: "and need no unit", Do: "POST /deals/aggregate",
				Body: `{"group_by":["expected_close_date"],"sort_direction":"asc","order_by":"expected_close_date"}`, Status: 200,
				Want: `{"data":[{"expected_close_date":"2024-03-31","from":"<absent>","count":1},{"expected_close_date":"2024-04-01",` +
					`"count":1}]}`,
			},
		})
	})
}

func TestWeightedAmount(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		stagesOf(w, t, "first", "second", "third", "fourth", "won", "lost")
		w.Run(t, []Step{
			{
				Rule: "is the amount by the stage's probability", Do: "POST /deals",
				Body: `{"name":"a","amount":"99.99","stage_id":"$first","external_id":"a"}`, Status: 201, Save: "a",
				Want: `{"weighted_amount":"9.999"}`,
			},
			{
				Rule: "rounded half away from zero to four places", Do: "PATCH /deals/$a", Body: `{"amount":"0.0001","probability":50}`,
				Status: 200, Want: `{"weighted_amount":"0.0001"}`,
			},
			{
				Rule: "below zero, too", Do: "PATCH /deals/$a", Body: `{"amount":"-0.0001"}`, Status: 200,
				Want: `{"weighted_amount":"-0.0001"}`,
			},
			{Rule: "it moves with the stage", Do: "POST /deals/$a/win", Status: 200, Want: `{"weighted_amount":"-0.0001"}`},
			{
				Rule: "and is nothing in a lost one", Do: "POST /deals",
				Body: `{"name":"l","amount":"5","stage_id":"$lost","external_id":"l"}`, Status: 201, Want: `{"weighted_amount":"0.00"}`,
			},
			{
				Rule: "without an amount there is none", Do: "POST /deals", Body: `{"name":"n","external_id":"n"}`, Status: 201,
				Want: `{"weighted_amount":null}`,
			},
			{
				Rule: "the largest", Do: "POST /deals",
				Body: `{"name":"x","amount":"99999999999999.9999","probability":33.3333,"external_id":"x"}`, Status: 201,
				Want: `{"weighted_amount":"33333300000000.00"}`,
			},
			{
				Rule: "it follows from the lines", Do: "POST /deals",
				Body:   `{"name":"i","stage_id":"$third","external_id":"i","line_items":[{"name":"y","unit_price":"10","quantity":3}]}`,
				Status: 201, Want: `{"amount":"30.00","weighted_amount":"15.00"}`,
			},
			{
				Rule: "nobody sets it", Do: "PATCH /deals/$a", Body: `{"weighted_amount":"1"}`, Status: 422,
				Wrong: "weighted_amount:read_only",
			},
			{
				Rule: "it can be filtered by", Do: "POST /deals/search",
				Body: `{"filters":[{"field":"weighted_amount","operator":"gte","value":15}],"order_by":"weighted_amount"}`, Status: 200,
				Found: Found("x i"),
			},
			{
				Rule: "asked for", Do: "POST /deals/search",
				Body:   `{"fields":["weighted_amount","external_id"],"order_by":"weighted_amount","sort_direction":"asc","limit":1}`,
				Status: 200, Found: Found("a"), Want: `{"data":[{"weighted_amount":"-0.0001","name":"<absent>"}]}`,
			},
			{
				Rule: "and added up", Do: "POST /deals/aggregate",
				Body: `{"metrics":["sum:weighted_amount"],"filters":[{"field":"pipeline_id","operator":"eq","value":"$pipeline"},` +
					`{"field":"status","operator":"eq","value":"open"}],"group_by":["stage_id"]}`, Status: 200,
				Want: `{"data":[{"stage_id":"$first","currency":"EUR","sum:weighted_amount":"33333300000000.00"},{"stage_id":"$third",` +
					`"sum:weighted_amount":"15.00"}]}`,
			},
		})
	})
}
