package crm

import (
	"kith/internal/body"
	"kith/internal/schema"
)

var note = &Kind{Resource: schema.Resource{
	Name: "note", Plural: "notes", Label: "Note",
	Fields: append([]schema.Field{
		{Name: "title", Kind: schema.Text, Label: "Title", Searchable: true},
		{Name: "body", Kind: schema.LongText, Label: "Text", Searchable: true},
		{Name: "pinned", Kind: schema.Bool, Label: "Pinned", Required: true, Derived: true, Default: "false", Indexed: true},
		{Name: "pinned_at", Kind: schema.Time, Label: "Pinned at", ReadOnly: true},
		{Name: "pinned_by", Kind: schema.ID, Ref: "user", Label: "Pinned by", ReadOnly: true},
	}, about...),
	Actions: []schema.Action{
		{Name: "pin", About: "Pins the note; pinning it twice changes nothing."},
		{Name: "unpin", About: "Takes the pin off."},
	},
}}

func init() {
	note.acts = map[string]func(*write, *body.Changes) error{
		"pin":   func(w *write, _ *body.Changes) error { w.rec.Put("pinned", schema.BoolValue(true)); return nil },
		"unpin": func(w *write, _ *body.Changes) error { w.rec.Put("pinned", schema.BoolValue(false)); return nil },
	}
	note.prepare = func(w *write) error {
		if !w.rec.Get("pinned").Set {
			w.rec.Put("pinned", schema.BoolValue(false))
		}
		if w.changed("pinned") {
			w.stamp(w.rec.Get("pinned").True(), "pinned_at", "pinned_by")
		}
		if !w.rec.Get("title").Set && !w.rec.Get("body").Set {
			w.wrong.Add("body", "required", "give a body or a title")
		}
		return nil
	}
}
