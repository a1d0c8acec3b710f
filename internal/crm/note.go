package crm

import (
	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

var Note = &record.Kind{AboutOthers: true, Resource: schema.Resource{
	Name: "note", Plural: "notes", Label: "Note",
	Summary: schema.Summary{NamedBy: []string{"title", "body"}, Telling: []string{"contact.name", "company.name", "deal.name"}},
	Life:    schema.Life{Importable: true},
	Example: `{"title":"After the fair","body":"Wants to see the cranes at work.","contact_id":"contact_01kh4xv1qcf0mvq8gk8d8mvxd9"}`,
	Fields: []schema.Field{
		{Name: "title", Kind: schema.Text, Label: "Title", Find: schema.Find{Searchable: true}},
		{Name: "body", Kind: schema.LongText, Label: "Text", Find: schema.Find{Searchable: true}},
		{
			Name: "pinned", Kind: schema.Bool, Label: "Pinned", Required: true, Derived: true, Default: "false",
			Find: schema.Find{Indexed: true},
		},
		{
			Name: "pinned_at", Kind: schema.Time, Label: "Pinned at", ReadOnly: true,
			Writing: schema.Writing{SetBy: []string{"pin", "unpin"}},
		},
		{
			Name: "pinned_by", Kind: schema.ID, Ref: schema.Ref{To: "user"}, Label: "Pinned by", ReadOnly: true,
			Writing: schema.Writing{SetBy: []string{"pin", "unpin"}},
		},
		about("contact", "Contact"),
		about("company", "Company"),
		about("deal", "Deal"),
	},
	Actions: []schema.Action{
		{Name: "pin", About: "Pins the note; pinning it twice changes nothing."},
		{Name: "unpin", About: "Takes the pin off."},
	},
}}

// Notes are the fields of notes that code names.
var Notes struct {
	schema.Common
	Title, Body, Pinned, PinnedAt, PinnedBy *schema.Leaf
}

func declareNotes() {
	schema.Bind(&Note.Shape, &Notes)
	Note.Carried = []*schema.Leaf{Notes.PinnedAt, Notes.PinnedBy}
	pin := func(w *record.Mutation, _ *body.Changes) error {
		w.Rec.Put(Notes.Pinned, schema.BoolValue(w.Action == "pin"))
		return nil
	}
	Note.Acts = map[string]func(*record.Mutation, *body.Changes) error{"pin": pin, "unpin": pin}
	Note.Prepare = func(w *record.Mutation) error {
		if !w.Rec.Get(Notes.Pinned).Set {
			w.Rec.Put(Notes.Pinned, schema.BoolValue(false))
		}
		if w.Changed(Notes.Pinned) {
			stamp(w, w.Rec.Get(Notes.Pinned).True(), Notes.PinnedAt, Notes.PinnedBy)
		}
		return nil
	}
	Note.Validate = func(p record.Proposed) error {
		if !p.Get(Notes.Title).Set && !p.Get(Notes.Body).Set {
			p.Refuse(Notes.Body.Path, "required", "give a body or a title")
		}
		return nil
	}
}
