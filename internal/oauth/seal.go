package oauth

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/json"
	"time"

	"github.com/kith-crm/kith/internal/store"
)

// Seal closes what a browser keeps for us until it comes back: nothing has to be kept here of what may never be finished.
type Seal struct{ aead cipher.AEAD }

// sealed is what is within, with the time at which it is void.
type sealed struct {
	What  json.RawMessage
	Until int64
}

// SharedSeal makes a seal from a key that all servers of one database share: the answer may reach another server.
func SharedSeal(ctx context.Context, s *store.Store, name string) (*Seal, error) {
	key, err := s.Secret(ctx, name)
	if err != nil {
		return nil, err
	}
	return NewSeal(key)
}

// NewSeal makes a seal from a key of 32 bytes.
func NewSeal(key []byte) (*Seal, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	return &Seal{aead}, err
}

// Close writes what the browser gets. It opens until a time, and only for those to whom it is bound.
func (s *Seal) Close(what any, until time.Time, bound string) (string, error) {
	within, err := json.Marshal(what)
	if err != nil {
		return "", err
	}
	plain, err := json.Marshal(sealed{within, until.Unix()})
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(s.aead.Seal(nil, nil, plain, []byte(bound))), nil
}

// written is something as it is kept, as JSON. What we make ourselves can always be written.
func written(data any) string {
	text, err := json.Marshal(data)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// Open reads what Close wrote. What is void, or bound to another, leaves to as it is.
func (s *Seal) Open(text string, now time.Time, bound string, to any) {
	closed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return
	}
	plain, err := s.aead.Open(nil, nil, closed, []byte(bound))
	if err != nil {
		return
	}
	var within sealed
	if err := json.Unmarshal(plain, &within); err == nil && now.Before(time.Unix(within.Until, 0)) {
		_ = json.Unmarshal(within.What, to) // nobody else can have written it
	}
}
