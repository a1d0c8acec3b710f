package oauth_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/oauth"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/testworld"
)

const keyOrigin = "https://crm.example.com"

// keyed gives a user a passkey, and the recovery codes where it is their first second factor.
func (w *world) keyed(t *testing.T, who *record.Principal, session schema.UUID, name string) (*testworld.Passkey, []string) {
	t.Helper()
	key := &testworld.Passkey{Origin: keyOrigin}
	c, err := w.people.NewPasskey(t.Context(), who, keyOrigin)
	if err != nil {
		t.Fatal(err)
	}
	codes, err := w.people.AddPasskey(t.Context(), who, session,
		oauth.Signed{Origin: keyOrigin, State: c.State, Response: key.Create(t, c.Options)}, name, w.domain)
	if err != nil {
		t.Fatal(err, w.log)
	}
	return key, codes
}

// anyKey is the answer of a passkey to a challenge for whoever has one.
func (w *world) anyKey(t *testing.T, key *testworld.Passkey) oauth.Signed {
	t.Helper()
	c, err := w.people.AskAnyPasskey(keyOrigin)
	if err != nil {
		t.Fatal(err)
	}
	return oauth.Signed{Origin: keyOrigin, State: c.State, Response: key.Get(t, c.Options)}
}

func TestPasskeys(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		who, session, _ := w.login(t, "member")
		key, codes := w.keyed(t, who, session, "Telephone")
		if len(codes) != 10 || !w.factorSince(t, "member") {
			t.Fatal("the first passkey is no second factor", codes)
		}
		spare, codes := w.keyed(t, who, session, "")
		if codes != nil {
			t.Error("the second passkey brings codes")
		}
		f, err := w.people.Factors(ctx, w.harbour, who.User)
		if err != nil || len(f.Passkeys) != 2 || f.Passkeys[0].Name != "Telephone" || f.Passkeys[1].Name != "Passkey" {
			t.Fatalf("%+v %v", f, err)
		}

		// Alone it logs in, and a password is not asked for.
		signed := w.anyKey(t, key)
		id, err := w.people.LogInByPasskey(ctx, signed, w.domain)
		if err != nil || id.User != who.User || id.Tenant.ID() != w.harbour.ID() {
			t.Fatal(id, err)
		}
		if _, err := w.people.StartSession(ctx, *id, "", ""); err != nil {
			t.Fatal(err)
		}
		if _, err := w.people.LogInByPasskey(ctx, signed, w.domain); !errors.Is(err, oauth.ErrWrongFactor) {
			t.Errorf("an answer is taken twice: %v", err)
		}
		// Beside the password it is the second factor, for the user that it belongs to.
		proof := w.half(t, "member")
		half, err := w.people.Half(ctx, proof)
		if err != nil {
			t.Fatal(err)
		}
		c, err := half.AskPasskey(ctx, w.people, keyOrigin)
		if err != nil || strings.Count(c.Options, `"public-key"`) < 2 {
			t.Fatal(c, err)
		}
		if _, err := w.people.FinishLogin(ctx, proof,
			oauth.Answer{Passkey: &oauth.Signed{Origin: keyOrigin, State: c.State, Response: spare.Get(t, c.Options)}},
			w.domain); err != nil {
			t.Error(err, w.log)
		}
		// It confirms alone.
		before, err := w.people.ConfirmedAt(ctx, who, session)
		if err != nil {
			t.Fatal(err)
		}
		if c, err = w.people.AskPasskey(ctx, w.harbour, who.User, keyOrigin); err != nil {
			t.Fatal(err)
		}
		given := oauth.Confirmation{Factor: oauth.Answer{Passkey: &oauth.Signed{
			Origin: keyOrigin, State: c.State,
			Response: key.Get(t, c.Options),
		}}}
		if err := w.people.Confirm(ctx, who, session, given, w.domain); err != nil {
			t.Error(err)
		}
		if at, err := w.people.ConfirmedAt(ctx, who, session); err != nil || !at.After(before) {
			t.Errorf("it was confirmed at %v and %v, %v", before, at, err)
		}

		// One that is removed opens nothing, the other does; without both the password is enough.
		if err := w.people.RemoveFactor(ctx, who, f.Passkeys[0].ID); err != nil || !w.factorSince(t, "member") {
			t.Fatal(err)
		}
		if _, err := w.people.LogInByPasskey(ctx, w.anyKey(t, key), w.domain); !errors.Is(err, oauth.ErrWrongFactor) {
			t.Errorf("a passkey that was removed: %v", err)
		}
		if _, err := w.people.LogInByPasskey(ctx, w.anyKey(t, spare), w.domain); err != nil {
			t.Error(err)
		}
		if err := w.people.RemoveFactor(ctx, who, f.Passkeys[1].ID); err != nil || w.factorSince(t, "member") {
			t.Fatal(err)
		}
	})
}

func TestWrongPasskeys(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		who, session, _ := w.login(t, "member")
		key, _ := w.keyed(t, who, session, "Telephone")
		other, otherSession, _ := w.login(t, "viewer")
		others, _ := w.keyed(t, other, otherSession, "Theirs")
		refused := func(name string, signed oauth.Signed) {
			t.Helper()
			if id, err := w.people.LogInByPasskey(ctx, signed, w.domain); !errors.Is(err, oauth.ErrWrongFactor) {
				t.Errorf("%s: %v %v", name, id, err)
			}
		}
		elsewhere := *key
		elsewhere.Origin = "https://evil.example.com"
		refused("signed at another site", w.anyKey(t, &elsewhere))
		key.Count = elsewhere.Count
		careless := *key
		careless.Unverified = true
		refused("without a finger or a number", w.anyKey(t, &careless))
		key.Count = careless.Count
		signed := w.anyKey(t, key)
		for name, change := range map[string]func(*oauth.Signed){
			"no state":             func(s *oauth.Signed) { s.State = "" },
			"another challenge":    func(s *oauth.Signed) { s.State = w.anyKey(t, others).State },
			"at another server":    func(s *oauth.Signed) { s.Origin = "https://other.example.com" },
			"at a bare address":    func(s *oauth.Signed) { s.Origin = "http://127.0.0.1:8080" },
			"no JSON":              func(s *oauth.Signed) { s.Response = "{" },
			"a response too large": func(s *oauth.Signed) { s.Response = `{"id":"` + strings.Repeat("A", 60_000) + `"}` },
			"another's name on it": func(s *oauth.Signed) { s.Response = renamed(t, s.Response, w.harbour.ID(), other.User) },
			"nobody's name on it":  func(s *oauth.Signed) { s.Response = renamed(t, s.Response, schema.UUID{1}, other.User) },
		} {
			wrong := signed
			change(&wrong)
			refused(name, wrong)
		}
		// What was asked of one user is not answered by another.
		c, err := w.people.AskPasskey(ctx, w.harbour, who.User, keyOrigin)
		if err != nil {
			t.Fatal(err)
		}
		given := oauth.Confirmation{Factor: oauth.Answer{Passkey: &oauth.Signed{
			Origin: keyOrigin, State: c.State,
			Response: others.Get(t, c.Options),
		}}}
		if err := w.people.Confirm(ctx, who, session, given, w.domain); !errors.Is(err, oauth.ErrWrongFactor) {
			t.Errorf("another's passkey confirms: %v", err)
		}
		if _, err := w.people.LogInByPasskey(ctx, signed, w.domain); err != nil {
			t.Errorf("the right one after all that: %v\n%s", err, w.log)
		}
		// A count that goes back tells of a copy.
		key.Count = 0
		refused("a copy", w.anyKey(t, key))

		// What was made for another, or at another site, is not kept.
		c, err = w.people.NewPasskey(ctx, who, keyOrigin)
		if err != nil {
			t.Fatal(err)
		}
		for name, made := range map[string]oauth.Signed{
			"made at another site": {
				Origin: keyOrigin, State: c.State,
				Response: (&testworld.Passkey{Origin: "https://evil.example.com"}).Create(t, c.Options),
			},
			"without verification": {
				Origin: keyOrigin, State: c.State,
				Response: (&testworld.Passkey{Origin: keyOrigin, Unverified: true}).Create(t, c.Options),
			},
			"not what was asked of": {Origin: keyOrigin, State: "", Response: (&testworld.Passkey{Origin: keyOrigin}).Create(t, c.Options)},
		} {
			if _, err := w.people.AddPasskey(ctx, who, session, made, "", w.domain); !errors.Is(err, oauth.ErrWrongFactor) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := w.people.AddPasskey(ctx, other, otherSession,
			oauth.Signed{Origin: keyOrigin, State: c.State, Response: (&testworld.Passkey{Origin: keyOrigin}).Create(t, c.Options)}, "",
			w.domain); !errors.Is(err, oauth.ErrWrongFactor) {
			t.Errorf("asked of another user: %v", err)
		}
		for _, origin := range []string{"http://127.0.0.1:8080", "https://[::1]", "http://crm.example.com", "", "nonsense"} {
			if _, err := w.people.AskAnyPasskey(origin); !errors.Is(err, oauth.ErrNoPasskeys) {
				t.Errorf("%s: %v", origin, err)
			}
		}
		if _, err := w.people.AskAnyPasskey("http://localhost:8080"); err != nil {
			t.Error(err)
		}

		// Who is suspended stays outside.
		admin, _, _ := w.login(t, "admin")
		n, err := body.Parse([]byte(`{"status":"suspended"}`))
		if err == nil {
			_, err = w.engine.Do(ctx, record.Call{Principal: admin},
				record.Operation{Kind: record.KindOf("user"), Name: record.Update, ID: schema.FormatID("user", other.User), Body: n})
		}
		if err != nil {
			t.Fatal(err)
		}
		refused("suspended", w.anyKey(t, others))
	})
}

// renamed is a response with another user on it.
func renamed(t *testing.T, response string, business, user schema.UUID) string {
	t.Helper()
	var all map[string]any
	if err := json.Unmarshal([]byte(response), &all); err != nil {
		t.Fatal(err)
	}
	all["response"].(map[string]any)["userHandle"] = append(business[:], user[:]...)
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Of many who send the same answer at once, one gets in.
func TestAPasskeysAnswerIsUsedOnce(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		who, session, _ := w.login(t, "member")
		key, _ := w.keyed(t, who, session, "")
		signed := w.anyKey(t, key)
		var in atomic.Int64
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				_, err := w.people.LogInByPasskey(context.Background(), signed, w.domain)
				switch {
				case err == nil:
					in.Add(1)
				case !errors.Is(err, oauth.ErrWrongFactor):
					t.Error(err)
				}
			})
		}
		all.Wait()
		if in.Load() != 1 {
			t.Errorf("%d got in with one answer", in.Load())
		}
	})
}
