package record

import (
	"math"
	"slices"
	"strconv"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
)

// Tag is the operation on many records that puts tags on each and takes others off, whatever else it has. A single record is
// patched instead: whoever does that knows what tags it has.
const Tag = "tag"

// TagBody is what the data of such an operation may have.
var TagBody = schema.CompileBody(Tag,
	schema.Field{Name: "add", Kind: schema.Tags, About: "Tags that each record gets."},
	schema.Field{Name: "remove", Kind: schema.Tags, About: "Tags that are taken off, compared without regard to case and accents."},
)

var tagging = schema.FieldsOf[struct{ Add, Remove *schema.Leaf }](TagBody)

// tag plans to put tags on a record and to take others off. In the log it is an update like others.
func (p Plan) tag() (Step, error) {
	var wrong problem.Fields
	given, err := ReadBody(p.Body, TagBody, &wrong)
	if err != nil {
		return nil, err
	}
	add, remove := body.Strings(given.Get(tagging.Add)), body.Strings(given.Get(tagging.Remove))
	if len(add)+len(remove) == 0 && len(wrong) == 0 {
		wrong.Add(tagging.Add.Path, "required", "must be given, or "+tagging.Remove.Path)
	}
	if err := wrong.Err(); err != nil {
		return nil, err
	}
	p.Name = Update
	return p.Alter(nil, func(w *Mutation) error {
		l := w.Kind.Common.Tags
		had := body.Strings(w.Rec.Get(l))
		tags := AddTags(WithoutTags(had, remove), add, math.MaxInt)
		switch {
		case slices.Equal(tags, had):
			return nil
		case len(tags) > body.MaxTags:
			w.Wrong.Add(tagging.Add.Path, "too_many", "would give the record more than "+strconv.Itoa(body.MaxTags)+" tags")
			return w.Wrong.Err()
		case len(tags) == 0:
			w.Rec.Put(l, schema.Absent(schema.Tags))
		default:
			w.Rec.Put(l, schema.TextValue(schema.Tags, string(KeptList(tags))))
		}
		return w.Settle()
	})
}

// WithoutTags gives the tags that others are not, whatever their case and accents.
func WithoutTags(tags, others []string) []string {
	gone := map[string]bool{}
	for _, tag := range others {
		gone[query.Fold(tag)] = true
	}
	return slices.DeleteFunc(slices.Clone(tags), func(tag string) bool { return gone[query.Fold(tag)] })
}

// AddTags adds those of some tags that differ by more than case and accents, up to as many as there may be.
func AddTags(tags, more []string, most int) []string {
	has := map[string]bool{}
	for _, tag := range tags {
		has[query.Fold(tag)] = true
	}
	for _, tag := range more {
		if folded := query.Fold(tag); !has[folded] && len(tags) < most {
			has[folded] = true
			tags = append(tags, tag)
		}
	}
	return tags
}
