package query

import (
	"slices"
	"strconv"
	"strings"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/schema"
)

// Through is a reference of which fields are answered: company.name as {"company":{"name":…}}.
type Through struct {
	Via *schema.Leaf
	// Ref is its place in Query.Refs, or -1 where the caller may not read what it leads to. Then it is answered as absent.
	Ref    int
	Leaves []*schema.Leaf
	// Before is the place in Query.Leaves before which it is answered: that of the reference itself.
	Before int
}

// Kinds lists what a row of the answer has: the values of Leaves, then for each reference that may be followed the id of the record that it
// leads to and the values of its leaves.
func (q *Query) Kinds() []schema.Kind {
	kinds := make([]schema.Kind, 0, len(q.Leaves))
	for _, l := range q.Leaves {
		kinds = append(kinds, l.Kind)
	}
	for _, t := range q.Through {
		if t.Ref < 0 {
			continue
		}
		kinds = append(kinds, schema.ID)
		for _, l := range t.Leaves {
			kinds = append(kinds, l.Kind)
		}
	}
	return kinds
}

// AppendRecord renders a row of the answer, whose values are as Kinds says.
func (q *Query) AppendRecord(dst []byte, values []schema.Value) []byte {
	if len(q.Through) == 0 {
		return schema.AppendRecord(dst, q.Leaves, values)
	}
	dst = append(dst, '{')
	comma := func() {
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
	}
	done := 0
	var in *schema.Field // the group of added fields that is begun, whose members may be those of references
	own := func(end int) {
		for done < end {
			next := done + 1
			for next < end && q.Leaves[next].Of == q.Leaves[done].Of {
				next++
			}
			switch group := q.Leaves[done]; {
			case in != nil && group.Of == in:
				dst = schema.AppendPresent(dst, q.Leaves[done:next], values[done:next])
			case group.Member != "":
				comma()
				in = group.Of
				dst = append(schema.AppendString(dst, in.Name), ':', '{')
				dst = schema.AppendPresent(dst, q.Leaves[done:next], values[done:next])
			default:
				comma()
				dst = schema.AppendMembers(dst, q.Leaves[done:next], values[done:next])
			}
			done = next
		}
	}
	far := values[len(q.Leaves):]
	for _, t := range q.Through {
		own(t.Before)
		name := t.Via.RefersAs()
		if group := t.Via.Of; group != nil {
			if in == nil {
				comma()
				in = group
				dst = append(schema.AppendString(dst, in.Name), ':', '{')
			}
			name = strings.TrimPrefix(name, group.Name+".")
		}
		comma()
		dst = append(schema.AppendString(dst, name), ':')
		if t.Ref < 0 || !far[0].Set {
			dst = append(dst, "null"...)
		} else {
			dst = schema.AppendRecord(dst, t.Leaves, far[1:1+len(t.Leaves)])
		}
		if t.Ref >= 0 {
			far = far[1+len(t.Leaves):]
		}
	}
	own(len(q.Leaves))
	if in != nil {
		dst = append(dst, '}')
	}
	return append(dst, '}')
}

func (c *checker) fields(name string, n body.Node) {
	chosen := map[*schema.Leaf]bool{}
	through := map[*schema.Leaf]map[*schema.Leaf]bool{}
	c.items(name, n, "field names", "names", len(c.q.Resource.Leaves)+MaxReferred, func(at string, item body.Node) {
		if item.Kind != body.String {
			c.wrong.Add(at, "wrong_type", "must be the name of a field, not "+item.Kind.Name())
			return
		}
		if leaves := shown(&c.q.Resource.Shape, item.Text, c.q.Bin); leaves != nil {
			for _, l := range leaves {
				chosen[l] = true
			}
			return
		}
		via, rest := c.followed(item.Text)
		if via == nil {
			c.unknown(at, item.Text, c.q.Resource.Name, names(&c.q.Resource.Shape, c.q.Bin, anyKind))
			return
		}
		name, shape := c.referred(via)
		leaves := shown(shape, rest, false)
		if leaves == nil {
			c.unknown(at, rest, name, names(shape, false, anyKind))
			return
		}
		if through[via] == nil {
			through[via] = map[*schema.Leaf]bool{}
		}
		for _, l := range leaves {
			through[via][l] = true
		}
	})
	c.choose(name, chosen, through)
}

// shown gives the leaves that a name in fields stands for: one field, or all of a group; nil where there is none.
func shown(shape *schema.Shape, name string, bin bool) []*schema.Leaf {
	if l := shape.Leaf(name); l != nil && (!l.Writing.BinOnly || bin) {
		return []*schema.Leaf{l}
	}
	if reading := shape.Reading(); reading != nil && name == reading.Path {
		return []*schema.Leaf{reading}
	}
	if f := shape.Field(name); f != nil && f.Kind == schema.Group {
		return shape.Group(f)
	}
	return nil
}

// choose brings what is to be answered into declared order. What a reference leads to stands where the reference does.
func (c *checker) choose(name string, chosen map[*schema.Leaf]bool, through map[*schema.Leaf]map[*schema.Leaf]bool) {
	if reading := c.q.Resource.Reading(); reading != nil && chosen[reading] {
		for _, l := range reading.Reads { // which are all of them already
			delete(chosen, l)
			if through[l] != nil {
				c.wrong.Add(name, "not_allowed", strconv.Quote(reading.Path)+" is asked for as a whole and by its fields; name its "+
					"fields alone")
				delete(through, l)
			}
		}
	}
	for _, l := range leavesOf(&c.q.Resource.Shape) {
		if chosen[l] {
			c.q.Leaves = append(c.q.Leaves, l)
		}
		if through[l] == nil {
			continue
		}
		if chosen[l] && l.RefersAs() == l.Path {
			c.wrong.Add(name, "not_allowed", strconv.Quote(l.Path)+" is asked for as an id and as an object; name "+l.Path+".id instead")
		}
		_, shape := c.referred(l)
		t := Through{Via: l, Before: len(c.q.Leaves), Leaves: slices.DeleteFunc(leavesOf(shape), func(far *schema.Leaf) bool {
			return !through[l][far] || far.Member != "" && through[l][shape.Reading()]
		})}
		t.Ref, _ = c.follow("fields", l) // what may not be read is absent
		c.q.Through = append(c.q.Through, t)
	}
}

// leavesOf are the leaves that can be chosen, in order: those of the shape, and the one that stands for all added fields in the
// place of their document.
func leavesOf(shape *schema.Shape) []*schema.Leaf {
	leaves := slices.Clone(shape.Leaves)
	if reading := shape.Reading(); reading != nil {
		leaves[reading.Index] = reading
	}
	return leaves
}
