package oauth

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"

	"rsc.io/qr"

	"kith/internal/crm"
	"kith/internal/schema"
)

// What a browser is asked for in the app.
const (
	AskedNewKey  = "new authenticator app"
	AskedPasskey = "new passkey"
	AskedConfirm = "confirmation"
)

// newSeal makes the seal of what browsers keep for us from a key that all servers of one database share: the answer may reach another server.
func newSeal(ctx context.Context, engine *crm.Engine) (cipher.AEAD, error) {
	key, err := engine.Store().Secret(ctx, "asked")
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// handed is what a browser keeps for us, with the time at which it is void.
type handed struct {
	Text  string
	Until int64
}

func boundTo(who *crm.Principal, purpose string) []byte {
	return []byte(purpose + "\n" + schema.FormatID("session", who.Connection) + "\n" + schema.FormatID("user", who.User))
}

// Hand seals what the browser of who is logged in keeps until it answers: for this log-in, one purpose and a few minutes. So nothing has to be kept here of what may never be finished.
func (p *People) Hand(who *crm.Principal, purpose, text string) (string, error) {
	plain, err := json.Marshal(handed{text, p.now().Add(challengeLife).Unix()})
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(p.seal.Seal(nil, nil, plain, boundTo(who, purpose))), nil
}

// Handed opens it again. What is void, or was for another log-in or purpose, is nothing.
func (p *People) Handed(who *crm.Principal, purpose, text string) string {
	sealed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return ""
	}
	plain, err := p.seal.Open(nil, nil, sealed, boundTo(who, purpose))
	if err != nil {
		return ""
	}
	var h handed
	if err := json.Unmarshal(plain, &h); err != nil || !p.now().Before(time.Unix(h.Until, 0)) {
		return ""
	}
	return h.Text
}

// Setup is what somebody needs to set up an authenticator app.
type Setup struct {
	// Key is what the app and the server share, and Address the same as apps read it.
	Key, Address string
	// Picture shows the address to a camera, as PNG.
	Picture []byte
}

// StartAuthenticator makes the key of a new authenticator app. It is kept nowhere until a code shows that the app has it.
func (p *People) StartAuthenticator(ctx context.Context, who *crm.Principal) (s Setup, err error) {
	business, err := who.Tenant.Business(ctx)
	if err != nil {
		return s, err
	}
	u, err := who.Tenant.Get(ctx, &crm.KindOf("user").Resource, who.User, false)
	if err != nil {
		return s, err
	}
	s.Key = NewAuthenticatorSecret()
	s.Address = AuthenticatorAddress(s.Key, business.Name, u.Text(crm.Users.Email))
	code, err := qr.Encode(s.Address, qr.M)
	if err != nil {
		return s, fmt.Errorf("draw the address of an authenticator app: %w", err)
	}
	s.Picture = code.PNG()
	return s, nil
}

// PasskeysWork tells whether passkeys can be used at an address.
func PasskeysWork(origin string) bool {
	_, err := relying(origin)
	return err == nil
}
