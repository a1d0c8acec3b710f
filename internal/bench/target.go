package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"kith/internal/schema"
)

// target is a server of kith's API to be measured.
type target struct {
	addr, token string
}

func (t target) request(method, path string, body string) request {
	var text []byte
	if body != "" {
		text = []byte(body)
	}
	return newRequest(method, t.addr, path, t.token, text)
}

func (t target) search(body string) request { return t.request("POST", "/v1/contacts/search", body) }

// page is what is read of a page to go on from it: the cursor, and the last record as it was written.
type page struct {
	Data []json.RawMessage
	Meta struct {
		Cursor struct{ Next string }
	}
}

// page asks for a page of contacts, with no more of them than is needed to go on.
func (t target) page(body string) (cursor string, last []byte, err error) {
	text, err := once(t.addr, t.search(body))
	if err != nil {
		return "", nil, err
	}
	var p page
	if err := json.Unmarshal(text, &p); err != nil || len(p.Data) == 0 {
		return "", nil, err
	}
	return p.Meta.Cursor.Next, p.Data[len(p.Data)-1], nil
}

// deepCursor walks to the thousandth page of 25, or as far as the business goes.
func (t target) deepCursor(ctx context.Context, size int) (cursor string, before []byte, err error) {
	return t.walk(ctx, "", 100, max(1, min(1000*25, size*9/10)/100))
}

// walk goes on from a cursor, or from the beginning, by a number of pages. It gives the cursor there and the record before it.
func (t target) walk(ctx context.Context, cursor string, limit, pages int) (next string, before []byte, err error) {
	for range pages {
		if ctx.Err() != nil {
			return "", nil, ctx.Err()
		}
		body := fmt.Sprintf(`{"limit":%d,"fields":["id","created_at"]}`, limit)
		if cursor != "" {
			body = fmt.Sprintf(`{"limit":%d,"fields":["id","created_at"],"cursor":%q}`, limit, cursor)
		}
		if cursor, before, err = t.page(body); err != nil {
			return "", nil, err
		}
	}
	return cursor, before, nil
}

// mostPages bounds how many second pages are looked up before they are measured.
const mostPages = 30_000

// secondPage asks for the page behind the first of an owner and a range. The cursors are fetched beforehand.
func (a asking) secondPage() *operation {
	op := &operation{name: "page 2 of owner + lead_score range"}
	var pages []question
	op.question = func(n int) question { return pages[n] }
	op.prepare = func(ctx context.Context, within time.Duration) error {
		// As many at once as the server can be expected to have cores for.
		const atOnce = 4
		var (
			mu     sync.Mutex
			wait   sync.WaitGroup
			failed error
			n      int
		)
		end := time.Now().Add(within)
		for range atOnce {
			wait.Go(func() {
				for {
					mu.Lock()
					mine := n
					n++
					// At least one, however slow the server is.
					done := failed != nil || ctx.Err() != nil || len(pages) > 0 && (time.Now().After(end) || len(pages) >= mostPages) || mine >= 4*mostPages
					mu.Unlock()
					if done {
						return
					}
					q, err := a.behindFirst(op.name, mine)
					mu.Lock()
					if err != nil {
						failed = err
					} else if q.request != nil {
						pages = append(pages, q)
					}
					mu.Unlock()
				}
			})
		}
		wait.Wait()
		op.count = len(pages)
		if failed == nil && len(pages) == 0 {
			failed = ctx.Err()
		}
		return failed
	}
	return op
}

// behindFirst asks for the first page of an owner and a range, and gives the question for the second, or none where all fits on the first.
// Where owners have few contacts, the range is wider.
func (a asking) behindFirst(name string, n int) (question, error) {
	r := seeded(name, n)
	width := 300
	if a.set.Size/len(a.set.owners) < 200 {
		width = 999
	}
	c, low := a.contact(r), 0
	if width < 999 {
		low = r.IntN(1000 - width)
	}
	filters := fmt.Sprintf(`"filters":[{"field":"owner_id","operator":"eq","value":%q},{"field":"lead_score","operator":"between","values":[%s,%s]}],"order_by":"updated_at"`,
		schema.FormatID("user", a.set.owners[c.owner]), tenths(low, n), tenths(low+width, n))
	cursor, last, err := a.page(`{"fields":["id","updated_at"],` + filters + `}`)
	if err != nil || cursor == "" {
		return question{}, err
	}
	return question{a.target.search(fmt.Sprintf(`{%s,"cursor":%q}`, filters, cursor)), last}, nil
}
