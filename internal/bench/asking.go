package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"
)

// asking makes up questions to a business, and asks a server of kith's API for what they need.
type asking struct {
	addr string
	set  *Set
}

func (a asking) ask(method, path, body string, headers ...string) question {
	return question{request: newRequest(method, a.addr, path, a.set.token, body, headers...)}
}

const contactSearch = "/v1/contacts/search"

// find asks for contacts.
func (a asking) find(body string) question { return a.ask("POST", contactSearch, body) }

// with puts more members into a body.
func with(body, more string) string {
	if body == "{}" {
		return "{" + more + "}"
	}
	return "{" + more + "," + body[1:]
}

// following asks for what comes behind a cursor, or from the beginning where there is none.
func following(cursor, body string) string {
	if cursor == "" {
		return body
	}
	return with(body, fmt.Sprintf(`"cursor":%q`, cursor))
}

// page is what is read of a page to go on from it: the cursor, and the records as they were written.
type page struct {
	Data []json.RawMessage
	Meta struct {
		Cursor struct{ Next string }
	}
}

// page asks for a page of a list, and gives its last record and the cursor behind it.
func (a asking) page(path, body string) (cursor string, last []byte, err error) {
	text, err := once(a.addr, a.ask("POST", path, body).request)
	if err != nil {
		return "", nil, err
	}
	var p page
	if err := json.Unmarshal(text, &p); err != nil || len(p.Data) == 0 {
		return "", nil, err
	}
	return p.Meta.Cursor.Next, p.Data[len(p.Data)-1], nil
}

// walk goes on with a search from a cursor, or from the beginning, by a number of pages. It gives the cursor there and the record
// before it.
func (a asking) walk(ctx context.Context, cursor, body string, limit, pages int) (next string, before []byte, err error) {
	body = with(body, fmt.Sprintf(`"limit":%d,"fields":["id","created_at"]`, limit))
	for range pages {
		if ctx.Err() != nil {
			return "", nil, ctx.Err()
		}
		if cursor, before, err = a.page(contactSearch, following(cursor, body)); err != nil {
			return "", nil, err
		}
	}
	return cursor, before, nil
}

// deep is the question for the thousandth page of 25 of a search, or as far as the business goes.
func (a asking) deep(ctx context.Context, body string) (question, error) {
	cursor, before, err := a.walk(ctx, "", body, 100, max(1, min(1000*25, a.set.Size*9/10)/100))
	q := a.find(following(cursor, body))
	q.before = before
	return q, err
}

// behind is the question for what comes behind a first page that is asked for with more members, or none where all fits on that.
func (a asking) behind(path, body, more string) (question, error) {
	cursor, last, err := a.page(path, with(body, more))
	if err != nil || cursor == "" {
		return question{}, err
	}
	q := a.ask("POST", path, following(cursor, body))
	q.before = last
	return q, nil
}

// mostPages bounds how many questions are looked up before they are measured.
const mostPages = 30_000

// fetched is an operation whose questions, at most so many, are looked up beforehand.
func fetched(name string, most int, make func(n int) (question, error)) *operation {
	op := &operation{name: name}
	op.prepare = func(ctx context.Context, within time.Duration) error {
		pages, err := inParallel(ctx, within, min(most, mostPages), make)
		op.count, op.question = len(pages), func(n int) question { return pages[n] }
		return err
	}
	return op
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
