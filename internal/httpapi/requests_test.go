package httpapi_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/operator"
	"github.com/kith-crm/kith/internal/record"

	. "github.com/kith-crm/kith/internal/apitest"
)

func TestRequestHeaders(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "contacts", `{"name":"Anna"}`, "anna")
		w.Run(t, []Step{
			{Rule: "a request with token and version is answered", Do: "GET /contacts/$anna", Status: 200, Want: `{"name":"Anna"}`},
			{
				Rule: "no Version header is 400 version_required and lists the versions", Do: "GET /contacts/$anna",
				Send:   []string{"-Version"},
				Status: 400, Code: "version_required", Want: `{"allowed":["v1"]}`,
			},
			{
				Rule: "another Version is 400 version_unsupported and lists the versions", Do: "GET /contacts/$anna",
				Send:   []string{"Version: v2"},
				Status: 400, Code: "version_unsupported", Want: `{"allowed":["v1"]}`,
			},
			{
				Rule: "Version is compared to the letter", Do: "GET /contacts/$anna", Send: []string{"Version: V1"}, Status: 400,
				Code: "version_unsupported",
			},
			{
				Rule: "an empty Version is not supported", Do: "GET /contacts/$anna", Send: []string{"Version: "}, Status: 400,
				Code: "version_unsupported",
			},
			{
				Rule: "two Version headers are not supported", Do: "GET /contacts/$anna", Send: []string{"+Version: v1"}, Status: 400,
				Code: "version_unsupported",
			},
			{
				Rule: "no token is 401 and asks for a bearer token", Do: "GET /contacts/$anna", As: "none", Status: 401,
				Code: "unauthorized",
				Head: []string{`WWW-Authenticate: Bearer realm="kith"*`},
			},
			{
				Rule: "another scheme than Bearer is 401", Do: "GET /contacts/$anna", Send: []string{"Authorization: Basic YTpi"},
				Status: 401, Code: "unauthorized",
				Head: []string{`WWW-Authenticate: Bearer realm="kith", error="invalid_request"*`},
			},
			{
				Rule: "a bearer without a token is 401", Do: "GET /contacts/$anna", Send: []string{"Authorization: Bearer "}, Status: 401,
				Code: "unauthorized",
			},
			{
				Rule: "two Authorization headers are 401", Do: "GET /contacts/$anna", Send: []string{"+Authorization: Bearer x"},
				Status: 401, Code: "unauthorized",
			},
			{
				Rule: "a token that is none is 401 invalid_token", Do: "GET /contacts/$anna",
				Send: []string{"Authorization: Bearer kith_pat_nothing"}, Status: 401, Code: "invalid_token",
				Head: []string{`WWW-Authenticate: Bearer realm="kith", error="invalid_token"*`},
			},
			{
				Rule: "a token in odd bytes is 401", Do: "GET /contacts/$anna", Send: []string{"Authorization: Bearer \xff\xfe"},
				Status: 401, Code: "invalid_token",
			},
			{
				Rule: "the scheme is read without regard to case", Do: "GET /contacts/$anna",
				Send: []string{"Authorization: bearer " + w.Tokens["admin"]}, Status: 200,
			},
			{Rule: "HEAD answers like GET", Do: "HEAD /contacts/$anna", Status: 200, Head: []string{`ETag: "1"`}},
			{
				Rule: "answers are not cached and not sniffed", Do: "GET /contacts/$anna", Status: 200,
				Head: []string{"Cache-Control: no-store", "X-Content-Type-Options: nosniff"},
			},
			{
				Rule: "the health page needs neither token nor version", Do: "GET !/healthz", As: "none", Send: []string{"-Version"},
				Status: 200, Want: `{"status":"ok"}`,
			},
			{
				Rule: "the health page is only read", Do: "POST !/healthz", As: "none", Status: 405, Code: "method_not_allowed",
				Head: []string{"Allow: GET, HEAD"},
			},
			{
				Rule: "the health page tells its methods", Do: "OPTIONS !/healthz", As: "none", Status: 204,
				Head: []string{"Allow: GET, HEAD"},
			},
			{
				Rule: "the page of readiness needs neither token nor version", Do: "GET !/readyz", As: "none", Send: []string{"-Version"},
				Status: 200, Want: `{"status":"ok"}`,
			},
			{
				Rule: "the page of readiness is only read", Do: "DELETE !/readyz", As: "none", Status: 405, Code: "method_not_allowed",
				Head: []string{"Allow: GET, HEAD"},
			},
		})
	})
}

func TestTokensThatNoLongerCount(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Mint(t, "expired", "admin", record.Scopes(), time.Now().Add(-time.Second))
		w.Mint(t, "expiring", "admin", record.Scopes(), time.Now().Add(time.Hour))
		revoked := w.Mint(t, "revoked", "admin", record.Scopes(), time.Time{})
		altered := w.Tokens["admin"]
		last := altered[len(altered)-1]
		w.Tokens["altered"] = altered[:len(altered)-1] + string(last^1)
		w.Run(t, []Step{
			{Rule: "a token works until it expires", As: "expiring", Do: "POST /contacts/search", Status: 200},
			{Rule: "an expired token is 401", As: "expired", Do: "POST /contacts/search", Status: 401, Code: "invalid_token"},
			{Rule: "a mistyped token is 401", As: "altered", Do: "POST /contacts/search", Status: 401, Code: "invalid_token"},
			{Rule: "a token works until it is revoked", As: "revoked", Do: "POST /contacts/search", Status: 200},
		})
		if found, err := operator.RevokeToken(context.Background(), w.Engine, w.Tenant, revoked); err != nil || !found {
			t.Fatal(found, err)
		}
		w.Run(t, []Step{
			{Rule: "revoking a token takes effect at once", As: "revoked", Do: "POST /contacts/search", Status: 401, Code: "invalid_token"},
			{Rule: "a user can be suspended", Do: "PATCH /users/$member", Body: `{"status":"suspended"}`, Status: 200},
			{
				Rule: "suspending a user ends all their tokens", As: "member", Do: "POST /contacts/search", Status: 401,
				Code: "invalid_token",
			},
			{Rule: "a suspended user can be taken back", Do: "PATCH /users/$member", Body: `{"status":"active"}`, Status: 200},
			{
				Rule: "the tokens of a user who is back stay ended", As: "member", Do: "POST /contacts/search", Status: 401,
				Code: "invalid_token",
			},
			{Rule: "a user can be deleted", Do: "DELETE /users/$viewer", Status: 204},
			{Rule: "the tokens of a deleted user end", As: "viewer", Do: "POST /contacts/search", Status: 401, Code: "invalid_token"},
		})
	})
}

func TestRoutesAndMethods(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "contacts", `{"name":"Anna"}`, "anna")
		for _, k := range record.Kinds() {
			one := []string{"GET", "HEAD"}
			for _, o := range []struct{ operation, method string }{{"patch", "PATCH"}, {"delete", "DELETE"}} {
				if Offers(k, o.operation) {
					one = append(one, o.method)
				}
			}
			w.Run(t, []Step{
				{
					Rule: "GET /" + k.Plural + " is 405: lists come only from search", Do: "GET /" + k.Plural, Status: 405,
					Code: "method_not_allowed",
					Head: []string{"Allow: POST"}, Want: `{"allowed":["POST"]}`,
				},
				{
					Rule: "GET /" + k.Plural + "/search is 405", Do: "GET /" + k.Plural + "/search", Status: 405,
					Head: []string{"Allow: POST"},
				},
				{
					Rule: "PUT on one of " + k.Plural + " is 405 with what is allowed", Do: "PUT /" + k.Plural + "/x", Status: 405,
					Head: []string{"Allow: " + strings.Join(one, ", ")},
				},
			})
			w.Missing(t, k, "x")
			for _, s := range []struct{ operation, path string }{{"restore", "/x/restore"}, {"bin", "/deleted/search"}} {
				if Offers(k, s.operation) {
					w.Run(t, []Step{{
						Rule: "GET of the " + s.operation + " path of " + k.Plural + " is 405",
						Do:   "GET /" + k.Plural + s.path, Status: 405, Head: []string{"Allow: POST"},
					}})
				}
			}
			for _, action := range k.Actions {
				w.Run(t, []Step{{
					Rule: "GET of " + action.Name + " is 405", Do: "GET /" + k.Plural + "/x/" + action.Name, Status: 405,
					Head: []string{"Allow: POST"},
				}})
			}
		}
		w.Run(t, []Step{
			{Rule: "an unknown path is 404", Do: "GET /nothing", Status: 404, Code: "not_found"},
			{Rule: "a path without the version segment is 404", Do: "GET !/contacts/$anna", Status: 404, Code: "not_found"},
			{Rule: "a path of another version is 404", Do: "GET !/v2/contacts/$anna", Status: 404, Code: "not_found"},
			{Rule: "the root is 404", Do: "GET !/", As: "none", Status: 404, Code: "not_found"},
			{Rule: "a slash at the end is 404, no redirect", Do: "POST /contacts/", Body: `{}`, Status: 404, Code: "not_found"},
			{Rule: "two slashes are 404, no redirect", Do: "GET !/v1//contacts/$anna", Status: 404, Code: "not_found"},
			{Rule: "dots in the path are 404, no redirect", Do: "GET !/v1/deals/../contacts/$anna", Status: 404, Code: "not_found"},
			{Rule: "an encoded slash does not make another path", Do: "GET /contacts%2F$anna", Status: 404, Code: "not_found"},
			{Rule: "an unknown action is 404", Do: "POST /contacts/$anna/complete", Status: 404, Code: "not_found"},
			{Rule: "an action of another resource is 404", Do: "POST /contacts/$anna/win", Status: 404, Code: "not_found"},
			{Rule: "an unknown method is 405", Do: "FROB /contacts/$anna", Status: 405, Code: "method_not_allowed"},
			{Rule: "odd bytes in an id are 404", Do: "GET /contacts/%ff%00%0a", Status: 404, Code: "not_found"},
			{Rule: "an id in capitals is 404", Do: "GET /contacts/" + strings.ToUpper(w.Vars["anna"]), Status: 404, Code: "not_found"},
			{Rule: "an id of another resource is 404", Do: "GET /contacts/$admin", Status: 404, Code: "not_found"},
			{Rule: "an id without prefix is 404", Do: "GET /contacts/01h455vb4pex5vsknk084sn02q", Status: 404, Code: "not_found"},
			{Rule: "the id of zeros is 404", Do: "GET /contacts/contact_00000000000000000000000000", Status: 404, Code: "not_found"},
			{Rule: "an id beyond 128 bits is 404", Do: "GET /contacts/contact_8zzzzzzzzzzzzzzzzzzzzzzzzz", Status: 404, Code: "not_found"},
		})
	})
}

// The steps hold one fault more the later it is found: each answer names the first in the contract's order.
func TestOrderOfChecks(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "contacts", `{"name":"Anna","external_id":"a"}`, "anna")
		w.Create(t, "contacts", `{"name":"Bert","external_id":"b"}`, "bert")
		w.Create(t, "deals", `{"name":"Boat"}`, "deal")
		w.Check(t, Step{Do: "POST /deals/$deal/win", Status: 200})
		const unknown = "contact_01h455vb4pex5vsknk084sn02q"
		w.Run(t, []Step{
			{Rule: "first the route", Do: "PATCH /nothing/x", As: "none", Send: []string{"-Version"}, Body: `{`, Status: 404},
			{Rule: "then the method", Do: "PUT /contacts/x", As: "none", Send: []string{"-Version"}, Body: `{`, Status: 405},
			{Rule: "then the token", Do: "PATCH /contacts/x", As: "none", Send: []string{"-Version"}, Body: `{`, Status: 401},
			{
				Rule: "then the version", Do: "PATCH /contacts/x", As: "viewer:contact.read", Send: []string{"-Version"}, Body: `{`,
				Status: 400, Code: "version_required",
			},
			{
				Rule: "then the scope", Do: "PATCH /contacts/x", As: "viewer:contact.read", Body: `{`, Status: 403,
				Code: "insufficient_scope",
			},
			{Rule: "then the role", Do: "PATCH /contacts/x", As: "viewer", Body: `{`, Status: 403, Code: "forbidden_by_role"},
			{
				Rule: "then the media type", Do: "PATCH /contacts/" + unknown, Send: []string{"Content-Type: text/plain"},
				Body: `{"nope":1}`, Status: 415,
			},
			{
				Rule: "then the JSON", Do: "PATCH /contacts/" + unknown, Send: []string{`If-Match: "9"`}, Body: `{"nope":1`, Status: 400,
				Code: "malformed_json",
			},
			{
				Rule: "then the fields", Do: "PATCH /contacts/" + unknown, Send: []string{`If-Match: "9"`}, Body: `{"nope":1}`, Status: 422,
				Code: "validation_failed",
			},
			{
				Rule: "then the record", Do: "PATCH /contacts/" + unknown, Send: []string{`If-Match: "9"`}, Body: `{"external_id":"b"}`,
				Status: 404,
			},
			{
				Rule: "then what is one's own", Do: "PATCH /contacts/$anna", As: "member", Send: []string{`If-Match: "9"`},
				Body: `{"external_id":"b"}`, Status: 403, Code: "forbidden_by_role",
			},
			{Rule: "then If-Match", Do: "PATCH /contacts/$anna", Send: []string{`If-Match: "9"`}, Body: `{"external_id":"b"}`, Status: 412},
			{
				Rule: "then conflicts", Do: "PATCH /contacts/$anna", Send: []string{`If-Match: "1"`}, Body: `{"external_id":"b"}`,
				Status: 409,
			},
			{Rule: "If-Match comes before the state, too", Do: "POST /deals/$deal/lose", Send: []string{`If-Match: "1"`}, Status: 412},
			{
				Rule: "the state is last", Do: "POST /deals/$deal/lose", Send: []string{`If-Match: "2"`}, Status: 409,
				Code: "invalid_transition",
			},
			{
				Rule: "skip is not for a page behind a cursor", Do: "POST /contacts/search", Body: `{"skip":1,"cursor":"x"}`, Status: 422,
				Wrong: "skip:not_allowed",
			},
			{
				Rule: "nor is it for a list of the bin", Do: "POST /contacts/deleted/search", Body: `{"skip":0,"cursor":"x"}`, Status: 422,
				Wrong: "skip:not_allowed",
			},
			{
				Rule: "a wrong search is 422 before anything is read", Do: "POST /contacts/search", Body: `{"limit":0,"cursor":"x"}`,
				Status: 422, Wrong: "limit:out_of_range",
			},
		})
	})
}

func TestBodies(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "contacts", `{"name":"Anna"}`, "anna")
		before := Changes(t, w.Tenant)
		w.Run(t, []Step{
			{
				Rule: "another media type is 415 and names the right one", Do: "POST /contacts", Send: []string{"Content-Type: text/json"},
				Body: `{"name":"x"}`, Status: 415, Code: "unsupported_media_type", Want: `{"allowed":["application/json"]}`,
			},
			{
				Rule: "a body without a media type is 415", Do: "POST /contacts", Send: []string{"-Content-Type"}, Body: `{"name":"x"}`,
				Status: 415,
			},
			{
				Rule: "a form is 415", Do: "POST /contacts", Send: []string{"Content-Type: application/x-www-form-urlencoded"},
				Body: `name=x`, Status: 415,
			},
			{
				Rule: "a media type that cannot be read is 415", Do: "POST /contacts", Send: []string{"Content-Type: ;;;"},
				Body: `{"name":"x"}`, Status: 415,
			},
			{
				Rule: "another charset is 415", Do: "POST /contacts", Send: []string{"Content-Type: application/json; charset=latin1"},
				Body: `{"name":"x"}`, Status: 415,
			},
			{
				Rule: "a compressed body is 415", Do: "POST /contacts", Send: []string{"Content-Encoding: gzip"}, Body: `{"name":"x"}`,
				Status: 415,
			},
			{
				Rule: "a merge patch media type is for PATCH alone", Do: "POST /contacts",
				Send: []string{"Content-Type: application/merge-patch+json"}, Body: `{"name":"x"}`, Status: 415,
			},
			{Rule: "a body that is cut off is 400", Do: "POST /contacts", Body: `{"name":"x"`, Status: 400, Code: "malformed_json"},
			{Rule: "two JSON values are 400", Do: "POST /contacts", Body: `{"name":"x"}{}`, Status: 400, Code: "malformed_json"},
			{Rule: "a byte order mark is 400", Do: "POST /contacts", Body: "\ufeff" + `{"name":"x"}`, Status: 400, Code: "malformed_json"},
			{Rule: "an array is 422 on body", Do: "POST /contacts", Body: `[]`, Status: 422, Wrong: "body:wrong_type"},
			{Rule: "null is 422 on body", Do: "POST /contacts", Body: `null`, Status: 422, Wrong: "body:wrong_type"},
			{
				Rule: "a query parameter is 422 and named", Do: "GET /contacts/$anna?fields=name&x=1", Status: 422,
				Wrong: "fields:unknown_parameter x:unknown_parameter",
			},
			{Rule: "a query that cannot be read is 422", Do: "GET /contacts/$anna?%zz", Status: 422, Code: "validation_failed"},
			{
				Rule: "a body of 1 MiB is read", Do: "POST /contacts/search",
				Body: `{"limit":0` + strings.Repeat(" ", httpapi.MaxBody-11) + `}`, Status: 422, Wrong: "limit:out_of_range",
			},
			{
				Rule: "one byte more is 413", Do: "POST /contacts/search",
				Body: `{"limit":0` + strings.Repeat(" ", httpapi.MaxBody-10) + `}`, Status: 413, Code: "payload_too_large",
			},
			{
				Rule: "every wrong field is reported, unknown and doubled keys among them", Do: "POST /contacts", Status: 422,
				Body: `{"nope":1,"email":"x","lead_score":"high","name":"a","name":"b","address":{"planet":"Mars","city":5},` +
					`"tags":["ok",7],"created_at":"2026-01-01","do_not_contact":"yes","last_contacted_at":"2026-02-30"}`,
				Wrong: "nope:unknown_field email:invalid_format lead_score:wrong_type name:duplicate_key address.planet:unknown_field " +
					"address.city:wrong_type tags[1]:wrong_type created_at:read_only do_not_contact:wrong_type " +
					"last_contacted_at:invalid_time",
			},
		})
		if after := Changes(t, w.Tenant); after != before {
			t.Errorf("refused requests wrote %d changes", after-before)
		}
		w.Run(t, []Step{
			{
				Rule: "charset utf-8 is fine", Do: "POST /contacts", Send: []string{"Content-Type: application/json; charset=UTF-8"},
				Body: `{"name":"Ünal"}`, Status: 201, Want: `{"name":"Ünal"}`,
			},
			{
				Rule: "a merge patch may say so", Do: "PATCH /contacts/$anna", Send: []string{"Content-Type: application/merge-patch+json"},
				Body: `{"name":"Anne"}`, Status: 200, Want: `{"name":"Anne"}`,
			},
			{Rule: "an action needs no body", Do: "POST /contacts/$anna/restore", Status: 200},
			{Rule: "an action takes an empty object", Do: "POST /contacts/$anna/restore", Body: `{}`, Status: 200},
			{
				Rule: "an action refuses what it does not know", Do: "POST /contacts/$anna/restore", Body: `{"x":1}`, Status: 422,
				Wrong: "x:unknown_field",
			},
			{
				Rule: "an action refuses another body than an object", Do: "POST /contacts/$anna/restore", Body: `[]`, Status: 422,
				Wrong: "body:wrong_type",
			},
		})
	})
}

func TestRateLimit(t *testing.T) {
	t.Parallel()
	w := NewWorld(t, DatabaseURL(t, "sqlite"), httpapi.Options{RateLimit: 1, RateBurst: 3})
	w.Run(t, []Step{
		{
			Rule: "the headers tell the policy and what is left", Do: "POST /contacts/search", Status: 200,
			Head: []string{`RateLimit-Policy: "token";q=1;w=1;burst=3`, `RateLimit: "token";r=2;*`},
		},
		{
			Rule: "requests that fail later count, too", Do: "POST /contacts/search", Body: `{"limit":0}`, Status: 422,
			Head: []string{`RateLimit: "token";r=1;*`},
		},
		{Rule: "what is refused for its version does not count", Do: "POST /contacts/search", Send: []string{"-Version"}, Status: 400},
		{Rule: "the last of the burst", Do: "POST /contacts/search", Status: 200, Head: []string{`RateLimit: "token";r=0;*`}},
		{
			Rule: "one more is 429 with Retry-After", Do: "POST /contacts/search", Status: 429, Code: "too_many_requests",
			Head: []string{"Retry-After: 1", `RateLimit: "token";r=0;t=1`}, Want: `{"retry_after_ms":"*"}`,
		},
		{Rule: "another token has its own bucket", As: "member", Do: "POST /contacts/search", Status: 200},
	})
}
