package web

import (
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"kith/internal/crm"
	"kith/internal/schema"
)

// words are what the templates can say.
var words = template.FuncMap{
	"input":      makeInput,
	"ago":        func(t time.Time) string { return ago(t, time.Now()) },
	"day":        func(t time.Time) string { return t.UTC().Format("2 January 2006") },
	"moment":     func(t time.Time) string { return t.UTC().Format("2 January 2006, 15:04 UTC") },
	"iso":        func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"capitalize": capitalize,
	"lower":      strings.ToLower,
	"list":       func(items ...string) []string { return items },
	"spoken":     spoken,
}

// zones are the time zones that a field proposes; every other one can be typed.
var zones = []string{
	"UTC", "Europe/London", "Europe/Berlin", "Europe/Vienna", "Europe/Zurich", "Europe/Paris", "Europe/Madrid", "Europe/Rome", "Europe/Amsterdam", "Europe/Stockholm", "Europe/Warsaw", "Europe/Athens",
	"America/New_York", "America/Chicago", "America/Denver", "America/Los_Angeles", "America/Sao_Paulo", "Africa/Lagos", "Africa/Johannesburg", "Asia/Dubai", "Asia/Kolkata", "Asia/Singapore", "Asia/Shanghai", "Asia/Tokyo", "Australia/Sydney",
}

// pending is the hint of a field whose new value waits to be confirmed.
func pending(email string) string {
	if email == "" {
		return "hint=The present address stays the one to log in with until the new one is confirmed."
	}
	return "hint=" + email + " is not confirmed yet."
}

// ago says how long something is past.
func ago(t, now time.Time) string {
	d := now.Sub(t)
	count := func(n int, unit string) string {
		if n == 1 {
			return "1 " + unit + " ago"
		}
		return fmt.Sprintf("%d %ss ago", n, unit)
	}
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return count(int(d.Minutes()), "minute")
	case d < 24*time.Hour:
		return count(int(d.Hours()), "hour")
	case d < 30*24*time.Hour:
		return count(int(d.Hours()/24), "day")
	}
	return "on " + t.UTC().Format("2 January 2006")
}

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
	for _, f := range crm.Features {
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
	// Power says what else one hands out with it, or nothing where all of it is harmless.
	Power string
	// FirstPower is the first group of a list that is not harmless.
	FirstPower bool
}

// scopeVerbs are the verbs of a scope's action.
func scopeVerbs(action string) []crm.Verb {
	if action == "all" {
		return crm.Verbs
	}
	return []crm.Verb{crm.Verb(action)}
}

func scopeWords(action, things string) string {
	switch action {
	case "read":
		return "Read " + things
	case "write":
		return "Create and change " + things
	case "delete":
		return "Delete " + things
	}
	return "Read, create, change and delete " + things
}

// describe puts scopes into plain words, by resource, and says where the role of who is logged in holds them back.
func describe(who *crm.Principal, scopes []string) []permissionGroup {
	var groups []permissionGroup
	for _, res := range crm.Registry.Resources {
		group := permissionGroup{Title: capitalize(plural(res))}
		for _, action := range []string{"read", "write", "delete", "all"} {
			scope := res.Name + "." + action
			if !slices.Contains(scopes, scope) {
				continue
			}
			p := permission{Scope: scope, Words: scopeWords(action, plural(res)), Ticked: true}
			p.Limit, p.Useless = limit(who, res, action)
			p.Power, _ = crm.Powerful(scope)
			group.Permissions = append(group.Permissions, p)
		}
		if len(group.Permissions) > 0 {
			groups = append(groups, group)
		}
	}
	if slices.Contains(scopes, crm.BusinessScope) {
		p := permission{Scope: crm.BusinessScope, Words: "Change the business: " + strings.Join(businessFields(), ", "), Ticked: true}
		if who.AllowBusiness() != nil {
			p.Limit, p.Useless = "your role "+who.Role.Name+" does not allow this", true
		}
		groups = append(groups, permissionGroup{Title: crm.Business.Label, Permissions: []permission{p}})
	}
	if slices.Contains(scopes, crm.AuditScope) {
		p := permission{Scope: crm.AuditScope, Words: "Read who came in, who was refused, and who changed what", Ticked: true}
		if who.AllowAudit() != nil {
			p.Limit, p.Useless = "your role "+who.Role.Name+" does not allow this", true
		}
		groups = append(groups, permissionGroup{Title: crm.Registry.Audit.Label, Permissions: []permission{p}})
	}
	return groups
}

// businessFields are what can be changed about a business.
func businessFields() []string {
	var names []string
	for _, l := range crm.Business.Leaves {
		if !l.ReadOnly {
			names = append(names, strings.ToLower(l.Label))
		}
	}
	return names
}

// parts takes every .all apart, so that each part can be given or kept.
func parts(scopes []string) (all []string) {
	for _, scope := range scopes {
		all = append(all, crm.Parts(scope)...)
	}
	return all
}

// powerful tells whether any of the scopes hands out rights or secrets.
func powerful(scopes []string) bool {
	return slices.ContainsFunc(scopes, func(s string) bool { _, is := crm.Powerful(s); return is })
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
func limit(who *crm.Principal, res *schema.Resource, action string) (words string, useless bool) {
	var allowed, refused, own []string
	verbs := scopeVerbs(action)
	for _, verb := range verbs {
		name := map[crm.Verb]string{crm.Read: "read", crm.Write: "create and change", crm.Delete: "delete"}[verb]
		reach, err := who.Allow(res, verb)
		switch {
		case err != nil:
			refused = append(refused, name)
		case reach == crm.Own:
			own = append(own, name)
		}
		if err == nil {
			allowed = append(allowed, name)
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

// summary says in a line what scopes allow.
func summary(scopes []string) string {
	counted := func(verbs ...crm.Verb) bool {
		for _, res := range crm.Registry.Resources {
			for _, verb := range crm.Verbs {
				if crm.Covers(scopes, res.Name+"."+string(verb)) != slices.Contains(verbs, verb) {
					return false
				}
			}
		}
		return crm.Covers(scopes, crm.BusinessScope) == slices.Contains(verbs, crm.Write) && crm.Covers(scopes, crm.AuditScope) == slices.Contains(verbs, crm.Read)
	}
	switch {
	case counted(crm.Verbs...):
		return "Everything"
	case counted(crm.Read):
		return "Read everything"
	}
	var parts []string
	for _, res := range crm.Registry.Resources {
		var verbs []string
		for _, verb := range crm.Verbs {
			if crm.Covers(scopes, res.Name+"."+string(verb)) {
				verbs = append(verbs, string(verb))
			}
		}
		if len(verbs) > 0 {
			parts = append(parts, plural(res)+" ("+strings.Join(verbs, ", ")+")")
		}
	}
	if crm.Covers(scopes, crm.BusinessScope) {
		parts = append(parts, "the business (write)")
	}
	if crm.Covers(scopes, crm.AuditScope) {
		parts = append(parts, "the audit log (read)")
	}
	return capitalize(strings.Join(parts, ", "))
}

// browser says in plain words what a browser calls itself.
func browser(agent string) string {
	find := func(pairs [][2]string) string {
		for _, p := range pairs {
			if strings.Contains(agent, p[0]) {
				return p[1]
			}
		}
		return ""
	}
	name := find([][2]string{
		{"Edg", "Edge"},
		{"OPR/", "Opera"},
		{"Vivaldi", "Vivaldi"},
		{"SamsungBrowser", "Samsung Internet"},
		{"Firefox/", "Firefox"},
		{"FxiOS", "Firefox"},
		{"CriOS", "Chrome"},
		{"Chrome/", "Chrome"},
		{"Safari/", "Safari"},
		{"curl/", "curl"},
	})
	system := find([][2]string{
		{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"}, {"Mac OS X", "macOS"}, {"CrOS", "ChromeOS"}, {"Linux", "Linux"},
	})
	switch {
	case name != "" && system != "":
		return name + " on " + system
	case name+system != "":
		return name + system
	}
	return "An unknown browser"
}
