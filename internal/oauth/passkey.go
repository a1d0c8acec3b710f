package oauth

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	fido "github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
)

const (
	// mostPasskeys is how many passkeys a user can have.
	mostPasskeys = 20
	// mostPasskeyName bounds what they call one, in characters.
	mostPasskeyName = 100
	// challengeLife is how long a browser has to answer a challenge.
	challengeLife = 10 * time.Minute
)

// ErrNoPasskeys tells that passkeys cannot be used at an address.
var ErrNoPasskeys = errors.New("passkeys need a host with a name, and https or the own machine")

// relying is the server as passkeys know it, by the name of its host. Browsers have none for plain addresses, nor without https.
func relying(origin string) (*webauthn.WebAuthn, error) {
	u, err := url.Parse(origin)
	if err != nil {
		return nil, ErrNoPasskeys
	}
	host := u.Hostname()
	local := host == "localhost" || strings.HasSuffix(host, ".localhost")
	if host == "" || net.ParseIP(host) != nil || u.Scheme != "https" && !local {
		return nil, ErrNoPasskeys
	}
	w, err := webauthn.New(&webauthn.Config{
		RPID: host, RPDisplayName: "kith", RPOrigins: []string{origin}, AttestationPreference: fido.PreferNoAttestation,
		AuthenticatorSelection: fido.AuthenticatorSelection{
			ResidentKey:        fido.ResidentKeyRequirementRequired,
			RequireResidentKey: fido.ResidentKeyRequired(), UserVerification: fido.VerificationRequired,
		},
	})
	if err != nil {
		return nil, ErrNoPasskeys // a host that can be reached and is no name, such as one with an underscore
	}
	return w, nil
}

// Challenge is what a browser is asked to sign with a passkey.
type Challenge struct {
	// Options are what the browser is told, as JSON.
	Options string
	// State is what the answer is checked by. It must come back unchanged, and from the same browser.
	State string
}

func newChallenge(options any, state *webauthn.SessionData) Challenge {
	state.Expires = time.Now().Add(challengeLife)
	return Challenge{written(options), written(state)}
}

// Signed is the answer of a browser to a challenge.
type Signed struct {
	Origin, State, Response string
}

func (s Signed) state() (state webauthn.SessionData, err error) {
	err = json.Unmarshal([]byte(s.State), &state)
	return state, err
}

// keyHolder is a user as the library knows one.
type keyHolder struct {
	handle      []byte
	email, name string
	keys        []webauthn.Credential
}

func (h keyHolder) WebAuthnID() []byte                         { return h.handle }
func (h keyHolder) WebAuthnName() string                       { return h.email }
func (h keyHolder) WebAuthnDisplayName() string                { return h.name }
func (h keyHolder) WebAuthnCredentials() []webauthn.Credential { return h.keys }

// handleOf is what a passkey remembers of its user. It names the business, so that the key alone is enough to log in.
func handleOf(business, user schema.UUID) []byte { return append(business[:], user[:]...) }

func holderOf(business, user schema.UUID, all []keep.Factor) (h keyHolder, err error) {
	h.handle = handleOf(business, user)
	for _, f := range all {
		if f.Kind != factorPasskey {
			continue
		}
		var key webauthn.Credential
		if err := json.Unmarshal([]byte(f.Data), &key); err != nil {
			return h, fmt.Errorf("read a passkey: %w", err)
		}
		h.keys = append(h.keys, key)
	}
	return h, nil
}

// relyingFor is the server as passkeys know it, and a user with theirs.
func relyingFor(ctx context.Context, t store.Tenant, user schema.UUID, origin string) (server *webauthn.WebAuthn, h keyHolder, err error) {
	if server, err = relying(origin); err != nil {
		return nil, h, err
	}
	all, err := keep.Factors(ctx, t, user)
	if err == nil {
		h, err = holderOf(t.ID(), user, all)
	}
	return server, h, err
}

// NewPasskey asks the browser of who is logged in for a new passkey.
func (p *People) NewPasskey(ctx context.Context, who *record.Principal, origin string) (c Challenge, err error) {
	server, holder, err := relyingFor(ctx, who.Tenant, who.User, origin)
	if err != nil {
		return c, err
	}
	u, err := who.Tenant.Get(ctx, &record.KindOf("user").Resource, who.User, false)
	if err != nil {
		return c, err
	}
	business, err := who.Tenant.Business(ctx)
	if err != nil {
		return c, err
	}
	// One person may be in several businesses under one address.
	holder.email, holder.name = u.Text(account.Users.Email), u.Text(account.Users.Name)+" ("+business.Name+")"
	options, state, err := server.BeginRegistration(holder,
		webauthn.WithExclusions(webauthn.Credentials(holder.keys).CredentialDescriptors()))
	if err != nil {
		return c, err
	}
	return newChallenge(options.Response, state), nil
}

// AddPasskey keeps a passkey that the browser of who is logged in made: ErrWrongFactor where it is none that was asked for. It
// gives recovery codes where the user had no second factor before.
func (p *People) AddPasskey(ctx context.Context, who *record.Principal, session schema.UUID, made Signed, name,
	address string,
) (codes []string, err error) {
	if name = strings.TrimSpace(name); name == "" {
		name = "Passkey"
	}
	if utf8.RuneCountInString(name) > mostPasskeyName || !PlainText(name) {
		return nil, problem.Wrong("name", "too_long", fmt.Sprintf("must be one line of at most %d characters", mostPasskeyName))
	}
	server, err := relying(made.Origin)
	if err != nil {
		return nil, err
	}
	key, err := created(server, who, made)
	if err != nil {
		p.failed(ctx, "new passkey", err.Error(), address, "", keep.Identity{Tenant: who.Tenant, User: who.User})
		return nil, ErrWrongFactor
	}
	// What made the key is not asked about, so nothing of that has to be kept.
	key.Attestation = webauthn.CredentialAttestation{}
	f := keep.Factor{User: who.User, Kind: factorPasskey, Name: name, Data: written(key)}
	return p.add(ctx, who, session, f, func(had Factors) error {
		if len(had.Passkeys) >= mostPasskeys {
			return problem.New(problem.Conflict, "You have %d passkeys already; remove one first.", mostPasskeys)
		}
		return nil
	})
}

func created(server *webauthn.WebAuthn, who *record.Principal, made Signed) (*webauthn.Credential, error) {
	state, err := made.state()
	if err != nil {
		return nil, err
	}
	parsed, err := fido.ParseCredentialCreationResponseBytes([]byte(made.Response))
	if err != nil {
		return nil, err
	}
	return server.CreateCredential(keyHolder{handle: handleOf(who.Tenant.ID(), who.User)}, state, parsed)
}

// AskPasskey asks a browser for one of a user's passkeys; ErrNoPasskeys where they have none.
func (p *People) AskPasskey(ctx context.Context, t store.Tenant, user schema.UUID, origin string) (c Challenge, err error) {
	server, holder, err := relyingFor(ctx, t, user, origin)
	if err == nil && len(holder.keys) == 0 {
		err = ErrNoPasskeys
	}
	if err != nil {
		return c, err
	}
	options, state, err := server.BeginLogin(holder)
	if err != nil {
		return c, err
	}
	return newChallenge(options.Response, state), nil
}

// AskAnyPasskey asks a browser for a passkey of whoever sits there.
func (p *People) AskAnyPasskey(origin string) (c Challenge, err error) {
	server, err := relying(origin)
	if err != nil {
		return c, err
	}
	options, state, err := server.BeginDiscoverableLogin()
	if err != nil {
		return c, err
	}
	return newChallenge(options.Response, state), nil
}

// LogInByPasskey lets in whom a passkey belongs to. Its owner has shown a finger or a number to it, so that it is two factors in
// one: ErrWrongFactor where it is none of ours.
func (p *People) LogInByPasskey(ctx context.Context, signed Signed, address string) (*Proven, error) {
	if !p.byAddress.Take(ctx, network(address)) {
		p.failed(ctx, toLogIn, "too many attempts", address, "")
		return nil, ErrTooManyTries
	}
	parsed, err := fido.ParseCredentialRequestResponseBytes([]byte(signed.Response))
	if err != nil || len(parsed.Response.UserHandle) != len(handleOf(schema.UUID{}, schema.UUID{})) {
		p.failed(ctx, toLogIn, "not a passkey", address, "")
		return nil, ErrWrongFactor
	}
	handle := parsed.Response.UserHandle
	t, err := p.store.Tenant(ctx, schema.UUID(handle[:16]))
	if errors.Is(err, store.ErrNotFound) {
		p.failed(ctx, toLogIn, "a passkey of another server", address, "")
		return nil, ErrWrongFactor
	}
	if err != nil {
		return nil, err
	}
	id := keep.Identity{Tenant: t, User: schema.UUID(handle[16:])}
	err = p.proveFactor(ctx, toLogIn, id, Answer{Passkey: &signed}, address, func(tx *store.Tx) error { return holdActive(tx, id.User) })
	if errors.Is(err, ErrWrongLogin) {
		p.failed(ctx, toLogIn, "not active", address, "", id)
		err = ErrWrongFactor
	}
	return &Proven{Identity: id, Factor: true, ByPasskey: true}, err
}

// usePasskey checks what a browser signed with one of a user's passkeys. A challenge is good for one answer.
func (p *People) usePasskey(tx *store.Tx, user schema.UUID, all []keep.Factor, signed Signed) error {
	server, err := relying(signed.Origin)
	if err != nil {
		return ErrWrongFactor
	}
	holder, err := holderOf(tx.ID(), user, all)
	if err != nil {
		return err
	}
	key, challenge, err := asserted(server, holder, signed)
	if err != nil || key.Authenticator.CloneWarning { // its count went back: there are two of it
		p.log.Warn("passkey refused", "user", schema.FormatID("user", user), "copied", err == nil, "error", err)
		return ErrWrongFactor
	}
	for _, f := range all {
		var kept webauthn.Credential
		if f.Kind != factorPasskey || json.Unmarshal([]byte(f.Data), &kept) != nil || string(kept.ID) != string(key.ID) {
			continue
		}
		first, err := keep.SpendOnce(tx, sha256.Sum256(challenge),
			keep.Credential{Kind: record.SpentChallenge, User: user, Parent: f.ID, ExpiresAt: tx.Now.Add(challengeLife)})
		if err != nil {
			return err
		}
		if !first {
			return ErrWrongFactor
		}
		f.Data = written(key)
		return keep.UseFactor(tx, f)
	}
	return ErrWrongFactor
}

func asserted(server *webauthn.WebAuthn, holder keyHolder, signed Signed) (key *webauthn.Credential, challenge []byte, err error) {
	state, err := signed.state()
	if err != nil {
		return nil, nil, err
	}
	if challenge, err = base64.RawURLEncoding.DecodeString(state.Challenge); err != nil {
		return nil, nil, err
	}
	parsed, err := fido.ParseCredentialRequestResponseBytes([]byte(signed.Response))
	if err != nil {
		return nil, nil, err
	}
	if len(state.UserID) == 0 {
		key, err = server.ValidateDiscoverableLogin(func(_, _ []byte) (webauthn.User, error) { return holder, nil }, state, parsed)
	} else {
		key, err = server.ValidateLogin(holder, state, parsed)
	}
	return key, challenge, err
}
