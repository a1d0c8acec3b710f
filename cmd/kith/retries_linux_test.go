package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// A server is killed in the midst of writing, again and again. Whoever got no answer sends the same request with the same key once more, and in
// the end everything was done exactly once: single writes, and batches whole.
func TestRetriesAfterAKillAreDoneOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, db string) {
		_, token := newBusiness(t, db)
		const writers, rounds, perRound = 6, 4, 40
		var answered, replayed atomic.Int64
		// The work of each writer: every third request is a batch of five.
		request := func(writer, n int) (path, body string) {
			name := fmt.Sprintf("w%d-%d", writer, n)
			if n%3 != 0 {
				return "/contacts", `{"name":"` + name + `"}`
			}
			return "/contacts/batch", `{"operations":[` + items(5, func(i int) string { return fmt.Sprintf(`{"op":"create","data":{"name":"%s-%d"}}`, name, i) }) + `]}`
		}
		next := make([]int, writers) // the request that the writer is at
		for round := 0; ; round++ {
			v := newVictim(t, db)
			begin := answered.Load()
			var all sync.WaitGroup
			for w := range writers {
				all.Go(func() {
					for next[w] < rounds*perRound {
						path, body := request(w, next[w])
						status, again, err := v.write(token, path, body, fmt.Sprintf("writer-%d-%d", w, next[w]))
						if err != nil {
							return // the server is gone; the next one is asked the same
						}
						if status == http.StatusServiceUnavailable { // PostgreSQL has not noticed yet that the one before is gone
							continue
						}
						if status != http.StatusCreated && status != http.StatusOK {
							t.Errorf("%s: status %d", path, status)
							return
						}
						if again {
							replayed.Add(1)
						}
						next[w]++
						if answered.Add(1)-begin == int64(writers*perRound) && round < rounds {
							v.kill()
						}
					}
				})
			}
			all.Wait()
			v.kill()
			done := true
			for _, n := range next {
				done = done && n == rounds*perRound
			}
			if done || t.Failed() {
				break
			}
		}
		v := newVictim(t, db)
		names := v.names(t, token)
		want := 0
		for w := range writers {
			for n := range rounds * perRound {
				_, body := request(w, n)
				for _, part := range strings.Split(body, `"name":"`)[1:] {
					name, _, _ := strings.Cut(part, `"`)
					want++
					if names[name] != 1 {
						t.Errorf("%s was made %d times", name, names[name])
					}
				}
			}
		}
		if len(names) != want {
			t.Errorf("there are %d names, want %d", len(names), want)
		}
		t.Logf("%d requests were answered, %d of them with what was done before a kill", answered.Load(), replayed.Load())
	})
}

// names counts the contacts by their names.
func (v *victim) names(t *testing.T, token string) map[string]int {
	t.Helper()
	names := map[string]int{}
	for cursor := ""; ; {
		var page struct {
			Data []struct{ Name string }
			Meta struct{ Cursor struct{ Next string } }
		}
		text := v.read(t, token, "/contacts/search", `{"limit":100,"fields":["name"]`+cursor+`}`)
		if err := json.Unmarshal(text, &page); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		for _, c := range page.Data {
			names[c.Name]++
		}
		if page.Meta.Cursor.Next == "" {
			return names
		}
		cursor = fmt.Sprintf(`,"cursor":%q`, page.Meta.Cursor.Next)
	}
}

// kill ends the server without a word, and waits until it is gone.
func (v *victim) kill() {
	_ = v.program.Process.Kill()
	_, _ = v.program.Process.Wait()
}

// write sends a write with a key, and tells whether its answer was given before.
func (v *victim) write(token, path, body, key string) (status int, replayed bool, err error) {
	res, err := v.post(token, path, body, key)
	if err != nil {
		return 0, false, err
	}
	defer res.Body.Close()
	if _, err := io.ReadAll(res.Body); err != nil {
		return 0, false, err
	}
	return res.StatusCode, res.Header.Get("Idempotent-Replayed") == "true", nil
}

func (v *victim) read(t *testing.T, token, path, body string) []byte {
	t.Helper()
	res, err := v.post(token, path, body, "")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func (v *victim) post(token, path, body, key string) (*http.Response, error) {
	req, err := http.NewRequest(http.MethodPost, v.url+"/v1"+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header = http.Header{"Authorization": {"Bearer " + token}, "Version": {"v1"}, "Content-Type": {"application/json"}}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	return v.client.Do(req)
}
