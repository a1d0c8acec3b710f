package httpapi_test

import (
	"fmt"
	"strings"
	"testing"
)

// stagesOf saves the stages of the default pipeline under names.
func (w *world) stagesOf(t *testing.T, names ...string) {
	t.Helper()
	save := []string{"pipeline=data.0.id"}
	for i, name := range names {
		save = append(save, fmt.Sprintf("%s=data.0.stages.%d.id", name, i))
	}
	w.check(t, step{do: "POST /pipelines/search", status: 200, save: strings.Join(save, " ")})
}

func TestAggregatesCountAndAddUp(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.stagesOf(t, "first", "second")
		w.create(t, "companies", `{"name":"Acme"}`, "acme")
		for _, deal := range []string{
			`{"name":"a","amount":"100.01","currency":"EUR","stage_id":"$first","company_id":"$acme"}`,
			`{"name":"b","amount":"50","currency":"EUR","stage_id":"$first","company_id":"$acme"}`,
			`{"name":"c","amount":"7.0005","currency":"USD","stage_id":"$first"}`,
			`{"name":"d","currency":"EUR","stage_id":"$second"}`,
			`{"name":"e","amount":"-0.01","currency":"EUR","stage_id":"$second"}`,
		} {
			w.create(t, "deals", deal, "")
		}
		const deals = "POST /deals/aggregate"
		w.run(t, []step{
			{
				rule: "without a body all records are counted", do: deals, status: 200,
				want: `{"data":[{"count":5}],"meta":{"has_more":false}}`,
			},
			{
				rule: "money is grouped by currency as well", do: deals, body: `{"metrics":["count","sum:amount"]}`, status: 200,
				want: `{"data":[{"currency":"EUR","count":4,"sum:amount":"150.00"},{"currency":"USD","count":1,"sum:amount":"7.0005"}]}`,
			},
			{
				rule: "by stage", do: deals, body: `{"group_by":["stage_id"],"metrics":["count","sum:amount"],"order_by":"count"}`,
				status: 200, want: `{"data":[
				{"stage_id":"$first","currency":"EUR","count":2,"sum:amount":"150.01"},
				{"stage_id":"$second","currency":"EUR","count":2,"sum:amount":"-0.01"},
				{"stage_id":"$first","currency":"USD","count":1,"sum:amount":"7.0005"}]}`, chance: true,
			},
			{
				rule: "averages have four places, rounded half away from zero, and leave absent values out", do: deals,
				body:   `{"group_by":["stage_id"],"metrics":["avg:amount"],"filters":[{"field":"currency","operator":"eq","value":"EUR"}]}`,
				status: 200, want: `{"data":[{"stage_id":"$first","avg:amount":"75.0050"},{"stage_id":"$second","avg:amount":"-0.0100"}]}`,
			},
			{
				rule: "the least and the most", do: deals,
				body:   `{"group_by":["currency"],"metrics":["min:amount","max:amount"],"order_by":"currency","sort_direction":"asc"}`,
				status: 200, want: `{"data":[{"currency":"EUR","min:amount":"-0.01","max:amount":"100.01"},{"currency":"USD",` +
					`"min:amount":"7.0005","max:amount":"7.0005"}]}`,
			},
			{
				rule: "of times, too", do: deals, body: `{"metrics":["min:created_at","max:closed_at"]}`, status: 200,
				want: `{"data":[{"min:created_at":"*","max:closed_at":null}]}`,
			},
			{
				rule: "a choice is a group", do: deals, body: `{"group_by":["status"]}`, status: 200,
				want: `{"data":[{"status":"open","count":5}]}`,
			},
			{
				rule: "through a reference, and absent last", do: deals, body: `{"group_by":["company.name"],"order_by":"company.name"}`,
				status: 200, want: `{"data":[{"company.name":"Acme","count":2},{"company.name":null,"count":3}]}`,
			},
			{
				rule: "absent last in the other direction, too", do: deals,
				body: `{"group_by":["company.name"],"order_by":"company.name","sort_direction":"asc"}`, status: 200,
				want: `{"data":[{"company.name":"Acme","count":2},{"company.name":null,"count":3}]}`,
			},
			{
				rule: "by the name of a stage", do: deals,
				body: `{"group_by":["stage.name"],"order_by":"stage.name","sort_direction":"asc"}`, status: 200,
				want: `{"data":[{"stage.name":"Meeting","count":2},{"stage.name":"Qualification","count":3}]}`,
			},
			{
				rule: "and of the owner", do: deals, body: `{"group_by":["owner.name"]}`, status: 200,
				want: `{"data":[{"owner.name":"admin","count":5}]}`,
			},
			{
				rule: "two groups", do: deals, body: `{"group_by":["stage.name","company_id"],"order_by":"stage.name",` +
					`"sort_direction":"asc"}`, status: 200,
				want: `{"data":[{"stage.name":"Meeting","company_id":null,"count":2},{"stage.name":"Qualification","company_id":"$acme",` +
					`"count":2},{"stage.name":"Qualification","company_id":null,"count":1}]}`,
			},
			{
				rule: "filters and text are those of the search", do: deals,
				body: `{"filters":[{"field":"amount","operator":"gt","value":10}],"search_text":"b"}`, status: 200,
				want: `{"data":[{"count":1}]}`,
			},
			{
				rule: "through a reference, too", do: deals, body: `{"filters":[{"field":"company.name","operator":"eq","value":"ACME"}]}`,
				status: 200, want: `{"data":[{"count":2}]}`,
			},
			{
				rule: "value tokens mean the same", do: deals, body: `{"filters":[{"field":"owner_id","operator":"eq","value":"@me"}]}`,
				status: 200, want: `{"data":[{"count":5}]}`,
			},
			{
				rule: "no groups and no records: one row", do: deals,
				body: `{"search_text":"zzz","metrics":["count","sum:probability","min:created_at"]}`, status: 200,
				want: `{"data":[{"count":0,"sum:probability":null,"min:created_at":null}]}`,
			},
			{
				rule: "of money, too", do: deals, body: `{"search_text":"zzz","metrics":["count","sum:amount"]}`, status: 200,
				want: `{"data":[{"currency":null,"count":0,"sum:amount":null}]}`,
			},
			{
				rule: "groups and no records: no row", do: deals, body: `{"search_text":"zzz","group_by":["status"]}`, status: 200,
				want: `{"data":[],"meta":{"has_more":false}}`,
			},
			{
				rule: "limit keeps the first, and tells that there are more", do: deals,
				body: `{"group_by":["name"],"order_by":"name","limit":2}`, status: 200,
				want: `{"data":[{"name":"e"},{"name":"d"}],"meta":{"has_more":true}}`,
			},
			{
				rule: "exactly as many are all", do: deals, body: `{"group_by":["name"],"limit":5}`, status: 200,
				want: `{"meta":{"has_more":false}}`,
			},
			{
				rule: "percentages are numbers, as in the record", do: deals, body: `{"metrics":["sum:probability","avg:probability"]}`,
				status: 200, want: `{"data":[{"sum:probability":80,"avg:probability":16.0000}]}`,
			},
			{
				rule: "only one's own count for who may read only those", as: "member", do: "POST /tokens/aggregate", status: 200,
				want: `{"data":[{"count":1}]}`,
			},
			{
				rule: "all others are counted for an administrator", do: "POST /tokens/aggregate", status: 200,
				want: `{"data":[{"count":4}]}`,
			},
			{rule: "another business has none", as: "stranger", do: deals, status: 200, want: `{"data":[{"count":0}]}`},
			{rule: "reading is what it needs", as: "admin:contact.read", do: deals, status: 403, code: "insufficient_scope"},
			{rule: "and nothing else", as: "admin:deal.read", do: deals, status: 200, want: `{"data":[{"count":5}]}`},
			{
				rule: "what a group leads to must be readable", as: "admin:deal.read", do: deals, body: `{"group_by":["company.name"]}`,
				status: 403, code: "insufficient_scope",
			},
			{
				rule: "what a metric leads to, too", as: "admin:deal.read", do: deals, body: `{"metrics":["sum:company.annual_revenue"]}`,
				status: 403, code: "insufficient_scope",
			},
			{
				rule: "a metric of a referenced record is in its currency", do: deals, body: `{"metrics":["max:company.annual_revenue"]}`,
				status: 200, want: `{"data":[{"company.currency":"EUR","max:company.annual_revenue":null},{"company.currency":null,` +
					`"max:company.annual_revenue":null}]}`,
			},
		})
	})
}

func TestWrongAggregatesNameEveryField(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		const deals = "POST /deals/aggregate"
		w.run(t, []step{
			{
				rule: "all that is wrong is named at once", do: deals,
				body: `{"group_by":["nmae","created_at","tags","name:month","created_at:hour"],"metrics":["total","sum:name","sum:amont",` +
					`7],"limit":1001,"sort_direction":"up","colour":1,"filters":[{"field":"x","operator":"eq","value":1}]}`, status: 422,
				wrong: "group_by:too_many metrics[0]:unknown_metric metrics[1]:not_measurable metrics[2]:unknown_field " +
					"metrics[3]:wrong_type limit:out_of_range sort_direction:not_allowed colour:unknown_field " +
					"filters[0].field:unknown_field",
			},
			{
				rule: "an unknown group has those that there are", do: deals, body: `{"group_by":["nmae"]}`, status: 422,
				wrong: "group_by[0]:unknown_field",
				want: `{"errors":[{"allowed":["id","name","pipeline_id","stage_id","status","amount","currency","probability",` +
					`"weighted_amount","expected_close_date","closed_at","lost_reason","company_id","contact_id","next_step",` +
					`"stage_changed_at","owner_id","external_id","created_at","created_by","updated_at","updated_by","version"]}]}`,
			},
			{
				rule: "a list cannot be grouped by", do: deals, body: `{"group_by":["tags","line_items"]}`, status: 422,
				wrong: "group_by[0]:not_groupable group_by[1]:not_groupable",
			},
			{rule: "nor a long text", do: deals, body: `{"group_by":["description"]}`, status: 422, wrong: "group_by[0]:not_groupable"},
			{
				rule: "a time needs a unit", do: deals, body: `{"group_by":["created_at"]}`, status: 422,
				wrong: "group_by[0]:unit_required",
				want: `{"errors":[{"allowed":["created_at:day","created_at:week","created_at:month","created_at:quarter",` +
					`"created_at:year"]}]}`,
			},
			{
				rule: "one that there is", do: deals, body: `{"group_by":["created_at:hour"]}`, status: 422,
				wrong: "group_by[0]:unit_required",
			},
			{
				rule: "nothing else has one", do: deals, body: `{"group_by":["name:month"]}`, status: 422, wrong: "group_by[0]:not_allowed",
				want: `{"errors":[{"allowed":["name"]}]}`,
			},
			{
				rule: "no group twice", do: deals, body: `{"group_by":["company.name","company_id.name"]}`, status: 422,
				wrong: "group_by[1]:not_allowed",
			},
			{rule: "no metric twice", do: deals, body: `{"metrics":["count","count"]}`, status: 422, wrong: "metrics[1]:not_allowed"},
			{rule: "at least one metric", do: deals, body: `{"metrics":[]}`, status: 422, wrong: "metrics:required"},
			{
				rule: "texts have no least", do: deals,
				body: `{"metrics":["min:name","sum:created_at","max:stage_id","avg:expected_close_date"]}`, status: 422,
				wrong: "metrics[0]:not_measurable metrics[1]:not_measurable metrics[2]:not_measurable metrics[3]:not_measurable",
			},
			{
				rule: "what may be measured is told", do: deals, body: `{"metrics":["sum:name"]}`, status: 422,
				wrong: "metrics[0]:not_measurable",
				want:  `{"errors":[{"allowed":["count","sum:amount","sum:probability","sum:weighted_amount","sum:version"]}]}`,
			},
			{
				rule: "order_by is one of what is asked for", do: deals, body: `{"group_by":["stage_id"],"order_by":"sum:amount"}`,
				status: 422, wrong: "order_by:not_allowed", want: `{"errors":[{"allowed":["stage_id","count"]}]}`,
			},
			{
				rule: "an object is not a group", do: "POST /contacts/aggregate", body: `{"group_by":["address"]}`, status: 422,
				wrong: "group_by[0]:unknown_field",
			},
			{rule: "one of its fields is", do: "POST /contacts/aggregate", body: `{"group_by":["address.city"]}`, status: 200},
			{
				rule: "two references are not followed", do: deals, body: `{"group_by":["company.owner.name"]}`, status: 422,
				wrong: "group_by[0]:unknown_field",
			},
			{rule: "it has no pages", do: deals, body: `{"cursor":"x"}`, status: 422, wrong: "cursor:unknown_field"},
			{rule: "and no query parameters", do: deals + "?dry_run=true", status: 422, wrong: "dry_run:unknown_parameter"},
			{
				rule: "the parts have types", do: deals, body: `{"group_by":"stage_id","metrics":"count","order_by":1,"limit":"1"}`,
				status: 422, wrong: "group_by:wrong_type metrics:wrong_type limit:wrong_type order_by:wrong_type",
			},
			{rule: "an array is no question", do: deals, body: `[]`, status: 422},
		})
	})
}

func TestHugeSumsAreExact(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		const most = "99999999999999.9999"
		for i := range 12 { // together more than 64 bits of ten-thousandths
			w.create(t, "deals", fmt.Sprintf(`{"name":"d%d","amount":%q,"currency":"EUR"}`, i, most), "")
			w.create(t, "deals", fmt.Sprintf(`{"name":"e%d","amount":"-%s","currency":"USD"}`, i, most), "")
		}
		w.create(t, "deals", `{"name":"one more","amount":"0.0001","currency":"USD"}`, "")
		w.run(t, []step{
			{
				rule: "beyond 64 bits, to the last digit", do: "POST /deals/aggregate", body: `{"metrics":["sum:amount","avg:amount"]}`,
				status: 200, want: `{"data":[
				{"currency":"EUR","sum:amount":"1199999999999999.9988","avg:amount":"99999999999999.9999"},
				{"currency":"USD","sum:amount":"-1199999999999999.9987","avg:amount":"-92307692307692.3076"}]}`,
			},
			{
				rule: "also in the index of sums", do: "POST /deals/aggregate",
				body: `{"group_by":["status"],"metrics":["sum:amount"],"order_by":"sum:amount","sort_direction":"asc"}`, status: 200,
				want: `{"data":[
				{"currency":"USD","sum:amount":"-1199999999999999.9987"},{"currency":"EUR","sum:amount":"1199999999999999.9988"}]}`,
			},
			{
				rule: "also record by record", do: "POST /deals/aggregate",
				body: `{"group_by":["probability"],"metrics":["sum:amount"],"order_by":"sum:amount","sort_direction":"asc"}`, status: 200,
				want: `{"data":[
				{"currency":"USD","sum:amount":"-1199999999999999.9987"},{"currency":"EUR","sum:amount":"1199999999999999.9988"}]}`,
			},
		})
		for i, score := range []string{"0.1", "0.2", "0.3", "1e17", "1", "-1e17"} {
			w.create(t, "contacts", fmt.Sprintf(`{"name":"c%d","lead_score":%s}`, i, score), "")
		}
		w.run(t, []step{
			{
				rule: "numbers are added up exactly and rounded once", do: "POST /contacts/aggregate",
				body: `{"metrics":["sum:lead_score","avg:lead_score"]}`, status: 200,
				want: `{"data":[{"sum:lead_score":1.6,"avg:lead_score":0.2667}]}`,
			},
		})
		for i, n := range []string{"1", "2", "2"} {
			w.create(t, "companies", fmt.Sprintf(`{"name":"c%d","employee_count":%s}`, i, n), "")
		}
		w.run(t, []step{
			{
				rule: "sums of whole numbers are whole numbers", do: "POST /companies/aggregate",
				body: `{"metrics":["sum:employee_count","avg:employee_count"]}`, status: 200,
				want: `{"data":[{"sum:employee_count":5,"avg:employee_count":1.6667}]}`,
			},
		})
	})
}

func TestTextsGroupByTheirKeys(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		for i, city := range []string{"Köln", "KÖLN", "Köln", "koln", "Bonn", "bonn", "Ulm"} {
			w.create(t, "contacts", fmt.Sprintf(`{"name":"c%d","address":{"city":%q}}`, i, city), "")
		}
		w.create(t, "contacts", `{"name":"nowhere"}`, "")
		w.run(t, []step{
			{
				rule: "and show the most frequent spelling, or the smallest", do: "POST /contacts/aggregate",
				body: `{"group_by":["address.city"]}`, status: 200, want: `{"data":[
				{"address.city":"Köln","count":4},{"address.city":"Bonn","count":2},{"address.city":"Ulm","count":1},
				{"address.city":null,"count":1}]}`,
			},
			{
				rule: "the same in every row", do: "POST /contacts/aggregate",
				body: `{"group_by":["address.city","name"],"limit":1,"order_by":"name"}`, status: 200,
				want: `{"data":[{"address.city":null,"name":"nowhere"}],"meta":{"has_more":true}}`,
			},
			{
				rule: "also where the row itself has another", do: "POST /contacts/aggregate",
				body: `{"group_by":["address.city","name"],"order_by":"name","sort_direction":"asc","limit":2}`, status: 200,
				want: `{"data":[{"address.city":"Köln","name":"c0"},{"address.city":"Köln","name":"c1"}]}`,
			},
		})
	})
}

func TestPeriodsAreThoseOfTheBusiness(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		for i, at := range []string{
			"2024-03-30T22:59:59.999999Z", "2024-03-30T23:00:00Z", "2024-03-31T21:59:59.999999Z", "2024-03-31T22:00:00Z",
			"2024-10-27T21:59:59Z", "2024-10-27T22:59:59Z", "2024-12-31T23:00:00Z", "2024-12-30T12:00:00Z",
		} {
			w.create(t, "tasks", fmt.Sprintf(`{"title":"t%d","due_at":%q}`, i, at), "")
		}
		w.create(t, "tasks", `{"title":"never"}`, "")
		ask := func(unit string) string {
			return fmt.Sprintf(`{"group_by":["due_at:%s"],"order_by":"due_at:%s","sort_direction":"asc"}`, unit, unit)
		}
		const tasks = "POST /tasks/aggregate"
		w.run(t, []step{
			{rule: "UTC where the business has no zone", do: tasks, body: ask("month"), status: 200, want: `{"data":[
				{"due_at:month":"2024-03","from":"2024-03-01T00:00:00.000000Z","to":"2024-04-01T00:00:00.000000Z","count":4},
				{"due_at:month":"2024-10","count":2},{"due_at:month":"2024-12","count":2},
				{"due_at:month":null,"from":null,"to":null,"count":1}]}`},
			{rule: "in Berlin", do: "PATCH /business", body: `{"timezone":"Europe/Berlin"}`, status: 200},
			{rule: "a month begins in winter and ends in summer", do: tasks, body: ask("month"), status: 200, want: `{"data":[
				{"due_at:month":"2024-03","from":"2024-02-29T23:00:00.000000Z","to":"2024-03-31T22:00:00.000000Z","count":3},
				{"due_at:month":"2024-04","from":"2024-03-31T22:00:00.000000Z","to":"2024-04-30T22:00:00.000000Z","count":1},
				{"due_at:month":"2024-10","from":"2024-09-30T22:00:00.000000Z","to":"2024-10-31T23:00:00.000000Z","count":2},
				{"due_at:month":"2024-12","count":1},{"due_at:month":"2025-01","count":1},{"due_at:month":null,"count":1}]}`},
			{rule: "the day of the change has 23 hours", do: tasks, body: ask("day"), status: 200, want: `{"data":[
				{"due_at:day":"2024-03-30","from":"2024-03-29T23:00:00.000000Z","to":"2024-03-30T23:00:00.000000Z","count":1},
				{"due_at:day":"2024-03-31","from":"2024-03-30T23:00:00.000000Z","to":"2024-03-31T22:00:00.000000Z","count":2},
				{"due_at:day":"2024-04-01","count":1},{"due_at:day":"2024-10-27","from":"2024-10-26T22:00:00.000000Z",
				"to":"2024-10-27T23:00:00.000000Z","count":2},
				{"due_at:day":"2024-12-30","count":1},{"due_at:day":"2025-01-01","count":1},{"due_at:day":null}]}`},
			{rule: "weeks start on Monday and belong to their year", do: tasks, body: ask("week"), status: 200, want: `{"data":[
				{"due_at:week":"2024-W13","from":"2024-03-24T23:00:00.000000Z","to":"2024-03-31T22:00:00.000000Z","count":3},
				{"due_at:week":"2024-W14","count":1},{"due_at:week":"2024-W43","count":2},{"due_at:week":"2025-W01","count":2},
				{"due_at:week":null}]}`},
			{
				rule: "quarters", do: tasks, body: ask("quarter"), status: 200,
				want: `{"data":[{"due_at:quarter":"2024-Q1","count":3},{"due_at:quarter":"2024-Q2","count":1},` +
					`{"due_at:quarter":"2024-Q4","count":3},{"due_at:quarter":"2025-Q1","count":1},{"due_at:quarter":null}]}`,
			},
			{
				rule: "years", do: tasks, body: ask("year"), status: 200,
				want: `{"data":[{"due_at:year":"2024","from":"2023-12-31T23:00:00.000000Z","to":"2024-12-31T23:00:00.000000Z","count":7},` +
					`{"due_at:year":"2025","count":1},{"due_at:year":null}]}`,
			},
			{
				rule: "from and to lead to the same records", do: "POST /tasks/search",
				body: `{"filters":[{"field":"due_at","operator":"gte","value":"2024-03-30T23:00:00.000000Z"},{"field":"due_at",` +
					`"operator":"lt","value":"2024-03-31T22:00:00.000000Z"}],"total":true}`, status: 200, want: `{"meta":{"total":2}}`,
			},
			{
				rule: "two periods have bounds of their own", do: tasks,
				body:   `{"group_by":["due_at:year","due_at:quarter"],"order_by":"due_at:quarter","sort_direction":"asc","limit":1}`,
				status: 200, want: `{"data":[{"due_at:year":"2024","from":"2023-12-31T23:00:00.000000Z","due_at:quarter":"2024-Q1",` +
					`"due_at:quarter:from":"2023-12-31T23:00:00.000000Z","due_at:quarter:to":"2024-03-31T22:00:00.000000Z","count":3}]}`,
			},
			{rule: "in New York", do: "PATCH /business", body: `{"timezone":"America/New_York"}`, status: 200},
			{
				rule: "the last day of the year is longer", do: tasks, body: ask("year"), status: 200,
				want: `{"data":[{"due_at:year":"2024","from":"2024-01-01T05:00:00.000000Z","to":"2025-01-01T05:00:00.000000Z","count":8},` +
					`{"due_at:year":null}]}`,
			},
			{rule: "in Kathmandu", do: "PATCH /business", body: `{"timezone":"Asia/Kathmandu"}`, status: 200},
			{
				rule: "a day begins at a quarter past six", do: tasks, body: ask("day"), status: 200,
				want: `{"data":[{"due_at:day":"2024-03-31","from":"2024-03-30T18:15:00.000000Z","to":"2024-03-31T18:15:00.000000Z",` +
					`"count":2},{"due_at:day":"2024-04-01","count":2},{"due_at:day":"2024-10-28","count":2},{"due_at:day":"2024-12-30",` +
					`"count":1},{"due_at:day":"2025-01-01","count":1},{"due_at:day":null}]}`,
			},
			{rule: "in Apia", do: "PATCH /business", body: `{"timezone":"Pacific/Apia"}`, status: 200},
			{
				rule: "before the day that never was", do: "POST /tasks", body: `{"title":"before","due_at":"2011-12-30T09:59:59.999999Z"}`,
				status: 201,
			},
			{rule: "and after it", do: "POST /tasks", body: `{"title":"after","due_at":"2011-12-30T10:00:00Z"}`, status: 201},
			{rule: "it is left out", do: tasks, body: `{"group_by":["due_at:day"],"order_by":"due_at:day","sort_direction":"asc",` +
				`"limit":2}`, status: 200, want: `{"data":[
				{"due_at:day":"2011-12-29","from":"2011-12-29T10:00:00.000000Z","to":"2011-12-30T10:00:00.000000Z","count":1},
				{"due_at:day":"2011-12-31","from":"2011-12-30T10:00:00.000000Z","to":"2011-12-31T10:00:00.000000Z","count":1}]}`},
			{rule: "far years, one at each end", do: "POST /tasks", body: `{"title":"old","due_at":"0001-01-02T12:00:00Z"}`, status: 201},
			{rule: "and the other", do: "POST /tasks", body: `{"title":"far","due_at":"9999-12-30T12:00:00Z"}`, status: 201},
			{
				rule: "are days among others", do: tasks, body: ask("day"), status: 200,
				want: `{"data":[{"due_at:day":"0001-01-03","count":1},{"due_at:day":"2011-12-29"},{"due_at:day":"2011-12-31"},` +
					`{"due_at:day":"2024-03-31"},{"due_at:day":"2024-04-01"},{"due_at:day":"2024-10-28"},{"due_at:day":"2024-12-31"},` +
					`{"due_at:day":"2025-01-01"},{"due_at:day":"9999-12-31","count":1},{"due_at:day":null}]}`,
			},
		})
		w.create(t, "deals", `{"name":"a","expected_close_date":"2024-03-31"}`, "")
		w.create(t, "deals", `{"name":"b","expected_close_date":"2024-04-01"}`, "")
		w.run(t, []step{
			{
				rule: "dates have no zone", do: "POST /deals/aggregate",
				body:   `{"group_by":["expected_close_date:week"],"sort_direction":"asc","order_by":"expected_close_date:week"}`,
				status: 200, want: `{"data":[{"expected_close_date:week":"2024-W13","from":"2024-03-25","to":"2024-04-01","count":1},` +
					`{"expected_close_date:week":"2024-W14","from":"2024-04-01","to":"2024-04-08","count":1}]}`,
			},
			{
				rule: "and need no unit", do: "POST /deals/aggregate",
				body: `{"group_by":["expected_close_date"],"sort_direction":"asc","order_by":"expected_close_date"}`, status: 200,
				want: `{"data":[{"expected_close_date":"2024-03-31","from":"<absent>","count":1},{"expected_close_date":"2024-04-01",` +
					`"count":1}]}`,
			},
		})
	})
}

func TestWeightedAmount(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.stagesOf(t, "first", "second", "third", "fourth", "won", "lost")
		w.run(t, []step{
			{
				rule: "is the amount by the stage's probability", do: "POST /deals",
				body: `{"name":"a","amount":"99.99","stage_id":"$first","external_id":"a"}`, status: 201, save: "a",
				want: `{"weighted_amount":"9.999"}`,
			},
			{
				rule: "rounded half away from zero to four places", do: "PATCH /deals/$a", body: `{"amount":"0.0001","probability":50}`,
				status: 200, want: `{"weighted_amount":"0.0001"}`,
			},
			{
				rule: "below zero, too", do: "PATCH /deals/$a", body: `{"amount":"-0.0001"}`, status: 200,
				want: `{"weighted_amount":"-0.0001"}`,
			},
			{rule: "it moves with the stage", do: "POST /deals/$a/win", status: 200, want: `{"weighted_amount":"-0.0001"}`},
			{
				rule: "and is nothing in a lost one", do: "POST /deals",
				body: `{"name":"l","amount":"5","stage_id":"$lost","external_id":"l"}`, status: 201, want: `{"weighted_amount":"0.00"}`,
			},
			{
				rule: "without an amount there is none", do: "POST /deals", body: `{"name":"n","external_id":"n"}`, status: 201,
				want: `{"weighted_amount":null}`,
			},
			{
				rule: "the largest", do: "POST /deals",
				body: `{"name":"x","amount":"99999999999999.9999","probability":33.3333,"external_id":"x"}`, status: 201,
				want: `{"weighted_amount":"33333300000000.00"}`,
			},
			{
				rule: "it follows from the lines", do: "POST /deals",
				body:   `{"name":"i","stage_id":"$third","external_id":"i","line_items":[{"name":"y","unit_price":"10","quantity":3}]}`,
				status: 201, want: `{"amount":"30.00","weighted_amount":"15.00"}`,
			},
			{
				rule: "nobody sets it", do: "PATCH /deals/$a", body: `{"weighted_amount":"1"}`, status: 422,
				wrong: "weighted_amount:read_only",
			},
			{
				rule: "it can be filtered by", do: "POST /deals/search",
				body: `{"filters":[{"field":"weighted_amount","operator":"gte","value":15}],"order_by":"weighted_amount"}`, status: 200,
				found: found("x i"),
			},
			{
				rule: "asked for", do: "POST /deals/search",
				body:   `{"fields":["weighted_amount","external_id"],"order_by":"weighted_amount","sort_direction":"asc","limit":1}`,
				status: 200, found: found("a"), want: `{"data":[{"weighted_amount":"-0.0001","name":"<absent>"}]}`,
			},
			{
				rule: "and added up", do: "POST /deals/aggregate",
				body: `{"metrics":["sum:weighted_amount"],"filters":[{"field":"pipeline_id","operator":"eq","value":"$pipeline"},` +
					`{"field":"status","operator":"eq","value":"open"}],"group_by":["stage_id"]}`, status: 200,
				want: `{"data":[{"stage_id":"$first","currency":"EUR","sum:weighted_amount":"33333300000000.00"},{"stage_id":"$third",` +
					`"sum:weighted_amount":"15.00"}]}`,
			},
		})
	})
}
