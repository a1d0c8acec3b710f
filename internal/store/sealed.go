package store

import (
	"context"
	"errors"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/seal"
)

// Most secrets are kept as hashes, because they only have to be recognised. Some have to be read again: what an authenticator app
// is checked by, what a business shows to its identity provider. Those are sealed, each in its business and for one use, under keys of
// the operator, of which the database has but a proof. See docs/adr/0059.

// The names of settings: what only the right key opens, and the key under which everything was sealed when that was last looked at.
const (
	keySetting    = "secret_key"
	sealedSetting = "sealed_with"
)

// Sealed tells whether a text is sealed under the key that seals now, or there is none.
func (t Tenant) Sealed(text string) bool { return t.s.keys == nil || t.s.keys.Sealed(text) }

// Seal seals a secret of the business, for one use; it stays as it is where there is no key.
func (t Tenant) Seal(use, secret string) string {
	if t.s.keys == nil {
		return secret
	}
	return t.s.keys.Seal(t.sealing(use), secret)
}

// Unseal gives a secret of the business that was sealed for the same use.
func (t Tenant) Unseal(use, text string) (string, error) { return t.s.keys.Open(t.sealing(use), text) }

// sealing is what a sealed secret is bound to: it opens nowhere else.
func (t Tenant) sealing(use string) string { return schema.FormatID("business", t.id) + " " + use }

// KeyKnown tells the id of the key under which secrets in the database are sealed; it is empty where there is none.
func (s *Store) KeyKnown(ctx context.Context) (id string, err error) {
	kept, err := s.Claimed(ctx, keySetting)
	if errors.Is(err, ErrNotFound) {
		return "", nil
	}
	return seal.KeyOf(string(kept)), err
}

// UseKeys has secrets sealed from now on. It fails where those that are there were sealed under another key. resealed tells that
// all of them are sealed under the first key; otherwise Resealed is to be called when they are.
func (s *Store) UseKeys(ctx context.Context, k *seal.Keys) (resealed bool, err error) {
	const proof = "key"
	if err := s.claim(ctx, keySetting, []byte(k.Seal(proof, proof))); err != nil {
		return false, err
	}
	kept, err := s.Claimed(ctx, keySetting)
	if err != nil {
		return false, err
	}
	if _, err := k.Open(proof, string(kept)); err != nil {
		return false, err
	}
	s.keys = k
	if !k.Sealed(string(kept)) { // from now on the first one is asked for
		if err := s.set(ctx, keySetting, k.Seal(proof, proof)); err != nil {
			return false, err
		}
	}
	with, err := s.Claimed(ctx, sealedSetting)
	if errors.Is(err, ErrNotFound) {
		err = nil
	}
	return string(with) == k.First(), err
}

// Resealed notes that everything is sealed under the first key.
func (s *Store) Resealed(ctx context.Context) error {
	return s.set(ctx, sealedSetting, s.keys.First())
}

// ForgetKey lets a server begin with another key. What was sealed stays as it is, and opens only with the key that it was sealed under.
func (s *Store) ForgetKey(ctx context.Context) error {
	return s.outside(ctx, "DELETE FROM setting WHERE name IN (?, ?)", text(keySetting), text(sealedSetting))
}
