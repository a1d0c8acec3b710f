package account

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/keep"
)

// GrantTypes are the ways in which an app can get a token.
var GrantTypes = []string{"authorization_code", "refresh_token", "client_credentials"}

var App = &record.Kind{NamesScopes: "scopes", Resource: schema.Resource{
	Name: "app", Plural: "apps", Label: "App", Without: []string{"restore", "bin"},
	Access: schema.Access{
		Feature: "manage_apps", Rights: true, Secret: "client_secret", Audited: true,
		Power: "can make apps that act on their own, and get hold of their secrets",
	},
	Summary: schema.Summary{Telling: []string{"client_id", "grant_types", "user.name"}},
	Storage: schema.Storage{Small: true},
	Example: `{"name":"Nightly sync","scopes":["contact.read"],"grant_types":["client_credentials"]}`,
	Fields: []schema.Field{
		{Name: "name", Kind: schema.Text, Label: "Name", Required: true, Find: schema.Find{Searchable: true, Sorted: true}},
		{Name: "client_id", Kind: schema.Text, Label: "Client ID", Required: true, ReadOnly: true, Find: schema.Find{Indexed: true}},
		{
			Name: "redirect_uris", Kind: schema.Tags, Label: "Redirect addresses", Max: schema.Bound(2048),
			About: "Needed for authorization_code. https, or http on the own machine, or an app's own scheme.",
		},
		{
			Name: "grant_types", Kind: schema.Choices, Options: GrantTypes, Label: "Grant types", Required: true, Derived: true,
			About: "authorization_code and refresh_token with redirect addresses, else client_credentials, when not given.",
		},
		{Name: "scopes", Kind: schema.Choices, Label: "Scopes", Required: true, About: "The most that the app can get."},
		{
			Name: "user_id", Kind: schema.ID, Ref: schema.Ref{To: "user"}, Label: "Acts as", Find: schema.Find{Indexed: true},
			About: "Whom the app acts as with client_credentials; the acting user when not given.",
		},
	},
	Actions: []schema.Action{{Name: "rotate_secret", About: "Replaces the client secret; the new one is answered once."}},
}}

// Apps are the fields of apps that code names.
var Apps struct {
	schema.Common
	Name, ClientID, RedirectURIs, GrantTypes, Scopes, UserID *schema.Leaf
}

func declareApps() {
	schema.Bind(&App.Shape, &Apps)
	App.Prepare = prepareApp
	App.Validate = validateApp
	App.Acts = map[string]func(*record.Mutation, *body.Changes) error{"rotate_secret": func(w *record.Mutation, _ *body.Changes) error {
		p := w.Proposed()
		if err := checkActsAs(p); err != nil {
			return err
		}
		if beyond := beyond(p, Apps.Scopes); len(beyond) > 0 { // who has the secret has the scopes
			return &problem.Problem{
				Code: problem.InsufficientScope, Scope: beyond[0],
				Detail: "The token lacks the scope " + beyond[0] + ", which the app has.",
			}
		}
		secret, hash := record.NewSecret(record.ClientSecret, schema.UUID{})
		w.Rec.Once = &schema.Secret{Name: App.Access.Secret, Value: secret}
		return keep.SetAppSecret(w.Tx, w.Rec.ID(), hash)
	}}
	App.Writing = func(w *record.Mutation) error {
		if w.Old != nil {
			return nil
		}
		secret, hash := record.NewSecret(record.ClientSecret, schema.UUID{})
		w.Rec.Once = &schema.Secret{Name: App.Access.Secret, Value: secret}
		return keep.PutApp(w.Tx, keep.Client{ID: w.Rec.Text(Apps.ClientID), App: w.Rec.ID(), SecretHash: &hash})
	}
	App.Written = func(w *record.Mutation) error {
		if w.Action == "delete" {
			return keep.DropApp(w.Tx, w.Rec.ID(), w.Rec.Text(Apps.ClientID))
		}
		if w.Old != nil && (w.Changed(Apps.Scopes) || w.Changed(Apps.UserID)) {
			return keep.DropCredentials(w.Tx, w.Rec.ID()) // tokens from before have the old scopes and the old user
		}
		return nil
	}
}

// prepareApp says how an app gets its tokens and whom it acts as, where that is not given, and gives a new one its client id.
func prepareApp(w *record.Mutation) error {
	if !w.Rec.Get(Apps.GrantTypes).Set {
		types := `["client_credentials"]`
		if len(body.Strings(w.Rec.Get(Apps.RedirectURIs))) > 0 {
			types = `["authorization_code","refresh_token"]`
		}
		w.Rec.PutText(Apps.GrantTypes, types)
	}
	if !w.Rec.Get(Apps.UserID).Set && slices.Contains(body.Strings(w.Rec.Get(Apps.GrantTypes)), "client_credentials") {
		w.Rec.Put(Apps.UserID, schema.IDValue(w.Who.User))
	}
	if w.Old == nil {
		w.Rec.PutText(Apps.ClientID, "kith_app_"+schema.FormatID("a", w.NewID())[2:])
	}
	return nil
}

// validateApp holds an app to addresses that lead to it alone, and to what who acts may do themselves.
func validateApp(p record.Proposed) error {
	uris := body.Strings(p.Get(Apps.RedirectURIs))
	for i, uri := range uris {
		if wrong := CheckRedirect(uri); wrong != "" {
			p.Refuse(fmt.Sprintf("redirect_uris[%d]", i), "invalid_format", wrong)
		}
	}
	if slices.Contains(body.Strings(p.Get(Apps.GrantTypes)), "authorization_code") && len(uris) == 0 {
		p.Refuse(Apps.RedirectURIs.Path, "required", "must be given for authorization_code")
	}
	// Whom the scopes are used as, how they are got and who is sent the codes for them count as much as the scopes.
	if p.New() || p.Changed(Apps.Scopes) || p.Changed(Apps.UserID) || p.Changed(Apps.GrantTypes) || p.Changed(Apps.RedirectURIs) {
		checkGiven(p, Apps.Scopes)
	}
	return checkActsAs(p)
}

// checkActsAs keeps anyone from making an app that may do more than they may themselves, and from getting hold of one.
func checkActsAs(p record.Proposed) error {
	id := p.Get(Apps.UserID)
	if !id.Set || id.UUID() == p.Who().User {
		return nil
	}
	u, err := p.Lookup(User, id.UUID())
	if err != nil || u == nil {
		return err
	}
	theirs, err := p.Lookup(Role, u.Get(Users.RoleID).UUID())
	if err != nil || theirs == nil {
		return err
	}
	if err := outranks(p.Who(), ReadRole(theirs), "make an app act as a user with %s"); err != nil {
		return err
	}
	return keepsFactor(p.Who(), ReadRole(theirs))
}

// CheckRedirect tells what is wrong with a redirect address, or nothing. What browsers, proxies and libraries read in more than one way is
// refused: an address that one of them takes for another's is one that a code can be stolen through.
func CheckRedirect(uri string) string {
	u, err := url.Parse(uri)
	switch {
	case err != nil || u.Scheme == "" || strings.ContainsFunc(uri, OutsideURI):
		return "must be an absolute address of plain ASCII letters, digits and signs"
	case !strings.HasPrefix(uri, u.Scheme+":"):
		return "must have its scheme in small letters"
	case strings.Contains(uri, "*"):
		return "must not have a wildcard; register every address"
	case u.Fragment != "" || strings.Contains(uri, "#"):
		return "must not have a fragment"
	case u.User != nil || strings.Contains(u.Host, "@"):
		return "must not have a user name"
	case encodedControl.MatchString(uri):
		return "must not have an encoded control character or backslash"
	case dotSegment.MatchString(u.EscapedPath()):
		return "must not have . or .. as a part of its path"
	case u.Scheme == "https":
		return CheckHost(uri, u)
	case u.Scheme == "http":
		if !Loopback(u.Hostname()) {
			return "must use https, except on the own machine (localhost, 127.0.0.1, [::1])"
		}
		return CheckHost(uri, u)
	case !strings.Contains(u.Scheme, "."):
		return "must use https, http on the own machine, or a private scheme with a dot such as com.example.app"
	}
	return ""
}

var (
	encodedControl = regexp.MustCompile(`(?i)%([01][0-9a-f]|7f|5c)`)
	dotSegment     = regexp.MustCompile(`(?i)(^|/|%2f)(\.|%2e){1,2}(/|%2f|$)`)
	hostName       = regexp.MustCompile(`^[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?)*$`)
)

// checkHost tells what is wrong with the host and port of a web address, or nothing.
func CheckHost(uri string, u *url.URL) string {
	host := u.Hostname()
	ip, err := netip.ParseAddr(host)
	// 127.1 and the like are addresses in disguise
	named := hostName.MatchString(host) && !allDigits(host[strings.LastIndexByte(host, '.')+1:])
	switch {
	case u.Opaque != "" || !strings.HasPrefix(uri, u.Scheme+"://"+u.Host) || host == "":
		return "must name a host"
	case strings.HasPrefix(u.Host, "[") != (err == nil && ip.Is6()) || err == nil && ip.Zone() != "" || err != nil && !named:
		return "must name a host by its plain name, such as app.example.com, or its IP address"
	}
	if port := u.Port(); port != "" || strings.HasSuffix(u.Host, ":") {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return "must have a port from 1 to 65535, or none"
		}
	}
	return ""
}

func allDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// outsideURI tells which characters cannot be in an address (RFC 3986). Letters beyond ASCII are among them: a host can only be judged by
// its looks when it is written out.
func OutsideURI(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune("\"<>\\^`{|}", r) }

// Loopback tells whether a host is the own machine.
func Loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
