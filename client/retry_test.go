package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kith-crm/kith/client"
	"github.com/kith-crm/kith/internal/httpapi"
)

// The server commits and the connection dies before the answer arrives: the client sends it again under the same key, is told what was
// answered, and there is one record.
func TestAnswersThatAreLostAreAskedForAgain(t *testing.T) {
	onBothEngines(t, httpapi.Options{}, func(t *testing.T, s *server) {
		ctx := t.Context()
		for _, half := range []bool{false, true} {
			t.Run(fmt.Sprintf("after half of it: %v", half), func(t *testing.T) {
				f := s.front(t, func(n int, w http.ResponseWriter, r *http.Request, server http.Handler) bool {
					if n > 2 {
						return false
					}
					drop(w, r, server, half)
					return true
				})
				c := connect(t, f.url, s.admin)
				name := fmt.Sprintf("Once %v", half)
				made := must[*client.Contact](t)(c.Contacts.Create(ctx, client.ContactInput{Name: client.Set(name)}))
				keys := map[string]bool{}
				for _, r := range f.requests() {
					keys[r.key] = true
				}
				if len(f.requests()) < 3 || len(keys) != 1 || keys[""] {
					t.Errorf("it was asked %d times with the keys %v", len(f.requests()), keys)
				}
				page := must[*client.Page[client.Contact]](t)(c.Contacts.SearchPage(ctx, client.Query{Text: name}))
				if len(page.Records) != 1 || page.Records[0].ID != made.ID {
					t.Errorf("there are %+v, it was told of %s", page.Records, made.ID)
				}
				if before := len(f.requests()); must[*client.Contact](t)(c.Contacts.Create(ctx,
					client.ContactInput{Name: client.Set(name)})).ID == made.ID || f.requests()[before].key == f.requests()[0].key {
					t.Error("another call has the key of the first")
				}
			})
		}
		t.Run("a batch, an action, a deletion and an update too", func(t *testing.T) {
			var lose atomic.Bool
			f := s.front(t, func(_ int, w http.ResponseWriter, r *http.Request, server http.Handler) bool {
				if !lose.CompareAndSwap(true, false) {
					return false
				}
				drop(w, r, server, false)
				return true
			})
			c := connect(t, f.url, s.admin)
			task := must[*client.Task](t)(c.Tasks.Create(ctx, client.TaskInput{Title: client.Set("Call")}))
			lose.Store(true)
			done := must[*client.Task](t)(c.Tasks.Complete(ctx, task.ID))
			lose.Store(true)
			changed := must[*client.Task](t)(c.Tasks.Update(ctx, task.ID, client.TaskInput{Title: client.Set("Write")},
				client.IfMatch(done.Version)))
			if changed.Version != task.Version+2 {
				t.Errorf("the version is %d", changed.Version)
			}
			lose.Store(true)
			if err := c.Tasks.Delete(ctx, task.ID); err != nil {
				t.Error(err)
			}
			lose.Store(true)
			batch := c.Notes.Batch()
			batch.Create(client.NoteInput{Title: client.Set("One")})
			if results := must[[]client.Result[client.Note]](t)(batch.Do(ctx)); len(results) != 1 || results[0].Err != nil {
				t.Errorf("%+v", results)
			}
			if page := must[*client.Page[client.Note]](t)(c.Notes.SearchPage(ctx, client.Query{})); len(page.Records) != 1 {
				t.Errorf("there are %d notes", len(page.Records))
			}
		})
	})
}

// A request whose first copy is still being done is answered with 409; the client waits and gets the answer of the first.
func TestWhatIsUnderWayIsWaitedFor(t *testing.T) {
	onBothEngines(t, httpapi.Options{}, func(t *testing.T, s *server) {
		var all sync.WaitGroup
		ids := make([]client.ContactID, 8)
		c := s.connect(t, client.WithRetries(20))
		for i := range ids {
			all.Go(func() {
				made, err := c.Contacts.Create(t.Context(), client.ContactInput{Name: client.Set("Same")}, client.IdempotencyKey("same"))
				if err != nil {
					t.Error(err)
					return
				}
				ids[i] = made.ID
			})
		}
		all.Wait()
		for _, id := range ids {
			if id != ids[0] || id == "" {
				t.Errorf("the ids are %v", ids)
			}
		}
	})
}

func TestRateLimitIsHonoured(t *testing.T) {
	onBothEngines(t, httpapi.Options{RateLimit: 5, RateBurst: 1}, func(t *testing.T, s *server) {
		c := s.connect(t)
		for i := range 5 {
			if _, err := c.Me(t.Context()); err != nil {
				t.Fatalf("call %d: %v", i, err)
			}
		}
	})
}

// answers is a server that says what it is told to, one after the other, and then goes on with the last.
func answers(t *testing.T, of ...func(http.ResponseWriter)) (address string, asked *atomic.Int32) {
	t.Helper()
	asked = &atomic.Int32{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		of[min(int(asked.Add(1)), len(of))-1](w)
	}))
	t.Cleanup(s.Close)
	return s.URL, asked
}

// says makes an answer.
func says(status int, text string, headers ...string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		for _, h := range headers {
			name, value, _ := strings.Cut(h, ": ")
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(text))
	}
}

const found = `{"id":"contact_1","name":"Anna","version":1}`

func TestWhatIsTriedAgain(t *testing.T) {
	t.Parallel()
	problem := func(status int, code, more string) string {
		return fmt.Sprintf(`{"status":%d,"code":%q,"detail":"No.","request_id":"req_1"%s}`, status, code, more)
	}
	for _, tt := range []struct {
		name   string
		answer func(http.ResponseWriter)
		again  bool
		is     client.Code
	}{
		{"429", says(429, problem(429, "too_many_requests", `,"retry_after_ms":2`), "Retry-After: 1"), true, ""},
		{"503", says(503, problem(503, "timeout", "")), true, ""},
		{"502 of a proxy", says(502, "<html>Bad gateway</html>"), true, ""},
		{"504 of a proxy", says(504, ""), true, ""},
		{"409 of a request that is under way", says(409, problem(409, "idempotency_in_progress", `,"retry_after_ms":2`),
			"Retry-After: 1"), true, ""},
		{"409 of a conflict", says(409, problem(409, "conflict", "")), false, client.ErrConflict},
		{"500", says(500, problem(500, "internal", "")), false, client.ErrInternal},
		{"401", says(401, problem(401, "invalid_token", "")), false, client.ErrInvalidToken},
		{"422", says(422, problem(422, "validation_failed", "")), false, client.ErrValidationFailed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			address, asked := answers(t, tt.answer, tt.answer, says(200, found))
			contact, err := connect(t, address, "t").Contacts.Get(t.Context(), "contact_1")
			switch {
			case tt.again && (err != nil || contact.Name != "Anna" || asked.Load() != 3):
				t.Errorf("after %d times: %+v, %v", asked.Load(), contact, err)
			case !tt.again && (!errors.Is(err, tt.is) || asked.Load() != 1):
				t.Errorf("after %d times: %v", asked.Load(), err)
			}
			address, asked = answers(t, tt.answer)
			if _, err := connect(t, address, "t", client.WithRetries(2)).Contacts.Get(t.Context(), "contact_1"); refused(t,
				err).Status == 0 || tt.again && asked.Load() != 3 {
				t.Errorf("after %d times: %v", asked.Load(), err)
			}
		})
	}
}

// The server says how long to wait; where that is longer than the caller's time, the refusal comes at once.
func TestWaitsAreBoundedByTheContext(t *testing.T) {
	t.Parallel()
	for name, late := range map[string]func(http.ResponseWriter){
		"seconds":      says(503, "", "Retry-After: 3600"),
		"milliseconds": says(429, `{"code":"too_many_requests","status":429,"retry_after_ms":3600000}`),
		"a time":       says(503, "", "Retry-After: "+time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, asked := answers(t, late)
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			_, err := connect(t, address, "t", client.WithBackoff(time.Millisecond, 24*time.Hour)).Contacts.Get(ctx, "contact_1")
			if wait := refused(t, err).RetryAfter; asked.Load() != 1 || ctx.Err() != nil || wait < 59*time.Minute || wait > time.Hour {
				t.Errorf("asked %d times, to wait %v: %v", asked.Load(), wait, err)
			}
			if _, err := connect(t, address, "t").Contacts.Get(t.Context(), "contact_1"); refused(t, err) == nil || asked.Load() != 2 {
				t.Errorf("a server that wants an hour's rest is asked %d times: %v", asked.Load(), err)
			}
		})
	}
	t.Run("who cancels while waiting is told so", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		address, asked := answers(t, func(w http.ResponseWriter) {
			says(503, "", "Retry-After: 3600")(w)
			w.(http.Flusher).Flush()
			go cancel()
		})
		_, err := connect(t, address, "t", client.WithBackoff(time.Millisecond, 24*time.Hour)).Contacts.Get(ctx, "contact_1")
		if !errors.Is(err, context.Canceled) || asked.Load() != 1 {
			t.Errorf("asked %d times: %v", asked.Load(), err)
		}
	})
	t.Run("who cancelled before the answer was read is told so", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		asked := 0
		gone := &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
			asked++
			cancel()
			return &http.Response{StatusCode: 503, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
		})}
		_, err := connect(t, "http://localhost", "t", client.WithHTTPClient(gone)).Contacts.Get(ctx, "contact_1")
		if !errors.Is(err, context.Canceled) || refused(t, err).Status != 503 || asked != 1 {
			t.Errorf("asked %d times: %v", asked, err)
		}
	})
}

// Nobody listens, or what answers is no server of ours.
func TestServersThatAreNone(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.NotFoundHandler())
	address := s.URL
	s.Close()
	sent := 0
	counting := &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		sent++
		return http.DefaultTransport.RoundTrip(r)
	})}
	if _, err := connect(t, address, "t", client.WithRetries(3), client.WithHTTPClient(counting)).Me(t.Context()); err == nil || sent != 4 {
		t.Errorf("sent %d times: %v", sent, err)
	}
	address, _ = answers(t, says(200, "<html>"))
	if _, err := connect(t, address, "t").Me(t.Context()); err == nil || !strings.Contains(err.Error(), "GET /me") {
		t.Errorf("%v", err)
	}
	address, _ = answers(t, says(404, "404 page not found\n"))
	if _, err := connect(t, address, "t").Me(t.Context()); refused(t, err).Status != 404 || errors.Is(err, client.ErrNotFound) ||
		!strings.Contains(err.Error(), "page not found") {
		t.Errorf("%v", err)
	}
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	secure.StartTLS()
	defer secure.Close()
	sent = 0
	if _, err := connect(t, secure.URL, "t", client.WithHTTPClient(counting)).Me(t.Context()); err == nil || sent != 1 {
		t.Errorf("a certificate that is not trusted is tried %d times: %v", sent, err)
	}
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// oauthToken has the one method of *oauth2.Token that is needed.
type oauthToken struct{ access string }

func (t *oauthToken) SetAuthHeader(r *http.Request) {
	r.Header.Set("Authorization", "Bearer "+t.access)
}

// renewing gives another token each time, as a source does whose tokens expire.
type renewing struct {
	given []string
	err   error
}

func (s *renewing) Token() (*oauthToken, error) {
	if s.err != nil {
		return nil, s.err
	}
	next := s.given[0]
	s.given = append(s.given[1:], next)
	return &oauthToken{next}, nil
}

func TestTokenSourcesAreAskedForEachRequest(t *testing.T) {
	onBothEngines(t, httpapi.Options{}, func(t *testing.T, s *server) {
		second := must[string](t)(s.token([]string{"contact.read"}))
		f := s.front(t, nil)
		source := &renewing{given: []string{s.admin, second}}
		c := must[*client.Client](t)(client.New(f.url, client.OAuth(source)))
		for range 2 {
			must[*client.Me](t)(c.Me(t.Context()))
		}
		if got := f.requests(); got[0].token != "Bearer "+s.admin || got[1].token != "Bearer "+second {
			t.Errorf("%+v", got)
		}
		source.err = errors.New("the refresh token is revoked")
		if _, err := c.Me(t.Context()); !errors.Is(err, source.err) || len(f.requests()) != 2 {
			t.Errorf("%v", err)
		}
	})
}

func TestFieldsSayThreeThings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in   any
		want string
	}{
		{client.ContactInput{}, `{}`},
		{client.ContactInput{Name: client.Set("A"), Phone: client.Set("")}, `{"name":"A","phone":""}`},
		{client.ContactInput{LeadScore: client.Set(0.0), DoNotContact: client.Set(false)}, `{"lead_score":0,"do_not_contact":false}`},
		{
			client.ContactInput{LeadScore: client.Null[float64](), LastContactedAt: client.Set(time.Time{})},
			`{"lead_score":null,"last_contacted_at":null}`,
		},
		{
			client.DealInput{
				Amount: client.Set(client.Decimal("0.10")), Probability: client.Set(client.Decimal("12.5")),
				ExpectedCloseDate: client.Set(client.Date{Year: 2026, Month: 2, Day: 1}),
			},
			`{"amount":0.10,"probability":12.5,"expected_close_date":"2026-02-01"}`,
		},
		{
			client.DealInput{
				Amount:    client.Set(client.Decimal("1e3")),
				LineItems: client.Set([]client.LineItem{{Name: "x", Quantity: "2"}}),
			},
			`{"amount":"1e3","line_items":[{"name":"x","quantity":2}]}`,
		},
	} {
		text, err := json.Marshal(tt.in)
		if err != nil || string(text) != tt.want {
			t.Errorf("%s, %v; want %s", text, err, tt.want)
		}
	}
	var back client.ContactInput
	if err := json.Unmarshal([]byte(`{"name":"A","phone":null}`), &back); err != nil {
		t.Fatal(err)
	}
	if name, ok := back.Name.Get(); name != "A" || !ok || !back.Phone.IsNull() || !back.Email.IsZero() || back.Name.IsNull() {
		t.Errorf("%+v", back)
	}
}

func TestDecimalsAndDatesAreExact(t *testing.T) {
	t.Parallel()
	var deal client.Deal
	if err := json.Unmarshal([]byte(`{"amount":"99999999999999.9999","probability":33.3333,"expected_close_date":null,"closed_at":null}`),
		&deal); err != nil || deal.Amount != "99999999999999.9999" || deal.Probability != "33.3333" || !deal.ExpectedCloseDate.IsZero() {
		t.Errorf("%+v, %v", deal, err)
	}
	number, err := deal.Amount.Rat()
	if err != nil || number.FloatString(4) != "99999999999999.9999" {
		t.Errorf("%v, %v", number, err)
	}
	if none, err := client.Decimal("").Rat(); none != nil || err != nil {
		t.Errorf("%v, %v", none, err)
	}
	for _, wrong := range []client.Decimal{"a", "1/3", "0x10", "1e9", "01", ".5"} {
		if number, err := wrong.Rat(); err == nil {
			t.Errorf("%s is %v", wrong, number)
		}
	}
	day, err := client.ParseDate("2024-02-29")
	if err != nil || day != client.DateOf(time.Date(2024, 2, 29, 23, 0, 0, 0, time.UTC)) || day.String() != "2024-02-29" ||
		day.In(time.UTC).Weekday() != time.Thursday {
		t.Errorf("%v, %v", day, err)
	}
	if _, err := client.ParseDate("2023-02-29"); err == nil {
		t.Error("there was no such day")
	}
	if err := json.Unmarshal([]byte(`{"expected_close_date":"30.11.2026"}`), &deal); err == nil {
		t.Error("that is no date")
	}
}
