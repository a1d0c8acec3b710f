package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// slack is what a write may take by chance, however quick it is alone.
const slack = 10 * time.Millisecond

// neighbour makes a second business beside the first, and gives its token.
func neighbour(t *testing.T, db string) string {
	t.Helper()
	return object(t, "business_id user_id token", "business", "create", "--db", db, "--name", "Other",
		"--admin-email", "olga@other.example", "--admin-password", "correct horse")["token"]
}

// inMemory puts the files of a test where no disk has to be waited for: what others write there keeps every commit waiting, whoever
// else is being served, and the time of a write would tell of them.
func inMemory(t *testing.T) {
	t.Helper()
	const memory = "/dev/shm"
	if at, err := os.MkdirTemp(memory, "kith"); err == nil {
		os.Remove(at)
		t.Setenv("TMPDIR", memory)
	}
}

// writing is how long the slowest but one in twenty of a business's single writes takes.
func (v *victim) writing(t *testing.T, token string, n int) time.Duration {
	t.Helper()
	took := make([]time.Duration, n)
	for i := range took {
		begin := time.Now()
		status, _, answer, err := v.ask(t.Context(), token, "POST /contacts", `{"name":"Single"}`)
		if err != nil || status != http.StatusCreated {
			t.Fatalf("a single write: status %d, %v: %s", status, err, answer)
		}
		took[i] = time.Since(begin)
	}
	slices.Sort(took)
	return took[n*19/20]
}

// crowd runs something in several goroutines until it is told to stop, and gives how often it was done.
func crowd(t *testing.T, n int, do func(ctx context.Context, who, round int)) (stop func() int64) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	var done atomic.Int64
	for who := range n {
		all.Go(func() {
			for round := 0; ctx.Err() == nil; round++ {
				do(ctx, who, round)
				done.Add(1)
			}
		})
	}
	for end := time.Now().Add(long); done.Load() < int64(n)/2 && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	return func() int64 {
		cancel()
		all.Wait()
		return done.Load()
	}
}

// Eight clients of a business that send batches of a hundred, for real and as dry runs, or try to undo one or to change as many in bulk,
// keep the single writes of another business waiting for about a batch, and not for all that they have sent.
func TestBatchesGiveWayToOthers(t *testing.T) {
	inMemory(t)
	onBoth(t, func(t *testing.T, db string) {
		_, greedy := newBusiness(t, db)
		other := neighbour(t, db)
		v := newVictim(t, db, "--rate-limit", "0")
		v.client.Transport = &http.Transport{MaxIdleConnsPerHost: 64, IdleConnTimeout: time.Minute} // the server's is two
		batch := `{"operations":[` + items(100, func(i int) string {
			return fmt.Sprintf(`{"op":"create","data":{"name":"Person %d","email":"p%d@x.example"}}`, i, i)
		}) + `]}`
		fresh := func(who, round int) string {
			return strings.ReplaceAll(batch, "@x.", fmt.Sprintf("@x%d-%d.", who, round))
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, v.url+"/v1/contacts/batch", strings.NewReader(batch))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range map[string]string{
			"Authorization": "Bearer " + greedy, "Version": "v1",
			"Content-Type": "application/json",
		} {
			req.Header.Set(name, value)
		}
		made, err := v.client.Do(req)
		if err != nil || made.StatusCode != http.StatusOK {
			t.Fatalf("a batch: %v, %v", made, err)
		}
		made.Body.Close()
		whose := items(100, func(i int) string { return fmt.Sprintf(`"p%d@x.example"`, i) })
		always := func(body string) func(int, int) string { return func(int, int) string { return body } }
		for query, body := range map[string]func(who, round int) string{
			"/contacts/batch":              fresh,
			"/contacts/batch?dry_run=true": fresh,
			"/undo?dry_run=true":           always(`{"request_id":"` + made.Header.Get("X-Request-Id") + `"}`),
			"/contacts/bulk?dry_run=true": always(`{"op":"update","data":{"job_title":"Chief"},"filters":[{"field":"email",` +
				`"operator":"in","values":[` + whose + `]}]}`),
		} {
			send := func(ctx context.Context, who, round int) {
				status, _, answer, err := v.ask(ctx, greedy, "POST "+query, body(who, round))
				if err == nil && status != http.StatusOK && status != http.StatusServiceUnavailable {
					t.Errorf("%s: status %d: %s", query, status, answer)
				}
			}
			var alone, one, many []float64
			for range 5 {
				alone = append(alone, float64(v.writing(t, other, 40)))
				stop := crowd(t, 1, send)
				one = append(one, float64(v.writing(t, other, 40)))
				few := stop()
				stop = crowd(t, 8, send)
				many = append(many, float64(v.writing(t, other, 40)))
				t.Logf("%s: p95 %.0f ms alone, %.0f beside one client (%d requests), %.0f beside eight (%d)", query,
					alone[len(alone)-1]/1e6, one[len(one)-1]/1e6, few, many[len(many)-1]/1e6, stop())
			}
			slices.Sort(one)
			slices.Sort(many)
			if a, b := many[2], max(one[2], float64(slack)); a > 4*b {
				t.Errorf("%s of eight clients keep others waiting %.1f times as long as those of one", query, a/b)
			}
		}
	})
}

// Three hundred who try passwords from as many addresses cost another business little, and are answered at once: 401 or 503 with when
// to come again.
func TestFloodsOfLogInsCostOthersLittle(t *testing.T) {
	inMemory(t)
	onBoth(t, func(t *testing.T, db string) {
		_, token := newBusiness(t, db)
		v := newVictim(t, db, "--rate-limit", "0", "--trust-forwarded")
		v.client = &http.Client{
			Timeout: long, Transport: &http.Transport{MaxIdleConnsPerHost: 400, IdleConnTimeout: time.Minute},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
		page, err := v.client.Get(v.url + "/login")
		if err != nil {
			t.Fatal(err)
		}
		page.Body.Close()
		form := url.Values{"password": {"wrong password"}}
		var cookies []string
		for _, c := range page.Cookies() {
			cookies = append(cookies, c.Name+"="+c.Value)
			form.Set("form_token", c.Value)
		}
		var refused, told atomic.Int64
		logIn := func(ctx context.Context, who, round int) {
			text := form.Encode() + "&email=" + url.QueryEscape(fmt.Sprintf("nobody%d-%d@nowhere.example", who, round))
			req, _ := http.NewRequestWithContext(ctx, http.MethodPost, v.url+"/login", strings.NewReader(text))
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			req.Header.Set("Cookie", strings.Join(cookies, "; "))
			req.Header.Set("X-Forwarded-For", fmt.Sprintf("10.%d.%d.1", who, round%250))
			res, err := v.client.Do(req)
			if err != nil {
				return
			}
			res.Body.Close()
			switch {
			case res.StatusCode == http.StatusServiceUnavailable && res.Header.Get("Retry-After") != "":
				refused.Add(1)
				seconds, _ := strconv.Atoi(res.Header.Get("Retry-After"))
				select { // as it was told; who asks all the time is another attack
				case <-ctx.Done():
				case <-time.After(time.Duration(seconds) * time.Second):
				}
			case res.StatusCode == http.StatusUnauthorized || res.StatusCode == http.StatusTooManyRequests:
				told.Add(1)
			default:
				t.Errorf("a log-in is answered %d", res.StatusCode)
			}
		}
		var alone, beside []time.Duration
		for range 3 {
			alone = append(alone, v.writing(t, token, 40))
			stop := crowd(t, 150, logIn)
			beside = append(beside, v.writing(t, token, 40))
			stop()
		}
		t.Logf("p95 of a write: %v alone, %v beside; %d were told, %d refused for now", alone, beside, told.Load(), refused.Load())
		slices.Sort(alone)
		if a, b := slices.Min(beside), max(alone[1], slack); a > 12*b {
			t.Errorf("beside log-ins a write takes %v, alone %v", a, b)
		}
	})
}
