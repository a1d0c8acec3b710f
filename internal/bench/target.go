package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/kith-crm/kith/internal/schema"
)

// target is a server of kith's API to be measured.
type target struct {
	addr, token string
}

func (t target) request(method, path string, body string, headers ...string) request {
	var text []byte
	if body != "" {
		text = []byte(body)
	}
	return newRequest(method, t.addr, path, t.token, text, headers...)
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
	return t.pageOf("/v1/contacts/search", body)
}

// pageOf asks for a page of a list.
func (t target) pageOf(path, body string) (cursor string, last []byte, err error) {
	text, err := once(t.addr, t.request("POST", path, body))
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

const (
	// mostPages bounds how many second pages are looked up before they are measured.
	mostPages = 30_000
	// enoughOwned is how many contacts an owner must have for a second page to be sure.
	enoughOwned = 32
	// richlyOwned is how many they must have for three tenths of the scores to fill it.
	richlyOwned = 200
)

// secondPage asks for the page behind the first of an owner and a range. The cursors are fetched beforehand. It gives none where no
// owner has enough contacts.
func (a asking) secondPage() []*operation {
	owned := make([]int, len(a.set.owners))
	for _, c := range a.set.contacts {
		owned[c.owner]++
	}
	var owners []int
	for owner, n := range owned {
		if n >= enoughOwned {
			owners = append(owners, owner)
		}
	}
	if len(owners) == 0 {
		return nil
	}
	op := &operation{name: "page 2 of owner + lead_score range"}
	var pages []question
	op.question = func(n int) question { return pages[n] }
	op.prepare = func(ctx context.Context, within time.Duration) (err error) {
		pages, err = inParallel(ctx, within, mostPages, func(n int) (question, error) {
			r := seeded(op.name, n)
			owner := pick(r, owners)
			low, width := 0, 1000
			if owned[owner] >= richlyOwned {
				width = 300
				low = r.IntN(1000 - width)
			}
			return a.behindFirst(a.ownedBetween(schema.FormatID("user", a.set.owners[owner]), tenths(low, n), tenths(low+width, n)))
		})
		op.count = len(pages)
		return err
	}
	return []*operation{op}
}

// behindFirst asks for the first page of a search and gives the question for the second, or none where all fits on the first.
func (a asking) behindFirst(body string) (question, error) {
	inside := strings.TrimPrefix(body, "{")
	cursor, last, err := a.page(`{"fields":["id","updated_at"],` + inside)
	if err != nil || cursor == "" {
		return question{}, err
	}
	return question{a.target.search(fmt.Sprintf(`{"cursor":%q,%s`, cursor, inside)), last}, nil
}

// inParallel makes up to so many questions within a time, and at least one. What make gives without a request is left out.
func inParallel(ctx context.Context, within time.Duration, most int, make func(n int) (question, error)) (made []question, failed error) {
	// As many at once as the server can be expected to have cores for.
	const atOnce = 4
	var mu sync.Mutex
	var wait sync.WaitGroup
	tried, end := 0, time.Now().Add(within)
	for range atOnce {
		wait.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			for failed == nil && tried < most && (len(made) == 0 || time.Now().Before(end)) {
				n := tried
				tried++
				mu.Unlock()
				q, err := make(n)
				mu.Lock()
				if failed = errors.Join(failed, err, ctx.Err()); q.request != nil {
					made = append(made, q)
				}
			}
		})
	}
	wait.Wait()
	if failed == nil && len(made) == 0 {
		failed = errors.New("there is nothing to ask for")
	}
	return made, failed
}
