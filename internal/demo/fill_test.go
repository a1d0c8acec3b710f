package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/oauth"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/testworld"
)

func TestSharesAddUpAndFall(t *testing.T) {
	for _, c := range []struct{ total, parts int }{{1, 1}, {7, 7}, {100, 3}, {1000, 10}, {1000, 900}, {100_000, 50}, {99_999, 1000}} {
		got := shares(c.total, c.parts)
		sum := 0
		for i, n := range got {
			sum += n
			if i > 0 && n > got[i-1] || n < 1 {
				t.Errorf("shares(%d, %d): %d comes at place %d", c.total, c.parts, n, i)
			}
		}
		if sum != c.total || len(got) != c.parts {
			t.Errorf("shares(%d, %d) add up to %d in %d parts", c.total, c.parts, sum, len(got))
		}
	}
	if got := shares(113, 3); got[0] != 61 || got[1] != 31 || got[2] != 21 {
		t.Errorf("shares(113, 3) = %v", got)
	}
}

// count adds up the maintained counts and the records of every business's contacts.
func count(t *testing.T, e *record.Engine) (sum int, each []int) {
	t.Helper()
	ctx := context.Background()
	businesses, err := e.Store().Businesses(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range businesses {
		tenant, err := e.Store().Tenant(ctx, b.ID)
		if err != nil {
			t.Fatal(err)
		}
		n, err := tenant.Count(ctx, &record.KindOf("contact").Resource)
		if err != nil {
			t.Fatal(err)
		}
		sum, each = sum+int(n), append(each, int(n))
	}
	return sum, each
}

func TestFill(t *testing.T) {
	now := time.Now()
	var elsewhere string
	testworld.OnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		e := newEngine(t, url)
		account, _ := mustMake(t, e, now)
		told := 0
		fill := func(contacts, businesses, made int) {
			t.Helper()
			before, _ := count(t, e)
			done, err := Fill(ctx, e, contacts, businesses, now, func(n int) { told = n })
			if err != nil {
				t.Fatal(err)
			}
			if sum, each := count(t, e); sum != contacts || len(each) != businesses || done.Contacts != contacts ||
				done.Made != contacts-before || done.Made != made && made >= 0 {
				t.Errorf("%d contacts in %d businesses give %v and %+v, %d before", contacts, businesses, each, done, before)
			}
		}
		fill(600, 4, -1)
		if told != 600 {
			t.Errorf("the last progress was %d", told)
		}
		log := logText(t, e)
		if elsewhere == "" {
			elsewhere = log
		}
		if log != elsewhere || strings.Count(log, "\n") < 600 {
			t.Errorf("the other database has other contacts")
		}
		fill(600, 4, 0)
		fill(750, 4, 150)
		inOrder(t, e)

		records := all(t, e, account.Token, "contact", false)
		if _, each := count(t, e); len(records) != each[0] {
			t.Errorf("a search finds %d contacts, want %d", len(records), each[0])
		}
		for _, field := range []string{"company_id", "owner_id", "email", "lifecycle_stage_id", "created_at"} {
			if n := len(values(records, field)); n < 3 {
				t.Errorf("%s has %d different values only", field, n)
			}
		}
		sameAsTheEnginesOwn(t, e, account)
	})
}

// inOrder holds what was brought in to come in the order of its creation, also what came with a later run.
func inOrder(t *testing.T, e *record.Engine) {
	t.Helper()
	ctx := context.Background()
	businesses, err := e.Store().Businesses(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for n, b := range businesses {
		tenant, err := e.Store().Tenant(ctx, b.ID)
		if err != nil {
			t.Fatal(err)
		}
		var came []store.Change
		err = tenant.Changes(ctx, 0, func(c store.Change) error {
			if c.Action == "create" && (c.Resource == "contact" || c.Resource == "company") {
				came = append(came, c)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		last := map[string]time.Time{}
		for _, c := range came {
			rec, err := tenant.Get(ctx, &record.KindOf(c.Resource).Resource, c.RecordID, false)
			if errors.Is(err, store.ErrNotFound) { // in the bin by now
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			at := rec.Get(record.KindOf(c.Resource).Must("created_at")).Time()
			if at.Before(last[c.Resource]) || at.After(time.Now()) {
				t.Fatalf("business %d: a %s of %v comes after one of %v", n+1, c.Resource, at, last[c.Resource])
			}
			last[c.Resource] = at
		}
	}
}

// sameAsTheEnginesOwn takes contacts and companies that were made in bulk, has the engine make them from what a client would send, and
// compares. So the bulk path cannot drift from the rules.
func sameAsTheEnginesOwn(t *testing.T, e *record.Engine, account Account) {
	t.Helper()
	ctx := context.Background()
	who, err := oauth.NewAuthenticator(e, "").Authenticate(ctx, account.Token)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"contact", "company"} {
		k := record.KindOf(kind)
		records := all(t, e, account.Token, kind, false)
		for _, r := range records[len(records)-20:] {
			id := r["id"].(string)
			rec, err := record.Call{Principal: who}.Get(ctx, k, id)
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range k.Leaves {
				if l.ReadOnly {
					delete(r, l.Path)
				}
			}
			text, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			n, err := body.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			own, err := e.Do(ctx, record.Call{Principal: who}, record.Operation{Kind: k, Name: record.Create, Body: n})
			if err != nil {
				t.Fatalf("the engine refuses what was made in bulk: %v\n%s", err, text)
			}
			for i, l := range k.Leaves {
				if !l.ReadOnly && own.Values[i] != rec.Values[i] {
					t.Errorf("%s of a %s made in bulk is %v, the engine's is %v", l.Path, kind, rec.Values[i], own.Values[i])
				}
			}
		}
	}
}

func TestFillCanBeInterrupted(t *testing.T) {
	testworld.OnBoth(t, func(t *testing.T, url string) {
		e := newEngine(t, url)
		now := time.Now()
		mustMake(t, e, now)
		ctx, cancel := context.WithCancel(context.Background())
		done, err := Fill(ctx, e, 900, 6, now, func(n int) {
			if n > 500 {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("an interrupted run ends with %v", err)
		}
		if sum, _ := count(t, e); sum != done.Contacts || sum <= 500 || sum >= 900 {
			t.Errorf("%d contacts are there after the interruption, reported were %d", sum, done.Contacts)
		}
		done, err = Fill(context.Background(), e, 900, 6, now, func(int) {})
		if sum, each := count(t, e); err != nil || sum != 900 || done.Contacts != 900 || len(each) != 6 {
			t.Errorf("the next run ends with %d contacts in %v, %+v, %v", sum, each, done, err)
		}
	})
}

// logText is what the change logs of all businesses say, with ids numbered in the order in which they appear.
func logText(t *testing.T, e *record.Engine) string {
	t.Helper()
	ctx := context.Background()
	businesses, err := e.Store().Businesses(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for _, b := range businesses {
		tenant, err := e.Store().Tenant(ctx, b.ID)
		if err != nil {
			t.Fatal(err)
		}
		numbers := map[string]int{}
		err = tenant.Changes(ctx, 0, func(c store.Change) error {
			if c.Resource == "token" { // its beginning is random
				return nil
			}
			text := c.Changes
			for _, r := range append(record.Registry.Names(), "stage") {
				for at := strings.Index(text, r+"_0"); at >= 0; at = strings.Index(text, r+"_0") {
					id := text[at : at+len(r)+27]
					if _, err := schema.ParseID(r, id); err != nil {
						t.Fatalf("%q in the log: %v", id, err)
					}
					if numbers[id] == 0 {
						numbers[id] = len(numbers) + 1
					}
					text = strings.ReplaceAll(text, id, fmt.Sprintf("#%d", numbers[id]))
				}
			}
			fmt.Fprintln(&out, c.Seq, c.Resource, c.Version, c.Action, c.At.Truncate(time.Second), text)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}
