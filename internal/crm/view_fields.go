package crm

import (
	"slices"
	"strings"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// A view names fields, and so does a report; a business may call its own otherwise, or delete them. They follow: they are changed together
// with the field.

const mostKept = 10_000

// keeping says where records of a kind keep the names of fields of a resource.
type keeping struct {
	resource, missing *schema.Leaf
	mentions          []*schema.Leaf
	// eachName hands each name to rename, and puts what it gives in its place.
	eachName func(rec *schema.Record, rename func(string) string) error
}

// followIn lets records of a kind name a field as it is called now, and say which fields that they name are not there any more.
func followIn(k *record.Kind, in keeping) func(w *record.Mutation, resource, was, is string) error {
	return func(w *record.Mutation, resource, was, is string) error {
		// A reference is followed under its name without _id, so both are mentioned where that is.
		mentioned := record.CustomPath(strings.TrimSuffix(was, "_id"))
		all, err := store.Mentioning(w.Tx, &k.Resource, mostKept, mentioned, in.mentions...)
		if err != nil || len(all) == 0 {
			return err
		}
		after, _, err := w.Engine.Inform(w.Tx, w.Who)
		if err != nil {
			return err
		}
		for i, id := range all {
			if w.Weight > record.MaxBatchWeight {
				return problem.New(problem.Conflict, "The %s that name this field are too large to follow it: %d of %d could. Delete "+
					"some of them first.", k.Plural, i, len(all))
			}
			if err := in.follow(w, k, id, after, func(now *schema.Resource, name string) string {
				if was == is {
					return name
				}
				return renamed(now, name, resource, was, is)
			}); err != nil {
				return err
			}
		}
		return nil
	}
}

// follow lets one record name fields as they are called now, and say which it misses.
func (in keeping) follow(w *record.Mutation, k *record.Kind, id schema.UUID, after *record.Principal,
	rename func(now *schema.Resource, name string) string,
) error {
	rec, err := w.Get(&k.Resource, id, false)
	if err != nil {
		return err
	}
	res := record.Registry.Resource(rec.Text(in.resource))
	if res == nil {
		return nil
	}
	var missing []string
	now := after.Shaped(res)
	changed := rec.Clone()
	err = in.eachName(changed, func(name string) string {
		name = rename(now, name)
		if isCustom(name) && !knows(after.Shapes, now, name) && !slices.Contains(missing, name) {
			missing = append(missing, name)
		}
		return name
	})
	if err != nil {
		return err
	}
	changed.Put(in.missing, schema.Absent(schema.Tags))
	if len(missing) > 0 {
		changed.PutText(in.missing, string(record.KeptList(missing)))
	}
	if slices.Equal(rec.Values, changed.Values) {
		return nil
	}
	return w.Touch(k, rec, func(r *schema.Record) { copy(r.Values, changed.Values) })
}

// isCustom tells whether a name is that of an added field, of the resource itself or of what it refers to.
func isCustom(name string) bool {
	return slices.Contains(strings.Split(name, "."), Contact.Common.CustomFields.Name)
}

// knows tells whether a name is that of a field of a resource as the business has it, or of what it refers to.
func knows(s *record.Shapes, res *schema.Resource, name string) bool {
	there := func(shape *schema.Shape, name string) bool {
		return shape.Leaf(name) != nil || shape.Field(name) != nil
	}
	if there(&res.Shape, name) {
		return true
	}
	via, rest := res.Follow(name)
	return via != nil && (via.Target == nil || there(&s.Shaped(via.Target).Shape, rest))
}

// renamed is a name in a view of a resource as it is after a field of some resource was called otherwise.
func renamed(res *schema.Resource, name, resource, was, is string) string {
	if res.Name == resource {
		if now, ok := followed(name, was, is); ok {
			return now
		}
	}
	if via, rest := res.Follow(name); via != nil && via.Target != nil && via.Target.Name == resource {
		if now, ok := followed(rest, was, is); ok {
			return strings.TrimSuffix(name, rest) + now
		}
	}
	return name
}

// followed is a path that begins with an added field as it is after that was called otherwise. A path that follows a reference
// names it without _id.
func followed(path, was, is string) (string, bool) {
	if path == record.CustomPath(was) {
		return record.CustomPath(is), true
	}
	reference, refers := strings.CutSuffix(was, "_id")
	if rest, ok := strings.CutPrefix(path, record.CustomPath(reference)+"."); ok && refers {
		return record.CustomPath(strings.TrimSuffix(is, "_id")) + "." + rest, true
	}
	return path, false
}

// eachNameShown hands the names of fields in a view to rename, and puts what it gives in their place.
func eachNameShown(rec *schema.Record, rename func(string) string) error {
	columns := body.Strings(rec.Get(Views.Columns))
	for i := range columns {
		columns[i] = rename(columns[i])
	}
	if len(columns) > 0 {
		rec.PutText(Views.Columns, string(record.KeptList(columns)))
	}
	if by := rec.Text(Views.GroupBy); by != "" {
		rec.PutText(Views.GroupBy, rename(by))
	}
	search, err := body.Parse([]byte(rec.Text(Views.Search)))
	if err != nil || search == nil {
		return err
	}
	at := func(n *body.Node) {
		if n.Kind == body.String {
			n.Text = rename(n.Text)
		}
	}
	for i := range search.Members {
		switch m := &search.Members[i]; m.Name {
		case "order_by":
			at(&m.Value)
		case "fields":
			for j := range m.Value.Items {
				at(&m.Value.Items[j])
			}
		case "filters":
			eachFiltered(m.Value, at)
		}
	}
	rec.PutText(Views.Search, string(body.Append(nil, *search)))
	return nil
}

// eachFiltered hands over where filters name their fields.
func eachFiltered(filters body.Node, at func(*body.Node)) {
	for _, condition := range filters.Items {
		for j := range condition.Members {
			if condition.Members[j].Name == "field" {
				at(&condition.Members[j].Value)
			}
		}
	}
}
