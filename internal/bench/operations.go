package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// operation is one thing that is measured.
type operation struct {
	name string
	// requests are the variants that are sent in turn.
	requests []request
	// beside is sent to kith in the same turns, to be compared with.
	beside []request
	// writes tells that the operation changes data.
	writes bool
}

// The names of the pages, which the results compare.
const (
	firstPage = "first page by created_at"
	deepPage  = "1,000th page by cursor"
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

// operations prepares everything that is measured against kith.
func operations(ctx context.Context, t target, set *Set) ([]operation, error) {
	deep, err := t.deepCursor(ctx, set.Size)
	if err != nil {
		return nil, err
	}
	var get, patch, create, owned, contains, words, short []request
	for _, id := range set.ids {
		get = append(get, t.request("GET", "/v1/contacts/"+id, ""))
	}
	for _, fraction := range []string{"25", "75"} { // in turn, so that every patch changes something
		for i, id := range set.ids {
			patch = append(patch, t.request("PATCH", "/v1/contacts/"+id, fmt.Sprintf(`{"lead_score":%d.%s}`, i%100, fraction)))
		}
	}
	for i := range 64 {
		first, last := firstNames[i%len(firstNames)], lastNames[(i*7)%len(lastNames)]
		create = append(create, t.request("POST", "/v1/contacts", fmt.Sprintf(`{"first_name":%q,"last_name":%q,"email":"new.%d@created.example","phone":"+49 30 5550%d","lead_score":%d}`, first, last, i, i, i)))
		owned = append(owned, t.search(fmt.Sprintf(`{"filters":[{"field":"owner_id","operator":"eq","value":%q},{"field":"lead_score","operator":"between","values":[%d,%d]}],"order_by":"updated_at"}`, set.owners[i%len(set.owners)], i%50, i%50+30)))
		contains = append(contains, t.search(fmt.Sprintf(`{"filters":[{"field":"email","operator":"contains","value":".%d@%s"}]}`, 100+i*37, companies[i%len(companies)][:4])))
		words = append(words, t.search(fmt.Sprintf(`{"search_text":"%s %s"}`, strings.ToLower(first), strings.ToLower(last))))
		short = append(short, t.search(fmt.Sprintf(`{"search_text":%q}`, strings.ToLower(first[:2]))))
	}
	return []operation{
		{name: "get one", requests: get},
		{name: firstPage, requests: []request{t.search(`{}`)}},
		{name: deepPage, requests: []request{t.search(fmt.Sprintf(`{"cursor":%q}`, deep))}, beside: []request{t.search(`{}`)}},
		{name: "owner + lead_score range by updated_at", requests: owned},
		{name: "e-mail contains", requests: contains},
		{name: "search_text of two words", requests: words},
		{name: "search_text, matches all oldest, by name", requests: []request{t.search(fmt.Sprintf(`{"search_text":%q,"order_by":"name"}`, bunchedWord))}},
		{name: "search_text, matches all oldest, by created_at", requests: []request{t.search(fmt.Sprintf(`{"search_text":%q}`, bunchedWord))}},
		{name: "search_text of two characters", requests: short},
		{name: "order by a field mostly absent", requests: []request{t.search(`{"order_by":"last_contacted_at"}`)}},
		{name: "create", requests: create, writes: true},
		{name: "patch", requests: patch, writes: true},
	}, nil
}

// deepCursor walks to the thousandth page of 25, or as far as the business goes.
func (t target) deepCursor(ctx context.Context, size int) (string, error) {
	return t.walk(ctx, "", 100, min(1000*25, size*9/10)/100)
}

// walk goes on from a cursor, or from the beginning, by a number of pages.
func (t target) walk(ctx context.Context, cursor string, limit, pages int) (string, error) {
	for range pages {
		body := fmt.Sprintf(`{"limit":%d,"fields":["id"]}`, limit)
		if cursor != "" {
			body = fmt.Sprintf(`{"limit":%d,"fields":["id"],"cursor":%q}`, limit, cursor)
		}
		r, err := http.NewRequestWithContext(ctx, "POST", "http://"+t.addr+"/v1/contacts/search", strings.NewReader(body))
		if err != nil {
			return "", err
		}
		r.Header.Set("Authorization", "Bearer "+t.token)
		r.Header.Set("Version", "v1")
		r.Header.Set("Content-Type", "application/json")
		answer, err := (&http.Client{Timeout: time.Minute}).Do(r)
		if err != nil {
			return "", err
		}
		text, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil {
			return "", err
		}
		var page struct {
			Meta struct {
				Cursor struct{ Next string }
			}
		}
		if err := json.Unmarshal(text, &page); err != nil || answer.StatusCode != http.StatusOK {
			return "", fmt.Errorf("page: %s: %w", text, err)
		}
		cursor = page.Meta.Cursor.Next
	}
	return cursor, nil
}
