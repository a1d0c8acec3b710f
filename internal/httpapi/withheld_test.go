package httpapi_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/exchange"
	"github.com/kith-crm/kith/internal/openapi"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"

	. "github.com/kith-crm/kith/internal/apitest"
)

// What a write answers is held to what the caller may read. The tests of this file go through all routes that there are with tokens that
// can write everything and read nothing, or little, and look for what the records have in whatever comes back: answers, problems, jobs,
// previews and files.

// markOf is a word that stands in the texts of the records of one resource, and nowhere else.
func markOf(k *record.Kind) string { return "zq" + strings.ReplaceAll(k.Name, "_", "") + "qz" }

// toldToAll tells which resources' values everybody may know of: those of custom fields are in the schema.
func toldToAll(k *record.Kind) bool { return k.Name == "field" }

// ownToAll are the paths that tell everybody of their business and themselves.
var ownToAll = []string{"/v1/business", "/v1/me"}

// marked is a world in which every record has the mark of its resource.
type marked struct {
	*World
	// ids are of one record of each resource, by what they begin with, and others of second ones.
	ids, others map[string]string
}

// mark makes a record of every resource, a second one where two can be merged, and puts the marks into every text that can be written.
func mark(t *testing.T, w *World) *marked {
	t.Helper()
	m := &marked{World: w, ids: w.OneOfEach(t), others: map[string]string{}}
	n := 0
	for _, k := range record.Kinds() {
		ids := []string{m.ids[k.Name]}
		if k.Life.Merges {
			text, err := json.Marshal(PlainRecord(k, 77, m.ids))
			if err != nil {
				t.Fatal(err)
			}
			m.others[k.Name] = w.Create(t, k.Plural, string(text), "")
			ids = append(ids, m.others[k.Name])
		}
		for _, id := range ids {
			took := 0
			for _, l := range k.Leaves {
				if n++; l.ReadOnly || l.Writing.BinOnly || l.Writing.Immutable || l.Ref.Among != nil ||
					l == k.Common.ExternalID || !Offers(k, "patch") {
					continue
				}
				value := ""
				switch {
				case l.Format == schema.Email:
					value = fmt.Sprintf(`"%s%d@harbour.example"`, markOf(k), n)
				case (l.Kind == schema.Text || l.Kind == schema.LongText) && l.Format == schema.Plain:
					value = fmt.Sprintf(`"%s %d"`, markOf(k), n)
				case l.Kind == schema.Tags && len(l.Options) == 0:
					value = fmt.Sprintf(`["%s"]`, markOf(k))
				default:
					continue
				}
				if a := w.Send(t, Step{Do: "PATCH /" + k.Plural + "/" + id, Body: With(t, nil, l, value)}); a.Status == 200 {
					took++
				}
			}
			if took == 0 && Offers(k, "patch") && !slices.Contains([]string{"association"}, k.Name) {
				t.Errorf("no text of a %s has its mark", k.Name)
			}
		}
	}
	stage := w.Check(t, Step{Do: "GET /pipelines/" + m.ids["pipeline"], Status: 200})
	stages, _ := At(stage.JSON, "stages").([]any)
	for i := range stages {
		stages[i].(map[string]any)["name"] = fmt.Sprint(markOf(record.KindOf("pipeline")), " ", i)
	}
	text, err := json.Marshal(map[string]any{"stages": stages})
	if err != nil {
		t.Fatal(err)
	}
	w.Check(t, Step{Do: "PATCH /pipelines/" + m.ids["pipeline"], Body: string(text), Status: 200})
	return m
}

// blind makes a token of the administrator that may write everything, and read what it names.
func (m *marked) blind(t *testing.T, name string, reads ...string) []string {
	t.Helper()
	scopes := []string{record.BusinessScope}
	for _, k := range record.Kinds() {
		for _, verb := range record.Verbs {
			if verb != record.Read || slices.Contains(reads, k.Name) {
				scopes = append(scopes, k.Name+"."+string(verb))
			}
		}
	}
	m.Mint(t, name, "admin", scopes, time.Time{})
	return reads
}

// clerk is somebody who may write everything, and read what is their own: nothing that has a mark.
func (m *marked) clerk(t *testing.T) {
	t.Helper()
	own := map[string]map[string]string{}
	for _, k := range record.Kinds() {
		own[k.Name] = map[string]string{"read": "own", "write": "all", "delete": "all"}
	}
	permissions, err := json.Marshal(own)
	if err != nil {
		t.Fatal(err)
	}
	features, err := json.Marshal(record.Features)
	if err != nil {
		t.Fatal(err)
	}
	m.Create(t, "roles", `{"name":"Clerk","permissions":`+string(permissions)+`,"features":`+string(features)+`}`, "")
	m.Person(t, "clerk", "Clerk")
}

// filesOf are files whose rows name, in every reference that there is, what is nowhere to be found.
func filesOf() map[string]string {
	files := map[string]string{}
	for _, name := range exchange.ImportKinds() {
		k := record.KindOf(name)
		for _, l := range k.Leaves {
			if l.Target == nil && l.ListItem == nil || l.ReadOnly {
				continue
			}
			reference := strings.TrimSuffix(l.Path, "_id")
			files[k.Name+" "+l.Path] = fmt.Sprintf("%s,%s.name\nA,Nothing of the kind\n", k.Names[0].Path, reference)
		}
	}
	return files
}

// tellsNothing holds an answer to what may be read: no mark of another resource, and, where nothing may be read, no member of a record but
// its id and version and what is shown only once, and no moves that a state allows.
func tellsNothing(t *testing.T, reads []string, s Step, a *Answer) {
	t.Helper()
	for _, k := range record.Kinds() {
		if !toldToAll(k) && !slices.Contains(reads, k.Name) && strings.Contains(string(a.Text), markOf(k)) {
			t.Errorf("%s tells of a %s that may not be read:\n%.400s\n→ %d %.1500s", s.Do, k.Name, s.Body, a.Status, a.Text)
		}
	}
	if s.As != "writer" {
		return
	}
	walk(a.JSON, func(object map[string]any) {
		if object["code"] == "invalid_transition" && object["allowed"] != nil {
			t.Errorf("%s tells what the state allows: %s", s.Do, a.Text)
		}
		id, _ := object["id"].(string)
		name, _, err := schema.RecordOf(id)
		k := record.KindOf(name)
		if err != nil || k == nil || toldToAll(k) || object["field"] != nil && len(object) == 2 {
			return
		}
		for member := range object {
			if !slices.Contains([]string{"id", "version", k.Access.Secret, "omitted"}, member) {
				t.Errorf("%s tells the %s of a %s that may not be read:\n%.400s\n→ %d %.1500s",
					s.Do, member, k.Name, s.Body, a.Status, a.Text)
				return
			}
		}
	})
}

// walk hands every object of a JSON value to a function.
func walk(v any, each func(map[string]any)) {
	switch x := v.(type) {
	case map[string]any:
		each(x)
		for _, inner := range x {
			walk(inner, each)
		}
	case []any:
		for _, inner := range x {
			walk(inner, each)
		}
	}
}

var anyExampleID = regexp.MustCompile(`"([a-z_]+)_01kh4xv1q[a-z0-9]{17}"`)

// steps are requests of one operation: as its example has it, with nothing, by a version that is none, and what runs into what is there.
func (m *marked) steps(t *testing.T, o openapi.Operation) (steps []Step) {
	t.Helper()
	id := "none"
	if o.Kind != nil {
		id = m.ids[o.Kind.Name]
	}
	query := ""
	if !o.Reads {
		query = "?dry_run=true"
	}
	do := o.Method + " !" + strings.ReplaceAll(o.Path, "{id}", id) + query
	add := func(body string, send ...string) { steps = append(steps, Step{Do: do, Body: body, Send: send}) }
	fill := func(text string) string {
		return anyExampleID.ReplaceAllStringFunc(text, func(found string) string {
			prefix := anyExampleID.FindStringSubmatch(found)[1]
			if other := m.others[prefix]; other != "" && o.Kind != nil && o.Kind.Name == prefix {
				return `"` + other + `"`
			}
			return `"` + m.ids[prefix] + `"`
		})
	}
	add("")
	if o.Request == nil {
		if o.Matches {
			add("", `If-Match: "999"`)
		}
		return steps
	}
	bodies := []string{`{}`}
	if o.Example != "" {
		bodies = append(bodies, fill(o.Example))
	}
	if k := o.Kind; k != nil && !o.Reads {
		plain := PlainRecord(k, 99, m.ids)
		data := func(l *schema.Leaf, value string) string { return With(t, plain, l, value) }
		taken := data(k.Common.ExternalID, `"base"`) // by the record that is there
		many := []string{
			`{"op":"delete","id":"` + id + `"}`,
			`{"op":"create","data":` + taken + `}`,
			`{"op":"upsert","match":"external_id","data":` + taken + `}`,
		}
		for i := range k.Actions {
			if example := k.Actions[i].Example; example != "" {
				many = append(many, `{"op":"act","action":"`+k.Actions[i].Name+`","id":"`+id+`","data":`+fill(example)+`}`)
			} else {
				many = append(many, `{"op":"act","action":"`+k.Actions[i].Name+`","id":"`+id+`"}`)
			}
		}
		for _, l := range k.Leaves {
			if l.Kind == schema.Choice && !l.ReadOnly {
				for _, option := range l.Options { // among them moves that no state allows
					many = append(many, `{"op":"update","id":"`+id+`","data":`+With(t, nil, l, fmt.Sprintf("%q", option))+`}`)
				}
			}
		}
		for l := range slices.Values(k.Leaves) {
			if value := ValidValue(l, 1, m.ids); !l.ReadOnly && value != "null" && value != `""` {
				many = append(many, `{"op":"update","id":"`+id+`","data":`+With(t, nil, l, value)+`}`)
			}
			many = append(many, `{"op":"update","id":"`+id+`","data":`+With(t, nil, l, "null")+`}`)
		}
		switch {
		case strings.HasSuffix(o.Path, "/batch"):
			bodies = append(bodies, `{"operations":[`+strings.Join(many, ",")+`]}`)
		case strings.HasSuffix(o.Path, "/upsert"):
			bodies = append(bodies, `{"match":"external_id","data":`+taken+`}`, `{"match":"id","data":{"id":"`+id+`"}}`)
		case strings.HasSuffix(o.Path, "/bulk"):
			bodies = append(bodies, `{"op":"update","search":{},"data":{}}`)
		case o.Path == "/v1/"+k.Plural:
			bodies = append(bodies, taken)
		}
	}
	for _, body := range bodies {
		add(body)
		if o.Matches {
			add(body, `If-Match: "999"`)
		}
	}
	return steps
}

// No route tells a token what that may not read: neither one that can only write, nor one that reads some of the resources.
func TestNoRouteTellsWhatMayNotBeRead(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		m := mark(t, w)
		m.blind(t, "writer")
		m.clerk(t)
		sells := m.blind(t, "seller", "contact", "deal", "quote", "task", "note", "activity")
		for as, reads := range map[string][]string{"writer": nil, "clerk": nil, "seller": sells} {
			done := 0
			for _, o := range w.API.Operations() {
				if o.Session || o.Streams || !strings.HasPrefix(o.Path, "/v1/") || slices.Contains(ownToAll, o.Path) {
					continue
				}
				if o.Kind != nil && toldToAll(o.Kind) {
					continue
				}
				for _, s := range m.steps(t, o) {
					s.As = as
					a := w.Send(t, s)
					tellsNothing(t, reads, s, a)
					if a.Status < 300 && !o.Reads {
						done++
					}
				}
			}
			if done < 40 {
				t.Errorf("%s: only %d writes were done: the others tell little", as, done)
			}
		}
	})
}

// What becomes of a merge, an import, a job and an undo is not told either to who cannot read it.
func TestWhatIsDoneTellsNothingThatMayNotBeRead(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		w.Workers(t)
		m := mark(t, w)
		reads := m.blind(t, "writer")
		send := func(s Step) *Answer {
			t.Helper()
			s.As = "writer"
			a := w.Send(t, s)
			tellsNothing(t, reads, s, a)
			return a
		}
		must := func(status int, s Step) *Answer {
			t.Helper()
			a := send(s)
			if a.Status != status {
				t.Fatalf("%s: %d %s", s.Do, a.Status, a.Text)
			}
			return a
		}
		refused := 0
		for of, file := range filesOf() {
			resource, _, _ := strings.Cut(of, " ")
			made := must(201, Step{Do: "POST /imports", Body: `{"resource":"` + resource + `","mapping":{"*":"-"}}`})
			id := fmt.Sprint(At(made.JSON, "id"))
			w.Vars["file"] = file
			must(200, Step{Do: "PUT /imports/" + id + "/file", Body: "$file", Send: []string{"Content-Type: text/csv"}})
			for _, what := range []string{"preview", "run"} {
				must(202, Step{Do: "POST /imports/" + id + "/" + what})
				settled := w.Settled(t, "writer", id)
				tellsNothing(t, reads, Step{As: "writer", Do: what}, settled)
				job := fmt.Sprint(At(settled.JSON, what+".job_id"))
				must(200, Step{Do: "GET /jobs/" + job})
				must(200, Step{Do: "POST /jobs/" + job + "/refused/search", Body: `{}`})
				must(200, Step{Do: "GET /imports/" + id + "/errors"})
				if fmt.Sprint(At(settled.JSON, what+".refused")) == "1" {
					refused++
				}
			}
			send(Step{Do: "POST /imports/" + id + "/undo"})
		}
		if refused < 20 {
			t.Errorf("only %d rows were refused: the others tell little", refused)
		}
		for _, name := range []string{"contact", "company"} {
			k := record.KindOf(name)
			merge := `{"other_id":"` + m.others[name] + `"}`
			one := "/" + k.Plural + "/" + m.ids[name]
			operation := `{"operations":[{"op":"act","action":"merge","id":"` + m.ids[name] + `","data":` + merge + `}]}`
			must(200, Step{Do: "POST /" + k.Plural + "/batch?dry_run=true", Body: operation})
			must(200, Step{Do: "POST " + one + "/merge?dry_run=true", Body: merge})
			done := must(200, Step{Do: "POST " + one + "/merge", Body: merge})
			if At(done.JSON, "lost") != nil || At(done.JSON, "filled") != nil || At(done.JSON, "record.version") == nil {
				t.Errorf("a merge tells %s", done.Text)
			}
			must(200, Step{Do: "POST " + one + "/unmerge", Body: merge})
			must(200, Step{Do: "POST /" + k.Plural + "/batch", Body: operation})
			send(Step{Do: "GET /" + k.Plural + "/" + m.others[name]})
			send(Step{Do: "POST /" + k.Plural + "/" + m.others[name] + "/restore"})
			send(Step{Do: "POST /undo", Body: `{"request_id":"` + done.Header.Get("X-Request-Id") + `"}`})
			// Who may read is told as before.
			w.Check(t, Step{Do: "POST " + one + "/unmerge", Body: merge, Status: 200})
			w.Check(t, Step{Do: "POST " + one + "/merge", Body: merge, Status: 200, Want: `{"lost":{"name":"*"},"filled":"*"}`})
		}
	})
}
