package oauth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
)

// Why a log-in by an identity provider fails.
var (
	// ErrProvider tells that the provider, or what the business says of it, does not work; the log has why.
	ErrProvider = errors.New("the identity provider cannot be used")
	// ErrByProvider tells that a user has to log in by the provider of their business.
	ErrByProvider = errors.New("the business wants its people to log in by its identity provider")
)

// mostProviderName bounds the name that a provider gives a new user, in characters.
const mostProviderName = 200

// Offer is a business to which an e-mail address can log in by an identity provider.
type Offer struct {
	Business     schema.UUID
	BusinessName string
	// Issuer is the address of the provider, and Host what people know it by.
	Issuer, Host string
}

// domainOf is the domain of an e-mail address as it is compared, or nothing where it is none.
func domainOf(email string) string {
	if _, wrong := schema.Email.Normalize(email); wrong != "" || !PlainText(email) {
		return ""
	}
	return strings.ToLower(email[strings.LastIndexByte(email, '@')+1:])
}

// Offers lists where an address can log in by an identity provider. The domain alone decides, which tells nobody what addresses there are.
func (p *People) Offers(ctx context.Context, email string) (all []Offer, err error) {
	domain := domainOf(strings.TrimSpace(email))
	if domain == "" {
		return nil, nil
	}
	tenants, err := keep.WithLoginDomain(ctx, p.store, domain)
	if err != nil {
		return nil, err
	}
	for _, t := range tenants {
		provider, err := account.ProviderOf(ctx, t)
		if err != nil {
			return nil, err
		}
		if provider == nil {
			continue
		}
		business, err := t.Business(ctx)
		if err != nil {
			return nil, err
		}
		u, err := url.Parse(provider.Issuer)
		if err != nil {
			return nil, err
		}
		all = append(all, Offer{t.ID(), business.Name, provider.Issuer, u.Host})
	}
	return all, nil
}

// TryProvider tells what is wrong with the issuer of a provider, or nothing.
func (p *People) TryProvider(ctx context.Context, issuer string) string {
	found, err := oidc.NewProvider(oidc.ClientContext(ctx, p.providers), issuer)
	var other *oidc.IssuerMismatchError
	switch {
	case errors.As(err, &other):
		return fmt.Sprintf("is called otherwise by the provider itself, which says that it is %q", brief(other.Discovered))
	case err != nil:
		return why(err)
	}
	if err := p.checkEndpoints(found); err != nil {
		return why(err)
	}
	return ""
}

// checkEndpoints refuses a provider that would have people, or our secret, go somewhere without https.
func (p *People) checkEndpoints(found *oidc.Provider) error {
	for _, endpoint := range []string{found.Endpoint().AuthURL, found.Endpoint().TokenURL} {
		u, err := url.Parse(endpoint)
		if err != nil || u.Host == "" {
			return fmt.Errorf("the provider names %q as an endpoint", brief(endpoint))
		}
		if u.Scheme != "https" && !(p.providers.Transport.(bounded).ownNetwork && u.Scheme == "http" && account.Loopback(u.Hostname())) {
			return errPlain
		}
	}
	return nil
}

// party is a business towards its identity provider.
type party struct {
	tenant   store.Tenant
	settings *account.Provider
	found    *oidc.Provider
	client   oauth2.Config
	leave    func()
}

// party finds a business and asks its provider how it works: ErrWrongLogin where it has none. Whoever gets one leaves it.
func (p *People) party(ctx context.Context, business, redirect string) (*party, error) {
	id, err := schema.ParseID("business", business)
	if err != nil {
		return nil, ErrWrongLogin
	}
	t, err := p.store.Tenant(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return nil, ErrWrongLogin
	}
	if err != nil {
		return nil, err
	}
	settings, err := account.ProviderOf(ctx, t)
	if err == nil && settings == nil {
		err = ErrWrongLogin
	}
	if err != nil {
		return nil, err
	}
	secret, err := keep.LoginSecret(ctx, t)
	if err != nil {
		return nil, err
	}
	leave, err := p.waiting.enter(id)
	if err != nil {
		return nil, p.broken(ctx, t, err)
	}
	found, err := oidc.NewProvider(oidc.ClientContext(ctx, p.providers), settings.Issuer)
	if err == nil {
		err = p.checkEndpoints(found)
	}
	var may struct {
		Methods []string `json:"token_endpoint_auth_methods_supported"`
	}
	if err == nil {
		err = found.Claims(&may)
	}
	if err != nil {
		leave()
		return nil, p.broken(ctx, t, err)
	}
	endpoint := found.Endpoint()
	endpoint.AuthStyle = oauth2.AuthStyleInHeader
	if len(may.Methods) > 0 && !slices.Contains(may.Methods, "client_secret_basic") {
		endpoint.AuthStyle = oauth2.AuthStyleInParams
	}
	client := oauth2.Config{
		ClientID: settings.ClientID, ClientSecret: secret, Endpoint: endpoint, RedirectURL: redirect,
		Scopes: []string{oidc.ScopeOpenID, "email", "profile"},
	}
	return &party{t, settings, found, client, leave}, nil
}

// broken notes down why a provider cannot be used, for who runs the server: visitors are told nothing of it.
func (p *People) broken(ctx context.Context, t store.Tenant, err error) error {
	p.log.Warn("identity provider", "business", schema.FormatID("business", t.ID()), "error", brief(err.Error()), "request_id",
		requestNumber(ctx))
	return ErrProvider
}

// askedProvider is what the answer of a provider is checked by. It must come back unchanged, and from the same browser.
type askedProvider struct {
	Nonce    string `json:"nonce"`
	Verifier string `json:"verifier"`
}

// AskProvider gives the address of a log-in by an identity provider. What the answer is checked by is sealed into it, for one browser.
func (p *People) AskProvider(ctx context.Context, business, email, redirect, address string, seal func(kept string) string) (string,
	error,
) {
	if !p.byAddress.Take(ctx, network(address)) {
		return "", ErrTooManyTries
	}
	party, err := p.party(ctx, business, redirect)
	if err != nil {
		return "", err
	}
	defer party.leave()
	asked := askedProvider{rand.Text(), oauth2.GenerateVerifier()}
	return party.client.AuthCodeURL(seal(written(asked)), oidc.Nonce(asked.Nonce), oauth2.S256ChallengeOption(asked.Verifier),
		oauth2.SetAuthURLParam("login_hint", email)), nil
}

// claims are what a provider says of who logged in there.
type claims struct {
	Email string `json:"email"`
	// Verified is true, or for some providers "true".
	Verified any    `json:"email_verified"`
	Name     string `json:"name"`
	Party    string `json:"azp"`
}

// Returned is what a browser brings back from a provider.
type Returned struct {
	// Kept is what AskProvider sealed, Code what the provider gave, and Issuer who that says it is; each may be nothing.
	Kept, Code, Issuer string
}

// LogInByProvider lets in whom the identity provider of a business vouches for: a user of that business by their verified e-mail
// address. What they showed to the provider counts as both factors. ErrWrongLogin where they may not come in, or what they brought
// is not what was asked for; ErrProvider where the provider does not work.
func (p *People) LogInByProvider(ctx context.Context, business string, back Returned, redirect, address string) (*Proven, error) {
	var asked askedProvider
	if json.Unmarshal([]byte(back.Kept), &asked) != nil || asked.Nonce == "" || back.Code == "" {
		p.failed(ctx, toLogIn, "not asked of an identity provider", address, "")
		return nil, ErrWrongLogin
	}
	if !p.byAddress.Take(ctx, network(address)) {
		p.failed(ctx, toLogIn, "too many attempts", address, "")
		return nil, ErrTooManyTries
	}
	party, err := p.party(ctx, business, redirect)
	if err != nil {
		return nil, err
	}
	defer party.leave()
	if back.Issuer != "" && back.Issuer != party.settings.Issuer {
		p.failed(ctx, toLogIn, "answered by another identity provider", address, "")
		return nil, ErrWrongLogin
	}
	token, err := party.client.Exchange(oidc.ClientContext(ctx, p.providers), back.Code, oauth2.VerifierOption(asked.Verifier))
	if err != nil {
		return nil, p.broken(ctx, party.tenant, err)
	}
	raw, _ := token.Extra("id_token").(string)
	vouched, err := party.found.VerifierContext(oidc.ClientContext(ctx, p.providers),
		&oidc.Config{ClientID: party.settings.ClientID}).Verify(ctx, raw)
	if err != nil {
		return nil, p.broken(ctx, party.tenant, err)
	}
	var says claims
	if err := vouched.Claims(&says); err != nil {
		return nil, p.broken(ctx, party.tenant, err)
	}
	if says.Email == "" {
		if err := p.askMore(ctx, party, vouched, token, &says); err != nil {
			return nil, p.broken(ctx, party.tenant, err)
		}
	}
	if reason := says.refused(vouched, asked, party.settings); reason != "" {
		p.failed(ctx, toLogIn, reason, address, says.Email)
		return nil, ErrWrongLogin
	}
	return p.welcome(ctx, party, says, asked, address)
}

// askMore asks a provider for the address of who logged in, which many leave out of the ID token.
func (p *People) askMore(ctx context.Context, party *party, vouched *oidc.IDToken, token *oauth2.Token, says *claims) error {
	if party.found.UserInfoEndpoint() == "" {
		return nil
	}
	more, err := party.found.UserInfo(oidc.ClientContext(ctx, p.providers), oauth2.StaticTokenSource(token))
	if err != nil {
		return err
	}
	if more.Subject != vouched.Subject {
		return errors.New("the provider tells of somebody else than who logged in")
	}
	var also claims
	if err := more.Claims(&also); err != nil {
		return err
	}
	says.Email, says.Verified = also.Email, also.Verified
	if says.Name == "" {
		says.Name = also.Name
	}
	return nil
}

// refused tells why what a provider says is not enough to let somebody in, or nothing.
func (c claims) refused(vouched *oidc.IDToken, asked askedProvider, settings *account.Provider) string {
	switch {
	case vouched.Nonce != asked.Nonce:
		return "the identity provider answers another question"
	case len(vouched.Audience) > 1 && c.Party != settings.ClientID:
		return "the identity provider vouches to somebody else"
	case c.Verified != true && c.Verified != "true" && !(c.Verified == nil && settings.Trusted):
		return "the identity provider has not verified the address"
	case domainOf(c.Email) == "" || !slices.Contains(settings.Domains, domainOf(c.Email)):
		return "the address is at none of the business's domains"
	}
	return ""
}

// welcome finds or makes the user whom a provider vouches for. What it was asked is good for one answer, whatever it thinks of its code.
func (p *People) welcome(ctx context.Context, party *party, says claims, asked askedProvider, address string) (*Proven, error) {
	person := account.Person{Email: says.Email, Name: strings.TrimSpace(says.Name)}
	if runes := []rune(person.Name); person.Name == "" || len(runes) > mostProviderName || !PlainText(person.Name) {
		person.Name = person.Email
	}
	id := keep.Identity{Tenant: party.tenant}
	refused := ""
	err := party.tenant.Write(ctx, from(ctx, store.Actor{}), func(tx *store.Tx) error {
		var err error
		if id.User, refused, err = welcome(p.engine, tx, party.settings, person, from(ctx, store.Actor{})); err != nil {
			return err
		}
		if refused != "" {
			return ErrWrongLogin
		}
		first, err := keep.SpendOnce(tx, sha256.Sum256([]byte("provider "+asked.Nonce)),
			keep.Credential{Kind: record.SpentChallenge, User: id.User, Parent: id.User, ExpiresAt: tx.Now.Add(challengeLife)})
		if err == nil && !first {
			refused, err = "it was answered before", ErrWrongLogin
		}
		return err
	})
	if errors.Is(err, ErrWrongLogin) {
		var whose []keep.Identity
		if id.User != (schema.UUID{}) {
			whose = append(whose, id)
		}
		p.failed(ctx, toLogIn, "by the identity provider: "+refused, address, says.Email, whose...)
	}
	if err != nil {
		return nil, err
	}
	return &Proven{Identity: id, Factor: true, ByProvider: true}, nil
}

// mayCome refuses a log-in without the identity provider where the business requires it, but for those who can change that.
func (p *People) mayCome(ctx context.Context, id Proven) error {
	if id.ByProvider {
		return nil
	}
	provider, err := account.ProviderOf(ctx, id.Tenant)
	if err != nil || provider == nil || !provider.Required {
		return err
	}
	u, err := id.Tenant.Get(ctx, &record.KindOf("user").Resource, id.User, false)
	if errors.Is(err, store.ErrNotFound) {
		return ErrWrongLogin
	}
	if err != nil {
		return err
	}
	role, err := id.Tenant.Get(ctx, &record.KindOf("role").Resource, u.Get(account.Users.RoleID).UUID(), false)
	if err != nil {
		return err
	}
	if !account.MayDoWithout(account.ReadRole(role)) {
		p.failed(ctx, toLogIn, "not by the identity provider", "", "", id.Identity)
		return ErrByProvider
	}
	return nil
}
