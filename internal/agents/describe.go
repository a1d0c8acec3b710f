package agents

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

// described is what the API tells of a resource.
type described struct {
	record.ResourceSchema
	Permissions map[record.Verb]record.Reach `json:"permissions"`
	// raw is all that it tells.
	raw json.RawMessage
}

// may says in few words what the caller may do with a resource.
func (d *described) may() string {
	var words []string
	for _, verb := range record.Verbs {
		if reach := d.Permissions[verb]; reach == record.Own {
			words = append(words, string(verb)+" own")
		} else if reach == record.All {
			words = append(words, string(verb))
		}
	}
	if len(words) == 0 {
		return "nothing"
	}
	return strings.Join(words, ", ")
}

// grouped tells for each set of permissions which resources have it.
func grouped(all []described) string {
	var order []string
	names := map[string][]string{}
	for _, d := range all {
		may := d.may()
		if names[may] == nil {
			order = append(order, may)
		}
		names[may] = append(names[may], d.Name)
	}
	var lines []string
	for _, may := range order {
		lines = append(lines, may+": "+strings.Join(names[may], " "))
	}
	return strings.Join(lines, "\n")
}

func (c *call) schemas() ([]described, error) {
	// With many added fields it has more values than are read as a body.
	a, err := c.ask(http.MethodGet, "schema", nil, nil)
	if err != nil {
		return nil, err
	}
	var told struct {
		Resources []json.RawMessage `json:"resources"`
	}
	if err := json.Unmarshal(a.text, &told); err != nil {
		return nil, err
	}
	all := make([]described, len(told.Resources))
	for i, raw := range told.Resources {
		if err := json.Unmarshal(raw, &all[i]); err != nil {
			return nil, err
		}
		all[i].raw = raw
	}
	return all, nil
}

func (c *call) whoami() (body.Node, error) {
	a, err := c.get("me")
	if err != nil {
		return body.Node{}, err
	}
	all, err := c.schemas()
	if err != nil {
		return body.Node{}, err
	}
	pick := func(n body.Node, names ...string) body.Node {
		out := node()
		for _, m := range n.Members {
			if b, ok := bare(m.Value, longestText); ok && slices.Contains(names, m.Name) {
				out.Members = append(out.Members, member(m.Name, b))
			}
		}
		return out
	}
	user, _ := a.node.Get("user")
	business, _ := a.node.Get("business")
	role, _ := a.node.Get("role")
	features, _ := a.node.Get("features")
	return node(
		member("user", pick(user, "id", "name", "email", "timezone")),
		member("business", pick(business, "name", "currency", "timezone", "locale")),
		member("role", role), member("features", features), member("may", text(grouped(all)))), nil
}

func (c *call) describe() (body.Node, error) {
	all, err := c.schemas()
	if err != nil {
		return body.Node{}, err
	}
	name := c.text("resource")
	if name == "" {
		return text(grouped(all)), nil
	}
	var names []string
	for i := range all {
		if all[i].Name != name && all[i].Path != "/v1/"+name {
			names = append(names, all[i].Name)
			continue
		}
		if c.truth("full") {
			return text(string(all[i].raw)), nil
		}
		return text(all[i].words()), nil
	}
	return body.Node{}, problem.Wrong("resource", "not_allowed", "there is no such resource"+problem.DidYouMean(name, names), names...)
}

// words tells of a resource in a form that costs few tokens: for each field its name, its kind, and what is special about it.
func (d *described) words() string {
	var b strings.Builder
	b.WriteString(d.Name + " (you may " + d.may() + ")\nfields (* required, ! read-only, → id of):\n")
	var fields, kept []string
	for _, f := range d.Fields {
		if common[f.Name] && f.ReadOnly {
			kept = append(kept, f.Name)
			continue
		}
		fields = append(fields, fieldWords(f))
	}
	b.WriteString(strings.Join(fields, ", ") + "\nread-only, as everywhere: " + strings.Join(kept, " ") + "\n")
	if len(d.Associations) > 0 {
		var targets []string
		for _, a := range d.Associations {
			targets = append(targets, a.Target)
		}
		b.WriteString("filter by links: associations.{" + strings.Join(targets, ",") + "}\n")
	}
	if d.States != nil {
		b.WriteString(d.States.Field + " moves:")
		for _, m := range d.States.Moves {
			how := m.Name
			if m.ByPatch {
				how = "update"
				if m.ByAction {
					how += " or " + m.Name
				}
			}
			b.WriteString(" " + strings.Join(m.From, "|") + "→" + m.To + " (" + how + ")")
		}
		b.WriteString("\n")
	}
	var actions []string
	for _, a := range d.Actions {
		var takes []string
		for _, f := range a.Body {
			takes = append(takes, fieldWords(f))
		}
		action := a.Name
		if len(takes) > 0 {
			action += "(" + strings.Join(takes, ", ") + ")"
		}
		actions = append(actions, action)
	}
	if slices.Contains(d.Operations, "restore") {
		actions = append(actions, "restore")
	}
	if len(actions) > 0 {
		b.WriteString("actions: " + strings.Join(actions, "; ") + "\n")
	}
	if len(d.MatchBy) > 0 {
		b.WriteString("create can match by: " + strings.Join(d.MatchBy, ", ") + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// common are the fields that every resource has, of which nothing needs to be said each time.
var common = func() map[string]bool {
	of := record.Kinds()[0].Common
	names := map[string]bool{}
	for _, l := range []*schema.Leaf{of.ID, of.CreatedAt, of.CreatedBy, of.UpdatedAt, of.UpdatedBy, of.Version, of.DeletedAt} {
		names[l.Name] = true
	}
	return names
}()

// fieldWords tells of a field: company_id →company, status! open|won|lost, address{street text, city text}.
func fieldWords(f record.FieldSchema) string {
	w := f.Name
	if f.Required {
		w += "*"
	}
	if f.ReadOnly {
		w += "!"
	}
	switch {
	case f.Kind == "group" && len(f.Fields) == 0:
		return w + "{}"
	case len(f.Fields) > 0:
		var inner []string
		for _, g := range f.Fields {
			inner = append(inner, fieldWords(g))
		}
		shape := "{" + strings.Join(inner, ", ") + "}"
		if f.Kind == "list" {
			shape = "[" + shape + "]"
		}
		return w + shape
	case len(f.Options) > 0:
		var values []string
		for _, o := range f.Options {
			if !o.Archived {
				values = append(values, o.Value)
			}
		}
		w += " " + strings.Join(values, "|")
		if f.Kind == "multi_select" {
			w += " (several)"
		}
	case f.Target != "":
		w += " →" + f.Target
	default:
		w += " " + f.Kind
	}
	return w
}
