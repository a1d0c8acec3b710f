package account_test

import (
	"bytes"
	"strings"
	"testing"

	. "github.com/kith-crm/kith/internal/apitest"
)

func TestTheLogoOfABusiness(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Vars["logo"], w.Vars["other"], w.Vars["many"] = ALogo(t, 40, 20), ALogo(t, 20, 20), ALogo(t, 2100, 2100)
		w.Run(t, []Step{
			{Rule: "there is none at first", Do: "GET /business/logo", Status: 404, Code: "not_found"},
			{
				Rule: "what is sent is drawn anew, and a mark is answered", Do: "PATCH /business", Body: `{"logo":"$logo"}`, Status: 200,
				Want: `{"logo":"*","version":2}`, Save: "business",
			},
			{
				Rule: "anybody of the business may see it", As: "viewer:note.read", Do: "GET /business/logo", Status: 200,
				Head: []string{
					"Content-Type: image/png", "X-Content-Type-Options: nosniff",
					`Content-Disposition: inline; filename="logo.png"`,
				}, Chance: true,
			},
			{Rule: "nobody else", As: "none", Do: "GET /business/logo", Status: 401},
			{Rule: "another business has its own", As: "stranger", Do: "GET /business/logo", Status: 404, Code: "not_found"},
			{
				Rule: "it is changed by who may change the business", As: "manager", Do: "PATCH /business", Body: `{"logo":null}`,
				Status: 403, Code: "forbidden_by_role",
			},
			{Rule: "text is no picture", Do: "PATCH /business", Body: `{"logo":"hello"}`, Status: 422, Wrong: "logo:invalid_format"},
			{
				Rule: "nor is another kind of picture", Do: "PATCH /business", Body: `{"logo":"data:image/svg+xml;base64,PHN2Zy8+"}`,
				Status: 422, Wrong: "logo:invalid_format",
			},
			{
				Rule: "nor what says to be one", Do: "PATCH /business", Body: `{"logo":"data:image/png;base64,PHN2Zy8+"}`, Status: 422,
				Wrong: "logo:invalid_format",
			},
			{
				Rule: "nor what is no base64", Do: "PATCH /business", Body: `{"logo":"data:image/png;base64,***"}`, Status: 422,
				Wrong: "logo:invalid_format",
			},
			{Rule: "it has few points", Do: "PATCH /business", Body: `{"logo":"$many"}`, Status: 422, Wrong: "logo:invalid_format"},
			{
				Rule: "and few bytes", Do: "PATCH /business", Body: `{"logo":"data:image/png;base64,` + strings.Repeat("A", 850_000) + `"}`,
				Status: 422, Wrong: "logo:too_long",
			},
			{Rule: "the same again changes nothing", Do: "PATCH /business", Body: `{"logo":"$logo"}`, Status: 200, Want: `{"version":2}`},
			{
				Rule: "a rehearsal keeps nothing", Do: "PATCH /business?dry_run=true", Body: `{"logo":"$other"}`, Status: 200,
				Want: `{"version":3}`,
			},
			{Rule: "so it is as before", Do: "GET /business", Status: 200, Want: `{"version":2}`},
			{
				Rule: "a quote", Do: "POST /quotes", Body: `{"title":"Cranes","line_items":[{"name":"Crane","unit_price":"2.00"}]}`,
				Status: 201, Save: "quote",
			},
		})
		mark := At(w.Send(t, Step{Do: "GET /business"}).JSON, "logo").(string)
		w.Vars["mark"] = mark
		w.Run(t, []Step{
			{
				Rule: "what was answered may be sent back", Do: "PATCH /business", Body: `{"logo":"$mark","name":"Harbour"}`, Status: 200,
				Want: `{"logo":"$mark","version":2}`,
			},
			{
				Rule: "the mark is its tag", Do: "GET /business/logo", Send: []string{`If-None-Match: "` + mark + `"`}, Status: 304,
				Head: []string{`ETag: "` + mark + `"`},
			},
			{
				Rule: "a mark of others is none", Do: "PATCH /business", Body: `{"logo":"png-nonsense"}`, Status: 422,
				Wrong: "logo:invalid_format",
			},
		})
		if picture := w.Send(t, Step{Do: "GET /business/logo"}).Text; !bytes.HasPrefix(picture, []byte("\x89PNG")) {
			t.Errorf("the logo begins with %q", picture[:min(len(picture), 8)])
		}
		if paper := w.Send(t, Step{Do: "GET /quotes/$quote/pdf"}).Text; !bytes.Contains(paper, []byte("/Subtype /Image")) {
			t.Error("the logo is not on the quote")
		}
		w.Run(t, []Step{
			{
				Rule: "another picture has another mark", Do: "PATCH /business", Body: `{"logo":"$other"}`, Status: 200,
				Want: `{"version":3}`,
			},
			{
				Rule: "which is no longer that", Do: "GET /business/logo", Send: []string{`If-None-Match: "` + mark + `"`}, Status: 200,
				Chance: true,
			},
			{Rule: "null removes it", Do: "PATCH /business", Body: `{"logo":null}`, Status: 200, Want: `{"logo":null,"version":4}`},
			{Rule: "for good", Do: "GET /business/logo", Status: 404},
		})
		if paper := w.Send(t, Step{Do: "GET /quotes/$quote/pdf"}).Text; bytes.Contains(paper, []byte("/Subtype /Image")) {
			t.Error("the logo is still on the quote")
		}
	})
}
