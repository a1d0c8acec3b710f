package crm

import (
	"slices"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
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
		{
			Name: "in_reply_to_id", Kind: schema.ID, Ref: schema.Ref{To: "note"}, Label: "In reply to",
			Find:  schema.Find{Indexed: true},
			About: "The note that this one is a comment on.",
		},
	},
	Actions: []schema.Action{
		{Name: "pin", About: "Pins the note; pinning it twice changes nothing."},
		{Name: "unpin", About: "Takes the pin off."},
	},
}}

// Notes are the fields of notes that code names.
var Notes struct {
	schema.Common
	Title, Body, Pinned, PinnedAt, PinnedBy, ContactID, CompanyID, DealID, InReplyToID *schema.Leaf
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
		if err := aboutTheSame(w); err != nil {
			return err
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
		if err := checkComment(p); err != nil {
			return err
		}
		return checkMentions(p)
	}
}

// aboutTheSame has a comment be about what the note is about that it is a comment on.
func aboutTheSame(w *record.Mutation) error {
	to := w.Rec.Get(Notes.InReplyToID)
	if w.Old != nil || !to.Set || w.Carried != nil {
		return nil
	}
	note, err := w.Lookup(Note, to.UUID())
	if note == nil || err != nil { // which is told of as of any reference
		return err
	}
	leads := []*schema.Leaf{Notes.ContactID, Notes.CompanyID, Notes.DealID}
	if !slices.ContainsFunc(leads, w.Gave) {
		for _, l := range leads {
			w.Rec.Put(l, note.Get(l))
		}
	}
	return nil
}

// checkComment keeps comments to one level: none is a comment on another one.
func checkComment(p record.Proposed) error {
	to := p.Get(Notes.InReplyToID)
	if !to.Set || p.Carried() || !p.Changed(Notes.InReplyToID) {
		return nil
	}
	note, err := p.Lookup(Note, to.UUID())
	if err != nil {
		return err
	}
	if note != nil && (note.ID() == p.ID() || note.Get(Notes.InReplyToID).Set) {
		p.Refuse(Notes.InReplyToID.Path, "not_allowed", "is a comment itself: answer the note that it is about")
	}
	if p.New() {
		return nil
	}
	comments, err := p.Count(&Note.Resource, 1, store.Equal(Notes.InReplyToID, schema.IDValue(p.ID())))
	if comments > 0 {
		p.Refuse(Notes.InReplyToID.Path, "not_allowed", "makes a comment of a note that has comments itself")
	}
	return err
}
