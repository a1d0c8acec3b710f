package web

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

func capitalize(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[size:]
}

// featureWords are what the feature permissions allow.
var featureWords = map[string]string{
	"manage_users": "manage people", "manage_roles": "manage roles", "manage_settings": "change settings",
	"manage_tokens": "manage the tokens of others", "manage_apps": "manage apps", "export": "export", "erase": "erase", "audit": "audit",
}

// plainly puts the names of feature permissions in a sentence of the engine's into words.
func plainly(sentence string) string {
	for _, f := range record.Features {
		sentence = strings.ReplaceAll(sentence, "the feature permission "+f, "the permission to "+featureWords[f])
		if f != featureWords[f] {
			sentence = strings.ReplaceAll(sentence, f, "to "+featureWords[f])
		}
	}
	return sentence
}

// plural is what a resource's records are called.
func plural(res *schema.Resource) string {
	if res.Name == "token" {
		return "access tokens"
	}
	return strings.ReplaceAll(res.Plural, "_", " ")
}

// permission is a scope in plain words.
type permission struct {
	Scope, Words string
	// Limit says what the user's role takes away from it, or nothing.
	Limit string
	// Power says what else one hands out with it, or nothing where it is harmless.
	Power string
	// Useless is a scope that the role does not allow at all.
	Useless bool
	Ticked  bool
}

// permissionGroup is what can be done with one resource.
type permissionGroup struct {
	Title       string
	Permissions []permission
}

// scopeWords are what the actions of scopes allow, in their order.
var scopeWords = []struct{ action, words string }{
	{"read", "Read "}, {"write", "Create and change "}, {"delete", "Delete "}, {"all", "Read, create, change and delete "},
}

// describe puts scopes into plain words, by resource, and says where the role of who is logged in holds them back.
func describe(who *record.Principal, scopes []string) []permissionGroup {
	var groups []permissionGroup
	for _, res := range record.Registry.Resources {
		group := permissionGroup{Title: capitalize(plural(res))}
		for _, may := range scopeWords {
			scope := res.Name + "." + may.action
			if !slices.Contains(scopes, scope) {
				continue
			}
			p := permission{Scope: scope, Words: may.words + plural(res), Ticked: true}
			p.Limit, p.Useless = limit(who, res, may.action)
			p.Power, _ = record.Powerful(scope)
			group.Permissions = append(group.Permissions, p)
		}
		if len(group.Permissions) > 0 {
			groups = append(groups, group)
		}
	}
	for _, one := range []struct {
		scope, title, words string
		refused             error
	}{
		{record.BusinessScope, record.Business.Label, "Change the business: " + strings.Join(businessFields(), ", "), who.AllowBusiness()},
		{record.AuditScope, record.Registry.Audit.Label, "Read who came in, who was refused, and who changed what", who.AllowAudit()},
	} {
		if !slices.Contains(scopes, one.scope) {
			continue
		}
		p := permission{Scope: one.scope, Words: one.words, Ticked: true}
		if one.refused != nil {
			p.Limit, p.Useless = "your role "+who.Role.Name+" does not allow this", true
		}
		groups = append(groups, permissionGroup{Title: one.title, Permissions: []permission{p}})
	}
	return groups
}

// businessFields are what can be changed about a business.
func businessFields() []string {
	var names []string
	for _, l := range record.Business.Leaves {
		if !l.ReadOnly {
			names = append(names, strings.ToLower(l.Label))
		}
	}
	return names
}

// parts takes every .all apart, so that each part can be given or kept.
func parts(scopes []string) (all []string) {
	for _, scope := range scopes {
		all = append(all, record.Parts(scope)...)
	}
	return all
}

// apart tells what is harmless in a group from what is powerful.
func (g permissionGroup) apart() (harmless permissionGroup, powerful []permission) {
	harmless.Title = g.Title
	for _, p := range g.Permissions {
		if p.Power != "" {
			powerful = append(powerful, p)
		} else {
			harmless.Permissions = append(harmless.Permissions, p)
		}
	}
	return harmless, powerful
}

// limit says how far a role lets a scope go.
func limit(who *record.Principal, res *schema.Resource, action string) (words string, useless bool) {
	var allowed, refused, own []string
	verbs := []record.Verb{record.Verb(action)}
	if action == "all" {
		verbs = record.Verbs
	}
	for _, verb := range verbs {
		name := map[record.Verb]string{record.Read: "read", record.Write: "create and change", record.Delete: "delete"}[verb]
		reach, err := who.Allow(res, verb)
		if err != nil {
			refused = append(refused, name)
			continue
		}
		allowed = append(allowed, name)
		if reach == record.Own {
			own = append(own, name)
		}
	}
	role := "your role " + who.Role.Name
	switch {
	case len(refused) == len(verbs):
		return role + " does not allow this", true
	case len(refused) > 0:
		return role + " allows only to " + strings.Join(allowed, " and "), false
	case len(own) == len(verbs):
		return role + " allows this for your own only", false
	case len(own) > 0:
		return role + " allows to " + strings.Join(own, " and ") + " your own only", false
	}
	return "", false
}
