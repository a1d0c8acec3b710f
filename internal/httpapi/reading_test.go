package httpapi_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/record"
)

// allBut mints a token of a role that has every scope but those of reading a resource.
func (w *world) allBut(t *testing.T, role, resource string) string {
	t.Helper()
	name := role + " without " + resource + ".read"
	if w.tokens[name] == "" {
		scopes := slices.DeleteFunc(record.Scopes(), func(s string) bool { return s == resource+".read" || s == resource+".all" })
		w.mint(t, name, role, scopes, time.Time{})
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
	onBothEngines(t, func(t *testing.T, w *world) {
		ids := w.oneOfEach(t)
		w.vars["stage"] = ids["stage"]
		w.create(t, "roles", `{"name":"Nothing"}`, "nothing")
		for _, r := range newRecords {
			k, all := kindOf(t, r.plural), "/"+r.plural
			as := w.allBut(t, "admin", k.Name)
			n := 0
			fresh := func(by string) string {
				n++
				name := "n" + strings.Repeat("i", n)
				body := strings.NewReplacer(`"external_id":"a"`, `"external_id":"`+name+`"`, "OAR-1", name, "Ida@", name+"@", "Intern",
					name, "Lund AB", name, `"tier"`, `"`+name+`"`).Replace(r.body)
				switch r.plural {
				case "users": // the default role allows to read users, so it takes a token that does to give it
					body = strings.Replace(body, "{", `{"role_id":"$nothing",`, 1)
				case "quotes":
					body = `{"title":"Q","company_id":"` + ids["company"] + `","line_items":[{"name":"Oar","unit_price":"1"}]}`
				}
				a := w.check(t, step{as: by, do: "POST " + all, body: body, status: 201, save: "fresh"})
				if by == as {
					onlyIDAndVersion(t, "POST "+all, a, once["POST "+all])
				}
				return w.vars["fresh"]
			}
			fresh(as)
			if offers(k, "patch") {
				onlyIDAndVersion(t, "PATCH "+all, w.check(t, step{as: as, do: "PATCH " + all + "/$fresh", body: r.patch, status: 200}), "")
				onlyIDAndVersion(t, "PATCH that changes nothing",
					w.check(t, step{as: as, do: "PATCH " + all + "/$fresh", body: r.patch, status: 200}), "")
			}
			if offers(k, "restore") {
				w.check(t, step{do: "DELETE " + all + "/$fresh", status: 204})
				onlyIDAndVersion(t, "restore of "+all, w.check(t, step{as: as, do: "POST " + all + "/$fresh/restore", status: 200}), "")
			}
			for _, action := range k.Actions {
				// which answer more than the record, or show all of it
				if action.Name == record.Merge || action.Name == record.Unmerge || action.Name == "share" {
					continue
				}
				fresh("admin")
				path := r.plural + "/" + action.Name
				if first := before[path]; first != "" {
					w.check(t, step{do: "POST " + all + "/$fresh/" + first, status: 200})
				}
				status := 200
				if action.Name == "revise" {
					status = 201
				}
				onlyIDAndVersion(t, path, w.check(t,
					step{as: as, do: "POST " + all + "/$fresh/" + action.Name, body: with[path], status: status}), once[path])
			}
		}
	})
}

func onlyIDAndVersion(t *testing.T, what string, a *answer, secret string) {
	t.Helper()
	object, _ := a.json.(map[string]any)
	want := []string{"id", "version"}
	if secret != "" {
		want = append(want, secret)
	}
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(object)); !slices.Equal(got, want) {
		t.Errorf("%s answers with %v, want %v", what, got, want)
	}
	if a.header.Get("ETag") == "" {
		t.Errorf("%s answers without an ETag", what)
	}
}

// A record that the role cannot read is answered as shortly.
func TestAWriteTellsNothingThatTheRoleDoesNotShow(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.create(t, "roles", `{"name":"Intake","permissions":{"contact":{"read":"own","write":"all"},"company":{"read":"none",`+
			`"write":"all"},"user":{"read":"all"}}}`, "intake")
		w.person(t, "clerk", "Intake")
		short := `{"id":"*","version":1,"name":"<absent>","created_at":"<absent>"}`
		w.run(t, []step{
			{
				rule: "what one can read is answered", as: "clerk", do: "POST /contacts", body: `{"name":"Mine"}`, status: 201,
				want: `{"name":"Mine"}`, save: "mine",
			},
			{
				rule: "what is another's is not", as: "clerk", do: "POST /contacts", body: `{"name":"Theirs","owner_id":"$admin"}`,
				status: 201, want: short,
			},
			{
				rule: "nor what one gives away", as: "clerk", do: "PATCH /contacts/$mine", body: `{"owner_id":"$admin"}`, status: 200,
				want: `{"id":"$mine","version":2,"name":"<absent>"}`,
			},
			{
				rule: "of what nobody with the role reads, nothing", as: "clerk", do: "POST /companies", body: `{"name":"Lund"}`,
				status: 201, want: short,
			},
		})
	})
}

// Who may not read a record that is in the way is told that it is, and not which it is.
func TestExistingIDIsForThoseWhoMayRead(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.create(t, "roles", `{"name":"Own","permissions":{"company":{"read":"own","write":"all"},"user":{"read":"none"}}}`, "own_role")
		w.person(t, "own", "Own")
		w.create(t, "companies", `{"name":"Lund","external_id":"taken"}`, "lund")
		w.create(t, "roles", `{"name":"Used"}`, "used")
		w.create(t, "users", `{"email":"x@harbour.example","role_id":"$used"}`, "user")
		w.check(t, step{
			do: "POST /pipelines", body: `{"name":"P","stages":[{"name":"One"},{"name":"Two"}]}`, status: 201,
			save: "pipeline one=stages.0.id two=stages.1.id won=stages.2.id lost=stages.3.id",
		})
		w.create(t, "deals", `{"name":"In","stage_id":"$one"}`, "deal")
		w.create(t, "deals", `{"name":"Binned","stage_id":"$two"}`, "binned")
		w.check(t, step{do: "DELETE /deals/$binned", status: 204})
		drop := func(kept string) string {
			return `{"stages":[{"id":"$` + kept + `","name":"Kept"},{"id":"$won","name":"Won","kind":"won"},{"id":"$lost","name":"Lost",` +
				`"kind":"lost"}]}`
		}
		const hidden, conflict = `{"existing_id":"<absent>"}`, "conflict"
		again := `{"name":"Again","external_id":"taken"}`
		w.run(t, []step{
			{
				rule: "a unique value: with the scope to read", as: "admin:company.all", do: "POST /companies", body: again, status: 409,
				code: conflict, want: `{"existing_id":"$lund"}`,
			},
			{
				rule: "without it", as: w.allBut(t, "admin", "company"), do: "POST /companies", body: again, status: 409, code: conflict,
				want: hidden,
			},
			{
				rule: "with a role that does not reach it", as: "own", do: "POST /companies", body: again, status: 409, code: conflict,
				want: hidden,
			},
			{
				rule: "what uses a setting: with the scope to read it", as: "admin", do: "DELETE /roles/$used", status: 409, code: conflict,
				want: `{"existing_id":"$user"}`,
			},
			{rule: "without it", as: w.allBut(t, "admin", "user"), do: "DELETE /roles/$used", status: 409, code: conflict, want: hidden},
			{
				rule: "a deal in a stage: with the scope to read it", as: "admin", do: "PATCH /pipelines/$pipeline", body: drop("two"),
				status: 409, code: conflict, want: `{"existing_id":"$deal"}`,
			},
			{
				rule: "without it", as: w.allBut(t, "admin", "deal"), do: "PATCH /pipelines/$pipeline", body: drop("two"), status: 409,
				code: conflict, want: hidden,
			},
			{rule: "the stage of a deleted deal goes", do: "PATCH /pipelines/$pipeline", body: drop("one"), status: 200},
			{
				rule: "the pipeline that lacks it: with the scope to read it", do: "POST /deals/$binned/restore", status: 409,
				code: conflict, want: `{"existing_id":"$pipeline"}`,
			},
			{
				rule: "without it", as: w.allBut(t, "admin", "pipeline"), do: "POST /deals/$binned/restore", status: 409, code: conflict,
				want: hidden,
			},
			{rule: "the user goes", do: "DELETE /users/$user", status: 204},
			{rule: "and their role", do: "DELETE /roles/$used", status: 204},
			{
				rule: "what a restored record needs: with the scope to read it", do: "POST /users/$user/restore", status: 409,
				code: conflict, want: `{"existing_id":"$used"}`,
			},
			{
				rule: "without it", as: w.allBut(t, "admin", "role"), do: "POST /users/$user/restore", status: 409, code: conflict,
				want: hidden,
			},
		})
	})
}

// What a record takes over from another is for those who may read that one.
func TestSnapshotsNeedReading(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.create(t, "roles", `{"name":"Blind","permissions":{"quote":{"read":"all","write":"all"},"deal":{"read":"all","write":"all"},`+
			`"product":{"read":"none"}}}`, "blind_role")
		w.create(t, "roles", `{"name":"Near","permissions":{"quote":{"read":"all","write":"all"},"product":{"read":"own"}}}`, "near_role")
		w.person(t, "blind", "Blind")
		w.person(t, "near", "Near")
		w.create(t, "products", `{"name":"Secret","price":"99","sku":"S-1"}`, "product")
		w.create(t, "deals", `{"name":"D","currency":"USD"}`, "deal")
		line := `{"line_items":[{"product_id":"$product"}]}`
		for _, r := range []struct{ all, more string }{{"/quotes", ""}, {"/deals", `"name":"x",`}} {
			body := strings.Replace(line, "{", "{"+r.more, 1)
			noProduct := w.allBut(t, "admin", "product")
			w.run(t, []step{
				{
					rule: r.all + ": with product.read", do: "POST " + r.all, body: body, status: 201,
					want: `{"line_items":[{"unit_price":"99.00"}]}`, save: "made",
				},
				{
					rule: r.all + ": without it", as: noProduct, do: "POST " + r.all, body: body, status: 403, code: "insufficient_scope",
					want: `{"scope":"product.read"}`,
				},
				{
					rule: r.all + ": nor by a patch", as: noProduct, do: "PATCH " + r.all + "/$made",
					body: `{"line_items":[{"product_id":"$product"},{"product_id":"$product"}]}`, status: 403, code: "insufficient_scope",
					want: `{"scope":"product.read"}`,
				},
				{
					rule: r.all + ": a line that was there stays", as: noProduct, do: "PATCH " + r.all + "/$made",
					body: `{"line_items":[{"product_id":"$product","quantity":2}]}`, status: 200,
					want: `{"line_items":[{"unit_price":"99.00","quantity":"2.00"}]}`,
				},
				{
					rule: r.all + ": lines without a product need nothing", as: noProduct, do: "POST " + r.all,
					body: strings.Replace(`{"line_items":[{"name":"x","unit_price":1}]}`, "{", "{"+r.more, 1), status: 201,
				},
			})
		}
		w.run(t, []step{
			{rule: "a role that reads no products", as: "blind", do: "POST /quotes", body: line, status: 403, code: "forbidden_by_role"},
			{
				rule: "one that reads its own", as: "near", do: "POST /quotes", body: line, status: 422,
				wrong: "line_items[0].product_id:not_found",
			},
			{
				rule: "a quote takes its currency from the deal", do: "POST /quotes", body: `{"deal_id":"$deal"}`, status: 201,
				want: `{"currency":"USD"}`,
			},
			{
				rule: "without deal.read it does not", as: w.allBut(t, "admin", "deal"), do: "POST /quotes", body: `{"deal_id":"$deal"}`,
				status: 403, code: "insufficient_scope", want: `{"scope":"deal.read"}`,
			},
		})
	})
}

// A cursor serves who got it, as long as they reach as far as then.
func TestCursorsAreForWhoGotThem(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.rolesByName(t)
		for _, name := range []string{"a", "b", "c"} {
			w.create(t, "companies", `{"name":"`+name+`","external_id":"`+name+`","owner_id":"$member"}`, "company")
			w.create(t, "contacts", `{"name":"`+name+`","external_id":"`+name+`","owner_id":"$member","company_id":"$company"}`, "")
		}
		w.create(t, "roles", `{"name":"Near","permissions":{"contact":{"read":"own"},"company":{"read":"all"}}}`, "near")
		w.create(t, "roles", `{"name":"Narrow","permissions":{"contact":{"read":"all"},"company":{"read":"own"}}}`, "narrow")
		plain := func(cursor string) string {
			return `{"limit":1,"order_by":"name","sort_direction":"asc"` + cursor + `}`
		}
		through := func(cursor string) string {
			return `{"limit":1,"order_by":"company.name","sort_direction":"asc"` + cursor + `}`
		}
		at := func(name string) string { return `,"cursor":"$` + name + `"` }
		refused := func(rule, as, body string) step {
			return step{rule: rule, as: as, do: "POST /contacts/search", body: body, status: 422, wrong: "cursor:invalid_cursor"}
		}
		w.run(t, []step{
			{
				rule: "a page", as: "member", do: "POST /contacts/search", body: plain(""), status: 200, found: found("a"),
				save: "plain=meta.cursor.next",
			},
			{
				rule: "one ordered through a reference", as: "member", do: "POST /contacts/search", body: through(""), status: 200,
				found: found("a"), save: "through=meta.cursor.next",
			},
			{rule: "go on", as: "member", do: "POST /contacts/search", body: plain(at("plain")), status: 200, found: found("b")},
			{
				rule: "with another token of theirs, too", as: "member:contact.read,company.read", do: "POST /contacts/search",
				body: through(at("through")), status: 200, found: found("b"),
			},
			refused("another user does not", "admin", plain(at("plain"))),
			{rule: "their role comes to reach only their own", do: "PATCH /users/$member", body: `{"role_id":"$near"}`, status: 200},
			refused("then they do not either", "member", plain(at("plain"))),
			{rule: "another role reaches only their own companies", do: "PATCH /users/$member", body: `{"role_id":"$narrow"}`, status: 200},
			{
				rule: "that is nothing to a search of contacts alone", as: "member", do: "POST /contacts/search", body: plain(at("plain")),
				status: 200, found: found("b"),
			},
			refused("but to one that looks at companies", "member", through(at("through"))),
			{rule: "the first role again", do: "PATCH /users/$member", body: `{"role_id":"$member_role"}`, status: 200},
			{
				rule: "goes on again", as: "member", do: "POST /contacts/search", body: through(at("through")), status: 200,
				found: found("b"),
			},
		})
	})
}
