package store

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

// Most secrets are kept as hashes, because they only have to be recognised. Some have to be read again: what an authenticator app
// is checked by, what a business shows to its identity provider. Those are sealed under a key that is not in the database, so that
// whoever gets hold of the database, or of a backup, does not have them. See docs/adr/0059.

// Keys are those of the operator. The first seals; all of them open.
type Keys struct{ all []sealKey }

type sealKey struct {
	id   string
	aead cipher.AEAD
}

const (
	// KeyPrefix is what every key begins with, so that it is known for what it is where it does not belong.
	KeyPrefix = "kith_key_"
	keySize   = 32
	// sealedPrefix is what is sealed begins with, before the id of the key; what does not is from before.
	sealedPrefix = "sealed:"
)

// The names of settings: what only the right key opens, and the key under which everything was sealed when that was last looked at.
const (
	keySetting    = "secret_key"
	sealedSetting = "sealed_with"
)

// ErrOtherKey is why something cannot be opened.
var ErrOtherKey = errors.New("it is sealed under a key that this server does not have")

// NewKey makes a key, as it is written into a file.
func NewKey() string {
	key := make([]byte, keySize)
	_, _ = rand.Read(key) // which never fails
	return KeyPrefix + base64.RawURLEncoding.EncodeToString(key)
}

// ReadKeys reads keys, one in a line; empty lines and those that begin with # are left out.
func ReadKeys(text string) (*Keys, error) {
	k := &Keys{}
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		encoded, ours := strings.CutPrefix(line, KeyPrefix)
		key, err := base64.RawURLEncoding.DecodeString(encoded)
		if !ours || err != nil || len(key) != keySize {
			return nil, errors.New("a secret key must be " + KeyPrefix + " and 43 characters behind it, one key in a line")
		}
		block, err := aes.NewCipher(key)
		if err != nil {
			return nil, err
		}
		aead, err := cipher.NewGCMWithRandomNonce(block)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(append([]byte("kith key id "), key...))
		k.all = append(k.all, sealKey{hex.EncodeToString(sum[:6]), aead})
	}
	if len(k.all) == 0 {
		return nil, errors.New("there is no secret key in it")
	}
	return k, nil
}

func (k *Keys) seal(context, secret string) string {
	first := k.all[0]
	return sealedPrefix + first.id + ":" + base64.RawURLEncoding.EncodeToString(first.aead.Seal(nil, nil, []byte(secret), []byte(context)))
}

// open gives what was sealed in the same context. What is not sealed is given as it is.
func (k *Keys) open(context, text string) (string, error) {
	rest, sealed := strings.CutPrefix(text, sealedPrefix)
	if !sealed {
		return text, nil
	}
	id, encoded, _ := strings.Cut(rest, ":")
	if k != nil {
		for _, key := range k.all {
			if key.id != id {
				continue
			}
			closed, err := base64.RawURLEncoding.DecodeString(encoded)
			if err != nil {
				return "", fmt.Errorf("open what is sealed: %w", err)
			}
			secret, err := key.aead.Open(nil, nil, closed, []byte(context))
			if err != nil {
				return "", errors.New("what is sealed was changed, or belongs elsewhere")
			}
			return string(secret), nil
		}
	}
	return "", fmt.Errorf("%w: %.40q", ErrOtherKey, id)
}

// IsSealed tells whether a text is sealed, under whatever key.
func IsSealed(text string) bool { return strings.HasPrefix(text, sealedPrefix) }

// Sealed tells whether a text is sealed under the key that seals now, or there is none.
func (t Tenant) Sealed(text string) bool { return t.s.keys == nil || t.s.keys.sealed(text) }

// sealed tells whether a text is sealed under the first key.
func (k *Keys) sealed(text string) bool {
	return strings.HasPrefix(text, sealedPrefix+k.all[0].id+":")
}

// Seal seals a secret of the business, for one use; it stays as it is where there is no key.
func (t Tenant) Seal(use, secret string) string {
	if t.s.keys == nil {
		return secret
	}
	return t.s.keys.seal(t.sealing(use), secret)
}

// Unseal gives a secret of the business that was sealed for the same use.
func (t Tenant) Unseal(use, text string) (string, error) { return t.s.keys.open(t.sealing(use), text) }

// sealing is what a sealed secret is bound to: it opens nowhere else.
func (t Tenant) sealing(use string) string { return schema.FormatID("business", t.id) + " " + use }

// KeyKnown tells the id of the key under which secrets in the database are sealed; it is empty where there is none.
func (s *Store) KeyKnown(ctx context.Context) (id string, err error) {
	kept, err := s.Claimed(ctx, keySetting)
	if errors.Is(err, ErrNotFound) {
		return "", nil
	}
	id, _, _ = strings.Cut(strings.TrimPrefix(string(kept), sealedPrefix), ":")
	return id, err
}

// UseKeys has secrets sealed from now on. It fails where those that are there were sealed under another key. resealed tells that
// all of them are sealed under the first key; otherwise Resealed is to be called when they are.
func (s *Store) UseKeys(ctx context.Context, k *Keys) (resealed bool, err error) {
	const proof = "key"
	err = s.engine.Write(ctx, engine.Share{}, func(c engine.Conn) error {
		_, err := Outside{s, ctx, c}.Claim(keySetting, []byte(k.seal(proof, proof)))
		return err
	})
	if err != nil {
		return false, err
	}
	kept, err := s.Claimed(ctx, keySetting)
	if err != nil {
		return false, err
	}
	if _, err := k.open(proof, string(kept)); err != nil {
		return false, err
	}
	s.keys = k
	if !k.sealed(string(kept)) { // from now on the first one is asked for
		if err := s.set(ctx, keySetting, k.seal(proof, proof)); err != nil {
			return false, err
		}
	}
	with, err := s.Claimed(ctx, sealedSetting)
	if errors.Is(err, ErrNotFound) {
		err = nil
	}
	return string(with) == k.all[0].id, err
}

// Resealed notes that everything is sealed under the first key.
func (s *Store) Resealed(ctx context.Context) error {
	return s.set(ctx, sealedSetting, s.keys.all[0].id)
}

// ForgetKey lets a server begin with another key. What was sealed stays as it is, and opens only with the key that it was sealed under.
func (s *Store) ForgetKey(ctx context.Context) error {
	return s.engine.Write(ctx, engine.Share{}, func(c engine.Conn) error {
		_, err := c.Exec(ctx, "DELETE FROM setting WHERE name IN ("+s.engine.Mark(1)+", "+s.engine.Mark(2)+")",
			[]schema.Value{text(keySetting), text(sealedSetting)})
		return err
	})
}

// set keeps a setting.
func (s *Store) set(ctx context.Context, name, value string) error {
	m := s.engine.Mark
	sql := "INSERT INTO setting (name, value) VALUES (" + m(1) + ", " + m(2) + ") ON CONFLICT (name) DO UPDATE SET value = excluded.value"
	return s.engine.Write(ctx, engine.Share{}, func(c engine.Conn) error {
		_, err := c.Exec(ctx, sql, []schema.Value{text(name), {Kind: engine.KindBytes, Set: true, S: value}})
		return err
	})
}
