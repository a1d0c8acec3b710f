package openapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/crm"
	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/record"

	. "github.com/kith-crm/kith/internal/apitest"
)

// A route that nobody described would be missing from the document, or stand in it without a word.
func TestEveryRouteIsDescribed(t *testing.T) {
	for _, k := range record.Kinds() {
		if !json.Valid([]byte(k.Example)) {
			t.Errorf("%s has no Example: %q", k.Name, k.Example)
		}
	}
	ids := map[string]string{}
	for _, o := range httpapi.New(nil, httpapi.Options{}).Operations() {
		if err := o.Undescribed(); err != nil {
			t.Error(err)
		}
		at := o.Method + " " + o.Path
		if other := ids[o.ID]; other != "" {
			t.Errorf("%s and %s have the same ID %s", at, other, o.ID)
		}
		ids[o.ID] = at
	}
}

func TestOpenAPIDocument(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		plain := []string{"-Version"}
		w.Run(t, []Step{
			{
				Rule: "it needs neither token nor version", As: "none", Do: "GET /openapi.json", Send: plain, Status: 200,
				Want: `{"openapi":"3.1.0","info":{"title":"kith","version":"v1"},"servers":[{"url":"/"}]}`,
			},
			{Rule: "a token is as good", As: "viewer", Do: "GET /openapi.json", Send: plain, Status: 200, Want: `{"openapi":"3.1.0"}`},
			{Rule: "so is a token without scopes for anything else", As: "admin:note.read", Do: "GET /openapi.json", Status: 200},
			{Rule: "a version is not looked at", As: "none", Do: "GET /openapi.json", Send: []string{"Version: v7"}, Status: 200},
			{
				Rule: "a bad token is refused", As: "none", Do: "GET /openapi.json",
				Send: append(plain, "Authorization: Bearer kith_pat_nope"), Status: 401, Code: "invalid_token",
			},
			{
				Rule: "so is what is no token", As: "none", Do: "GET /openapi.json", Send: append(plain, "Authorization: Basic eDp5"),
				Status: 401, Code: "unauthorized",
			},
			{
				Rule: "it has no query parameters", As: "none", Do: "GET /openapi.json?pretty=1", Send: plain, Status: 422,
				Wrong: "pretty:unknown_parameter",
			},
			{Rule: "HEAD works", As: "none", Do: "HEAD /openapi.json", Send: plain, Status: 200},
			{Rule: "nothing is posted to it", As: "none", Do: "POST /openapi.json", Send: plain, Status: 405},
		})
		compressed := w.Send(t, Step{As: "none", Do: "GET /openapi.json"}) // the client asks for gzip by itself
		command, err := w.API.Document("", nil)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(compressed.Text, command) {
			t.Error("what is served compressed is not the document")
		}
	})
}

func TestDocumentOfAnOrigin(t *testing.T) {
	text, err := httpapi.New(nil, httpapi.Options{}).Document("https://crm.example.com", nil)
	if err != nil {
		t.Fatal(err)
	}
	var d any
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"servers.0.url": "https://crm.example.com",
		"components.securitySchemes.oauth2.flows.authorizationCode.authorizationUrl": "https://crm.example.com/oauth/authorize",
	} {
		if got := At(d, path); got != want {
			t.Errorf("%s is %v, want %s", path, got, want)
		}
	}
}

// The document tells of every event that webhooks can be sent, each in the one schema of its resource.
func TestDocumentTellsOfEveryEvent(t *testing.T) {
	c, err := TheContract()
	if err != nil {
		t.Fatal(err)
	}
	if schema := At(c.Document, "webhooks.event.post.requestBody.content"); At(schema.(map[string]any)["application/json"],
		"schema.$ref") != "#/components/schemas/WebhookPayload" {
		t.Errorf("the document tells of webhooks %v", schema)
	}
	var told []string
	for _, one := range At(c.Document, "components.schemas.WebhookPayload.oneOf").([]any) {
		event, _ := c.Follow(strings.TrimPrefix(fmt.Sprint(At(one, "$ref")), "#"))
		for _, name := range At(event, "properties.type.enum").([]any) {
			told = append(told, name.(string))
		}
	}
	want := append(crm.EventKinds(), crm.TestEvent)
	slices.Sort(told)
	slices.Sort(want)
	if !slices.Equal(told, want) {
		t.Errorf("the document tells of %v, want %v", told, want)
	}
}

// mostDocument is how many bytes the document may have: a third of the 1,631,322 that it had before what is the same was described once,
// and a little for what is added.
const mostDocument = 655_000

// What is the same is described once: the document stays small, and no component stands in it twice.
func TestDocumentIsSmall(t *testing.T) {
	text, err := httpapi.New(nil, httpapi.Options{}).Document("https://crm.harbour.example", nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(text) > mostDocument {
		t.Errorf("the document has %d bytes, more than %d", len(text), mostDocument)
	}
	t.Logf("%d bytes", len(text))
	var d struct {
		Components map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	for _, room := range []string{"responses", "examples", "parameters", "headers", "requestBodies"} {
		known := map[string]string{}
		for name, value := range d.Components[room] {
			if other := known[string(value)]; other != "" {
				t.Errorf("%s and %s of the %s are the same", name, other, room)
			}
			known[string(value)] = name
		}
	}
}
