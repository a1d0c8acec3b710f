package crm

import (
	"regexp"
	"slices"
	"strconv"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

// mention is how a text names a user who is to be told of it.
var mention = regexp.MustCompile(`@\[(user_[0-9a-z]+)\]`)

// MostMentions is how many users one text can mention.
const MostMentions = 50

// Mentioned are the users whom a text mentions, each once, and what looks like a mention of one but is no id.
func Mentioned(text string) (users []schema.UUID, bad string) {
	for _, m := range mention.FindAllStringSubmatch(text, -1) {
		id, err := schema.ParseID(account.User.Name, m[1])
		if err != nil {
			return nil, m[1]
		}
		if !slices.Contains(users, id) {
			users = append(users, id)
		}
	}
	return users, ""
}

// WithoutMentions is a text without the ids by which it mentions people, for where their names are not known.
func WithoutMentions(text string) string { return mention.ReplaceAllString(text, "@…") }

// checkMentions refuses to mention somebody who may not read the note, or what it is about: they could not be told of it. What comes
// with an archive, and what is put back, stays as it was.
func checkMentions(p record.Proposed) error {
	if p.Carried() || !p.Changed(Notes.Body) {
		return nil
	}
	users, bad := Mentioned(p.Text(Notes.Body))
	before, _ := Mentioned(p.TextBefore(Notes.Body))
	refuse := func(code, message string) { p.Refuse(Notes.Body.Path, code, message) }
	switch {
	case bad != "":
		refuse("not_found", "mentions "+bad+", and there is no such user")
	case len(users) > MostMentions:
		refuse("too_many", "mentions more than "+strconv.Itoa(MostMentions)+" people")
	}
	if p.Refused() != nil {
		return nil
	}
	for _, id := range users {
		if slices.Contains(before, id) {
			continue
		}
		who, name, err := account.Reader(p, id)
		if err != nil {
			return err
		}
		if who == nil {
			refuse("not_found", "mentions "+schema.FormatID(account.User.Name, id)+", and there is no such user, or they are suspended")
			continue
		}
		if what, err := unreadable(p, who); err != nil || what != "" {
			if err != nil {
				return err
			}
			refuse("not_allowed", "mentions "+name+", who may not read this "+what)
		}
	}
	return nil
}

// unreadable names what of a note somebody may not read: the note, or what it is about.
func unreadable(p record.Proposed, who *record.Principal) (string, error) {
	if !who.MayRead(&Note.Resource, p.Clone()) {
		return Note.Name, nil
	}
	for _, l := range []*schema.Leaf{Notes.ContactID, Notes.CompanyID, Notes.DealID} {
		if !p.Get(l).Set {
			continue
		}
		k := record.KindOf(l.Target.Name)
		rec, err := p.Lookup(k, p.Get(l).UUID())
		if err != nil {
			return "", err
		}
		if rec != nil && !who.MayRead(&k.Resource, rec) {
			return k.Name, nil
		}
	}
	return "", nil
}
