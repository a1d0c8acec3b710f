package oauth

import (
	"context"
	"fmt"

	"rsc.io/qr"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

// What a browser is asked for in the app.
const (
	AskedNewKey  = "new authenticator app"
	AskedPasskey = "new passkey"
	AskedConfirm = "confirmation"
)

func boundTo(who *record.Principal, purpose string) string {
	return purpose + "\n" + schema.FormatID("session", who.Connection) + "\n" + schema.FormatID("user", who.User)
}

// Hand closes what the browser of who is logged in keeps until it answers: for this log-in, one purpose and a few minutes.
func (p *People) Hand(who *record.Principal, purpose, text string) (string, error) {
	return p.seal.Close(text, p.now().Add(challengeLife), boundTo(who, purpose))
}

// Handed opens it again. What is void, or was for another log-in or purpose, is nothing.
func (p *People) Handed(who *record.Principal, purpose, text string) (kept string) {
	p.seal.Open(text, p.now(), boundTo(who, purpose), &kept)
	return kept
}

// Setup is what somebody needs to set up an authenticator app.
type Setup struct {
	// Key is what the app and the server share, and Address the same as apps read it.
	Key, Address string
	// Picture shows the address to a camera, as PNG.
	Picture []byte
}

// StartAuthenticator makes the key of a new authenticator app. It is kept nowhere until a code shows that the app has it.
func (p *People) StartAuthenticator(ctx context.Context, who *record.Principal) (s Setup, err error) {
	business, err := who.Tenant.Business(ctx)
	if err != nil {
		return s, err
	}
	u, err := who.Tenant.Get(ctx, &record.KindOf("user").Resource, who.User, false)
	if err != nil {
		return s, err
	}
	s.Key = NewAuthenticatorSecret()
	s.Address = AuthenticatorAddress(s.Key, business.Name, u.Text(account.Users.Email))
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
