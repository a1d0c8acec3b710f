package webhook_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/testworld"
	"github.com/kith-crm/kith/internal/webhook"

	. "github.com/kith-crm/kith/internal/apitest"
)

// simulation are receivers that answer by the clock of what delivers to them.
type simulation struct {
	*World
	*testworld.Delivering
	// answers are what receivers answer, by their addresses, and tries what each was sent, in order.
	answers map[string]func(*simulation, try) webhook.Receipt
	tries   map[string][]try
	chance  *rand.Rand
}

// try is one request to a simulated receiver, and the answer. After is when it was made, since the simulation began.
type try struct {
	told
	after    time.Duration
	answered webhook.Receipt
}

func (y try) taken() bool { return y.answered.Status == http.StatusOK }

func simulate(t *testing.T, w *World) *simulation {
	t.Helper()
	s := &simulation{World: w, tries: map[string][]try{}, chance: rand.New(rand.NewPCG(1, 2))}
	s.answers = map[string]func(*simulation, try) webhook.Receipt{}
	s.Delivering = testworld.Deliver(t, w.Engine, w.Tenant, func(after time.Duration, m webhook.Message) webhook.Receipt {
		y := try{told: told{ID: m.ID, body: m.Body}, after: after}
		if err := json.Unmarshal(m.Body, &y.told); err != nil {
			t.Errorf("%s: %v", m.Body, err)
		}
		y.answered = s.answers[m.URL](s, y)
		s.tries[m.URL] = append(s.tries[m.URL], y)
		return y.answered
	})
	return s
}

func (s *simulation) receiver(t *testing.T, name string, answer func(*simulation, try) webhook.Receipt) (url, id string) {
	t.Helper()
	return s.receiverOf(t, "admin", name, answer)
}

func (s *simulation) receiverOf(t *testing.T, as, name string, answer func(*simulation, try) webhook.Receipt) (url, id string) {
	t.Helper()
	url = "https://" + name + ".example/hook"
	s.answers[url] = answer
	a := s.Send(t, Step{As: as, Do: "POST /webhooks", Body: `{"url":"` + url + `","events":["contact.*","deal.*"]}`})
	if a.Status != http.StatusCreated {
		t.Fatalf("%d %s", a.Status, a.Text)
	}
	return url, fmt.Sprint(At(a.JSON, "id"))
}

// Over the whole schedule, with receivers that fail in every way, no event is given up before its three days are over, nobody is asked
// sooner than they wanted, and nothing is lost or out of order: what one receiver takes or refuses uses up no attempts of what waits.
func TestScheduleOfWebhooks(t *testing.T) {
	t.Parallel()
	OnEach(t, func(t *testing.T, w *World) {
		const (
			ok, bad       = http.StatusOK, http.StatusInternalServerError
			asked         = 3 * time.Hour
			night, outage = 30 * time.Hour, 100 * time.Hour
			end           = 120 * time.Hour
			shortest      = 64 * time.Hour // ten attempts, each pause a tenth shorter
		)
		s := simulate(t, w)
		says := func(status int) webhook.Receipt { return webhook.Receipt{Status: status} }
		poison := func(y try) bool { return strings.Contains(string(y.body), "Poison") }
		away := func(y try) bool { return strings.Contains(string(y.body), "Away") }
		s.receiver(t, "well", func(*simulation, try) webhook.Receipt { return says(ok) })
		picky, pickyID := s.receiver(t, "picky", func(_ *simulation, y try) webhook.Receipt {
			switch {
			case poison(y):
				return says(bad)
			case away(y) && y.after < 20*time.Hour:
				return webhook.Receipt{Status: http.StatusServiceUnavailable, RetryAfter: asked}
			}
			return says(ok)
		})
		flaky, _ := s.receiver(t, "flaky", func(s *simulation, _ try) webhook.Receipt {
			if s.chance.IntN(2) == 0 {
				return webhook.Receipt{Error: "The receiver cannot be reached."}
			}
			return says(ok)
		})
		down := func(from, to time.Duration) func(*simulation, try) webhook.Receipt {
			return func(_ *simulation, y try) webhook.Receipt {
				if y.after >= from && y.after < to {
					return says(bad)
				}
				return says(ok)
			}
		}
		asleep, _ := s.receiver(t, "asleep", down(time.Hour, night))
		gone, goneID := s.receiver(t, "gone", down(time.Hour, outage))

		poisoned := contact(w, t, "Poison")
		contact(w, t, "Away")
		var last string
		made := 2
		for at := time.Duration(0); at < end; at += 3 * time.Hour {
			for n := range 3 {
				last = contact(w, t, fmt.Sprintf("Contact %d of %v", n, at))
				w.Send(t, Step{Do: "PATCH /contacts/" + last, Body: `{"job_title":"Changed"}`})
				s.Until(t, at+time.Duration(n+1)*10*time.Minute)
				made += 2
			}
			if at == 6*time.Hour { // which waits behind what the receiver never takes
				w.Send(t, Step{Do: "PATCH /contacts/" + poisoned, Body: `{"job_title":"Changed"}`})
				made++
			}
			s.Until(t, at+3*time.Hour)
			if at >= outage { // somebody enables the one that was disabled meanwhile
				w.Send(t, Step{Do: "PATCH /webhooks/" + goneID, Body: `{"status":"active"}`})
			}
		}
		s.Until(t, end+80*time.Hour)

		for url, tries := range s.tries {
			first, before, taken := map[string]try{}, map[string]try{}, map[string]int{}
			count := map[string]int{}
			newest := map[string]int64{}
			for _, y := range tries {
				if b, again := before[y.ID]; again {
					pause := y.after - b.after
					if taken[y.ID] > 0 {
						t.Errorf("%s: %s is sent again after it was taken", url, y.ID)
					}
					if pause < max(b.answered.RetryAfter, 4*time.Second) {
						t.Errorf("%s: %s is sent again after %v, attempt %d", url, y.ID, pause, count[y.ID]+1)
					}
				} else {
					first[y.ID] = y
				}
				if y.Seq < newest[y.Data.RecordID] {
					t.Errorf("%s: %d of %s comes behind %d", url, y.Seq, y.Data.RecordID, newest[y.Data.RecordID])
				}
				newest[y.Data.RecordID] = y.Seq
				before[y.ID] = y
				if count[y.ID]++; y.taken() {
					taken[y.ID]++
				}
			}
			// What an event is tried once more is between two attempts of its schedule.
			for id, y := range before {
				if made, most := count[id], 2*scheduled(y.after-first[id].after); made > most {
					t.Errorf("%s: %s was sent %d times within %v, want at most %d", url, id, made, y.after-first[id].after, most)
				}
				if after := y.after - first[id].after; taken[id] == 0 && after < shortest {
					t.Errorf("%s: %s was given up after %v and %d attempts", url, id, after, count[id])
				}
			}
			lost := made - len(taken)
			switch url {
			case picky: // it never takes two of them
				lost -= 2
			}
			if lost != 0 {
				t.Errorf("%s: of %d events %d were not taken", url, made, lost)
			}
		}
		// Who is back has everything within the time of the next new event.
		for url, back := range map[string]time.Duration{asleep: night, gone: outage + 3*time.Hour} {
			for _, y := range s.tries[url] {
				if due := y.after - back; y.taken() && !first(s.tries[url], y) && due > 4*time.Hour {
					t.Errorf("%s: %s came %v after the receiver was back", url, y.ID, due)
				}
			}
		}
		if n := len(s.tries[flaky]); n < made*3/2 {
			t.Errorf("the flaky receiver was asked %d times for %d events", n, made)
		}
		// What is told of deliveries is each of these attempts.
		a := w.Send(t, Step{Do: "POST /webhooks/" + pickyID + "/deliveries/search", Body: `{"limit":3,"sort_direction":"asc"}`})
		for _, d := range At(a.JSON, "data").([]any) {
			d := d.(map[string]any)
			var want int
			for _, y := range s.tries[picky] {
				if y.ID == d["webhook_message_id"] {
					want++
				}
			}
			told := d["tries"].([]any)
			if len(told) != want || d["attempts"] != json.Number(fmt.Sprint(want)) && d["attempts"] != float64(want) {
				t.Errorf("of %d attempts are told %v", want, d)
			}
		}
	})
}

// scheduled is how many attempts of the schedule may have been made within a time, of pauses that are each a tenth shorter.
func scheduled(within time.Duration) (n int) {
	n = 1
	for _, pause := range []time.Duration{
		5 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute,
		2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 20 * time.Hour, 34 * time.Hour,
	} {
		if within -= pause * 9 / 10; within < 0 {
			break
		}
		n++
	}
	return n
}

// first tells whether an attempt is the first of its event.
func first(all []try, y try) bool {
	for _, other := range all {
		if other.ID == y.ID {
			return other.after == y.after
		}
	}
	return false
}

// What waits for a receiver is sent by the rights of who says by then where it is sent, and as the record is by then: nobody gets by the
// webhook of another what they may not read, be it by its address, by enabling it, or because the role of its maker changes.
func TestWhatWaitsHasTheRightsOfTheMoment(t *testing.T) {
	t.Parallel()
	OnEach(t, func(t *testing.T, w *World) {
		for name, c := range map[string]struct {
			as, change string
			// told are the events that are sent in the end.
			told string
		}{
			"by nobody":           {"", "", "contact.created deal.created"},
			"to another address":  {"admin:webhook.all,deal.read", `{"url":"https://other.example/hook"}`, "deal.created"},
			"for other events":    {"admin", `{"events":["deal.*"]}`, "deal.created"},
			"with other filters":  {"admin", `{"filters":{"contact":[{"field":"name","operator":"eq","value":"Nobody"}]}}`, "deal.created"},
			"with who reads less": {"admin:webhook.all", `{"url":"https://other.example/hook"}`, ""},
			"with its name alone": {"admin:webhook.all", `{"name":"Renamed"}`, "contact.created deal.created"},
			"by who enables it":   {"admin:webhook.all,contact.read", `{"status":"active"}`, "contact.created"},
			"with who reads it all": {
				"admin:webhook.all,contact.read,deal.read", `{"url":"https://other.example/hook"}`, "contact.created deal.created",
			},
		} {
			s := simulate(t, w)
			fails := true
			answer := func(*simulation, try) webhook.Receipt {
				if fails {
					return webhook.Receipt{Status: http.StatusBadGateway}
				}
				return webhook.Receipt{Status: http.StatusOK}
			}
			_, id := s.receiver(t, "first", answer)
			s.answers["https://other.example/hook"] = answer
			made := contact(w, t, "Secret of "+name)
			w.Check(t, Step{Do: "POST /deals", Body: `{"name":"Deal"}`, Status: 201})
			s.Now(t)
			w.Check(t, Step{Do: "PATCH /contacts/" + made, Body: `{"job_title":"Late"}`, Status: 200})
			if c.change == `{"status":"active"}` {
				w.Check(t, Step{Do: "PATCH /webhooks/" + id, Body: `{"status":"disabled"}`, Status: 200})
			}
			if c.change != "" {
				w.Check(t, Step{As: c.as, Do: "PATCH /webhooks/" + id, Body: c.change, Status: 200})
			}
			fails = false
			s.Until(t, time.Hour)
			var got []string
			for _, tries := range s.tries {
				for _, y := range tries {
					if !y.taken() || strings.HasSuffix(y.Type, ".updated") {
						continue
					}
					got = append(got, y.Type)
					if y.Type == "contact.created" && y.Data.Record["job_title"] != "Late" {
						t.Errorf("%s: the record is stale: %s", name, y.body)
					}
				}
			}
			slices.Sort(got)
			if told := strings.Join(got, " "); told != c.told {
				t.Errorf("%s: what waited was sent as %q, want %q", name, told, c.told)
			}
			a := w.Send(t, Step{Do: "POST /webhooks/" + id + "/deliveries/search", Body: `{"limit":10}`})
			if strings.Contains(string(a.Text), `"status":"waiting"`) {
				t.Errorf("%s: something waits still: %s", name, a.Text)
			}
			w.Check(t, Step{Do: "DELETE /webhooks/" + id, Status: 204})
		}
	})
}
