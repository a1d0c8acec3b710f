package record

import (
	"slices"
	"time"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
)

var Token = &Kind{Resource: schema.Resource{
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

// declareTokens resolves the fields that code names, and says what is special about the kind.
func declareTokens() {
	schema.Bind(&Token.Shape, &Tokens)
	Token.GoesWithUser = Tokens.UserID
	Token.Prepare = func(w *Mutation) error {
		w.Rec.Put(Tokens.UserID, schema.IDValue(w.Who.User))
		if err := w.checkTokens(); err != nil {
			return err
		}
		u, err := Acting(w.Get(&User.Resource, w.Who.User, false))
		if err != nil {
			return err
		}
		if u == nil {
			w.Wrong.Add(Tokens.UserID.Path, "not_allowed", "the user is suspended")
		}
		w.checkGiven(Tokens.Scopes)
		w.checkExpiry(Tokens.ExpiresAt)
		secret, hash := NewSecret(PersonalToken, w.Who.Tenant.ID())
		w.Rec.PutText(Tokens.Hint, secret[:len("kith_pat_")+4])
		w.Rec.Once = &schema.Secret{Name: Token.Access.Secret, Value: secret}
		return keep.PutCredential(w.Tx, hash, keep.Credential{
			Kind: PersonalToken, User: w.Who.User, Parent: w.Rec.ID(), Scopes: body.Strings(w.Rec.Get(Tokens.Scopes)),
			ExpiresAt: timeOf(w.Rec.Get(Tokens.ExpiresAt)),
		})
	}
	Token.Written = func(w *Mutation) error {
		if w.Action == "delete" {
			return keep.DropCredentials(w.Tx, w.Rec.ID())
		}
		return nil
	}
}

// checkTokens refuses a token to a user who has as many as they may.
func (w *Mutation) checkTokens() error {
	have, err := w.Count(&Token.Resource, mostTokens, store.Equal(Tokens.UserID, w.Rec.Get(Tokens.UserID)))
	if err == nil && have >= mostTokens {
		err = problem.New(problem.Conflict, "A user has at most %d tokens; revoke some that are not needed any more.", mostTokens)
	}
	return err
}

// checkExpiry keeps a token from outliving the one that makes it: what is not given is the maker's own end.
func (w *Mutation) checkExpiry(expires *schema.Leaf) {
	at, latest := w.Rec.Get(expires), w.Who.ExpiresAt
	switch {
	case at.Set && !at.Time().After(w.Now):
		w.Wrong.Add(expires.Path, "out_of_range", "must be in the future")
	case latest.IsZero():
	case !at.Set:
		w.Rec.Put(expires, schema.TimeValue(latest))
	case at.Time().After(latest):
		w.Wrong.Add(expires.Path, "out_of_range", "must not be after "+string(schema.AppendTime(nil,
			latest.UTC()))+", when the calling token expires itself")
	}
}

func timeOf(v schema.Value) time.Time {
	if !v.Set {
		return time.Time{}
	}
	return v.Time()
}

// beyond lists the scopes of the record that the calling token lacks itself.
func (w *Mutation) beyond(scopes *schema.Leaf) (lacking []string) {
	for _, scope := range body.Strings(w.Rec.Get(scopes)) {
		if !Covers(w.Who.Scopes, scope) {
			lacking = append(lacking, scope)
		}
	}
	return lacking
}

// checkGiven keeps a token from making one with scopes that it lacks itself.
func (w *Mutation) checkGiven(scopes *schema.Leaf) {
	if lacking := w.beyond(scopes); len(lacking) > 0 {
		allowed := slices.DeleteFunc(Scopes(), func(s string) bool { return !Covers(w.Who.Scopes, s) })
		for _, scope := range lacking {
			w.Wrong.Add(scopes.Path, "not_allowed", "the calling token does not have "+scope+" itself", allowed...)
		}
	}
}
