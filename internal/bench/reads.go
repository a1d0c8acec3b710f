package bench

import (
	"fmt"
	"slices"

	"github.com/kith-crm/kith/internal/schema"
)

// startsOfPages is how many places of a list a page may begin behind: none, the first entry, the second and so on.
const startsOfPages = 15

// aboutWhatHappened are the readings of the change log, beside a page of a search, which has as many entries.
func (a asking) aboutWhatHappened(search *operation) []*operation {
	history, timeline := a.aroundContact("page of a history", "history", 5), a.aroundContact("page of a timeline", "timeline", 6)
	all := []*operation{history, timeline, a.changes()}
	for _, op := range all {
		op.ours, op.beside = true, search
	}
	return all
}

// aroundContact asks for pages of what happened to busy contacts, or around them: forwards and backwards, from several places on.
func (a asking) aroundContact(name, list string, seed uint64) *operation {
	order := shuffled(2*len(a.set.busy), seed)
	return fetched(name, len(order)*startsOfPages, func(n int) (question, error) {
		drawn := order[n%len(order)]
		path := a.path(a.set.busy[drawn/2]) + "/" + list + "/search"
		body := fmt.Sprintf(`{"sort_direction":%q}`, []string{"asc", "desc"}[drawn%2])
		// The first pages of all come first: those need no cursor, so that there are some however long the others take.
		entries := n / len(order)
		if entries == 0 {
			return a.ask("POST", path, body), nil
		}
		return a.behind(path, body, fmt.Sprintf(`"limit":%d`, entries))
	})
}

// changes asks for what happened in the business, from anywhere in its log on.
func (a asking) changes() *operation {
	const page = 25
	order := shuffled(max(1, a.set.changes-page), 7)
	return &operation{name: "page of changes", count: len(order), question: func(n int) question {
		return a.ask("POST", "/v1/changes/search", fmt.Sprintf(`{"after":%d}`, order[n]))
	}}
}

// aggregates ask what the deals of the business come to. There are as few questions as anybody would ask.
func (a asking) aggregates() []*operation {
	const byStage = `"group_by":["stage_id"],"metrics":["count","sum:amount"]}`
	var boards []string
	for _, d := range a.set.deals {
		board := `{"filters":[` + where("pipeline_id", "eq", schema.FormatID("pipeline", d.pipeline)) + "," +
			where("status", "eq", "open") + `],` + byStage
		if !slices.Contains(boards, board) {
			boards = append(boards, board)
		}
	}
	return []*operation{
		a.ofDeals("aggregate: count and sum by stage", "{"+byStage),
		a.ofDeals("aggregate: count and sum by month", `{"group_by":["created_at:month"],"metrics":["count","sum:amount"]}`),
		a.ofDeals("aggregate: open deals of a pipeline by stage", boards...),
	}
}

// ofDeals asks for aggregates of deals, again and again.
func (a asking) ofDeals(name string, bodies ...string) *operation {
	return &operation{name: name, ours: true, lone: true, count: len(bodies), again: true, question: func(n int) question {
		return a.ask("POST", "/v1/deals/aggregate", bodies[n])
	}}
}
