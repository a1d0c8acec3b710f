package httpapi_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/operator"
	"github.com/kith-crm/kith/internal/record"
)

func TestRequestHeaders(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.create(t, "contacts", `{"name":"Anna"}`, "anna")
		w.run(t, []step{
			{rule: "a request with token and version is answered", do: "GET /contacts/$anna", status: 200, want: `{"name":"Anna"}`},
			{
				rule: "no Version header is 400 version_required and lists the versions", do: "GET /contacts/$anna",
				send:   []string{"-Version"},
				status: 400, code: "version_required", want: `{"allowed":["v1"]}`,
			},
			{
				rule: "another Version is 400 version_unsupported and lists the versions", do: "GET /contacts/$anna",
				send:   []string{"Version: v2"},
				status: 400, code: "version_unsupported", want: `{"allowed":["v1"]}`,
			},
			{
				rule: "Version is compared to the letter", do: "GET /contacts/$anna", send: []string{"Version: V1"}, status: 400,
				code: "version_unsupported",
			},
			{
				rule: "an empty Version is not supported", do: "GET /contacts/$anna", send: []string{"Version: "}, status: 400,
				code: "version_unsupported",
			},
			{
				rule: "two Version headers are not supported", do: "GET /contacts/$anna", send: []string{"+Version: v1"}, status: 400,
				code: "version_unsupported",
			},
			{
				rule: "no token is 401 and asks for a bearer token", do: "GET /contacts/$anna", as: "none", status: 401,
				code: "unauthorized",
				head: []string{`WWW-Authenticate: Bearer realm="kith"*`},
			},
			{
				rule: "another scheme than Bearer is 401", do: "GET /contacts/$anna", send: []string{"Authorization: Basic YTpi"},
				status: 401, code: "unauthorized",
				head: []string{`WWW-Authenticate: Bearer realm="kith", error="invalid_request"*`},
			},
			{
				rule: "a bearer without a token is 401", do: "GET /contacts/$anna", send: []string{"Authorization: Bearer "}, status: 401,
				code: "unauthorized",
			},
			{
				rule: "two Authorization headers are 401", do: "GET /contacts/$anna", send: []string{"+Authorization: Bearer x"},
				status: 401, code: "unauthorized",
			},
			{
				rule: "a token that is none is 401 invalid_token", do: "GET /contacts/$anna",
				send: []string{"Authorization: Bearer kith_pat_nothing"}, status: 401, code: "invalid_token",
				head: []string{`WWW-Authenticate: Bearer realm="kith", error="invalid_token"*`},
			},
			{
				rule: "a token in odd bytes is 401", do: "GET /contacts/$anna", send: []string{"Authorization: Bearer \xff\xfe"},
				status: 401, code: "invalid_token",
			},
			{
				rule: "the scheme is read without regard to case", do: "GET /contacts/$anna",
				send: []string{"Authorization: bearer " + w.tokens["admin"]}, status: 200,
			},
			{rule: "HEAD answers like GET", do: "HEAD /contacts/$anna", status: 200, head: []string{`ETag: "1"`}},
			{
				rule: "answers are not cached and not sniffed", do: "GET /contacts/$anna", status: 200,
				head: []string{"Cache-Control: no-store", "X-Content-Type-Options: nosniff"},
			},
			{
				rule: "the health page needs neither token nor version", do: "GET !/healthz", as: "none", send: []string{"-Version"},
				status: 200, want: `{"status":"ok"}`,
			},
			{
				rule: "the health page is only read", do: "POST !/healthz", as: "none", status: 405, code: "method_not_allowed",
				head: []string{"Allow: GET, HEAD"},
			},
			{
				rule: "the health page tells its methods", do: "OPTIONS !/healthz", as: "none", status: 204,
				head: []string{"Allow: GET, HEAD"},
			},
			{
				rule: "the page of readiness needs neither token nor version", do: "GET !/readyz", as: "none", send: []string{"-Version"},
				status: 200, want: `{"status":"ok"}`,
			},
			{
				rule: "the page of readiness is only read", do: "DELETE !/readyz", as: "none", status: 405, code: "method_not_allowed",
				head: []string{"Allow: GET, HEAD"},
			},
		})
	})
}

func TestTokensThatNoLongerCount(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.mint(t, "expired", "admin", record.Scopes(), time.Now().Add(-time.Second))
		w.mint(t, "expiring", "admin", record.Scopes(), time.Now().Add(time.Hour))
		revoked := w.mint(t, "revoked", "admin", record.Scopes(), time.Time{})
		altered := w.tokens["admin"]
		last := altered[len(altered)-1]
		w.tokens["altered"] = altered[:len(altered)-1] + string(last^1)
		w.run(t, []step{
			{rule: "a token works until it expires", as: "expiring", do: "POST /contacts/search", status: 200},
			{rule: "an expired token is 401", as: "expired", do: "POST /contacts/search", status: 401, code: "invalid_token"},
			{rule: "a mistyped token is 401", as: "altered", do: "POST /contacts/search", status: 401, code: "invalid_token"},
			{rule: "a token works until it is revoked", as: "revoked", do: "POST /contacts/search", status: 200},
		})
		if found, err := operator.RevokeToken(context.Background(), w.engine, w.tenant, revoked); err != nil || !found {
			t.Fatal(found, err)
		}
		w.run(t, []step{
			{rule: "revoking a token takes effect at once", as: "revoked", do: "POST /contacts/search", status: 401, code: "invalid_token"},
			{rule: "a user can be suspended", do: "PATCH /users/$member", body: `{"status":"suspended"}`, status: 200},
			{
				rule: "suspending a user ends all their tokens", as: "member", do: "POST /contacts/search", status: 401,
				code: "invalid_token",
			},
			{rule: "a suspended user can be taken back", do: "PATCH /users/$member", body: `{"status":"active"}`, status: 200},
			{
				rule: "the tokens of a user who is back stay ended", as: "member", do: "POST /contacts/search", status: 401,
				code: "invalid_token",
			},
			{rule: "a user can be deleted", do: "DELETE /users/$viewer", status: 204},
			{rule: "the tokens of a deleted user end", as: "viewer", do: "POST /contacts/search", status: 401, code: "invalid_token"},
		})
	})
}

func TestRoutesAndMethods(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.create(t, "contacts", `{"name":"Anna"}`, "anna")
		for _, k := range record.Kinds() {
			one := []string{"GET", "HEAD"}
			for _, o := range []struct{ operation, method string }{{"patch", "PATCH"}, {"delete", "DELETE"}} {
				if offers(k, o.operation) {
					one = append(one, o.method)
				}
			}
			w.run(t, []step{
				{
					rule: "GET /" + k.Plural + " is 405: lists come only from search", do: "GET /" + k.Plural, status: 405,
					code: "method_not_allowed",
					head: []string{"Allow: POST"}, want: `{"allowed":["POST"]}`,
				},
				{
					rule: "GET /" + k.Plural + "/search is 405", do: "GET /" + k.Plural + "/search", status: 405,
					head: []string{"Allow: POST"},
				},
				{
					rule: "PUT on one of " + k.Plural + " is 405 with what is allowed", do: "PUT /" + k.Plural + "/x", status: 405,
					head: []string{"Allow: " + strings.Join(one, ", ")},
				},
			})
			w.missing(t, k, "x")
			for _, s := range []struct{ operation, path string }{{"restore", "/x/restore"}, {"bin", "/deleted/search"}} {
				if offers(k, s.operation) {
					w.run(t, []step{{
						rule: "GET of the " + s.operation + " path of " + k.Plural + " is 405",
						do:   "GET /" + k.Plural + s.path, status: 405, head: []string{"Allow: POST"},
					}})
				}
			}
			for _, action := range k.Actions {
				w.run(t, []step{{
					rule: "GET of " + action.Name + " is 405", do: "GET /" + k.Plural + "/x/" + action.Name, status: 405,
					head: []string{"Allow: POST"},
				}})
			}
		}
		w.run(t, []step{
			{rule: "an unknown path is 404", do: "GET /nothing", status: 404, code: "not_found"},
			{rule: "a path without the version segment is 404", do: "GET !/contacts/$anna", status: 404, code: "not_found"},
			{rule: "a path of another version is 404", do: "GET !/v2/contacts/$anna", status: 404, code: "not_found"},
			{rule: "the root is 404", do: "GET !/", as: "none", status: 404, code: "not_found"},
			{rule: "a slash at the end is 404, no redirect", do: "POST /contacts/", body: `{}`, status: 404, code: "not_found"},
			{rule: "two slashes are 404, no redirect", do: "GET !/v1//contacts/$anna", status: 404, code: "not_found"},
			{rule: "dots in the path are 404, no redirect", do: "GET !/v1/deals/../contacts/$anna", status: 404, code: "not_found"},
			{rule: "an encoded slash does not make another path", do: "GET /contacts%2F$anna", status: 404, code: "not_found"},
			{rule: "an unknown action is 404", do: "POST /contacts/$anna/complete", status: 404, code: "not_found"},
			{rule: "an action of another resource is 404", do: "POST /contacts/$anna/win", status: 404, code: "not_found"},
			{rule: "an unknown method is 405", do: "FROB /contacts/$anna", status: 405, code: "method_not_allowed"},
			{rule: "odd bytes in an id are 404", do: "GET /contacts/%ff%00%0a", status: 404, code: "not_found"},
			{rule: "an id in capitals is 404", do: "GET /contacts/" + strings.ToUpper(w.vars["anna"]), status: 404, code: "not_found"},
			{rule: "an id of another resource is 404", do: "GET /contacts/$admin", status: 404, code: "not_found"},
			{rule: "an id without prefix is 404", do: "GET /contacts/01h455vb4pex5vsknk084sn02q", status: 404, code: "not_found"},
			{rule: "the id of zeros is 404", do: "GET /contacts/contact_00000000000000000000000000", status: 404, code: "not_found"},
			{rule: "an id beyond 128 bits is 404", do: "GET /contacts/contact_8zzzzzzzzzzzzzzzzzzzzzzzzz", status: 404, code: "not_found"},
		})
	})
}

// missing proves that what a resource does not offer is not there: 405 where the path has another method, else 404.
func (w *world) missing(t *testing.T, k *record.Kind, id string) {
	t.Helper()
	all := "/" + k.Plural
	steps := map[string]step{
		"create":  {do: "POST " + all, status: 404, code: "not_found"},
		"patch":   {do: "PATCH " + all + "/" + id, status: 405, code: "method_not_allowed", head: []string{"Allow: GET, HEAD, DELETE"}},
		"delete":  {do: "DELETE " + all + "/" + id, status: 405, code: "method_not_allowed", head: []string{"Allow: GET, HEAD, PATCH"}},
		"restore": {do: "POST " + all + "/" + id + "/restore", status: 404, code: "not_found"},
		"bin":     {do: "POST " + all + "/deleted/search", status: 404, code: "not_found"},
	}
	for _, operation := range k.Without {
		s, known := steps[operation]
		if !known {
			t.Errorf("%s are without %q, which is no operation", k.Plural, operation)
			continue
		}
		s.rule, s.body = k.Plural+" have no "+operation, `{}`
		w.run(t, []step{s})
	}
}

// The steps hold one fault more the later it is found: each answer names the first in the contract's order.
func TestOrderOfChecks(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.create(t, "contacts", `{"name":"Anna","external_id":"a"}`, "anna")
		w.create(t, "contacts", `{"name":"Bert","external_id":"b"}`, "bert")
		w.create(t, "deals", `{"name":"Boat"}`, "deal")
		w.check(t, step{do: "POST /deals/$deal/win", status: 200})
		const unknown = "contact_01h455vb4pex5vsknk084sn02q"
		w.run(t, []step{
			{rule: "first the route", do: "PATCH /nothing/x", as: "none", send: []string{"-Version"}, body: `{`, status: 404},
			{rule: "then the method", do: "PUT /contacts/x", as: "none", send: []string{"-Version"}, body: `{`, status: 405},
			{rule: "then the token", do: "PATCH /contacts/x", as: "none", send: []string{"-Version"}, body: `{`, status: 401},
			{
				rule: "then the version", do: "PATCH /contacts/x", as: "viewer:contact.read", send: []string{"-Version"}, body: `{`,
				status: 400, code: "version_required",
			},
			{
				rule: "then the scope", do: "PATCH /contacts/x", as: "viewer:contact.read", body: `{`, status: 403,
				code: "insufficient_scope",
			},
			{rule: "then the role", do: "PATCH /contacts/x", as: "viewer", body: `{`, status: 403, code: "forbidden_by_role"},
			{
				rule: "then the media type", do: "PATCH /contacts/" + unknown, send: []string{"Content-Type: text/plain"},
				body: `{"nope":1}`, status: 415,
			},
			{
				rule: "then the JSON", do: "PATCH /contacts/" + unknown, send: []string{`If-Match: "9"`}, body: `{"nope":1`, status: 400,
				code: "malformed_json",
			},
			{
				rule: "then the fields", do: "PATCH /contacts/" + unknown, send: []string{`If-Match: "9"`}, body: `{"nope":1}`, status: 422,
				code: "validation_failed",
			},
			{
				rule: "then the record", do: "PATCH /contacts/" + unknown, send: []string{`If-Match: "9"`}, body: `{"external_id":"b"}`,
				status: 404,
			},
			{
				rule: "then what is one's own", do: "PATCH /contacts/$anna", as: "member", send: []string{`If-Match: "9"`},
				body: `{"external_id":"b"}`, status: 403, code: "forbidden_by_role",
			},
			{rule: "then If-Match", do: "PATCH /contacts/$anna", send: []string{`If-Match: "9"`}, body: `{"external_id":"b"}`, status: 412},
			{
				rule: "then conflicts", do: "PATCH /contacts/$anna", send: []string{`If-Match: "1"`}, body: `{"external_id":"b"}`,
				status: 409,
			},
			{rule: "If-Match comes before the state, too", do: "POST /deals/$deal/lose", send: []string{`If-Match: "1"`}, status: 412},
			{
				rule: "the state is last", do: "POST /deals/$deal/lose", send: []string{`If-Match: "2"`}, status: 409,
				code: "invalid_transition",
			},
			{
				rule: "a wrong search is 422 before anything is read", do: "POST /contacts/search", body: `{"limit":0,"cursor":"x"}`,
				status: 422, wrong: "limit:out_of_range",
			},
		})
	})
}

func TestBodies(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.create(t, "contacts", `{"name":"Anna"}`, "anna")
		before := changes(t, w.tenant)
		w.run(t, []step{
			{
				rule: "another media type is 415 and names the right one", do: "POST /contacts", send: []string{"Content-Type: text/json"},
				body: `{"name":"x"}`, status: 415, code: "unsupported_media_type", want: `{"allowed":["application/json"]}`,
			},
			{
				rule: "a body without a media type is 415", do: "POST /contacts", send: []string{"-Content-Type"}, body: `{"name":"x"}`,
				status: 415,
			},
			{
				rule: "a form is 415", do: "POST /contacts", send: []string{"Content-Type: application/x-www-form-urlencoded"},
				body: `name=x`, status: 415,
			},
			{
				rule: "a media type that cannot be read is 415", do: "POST /contacts", send: []string{"Content-Type: ;;;"},
				body: `{"name":"x"}`, status: 415,
			},
			{
				rule: "another charset is 415", do: "POST /contacts", send: []string{"Content-Type: application/json; charset=latin1"},
				body: `{"name":"x"}`, status: 415,
			},
			{
				rule: "a compressed body is 415", do: "POST /contacts", send: []string{"Content-Encoding: gzip"}, body: `{"name":"x"}`,
				status: 415,
			},
			{
				rule: "a merge patch media type is for PATCH alone", do: "POST /contacts",
				send: []string{"Content-Type: application/merge-patch+json"}, body: `{"name":"x"}`, status: 415,
			},
			{rule: "a body that is cut off is 400", do: "POST /contacts", body: `{"name":"x"`, status: 400, code: "malformed_json"},
			{rule: "two JSON values are 400", do: "POST /contacts", body: `{"name":"x"}{}`, status: 400, code: "malformed_json"},
			{rule: "a byte order mark is 400", do: "POST /contacts", body: "\ufeff" + `{"name":"x"}`, status: 400, code: "malformed_json"},
			{rule: "an array is 422 on body", do: "POST /contacts", body: `[]`, status: 422, wrong: "body:wrong_type"},
			{rule: "null is 422 on body", do: "POST /contacts", body: `null`, status: 422, wrong: "body:wrong_type"},
			{
				rule: "a query parameter is 422 and named", do: "GET /contacts/$anna?fields=name&x=1", status: 422,
				wrong: "fields:unknown_parameter x:unknown_parameter",
			},
			{rule: "a query that cannot be read is 422", do: "GET /contacts/$anna?%zz", status: 422, code: "validation_failed"},
			{
				rule: "a body of 1 MiB is read", do: "POST /contacts/search",
				body: `{"limit":0` + strings.Repeat(" ", httpapi.MaxBody-11) + `}`, status: 422, wrong: "limit:out_of_range",
			},
			{
				rule: "one byte more is 413", do: "POST /contacts/search",
				body: `{"limit":0` + strings.Repeat(" ", httpapi.MaxBody-10) + `}`, status: 413, code: "payload_too_large",
			},
			{
				rule: "every wrong field is reported, unknown and doubled keys among them", do: "POST /contacts", status: 422,
				body: `{"nope":1,"email":"x","lead_score":"high","name":"a","name":"b","address":{"planet":"Mars","city":5},` +
					`"tags":["ok",7],"created_at":"2026-01-01","do_not_contact":"yes","last_contacted_at":"2026-02-30"}`,
				wrong: "nope:unknown_field email:invalid_format lead_score:wrong_type name:duplicate_key address.planet:unknown_field " +
					"address.city:wrong_type tags[1]:wrong_type created_at:read_only do_not_contact:wrong_type " +
					"last_contacted_at:invalid_time",
			},
		})
		if after := changes(t, w.tenant); after != before {
			t.Errorf("refused requests wrote %d changes", after-before)
		}
		w.run(t, []step{
			{
				rule: "charset utf-8 is fine", do: "POST /contacts", send: []string{"Content-Type: application/json; charset=UTF-8"},
				body: `{"name":"Ünal"}`, status: 201, want: `{"name":"Ünal"}`,
			},
			{
				rule: "a merge patch may say so", do: "PATCH /contacts/$anna", send: []string{"Content-Type: application/merge-patch+json"},
				body: `{"name":"Anne"}`, status: 200, want: `{"name":"Anne"}`,
			},
			{rule: "an action needs no body", do: "POST /contacts/$anna/restore", status: 200},
			{rule: "an action takes an empty object", do: "POST /contacts/$anna/restore", body: `{}`, status: 200},
			{
				rule: "an action refuses what it does not know", do: "POST /contacts/$anna/restore", body: `{"x":1}`, status: 422,
				wrong: "x:unknown_field",
			},
			{
				rule: "an action refuses another body than an object", do: "POST /contacts/$anna/restore", body: `[]`, status: 422,
				wrong: "body:wrong_type",
			},
		})
	})
}

func TestRateLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, databaseURL(t, "sqlite"), httpapi.Options{RateLimit: 1, RateBurst: 3})
	w.run(t, []step{
		{
			rule: "the headers tell the policy and what is left", do: "POST /contacts/search", status: 200,
			head: []string{`RateLimit-Policy: "token";q=1;w=1;burst=3`, `RateLimit: "token";r=2;*`},
		},
		{
			rule: "requests that fail later count, too", do: "POST /contacts/search", body: `{"limit":0}`, status: 422,
			head: []string{`RateLimit: "token";r=1;*`},
		},
		{rule: "what is refused for its version does not count", do: "POST /contacts/search", send: []string{"-Version"}, status: 400},
		{rule: "the last of the burst", do: "POST /contacts/search", status: 200, head: []string{`RateLimit: "token";r=0;*`}},
		{
			rule: "one more is 429 with Retry-After", do: "POST /contacts/search", status: 429, code: "too_many_requests",
			head: []string{"Retry-After: 1", `RateLimit: "token";r=0;t=1`}, want: `{"retry_after_ms":"*"}`,
		},
		{rule: "another token has its own bucket", as: "member", do: "POST /contacts/search", status: 200},
	})
}
