package openapi_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/openapi"
	"github.com/kith-crm/kith/internal/record"

	. "github.com/kith-crm/kith/internal/apitest"
)

var exampleID = regexp.MustCompile(`"([a-z_]+)_01kh4xv1qcf0mvq8gk8d8mvxd9"`)

// examples sends what the document calls an example, with the ids of records that are there.
type examples struct {
	*World
	// made are the ids of the records that were made from examples, by their prefix.
	made map[string]string
	sent map[string]bool
}

// missing tells whether an example points to something that has not been made yet.
func (e *examples) missing(text string) bool {
	return slices.ContainsFunc(exampleID.FindAllStringSubmatch(text, -1), func(m []string) bool { return e.made[m[1]] == "" })
}

// try sends the example of an operation about a record, and holds it to the statuses that the operation has.
func (e *examples) try(t *testing.T, o openapi.Operation, id string) *Answer {
	t.Helper()
	body := exampleID.ReplaceAllStringFunc(o.Example,
		func(found string) string { return `"` + e.made[exampleID.FindStringSubmatch(found)[1]] + `"` })
	// secrets leave random traces
	a := e.Ask(t, Step{Do: o.Method + " !" + strings.ReplaceAll(o.Path, "{id}", id), Body: body, Chance: o.Kind == nil ||
		o.Kind.Access.Secret != ""})
	statuses := o.Statuses
	if len(statuses) == 0 {
		statuses = []int{200}
	}
	if !slices.Contains(statuses, a.Status) {
		t.Fatalf("the example of %s is answered %d: %s\n%s", o.ID, a.Status, a.Text, body)
	}
	e.sent[o.ID] = true
	return a
}

func TestExamplesOfTheDocumentWork(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		e := &examples{World: w, made: map[string]string{}, sent: map[string]bool{}}
		all := w.API.Operations()
		waiting := slices.Clone(record.Kinds())
		for round := 0; len(waiting) > 0; round++ {
			if round > len(record.Kinds()) {
				t.Fatalf("the examples of %d resources point to each other", len(waiting))
			}
			waiting = slices.DeleteFunc(waiting, func(k *record.Kind) bool {
				if e.missing(k.Example) {
					return false
				}
				e.live(t, k, all)
				return true
			})
		}
		for _, o := range all {
			if o.Example == "" || e.sent[o.ID] {
				continue
			}
			id := e.made["contact"]
			if strings.HasPrefix(o.Path, "/v1/imports/") {
				id = e.made["import"]
			}
			if a := e.try(t, o, id); o.ID == "createImport" {
				e.made["import"] = fmt.Sprint(At(a.JSON, "id"))
			}
		}
	})
}

// live sends the examples of one resource, and leaves a record of it behind.
func (e *examples) live(t *testing.T, k *record.Kind, all []openapi.Operation) {
	t.Helper()
	find := func(suffix string) (found openapi.Operation, ok bool) {
		for _, o := range all {
			if o.Kind == k && o.Method == "POST" && o.Path == "/v1/"+k.Plural+suffix {
				return o, true
			}
		}
		return found, false
	}
	create, _ := find("")
	id := fmt.Sprint(At(e.try(t, create, "").JSON, "id"))
	note := func(a *Answer, path string) {
		e.made[k.Name] = fmt.Sprint(At(a.JSON, path+"id"))
		if stage := At(a.JSON, path+"stages.0.id"); stage != nil {
			e.made["stage"] = fmt.Sprint(stage)
		}
	}
	for _, o := range all {
		if o.Kind != k || o.Example == "" || o.ID == create.ID || e.missing(o.Example) || strings.HasSuffix(o.Path, "/batch") ||
			strings.HasSuffix(o.Path, "/upsert") || strings.HasSuffix(o.Path, "/erase") || strings.HasSuffix(o.Path, "merge") {
			continue
		}
		if o.Path == "/v1/quotes/{id}/decline" {
			e.Check(t, Step{Do: "POST /quotes/" + id + "/send", Status: 200})
		}
		e.try(t, o, id)
	}
	remove := func(id string) { e.Check(t, Step{Do: "DELETE /" + k.Plural + "/" + id, Status: 204}) }
	remove(id)
	if erase, ok := find("/{id}/erase"); ok {
		e.try(t, erase, id)
	}
	batch, _ := find("/batch")
	a := e.try(t, batch, "")
	if At(a.JSON, "data.0.status") == nil || fmt.Sprint(At(a.JSON, "data.0.status")) != "201" {
		t.Fatalf("the batch of %s: %s", k.Plural, a.Text)
	}
	note(a, "data.0.record.")
	if upsert, ok := find("/upsert"); ok {
		remove(e.made[k.Name])
		note(e.try(t, upsert, ""), "")
	}
	if merge, ok := find("/{id}/" + record.Merge); ok {
		survivor := fmt.Sprint(At(e.try(t, create, "").JSON, "id"))
		e.try(t, merge, survivor)
		unmerge, _ := find("/{id}/" + record.Unmerge)
		e.try(t, unmerge, survivor)
	}
}
