package crm

import (
	"slices"
	"strconv"

	"kith/internal/body"
	"kith/internal/problem"
	"kith/internal/query"
	"kith/internal/schema"
)

// Tag is the operation on many records that puts tags on each and takes others off, whatever else it has. A single record is patched instead: whoever does that
// knows what tags it has.
const Tag = "tag"

// TagBody is what the data of such an operation may have.
var TagBody = schema.CompileBody(Tag,
	schema.Field{Name: "add", Kind: schema.Tags, About: "Tags that each record gets."},
	schema.Field{Name: "remove", Kind: schema.Tags, About: "Tags that are taken off, compared without regard to case and accents."},
)

var tagging struct{ Add, Remove *schema.Leaf }

func init() { schema.Bind(TagBody, &tagging) }

// tag plans to put tags on a record and to take others off. In the log it is an update like others.
func (p plan) tag() (Step, error) {
	object, err := p.Body.Object()
	if err != nil {
		return nil, err
	}
	var wrong problem.Fields
	given := body.Decode(object, TagBody, true, "", &wrong)
	add, remove := body.Strings(given.Get(tagging.Add)), body.Strings(given.Get(tagging.Remove))
	if len(add)+len(remove) == 0 && len(wrong) == 0 {
		wrong.Add(tagging.Add.Path, "required", "must be given, or "+tagging.Remove.Path)
	}
	if err := wrong.Err(); err != nil {
		return nil, err
	}
	p.Name = Update
	return p.alter(nil, func(w *write) error {
		l := w.kind.Common.Tags
		had := body.Strings(w.rec.Get(l))
		among := func(tags []string, tag string) bool {
			return slices.ContainsFunc(tags, func(other string) bool { return query.Fold(other) == query.Fold(tag) })
		}
		tags := slices.DeleteFunc(slices.Clone(had), func(tag string) bool { return among(remove, tag) })
		for _, tag := range add {
			if !among(tags, tag) {
				tags = append(tags, tag)
			}
		}
		switch {
		case slices.Equal(tags, had):
			return nil
		case len(tags) > body.MaxTags:
			w.wrong.Add(tagging.Add.Path, "too_many", "would give the record more than "+strconv.Itoa(body.MaxTags)+" tags")
			return w.wrong.Err()
		case len(tags) == 0:
			w.rec.Put(l, schema.Absent(schema.Tags))
		default:
			w.rec.Put(l, schema.TextValue(schema.Tags, string(inOrder(tags))))
		}
		return w.check()
	})
}
