package agents_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kith-crm/kith/internal/agents"
	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/testworld"
)

func TestTools(t *testing.T) {
	testworld.OnBoth(t, func(t *testing.T, url string) {
		w := newWorld(t, url, httpapi.Options{})
		for name, test := range map[string]func(*testing.T, *world){
			"tools answer as the API": testToolsAnswerAsTheAPI,
			"describe":                testDescribe,
			"writes":                  testWrites,
			"what the API refuses":    testWhatTheAPIRefuses,
			"resources":               testResources,
			"arguments":               testArguments,
			"answers are bounded":     testAnswersAreBounded,
			"what may not be read":    testWhatMayNotBeRead,
		} {
			t.Run(name, func(t *testing.T) { test(t, w.fresh(t)) })
		}
	})
}

// filled makes some companies and deals, and gives the ids of the deals.
func filled(t *testing.T, w *world) (companies, deals []any) {
	t.Helper()
	made := w.done(t, "admin", "create", object{"resource": "company", "records": []object{
		{"name": "Elbe Coffee", "address": object{"city": "Hamburg"}, "description": strings.Repeat("long ", 100)},
		{"name": "Alster Tea", "address": object{"city": "Hamburg"}},
	}})
	companies = idsOf(made)
	made = w.done(t, "admin", "create", object{"resource": "deal", "records": []object{
		{"name": "Beans", "company_id": companies[0], "amount": "100.50", "currency": "EUR"},
		{"name": "Leaves", "company_id": companies[1], "amount": "20", "currency": "EUR"},
	}})
	return companies, idsOf(made)
}

func testToolsAnswerAsTheAPI(t *testing.T, w *world) {
	companies, deals := filled(t, w)
	w.done(t, "admin", "create", object{
		"resource": "note",
		"records":  []object{{"title": "Call", "body": "They like it", "deal_id": deals[0]}},
	})

	// A search gives the telling fields unless others are named, and the same records in the same order.
	_, asked := w.api(t, "admin", "POST", "/deals/search",
		`{"fields":["id","name","status","amount","currency"],"filters":[{"field":"company.name","operator":"contains","value":"coffee"}]}`)
	found := w.done(t, "admin", "search", object{
		"resource": "deal",
		"filters":  []object{{"field": "company.name", "operator": "contains", "value": "coffee"}},
	})
	same(t, "search", found["records"], without(asked["data"]))
	found = w.done(t, "admin", "search", object{
		"resource": "deals", "fields": []string{"name", "company.name"}, "order_by": "name",
		"sort_direction": "asc",
	})
	same(t, "search with fields", found["records"], []object{
		{"company": object{"name": "Elbe Coffee"}, "id": deals[0], "name": "Beans"},
		{"company": object{"name": "Alster Tea"}, "id": deals[1], "name": "Leaves"},
	})
	for _, k := range record.Kinds() {
		found := w.done(t, "admin", "search", object{"resource": k.Name, "fields": []string{"created_at"}})
		for _, record := range found["records"].([]any) {
			if id, _ := record.(object)["id"].(string); !strings.HasPrefix(id, k.Name+"_") {
				t.Errorf("a search of %s for a field answers %v, without the id", k.Name, record)
			}
		}
	}
	if got := fieldsOf(w.refused(t, "admin", "search", "validation_failed", object{"resource": "deal", "fields": []string{
		"name",
		"nam",
	}})); got != "fields[1]:unknown_field" {
		t.Errorf("a field that there is not is %s", got)
	}
	_, asked = w.api(t, "admin", "POST", "/search", `{"search_text":"beans"}`)
	found = w.done(t, "admin", "search", object{"search_text": "beans"})
	same(t, "search across", found["records"], []any{without(asked["data"].([]any)[0].(object)["record"])})

	// Pages follow each other.
	first := w.done(t, "admin", "search", object{"resource": "deal", "limit": 1})
	second := w.done(t, "admin", "search", object{"resource": "deal", "limit": 1, "cursor": first["next"]})
	same(t, "pages", append(idsOf(first), idsOf(second)...), []any{deals[1], deals[0]})
	if second["next"] != nil || first["total"] != 2.0 {
		t.Errorf("pages: %v, %v", first, second)
	}

	_, asked = w.api(t, "admin", "GET", fmt.Sprintf("/deals/%s", deals[0]), "")
	same(t, "get", w.done(t, "admin", "get", object{"id": deals[0]}), without(asked))
	_, asked = w.api(t, "admin", "POST", "/deals/aggregate", `{"group_by":["company.name"],"metrics":["count","sum:amount"]}`)
	same(t, "aggregate", w.done(t, "admin", "aggregate",
		object{"resource": "deal", "group_by": []string{"company.name"}, "metrics": []string{"count", "sum:amount"}})["groups"],
		without(asked["data"]))
	_, asked = w.api(t, "admin", "POST", "/changes/search", `{"after":3,"limit":5,"resources":["deal","note"]}`)
	same(t, "changes", w.done(t, "admin", "changes", object{"after": 3, "limit": 5, "resources": []string{"deal", "note"}})["changes"],
		without(asked["data"]))

	entries := w.done(t, "admin", "timeline", object{"id": deals[0]})["entries"].([]any)
	_, asked = w.api(t, "admin", "POST", fmt.Sprintf("/deals/%s/timeline/search", deals[0]), "{}")
	for i, entry := range asked["data"].([]any) {
		got := entries[i].(object)
		same(t, "timeline", []any{got["at"], got["kind"]}, []any{without(entry.(object)["at"]), entry.(object)["kind"]})
	}
	// What has no timeline has a history.
	_, product := w.api(t, "admin", "POST", "/products", `{"name":"Filter","price":"3","currency":"EUR"}`)
	if entries := w.done(t, "admin", "timeline", object{"id": product["id"]})["entries"].([]any); len(entries) != 1 ||
		entries[0].(object)["action"] != "create" {
		t.Errorf("history: %v", entries)
	}

	// Long texts are cut among many records, and whole in one.
	found = w.done(t, "admin", "search", object{
		"resource": "company", "fields": []string{"description"},
		"filters": []object{{"field": "id", "operator": "eq", "value": companies[0]}},
	})
	if text := fmt.Sprint(found["records"]); len(text) > 400 || !strings.Contains(text, "more characters") {
		t.Errorf("a long text: %s", text)
	}
	if whole := w.done(t, "admin", "get", object{"id": companies[0]})["description"].(string); len(whole) != 500 {
		t.Errorf("one record has %d characters of its text", len(whole))
	}
}

func testDescribe(t *testing.T, w *world) {
	w.api(t, "admin", "POST", "/fields", `{"resource":"deal","name":"roast","label":"Roast","kind":"select","options":[{"value":"dark"},`+
		`{"value":"light"}]}`)
	text, failed := w.call(t, "viewer", "describe", object{"resource": "deal"})
	for _, part := range []string{
		"deal (you may read)", "name* text", "company_id →company", "status! open|won|lost",
		"custom_fields{roast dark|light}", "lose(loss_reason_id →loss_reason, lost_reason text)",
	} {
		if failed || !strings.Contains(text, part) {
			t.Errorf("describe does not tell %q: %s", part, text)
		}
	}
	w.mint(t, "reader", w.tenant, w.users["admin"], []string{"contact.read"})
	if text, _ := w.call(t, "reader", "describe", object{}); !strings.HasPrefix(text, "read: contact\nnothing: company") {
		t.Errorf("what a narrow token may do: %s", text)
	}
	full := w.done(t, "admin", "describe", object{"resource": "deals", "full": true})
	if full["name"] != "deal" || full["permissions"] == nil {
		t.Errorf("in full: %v", full)
	}
	if got := fieldsOf(w.refused(t, "admin", "describe", "validation_failed", object{"resource": "deel"})); got != "resource:not_allowed" {
		t.Error(got)
	}
	me := w.done(t, "member", "whoami", object{})
	if me["role"] != "member" || me["user"].(object)["email"] != "member@harbour.example" || me["business"].(object)["name"] != "Harbour" {
		t.Errorf("whoami: %v", me)
	}
}

func testWrites(t *testing.T, w *world) {
	_, deals := filled(t, w)
	tasks := func() int { return len(w.done(t, "admin", "search", object{"resource": "task"})["records"].([]any)) }
	plan := object{"resource": "task", "records": []object{{"title": "Call", "deal_id": deals[0]}, {"title": "Write", "deal_id": deals[1]}}}

	// A dry run tells the same and does nothing.
	dry := object{"dry_run": true}
	for name, value := range plan {
		dry[name] = value
	}
	would := w.done(t, "admin", "create", dry)
	if would["would_be"] != "created" || len(would["records"].([]any)) != 2 || would["undo"] != nil || tasks() != 0 {
		t.Errorf("a dry run: %v, and there are %d tasks", would, tasks())
	}

	// All or none, and the wrong field by its name among the arguments.
	bad := object{"resource": "task", "records": []object{{"title": "Fine"}, {"title": "Bad", "priority": "highest"}}}
	if got := fieldsOf(w.refused(t, "admin", "create", "validation_failed", bad)); got != "records[1].priority:not_allowed" ||
		tasks() != 0 {
		t.Errorf("%s, and there are %d tasks", got, tasks())
	}
	if got := fieldsOf(w.refused(t, "admin", "create", "validation_failed",
		object{"resource": "task", "records": []object{{"titel": "x"}}})); got != "records[0].titel:unknown_field "+
		"records[0].title:required" {
		t.Error(got)
	}

	// A key makes a repeated call do nothing more.
	plan["key"] = "follow-up-1"
	made := w.done(t, "admin", "create", plan)
	again := w.done(t, "admin", "create", plan)
	same(t, "replayed", again["records"], made["records"])
	if again["replayed"] != true || tasks() != 2 {
		t.Errorf("replayed: %v, and there are %d tasks", again, tasks())
	}
	ids := idsOf(made)

	changed := w.done(t, "admin", "update", object{"ids": ids, "data": object{"priority": "high"}})
	if first := changed["records"].([]any)[0].(object); first["priority"] != "high" || first["version"] != 2.0 || changed["undo"] == nil {
		t.Errorf("update: %v", changed)
	}
	if got := fieldsOf(w.refused(t, "admin", "update", "validation_failed",
		object{"ids": ids, "data": object{"priority": "highest"}})); got != "data.priority:not_allowed" {
		t.Error(got)
	}
	if old := w.refused(t, "admin", "update", "precondition_failed",
		object{"ids": ids[:1], "data": object{"priority": "low"}, "if_match": 1}); old["current_version"] != 2.0 {
		t.Errorf("if_match: %v", old)
	}
	w.refused(t, "admin", "update", "validation_failed", object{"ids": ids, "data": object{"priority": "low"}, "if_match": 1})
	if completed := w.done(t, "admin", "act", object{
		"ids":    ids,
		"action": "complete",
	}); completed["records"].([]any)[1].(object)["status"] != "completed" {
		t.Errorf("act: %v", completed)
	}
	if got := w.refused(t, "admin", "act", "validation_failed",
		object{"ids": ids, "action": "erase"}); fieldsOf(got) != "action:not_allowed" {
		t.Error(got)
	}
	lost := w.done(t, "admin", "act", object{"ids": deals[:1], "action": "lose", "data": object{"lost_reason": "Price"}})
	if first := lost["records"].([]any)[0].(object); first["status"] != "lost" || first["lost_reason"] != "Price" {
		t.Errorf("lose: %v", lost)
	}
	w.refused(t, "admin", "act", "invalid_transition", object{"ids": deals[:1], "action": "win"})
	w.done(t, "admin", "delete", object{"ids": ids})
	if found := w.done(t, "admin", "search", object{"resource": "task", "deleted": true}); len(idsOf(found)) != 2 || tasks() != 0 {
		t.Errorf("delete: %v in the bin, %d left", found, tasks())
	}
	w.done(t, "admin", "act", object{"ids": ids, "action": "restore"})
	if tasks() != 2 {
		t.Errorf("restore: %d tasks", tasks())
	}

	// Each write is taken back by what it says; what somebody changed since stays.
	renamed := w.done(t, "admin", "update", object{"ids": ids, "data": object{"title": "Renamed"}})
	w.done(t, "admin", "update", object{"ids": ids[:1], "data": object{"title": "Again"}})
	would = w.done(t, "admin", "undo", object{"request_id": renamed["undo"], "dry_run": true})
	if would["undone"] != 1.0 || would["left"] != 1.0 || would["undo"] != nil ||
		w.done(t, "admin", "get", object{"id": ids[1]})["title"] != "Renamed" {
		t.Errorf("a dry run of undo: %v", would)
	}
	back := w.done(t, "admin", "undo", object{"request_id": renamed["undo"]})
	if back["undone"] != 1.0 || back["left"] != 1.0 || len(back["why"].([]any)) != 1 ||
		w.done(t, "admin", "get", object{"id": ids[1]})["title"] != "Write" {
		t.Errorf("undo: %v", back)
	}
	w.done(t, "admin", "undo", object{"request_id": back["undo"]})
	if title := w.done(t, "admin", "get", object{"id": ids[1]})["title"]; title != "Renamed" {
		t.Errorf("the undo of an undo: %v", title)
	}

	// Upsert by a field.
	for _, name := range []string{"Zoe", "Zoë"} {
		w.done(t, "admin", "create", object{
			"resource": "contact", "match": "email",
			"records": []object{{"name": name, "email": "zoe@elbe.example"}},
		})
	}
	if found := w.done(t, "admin", "search", object{"resource": "contact"})["records"].([]any); len(found) != 1 ||
		found[0].(object)["name"] != "Zoë" {
		t.Errorf("match: %v", found)
	}

	// What is written is in the log as anything that the token does.
	_, log := w.api(t, "admin", "POST", fmt.Sprintf("/tasks/%s/history/search", ids[0]), `{"sort_direction":"asc","limit":1}`)
	if entry := log["data"].([]any)[0].(object); entry["request_id"] == nil || entry["actor"].(object)["token_id"] == nil {
		t.Errorf("the log: %v", entry)
	}

	// A secret is shown once, here too.
	if made := w.done(t, "admin", "create", object{
		"resource": "token",
		"records":  []object{{"name": "A", "scopes": []string{"contact.read"}}},
	}); !strings.HasPrefix(
		made["records"].([]any)[0].(object)["token"].(string), "kith_pat_") {
		t.Errorf("a token: %v", made)
	}
}

// Nothing is allowed here that the API refuses: each call beside the request that it stands for.
func testWhatTheAPIRefuses(t *testing.T, w *world) {
	companies, deals := filled(t, w)
	w.mint(t, "reader", w.tenant, w.users["admin"], []string{"deal.read"})
	id := deals[0].(string)
	for _, c := range []struct {
		tool      string
		arguments object
		do        string
		body      string
	}{
		{"search", object{"resource": "company"}, "POST /companies/search", "{}"},
		{"get", object{"id": companies[0]}, "GET /companies/" + companies[0].(string), ""},
		{"get", object{"id": id}, "GET /deals/" + id, ""},
		{"aggregate", object{"resource": "company"}, "POST /companies/aggregate", "{}"},
		{"timeline", object{"id": id}, "POST /deals/" + id + "/timeline/search", "{}"},
		{"changes", object{"resources": []string{"company"}}, "POST /changes/search", `{"resources":["company"]}`},
		{"create", object{"resource": "deal", "records": []object{{"name": "x"}}}, "POST /deals", `{"name":"x"}`},
		{
			"create",
			object{"resource": "deal", "records": []object{{"name": "x"}, {"name": "y"}}},
			"POST /deals/batch",
			`{"atomic":true,"operations":[{"op":"create","data":{"name":"x"}},{"op":"create","data":{"name":"y"}}]}`,
		},
		{
			"create",
			object{"resource": "user", "records": []object{{
				"name": "x", "email": "x@x.example",
				"role_id": "role_01h455vb4pex5vsknk084sn02q",
			}}},
			"POST /users",
			`{"name":"x","email":"x@x.example","role_id":"role_01h455vb4pex5vsknk084sn02q"}`,
		},
		{"update", object{"ids": []string{id}, "data": object{"name": "y"}}, "PATCH /deals/" + id, `{"name":"y"}`},
		{"update", object{"ids": deals, "data": object{"nam": "y"}}, "PATCH /deals/" + id, `{"nam":"y"}`},
		{"act", object{"ids": []string{id}, "action": "win"}, "POST /deals/" + id + "/win", "{}"},
		{"delete", object{"ids": []string{id}}, "DELETE /deals/" + id, ""},
		{"get", object{"id": "deal_01h455vb4pex5vsknk084sn02q"}, "GET /deals/deal_01h455vb4pex5vsknk084sn02q", ""},
	} {
		for _, as := range []string{"reader", "viewer", "stranger"} {
			method, path, _ := strings.Cut(c.do, " ")
			query := ""
			if method != "GET" && !strings.HasSuffix(path, "/search") && !strings.HasSuffix(path, "/aggregate") {
				c.arguments["dry_run"], query = true, "?dry_run=true"
			}
			status, want := w.api(t, as, method, path+query, c.body)
			text, failed := w.call(t, as, c.tool, c.arguments)
			if failed != (status >= 400) {
				t.Errorf("%s: %s %v: the API says %d, the tool %s", as, c.tool, c.arguments, status, text)
			}
			if !failed {
				continue
			}
			got := parse(t, text)
			for _, name := range []string{"code", "scope"} {
				if got[name] != want[name] {
					t.Errorf("%s: %s %v: the API says %v, the tool %s", as, c.tool, c.arguments, want, text)
				}
			}
		}
	}
	if status, _ := w.api(t, "admin", "GET", "/deals/"+id, ""); status != 200 {
		t.Errorf("the deal: %d", status)
	}
}

func testArguments(t *testing.T, w *world) {
	companies, deals := filled(t, w)
	many := make([]object, 101)
	for i := range many {
		many[i] = object{"title": "x"}
	}
	for _, c := range []struct {
		tool      string
		arguments object
		wrong     string
	}{
		{"search", object{"filter": []any{}}, "filter:unknown_field"},
		{"search", object{"resource": "deal", "filters": object{}}, "filters:wrong_type"},
		{"search", object{"resource": "deal", "filters": []any{"x"}}, "filters:wrong_type"},
		{
			"search",
			object{"resource": "deal", "filters": []any{object{"field": "nam", "operator": "eq", "value": "x"}}},
			"filters[0].field:unknown_field",
		},
		{"search", object{"resource": "deal", "limit": 101}, "limit:out_of_range"},
		{"search", object{"limit": 5, "filters": []any{}}, "resource:required"},
		{"search", object{"resource": "stage"}, "resource:not_allowed"},
		{"get", object{}, "id:required"},
		{"get", object{"id": "../me"}, "id:invalid_id"},
		{"get", object{"id": "nothing_01h455vb4pex5vsknk084sn02q"}, "id:invalid_id"},
		{"create", object{"resource": "task", "records": []any{}}, "records:out_of_range"},
		{"create", object{"resource": "task", "records": many}, "records:out_of_range"},
		{"create", object{"resource": "task", "records": []any{object{"title": "x"}}, "key": "with spaces"}, "key:invalid_format"},
		{"update", object{"ids": []any{deals[0], companies[0]}, "data": object{}}, "ids[1]:not_allowed"},
		{"update", object{"ids": []any{}, "data": object{}}, "ids:out_of_range"},
		{"delete", object{"ids": []any{deals[0], "deal_x"}}, "ids[1]:invalid_id"},
	} {
		if got := fieldsOf(w.refused(t, "admin", c.tool, "validation_failed", c.arguments)); got != c.wrong {
			t.Errorf("%s %v: %s, want %s", c.tool, c.arguments, got, c.wrong)
		}
	}
}

func testAnswersAreBounded(t *testing.T, w *world) {
	records := make([]object, 20)
	for i := range records {
		records[i] = object{"name": fmt.Sprint("C", i), "tags": tags(i)}
	}
	// What was written is told, if only by ids.
	made := w.done(t, "admin", "create", object{"resource": "company", "records": records})
	if ids, _ := made["ids"].([]any); len(ids) != 20 || made["undo"] == nil {
		t.Fatalf("%.500v", made)
	}
	w.refused(t, "admin", "search", "payload_too_large", object{"resource": "company", "fields": []string{"tags"}})
	w.done(t, "admin", "search", object{"resource": "company", "fields": []string{"tags"}, "limit": 5})
}

func tags(n int) []string {
	all := make([]string, 100)
	for i := range all {
		all[i] = fmt.Sprintf("%d %d %s", n, i, strings.Repeat("x", 70))
	}
	return all
}

func testResources(t *testing.T, w *world) {
	_, deals := filled(t, w)
	ctx := t.Context()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint:   w.url + "/mcp",
		HTTPClient: &http.Client{Transport: bearer(w.tokens["admin"])},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	listed, err := session.ListResources(ctx, nil)
	if err != nil || len(listed.Resources) < 10 || len(listed.Resources) > 100 {
		t.Fatalf("%v, %v", listed, err)
	}
	for _, r := range listed.Resources {
		if _, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: r.URI}); err != nil {
			t.Errorf("%s: %v", r.URI, err)
		}
	}
	read, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: "kith://deal/" + deals[0].(string)})
	if err != nil || !strings.Contains(read.Contents[0].Text, `"name":"Beans"`) {
		t.Errorf("%v, %v", read, err)
	}
	for _, uri := range []string{
		"kith://deal/deal_01h455vb4pex5vsknk084sn02q", "kith://company/" + deals[0].(string), "kith://deal/..",
		"kith://nothing", "file:///etc/passwd",
	} {
		if read, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri}); err == nil {
			t.Errorf("%s: %v", uri, read.Contents[0])
		}
	}
	templates, err := session.ListResourceTemplates(ctx, nil)
	if err != nil || len(templates.ResourceTemplates) < 10 {
		t.Errorf("%v, %v", templates, err)
	}
	tools, err := session.ListTools(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools.Tools {
		reads := strings.Contains("whoami describe search get aggregate timeline changes", tool.Name)
		if tool.Annotations.ReadOnlyHint != reads {
			t.Errorf("%s says read-only: %v", tool.Name, tool.Annotations.ReadOnlyHint)
		}
		if properties := tool.InputSchema.(object)["properties"].(object); reads == (properties["dry_run"] != nil) {
			t.Errorf("%s: dry_run: %v", tool.Name, properties["dry_run"])
		}
	}
}

// bearer adds a token to requests.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// A fault of ours in a tool ends that call, and nothing else.
func TestPanic(t *testing.T) {
	told := make(chan string, 1)
	server := agents.New(agents.Options{API: broken{}, Failed: func(tool string, _ any, _ []byte) { told <- tool }})
	near, far := mcp.NewInMemoryTransports()
	go func() { _ = server.Serve(t.Context(), near) }()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), far, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "whoami"})
	if err != nil || !result.IsError || <-told != "whoami" {
		t.Errorf("%v, %v", result, err)
	}
}

type broken struct{}

func (broken) RoundTrip(*http.Request) (*http.Response, error) { panic("broken") }
