package storetest

import (
	"crypto/sha256"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
	"github.com/kith-crm/kith/internal/store/queue"
)

func testCredentials(t *testing.T, s *store.Store) {
	b, other := Business(t, s), Business(t, s)
	users, roles := s.Registry().Resource("user"), s.Registry().Resource("role")
	role, user := NewRecord(roles), NewRecord(users)
	role.PutText(role.Must("permissions"), `{"contact":{"read":"own"}}`)
	user.Put(user.Must("role_id"), role.Get(role.Common.ID))
	insert(t, b, roles, role)
	insert(t, b, users, user)

	at := time.Date(2036, 1, 2, 3, 4, 5, 678_901_000, time.UTC)
	hash := func(c keep.Credential) keep.Hash { return sha256.Sum256([]byte(string(c.Parent[:]) + c.Kind)) }
	in := func(c keep.Credential) keep.Presented { return keep.Presented{Hash: hash(c), Business: b.ID()} }
	kept := keep.Credential{
		Kind: "pat", User: user.ID(), Parent: schema.NewID(at), Scopes: []string{"contact.read", "deal.all"},
		ExpiresAt: at, Data: `{"a":1}`,
	}
	ended := keep.Credential{Kind: "at", User: user.ID(), Parent: schema.NewID(at), Scopes: []string{"contact.read"}}
	write(t, b, func(tx *store.Tx) error {
		return errors.Join(keep.PutCredential(tx, hash(kept), kept), keep.PutCredential(tx, hash(ended), ended),
			keep.SetPassword(tx, user.ID(), "first"), keep.SetPassword(tx, user.ID(), "second"))
	})
	for _, want := range []keep.Credential{kept, ended} {
		found, u, r, err := keep.Holder(ctx, s, in(want))
		if err != nil {
			t.Fatal(err)
		}
		if found.Tenant.ID() != b.ID() || found.Kind != want.Kind || found.Parent != want.Parent ||
			!reflect.DeepEqual(found.Scopes, want.Scopes) || !found.ExpiresAt.Equal(want.ExpiresAt) || found.Data != want.Data {
			t.Errorf("found %+v, want %+v", found, want)
		}
		same(t, u, user)
		same(t, r, role)
		// The handle is as good as any other.
		same(t, get(t, found.Tenant, users, user.ID()), user)
	}
	gone := func(what string, secret keep.Presented) {
		t.Helper()
		if _, err := keep.FindCredential(ctx, s, secret); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s: %v, want ErrNotFound", what, err)
		}
	}
	gone("an unknown hash", keep.Presented{Hash: sha256.Sum256([]byte("unknown")), Business: b.ID()})
	gone("an unknown hash without a business", keep.Presented{Hash: sha256.Sum256([]byte("unknown"))})
	gone("a hash in another business", keep.Presented{Hash: hash(kept), Business: other.ID()})
	gone("a hash in a business that is not there", keep.Presented{Hash: hash(kept), Business: schema.NewID(at)})
	if found, err := keep.FindPassword(ctx, b, user.ID()); err != nil || found.Hash != "second" || found.SetAt.IsZero() {
		t.Errorf("the password is %+v, %v", found, err)
	}

	client := keep.Client{ID: "client " + schema.FormatID("c", b.ID()), App: schema.NewID(at), SecretHash: &keep.Hash{1}}
	write(t, b, func(tx *store.Tx) error {
		return errors.Join(keep.PutApp(tx, client), keep.SetIdentity(tx, user.ID(), "", "Zoë@"+schema.FormatID("b", b.ID())+".example"))
	})
	if found, err := keep.FindClient(ctx, s, client.ID); err != nil || found.App != client.App || found.Tenant == nil ||
		found.Tenant.ID() != b.ID() || *found.SecretHash != *client.SecretHash {
		t.Errorf("the app's client is %+v, %v", found, err)
	}
	for _, another := range []string{"zoe@", "zo\x00ë@", "zoë\x00@"} {
		if open, err := keep.Identities(ctx, s, another+schema.FormatID("b", b.ID())+".example"); err != nil || len(open) != 0 {
			t.Errorf("%q opens %+v, %v", another, open, err)
		}
	}
	if open, err := keep.Identities(ctx, s, "ZOË@"+schema.FormatID("b", b.ID())+".example"); err != nil || len(open) != 1 ||
		open[0].User != user.ID() || open[0].Hash != "second" {
		t.Errorf("the address opens %+v, %v", open, err)
	}
	write(t, other, func(tx *store.Tx) error { return keep.DropApp(tx, client.App, client.ID) })
	if _, err := keep.FindClient(ctx, s, client.ID); err != nil {
		t.Errorf("another business dropped the app: %v", err)
	}
	write(t, b, func(tx *store.Tx) error { return keep.DropApp(tx, client.App, client.ID) })
	if _, err := keep.FindClient(ctx, s, client.ID); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a dropped app: %v, want ErrNotFound", err)
	}

	uses := 0
	for _, tenant := range []store.Tenant{other, b, b} {
		write(t, tenant, func(tx *store.Tx) error {
			first, err := keep.UseCredential(tx, hash(kept))
			if first {
				uses++
			}
			return err
		})
	}
	if uses != 1 {
		t.Errorf("the secret could be used %d times, want once, and only in its business", uses)
	}

	write(t, other, func(tx *store.Tx) error { return keep.DropCredentials(tx, ended.Parent) })
	if _, err := keep.FindCredential(ctx, s, in(ended)); err != nil {
		t.Errorf("another business ended the token: %v", err)
	}
	before := s.Epoch(b.ID())
	write(t, b, func(tx *store.Tx) error { return keep.DropCredentials(tx, ended.Parent) })
	gone("an ended token", in(ended))
	if s.Epoch(b.ID()) == before {
		t.Error("ending a token does not tell those who remember it")
	}
	if _, _, _, err := keep.Holder(ctx, s, in(kept)); err != nil {
		t.Errorf("the other token: %v", err)
	}
	remove(t, b, users, user.ID())
	if _, _, _, err := keep.Holder(ctx, s, in(kept)); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the token of a deleted user: %v, want ErrNotFound", err)
	}
	write(t, b, func(tx *store.Tx) error { return keep.DropUser(tx, user.ID()) })
	gone("a token of a user who is gone", in(kept))
}

func testAnswers(t *testing.T, s *store.Store) {
	b, other := Business(t, s), Business(t, s)
	hash := sha256.Sum256([]byte("request"))
	kept := queue.Answer{Status: 201, ETag: `"1"`, Location: "/v1/contacts/1", Body: []byte("{}")}
	write(t, b, func(tx *store.Tx) error { return queue.KeepAnswer(tx, hash, kept) })
	for tenant, want := range map[store.Tenant]bool{b: true, other: false} {
		write(t, tenant, func(tx *store.Tx) error {
			found, err := queue.AnswerIn(tx, hash)
			if err != nil || (found != nil) != want || want &&
				(found.Status != kept.Status || found.ETag != kept.ETag || found.Location != kept.Location || string(found.Body) != "{}") {
				t.Errorf("found is %+v, %v", found, err)
			}
			return err
		})
	}
}
