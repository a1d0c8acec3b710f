package main

import (
	"bytes"
	"fmt"
	"go/format"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

// The Go client's records, inputs, names of fields and calls are generated too. They are whole files; what is written by hand
// stands beside them.
const clientFolder = "client/"

// clientFiles makes the generated files of the Go client, by name.
func clientFiles() (map[string]string, error) {
	g := &golang{types: map[string]string{}}
	files := map[string]string{}
	for name, write := range map[string]func(){
		"records.gen.go": g.records, "inputs.gen.go": g.inputs, "fields.gen.go": g.fields,
		"calls.gen.go": g.calls, "batches.gen.go": g.batches, "schema.gen.go": g.schema,
	} {
		g.out.Reset()
		write()
		text := g.out.String()
		head := "// Code generated from the declarations by cmd/docs; DO NOT EDIT.\n\npackage client\n\n"
		var imports []string
		for _, p := range []string{"context", "encoding/json", "io", "iter", "time"} {
			if strings.Contains(text, path.Base(p)+".") {
				imports = append(imports, "\t\""+p+"\"\n")
			}
		}
		switch len(imports) {
		case 0:
		case 1:
			head += "import" + strings.TrimSuffix(strings.Replace(imports[0], "\t", " ", 1), "\n") + "\n\n"
		default:
			head += "import (\n" + strings.Join(imports, "") + ")\n\n"
		}
		formatted, err := format.Source([]byte(head + text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		files[clientFolder+name] = string(formatted)
	}
	return files, nil
}

// golang writes Go code.
type golang struct {
	out bytes.Buffer
	// types are those of groups and items that were written, with their fields: a second one of the same name must be the same.
	types map[string]string
}

// schema writes the types of what the server tells of its resources.
func (g *golang) schema() {
	resource := reflect.TypeFor[record.ResourceSchema]()
	for types := []reflect.Type{resource}; len(types) > 0; types = types[1:] {
		t := types[0]
		g.line("// %s is a part of what [Client.Schema] tells. The reference of the API explains what is in it.", t.Name())
		g.line("type %s struct {", t.Name())
		for _, f := range reflect.VisibleFields(t) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			g.line("%s %s `json:%q`", goName(name),
				strings.ReplaceAll(f.Type.String(), t.PkgPath()[strings.LastIndex(t.PkgPath(), "/")+1:]+".", ""), name)
			inner := f.Type
			for inner.Kind() == reflect.Pointer || inner.Kind() == reflect.Slice {
				inner = inner.Elem()
			}
			if inner.Kind() == reflect.Struct && !slices.Contains(types, inner) && g.types[inner.Name()] == "" {
				g.types[inner.Name()] = inner.Name()
				types = append(types, inner)
			}
		}
		if t == resource {
			g.line("// Permissions are how far scope, role and feature permission together reach.")
			g.line("Permissions Reach `json:%q`", "permissions")
		}
		g.line("}\n")
	}
}

func (g *golang) line(format string, args ...any) { fmt.Fprintf(&g.out, format+"\n", args...) }

// words that are not written as other words are.
var spelled = map[string]string{"id": "ID", "url": "URL", "uris": "URIs", "sku": "SKU", "linkedin": "LinkedIn"}

// goName turns a declared name into Go's spelling.
func goName(name string) string {
	var out strings.Builder
	for word := range strings.SplitSeq(strings.ReplaceAll(name, ".", "_"), "_") {
		if special, ok := spelled[word]; ok {
			out.WriteString(special)
		} else if word != "" {
			out.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return out.String()
}

// otherwise are names that mean something else in the client already: a Field is a value of an input, an Option one of the client.
var otherwise = map[string]string{"field": "CustomField", "fields": "CustomFields", "option": "CustomOption"}

// typeName is the name of the type of a resource or of an item of a list.
func typeName(name string) string {
	if other, ok := otherwise[name]; ok {
		return other
	}
	return goName(name)
}

// spoken is a declared name as it stands in a sentence.
func spoken(name string) string { return strings.ReplaceAll(name, "_", " ") }

// article puts a or an before a noun.
func article(noun string) string {
	if strings.ContainsAny(noun[:1], "aeio") {
		return "an " + noun
	}
	return "a " + noun
}

// comment writes a sentence before what it is about.
func (g *golang) comment(about string) {
	if about = strings.ReplaceAll(about, "`", ""); about != "" {
		g.line("// %s", about)
	}
}

// item is what one item of a list, or a group, is called.
func item(f *schema.Field) string {
	if f.Ref.ListItem != "" {
		return goName(f.Ref.ListItem)
	}
	if f.Kind == schema.List {
		return typeName(strings.TrimSuffix(f.Name, "s"))
	}
	return goName(f.Name)
}

// documents are objects whose keys only the domain knows, where the client has a type for them.
var documents = map[string]string{"role.permissions": "Permissions"}

// secrets are what a record has only in the answer that makes them.
var secrets = map[string]string{"token": "token", "app": "client_secret", "webhook": "secret"}

// choiceType is the type of a choice: DealStatus, and ActivityType rather than ActivityActivityType.
func choiceType(owner string, f *schema.Field) string {
	return owner + strings.TrimPrefix(goName(f.Name), owner)
}

// idType is the type of an id. One that points to nothing declared is a text.
func idType(l *schema.Leaf, owner string) string {
	switch {
	case l.IDPrefix != "":
		return typeName(l.IDPrefix) + "ID"
	case l.Path == "id":
		return owner + "ID"
	}
	return "string"
}

// goType is the type of a value of a field. Owner is the Go name of the type that has the field.
func goType(l *schema.Leaf, owner string) string {
	switch l.Kind {
	case schema.Choice:
		return choiceType(owner, l.Field)
	case schema.Bool:
		return "bool"
	case schema.Integer:
		return "int64"
	case schema.Number:
		return "float64"
	case schema.Money, schema.Quantity, schema.Percent:
		return "Decimal"
	case schema.Date:
		return "Date"
	case schema.Time:
		return "time.Time"
	case schema.ID:
		return idType(l, owner)
	case schema.Tags, schema.Choices:
		return "[]string"
	case schema.List:
		return "[]" + item(l.Field)
	case schema.Document:
		if l.Free {
			return "any"
		}
		if t, ok := documents[l.Whose+"."+l.Path]; ok {
			return t
		}
		return "map[string]any"
	}
	return "string"
}

// readType is the type of a field of a record: a pointer where the zero value does not tell that it is absent.
func readType(l *schema.Leaf, owner string) string {
	t := goType(l, owner)
	if slices.Contains([]string{"bool", "int64", "float64"}, t) && !l.Required && l.Default == "" {
		return "*" + t
	}
	return t
}

// shapes are all that have records: the resources, and the business.
func shapes() []*schema.Resource {
	var all []*schema.Resource
	for _, k := range record.Kinds() {
		all = append(all, &k.Resource)
	}
	return append(all, record.Business, record.Registry.Audit)
}

// records writes the types of what the server answers.
func (g *golang) records() {
	for _, res := range shapes() {
		name := typeName(res.Name)
		g.line("// %sID is the id of %s.", name, article(spoken(res.Name)))
		g.line("type %sID string\n", name)
		g.line("// %s is %s as the server answers it.", name, article(spoken(res.Name)))
		g.line("type %s struct {", name)
		g.structFields(&res.Shape, name, true)
		if secret, ok := secrets[res.Name]; ok {
			g.line("// Secret is what proves to be the %s. It is answered only once, when it is made.", spoken(res.Name))
			g.line("Secret string `json:\"%s,omitzero\"`", secret)
			g.line("// Omitted names the secret where the answer came again to a request that was sent again: it cannot be shown a " +
				"second time.")
			g.line("Omitted []string `json:\"omitted,omitzero\"`")
		}
		g.line("}\n")
		g.choices(&res.Shape, name)
		g.inner(&res.Shape)
	}
}

// structFields writes the fields of a record or an item. A reference is followed by what it leads to, which is there when a search
// asks for it.
func (g *golang) structFields(s *schema.Shape, owner string, whole bool) {
	for _, f := range s.Tree {
		if f.Kind == schema.Group {
			g.line("%s %s `json:\"%s,omitzero\"`", goName(f.Name), item(f), f.Name)
			continue
		}
		l := s.Leaf(f.Name)
		g.comment(aboutField(l))
		g.line("%s %s `json:\"%s,omitzero\"`", goName(f.Name), readType(l, owner), f.Name)
		if name, _, _ := l.Referred(); whole && name != "" && l.RefersAs() != l.Path {
			g.line("// %s has what Query.Fields asks for of it.", goName(l.RefersAs()))
			g.line("%s *%s `json:\"%s,omitzero\"`", goName(l.RefersAs()), typeName(name), l.RefersAs())
		}
	}
}

// choices writes the types of the choices among fields.
func (g *golang) choices(s *schema.Shape, owner string) {
	for _, l := range s.Leaves {
		if l.Kind != schema.Choice || l.Of != nil {
			continue
		}
		t := choiceType(owner, l.Field)
		g.line("// %s is a choice.", t)
		g.line("type %s string\n", t)
		g.line("// The choices of %s.", t)
		g.line("const (")
		for _, o := range l.Options {
			g.line("%s%s %s = %q", t, goName(o), t, o)
		}
		g.line(")\n")
	}
}

// inner writes the types of groups and of the items of lists, each once.
func (g *golang) inner(s *schema.Shape) {
	for _, f := range s.Tree {
		if f.Kind != schema.List && f.Kind != schema.Group {
			continue
		}
		part := &golang{types: g.types}
		name := item(f)
		shape := s.Inner[f.Name]
		if f.Kind == schema.Group {
			shape = schema.CompileBody(f.Name, f.Fields...)
		}
		if f.Ref.ListItem != "" {
			part.line("// %sID is the id of %s.", name, article(spoken(f.Ref.ListItem)))
			part.line("type %sID string\n", name)
		}
		part.line("// %s is one of the %s of a record.", name, spoken(f.Name))
		if f.Kind == schema.Group {
			part.out.Reset()
			part.line("// %s is the %s of a record.", name, spoken(f.Name))
		}
		part.line("type %s struct {", name)
		part.structFields(shape, name, false)
		part.line("}\n")
		part.choices(shape, name)
		if g.once(name, part.out.String()) {
			g.out.WriteString(part.out.String())
		}
	}
}

// once tells whether a type of that name is to be written. Two that differ cannot both be.
func (g *golang) once(name, text string) bool {
	earlier, known := g.types[name]
	if known && earlier != text {
		panic(fmt.Sprintf("the Go client cannot have two types %s that differ:\n%s\n%s", name, earlier, text))
	}
	g.types[name] = text
	return !known
}

// inputs writes the types of what is sent.
func (g *golang) inputs() {
	for _, res := range shapes() {
		name := typeName(res.Name)
		if slices.Contains(res.Without, "create") && slices.Contains(res.Without, "patch") {
			continue
		}
		g.line("// %sInput is what can be said of %s. What is not said of a new one is left to the server, and of one that is there it "+
			"stays.", name, article(spoken(res.Name)))
		g.line("type %sInput struct {", name)
		for _, f := range res.Tree {
			if f.ReadOnly {
				continue
			}
			if f.Kind == schema.Group {
				g.line("%s Field[%sInput] `json:\"%s,omitzero\"`", goName(f.Name), item(f), f.Name)
				continue
			}
			l := res.Leaf(f.Name)
			about := aboutField(l)
			if how := writing(l); strings.HasPrefix(how, "**required**") {
				about = strings.TrimSpace("Required. " + about)
			} else if l.Default != "" {
				about = strings.TrimSpace(l.Default + " when not given. " + about)
			}
			g.comment(about)
			g.line("%s Field[%s] `json:\"%s,omitzero\"`", goName(f.Name), goType(l, name), f.Name)
		}
		g.line("}\n")
		for _, f := range res.Tree {
			if f.Kind != schema.Group {
				continue
			}
			part := &golang{}
			part.line("// %sInput is what can be said of the %s of a record; what is not said stays.", item(f), spoken(f.Name))
			part.line("type %sInput struct {", item(f))
			for _, l := range res.Group(f) {
				part.line("%s Field[%s] `json:\"%s,omitzero\"`", goName(l.Name), goType(l, item(f)), l.Name)
			}
			part.line("}\n")
			if g.once(item(f)+"Input", part.out.String()) {
				g.out.WriteString(part.out.String())
			}
		}
		for i := range res.Actions {
			if a := &res.Actions[i]; len(a.Leaves) > 0 {
				g.line("// %s%sInput is what %s of %s takes.", name, goName(a.Name), goName(a.Name), article(spoken(res.Name)))
				g.line("type %s%sInput struct {", name, goName(a.Name))
				for _, l := range a.Leaves {
					about := aboutField(l)
					if l.Required {
						about = strings.TrimSpace("Required. " + about)
					}
					g.comment(about)
					g.line("%s %s `json:\"%s,omitzero\"`", goName(l.Path), goType(l, name), l.Path)
				}
				g.line("}\n")
			}
		}
	}
}
