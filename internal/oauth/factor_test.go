package oauth_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/oauth"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
	"github.com/kith-crm/kith/internal/testworld"
)

// factored gives a user an authenticator app, and their session with the recovery codes.
func (w *world) factored(t *testing.T, name string) (*testworld.Authenticator, *record.Principal, schema.UUID, []string) {
	t.Helper()
	who, session, _ := w.login(t, name)
	app := &testworld.Authenticator{Secret: oauth.NewAuthenticatorSecret()}
	codes, err := w.people.AddAuthenticator(t.Context(), who, session, app.Secret, app.Code(t), w.domain)
	if err != nil || len(codes) != 10 {
		t.Fatal(codes, err)
	}
	return app, who, session, codes
}

// half is the proof of a log-in that waits for its second factor.
func (w *world) half(t *testing.T, name string) string {
	t.Helper()
	proof, err := w.people.AskFactor(t.Context(), w.proven(t, name))
	if err != nil || proof == "" {
		t.Fatalf("no second factor is asked for: %v", err)
	}
	return proof
}

func (w *world) factorSince(t *testing.T, name string) bool {
	t.Helper()
	u, err := w.tenantOf(name).Get(t.Context(), &record.KindOf("user").Resource, w.users[name], false)
	if err != nil {
		t.Fatal(err)
	}
	return u.Get(account.Users.SecondFactorAt).Set
}

func TestSecondFactorAtLogIn(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		_, _, elsewhere := w.login(t, "member")
		waiting, err := w.people.Ticket(w.email("member"), []keep.Identity{w.proven(t, "member")})
		if err != nil {
			t.Fatal(err)
		}
		who, session, cookie := w.login(t, "member")
		app := &testworld.Authenticator{Secret: oauth.NewAuthenticatorSecret()}
		if _, err := w.people.AddAuthenticator(ctx, who, session, app.Secret, "000000", w.domain); !errors.Is(err,
			oauth.ErrWrongFactor) || w.factorSince(t, "member") {
			t.Fatalf("a wrong code sets it up: %v", err)
		}
		first := app.Code(t)
		codes, err := w.people.AddAuthenticator(ctx, who, session, app.Secret, first[:3]+" "+first[3:], w.domain)
		if err != nil || len(codes) != 10 || !w.factorSince(t, "member") {
			t.Fatal(codes, err)
		}
		if _, err := w.people.AddAuthenticator(ctx, who, session, app.Secret, app.Code(t), w.domain); err == nil {
			t.Error("a second authenticator app is taken")
		}
		// What began without it is over, but for the log-in in which it was set up.
		if _, _, err := w.auth.Session(ctx, elsewhere); err == nil {
			t.Error("another log-in goes on")
		}
		if _, _, err := w.auth.Session(ctx, cookie); err != nil {
			t.Error(err)
		}
		if _, err := w.people.Redeem(ctx, waiting, businessID(w.harbour)); !errors.Is(err, oauth.ErrWrongLogin) {
			t.Errorf("a ticket from before: %v", err)
		}
		if _, err := w.people.StartSession(ctx, oauth.Proven{Identity: w.proven(t, "member")}, "", ""); !errors.Is(err,
			oauth.ErrNeedsFactor) {
			t.Fatalf("the password alone begins a session: %v", err)
		}

		proof := w.half(t, "member")
		for _, wrong := range []string{"", "0", "000000", first, codes[0][:15], "AAAA-AAAA-AAAA-AAAA"} {
			if _, err := w.people.FinishLogin(ctx, proof, oauth.Answer{Code: wrong}, w.domain); !errors.Is(err, oauth.ErrWrongFactor) {
				t.Errorf("%q: %v", wrong, err)
			}
		}
		id, err := w.people.FinishLogin(ctx, proof, oauth.Answer{Code: app.Code(t)}, w.domain)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.people.StartSession(ctx, *id, "", ""); err != nil {
			t.Fatal(err)
		}
		if _, err := w.people.FinishLogin(ctx, proof, oauth.Answer{Code: codes[1]}, w.domain); !errors.Is(err, oauth.ErrWrongLogin) {
			t.Errorf("a proof works twice: %v", err)
		}
		// Recovery codes work once, as people type them.
		if _, err := w.people.FinishLogin(ctx, w.half(t, "member"),
			oauth.Answer{Code: " " + strings.ToLower(strings.ReplaceAll(codes[2], "-", " "))}, w.domain); err != nil {
			t.Error(err)
		}
		if _, err := w.people.FinishLogin(ctx, w.half(t, "member"), oauth.Answer{Code: codes[2]}, w.domain); !errors.Is(err,
			oauth.ErrWrongFactor) {
			t.Errorf("a recovery code works twice: %v", err)
		}
		if f, err := w.people.Factors(ctx, w.harbour, who.User); err != nil || f.CodesLeft != 9 {
			t.Errorf("%d codes are left, %v", f.CodesLeft, err)
		}
		// A proof is for the password that it was given for, and not for the choice of a business.
		proof = w.half(t, "member")
		if _, err := w.people.UseLink(ctx, w.link(t, "member"), "another password"); err != nil {
			t.Fatal(err)
		}
		if _, err := w.people.FinishLogin(ctx, proof, oauth.Answer{Code: codes[3]}, w.domain); !errors.Is(err, oauth.ErrWrongLogin) {
			t.Errorf("a proof outlives the password: %v", err)
		}
		if _, err := w.people.StartSession(ctx, oauth.Proven{Identity: w.proven(t, "member")}, "", ""); !errors.Is(err,
			oauth.ErrNeedsFactor) || !w.factorSince(t, "member") {
			t.Errorf("a new password takes the second factor away: %v", err)
		}
		if strings.Contains(w.log.String(), app.Secret) || strings.Contains(w.log.String(), codes[0]) {
			t.Error("the log has a secret")
		}
	})
}

// Of many who give the same code at once, one gets in.
func TestARecoveryCodeIsUsedOnce(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		_, _, _, codes := w.factored(t, "member")
		proofs := make([]string, 4)
		for i := range proofs {
			proofs[i] = w.half(t, "member")
		}
		var in atomic.Int64
		var all sync.WaitGroup
		for _, proof := range proofs {
			all.Go(func() {
				_, err := w.people.FinishLogin(context.Background(), proof, oauth.Answer{Code: codes[0]}, w.domain)
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
			t.Errorf("%d got in with one code", in.Load())
		}
	})
}

func TestSecondFactorIsThrottled(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		_, who, session, codes := w.factored(t, "member")
		proof := w.half(t, "member")
		for i := 0; ; i++ {
			_, err := w.people.FinishLogin(t.Context(), proof, oauth.Answer{Code: "000000"}, w.domain)
			if errors.Is(err, oauth.ErrTooManyTries) {
				break
			}
			if i == 20 {
				t.Fatal("20 wrong codes are not throttled")
			}
		}
		// The right password forgives wrong passwords, not wrong codes.
		if _, err := w.people.LogIn(t.Context(), w.email("member"), password, w.domain); err != nil {
			t.Fatal(err)
		}
		if _, err := w.people.FinishLogin(t.Context(), w.half(t, "member"), oauth.Answer{Code: codes[0]}, w.domain); !errors.Is(err,
			oauth.ErrTooManyTries) {
			t.Errorf("%v", err)
		}
		if err := w.people.Confirm(t.Context(), who, session,
			oauth.Confirmation{Password: password, Factor: oauth.Answer{Code: codes[0]}}, w.domain); !errors.Is(err,
			oauth.ErrTooManyTries) {
			t.Errorf("a confirmation goes by another count: %v", err)
		}
	})
}

func TestConfirmingWithASecondFactor(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		app, who, session, codes := w.factored(t, "member")
		began, err := w.people.ConfirmedAt(t.Context(), who, session)
		if err != nil {
			t.Fatal(err)
		}
		for name, c := range map[string]struct {
			given oauth.Confirmation
			want  error
		}{
			"the password alone": {oauth.Confirmation{Password: password}, oauth.ErrWrongFactor},
			"a wrong code":       {oauth.Confirmation{Password: password, Factor: oauth.Answer{Code: "000000"}}, oauth.ErrWrongFactor},
			"the code alone":     {oauth.Confirmation{Factor: oauth.Answer{Code: codes[0]}}, oauth.ErrWrongLogin},
			"with wrong password": {
				oauth.Confirmation{Password: "wrong password", Factor: oauth.Answer{Code: codes[0]}},
				oauth.ErrWrongLogin,
			},
		} {
			if err := w.people.Confirm(t.Context(), who, session, c.given, w.domain); !errors.Is(err, c.want) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if at, err := w.people.ConfirmedAt(t.Context(), who, session); err != nil || !at.Equal(began) {
			t.Errorf("half a confirmation counts: %v %v", at, err)
		}
		if err := w.people.Confirm(t.Context(), who, session,
			oauth.Confirmation{Password: password, Factor: oauth.Answer{Code: app.Code(t)}}, w.domain); err != nil {
			t.Fatal(err)
		}
		if at, err := w.people.ConfirmedAt(t.Context(), who, session); err != nil || !at.After(began) {
			t.Errorf("it was confirmed at %v and at %v, %v", began, at, err)
		}
	})
}

func TestFactorsAreTakenAway(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		_, who, _, codes := w.factored(t, "member")
		fresh, err := w.people.NewCodes(ctx, who)
		if err != nil || len(fresh) != 10 {
			t.Fatal(fresh, err)
		}
		if _, err := w.people.FinishLogin(ctx, w.half(t, "member"), oauth.Answer{Code: codes[0]}, w.domain); !errors.Is(err,
			oauth.ErrWrongFactor) {
			t.Errorf("an old recovery code: %v", err)
		}
		if _, err := w.people.FinishLogin(ctx, w.half(t, "member"), oauth.Answer{Code: fresh[0]}, w.domain); err != nil {
			t.Error(err)
		}
		f, err := w.people.Factors(ctx, w.harbour, who.User)
		if err != nil {
			t.Fatal(err)
		}
		// Nobody removes what is another's, and recovery codes are not removed one by one.
		viewer, _, _ := w.login(t, "viewer")
		stored, err := keep.Factors(ctx, w.harbour, who.User)
		if err != nil {
			t.Fatal(err)
		}
		code := stored[slices.IndexFunc(stored, func(f keep.Factor) bool { return f.Kind == "code" })]
		if err := errors.Join(w.people.RemoveFactor(ctx, viewer, f.Authenticator.ID),
			w.people.RemoveFactor(ctx, who, code.ID)); err != nil || !w.factorSince(t, "member") {
			t.Fatal("it is gone", err)
		}
		if err := w.people.RemoveFactor(ctx, who, f.Authenticator.ID); err != nil || w.factorSince(t, "member") {
			t.Fatal("it is not gone", err)
		}
		if left, err := keep.Factors(ctx, w.harbour, who.User); err != nil || len(left) != 0 {
			t.Errorf("%v is left, %v", left, err)
		}
		if codes, err := w.people.NewCodes(ctx, who); err != nil || codes != nil {
			t.Errorf("who has no second factor gets %v, %v", codes, err)
		}
		_, _, cookie := w.login(t, "member")

		// Who has lost it gets help, and their log-ins end.
		_, _, _, _ = w.factored(t, "member")
		admin, _, _ := w.login(t, "admin")
		if had, err := w.people.TakeAwayFactors(ctx, admin.Actor("req"), w.harbour, w.users["member"]); err != nil || !had ||
			w.factorSince(t, "member") {
			t.Fatal(had, err)
		}
		if _, _, err := w.auth.Session(ctx, cookie); err == nil {
			t.Error("a log-in goes on")
		}
		if had, err := w.people.TakeAwayFactors(ctx, admin.Actor("req"), w.harbour, w.users["member"]); err != nil || had {
			t.Error(had, err)
		}
		if !strings.Contains(w.log.String(), `"msg":"second factors taken away","user":"`+schema.FormatID("user", who.User)) {
			t.Error("the log does not tell")
		}
		w.login(t, "member")
	})
}

// A person in two businesses has a second factor in one of them; a user who is erased leaves none.
func TestFactorsBelongToOneUser(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		w.factored(t, "member")
		if proof, err := w.people.AskFactor(ctx, w.proven(t, "stranger")); err != nil || proof != "" {
			t.Errorf("another business asks for it, too: %v", err)
		}
		if had, err := w.people.TakeAwayFactors(ctx, store.Actor{}, w.elsewhere, w.users["member"]); !errors.Is(err, store.ErrNotFound) ||
			had {
			t.Errorf("another business takes it away: %v %v", had, err)
		}
		admin, _, _ := w.login(t, "admin")
		do := func(name, text string) {
			t.Helper()
			var n *body.Node
			if text != "" {
				var err error
				if n, err = body.Parse([]byte(text)); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := w.engine.Do(ctx, record.Call{Principal: admin},
				record.Operation{
					Kind: record.KindOf("user"), Name: name, ID: schema.FormatID("user", w.users["member"]),
					Body: n,
				}); err != nil {
				t.Fatal(name, err)
			}
		}
		do(record.Update, `{"status":"suspended"}`)
		do(record.Update, `{"status":"active"}`)
		w.half(t, "member")
		do(record.Remove, "")
		do(record.Restore, "")
		w.half(t, "member")
		do(record.Remove, "")
		do("erase", `{"reason":"Asked for it by letter"}`)
		if left, err := keep.Factors(ctx, w.harbour, w.users["member"]); err != nil || len(left) != 0 {
			t.Errorf("%d factors are left, %v", len(left), err)
		}
	})
}

func TestARoleRequiresASecondFactor(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		admin, _, _ := w.login(t, "admin")
		_, session, cookie := w.login(t, "member")
		var role string
		err := w.harbour.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
			found, err := tx.Find(&record.KindOf("role").Resource, 1,
				store.Equal(account.Roles.Name, schema.TextValue(schema.Text, "member")))
			if err == nil {
				role = schema.FormatID("role", found[0].ID())
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		requires := func(text string) {
			t.Helper()
			n, err := body.Parse([]byte(`{"requires_second_factor":` + text + `}`))
			if err == nil {
				_, err = w.engine.Do(ctx, record.Call{Principal: admin},
					record.Operation{Kind: record.KindOf("role"), Name: record.Update, ID: role, Body: n})
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		lacks := func(want bool) *record.Principal {
			t.Helper()
			who, _, err := w.auth.Session(ctx, cookie)
			if err != nil || who.LacksFactor != want {
				t.Fatalf("lacking a factor is %v, want %v; %v", who != nil && who.LacksFactor, want, err)
			}
			return who
		}
		lacks(false)
		requires("true")
		who := lacks(true)
		app := &testworld.Authenticator{Secret: oauth.NewAuthenticatorSecret()}
		if _, err := w.people.AddAuthenticator(ctx, who, session, app.Secret, app.Code(t), w.domain); err != nil {
			t.Fatal(err)
		}
		lacks(false)
		if _, err := w.people.TakeAwayFactors(ctx, admin.Actor(""), w.harbour, who.User); err != nil {
			t.Fatal(err)
		}
		_, _, cookie = w.login(t, "member")
		lacks(true)
		requires("null")
		lacks(false)
	})
}
