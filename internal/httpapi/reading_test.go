package httpapi_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/record"

	. "github.com/kith-crm/kith/internal/apitest"
)

// allBut mints a token of a role that has every scope but those of reading a resource.
func allBut(w *World, t *testing.T, role, resource string) string {
	t.Helper()
	name := role + " without " + resource + ".read"
	if w.Tokens[name] == "" {
		scopes := slices.DeleteFunc(record.Scopes(), func(s string) bool { return s == resource+".read" || s == resource+".all" })
		w.Mint(t, name, role, scopes, time.Time{})
	}
	return name
}

// What may be written and not read is answered by its id and version, whatever writes it.
func TestAWriteWithoutTheReadScopeTellsNothing(t *testing.T) {
	// before is what a record must go through before an action can be tried, and with what the action needs.
	before := map[string]string{
		"deals/reopen": "win", "tasks/reopen": "complete", "notes/unpin": "pin", "quotes/accept": "send",
		"quotes/decline": "send", "quotes/revise": "send",
	}
	with := map[string]string{"deals/change_stage": `{"stage_id":"$stage"}`, "webhooks/replay": `{"from_seq":1,"to_seq":1}`}
	once := map[string]string{
		"POST /tokens": "token", "POST /apps": "client_secret", "POST /webhooks": "secret",
		"apps/rotate_secret": "client_secret", "webhooks/rotate_secret": "secret",
	}
	OnBothEngines(t, func(t *testing.T, w *World) {
		ids := w.OneOfEach(t)
		w.Vars["stage"] = ids["stage"]
		w.Create(t, "roles", `{"name":"Nothing"}`, "nothing")
		for _, r := range NewRecords {
			k, all := KindOf(t, r.Plural), "/"+r.Plural
			as := allBut(w, t, "admin", k.Name)
			n := 0
			fresh := func(by string) string {
				n++
				name := "n" + strings.Repeat("i", n)
				body := strings.NewReplacer(`"external_id":"a"`, `"external_id":"`+name+`"`, "OAR-1", name, "Ida@", name+"@", "Intern",
					name, "Lund AB", name, `"tier"`, `"`+name+`"`).Replace(r.Body)
				switch r.Plural {
				case "users": // the default role allows to read users, so it takes a token that does to give it
					body = strings.Replace(body, "{", `{"role_id":"$nothing",`, 1)
				case "quotes":
					body = `{"title":"Q","company_id":"` + ids["company"] + `","line_items":[{"name":"Oar","unit_price":"1"}]}`
				}
				a := w.Check(t, Step{As: by, Do: "POST " + all, Body: body, Status: 201, Save: "fresh"})
				if by == as {
					onlyIDAndVersion(t, "POST "+all, a, once["POST "+all])
				}
				return w.Vars["fresh"]
			}
			fresh(as)
			if Offers(k, "patch") {
				onlyIDAndVersion(t, "PATCH "+all, w.Check(t, Step{As: as, Do: "PATCH " + all + "/$fresh", Body: r.Patch, Status: 200}), "")
				onlyIDAndVersion(t, "PATCH that changes nothing",
					w.Check(t, Step{As: as, Do: "PATCH " + all + "/$fresh", Body: r.Patch, Status: 200}), "")
			}
			if Offers(k, "restore") {
				w.Check(t, Step{Do: "DELETE " + all + "/$fresh", Status: 204})
				onlyIDAndVersion(t, "restore of "+all, w.Check(t, Step{As: as, Do: "POST " + all + "/$fresh/restore", Status: 200}), "")
			}
			for _, action := range k.Actions {
				// which answer more than the record, or show all of it
				if action.Name == record.Merge || action.Name == record.Unmerge || action.Name == "share" {
					continue
				}
				fresh("admin")
				path := r.Plural + "/" + action.Name
				if first := before[path]; first != "" {
					w.Check(t, Step{Do: "POST " + all + "/$fresh/" + first, Status: 200})
				}
				status := 200
				if action.Name == "revise" {
					status = 201
				}
				onlyIDAndVersion(t, path, w.Check(t,
					Step{As: as, Do: "POST " + all + "/$fresh/" + action.Name, Body: with[path], Status: status}), once[path])
			}
		}
	})
}

func onlyIDAndVersion(t *testing.T, what string, a *Answer, secret string) {
	t.Helper()
	object, _ := a.JSON.(map[string]any)
	want := []string{"id", "version"}
	if secret != "" {
		want = append(want, secret)
	}
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(object)); !slices.Equal(got, want) {
		t.Errorf("%s answers with %v, want %v", what, got, want)
	}
	if a.Header.Get("ETag") == "" {
		t.Errorf("%s answers without an ETag", what)
	}
}

// A record that the role cannot read is answered as shortly.
func TestAWriteTellsNothingThatTheRoleDoesNotShow(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "roles", `{"name":"Intake","permissions":{"contact":{"read":"own","write":"all"},"company":{"read":"none",`+
			`"write":"all"},"user":{"read":"all"}}}`, "intake")
		w.Person(t, "clerk", "Intake")
		short := `{"id":"*","version":1,"name":"<absent>","created_at":"<absent>"}`
		w.Run(t, []Step{
			{
				Rule: "what one can read is answered", As: "clerk", Do: "POST /contacts", Body: `{"name":"Mine"}`, Status: 201,
				Want: `{"name":"Mine"}`, Save: "mine",
			},
			{
				Rule: "what is another's is not", As: "clerk", Do: "POST /contacts", Body: `{"name":"Theirs","owner_id":"$admin"}`,
				Status: 201, Want: short,
			},
			{
				Rule: "nor what one gives away", As: "clerk", Do: "PATCH /contacts/$mine", Body: `{"owner_id":"$admin"}`, Status: 200,
				Want: `{"id":"$mine","version":2,"name":"<absent>"}`,
			},
			{
				Rule: "of what nobody with the role reads, nothing", As: "clerk", Do: "POST /companies", Body: `{"name":"Lund"}`,
				Status: 201, Want: short,
			},
		})
	})
}

// Who may not read a record that is in the way is told that it is, and not which it is.
func TestExistingIDIsForThoseWhoMayRead(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "roles", `{"name":"Own","permissions":{"company":{"read":"own","write":"all"},"user":{"read":"none"}}}`, "own_role")
		w.Person(t, "own", "Own")
		w.Create(t, "companies", `{"name":"Lund","external_id":"taken"}`, "lund")
		w.Create(t, "roles", `{"name":"Used"}`, "used")
		w.Create(t, "users", `{"email":"x@harbour.example","role_id":"$used"}`, "user")
		w.Check(t, Step{
			Do: "POST /pipelines", Body: `{"name":"P","stages":[{"name":"One"},{"name":"Two"}]}`, Status: 201,
			Save: "pipeline one=stages.0.id two=stages.1.id won=stages.2.id lost=stages.3.id",
		})
		w.Create(t, "deals", `{"name":"In","stage_id":"$one"}`, "deal")
		w.Create(t, "deals", `{"name":"Binned","stage_id":"$two"}`, "binned")
		w.Check(t, Step{Do: "DELETE /deals/$binned", Status: 204})
		drop := func(kept string) string {
			return `{"stages":[{"id":"$` + kept + `","name":"Kept"},{"id":"$won","name":"Won","kind":"won"},{"id":"$lost","name":"Lost",` +
				`"kind":"lost"}]}`
		}
		const hidden, conflict = `{"existing_id":"<absent>"}`, "conflict"
		again := `{"name":"Again","external_id":"taken"}`
		w.Run(t, []Step{
			{
				Rule: "a unique value: with the scope to read", As: "admin:company.all", Do: "POST /companies", Body: again, Status: 409,
				Code: conflict, Want: `{"existing_id":"$lund"}`,
			},
			{
				Rule: "without it", As: allBut(w, t, "admin", "company"), Do: "POST /companies", Body: again, Status: 409, Code: conflict,
				Want: hidden,
			},
			{
				Rule: "with a role that does not reach it", As: "own", Do: "POST /companies", Body: again, Status: 409, Code: conflict,
				Want: hidden,
			},
			{
				Rule: "what uses a setting: with the scope to read it", As: "admin", Do: "DELETE /roles/$used", Status: 409, Code: conflict,
				Want: `{"existing_id":"$user"}`,
			},
			{Rule: "without it", As: allBut(w, t, "admin", "user"), Do: "DELETE /roles/$used", Status: 409, Code: conflict, Want: hidden},
			{
				Rule: "a deal in a stage: with the scope to read it", As: "admin", Do: "PATCH /pipelines/$pipeline", Body: drop("two"),
				Status: 409, Code: conflict, Want: `{"existing_id":"$deal"}`,
			},
			{
				Rule: "without it", As: allBut(w, t, "admin", "deal"), Do: "PATCH /pipelines/$pipeline", Body: drop("two"), Status: 409,
				Code: conflict, Want: hidden,
			},
			{Rule: "the stage of a deleted deal goes", Do: "PATCH /pipelines/$pipeline", Body: drop("one"), Status: 200},
			{
				Rule: "the pipeline that lacks it: with the scope to read it", Do: "POST /deals/$binned/restore", Status: 409,
				Code: conflict, Want: `{"existing_id":"$pipeline"}`,
			},
			{
				Rule: "without it", As: allBut(w, t, "admin", "pipeline"), Do: "POST /deals/$binned/restore", Status: 409, Code: conflict,
				Want: hidden,
			},
			{Rule: "the user goes", Do: "DELETE /users/$user", Status: 204},
			{Rule: "and their role", Do: "DELETE /roles/$used", Status: 204},
			{
				Rule: "what a restored record needs: with the scope to read it", Do: "POST /users/$user/restore", Status: 409,
				Code: conflict, Want: `{"existing_id":"$used"}`,
			},
			{
				Rule: "without it", As: allBut(w, t, "admin", "role"), Do: "POST /users/$user/restore", Status: 409, Code: conflict,
				Want: hidden,
			},
		})
	})
}

// What a record takes over from another is for those who may read that one.
func TestSnapshotsNeedReading(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "roles", `{"name":"Blind","permissions":{"quote":{"read":"all","write":"all"},"deal":{"read":"all","write":"all"},`+
			`"product":{"read":"none"}}}`, "blind_role")
		w.Create(t, "roles", `{"name":"Near","permissions":{"quote":{"read":"all","write":"all"},"product":{"read":"own"}}}`, "near_role")
		w.Person(t, "blind", "Blind")
		w.Person(t, "near", "Near")
		w.Create(t, "products", `{"name":"Secret","price":"99","sku":"S-1"}`, "product")
		w.Create(t, "deals", `{"name":"D","currency":"USD"}`, "deal")
		line := `{"line_items":[{"product_id":"$product"}]}`
		for _, r := range []struct{ all, more string }{{"/quotes", ""}, {"/deals", `"name":"x",`}} {
			body := strings.Replace(line, "{", "{"+r.more, 1)
			noProduct := allBut(w, t, "admin", "product")
			w.Run(t, []Step{
				{
					Rule: r.all + ": with product.read", Do: "POST " + r.all, Body: body, Status: 201,
					Want: `{"line_items":[{"unit_price":"99.00"}]}`, Save: "made",
				},
				{
					Rule: r.all + ": without it", As: noProduct, Do: "POST " + r.all, Body: body, Status: 403, Code: "insufficient_scope",
					Want: `{"scope":"product.read"}`,
				},
				{
					Rule: r.all + ": nor by a patch", As: noProduct, Do: "PATCH " + r.all + "/$made",
					Body: `{"line_items":[{"product_id":"$product"},{"product_id":"$product"}]}`, Status: 403, Code: "insufficient_scope",
					Want: `{"scope":"product.read"}`,
				},
				{
					Rule: r.all + ": a line that was there stays", As: noProduct, Do: "PATCH " + r.all + "/$made",
					Body: `{"line_items":[{"product_id":"$product","quantity":2}]}`, Status: 200,
					Want: `{"line_items":[{"unit_price":"99.00","quantity":"2.00"}]}`,
				},
				{
					Rule: r.all + ": lines without a product need nothing", As: noProduct, Do: "POST " + r.all,
					Body: strings.Replace(`{"line_items":[{"name":"x","unit_price":1}]}`, "{", "{"+r.more, 1), Status: 201,
				},
			})
		}
		w.Run(t, []Step{
			{Rule: "a role that reads no products", As: "blind", Do: "POST /quotes", Body: line, Status: 403, Code: "forbidden_by_role"},
			{
				Rule: "one that reads its own", As: "near", Do: "POST /quotes", Body: line, Status: 422,
				Wrong: "line_items[0].product_id:not_found",
			},
			{
				Rule: "a quote takes its currency from the deal", Do: "POST /quotes", Body: `{"deal_id":"$deal"}`, Status: 201,
				Want: `{"currency":"USD"}`,
			},
			{
				Rule: "without deal.read it does not", As: allBut(w, t, "admin", "deal"), Do: "POST /quotes", Body: `{"deal_id":"$deal"}`,
				Status: 403, Code: "insufficient_scope", Want: `{"scope":"deal.read"}`,
			},
		})
	})
}

// A cursor serves who got it, as long as they reach as far as then.
func TestCursorsAreForWhoGotThem(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.RolesByName(t)
		for _, name := range []string{"a", "b", "c"} {
			w.Create(t, "companies", `{"name":"`+name+`","external_id":"`+name+`","owner_id":"$member"}`, "company")
			w.Create(t, "contacts", `{"name":"`+name+`","external_id":"`+name+`","owner_id":"$member","company_id":"$company"}`, "")
		}
		w.Create(t, "roles", `{"name":"Near","permissions":{"contact":{"read":"own"},"company":{"read":"all"}}}`, "near")
		w.Create(t, "roles", `{"name":"Narrow","permissions":{"contact":{"read":"all"},"company":{"read":"own"}}}`, "narrow")
		plain := func(cursor string) string {
			return `{"limit":1,"order_by":"name","sort_direction":"asc"` + cursor + `}`
		}
		through := func(cursor string) string {
			return `{"limit":1,"order_by":"company.name","sort_direction":"asc"` + cursor + `}`
		}
		at := func(name string) string { return `,"cursor":"$` + name + `"` }
		refused := func(rule, as, body string) Step {
			return Step{Rule: rule, As: as, Do: "POST /contacts/search", Body: body, Status: 422, Wrong: "cursor:invalid_cursor"}
		}
		w.Run(t, []Step{
			{
				Rule: "a page", As: "member", Do: "POST /contacts/search", Body: plain(""), Status: 200, Found: Found("a"),
				Save: "plain=meta.cursor.next",
			},
			{
				Rule: "one ordered through a reference", As: "member", Do: "POST /contacts/search", Body: through(""), Status: 200,
				Found: Found("a"), Save: "through=meta.cursor.next",
			},
			{Rule: "go on", As: "member", Do: "POST /contacts/search", Body: plain(at("plain")), Status: 200, Found: Found("b")},
			{
				Rule: "with another token of theirs, too", As: "member:contact.read,company.read", Do: "POST /contacts/search",
				Body: through(at("through")), Status: 200, Found: Found("b"),
			},
			refused("another user does not", "admin", plain(at("plain"))),
			{Rule: "their role comes to reach only their own", Do: "PATCH /users/$member", Body: `{"role_id":"$near"}`, Status: 200},
			refused("then they do not either", "member", plain(at("plain"))),
			{Rule: "another role reaches only their own companies", Do: "PATCH /users/$member", Body: `{"role_id":"$narrow"}`, Status: 200},
			{
				Rule: "that is nothing to a search of contacts alone", As: "member", Do: "POST /contacts/search", Body: plain(at("plain")),
				Status: 200, Found: Found("b"),
			},
			refused("but to one that looks at companies", "member", through(at("through"))),
			{Rule: "the first role again", Do: "PATCH /users/$member", Body: `{"role_id":"$member_role"}`, Status: 200},
			{
				Rule: "goes on again", As: "member", Do: "POST /contacts/search", Body: through(at("through")), Status: 200,
				Found: Found("b"),
			},
		})
	})
}
