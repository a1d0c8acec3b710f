package crm

import (
	"slices"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

// What is declared must hang together: a mistake here would only show when a user meets it.
func TestDeclarationsHangTogether(t *testing.T) {
	plurals := map[string]bool{}
	for _, k := range record.Kinds() {
		if k.Label == "" || plurals[k.Plural] || record.KindOf(k.Name) != k {
			t.Errorf("%s: label %q, plural %s", k.Name, k.Label, k.Plural)
		}
		plurals[k.Plural] = true
		if k.Access.Feature != "" && !slices.Contains(record.Features, k.Access.Feature) {
			t.Errorf("%s needs the feature %s, which nobody can have", k.Name, k.Access.Feature)
		}
		if k.Access.Rights && k.Access.Power == "" {
			t.Errorf("%s decides what someone may do, and does not say what that means", k.Name)
		}
		for _, path := range k.Access.Own {
			if l := k.Leaf(path); l == nil || l.Kind != schema.ID || l.IDPrefix != "user" {
				t.Errorf("%s is owned by %s, which names no user", k.Name, path)
			}
		}
		for _, l := range k.Leaves {
			checkLeaf(t, k, l)
		}
		own := slices.DeleteFunc(slices.Clone(k.Actions),
			func(a schema.Action) bool {
				return k.Life.Merges && (a.Name == record.Merge || a.Name == record.Unmerge)
			})
		if len(k.Acts) != len(own) {
			t.Errorf("%s declares %d actions and has %d", k.Name, len(own), len(k.Acts))
		}
		for _, a := range own {
			if k.Acts[a.Name] == nil || a.About == "" {
				t.Errorf("%s declares the action %s, which does nothing or is not explained", k.Name, a.Name)
			}
		}
		if k.States != nil {
			checkStates(t, k)
		}
	}
}

func checkLeaf(t *testing.T, k *record.Kind, l *schema.Leaf) {
	t.Helper()
	choice := l.Kind == schema.Choice || l.Kind == schema.Choices
	if choice != (len(l.Options) > 0) || l.Kind == schema.ID && l.IDPrefix == "" || l.Label == "" {
		t.Errorf("%s.%s is declared as %+v", k.Name, l.Path, *l.Field)
	}
	if l.Default != "" && choice && !slices.Contains(l.Options, l.Default) {
		t.Errorf("%s.%s is %s when not given, which is none of its options", k.Name, l.Path, l.Default)
	}
	if _, shape, _ := l.Referred(); shape != nil && l.RefersAs() != l.Path && (k.Field(l.RefersAs()) != nil || l.Of != nil) {
		t.Errorf("%s.%s is followed as %s, which is a field or inside of one", k.Name, l.Path, l.RefersAs())
	}
	if l.IDPrefix != "" && record.KindOf(l.IDPrefix) == nil && l.ListItem == nil {
		t.Errorf("%s.%s points to a %s, which there is not", k.Name, l.Path, l.IDPrefix)
	}
	if l.Ref.Restrict && l.Target == nil {
		t.Errorf("%s.%s keeps nothing from being deleted", k.Name, l.Path)
	}
	if l.Find.Searchable && l.Kind != schema.Text && l.Kind != schema.LongText && l.Kind != schema.Tags {
		t.Errorf("%s.%s cannot be found by text", k.Name, l.Path)
	}
}

func checkStates(t *testing.T, k *record.Kind) {
	t.Helper()
	s := k.States
	options := k.Must(s.Field).Options
	known := func(state string) bool { return slices.Contains(options, state) }
	if !known(s.Initial) {
		t.Errorf("%s begins as %s, which is no state", k.Name, s.Initial)
	}
	reached := map[string]bool{s.Initial: true}
	for _, m := range s.Moves {
		reached[m.To] = true
		for _, state := range slices.Concat(m.From, m.Done, []string{m.To}) {
			if !known(state) {
				t.Errorf("%s: the move %s names %s, which is no state", k.Name, m.Name, state)
			}
		}
		if !m.ByPatch && k.Acts[m.Name] == nil {
			t.Errorf("%s: nothing makes the move %s", k.Name, m.Name)
		}
	}
	if s.Lapse != nil {
		reached[s.Lapse.To] = true
		if !known(s.Lapse.From) || !known(s.Lapse.To) || k.Leaf(s.Lapse.After) == nil {
			t.Errorf("%s lapses by %+v", k.Name, s.Lapse)
		}
	}
	for _, state := range options {
		if !reached[state] && k.Must(s.Field).ReadOnly {
			t.Errorf("%s can never be %s", k.Name, state)
		}
	}
}

func TestScopes(t *testing.T) {
	all := record.Scopes()
	if len(all) != 4*len(record.Kinds())+2 { // and business.write, audit.read
		t.Errorf("there are %d scopes", len(all))
	}
	for _, want := range []string{"contact.read", "product.delete", "quote.all", "lifecycle_stage.write", "business.write"} {
		if !slices.Contains(all, want) {
			t.Errorf("there is no scope %s", want)
		}
	}
	if err := record.CheckScopes(all); err != nil {
		t.Error(err)
	}
	if err := record.CheckScopes([]string{"contact.read", "nothing.read"}); problem.As(err) == nil ||
		!strings.Contains(err.Error(), "nothing.read") {
		t.Errorf("an unknown scope gives %v", err)
	}
}

// Scopes that hand out rights or secrets are told from the harmless ones.
func TestPowerfulScopes(t *testing.T) {
	var powerful []string
	for _, scope := range append(record.Scopes(), "nothing.write", "user") {
		why, ok := record.Powerful(scope)
		if ok != (why != "") {
			t.Errorf("%s is powerful: %t, because %q", scope, ok, why)
		}
		if ok {
			powerful = append(powerful, scope)
		}
	}
	want := []string{
		"user.write", "user.all", "role.write", "role.all", "token.write", "token.all", "app.write", "app.all",
		"webhook.write", "webhook.all",
	}
	if !slices.Equal(powerful, want) {
		t.Errorf("powerful are %v, want %v", powerful, want)
	}
}

// What answers a secret hands out something that outlasts the moment, and says so to who allows it. The link of a quote is the exception:
// it shows one quote to the customer for whom it is.
func TestWhatAnswersASecretIsPowerful(t *testing.T) {
	for _, k := range record.Kinds() {
		if k.Access.Secret != "" && k.Access.Power == "" && k != Quote {
			t.Errorf("%s answers the secret %q and is not powerful", k.Name, k.Access.Secret)
		}
	}
}

// Allow in all its cases: scope first, then role, then feature.
func TestAllow(t *testing.T) {
	resource := func(name string) *schema.Resource { return &record.KindOf(name).Resource }
	role := record.Role{Name: "r", Permissions: map[string]map[record.Verb]record.Reach{
		"contact": {record.Read: record.All, record.Write: record.Own}, "deal": {record.Read: "much"},
		"pipeline": {record.Read: record.All, record.Write: record.All}, "role": {record.Write: record.All},
	}, Features: []string{"manage_roles"}}
	p := &record.Principal{Role: role, Scopes: []string{
		"contact.all", "deal.read", "pipeline.read", "pipeline.write", "role.write",
		"note.read",
	}}
	for _, c := range []struct {
		resource string
		verb     record.Verb
		reach    record.Reach
		code     problem.Code
	}{
		{"contact", record.Read, record.All, ""},
		{"contact", record.Write, record.Own, ""},
		{"contact", record.Delete, record.None, problem.ForbiddenByRole},
		{"deal", record.Read, record.None, problem.ForbiddenByRole},
		{"deal", record.Write, record.None, problem.InsufficientScope},
		{"note", record.Read, record.None, problem.ForbiddenByRole},
		{"task", record.Read, record.None, problem.InsufficientScope},
		{"pipeline", record.Read, record.All, ""},
		{"pipeline", record.Write, record.None, problem.ForbiddenByRole},
		{"role", record.Write, record.All, ""},
	} {
		reach, err := p.Allow(resource(c.resource), c.verb)
		code := problem.Code("")
		if err != nil {
			code = problem.As(err).Code
		}
		if reach != c.reach || code != c.code {
			t.Errorf("%s on %s is %s, %v; want %s, %s", c.verb, c.resource, reach, err, c.reach, c.code)
		}
	}
}
