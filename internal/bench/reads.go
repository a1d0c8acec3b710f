package bench

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/schema"
)

// startsOfPages is how many places of a list a page may begin behind: none, the first entry, the second and so on.
const startsOfPages = 15

// aboutWhatHappened are the readings of the change log, beside a page of a search, which has as many entries.
func (a asking) aboutWhatHappened(search *operation) []*operation {
	all := []*operation{
		a.aroundContact("page of a history", "history", 5),
		a.aroundContact("page of a timeline", "timeline", 6),
		a.changes(),
	}
	for _, op := range all {
		op.ours, op.beside = true, search
	}
	return all
}

// aroundContact asks for pages of what happened to busy contacts, or around them: forwards and backwards, from several places on.
// Their cursors are fetched beforehand.
func (a asking) aroundContact(name, list string, seed uint64) *operation {
	lists := 2 * len(a.set.busy)
	order := newShuffled(lists, seed)
	op := &operation{name: name}
	var pages []question
	op.question = func(n int) question { return pages[n] }
	op.prepare = func(ctx context.Context, within time.Duration) (err error) {
		pages, err = inParallel(ctx, within, min(mostPages, lists*startsOfPages), func(n int) (question, error) {
			drawn := order.at(n)
			direction := []string{"asc", "desc"}[drawn%2]
			path := a.path(a.set.busy[drawn/2]) + "/" + list + "/search"
			// The first pages of all come first: those need no cursor, so that there are some however long the others take.
			return a.pageBehind(path, fmt.Sprintf(`{"sort_direction":%q}`, direction), n/lists)
		})
		op.count = len(pages)
		return err
	}
	return op
}

// pageBehind is the question for the page of a list that begins behind so many entries.
func (a asking) pageBehind(path, body string, entries int) (question, error) {
	if entries == 0 {
		return question{request: a.request("POST", path, body)}, nil
	}
	inside := strings.TrimPrefix(body, "{")
	cursor, _, err := a.pageOf(path, fmt.Sprintf(`{"limit":%d,%s`, entries, inside))
	if err != nil || cursor == "" {
		return question{}, err
	}
	return question{request: a.request("POST", path, fmt.Sprintf(`{"cursor":%q,%s`, cursor, inside))}, nil
}

// changes asks for what happened in the business, from anywhere in its log on.
func (a asking) changes() *operation {
	const page = 25
	order := newShuffled(max(1, a.set.changes-page), 7)
	return &operation{name: "page of changes", count: int(order.size), question: func(n int) question {
		return question{request: a.request("POST", "/v1/changes/search", fmt.Sprintf(`{"after":%d}`, order.at(n)))}
	}}
}

// aggregates ask what the deals of the business come to. There are as few questions as anybody would ask.
func (a asking) aggregates() []*operation {
	var pipelines, boards []string
	for _, d := range a.set.deals {
		if id := schema.FormatID("pipeline", d.pipeline); !slices.Contains(pipelines, id) {
			pipelines = append(pipelines, id)
			boards = append(boards, fmt.Sprintf(`{"filters":[{"field":"pipeline_id","operator":"eq","value":%q},{"field":"status",`+
				`"operator":"eq","value":"open"}],`+
				`"group_by":["stage_id"],"metrics":["count","sum:amount"]}`, id))
		}
	}
	return []*operation{
		a.ofDeals("aggregate: count and sum by stage", `{"group_by":["stage_id"],"metrics":["count","sum:amount"]}`),
		a.ofDeals("aggregate: count and sum by month", `{"group_by":["created_at:month"],"metrics":["count","sum:amount"]}`),
		a.ofDeals("aggregate: open deals of a pipeline by stage", boards...),
	}
}

// ofDeals asks for aggregates of deals, again and again.
func (a asking) ofDeals(name string, bodies ...string) *operation {
	return &operation{name: name, ours: true, lone: true, count: len(bodies), again: true, question: func(n int) question {
		return question{request: a.request("POST", "/v1/deals/aggregate", bodies[n])}
	}}
}
