package account

import (
	"slices"
	"time"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
)

var Token = &record.Kind{NamesScopes: "scopes", Resource: schema.Resource{
	Name: "token", Plural: "tokens", Label: "Personal access token", Without: []string{"patch", "restore", "bin"},
	Access: schema.Access{
		Feature: "manage_tokens", Own: []string{"user_id"}, OwnFree: true, Rights: true, Secret: "token", Audited: true,
		Power: "can make further tokens, which work without it",
	},
	Summary: schema.Summary{Telling: []string{"hint", "expires_at", "user.name"}},
	Storage: schema.Storage{Small: true},
	Example: `{"name":"Nightly report","scopes":["contact.read","deal.read"]}`,
	Fields: []schema.Field{
		{Name: "name", Kind: schema.Text, Label: "Name", Required: true, Find: schema.Find{Searchable: true, Sorted: true}},
		{Name: "scopes", Kind: schema.Choices, Label: "Scopes", Required: true},
		{Name: "hint", Kind: schema.Text, Label: "Begins with", ReadOnly: true},
		{Name: "user_id", Kind: schema.ID, Ref: schema.Ref{To: "user"}, Label: "Acts as", ReadOnly: true, Find: schema.Find{Indexed: true}},
		{
			Name: "expires_at", Kind: schema.Time, Label: "Expires",
			About: "When not given, never, or when the calling token expires itself.",
		},
		{
			Name: "last_used_at", Kind: schema.Time, Label: "Last used", ReadOnly: true, Writing: schema.Writing{Silent: true},
			About: "To the minute.",
		},
	},
}}

// Tokens are the fields of tokens that code names.
var Tokens struct {
	schema.Common
	Name, Scopes, Hint, UserID, ExpiresAt *schema.Leaf
}

// mostTokens is how many tokens a user may have. Whoever is suspended or deleted loses all of theirs in the same write, and that
// must not take so long that it fails: otherwise somebody could make so many that nobody gets rid of them.
const mostTokens = 500

func declareTokens() {
	schema.Bind(&Token.Shape, &Tokens)
	Token.GoesWithUser = Tokens.UserID
	Token.Prepare = func(w *record.Mutation) error {
		w.Rec.Put(Tokens.UserID, schema.IDValue(w.Who.User))
		if latest := w.Who.ExpiresAt; !w.Rec.Get(Tokens.ExpiresAt).Set && !latest.IsZero() {
			w.Rec.Put(Tokens.ExpiresAt, schema.TimeValue(latest))
		}
		return nil
	}
	Token.Validate = func(p record.Proposed) error {
		if err := checkTokens(p); err != nil {
			return err
		}
		u, err := Acting(p.Held(&User.Resource, p.Who().User))
		if err != nil {
			return err
		}
		if u == nil {
			p.Refuse(Tokens.UserID.Path, "not_allowed", isSuspended)
		}
		checkGiven(p, Tokens.Scopes)
		checkExpiry(p, Tokens.ExpiresAt)
		return nil
	}
	Token.Writing = func(w *record.Mutation) error {
		secret, hash := record.NewSecret(record.PersonalToken, w.Who.Tenant.ID())
		w.Rec.PutText(Tokens.Hint, secret[:len("kith_pat_")+4])
		w.Rec.Once = &schema.Secret{Name: Token.Access.Secret, Value: secret}
		return keep.PutCredential(w.Tx, hash, keep.Credential{
			Kind: record.PersonalToken, User: w.Who.User, Parent: w.Rec.ID(), Scopes: body.Strings(w.Rec.Get(Tokens.Scopes)),
			ExpiresAt: timeOf(w.Rec.Get(Tokens.ExpiresAt)),
		})
	}
	Token.Written = func(w *record.Mutation) error {
		if w.Action == "delete" {
			return keep.DropCredentials(w.Tx, w.Rec.ID())
		}
		return nil
	}
}

// checkTokens refuses a token to a user who has as many as they may.
func checkTokens(p record.Proposed) error {
	have, err := p.Count(&Token.Resource, mostTokens, store.Equal(Tokens.UserID, p.Get(Tokens.UserID)))
	if err == nil && have >= mostTokens {
		err = problem.New(problem.Conflict, "A user has at most %d tokens; revoke some that are not needed any more.", mostTokens)
	}
	return err
}

// checkExpiry keeps a token from outliving the one that makes it. What is not given is the maker's own end.
func checkExpiry(p record.Proposed, expires *schema.Leaf) {
	at, latest := p.Get(expires), p.Who().ExpiresAt
	switch {
	case !p.Gave(expires) || !at.Set:
	case !at.Time().After(p.Now()):
		p.Refuse(expires.Path, "out_of_range", "must be in the future")
	case latest.IsZero():
	case at.Time().After(latest):
		p.Refuse(expires.Path, "out_of_range", "must not be after "+string(schema.AppendTime(nil,
			latest.UTC()))+", when the calling token expires itself")
	}
}

func timeOf(v schema.Value) time.Time {
	if !v.Set {
		return time.Time{}
	}
	return v.Time()
}

func beyond(p record.Proposed, scopes *schema.Leaf) (lacking []string) {
	for _, scope := range body.Strings(p.Get(scopes)) {
		if !record.Covers(p.Who().Scopes, scope) {
			lacking = append(lacking, scope)
		}
	}
	return lacking
}

// checkGiven keeps a token from making one with scopes that it lacks itself.
func checkGiven(p record.Proposed, scopes *schema.Leaf) {
	if lacking := beyond(p, scopes); len(lacking) > 0 {
		allowed := slices.DeleteFunc(record.Scopes(), func(s string) bool { return !record.Covers(p.Who().Scopes, s) })
		for _, scope := range lacking {
			p.Refuse(scopes.Path, "not_allowed", "the calling token does not have "+scope+" itself", allowed...)
		}
	}
}
