package crm

import (
	"kith/internal/body"
	"kith/internal/schema"
)

var note = &Kind{Resource: schema.Resource{
	Name: "note", Plural: "notes", Label: "Note", Importable: true, Also: []string{"notiz"},
	Example: `{"title":"After the fair","body":"Wants to see the cranes at work.","contact_id":"contact_01kh4xv1qcf0mvq8gk8d8mvxd9"}`,
	NamedBy: []string{"title", "body"}, Telling: []string{"contact.name", "company.name", "deal.name"},
	Fields: append([]schema.Field{
		{Name: "title", Kind: schema.Text, Label: "Title", Searchable: true, Also: []string{"subject", "titel", "betreff"}},
		{Name: "body", Kind: schema.LongText, Label: "Text", Searchable: true, Also: []string{"note", "content", "notiz", "inhalt"}},
		{Name: "pinned", Kind: schema.Bool, Label: "Pinned", Required: true, Derived: true, Default: "false", Indexed: true},
		{Name: "pinned_at", Kind: schema.Time, Label: "Pinned at", ReadOnly: true, SetBy: []string{"pin", "unpin"}},
		{Name: "pinned_by", Kind: schema.ID, Ref: "user", Label: "Pinned by", ReadOnly: true, SetBy: []string{"pin", "unpin"}},
	}, about...),
	Actions: []schema.Action{
		{Name: "pin", About: "Pins the note; pinning it twice changes nothing."},
		{Name: "unpin", About: "Takes the pin off."},
	},
}}

// Notes are the fields of notes that code names.
var Notes = fieldsOf[struct {
	schema.Common
	Title, Body, Pinned, PinnedAt, PinnedBy *schema.Leaf
}](note)

func init() {
	note.acts = map[string]func(*write, *body.Changes) error{
		"pin":   func(w *write, _ *body.Changes) error { w.rec.Put(Notes.Pinned, schema.BoolValue(true)); return nil },
		"unpin": func(w *write, _ *body.Changes) error { w.rec.Put(Notes.Pinned, schema.BoolValue(false)); return nil },
	}
	note.prepare = func(w *write) error {
		if !w.rec.Get(Notes.Pinned).Set {
			w.rec.Put(Notes.Pinned, schema.BoolValue(false))
		}
		if w.changed(Notes.Pinned) {
			w.stamp(w.rec.Get(Notes.Pinned).True(), Notes.PinnedAt, Notes.PinnedBy)
		}
		if !w.rec.Get(Notes.Title).Set && !w.rec.Get(Notes.Body).Set {
			w.wrong.Add(Notes.Body.Path, "required", "give a body or a title")
		}
		return nil
	}
}
