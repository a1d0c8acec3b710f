// Package seal closes secrets that have to be read again under keys of the operator, which are not in the database: so whoever gets
// hold of the database, or of a backup, does not have them. See docs/adr/0059.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

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
	// sealedPrefix is what a sealed text begins with, before the id of the key; what does not is from before.
	sealedPrefix = "sealed:"
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

// Seal seals a secret in a context, in which alone it opens.
func (k *Keys) Seal(context, secret string) string {
	first := k.all[0]
	return sealedPrefix + first.id + ":" + base64.RawURLEncoding.EncodeToString(first.aead.Seal(nil, nil, []byte(secret), []byte(context)))
}

// Open gives what was sealed in the same context. What is not sealed is given as it is.
func (k *Keys) Open(context, text string) (string, error) {
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

// Sealed tells whether a text is sealed under the first key.
func (k *Keys) Sealed(text string) bool {
	return strings.HasPrefix(text, sealedPrefix+k.all[0].id+":")
}

// First is the id of the key that seals.
func (k *Keys) First() string { return k.all[0].id }

// KeyOf is the id of the key under which a text is sealed.
func KeyOf(text string) string {
	id, _, _ := strings.Cut(strings.TrimPrefix(text, sealedPrefix), ":")
	return id
}
