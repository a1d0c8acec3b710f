package crm

import (
	"slices"
	"time"

	"kith/internal/body"
	"kith/internal/problem"
	"kith/internal/schema"
	"kith/internal/store"
	"kith/internal/store/keep"
)

var token = &Kind{Resource: schema.Resource{
	Name: "token", Plural: "tokens", Label: "Personal access token", Feature: "manage_tokens", OwnFree: true, Rights: true, Audited: true, Small: true,
	Secret:  "token",
	Example: `{"name":"Nightly report","scopes":["contact.read","deal.read"]}`,
	Power:   "can make further tokens, which work without it",
	Own:     []string{"user_id"}, Without: []string{"patch", "restore", "bin"},
	Telling: []string{"hint", "expires_at", "user.name"},
	Fields: []schema.Field{
		{Name: "name", Kind: schema.Text, Label: "Name", Required: true, Searchable: true, Sorted: true},
		{Name: "scopes", Kind: schema.Choices, Label: "Scopes", Required: true},
		{Name: "hint", Kind: schema.Text, Label: "Begins with", ReadOnly: true},
		{Name: "user_id", Kind: schema.ID, Ref: "user", Label: "Acts as", ReadOnly: true, Indexed: true},
		{Name: "expires_at", Kind: schema.Time, Label: "Expires", About: "When not given, never, or when the calling token expires itself."},
		{Name: "last_used_at", Kind: schema.Time, Label: "Last used", ReadOnly: true, Silent: true, About: "To the minute."},
	},
}}

// Tokens are the fields of tokens that code names.
var Tokens = fieldsOf[struct {
	schema.Common
	Name, Scopes, Hint, UserID, ExpiresAt *schema.Leaf
}](token)

// mostTokens is how many tokens a user may have. Whoever is suspended or deleted loses all of theirs in the same write, and that must not take
// so long that it fails: otherwise somebody could make so many that nobody gets rid of them.
const mostTokens = 500

func init() {
	token.prepare = func(w *write) error {
		if err := w.who.mayMakeSecrets(); err != nil {
			return err
		}
		w.rec.Put(Tokens.UserID, schema.IDValue(w.who.User))
		if err := w.checkTokens(); err != nil {
			return err
		}
		u, err := Acting(w.Get(&user.Resource, w.who.User, false))
		if err != nil {
			return err
		}
		if u == nil {
			w.wrong.Add(Tokens.UserID.Path, "not_allowed", "the user is suspended")
		}
		w.checkGiven(Tokens.Scopes)
		w.checkExpiry(Tokens.ExpiresAt)
		secret, hash := NewSecret(PersonalToken, w.who.Tenant.ID())
		w.rec.PutText(Tokens.Hint, secret[:len("kith_pat_")+4])
		w.rec.Once = &schema.Secret{Name: token.Secret, Value: secret}
		return keep.PutCredential(w.Tx, hash, keep.Credential{
			Kind: PersonalToken, User: w.who.User, Parent: w.rec.ID(), Scopes: body.Strings(w.rec.Get(Tokens.Scopes)), ExpiresAt: timeOf(w.rec.Get(Tokens.ExpiresAt)),
		})
	}
	token.written = func(w *write) error {
		if w.action == "delete" {
			return keep.DropCredentials(w.Tx, w.rec.ID())
		}
		return nil
	}
}

// checkTokens refuses a token to a user who has as many as they may.
func (w *write) checkTokens() error {
	have, err := w.Count(&token.Resource, mostTokens, store.Equal(Tokens.UserID, w.rec.Get(Tokens.UserID)))
	if err == nil && have >= mostTokens {
		err = problem.New(problem.Conflict, "A user has at most %d tokens; revoke some that are not needed any more.", mostTokens)
	}
	return err
}

// checkExpiry keeps a token from outliving the one that makes it: what is not given is the maker's own end.
func (w *write) checkExpiry(expires *schema.Leaf) {
	at, latest := w.rec.Get(expires), w.who.ExpiresAt
	switch {
	case at.Set && !at.Time().After(w.Now):
		w.wrong.Add(expires.Path, "out_of_range", "must be in the future")
	case latest.IsZero():
	case !at.Set:
		w.rec.Put(expires, schema.TimeValue(latest))
	case at.Time().After(latest):
		w.wrong.Add(expires.Path, "out_of_range", "must not be after "+string(schema.AppendTime(nil, latest.UTC()))+", when the calling token expires itself")
	}
}

func timeOf(v schema.Value) time.Time {
	if !v.Set {
		return time.Time{}
	}
	return v.Time()
}

// mayMakeSecrets refuses further tokens and apps to who has to set up a second factor first. The tokens that they have go on: programs rely on them.
func (p *Principal) mayMakeSecrets() error {
	if p.LacksFactor {
		return problem.New(problem.ForbiddenByRole, "The role %s requires a second factor, and the user has none: they have to set one up on the pages before they can make tokens or apps.", p.Role.Name)
	}
	return nil
}

// beyond lists the scopes of the record that the calling token lacks itself.
func (w *write) beyond(scopes *schema.Leaf) (lacking []string) {
	for _, scope := range body.Strings(w.rec.Get(scopes)) {
		if !Covers(w.who.Scopes, scope) {
			lacking = append(lacking, scope)
		}
	}
	return lacking
}

// checkGiven keeps a token from making one with scopes that it lacks itself.
func (w *write) checkGiven(scopes *schema.Leaf) {
	if lacking := w.beyond(scopes); len(lacking) > 0 {
		allowed := slices.DeleteFunc(Scopes(), func(s string) bool { return !Covers(w.who.Scopes, s) })
		for _, scope := range lacking {
			w.wrong.Add(scopes.Path, "not_allowed", "the calling token does not have "+scope+" itself", allowed...)
		}
	}
}
