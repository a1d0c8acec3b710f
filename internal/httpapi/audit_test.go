package httpapi_test

import (
	"strings"
	"testing"
)

func TestAuditLog(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		last := `"limit":1,"fields":["action","actor","user_id","resource","record_id","fields","count","address","request_id"]`
		of := func(action string) string {
			return `{"filters":[{"field":"action","operator":"eq","value":"` + action + `"}],` + last + `}`
		}
		w.run(t, []step{
			{
				rule: "it needs the scope", as: "admin:user.all", do: "POST /audit/search", status: 403, code: "insufficient_scope",
				want: `{"scope":"audit.read"}`,
			},
			{
				rule: "and the feature permission, which administrators have", as: "manager", do: "POST /audit/search", status: 403,
				code: "forbidden_by_role",
				want: `{"detail":"The role manager lacks the feature permission audit, which reading the audit log needs."}`,
			},
			{
				rule: "a token is made", do: "POST /tokens", body: `{"name":"Nightly","scopes":["contact.read"]}`, status: 201,
				save: "nightly",
			},
			{
				rule: "which is told with who, from where and what, but no values", do: "POST /audit/search", body: of("token.created"),
				status: 200,
				want: `{"data":[{"action":"token.created","actor":"user","user_id":"$admin","resource":"token","record_id":"$nightly",` +
					`"count":1,"address":"127.0.0.1","request_id":"*"}]}`,
			},
			{
				rule: "as are the fields that changed", do: "POST /audit/search", status: 200, want: `{"data":[{"record_id":"$nightly"}]}`,
				body: `{"filters":[{"field":"fields","operator":"contains","value":"scopes"},{"field":"record_id","operator":"eq",` +
					`"value":"$nightly"},{"field":"user_id","operator":"eq","value":"@me"}],` + last + `}`,
			},
			{rule: "it is ended", do: "DELETE /tokens/$nightly", status: 204},
			{
				rule: "which is told, too", do: "POST /audit/search", body: of("token.deleted"), status: 200,
				want: `{"data":[{"record_id":"$nightly","fields":[]}]}`,
			},
			{rule: "a role changes", do: "POST /roles", body: `{"name":"Intern"}`, status: 201, save: "intern"},
			{rule: "in one field", do: "PATCH /roles/$intern", body: `{"features":["export"]}`, status: 200},
			{
				rule: "which is named", do: "POST /audit/search", body: of("role.updated"), status: 200,
				want: `{"data":[{"record_id":"$intern","fields":["features"]}]}`,
			},
			{rule: "what changes nothing is not told", do: "PATCH /roles/$intern", body: `{"features":["export"]}`, status: 200},
			{rule: "nor what is rehearsed", do: "DELETE /roles/$intern?dry_run=true", status: 204},
			{
				rule: "so there is no such line", do: "POST /audit/search", body: of("role.deleted"), status: 200,
				want: `{"data":[],"meta":{"total":0}}`,
			},
			{rule: "the business changes", do: "PATCH /business", body: `{"locale":"da"}`, status: 200},
			{
				rule: "which is told", do: "POST /audit/search", body: of("business.updated"), status: 200,
				want: `{"data":[{"resource":"business","fields":["locale"]}]}`,
			},
			{rule: "somebody is erased", do: "POST /contacts", body: `{"name":"Planted Text"}`, status: 201, save: "planted"},
			{rule: "for good", do: "POST /contacts/$planted/erase", body: `{"reason":"asked"}`, status: 204},
			{
				rule: "which is told by the id", do: "POST /audit/search", body: of("contact.erased"), status: 200,
				want: `{"data":[{"resource":"contact","record_id":"$planted","fields":[]}]}`,
			},
			{
				rule: "other changes of contacts are not", do: "POST /audit/search",
				body: `{"filters":[{"field":"resource","operator":"eq","value":"contact"}],"total":true}`, status: 200,
				want: `{"meta":{"total":1}}`, chance: true,
			},
			{
				rule: "it has one order", do: "POST /audit/search", body: `{"order_by":"action","search_text":"x"}`, status: 422,
				wrong: "order_by:not_sortable search_text:not_allowed",
			},
			{
				rule: "wrong filters are told", do: "POST /audit/search",
				body: `{"filters":[{"field":"action","operator":"eq","value":"token.stolen"},{"field":"name","operator":"eq",` +
					`"value":"x"}]}`, status: 422, wrong: "filters[0].value:not_allowed filters[1].field:unknown_field",
			},
			{
				rule: "it has pages", do: "POST /audit/search", body: `{"limit":2,"sort_direction":"asc","fields":["seq"]}`, status: 200,
				want: `{"data":[{"seq":1},{"seq":2}],"meta":{"cursor":{"has_more":true}}}`, save: "next=meta.cursor.next",
			},
			{
				rule: "one after the other", do: "POST /audit/search",
				body: `{"limit":2,"sort_direction":"asc","fields":["seq"],"cursor":"$next"}`, status: 200,
				want: `{"data":[{"seq":3},{"seq":4}]}`,
			},
			{
				rule: "each line has a hash", do: "POST /audit/search", body: `{"limit":1}`, status: 200,
				want: `{"data":[{"hash":"*","id":"*","created_at":"*"}]}`, chance: true,
			},
			{
				rule: "another business has its own", as: "stranger", do: "POST /audit/search",
				body: `{"filters":[{"field":"record_id","operator":"in","values":["$nightly","$intern"]}]}`, status: 200,
				want: `{"data":[]}`,
			},
			{rule: "nobody writes it", do: "POST /audit", body: `{}`, status: 404},
		})
		if found, err := w.tenant.CheckAudit(t.Context()); err != nil || len(found.Wrong) > 0 {
			t.Errorf("%+v, %v", found, err)
		}
		if log := w.dump(t, "audit"); strings.Contains(log, "Planted") || strings.Contains(log, "Nightly") ||
			strings.Contains(log, "kith_pat_") {
			t.Errorf("the log has values: %s", log)
		}
	})
}

// What goes with a user is told as well, and where they came from is forgotten with them.
func TestErasedUsersInTheAuditLog(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.run(t, []step{
			{
				rule: "somebody makes a token", as: "member", do: "POST /tokens", body: `{"name":"Nightly","scopes":["contact.read"]}`,
				status: 201, save: "nightly",
			},
			{
				rule: "from an address", do: "POST /audit/search",
				body:   `{"filters":[{"field":"user_id","operator":"eq","value":"$member"}],"limit":1,"fields":["address","action"]}`,
				status: 200, want: `{"data":[{"action":"token.created","address":"127.0.0.1"}]}`,
			},
			{rule: "and is suspended", do: "PATCH /users/$member", body: `{"status":"suspended"}`, status: 200},
			{
				rule: "which ends the token", do: "POST /audit/search",
				body:   `{"filters":[{"field":"record_id","operator":"eq","value":"$nightly"}],"limit":1,"fields":["user_id","action"]}`,
				status: 200, want: `{"data":[{"action":"token.deleted","user_id":"$admin"}]}`,
			},
			{rule: "and erased", do: "POST /users/$member/erase", body: `{"reason":"left"}`, status: 204},
		})
		w.workOff(t)
		w.run(t, []step{
			{
				rule: "the address is gone", do: "POST /audit/search",
				body:   `{"filters":[{"field":"user_id","operator":"eq","value":"$member"},{"field":"address","operator":"is_set"}]}`,
				status: 200, want: `{"data":[]}`,
			},
			{
				rule: "the others' are not", do: "POST /audit/search",
				body:   `{"filters":[{"field":"action","operator":"eq","value":"user.erased"}],"fields":["address","user_id","record_id"]}`,
				status: 200, want: `{"data":[{"address":"127.0.0.1","user_id":"$admin","record_id":"$member"}]}`,
			},
		})
		found, err := w.tenant.CheckAudit(t.Context())
		if err != nil || len(found.Wrong) > 0 || found.Forgotten == 0 {
			t.Errorf("%+v, %v", found, err)
		}
	})
}
