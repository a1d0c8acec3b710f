package record_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"

	. "github.com/kith-crm/kith/internal/apitest"
)

func TestSchema(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		first := w.Check(t, Step{Do: "GET /schema", Status: 200})
		w.Vars["tag"] = first.Header.Get("ETag")
		w.Run(t, []Step{
			{Rule: "it needs a token", As: "none", Do: "GET /schema", Status: 401},
			{Rule: "it needs no scope", As: "admin:note.read", Do: "GET /schema", Status: 200, Want: `{"resources":"*"}`},
			{Rule: "it has no parameters", Do: "GET /schema?x=1", Status: 422, Wrong: "x:unknown_parameter"},
			{Rule: "it is only read", Do: "POST /schema", Body: `{}`, Status: 405, Head: []string{"Allow: GET, HEAD"}},
			{
				Rule: "who has it already is told so", Do: "GET /schema", Send: []string{"If-None-Match: $tag"}, Status: 304,
				Head: []string{"ETag: $tag"},
			},
			{
				Rule: "another tag is another schema", Do: "GET /schema", Send: []string{`If-None-Match: "1"`}, Status: 200,
				Head: []string{"ETag: $tag"},
			},
			{
				Rule: "who may do something else has another one", As: "viewer", Do: "GET /schema", Send: []string{"If-None-Match: $tag"},
				Status: 200,
			},
			{Rule: "HEAD works", Do: "HEAD /schema", Status: 200, Head: []string{"ETag: $tag"}},
		})
		deal := described(t, first, "deal")
		for path, want := range map[string]string{
			"path": "/v1/deals", "label": "Deal", "id_prefix": "deal", "own": "[owner_id]", "match_by": "[id external_id]",
			"operations":      "[create search aggregate bin get patch delete restore history timeline batch bulk upsert export import]",
			"states.field":    "status",
			"states.initial":  "open",
			"states.moves.0":  "map[by_action:true by_patch:false from:[open] name:win to:won]",
			"states.moves.3":  "map[by_action:true by_patch:true from:[open] name:change_stage to:won]",
			"actions.0.name":  "change_stage",
			"actions.0.label": "Change stage",
			"actions.0.body.0": "map[custom:false kind:reference label:Stage name:stage_id nullable:false operators:[] read_only:false " +
				"required:true sortable:false target:stage]",
			"permissions": "map[delete:all read:all write:all]",
			"layout.head": "[company_id contact_id amount expected_close_date]",
		} {
			if got := fmt.Sprint(At(deal, path)); got != want {
				t.Errorf("%s of deals is %s, want %s", path, got, want)
			}
		}
		for _, f := range []struct{ resource, field, want string }{
			{"deal", "amount", "map[custom:false help:The sum of the line items when those are given and it is not. kind:money " +
				"label:Amount name:amount nullable:true operators:[eq neq in nin gt gte lt lte between is_set is_not_set] " +
				"read_only:false required:false sortable:true]"},
			{"deal", "stage_id", "map[custom:false followed_as:stage help:The pipeline's first open stage when not given. kind:reference " +
				"label:Stage name:stage_id nullable:false operators:[eq neq in nin is_set is_not_set] read_only:false required:false " +
				"sortable:true target:stage]"},
			{"contact", "email", "map[custom:false kind:email label:E-mail max_length:255 name:email nullable:true operators:[eq neq in " +
				"nin contains starts_with is_set is_not_set] read_only:false required:false searchable:true sortable:true]"},
			{"contact", "id", "map[custom:false kind:reference label:ID name:id nullable:false operators:[eq neq in nin is_set " +
				"is_not_set] read_only:true required:false sortable:true target:contact]"},
			{"contact", "do_not_contact", "map[custom:false default:false kind:boolean label:Do not contact name:do_not_contact " +
				"nullable:false operators:[eq neq in nin is_set is_not_set] read_only:false required:false sortable:true]"},
			{"contact", "tags", "map[custom:false kind:tags label:Tags max_items:100 max_length:255 name:tags nullable:false " +
				"operators:[contains in nin is_set is_not_set] read_only:false required:false searchable:true sortable:false]"},
			{"company", "currency", "map[custom:false format:currency help:The business's currency when not given. kind:text " +
				"label:Currency max_length:255 name:currency nullable:true operators:[eq neq in nin contains starts_with is_set " +
				"is_not_set] read_only:false required:false sortable:true]"},
		} {
			if got := fmt.Sprint(fieldOf(t, described(t, first, f.resource), f.field)); got != f.want {
				t.Errorf("%s of %s is\n%s, want\n%s", f.field, f.resource, got, f.want)
			}
		}
		options := At(fieldOf(t, described(t, first, "task"), "status"), "options")
		if got, want := fmt.Sprint(options), "[map[colour:gray label:Open value:open] map[colour:blue label:In progress "+
			"value:in_progress] map[colour:green label:Completed value:completed] map[colour:gray label:Cancelled "+
			"value:cancelled]]"; got != want {
			t.Errorf("the options are %s, want %s", got, want)
		}
		for _, res := range At(first.JSON, "resources").([]any) {
			laidOut(t, res)
		}
		member := w.Check(t, Step{As: "member:deal.read,deal.write,contact.write", Do: "GET /schema", Status: 200})
		for resource, want := range map[string]string{
			"deal":    "map[delete:none read:all write:own]",
			"contact": "map[delete:none read:none write:own]", "role": "map[delete:none read:none write:none]",
		} {
			if got := fmt.Sprint(At(described(t, member, resource), "permissions")); got != want {
				t.Errorf("a member's permissions on %s are %s, want %s", resource, got, want)
			}
		}
		if got := fmt.Sprintln(At(first.JSON, "business.operations"), At(first.JSON, "business.permissions.write"),
			At(member.JSON, "business.permissions.write")); got != "[get patch] all none\n" {
			t.Errorf("of the business it tells %s", got)
		}
	})
}

// laidOut holds a layout to the fields: the sections have each that holds a value once, and nothing names one that is not there.
func laidOut(t *testing.T, res any) {
	t.Helper()
	wanted := map[string]int{}
	eachField(res, func(path string, f any) {
		if kind := At(f, "kind"); kind != "list" && kind != "any" && kind != "group" && At(f, "bin_only") != true {
			wanted[path] = 1
		}
	})
	for _, part := range []string{"head", "card", "form"} {
		for _, path := range At(res, "layout."+part).([]any) {
			if wanted[path.(string)] == 0 {
				t.Errorf("the %s of %s has %s, which is no field", part, At(res, "name"), path)
			}
		}
	}
	for _, section := range At(res, "layout.sections").([]any) {
		for _, path := range At(section, "fields").([]any) {
			wanted[path.(string)]--
		}
	}
	for path, more := range wanted {
		if more != 0 {
			t.Errorf("the sections of %s have %s %d times", At(res, "name"), path, 1-more)
		}
	}
}

// described is what a schema tells of a resource.
func described(t *testing.T, a *Answer, name string) any {
	t.Helper()
	for _, res := range At(a.JSON, "resources").([]any) {
		if At(res, "name") == name {
			return res
		}
	}
	t.Fatalf("the schema has no %s", name)
	return nil
}

// fieldOf is what a schema tells of a field by its path.
func fieldOf(t *testing.T, res any, path string) any {
	t.Helper()
	name, rest, deeper := strings.Cut(path, ".")
	for _, f := range At(res, "fields").([]any) {
		if At(f, "name") == name {
			if deeper {
				return fieldOf(t, f, rest)
			}
			return f
		}
	}
	t.Fatalf("the schema of %v has no %s", At(res, "name"), path)
	return nil
}

// eachField walks the fields of a resource that hold values, by their paths. Items of lists are not among them.
func eachField(res any, do func(path string, f any)) {
	for _, f := range At(res, "fields").([]any) {
		name := fmt.Sprint(At(f, "name"))
		inner, _ := At(f, "fields").([]any)
		if At(f, "kind") == "group" && inner == nil && len(At(f, "operators").([]any)) == 0 {
			continue // the fields that a business added to its records, where it added them to others only
		}
		if At(f, "kind") != "group" || inner == nil {
			do(name, f)
			continue
		}
		for _, part := range inner {
			do(name+"."+fmt.Sprint(At(part, "name")), part)
		}
	}
}

// The schema has every resource, field, action and operation that there is, in their order, and nothing else.
func TestSchemaHasAllThatIsDeclared(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		a := w.Check(t, Step{Do: "GET /schema", Status: 200})
		var names []string
		for _, res := range At(a.JSON, "resources").([]any) {
			names = append(names, fmt.Sprint(At(res, "name")))
		}
		if !slices.Equal(names, record.Registry.Names()) {
			t.Errorf("the schema has %v", names)
		}
		for _, k := range record.Kinds() {
			res := described(t, a, k.Name)
			var declared, told []string
			for _, l := range k.Leaves {
				if !l.Writing.BinOnly || k.Offers("bin") {
					declared = append(declared, l.Path)
				}
			}
			eachField(res, func(path string, f any) {
				told = append(told, path)
				if kind := fmt.Sprint(At(f, "kind")); !slices.Contains(schema.Types, kind) {
					t.Errorf("%s of %s is a %s", path, k.Plural, kind)
				}
				if At(f, "label") == "" {
					t.Errorf("%s of %s has no label", path, k.Plural)
				}
				if kind, target := At(f, "kind"), cmp.Or(At(f, "target"), At(f, "targets.0")); kind == "reference" != (target != nil) {
					t.Errorf("%s of %s is a %v to %v", path, k.Plural, kind, target)
				}
			})
			if !slices.Equal(declared, told) {
				t.Errorf("%s: declared are %v, told are %v", k.Plural, declared, told)
			}
			var actions []string
			for _, action := range At(res, "actions").([]any) {
				actions = append(actions, fmt.Sprint(At(action, "name")))
			}
			if want := slices.Collect(func(yield func(string) bool) {
				for _, action := range k.Actions {
					if !yield(action.Name) {
						return
					}
				}
			}); !slices.Equal(actions, want) {
				t.Errorf("%s: the actions are %v, want %v", k.Plural, actions, want)
			}
			checkOperations(w, t, k, res)
		}
	})
}

// checkOperations compares the operations that a schema tells with the routes that are served.
func checkOperations(w *World, t *testing.T, k *record.Kind, res any) {
	t.Helper()
	all := "/v1/" + k.Plural
	paths := map[string]string{
		"create": "POST " + all, "search": "POST " + all + "/search", "bin": "POST " + all + "/deleted/search",
		"get":   "GET " + all + "/{id}",
		"patch": "PATCH " + all + "/{id}", "delete": "DELETE " + all + "/{id}", "restore": "POST " + all + "/{id}/restore",
		"batch": "POST " + all + "/batch", "bulk": "POST " + all + "/bulk", "upsert": "POST " + all + "/upsert",
		"aggregate": "POST " + all + "/aggregate",
		"history":   "POST " + all + "/{id}/history/search", "timeline": "POST " + all + "/{id}/timeline/search",
		"duplicates": "POST " + all + "/duplicates/search", "dismiss": "POST " + all + "/duplicates/dismiss",
		"erase": "POST " + all + "/{id}/erase", "export": "POST " + all + "/export",
	}
	told := strings.Fields(strings.Trim(fmt.Sprint(At(res, "operations")), "[]"))
	for _, operation := range told {
		if paths[operation] == "" && operation != "import" {
			t.Errorf("%s tells of %s, which this test does not know", k.Plural, operation)
		}
	}
	for operation, path := range paths {
		served := slices.ContainsFunc(w.API.Routes(), func(r httpapi.Route) bool { return r.Method+" "+r.Pattern == path })
		if served != slices.Contains(told, operation) {
			t.Errorf("%s is served: %t; the schema tells %v", path, served, told)
		}
	}
	status := 422
	if slices.Contains(told, "import") {
		status = 201
	}
	w.Check(t, Step{Do: "POST /imports", Body: `{"resource":"` + k.Name + `"}`, Status: status})
	if upserts := slices.Contains(told, "upsert"); upserts != (len(At(res, "match_by").([]any)) > 0) {
		t.Errorf("%s can be upserted: %t, by %v", k.Plural, upserts, At(res, "match_by"))
	}
}

// A record has the fields that the schema lists, live and in the bin, and no others, and a value wherever the schema says that there
// is one.
func TestSchemaTellsWhatIsAnswered(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		ids := w.OneOfEach(t)
		a := w.Check(t, Step{Do: "GET /schema", Status: 200})
		holds := func(what string, res, rec any, bin bool) {
			t.Helper()
			var told, answered []string
			for _, f := range At(res, "fields").([]any) {
				name := fmt.Sprint(At(f, "name"))
				if At(f, "bin_only") == true && !bin {
					continue
				}
				told = append(told, name)
				if At(f, "nullable") == false && At(f, "kind") != "group" && At(rec, name) == nil {
					t.Errorf("%s: %s has nothing, and is said to have a value", what, name)
				}
			}
			for name := range rec.(map[string]any) {
				answered = append(answered, name)
			}
			slices.Sort(told)
			slices.Sort(answered)
			if !slices.Equal(told, answered) {
				t.Errorf("%s: told are %v, answered %v", what, told, answered)
			}
		}
		holds("the business", At(a.JSON, "business"), w.Check(t, Step{Do: "GET /business", Status: 200}).JSON, false)
		for _, k := range record.Kinds() {
			res, id := described(t, a, k.Name), ids[k.Name]
			holds(k.Name, res, w.Check(t, Step{Do: "GET /" + k.Plural + "/" + id, Status: 200}).JSON, false)
			found := w.Check(t, Step{
				Do: "POST /" + k.Plural + "/search", Body: `{"filters":[{"field":"id","operator":"eq","value":"` + id + `"}]}`, Status: 200,
			})
			holds(k.Name+" found", res, At(found.JSON, "data.0"), false)
		}
		for _, k := range slices.Backward(record.Kinds()) {
			if gone := w.Send(t, Step{Do: "DELETE /" + k.Plural + "/" + ids[k.Name]}); !k.Offers("bin") || gone.Status != 200 {
				continue // what others need cannot be deleted
			}
			found := w.Check(t, Step{Do: "POST /" + k.Plural + "/deleted/search", Body: `{"limit":1}`, Status: 200})
			holds(k.Name+" in the bin", described(t, a, k.Name), At(found.JSON, "data.0"), true)
		}
	})
}

// A search takes every operator and order that the schema lists for a field, and no other.
func TestSchemaTellsWhatSearchesTake(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		ids := w.OneOfEach(t)
		a := w.Check(t, Step{Do: "GET /schema", Status: 200})
		for _, k := range record.Kinds() {
			res := described(t, a, k.Name)
			var taken, refused []string
			var orders, unordered []string
			eachField(res, func(path string, f any) {
				if At(f, "bin_only") == true {
					return
				}
				if At(f, "sortable") == true {
					orders = append(orders, path)
				} else {
					unordered = append(unordered, path)
				}
				listed := strings.Fields(strings.Trim(fmt.Sprint(At(f, "operators")), "[]"))
				for _, o := range query.Operators {
					value := sample(f, ids)
					if listOf := At(f, "kind") == "tags" || At(f, "kind") == "multi_select"; listOf {
						value = strings.Trim(value, "[]")
					}
					filter := fmt.Sprintf(`{"field":%q,"operator":%q`, path, o)
					switch o {
					case query.In, query.Nin:
						filter += `,"values":[` + value + `]`
					case query.Between:
						filter += `,"values":[` + value + "," + value + `]`
					case query.IsSet, query.IsNotSet:
					default:
						filter += `,"value":` + value
					}
					if slices.Contains(listed, string(o)) {
						taken = append(taken, filter+"}")
					} else {
						refused = append(refused, filter+"}")
					}
				}
			})
			for filters := range slices.Chunk(taken, query.MaxFilters) {
				w.Check(t, Step{
					Do: "POST /" + k.Plural + "/search", Body: `{"filters":[` + strings.Join(filters, ",") + `]}`,
					Status: 200, Chance: true,
				})
			}
			for filters := range slices.Chunk(refused, query.MaxFilters) {
				var wrong []string
				for i := range filters {
					wrong = append(wrong, fmt.Sprintf("filters[%d].operator:operator_not_allowed", i))
				}
				w.Check(t, Step{
					Do: "POST /" + k.Plural + "/search", Body: `{"filters":[` + strings.Join(filters, ",") + `]}`,
					Status: 422, Wrong: strings.Join(wrong, " "), Chance: true,
				})
			}
			for _, path := range orders {
				w.Check(t, Step{
					Do: "POST /" + k.Plural + "/search", Body: `{"limit":1,"fields":["id"],"order_by":"` + path + `"}`,
					Status: 200, Chance: true,
				})
			}
			for _, path := range unordered {
				w.Check(t, Step{
					Do: "POST /" + k.Plural + "/search", Body: `{"order_by":"` + path + `"}`, Status: 422,
					Wrong: "order_by:not_sortable",
				})
			}
		}
	})
}

// A creation and a patch take every field that the schema does not mark read-only, with a value that is made from the schema alone,
// and no other.
func TestSchemaTellsWhatWritesTake(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		ids := w.OneOfEach(t)
		a := w.Check(t, Step{Do: "GET /schema", Status: 200})
		for n, k := range record.Kinds() {
			res, base := described(t, a, k.Name), PlainRecord(k, n, ids)
			another, err := json.Marshal(PlainRecord(k, n+1000, ids))
			if err != nil {
				t.Fatal(err)
			}
			id := w.Create(t, k.Plural, string(another), "") // not the one that references lead to
			for _, f := range At(res, "fields").([]any) {
				name := fmt.Sprint(At(f, "name"))
				// which its kind, or what there is, decides about
				if At(f, "bin_only") == true || k.Name == "field" &&
					slices.Contains([]string{"target", "options", "replace_with"}, name) || k.Name == "webhook" && name == "events" ||
					k.Access.Personal && name == "owner_id" {
					continue
				}
				create, patch := map[string]json.RawMessage{}, fmt.Sprintf(`{%q:%s}`, name, sample(f, ids))
				for given, value := range base {
					create[given] = value
				}
				create[name] = json.RawMessage(sample(f, ids))
				body, err := json.Marshal(create)
				if err != nil {
					t.Fatal(err)
				}
				making := Step{Do: "POST /" + k.Plural + "?dry_run=true", Body: string(body), Status: 201, Chance: true}
				patching := Step{Do: "PATCH /" + k.Plural + "/" + id + "?dry_run=true", Body: patch, Status: 200, Chance: true}
				if At(f, "read_only") == true {
					making.Status, making.Wrong = 422, name+":read_only"
					patching.Status, patching.Wrong = 422, name+":read_only"
				}
				if At(f, "immutable") == true {
					patching.Status, patching.Wrong = 422, name+":immutable"
				}
				w.Check(t, making)
				if k.Offers("patch") {
					w.Check(t, patching)
				}
				if At(f, "required") == true {
					delete(create, name)
					without, err := json.Marshal(create)
					if err != nil {
						t.Fatal(err)
					}
					w.Check(t, Step{
						Do: "POST /" + k.Plural + "?dry_run=true", Body: string(without), Status: 422,
						Wrong: name + ":required", Chance: true,
					})
				}
			}
		}
	})
}

// sample makes a value of a field from what the schema tells of it.
func sample(f any, ids map[string]string) string {
	if value := At(f, "default"); value != nil {
		text, _ := json.Marshal(value)
		return string(text)
	}
	switch At(f, "kind") {
	case "text", "long_text":
		return `"` + map[any]string{
			nil: "any", "currency": "EUR", "timezone": "Asia/Tokyo", "locale": "de", "domain": "sample.example",
			"code": "S-1", "field": "created_at",
		}[At(f, "format")] + `"`
	case "email":
		return `"sample@harbour.example"`
	case "phone":
		return `"+49 30 7"`
	case "url":
		return `"https://sample.example"`
	case "select":
		return fmt.Sprintf("%q", At(f, "options.0.value"))
	case "multi_select":
		options := At(f, "options").([]any)
		return fmt.Sprintf("[%q]", At(options[len(options)-1], "value"))
	case "tags":
		if At(f, "format") == "field" {
			return `["created_at"]`
		}
		return `["https://sample.example"]`
	case "any":
		return "null"
	case "boolean":
		return "true"
	case "integer", "number", "percent":
		return "1"
	case "money", "decimal":
		return `"1.50"`
	case "date":
		return `"2031-05-06"`
	case "datetime":
		return `"2999-05-06T07:08:09Z"`
	case "reference":
		if targets, several := At(f, "targets").([]any); several {
			if At(f, "name") == "from_id" {
				return fmt.Sprintf("%q", ids[fmt.Sprint(targets[len(targets)-1])])
			}
			return fmt.Sprintf("%q", ids[fmt.Sprint(targets[len(targets)-2])])
		}
		return fmt.Sprintf("%q", ids[fmt.Sprint(At(f, "target"))])
	case "list":
		var parts []string
		for _, part := range At(f, "fields").([]any) {
			if At(part, "name") != "id" { // which a new item gets
				parts = append(parts, fmt.Sprintf("%q:%s", At(part, "name"), sample(part, ids)))
			}
		}
		return "[{" + strings.Join(parts, ",") + "}]"
	case "group":
		var parts []string
		fields, _ := At(f, "fields").([]any)
		for _, part := range fields {
			parts = append(parts, fmt.Sprintf("%q:%s", At(part, "name"), sample(part, ids)))
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	return "null"
}
