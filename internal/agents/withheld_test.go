package agents_test

import (
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/record"
)

// No tool tells a token that can write everything and read nothing what a record has. The arguments of each are chosen by their names, so
// that a new tool is asked, too.
func testWhatMayNotBeRead(t *testing.T, w *world) {
	const mark = "zqcontactqz"
	made := w.done(t, "admin", "create", object{"resource": "contact", "records": []object{
		{"name": mark + " one", "job_title": mark + " first", "external_id": "base"},
		{"name": mark + " two", "job_title": mark + " second", "phone": "+49 40 77"},
	}})
	ids := idsOf(made)
	scopes := []string{}
	for _, k := range record.Kinds() {
		scopes = append(scopes, k.Name+".write", k.Name+".delete")
	}
	w.mint(t, "writer", w.tenant, w.users["admin"], scopes)
	written := w.done(t, "admin", "update", object{"ids": ids[:1], "data": object{"lead_source": mark + " third"}})
	pool := object{
		"resource": "contact", "id": ids[0], "ids": ids[:1], "search_text": mark[:4], "match": "external_id",
		"records": []object{{"external_id": "base", "job_title": "Captain"}},
		"data":    object{"other_id": ids[1]}, "action": "merge", "request_id": written["undo"],
		"metrics": []string{"count"}, "group_by": []string{"job_title"}, "dry_run": true, "full": true,
	}
	_, listed := w.rpc(t, "writer", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	tools := listed["result"].(object)["tools"].([]any)
	ask := func(tool string, arguments object) (failed bool) {
		t.Helper()
		text, failed := w.call(t, "writer", tool, arguments)
		if strings.Contains(text, mark) || strings.Contains(text, "+49 40 77") {
			t.Errorf("%s %v tells what may not be read: %s", tool, arguments, text)
		}
		return failed
	}
	for _, tool := range tools {
		name := tool.(object)["name"].(string)
		properties := tool.(object)["inputSchema"].(object)["properties"].(object)
		arguments := object{}
		for argument, value := range pool {
			if _, takes := properties[argument]; takes {
				arguments[argument] = value
			}
		}
		ask(name, arguments)
		if name == "update" {
			arguments["data"] = object{"job_title": nil}
			ask(name, arguments)
		}
	}
	merge := object{"ids": ids[:1], "action": "merge", "data": object{"other_id": ids[1]}}
	if ask("act", merge) || ask("act", object{"ids": ids[:1], "action": "unmerge", "data": object{"other_id": ids[1]}}) {
		t.Error("the merge was not done")
	}
	if told := w.done(t, "admin", "act", merge); told["lost"] == nil {
		t.Errorf("who may read is not told what is lost: %v", told)
	}
}
