package openapi

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/kith-crm/kith/internal/record"
)

// The names of the schemas of what all resources have in common.
const (
	commonWhole  = "CommonWhole"
	commonFields = "CommonFields"
	commonGiven  = "CommonGiven"
	madeBy       = "MadeBy"
	rowFields    = "RowFields"
	binFields    = "BinFields"
)

// common finds what all resources have in common, by comparing them, and adds it to the document. In a business that added fields to some
// of them that is less.
func (b *builder) common() {
	var answered, given, made, rows, bins []Object
	for _, k := range record.Kinds() {
		res, whose := b.of(&k.Resource), Record(&k.Resource)
		answered = append(answered, b.plain(whose, &res.Shape))
		given = append(given, b.patched(k))
		made = append(made, b.makers(whose, &res.Shape))
		if _, bin := b.inBin(k); bin != nil {
			bins = append(bins, bin)
		}
	}
	b.base(commonFields, inAll(answered))
	b.base(commonGiven, inAll(given))
	b.base(madeBy, inAll(made))
	b.add(commonWhole, opened(nil, append(names(inAll(answered)), names(inAll(made))...), commonFields, madeBy))
	b.base(binFields, inAll(bins))
	for i, k := range record.Kinds() {
		b.base(Record(&k.Resource)+"Base", shared(minus(given[i], inAll(given)), minus(answered[i], inAll(answered))))
	}
	for _, k := range record.Kinds() { // which need the fields
		rows = append(rows, b.beyond(b.of(&k.Resource)))
	}
	b.base(rowFields, inAll(rows))
	b.set(rowFields, Described(b.schemas.get(rowFields).(Object),
		"What was asked for of the records that a row of a search refers to. Of its own fields a row has all, or those that were asked "+
			"for."))
	b.set(binFields, Described(b.schemas.get(binFields).(Object), "What only deleted ones have."))
}

// base adds an open schema of members that several schemas have in common, unless there are none.
func (b *builder) base(name string, members Object) {
	b.bases[name] = members
	if len(members) > 0 {
		b.add(name, object("type", "object", "properties", members))
	}
}

// beside is the open schema of members, of which some are in other schemas.
func (b *builder) beside(members Object, names ...string) Schema {
	var of []string
	for _, name := range names {
		if b.covers(members, name) {
			of, members = append(of, name), b.without(members, name)
		}
	}
	if len(of) == 0 {
		return object("type", "object", "properties", members)
	}
	return opened(members, nil, of...)
}

// closed is the schema of members, of which some are in another, and no others.
func (b *builder) closed(members Object, required []string, name string) Schema {
	if !b.covers(members, name) || len(b.bases[name]) < 2 {
		s := AllOptional(members)
		if len(required) > 0 {
			s = s.with("required", required)
		}
		return s
	}
	return extended(b.without(members, name), required, name)
}

// covers tells whether the members of a schema of common ones are all among some, and without gives the others of these.
func (b *builder) covers(members Object, name string) bool {
	return len(b.bases[name]) > 0 && len(shared(b.bases[name], members)) == len(b.bases[name])
}

func (b *builder) without(members Object, name string) Object { return minus(members, b.bases[name]) }

// inAll are the members that are the same in all of several objects.
func inAll(all []Object) Object {
	out := all[0]
	for _, o := range all[1:] {
		out = slices.DeleteFunc(slices.Clone(out), func(m Member) bool {
			other := o.get(m.Name)
			return other == nil || fmt.Sprint(other) != fmt.Sprint(m.Value)
		})
	}
	return out
}

// shared are the members of an object that another has, too, regardless of bounds that only what is written is held to.
func shared(given, answered Object) Object {
	return slices.DeleteFunc(slices.Clone(given), func(m Member) bool {
		other := answered.get(m.Name)
		return other == nil || unbounded(m.Value) != unbounded(other)
	})
}

func names(members Object) (out []string) {
	for _, m := range members {
		out = append(out, m.Name)
	}
	return out
}

func minus(members, others Object) Object {
	return slices.DeleteFunc(slices.Clone(members), func(m Member) bool { return others.get(m.Name) != nil })
}

// unbounded is a schema without its bounds and descriptions, for comparing.
func unbounded(v any) string {
	var strip func(v any) any
	strip = func(v any) any {
		o, ok := v.(Object)
		if !ok {
			return v
		}
		var out Object
		for _, m := range o {
			if _, text := m.Value.(string); m.Name == "description" && text || m.Name == "maxLength" || m.Name == "maxItems" {
				continue
			}
			out = out.with(m.Name, strip(m.Value))
		}
		return out
	}
	text, _ := json.Marshal(strip(v)) // an Object always renders
	return string(text)
}
