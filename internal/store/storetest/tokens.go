package storetest

import (
	"crypto/sha256"
	"errors"
	"reflect"
	"testing"
	"time"

	"kith/internal/schema"
	"kith/internal/store"
)

func testTokens(t *testing.T, s *store.Store) {
	b, other := Business(t, s), Business(t, s)
	users, roles := s.Registry().Resource("user"), s.Registry().Resource("role")
	role, user := NewRecord(roles), NewRecord(users)
	role.PutText("permissions", `{"contact":{"read":"own"}}`)
	user.Put("role_id", role.Get("id"))
	insert(t, b, roles, role)
	insert(t, b, users, user)

	at := time.Date(2026, 1, 2, 3, 4, 5, 678_901_000, time.UTC)
	kept := store.Token{ID: schema.NewID(at), UserID: user.ID(), Name: "Kept", Hint: "kith_pat_abcd", Scopes: []string{"contact.read", "deal.all"}, CreatedAt: at, ExpiresAt: at.Add(time.Hour)}
	ended := store.Token{ID: schema.NewID(at), UserID: user.ID(), Name: "Ended", Hint: "kith_pat_efgh", Scopes: []string{"contact.read"}, CreatedAt: at}
	hash := func(t store.Token) [32]byte { return sha256.Sum256([]byte(string(t.ID[:]) + "secret")) }
	write(t, b, func(tx *store.Tx) error {
		return errors.Join(tx.InsertToken(kept, hash(kept)), tx.InsertToken(ended, hash(ended)), tx.SetPassword(user.ID(), "first"), tx.SetPassword(user.ID(), "second"))
	})

	for _, token := range []store.Token{kept, ended} {
		holder, err := s.Holder(ctx, hash(token))
		if err != nil {
			t.Fatal(err)
		}
		if holder.Tenant.ID() != b.ID() || !reflect.DeepEqual(holder.Token, token) {
			t.Errorf("the holder is in %v with %+v, want %+v", holder.Tenant.ID(), holder.Token, token)
		}
		same(t, holder.User, user)
		same(t, holder.Role, role)
		// The handle is as good as any other.
		same(t, get(t, holder.Tenant, users, user.ID()), user)
	}
	if _, err := s.Holder(ctx, sha256.Sum256([]byte("unknown"))); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("an unknown hash: %v, want ErrNotFound", err)
	}

	revoke := func(b store.Tenant, id schema.UUID) (found bool, at time.Time) {
		t.Helper()
		write(t, b, func(tx *store.Tx) (err error) {
			found, err = tx.RevokeToken(id)
			at = tx.Now
			return err
		})
		return found, at
	}
	if found, _ := revoke(other, ended.ID); found {
		t.Error("another business revoked the token")
	}
	found, revoked := revoke(b, ended.ID)
	if again, _ := revoke(b, ended.ID); !found || !again {
		t.Errorf("revoking found the token: %v, and again: %v", found, again)
	}
	if _, err := s.Holder(ctx, hash(ended)); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a revoked token: %v, want ErrNotFound", err)
	}
	if _, err := s.Holder(ctx, hash(kept)); err != nil {
		t.Errorf("the other token: %v", err)
	}
	ended.RevokedAt = revoked
	listed, err := b.Tokens(ctx)
	if err != nil || !reflect.DeepEqual(listed, []store.Token{kept, ended}) {
		t.Errorf("the tokens are %+v, %v, want %+v", listed, err, []store.Token{kept, ended})
	}
	if listed, err := other.Tokens(ctx); err != nil || len(listed) > 0 {
		t.Errorf("the other business has %v, %v", listed, err)
	}

	remove(t, b, users, user.ID())
	if _, err := s.Holder(ctx, hash(kept)); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the token of a deleted user: %v, want ErrNotFound", err)
	}
}
