package record

import (
	"encoding/base64"
	"strconv"

	"github.com/kith-crm/kith/internal/paper"
	"github.com/kith-crm/kith/internal/schema"
)

// LogoForms are how the logo of a business is sent: as it is given back, too, and as a JPEG.
var LogoForms = []string{"data:image/png;base64,", "data:image/jpeg;base64,"}

// longestLogo is how long the largest picture is as it is sent. The schema says so, and clients know by it how large a picture may be.
var longestLogo = int64(len(LogoForms[1]) + base64.StdEncoding.EncodedLen(paper.LogoBytes))

// Business declares the business itself. It is no resource among the others: there is one of it, nobody owns, searches or deletes it, and
// a feature permission alone decides who may change it.
var Business = schema.CompileApart(&schema.Resource{
	Name: "business", Plural: "business", Label: "Business",
	Access: schema.Access{Feature: "manage_settings", Audited: true},
	Fields: []schema.Field{
		{Name: "id", Kind: schema.ID, Label: "ID", ReadOnly: true, Required: true},
		{Name: "name", Kind: schema.Text, Label: "Name", Required: true},
		{
			Name: "currency", Kind: schema.Text, Format: schema.Currency, Label: "Currency", Required: true,
			About: "Where a deal, product or quote names no other. A change counts for what is made from then on.",
		},
		{
			Name: "timezone", Kind: schema.Text, Format: schema.Timezone, Label: "Time zone",
			About: "Such as Europe/Berlin; UTC when not given.",
		},
		{Name: "locale", Kind: schema.Text, Format: schema.Locale, Label: "Language and region"},
		{Name: "address", Kind: schema.LongText, Label: "Address", Max: schema.Bound(1000), About: "As it stands on quotes, in lines."},
		{Name: "tax_id", Kind: schema.Text, Label: "Tax ID", Max: schema.Bound(100), About: "As it stands on quotes."},
		{
			Name: "quote_terms", Kind: schema.LongText, Label: "Terms of quotes", Max: schema.Bound(20000),
			About: "Stand on every quote, behind its own terms.",
		},
		{
			Name: "quote_footer", Kind: schema.LongText, Label: "Footer of quotes", Max: schema.Bound(500),
			About: "Stands at the end of every page of a quote; up to four lines of it.",
		},
		{
			Name: "logo", Kind: schema.Text, Label: "Logo", Max: schema.Bound(longestLogo),
			About: "Stands on quotes. A PNG or JPEG as a " +
				"data: address in base64, of at most " + strconv.Itoa(paper.LogoBytes>>10) + " KB and 4 million points; it is drawn anew " +
				"as a PNG that fits 900 by 330 points. Kept apart: what is answered is a mark that changes with it, and `GET " +
				"/v1/business/logo` gives the picture.",
		},
		{
			Name: "bin_days", Kind: schema.Integer, Label: "Days in the bin", Min: schema.Bound(1), Max: schema.Bound(3650),
			About: "After so many days deleted records are removed for good; never when not given.",
		},
		{
			Name: "login_issuer", Kind: schema.Text, Label: "Identity provider", Max: schema.Bound(500),
			About: "The address (issuer) of the OpenID Connect provider by which people log in to this business. To remove it removes " +
				"the other login_ fields, too. Whoever sets any of them must have every right that a role of the business gives.",
		},
		{
			Name: "login_client_id", Kind: schema.Text, Label: "Client ID at the identity provider", Max: schema.Bound(500),
			About: "What the provider knows kith by.",
		},
		{
			Name: "login_client_secret", Kind: schema.Text, Label: "Client secret at the identity provider", Max: schema.Bound(500),
			About: "Kept apart and never answered: what is answered tells since when it is set.",
		},
		{
			Name: "login_domains", Kind: schema.Tags, Label: "Domains of the identity provider",
			About: "Only e-mail addresses at these log in by the provider; 1 to 50.",
		},
		{
			Name: "login_role_id", Kind: schema.ID, Ref: schema.Ref{Prefix: "role"},
			Label: "Role of who first logs in by the identity provider",
			About: "Who has no user yet is made one with this role. Only users that are there can log in when not given.",
		},
		{
			Name: "login_required", Kind: schema.Bool, Label: "Log-in by the identity provider alone",
			About: "Whether people log in by the provider only. Those whose role has the feature permission manage_settings can log in " +
				"by other means as well.",
		},
		{
			Name: "login_trusted", Kind: schema.Bool, Label: "Addresses of the identity provider are trusted",
			About: "Whether an e-mail address counts that the provider sends without email_verified, as Microsoft Entra ID does. Only " +
				"for a provider where nobody but the company decides which address somebody has. One that it calls unverified never " +
				"counts.",
		},
		{Name: "created_at", Kind: schema.Time, Label: "Created", ReadOnly: true, Required: true},
		{Name: "updated_at", Kind: schema.Time, Label: "Updated", ReadOnly: true, Required: true},
		{
			Name: "version", Kind: schema.Integer, Label: "Version", ReadOnly: true, Required: true,
			About: "Rises by one with every change; the ETag.",
		},
	},
})

// OwnBusiness are the fields of the business that code names.
var OwnBusiness = schema.FieldsOf[struct {
	Name, Currency, Timezone, Locale, BinDays, Address, TaxID, QuoteTerms, QuoteFooter, Logo              *schema.Leaf
	LoginIssuer, LoginClientID, LoginClientSecret, LoginDomains, LoginRoleID, LoginRequired, LoginTrusted *schema.Leaf
}](&Business.Shape)

// BusinessScope is the scope that changing the business needs. Reading it needs none, so there is no other.
const BusinessScope = "business.write"
