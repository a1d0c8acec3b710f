package oauth_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/record"
)

// sample is the least that makes a record of each resource; %d keeps unique values apart.
var sample = map[string]string{
	"association": `{"from_id":"%s","to_id":"%s"}`,
	// one that others do not see is nobody else's, whatever their role
	"view":    `{"name":"View %d","resource":"contact","shared":true}`,
	"report":  `{"name":"Report %d","resource":"contact","shared":true}`,
	"contact": `{"first_name":"Ada"}`, "company": `{"name":"Acme"}`, "deal": `{"name":"Ship"}`, "task": `{"title":"Call"}`,
	"note": `{"body":"x"}`, "activity": `{"activity_type":"call","subject":"x"}`,
	"product": `{"name":"Rope"}`, "quote": `{"title":"Offer"}`,
	"pipeline":        `{"name":"P%d","stages":[{"name":"A"},{"name":"W","kind":"won"},{"name":"L","kind":"lost"}]}`,
	"lifecycle_stage": `{"name":"S%d"}`, "loss_reason": `{"name":"R%d"}`,
	"user": `{"email":"u%d@sample.example"}`, "role": `{"name":"R%d"}`, "token": `{"name":"t","scopes":["contact.read"]}`,
	"app":   `{"name":"a","scopes":["contact.read"]}`,
	"field": `{"resource":"note","name":"n%d","kind":"text"}`, "webhook": `{"url":"https://example.com/%d","events":["contact.created"]}`,
	// each of a record of its own, as nobody follows one twice
	"follow": `{"about_id":"%s"}`, "notification": `{"text":"x"}`,
}

// prober tries what /v1/me says.
type prober struct {
	*world
	admin string
	n     int
}

func (p *prober) body(t *testing.T, k *record.Kind, owner string) string {
	t.Helper()
	p.n++
	text := strings.ReplaceAll(sample[k.Name], "%d", fmt.Sprint(p.n))
	for strings.Contains(text, "%s") { // who may see an association may see both of its records
		text = strings.Replace(text, "%s", p.make(t, record.KindOf("contact"), owner), 1)
	}
	if owner != "" && k.Name != "user" && !ownMade(k) {
		text = strings.TrimSuffix(text, "}") + `,"owner_id":"` + owner + `"}`
	}
	if owner != "" && k.Name == "app" { // nobody can change an app that acts as someone with more rights
		text = strings.TrimSuffix(text, "}") + `,"user_id":"` + owner + `"}`
	}
	return text
}

// ownMade tells whether records belong to who makes them, so that nobody makes one for another.
func ownMade(k *record.Kind) bool { return k.Name == "token" || k.Access.Personal }

// make creates a record: the administrator's, or one that is a user's own.
func (p *prober) make(t *testing.T, k *record.Kind, owner string) string {
	t.Helper()
	token := p.admin
	if owner != "" && ownMade(k) {
		for name, id := range p.users {
			if userID(id) == owner {
				token = p.mint(t, name)
			}
		}
	}
	a := p.api(t, token, "POST /"+k.Plural, p.body(t, k, owner))
	if a.status != 201 {
		t.Fatalf("make a %s: %d %s", k.Name, a.status, a.text)
	}
	return a.get("id")
}

// try performs a verb on a record and gives the status that tells whether it went through.
func (p *prober) try(t *testing.T, token string, k *record.Kind, verb record.Verb, id string) *answer {
	t.Helper()
	switch verb {
	case record.Read:
		return p.api(t, token, "GET /"+k.Plural+"/"+id, "")
	case record.Write:
		return p.api(t, token, "PATCH /"+k.Plural+"/"+id, fmt.Sprintf(`{"tags":["t%d"]}`, p.n))
	default:
		return p.api(t, token, "DELETE /"+k.Plural+"/"+id, "")
	}
}

// What /v1/me says is held against actually doing it, for every resource and verb, on records of one's own and of others.
func TestMeTellsTheTruth(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.role(t, "featureless", permissions("all", nil))
		w.role(t, "solo", permissions("own", nil), record.Features...)
		w.user(t, "featureless", "featureless")
		w.user(t, "solo", "solo")
		p := &prober{world: w, admin: w.mint(t, "admin")}
		narrow := []string{"contact.read", "deal.all", "task.write", "product.delete", "user.read", "token.all", "app.write"}
		for _, name := range []string{"admin", "manager", "member", "viewer", "featureless", "solo"} {
			for kind, scopes := range map[string][]string{"all scopes": record.Scopes(), "narrow scopes": narrow} {
				t.Run(name+" with "+kind, func(t *testing.T) { p.check(t, name, scopes) })
			}
		}
	})
}

func (p *prober) check(t *testing.T, name string, scopes []string) {
	token := p.mint(t, name, scopes...)
	me := p.api(t, token, "GET /me", "")
	if me.status != 200 || me.get("role") != name || len(me.json["scopes"].([]any)) != len(scopes) {
		t.Fatalf("%d %s", me.status, me.text)
	}
	if user := me.json["user"].(map[string]any); user["id"] != userID(p.users[name]) || user["email"] != p.email(name) {
		t.Errorf("the user is %v", user)
	}
	self := userID(p.users[name])
	for _, k := range record.Kinds() {
		for _, verb := range record.Verbs {
			said := me.json["permissions"].(map[string]any)[k.Name].(map[string]any)[string(verb)].(map[string]any)
			effective, why := said["effective"].(string), said["why"].(string)
			where := fmt.Sprintf("%s %s (said to be %s: %s)", verb, k.Name, effective, why)
			if covered := slices.Contains(scopes, k.Name+"."+string(verb)) ||
				slices.Contains(scopes, k.Name+".all"); said["scope"] != covered {
				t.Errorf("%s: scope is %v", where, said["scope"])
			}
			if verb == record.Write && k.Name == "token" { // a token cannot be changed, only made
				a := p.api(t, token, "POST /tokens", p.body(t, k, ""))
				p.compare(t, where, why, effective, a, false)
				continue
			}
			another := "admin"
			if name == "admin" && k.Access.Personal { // nobody reaches those of others
				another = "member"
			}
			other := p.make(t, k, userID(p.users[another]))
			if name != another {
				p.compare(t, where+" of another", why, effective, p.try(t, token, k, verb, other), true)
			}
			if effective == "none" && verb == record.Read {
				p.compare(t, "search "+where, why, effective, p.api(t, token, "POST /"+k.Plural+"/search", "{}"), true)
			}
			// The user themself is their own record of a user; they are not to be deleted here.
			own := self
			if k.Name != "user" {
				own = p.make(t, k, self)
			}
			if k.Name != "user" || verb == record.Read {
				p.compare(t, where+" of one's own", why, effective, p.try(t, token, k, verb, own), false)
			}
		}
	}
}

// compare holds what happened to what was said.
func (p *prober) compare(t *testing.T, where, why, effective string, a *answer, others bool) {
	t.Helper()
	switch {
	case effective == "none":
		if a.status != 403 || a.get("detail") != why {
			t.Errorf("%s: %d %s", where, a.status, a.text)
		}
		named(t, a)
	case effective == "own" && others:
		if a.status != 403 && a.status != 404 {
			t.Errorf("%s: %d %s", where, a.status, a.text)
		}
	case a.status >= 300:
		t.Errorf("%s: %d %s", where, a.status, a.text)
	}
}
