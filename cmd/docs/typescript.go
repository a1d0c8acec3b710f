package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kith-crm/kith/internal/crm"
	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

// The generated files of the TypeScript client. What is written by hand stands beside them: it imports the names, which import nothing,
// and the resources import it.
const (
	typescriptNames     = "clients/typescript/src/names.gen.ts"
	typescriptResources = "clients/typescript/src/resources.gen.ts"
)

const typescriptHead = "// Code generated from the declarations by cmd/docs; DO NOT EDIT.\n"

// typescript writes TypeScript.
type typescript struct{ golang }

// typescriptFiles makes the generated files of the TypeScript client, by name.
func typescriptFiles() map[string]string {
	names := &typescript{}
	names.line(typescriptHead)
	names.names()
	ts := &typescript{golang: golang{types: map[string]string{}}}
	ts.line(typescriptHead)
	ts.line("import type { Change, EventOf, Resource, Via } from './resource.js'\n")
	ts.comparables()
	for _, res := range shapes() {
		ts.record(res)
	}
	for _, k := range record.Kinds() {
		ts.kind(k)
	}
	ts.resources()
	ts.events()
	return map[string]string{typescriptNames: names.out.String(), typescriptResources: ts.out.String()}
}

// names writes the names that are the same in every business: of refusals, and of what changes can be of.
func (ts *typescript) names() {
	var codes []string
	for _, code := range httpapi.Codes() {
		codes = append(codes, string(code))
	}
	ts.line("/** The stable names of what can be wrong. */\nexport type ErrorCode = %s\n", literals(codes))
	names := append(slices.Clone(record.Registry.Names()), record.Business.Name)
	ts.line("/** What changes can be of. */\nexport type ResourceName = %s", literals(names))
}

// doc writes a sentence before what it is about.
func (ts *typescript) doc(indent, about string) {
	if about = strings.ReplaceAll(about, "*/", "* /"); about != "" {
		ts.line("%s/** %s */", indent, about)
	}
}

// literals is the type of one of some texts.
func literals(words []string) string {
	if len(words) == 0 {
		return "never"
	}
	return "'" + strings.Join(words, "' | '") + "'"
}

// comparables writes what the fields of each group can be compared by: with one value, or with several.
func (ts *typescript) comparables() {
	for _, g := range groups {
		var one, many []string
		for _, o := range query.Allowed(g.kinds[0]) {
			switch o {
			case query.IsSet, query.IsNotSet: // which all have
			case query.In, query.Nin, query.Between:
				many = append(many, string(o))
			default:
				one = append(one, string(o))
			}
		}
		ts.line("/** How fields of the group %s are compared. */", g.name)
		ts.line("export interface %s<V = string> { one: %s; many: %s; value: V }\n", goName(g.name), literals(one), literals(many))
	}
}

// valueType is the type of a value of a field: as it is answered, or with in as it is taken.
func valueType(l *schema.Leaf, in bool) string {
	suffix := ""
	if in {
		suffix = "Input"
	}
	switch l.Kind {
	case schema.Choice:
		return literals(l.Options)
	case schema.Bool:
		return "boolean"
	case schema.Integer, schema.Number, schema.Percent:
		return "number"
	case schema.Money, schema.Quantity:
		if in {
			return "string | number"
		}
	case schema.Tags:
		return "string[]"
	case schema.Choices:
		if l.Options == nil || slices.Equal(l.Options, record.Scopes()) {
			return "string[]"
		}
		return "(" + literals(l.Options) + ")[]"
	case schema.List:
		return item(l.Field) + suffix + "[]"
	case schema.Document:
		if l.Free {
			return "unknown"
		}
		return "Record<string, unknown>"
	}
	return "string"
}

// record writes what is answered of a resource, and what can be said of it.
func (ts *typescript) record(res *schema.Resource) {
	name := typeName(res.Name)
	ts.inner(&res.Shape)
	ts.line("/** %s as the server answers it. */", strings.ToUpper(article(spoken(res.Name))[:1])+article(spoken(res.Name))[1:])
	ts.line("export interface %s {", name)
	ts.members(&res.Shape, res.Visible(false))
	ts.line("}\n")
	ts.line("/** What can be said of %s. What is not said of a new one is left to the server; "+
		"of one that is there it stays, and null empties it. */", article(spoken(res.Name)))
	ts.line("export interface %sInput {", name)
	ts.inputs(&res.Shape, false)
	ts.line("}\n")
}

// members writes the fields of what is answered.
func (ts *typescript) members(s *schema.Shape, shown []*schema.Leaf) {
	for _, f := range s.Tree {
		if f.Kind == schema.Group {
			ts.line("  %s: %s | null", f.Name, groupType(f))
			continue
		}
		l := s.Leaf(f.Name)
		if !slices.Contains(shown, l) {
			continue
		}
		ts.doc("  ", aboutField(l))
		value := valueType(l, false)
		many := l.Kind == schema.Tags || l.Kind == schema.Choices || l.Kind == schema.List
		if !many && (!l.Required || l.Writing.Counted) && value != "unknown" {
			value += " | null"
		}
		ts.line("  %s: %s", f.Name, value)
	}
}

// groupType is the type of a group; of that which businesses fill, any object.
func groupType(f *schema.Field) string {
	if len(f.Fields) == 0 {
		return "Record<string, unknown>"
	}
	return item(f)
}

// inputs writes the fields of what is taken. Of an item of a list those that are required must be given.
func (ts *typescript) inputs(s *schema.Shape, demands bool) {
	for _, f := range s.Tree {
		if f.ReadOnly {
			continue
		}
		if f.Kind == schema.Group {
			ts.line("  %s?: Partial<%s> | null", f.Name, groupType(f))
			continue
		}
		l := s.Leaf(f.Name)
		ts.doc("  ", aboutField(l))
		value, may := valueType(l, true), "?"
		if (!l.Required || l.Derived) && value != "unknown" {
			value += " | null"
		}
		if demands && l.Required && !l.Derived && l.Default == "" {
			may = ""
		}
		ts.line("  %s%s: %s", f.Name, may, value)
	}
}

// inner writes the types of groups and of the items of lists, each once.
func (ts *typescript) inner(s *schema.Shape) {
	for _, f := range s.Tree {
		if f.Kind != schema.List && (f.Kind != schema.Group || len(f.Fields) == 0) {
			continue
		}
		shape := s.Inner[f.Name]
		if f.Kind == schema.Group {
			shape = schema.CompileBody(f.Name, f.Fields...)
		}
		part := &typescript{golang: golang{types: ts.types}}
		part.line("/** One of the %s of a record, or all of them together. */", spoken(f.Name))
		part.line("export interface %s {", item(f))
		part.members(shape, shape.Leaves)
		part.line("}\n")
		if f.Kind == schema.List {
			part.line("/** What can be said of one of the %s of a record. */", spoken(f.Name))
			part.line("export interface %sInput {", item(f))
			part.inputs(shape, true)
			part.line("}\n")
		}
		if ts.once(item(f), part.out.String()) {
			ts.out.WriteString(part.out.String())
		}
	}
}

// comparable is how a field is compared, with values of which type.
func comparable(l *schema.Leaf) string {
	name := goName(operatorGroup(l.Kind).name)
	switch value := valueType(l, true); {
	case l.Kind == schema.Choices, l.Kind == schema.Tags, l.Kind == schema.Links, l.Kind == schema.List, l.Kind == schema.Document,
		value == "string":
		return name
	default:
		return name + "<" + value + ">"
	}
}

// paths writes the names of the fields of a shape, with how each is compared.
func (ts *typescript) paths(name string, s *schema.Shape) {
	ts.line("/** The fields of %s by which searches filter, sort and show, with how each is compared. */", article(spoken(name)))
	ts.line("export interface %sPaths {", typeName(name))
	for _, l := range s.Visible(false) {
		path := l.Path
		if strings.Contains(path, ".") {
			path = "'" + path + "'"
		}
		ts.line("  %s: %s", path, comparable(l))
	}
	ts.line("}\n")
}

// kind writes what the calls of a resource take and give.
func (ts *typescript) kind(k *record.Kind) {
	name := typeName(k.Name)
	ts.paths(k.Name, &k.Shape)
	for _, f := range k.Tree {
		if f.Ref.ListItem != "" {
			ts.paths(f.Ref.ListItem, k.Inner[f.Name])
		}
	}
	paths := []string{name + "Paths"}
	var references []string
	for _, l := range k.Leaves {
		target, _, _ := l.Referred()
		if target == "" {
			continue
		}
		paths = append(paths, fmt.Sprintf("Via<'%s', %sPaths>", l.RefersAs(), typeName(target)))
		if l.RefersAs() != l.Path {
			references = append(references, fmt.Sprintf("%s?: Partial<%s> | null", l.RefersAs(), typeName(target)))
		}
	}
	if len(k.Links) > 0 {
		var links []string
		for _, l := range k.Links {
			links = append(links, l.Path)
		}
		paths = append(paths, "Record<"+literals(links)+", Member>")
	}
	var needed, matches, actions []string
	for _, f := range k.Tree {
		if l := k.Leaf(f.Name); l != nil && l.Required && !l.ReadOnly && !l.Derived && l.Default == "" {
			needed = append(needed, l.Name)
		}
	}
	if k.Upserts() {
		for _, l := range k.Matchable(&k.Resource) {
			matches = append(matches, l.Path)
		}
	}
	for i := range k.Actions {
		a := &k.Actions[i]
		data := "Record<string, never>"
		if len(a.Leaves) > 0 {
			data = name + goName(a.Name)
			ts.line("/** What the action %s takes. */", a.Name)
			ts.line("export interface %s {", data)
			ts.inputs(&a.Shape, true)
			ts.line("}\n")
		}
		answer := name
		switch a.Name {
		case record.Merge:
			answer = fmt.Sprintf("{ record: %s; moved: Record<string, number>; filled: string[]; lost: Record<string, unknown> }", name)
		case record.Unmerge:
			answer = fmt.Sprintf("{ record: %s; other: %s; left: { id: string; field: string }[] }", name, name)
		}
		if secret, ok := secrets[k.Name]; ok && k.Access.Secret != "" {
			answer += fmt.Sprintf(" & { %s?: string; omitted?: string[] }", secret)
		}
		actions = append(actions, fmt.Sprintf("    %s: { data: %s; answer: %s }", a.Name, data, answer))
	}
	ts.line("export interface %sKind {", name)
	ts.line("  record: %s", name)
	created := name
	if secret, ok := secrets[k.Name]; ok {
		created += fmt.Sprintf(" & { %s?: string; omitted?: string[] }", secret)
	}
	ts.line("  created: %s", created)
	ts.line("  input: %sInput", name)
	creation := name + "Input"
	if len(needed) > 0 {
		creation += " & Required<Pick<" + name + "Input, " + literals(needed) + ">>"
	}
	ts.line("  creation: %s", creation)
	ts.line("  references: { %s }", strings.Join(references, "; "))
	ts.line("  paths: %s", strings.Join(paths, " & "))
	ts.line("  match: %s", literals(matches))
	ts.line("  actions: {\n%s\n  }", strings.Join(actions, "\n"))
	ts.line("}\n")
}

// methods are the calls of a resource that some resources do not have, by the operation that they need.
var methods = []struct{ operation, names string }{
	{"create", "create"},
	{"patch", "update"},
	{record.Upsert, "upsert"},
	{"delete", "delete"},
	{record.Restore, "restore"},
	{"bin", "searchDeleted"},
	{"timeline", "timeline"},
	{"duplicates", "duplicates"},
	{record.Erase, "erase"},
}

// resources writes which resources the client has.
func (ts *typescript) resources() {
	ts.line("/** The resources of a business. */\nexport interface Resources {")
	var plurals []string
	for _, k := range record.Kinds() {
		plurals = append(plurals, k.Plural)
		var without []string
		for _, m := range methods {
			if !k.Offers(m.operation) {
				without = append(without, m.names)
			}
		}
		t := "Resource<" + typeName(k.Name) + "Kind>"
		if len(without) > 0 {
			t = "Omit<" + t + ", " + literals(without) + ">"
		}
		ts.line("  readonly %s: %s", k.Plural, t)
	}
	ts.line("}\n\nexport const plurals = [%s] as const\n", "'"+strings.Join(plurals, "', '")+"'")
}

// events writes what webhooks are sent.
func (ts *typescript) events() {
	types := map[string][]string{}
	var order []string
	for _, event := range crm.EventKinds() {
		resource, _, _ := strings.Cut(event, ".")
		if types[resource] == nil {
			order = append(order, resource)
		}
		types[resource] = append(types[resource], event)
	}
	ts.line("/** What a webhook is sent. The type tells which it is. */\nexport type WebhookEvent =")
	for _, resource := range order {
		rec := typeName(resource) + " & { deleted_at?: string | null }"
		if resource == record.Business.Name {
			rec = "never"
		}
		ts.line("  | EventOf<%s, Change & { resource: '%s'; record: (%s) | null }>", literals(types[resource]), resource, rec)
	}
	ts.line("  | EventOf<'%s', { webhook_id: string }>", crm.TestEvent)
}
