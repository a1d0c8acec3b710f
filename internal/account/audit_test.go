package account_test

import (
	"strings"
	"testing"

	. "github.com/kith-crm/kith/internal/apitest"
)

func TestAuditLog(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		last := `"limit":1,"fields":["action","actor","user_id","resource","record_id","fields","count","address","request_id"]`
		of := func(action string) string {
			return `{"filters":[{"field":"action","operator":"eq","value":"` + action + `"}],` + last + `}`
		}
		w.Run(t, []Step{
			{
				Rule: "it needs the scope", As: "admin:user.all", Do: "POST /audit/search", Status: 403, Code: "insufficient_scope",
				Want: `{"scope":"audit.read"}`,
			},
			{
				Rule: "and the feature permission, which administrators have", As: "manager", Do: "POST /audit/search", Status: 403,
				Code: "forbidden_by_role",
				Want: `{"detail":"The role manager lacks the feature permission audit, which reading the audit log needs."}`,
			},
			{
				Rule: "a token is made", Do: "POST /tokens", Body: `{"name":"Nightly","scopes":["contact.read"]}`, Status: 201,
				Save: "nightly",
			},
			{
				Rule: "which is told with who, from where and what, but no values", Do: "POST /audit/search", Body: of("token.created"),
				Status: 200,
				Want: `{"data":[{"action":"token.created","actor":"user","user_id":"$admin","resource":"token","record_id":"$nightly",` +
					`"count":1,"address":"127.0.0.1","request_id":"*"}]}`,
			},
			{
				Rule: "as are the fields that changed", Do: "POST /audit/search", Status: 200, Want: `{"data":[{"record_id":"$nightly"}]}`,
				Body: `{"filters":[{"field":"fields","operator":"contains","value":"scopes"},{"field":"record_id","operator":"eq",` +
					`"value":"$nightly"},{"field":"user_id","operator":"eq","value":"@me"}],` + last + `}`,
			},
			{Rule: "it is ended", Do: "DELETE /tokens/$nightly", Status: 204},
			{
				Rule: "which is told, too", Do: "POST /audit/search", Body: of("token.deleted"), Status: 200,
				Want: `{"data":[{"record_id":"$nightly","fields":[]}]}`,
			},
			{Rule: "a role changes", Do: "POST /roles", Body: `{"name":"Intern"}`, Status: 201, Save: "intern"},
			{Rule: "in one field", Do: "PATCH /roles/$intern", Body: `{"features":["export"]}`, Status: 200},
			{
				Rule: "which is named", Do: "POST /audit/search", Body: of("role.updated"), Status: 200,
				Want: `{"data":[{"record_id":"$intern","fields":["features"]}]}`,
			},
			{Rule: "what changes nothing is not told", Do: "PATCH /roles/$intern", Body: `{"features":["export"]}`, Status: 200},
			{Rule: "nor what is rehearsed", Do: "DELETE /roles/$intern?dry_run=true", Status: 204},
			{
				Rule: "a page can begin behind so many lines", Do: "POST /audit/search", Body: `{"skip":1,"fields":["action"],"limit":1,` +
					`"sort_direction":"asc","filters":[{"field":"record_id","operator":"eq","value":"$nightly"},` +
					`{"field":"action","operator":"in","values":["token.created","token.deleted"]}]}`,
				Status: 200, Want: `{"data":[{"action":"token.deleted"}],"meta":{"cursor":{"has_more":false},"total":2}}`,
			},
			{
				Rule: "so there is no such line", Do: "POST /audit/search", Body: of("role.deleted"), Status: 200,
				Want: `{"data":[],"meta":{"total":0}}`,
			},
			{Rule: "the business changes", Do: "PATCH /business", Body: `{"locale":"da"}`, Status: 200},
			{
				Rule: "which is told", Do: "POST /audit/search", Body: of("business.updated"), Status: 200,
				Want: `{"data":[{"resource":"business","fields":["locale"]}]}`,
			},
			{Rule: "somebody is erased", Do: "POST /contacts", Body: `{"name":"Planted Text"}`, Status: 201, Save: "planted"},
			{Rule: "for good", Do: "POST /contacts/$planted/erase", Body: `{"reason":"asked"}`, Status: 204},
			{
				Rule: "which is told by the id", Do: "POST /audit/search", Body: of("contact.erased"), Status: 200,
				Want: `{"data":[{"resource":"contact","record_id":"$planted","fields":[]}]}`,
			},
			{
				Rule: "other changes of contacts are not", Do: "POST /audit/search",
				Body: `{"filters":[{"field":"resource","operator":"eq","value":"contact"}],"total":true}`, Status: 200,
				Want: `{"meta":{"total":1}}`, Chance: true,
			},
			{
				Rule: "it has one order", Do: "POST /audit/search", Body: `{"order_by":"action","search_text":"x"}`, Status: 422,
				Wrong: "order_by:not_sortable search_text:not_allowed",
			},
			{
				Rule: "wrong filters are told", Do: "POST /audit/search",
				Body: `{"filters":[{"field":"action","operator":"eq","value":"token.stolen"},{"field":"name","operator":"eq",` +
					`"value":"x"}]}`, Status: 422, Wrong: "filters[0].value:not_allowed filters[1].field:unknown_field",
			},
			{
				Rule: "it has pages", Do: "POST /audit/search", Body: `{"limit":2,"sort_direction":"asc","fields":["seq"]}`, Status: 200,
				Want: `{"data":[{"seq":1},{"seq":2}],"meta":{"cursor":{"has_more":true}}}`, Save: "next=meta.cursor.next",
			},
			{
				Rule: "one after the other", Do: "POST /audit/search",
				Body: `{"limit":2,"sort_direction":"asc","fields":["seq"],"cursor":"$next"}`, Status: 200,
				Want: `{"data":[{"seq":3},{"seq":4}]}`,
			},
			{
				Rule: "each line has a hash", Do: "POST /audit/search", Body: `{"limit":1}`, Status: 200,
				Want: `{"data":[{"hash":"*","id":"*","created_at":"*"}]}`, Chance: true,
			},
			{
				Rule: "another business has its own", As: "stranger", Do: "POST /audit/search",
				Body: `{"filters":[{"field":"record_id","operator":"in","values":["$nightly","$intern"]}]}`, Status: 200,
				Want: `{"data":[]}`,
			},
			{Rule: "nobody writes it", Do: "POST /audit", Body: `{}`, Status: 404},
		})
		if found, err := w.Tenant.CheckAudit(t.Context()); err != nil || len(found.Wrong) > 0 {
			t.Errorf("%+v, %v", found, err)
		}
		if log := w.Dump(t, "audit"); strings.Contains(log, "Planted") || strings.Contains(log, "Nightly") ||
			strings.Contains(log, "kith_pat_") {
			t.Errorf("the log has values: %s", log)
		}
	})
}

// What goes with a user is told as well, and where they came from is forgotten with them.
func TestErasedUsersInTheAuditLog(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Run(t, []Step{
			{
				Rule: "somebody makes a token", As: "member", Do: "POST /tokens", Body: `{"name":"Nightly","scopes":["contact.read"]}`,
				Status: 201, Save: "nightly",
			},
			{
				Rule: "from an address", Do: "POST /audit/search",
				Body:   `{"filters":[{"field":"user_id","operator":"eq","value":"$member"}],"limit":1,"fields":["address","action"]}`,
				Status: 200, Want: `{"data":[{"action":"token.created","address":"127.0.0.1"}]}`,
			},
			{Rule: "and is suspended", Do: "PATCH /users/$member", Body: `{"status":"suspended"}`, Status: 200},
			{
				Rule: "which ends the token", Do: "POST /audit/search",
				Body:   `{"filters":[{"field":"record_id","operator":"eq","value":"$nightly"}],"limit":1,"fields":["user_id","action"]}`,
				Status: 200, Want: `{"data":[{"action":"token.deleted","user_id":"$admin"}]}`,
			},
			{Rule: "and erased", Do: "POST /users/$member/erase", Body: `{"reason":"left"}`, Status: 204},
		})
		w.WorkOff(t)
		w.Run(t, []Step{
			{
				Rule: "the address is gone", Do: "POST /audit/search",
				Body:   `{"filters":[{"field":"user_id","operator":"eq","value":"$member"},{"field":"address","operator":"is_set"}]}`,
				Status: 200, Want: `{"data":[]}`,
			},
			{
				Rule: "the others' are not", Do: "POST /audit/search",
				Body:   `{"filters":[{"field":"action","operator":"eq","value":"user.erased"}],"fields":["address","user_id","record_id"]}`,
				Status: 200, Want: `{"data":[{"address":"127.0.0.1","user_id":"$admin","record_id":"$member"}]}`,
			},
		})
		found, err := w.Tenant.CheckAudit(t.Context())
		if err != nil || len(found.Wrong) > 0 || found.Forgotten == 0 {
			t.Errorf("%+v, %v", found, err)
		}
	})
}
