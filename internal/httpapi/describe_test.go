package httpapi_test

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
	onBothEngines(t, func(t *testing.T, w *world) {
		plain := []string{"-Version"}
		w.run(t, []step{
			{
				rule: "it needs neither token nor version", as: "none", do: "GET /openapi.json", send: plain, status: 200,
				want: `{"openapi":"3.1.0","info":{"title":"kith","version":"v1"},"servers":[{"url":"/"}]}`,
			},
			{rule: "a token is as good", as: "viewer", do: "GET /openapi.json", send: plain, status: 200, want: `{"openapi":"3.1.0"}`},
			{rule: "so is a token without scopes for anything else", as: "admin:note.read", do: "GET /openapi.json", status: 200},
			{rule: "a version is not looked at", as: "none", do: "GET /openapi.json", send: []string{"Version: v7"}, status: 200},
			{
				rule: "a bad token is refused", as: "none", do: "GET /openapi.json",
				send: append(plain, "Authorization: Bearer kith_pat_nope"), status: 401, code: "invalid_token",
			},
			{
				rule: "so is what is no token", as: "none", do: "GET /openapi.json", send: append(plain, "Authorization: Basic eDp5"),
				status: 401, code: "unauthorized",
			},
			{
				rule: "it has no query parameters", as: "none", do: "GET /openapi.json?pretty=1", send: plain, status: 422,
				wrong: "pretty:unknown_parameter",
			},
			{rule: "HEAD works", as: "none", do: "HEAD /openapi.json", send: plain, status: 200},
			{rule: "nothing is posted to it", as: "none", do: "POST /openapi.json", send: plain, status: 405},
		})
		compressed := w.send(t, step{as: "none", do: "GET /openapi.json"}) // the client asks for gzip by itself
		command, err := w.api.Document("", nil)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(compressed.text, command) {
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
		if got := at(d, path); got != want {
			t.Errorf("%s is %v, want %s", path, got, want)
		}
	}
}

// The document tells of every event that webhooks can be sent, each in the one schema of its resource.
func TestDocumentTellsOfEveryEvent(t *testing.T) {
	c, err := theContract()
	if err != nil {
		t.Fatal(err)
	}
	if schema := at(c.document, "webhooks.event.post.requestBody.content"); at(schema.(map[string]any)["application/json"],
		"schema.$ref") != "#/components/schemas/WebhookPayload" {
		t.Errorf("the document tells of webhooks %v", schema)
	}
	var told []string
	for _, one := range at(c.document, "components.schemas.WebhookPayload.oneOf").([]any) {
		event, _ := c.follow(strings.TrimPrefix(fmt.Sprint(at(one, "$ref")), "#"))
		for _, name := range at(event, "properties.type.enum").([]any) {
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
const mostDocument = 553_500

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
