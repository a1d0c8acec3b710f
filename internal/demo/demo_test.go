package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/oauth"
	"github.com/kith-crm/kith/internal/pgtest"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/testworld"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

func newEngine(t *testing.T, url string) *record.Engine {
	t.Helper()
	return testworld.Engine(t, testworld.Open(t, url))
}

func mustMake(t *testing.T, e *record.Engine, now time.Time) (Account, bool) {
	t.Helper()
	a, created, err := Make(context.Background(), e, now)
	if err != nil {
		t.Fatal(err)
	}
	return a, created
}

// all reads every record that a search finds, page by page, as the holder of a token does.
func all(t *testing.T, e *record.Engine, token, kind string, bin bool) []map[string]any {
	t.Helper()
	who, err := oauth.NewAuthenticator(e, "").Authenticate(context.Background(), token)
	if err != nil {
		t.Fatal(err)
	}
	var records []map[string]any
	cursor := ""
	for {
		n, err := body.Parse(fmt.Appendf(nil, `{"limit":100,"sort_direction":"asc"%s}`, cursor))
		if err != nil {
			t.Fatal(err)
		}
		text, err := httpapi.AppendList(context.Background(), e, record.Call{Principal: who}, record.KindOf(kind), bin, n, nil)
		if err != nil {
			t.Fatal(err)
		}
		var page struct {
			Data []map[string]any
			Meta struct {
				Cursor struct{ Next *string }
				Total  *int
			}
		}
		if err := json.Unmarshal(text, &page); err != nil {
			t.Fatal(err)
		}
		records = append(records, page.Data...)
		if page.Meta.Cursor.Next == nil {
			if page.Meta.Total == nil || *page.Meta.Total != len(records) {
				t.Errorf("%s: total is %v, but %d were found", kind, page.Meta.Total, len(records))
			}
			return records
		}
		cursor = fmt.Sprintf(`,"cursor":%q`, *page.Meta.Cursor.Next)
	}
}

// values lists the different values of a field, sorted.
func values(records []map[string]any, field string) []string {
	var found []string
	for _, r := range records {
		if v := fmt.Sprint(r[field]); !slices.Contains(found, v) {
			found = append(found, v)
		}
	}
	slices.Sort(found)
	return found
}

func TestDemoBusinessHasSomethingOfEverythingAndIsMadeOnce(t *testing.T) {
	testworld.OnBoth(t, func(t *testing.T, url string) {
		e := newEngine(t, url)
		now := time.Now()
		account, created := mustMake(t, e, now)
		if !created {
			t.Error("a new business is not reported as new")
		}
		records := map[string][]map[string]any{}
		sum := 0
		for _, k := range record.Kinds() {
			// Whoever tries the demo makes their own.
			if k.Access.Personal || slices.Contains([]string{"token", "app", "webhook", "report"}, k.Name) {
				continue
			}
			records[k.Name] = all(t, e, account.Token, k.Name, false)
			sum += len(records[k.Name])
			least := map[string]int{
				"pipeline": 2, "lifecycle_stage": 4, "loss_reason": 5, "role": 4, "user": 6, "product": 15, "view": 3, "field": 3,
			}[k.Name]
			if n := len(records[k.Name]); n < max(least, 2) || least == 0 && n < 30 {
				t.Errorf("%d records of %s", n, k.Name)
			}
		}
		if sum < 300 || sum > 2000 {
			t.Errorf("%d records are not a few hundred", sum)
		}
		for _, has := range []struct{ kind, field, values string }{
			{"deal", "status", "lost open won"},
			{"quote", "status", "accepted declined draft expired sent"},
			{"task", "status", "cancelled completed in_progress open"},
			{"task", "priority", "high low normal urgent"},
			{"note", "pinned", "false true"},
			{"activity", "activity_type", "call email meeting message other"},
			{"product", "status", "active archived draft"},
			{"user", "status", "active invited suspended"},
		} {
			if got := strings.Join(values(records[has.kind], has.field), " "); got != has.values {
				t.Errorf("%s.%s has the values %s, want %s", has.kind, has.field, got, has.values)
			}
		}
		if got := len(values(records["user"], "role_id")); got != 4 {
			t.Errorf("the users have %d roles, want all 4", got)
		}
		stages := values(records["deal"], "stage_id")
		for _, p := range records["pipeline"] {
			for _, s := range p["stages"].([]any) {
				if stage := s.(map[string]any); !slices.Contains(stages, stage["id"].(string)) {
					t.Errorf("no deal is in the stage %s of %s", stage["name"], p["name"])
				}
			}
		}
		lands := map[any]bool{}
		for _, c := range records["contact"] {
			lands[c["address"].(map[string]any)["country"]] = true
		}
		if len(lands) < 8 {
			t.Errorf("contacts live in %d countries only", len(lands))
		}
		if bin := all(t, e, account.Token, "contact", true); len(bin) == 0 {
			t.Error("the bin is empty")
		}
		checkHistory(t, e, account, now)
		secondRun(t, e, account, len(records["contact"]))
	})
}

// checkHistory holds the change log to what it promises: no gaps, and a past that runs forward to today.
func checkHistory(t *testing.T, e *record.Engine, account Account, now time.Time) {
	t.Helper()
	who, err := oauth.NewAuthenticator(e, "").Authenticate(context.Background(), account.Token)
	if err != nil {
		t.Fatal(err)
	}
	var last store.Change
	first := now
	users := map[schema.UUID]bool{}
	err = who.Tenant.Changes(context.Background(), 0, func(c store.Change) error {
		if c.Seq != last.Seq+1 {
			t.Errorf("entry %d follows %d", c.Seq, last.Seq)
		}
		if c.At.Before(last.At) {
			t.Errorf("entry %d at %v comes after one at %v", c.Seq, c.At, last.At)
		}
		users[c.Actor.User] = true
		if c.Resource == "token" { // made now, after the story
			last.Seq = c.Seq
			return nil
		}
		last = c
		first = minTime(first, c.At)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if age := now.Sub(first).Hours() / 24; age < 360 || age > 370 {
		t.Errorf("the story begins %.0f days ago, want a year", age)
	}
	if age := now.Sub(last.At).Hours() / 24; age < 0 || age > 10 {
		t.Errorf("the story ends %.1f days ago", age)
	}
	if len(users) < 4 {
		t.Errorf("%d users made all changes", len(users))
	}
}

func minTime(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// secondRun makes no second business and no further records, only a token.
func secondRun(t *testing.T, e *record.Engine, first Account, contacts int) {
	t.Helper()
	second, created := mustMake(t, e, time.Now().AddDate(0, 0, 3))
	if created || second.BusinessID != first.BusinessID || second.Token == first.Token {
		t.Errorf("the second run gives %+v (new: %v) after %+v", second, created, first)
	}
	if n := len(all(t, e, second.Token, "contact", false)); n != contacts {
		t.Errorf("%d contacts, %d before", n, contacts)
	}
	if tokens := all(t, e, second.Token, "token", false); len(tokens) != 1 {
		t.Errorf("the tokens are %v, want the newest alone", tokens)
	}
	if _, err := oauth.NewAuthenticator(e, "").Authenticate(context.Background(), first.Token); err == nil {
		t.Error("the token of the first run still works")
	}
	businesses, err := e.Store().Businesses(context.Background())
	if err != nil || len(businesses) != 1 {
		t.Errorf("%d businesses, %v", len(businesses), err)
	}
}

func TestTwoAtOnceMakeOneBusiness(t *testing.T) {
	testworld.OnBoth(t, func(t *testing.T, url string) {
		accounts := make([]Account, 2)
		var group sync.WaitGroup
		for i := range accounts {
			e := newEngine(t, url)
			group.Go(func() {
				var err error
				if accounts[i], _, err = Make(context.Background(), e, time.Now()); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		e := newEngine(t, url)
		businesses, err := e.Store().Businesses(context.Background())
		if err != nil || len(businesses) != 1 || accounts[0].BusinessID != accounts[1].BusinessID {
			t.Errorf("%d businesses, accounts %+v, %v", len(businesses), accounts, err)
		}
	})
}

// The story must hold together on whatever day it is told, and be the same one.
func TestDemoIsTheSameEveryDay(t *testing.T) {
	var want string
	for _, days := range []int{0, 1, 2, 45, 400} {
		e := newEngine(t, testworld.Database(t, "sqlite"))
		account, _ := mustMake(t, e, time.Now().AddDate(0, 0, days))
		var got strings.Builder
		for _, kind := range []string{"contact", "deal", "task", "activity"} {
			for _, r := range all(t, e, account.Token, kind, false) {
				fmt.Fprintln(&got, kind, r["name"], r["title"], r["subject"], r["email"], r["amount"], r["status"], r["lead_score"])
			}
		}
		if want == "" {
			want = got.String()
		}
		if got.String() != want {
			t.Errorf("%d days later the story is another one", days)
		}
	}
}

// Whatever the day and its hour: there is something to do today, in the next days and later, a few things were let lie, deals close
// in the coming weeks, and nothing has happened that is still to come.
func TestDemosTimeEndsToday(t *testing.T) {
	// Days to come, for whether a quote has expired goes by the real day.
	day := midnight(time.Now())
	for _, now := range []time.Time{
		time.Now(), day.AddDate(0, 0, 1).Add(10 * time.Second), day.AddDate(0, 0, 41).Add(-10 * time.Second),
		day.AddDate(0, 7, 3).Add(6 * time.Hour).In(time.FixedZone("", 9*3600)),
	} {
		t.Run(now.Format(time.DateTime), func(t *testing.T) {
			e := newEngine(t, testworld.Database(t, "sqlite"))
			account, _ := mustMake(t, e, now)
			today := midnight(now)
			tomorrow, week := today.AddDate(0, 0, 1), today.AddDate(0, 0, 8)
			at := func(r map[string]any, field string) time.Time {
				t.Helper()
				text, _ := r[field].(string)
				for _, layout := range []string{time.RFC3339, time.DateOnly} {
					if at, err := time.Parse(layout, text); err == nil {
						return at
					}
				}
				t.Fatalf("%s is %v in %v", field, r[field], r)
				return time.Time{}
			}
			var overdue, due, soon, later int
			for _, task := range all(t, e, account.Token, "task", false) {
				if task["status"] != "open" && task["status"] != "in_progress" {
					continue
				}
				switch at := at(task, "due_at"); {
				case at.Before(today):
					overdue++
				case at.Before(tomorrow):
					due++
				case at.Before(week):
					soon++
				default:
					later++
				}
			}
			if sum := overdue + due + soon + later; overdue < 2 || 3*overdue > sum || due < 2 || soon < 5 || later < 5 {
				t.Errorf("of the tasks to do %d are overdue, %d due today, %d in the next seven days and %d later", overdue, due, soon,
					later)
			}
			var open, missed, near int
			for _, deal := range all(t, e, account.Token, "deal", false) {
				if deal["status"] != "open" {
					continue
				}
				open++
				switch closes := at(deal, "expected_close_date"); {
				case closes.Before(today):
					missed++
				case closes.Before(today.AddDate(0, 0, 60)):
					near++
				}
			}
			if missed > open/4 || near < open/2 {
				t.Errorf("of %d open deals %d should have closed, and %d are to close in the coming weeks", open, missed, near)
			}
			var ofToday int
			for _, activity := range all(t, e, account.Token, "activity", false) {
				happened := at(activity, "occurred_at")
				if happened.After(now) {
					t.Errorf("an activity of %v has happened by %v", happened, now)
				}
				if !happened.Before(today) {
					ofToday++
				}
			}
			if ofToday == 0 {
				t.Error("nothing has happened today")
			}
			for _, kind := range []string{"contact", "company", "deal", "task", "note", "activity", "quote"} {
				for _, r := range all(t, e, account.Token, kind, false) {
					if at(r, "updated_at").After(now) {
						t.Errorf("a %s was changed at %v, after %v", kind, r["updated_at"], now)
					}
				}
			}
		})
	}
}
