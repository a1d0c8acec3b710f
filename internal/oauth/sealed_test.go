package oauth_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/oauth"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
	"github.com/kith-crm/kith/internal/store/seal"
	"github.com/kith-crm/kith/internal/testworld"
)

// useKeys has a store seal under keys, and gives whether everything is sealed already.
func useKeys(t *testing.T, s *store.Store, keys ...string) (bool, error) {
	t.Helper()
	k, err := seal.ReadKeys("# the newest first\n" + strings.Join(keys, "\n") + "\n")
	if err != nil {
		t.Fatal(err)
	}
	return s.UseKeys(t.Context(), k)
}

// What has to be read again is sealed: what is there already, what comes, and again when the key changes.
func TestSecretsThatAreReadAgainAreSealed(t *testing.T) {
	aloneOnBothEngines(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		const ours = "what the provider knows us by"
		app, who, _, codes := w.factored(t, "member") // before there is a key
		set := func(tx *store.Tx) error { return keep.SetLoginSecret(tx, ours) }
		if err := w.harbour.Write(ctx, store.Actor{}, set); err != nil {
			t.Fatal(err)
		}
		kept := func() (all string) {
			factors, err := keep.Factors(ctx, w.harbour, who.User)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range factors {
				all += f.Data
			}
			return all
		}
		if !strings.Contains(kept(), app.Secret) {
			t.Fatal("without a key it is as it was")
		}
		first, second := seal.NewKey(), seal.NewKey()
		for _, keys := range [][]string{{first}, {second, first}, {second}} {
			whole, err := useKeys(t, w.store, keys...)
			if err != nil || whole != (len(keys) == 1 && keys[0] == second) {
				t.Fatal(whole, err)
			}
			if err := keep.Reseal(ctx, w.store); err != nil {
				t.Fatal(err)
			}
			if data := kept(); strings.Contains(data, app.Secret) || !strings.Contains(data, "sealed:") {
				t.Fatalf("it is not sealed: %s", data)
			}
			if secret, err := keep.LoginSecret(ctx, w.harbour); err != nil || secret != ours {
				t.Fatal(secret, err)
			}
		}
		if _, err := w.people.FinishLogin(ctx, w.half(t, "member"), oauth.Answer{Code: app.Code(t)}, w.domain); err != nil {
			t.Error(err)
		}
		if other, _, _, _ := w.factored(t, "admin"); strings.Contains(kept(), other.Secret) {
			t.Error("a new one is not sealed")
		}

		// Without the key nothing of it can be read, and no other is taken for it.
		beside := testworld.Open(t, w.dsn)
		harbour, err := beside.Tenant(ctx, w.harbour.ID())
		if err != nil {
			t.Fatal(err)
		}
		if secret, err := keep.LoginSecret(ctx, harbour); !errors.Is(err, seal.ErrOtherKey) {
			t.Errorf("without the key it is %q, %v", secret, err)
		}
		if _, err := useKeys(t, beside, first); !errors.Is(err, seal.ErrOtherKey) {
			t.Errorf("the key from before is taken: %v", err)
		}
		// What is sealed for one business and use opens for no other.
		sealed := w.harbour.Seal("this", "secret")
		if _, err := w.harbour.Unseal("that", sealed); err == nil {
			t.Error("it opens for another use")
		}
		if _, err := w.elsewhere.Unseal("this", sealed); err == nil {
			t.Error("it opens for another business")
		}
		if opened, err := w.harbour.Unseal("this", sealed); err != nil || opened != "secret" || sealed == w.harbour.Seal("this", "secret") {
			t.Error(opened, err)
		}

		// Where the key is lost the others let people in.
		if err := w.store.ForgetKey(ctx); err != nil {
			t.Fatal(err)
		}
		if _, err := useKeys(t, w.store, seal.NewKey()); err != nil {
			t.Fatal(err)
		}
		if err := keep.Reseal(ctx, w.store); err != nil {
			t.Fatal(err)
		}
		if _, err := w.people.FinishLogin(ctx, w.half(t, "member"), oauth.Answer{Code: "123456"}, w.domain); !errors.Is(err,
			oauth.ErrWrongFactor) {
			t.Error(err)
		}
		if _, err := w.people.FinishLogin(ctx, w.half(t, "member"), oauth.Answer{Code: codes[0]}, w.domain); err != nil {
			t.Error(err)
		}
	})
}
