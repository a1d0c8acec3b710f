package httpapi_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"strings"
	"testing"
)

// aLogo is a picture as it is sent.
func aLogo(t *testing.T, wide, high int) string {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewNRGBA(image.Rect(0, 0, wide, high))); err != nil {
		t.Fatal(err)
	}
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(out.Bytes())
}

func TestTheLogoOfABusiness(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.vars["logo"], w.vars["other"], w.vars["many"] = aLogo(t, 40, 20), aLogo(t, 20, 20), aLogo(t, 2100, 2100)
		w.run(t, []step{
			{rule: "there is none at first", do: "GET /business/logo", status: 404, code: "not_found"},
			{
				rule: "what is sent is drawn anew, and a mark is answered", do: "PATCH /business", body: `{"logo":"$logo"}`, status: 200,
				want: `{"logo":"*","version":2}`, save: "business",
			},
			{
				rule: "anybody of the business may see it", as: "viewer:note.read", do: "GET /business/logo", status: 200,
				head: []string{
					"Content-Type: image/png", "X-Content-Type-Options: nosniff",
					`Content-Disposition: inline; filename="logo.png"`,
				}, chance: true,
			},
			{rule: "nobody else", as: "none", do: "GET /business/logo", status: 401},
			{rule: "another business has its own", as: "stranger", do: "GET /business/logo", status: 404, code: "not_found"},
			{
				rule: "it is changed by who may change the business", as: "manager", do: "PATCH /business", body: `{"logo":null}`,
				status: 403, code: "forbidden_by_role",
			},
			{rule: "text is no picture", do: "PATCH /business", body: `{"logo":"hello"}`, status: 422, wrong: "logo:invalid_format"},
			{
				rule: "nor is another kind of picture", do: "PATCH /business", body: `{"logo":"data:image/svg+xml;base64,PHN2Zy8+"}`,
				status: 422, wrong: "logo:invalid_format",
			},
			{
				rule: "nor what says to be one", do: "PATCH /business", body: `{"logo":"data:image/png;base64,PHN2Zy8+"}`, status: 422,
				wrong: "logo:invalid_format",
			},
			{
				rule: "nor what is no base64", do: "PATCH /business", body: `{"logo":"data:image/png;base64,***"}`, status: 422,
				wrong: "logo:invalid_format",
			},
			{rule: "it has few points", do: "PATCH /business", body: `{"logo":"$many"}`, status: 422, wrong: "logo:invalid_format"},
			{
				rule: "and few bytes", do: "PATCH /business", body: `{"logo":"data:image/png;base64,` + strings.Repeat("A", 850_000) + `"}`,
				status: 422, wrong: "logo:too_long",
			},
			{rule: "the same again changes nothing", do: "PATCH /business", body: `{"logo":"$logo"}`, status: 200, want: `{"version":2}`},
			{
				rule: "a rehearsal keeps nothing", do: "PATCH /business?dry_run=true", body: `{"logo":"$other"}`, status: 200,
				want: `{"version":3}`,
			},
			{rule: "so it is as before", do: "GET /business", status: 200, want: `{"version":2}`},
			{
				rule: "a quote", do: "POST /quotes", body: `{"title":"Cranes","line_items":[{"name":"Crane","unit_price":"2.00"}]}`,
				status: 201, save: "quote",
			},
		})
		mark := at(w.send(t, step{do: "GET /business"}).json, "logo").(string)
		w.vars["mark"] = mark
		w.run(t, []step{
			{
				rule: "what was answered may be sent back", do: "PATCH /business", body: `{"logo":"$mark","name":"Harbour"}`, status: 200,
				want: `{"logo":"$mark","version":2}`,
			},
			{
				rule: "the mark is its tag", do: "GET /business/logo", send: []string{`If-None-Match: "` + mark + `"`}, status: 304,
				head: []string{`ETag: "` + mark + `"`},
			},
			{
				rule: "a mark of others is none", do: "PATCH /business", body: `{"logo":"png-nonsense"}`, status: 422,
				wrong: "logo:invalid_format",
			},
		})
		if picture := w.send(t, step{do: "GET /business/logo"}).text; !bytes.HasPrefix(picture, []byte("\x89PNG")) {
			t.Errorf("the logo begins with %q", picture[:min(len(picture), 8)])
		}
		if paper := w.send(t, step{do: "GET /quotes/$quote/pdf"}).text; !bytes.Contains(paper, []byte("/Subtype /Image")) {
			t.Error("the logo is not on the quote")
		}
		w.run(t, []step{
			{
				rule: "another picture has another mark", do: "PATCH /business", body: `{"logo":"$other"}`, status: 200,
				want: `{"version":3}`,
			},
			{
				rule: "which is no longer that", do: "GET /business/logo", send: []string{`If-None-Match: "` + mark + `"`}, status: 200,
				chance: true,
			},
			{rule: "null removes it", do: "PATCH /business", body: `{"logo":null}`, status: 200, want: `{"logo":null,"version":4}`},
			{rule: "for good", do: "GET /business/logo", status: 404},
		})
		if paper := w.send(t, step{do: "GET /quotes/$quote/pdf"}).text; bytes.Contains(paper, []byte("/Subtype /Image")) {
			t.Error("the logo is still on the quote")
		}
	})
}
