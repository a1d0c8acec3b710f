package schema

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
)

// Column is where values are kept. A declared leaf has one to itself. The leaves that a business adds share one, a document, in
// which each has a member: no table is changed for a single business.
type Column struct {
	Name string
	// Kind is that of what the column holds.
	Kind Kind
}

// Addition is a field that a business has beside the declared ones.
type Addition struct {
	// Member is what its value is called in the document: f and its number. Unlike the name it stays the same for as long as there
	// are values.
	Member string
	// Filing tells that its index is being made: it is kept up to date, but lacks values that were there before.
	Filing bool
	Field
}

// memberName is what a member may be called: short, and nothing that either engine takes for a path or a number.
var memberName = regexp.MustCompile(`^f[1-9][0-9]{0,15}$`)

// Files tells whether values of the kind can have an index beside the document.
func (k Kind) Files() bool {
	return k == Text || k == Choices || k.Scalar() && k != LongText
}

// Extend gives the resource as a business has it that adds fields. They are a group in the place of the document's own field. The
// leaves of the declared fields are the same as before, at the same places, so that handles hold for both; the added ones are
// behind them. The document's own leaf stays, too: it has the document as it is kept, of which the added leaves are readings.
// Records are answered by one more reading of it, which has all of them at once: so what a record costs depends on the values that
// it has, and not on how many fields there are. target finds what references lead to.
func (res *Resource) Extend(document *Leaf, target func(resource string) *Resource, added ...Addition) (*Resource, error) {
	res.Index(document) // it is one of its leaves
	if document.Kind != Document || document.Of != nil || res.document != nil {
		return nil, fmt.Errorf("%s of %s cannot be shared", document.Path, res.Name)
	}
	group := &Field{Name: document.Name, Kind: Group, Label: document.Label, About: document.About}
	shape := res.Shape
	shape.document = document
	shape.byPath = maps.Clone(shape.byPath)
	delete(shape.byPath, document.Path)
	shape.Leaves = slices.Clone(shape.Leaves)
	for _, a := range added {
		group.Fields = append(group.Fields, a.Field)
	}
	for i, a := range added {
		f := &group.Fields[i]
		l := &Leaf{
			Field: f, Whose: res.Name, Path: group.Name + "." + f.Name, Column: document.Column, Member: a.Member,
			Index: len(shape.Leaves), Of: group, IDPrefix: f.Ref.Prefix,
		}
		taken := slices.ContainsFunc(added[:i], func(before Addition) bool { return before.Member == a.Member })
		switch {
		case !memberName.MatchString(a.Member) || taken:
			return nil, fmt.Errorf("%s cannot be the member %q of %s", f.Name, a.Member, document.Path)
		case shape.byPath[l.Path] != nil:
			return nil, fmt.Errorf("%s has two fields %s", res.Name, l.Path)
		case f.Kind == Group || f.Kind == List || f.Kind == Document:
			return nil, fmt.Errorf("%s cannot be a %s in a document", l.Path, f.Kind.Name())
		case f.Find.Sorted || f.Find.Recent || f.Find.Named || f.Find.Indexed && !f.Kind.Files() ||
			f.Identity.Unique && (!f.Find.Indexed || a.Filing || f.Kind == Choices):
			return nil, fmt.Errorf("%s cannot have such an index in a document", l.Path)
		}
		if f.Find.Indexed {
			l.Filed = true
			f.Find.Indexed = !a.Filing
			shape.filed = append(shape.filed, l)
		}
		if f.Ref.To != "" {
			if l.Target = target(f.Ref.To); l.Target == nil {
				return nil, fmt.Errorf("%s refers to %s, which is not declared", l.Path, f.Ref.To)
			}
			l.IDPrefix = f.Ref.To
		}
		if f.Kind.Folded() {
			l.Key = a.Member + "_key"
		}
		shape.Leaves = append(shape.Leaves, l)
		shape.byPath[l.Path] = l
	}
	shape.Tree = slices.Clone(shape.Tree)
	shape.Tree[slices.Index(shape.Tree, document.Field)] = group
	_, own := (&shape).Document()
	shape.reading = &Leaf{
		Field: &Field{Name: group.Name, Kind: Document, Label: group.Label, About: group.About}, Whose: res.Name,
		Path: group.Name, Column: document.Column, Index: document.Index, Reads: append([]*Leaf{}, own...),
	}
	for i, bin := range []bool{false, true} {
		shape.visible[i] = slices.Clone(res.Visible(bin))
		shape.visible[i][slices.Index(shape.visible[i], document)] = shape.reading
	}
	extended := *res
	extended.Shape = shape
	return &extended, nil
}

// Document is the leaf of the document that added leaves are kept in, and these; nil where nothing was added.
func (s *Shape) Document() (document *Leaf, added []*Leaf) {
	if s.document == nil {
		return nil, nil
	}
	at := slices.IndexFunc(s.Leaves, func(l *Leaf) bool { return l.Member != "" })
	if at < 0 {
		return s.document, nil
	}
	return s.document, s.Leaves[at:]
}

// Filed are the added leaves whose values are in an index beside the document, also those whose index is being made.
func (s *Shape) Filed() []*Leaf { return s.filed }

// Visible gives the leaves that a record is answered with: the beginning of Leaves, because what only the bin shows is declared
// last, or those that Extend chose.
func (s *Shape) Visible(bin bool) []*Leaf {
	if s.document != nil {
		if bin {
			return s.visible[1]
		}
		return s.visible[0]
	}
	shown := len(s.Leaves)
	for !bin && shown > 0 && s.Leaves[shown-1].Writing.BinOnly {
		shown--
	}
	return s.Leaves[:shown:shown]
}

// Reading is the leaf by which all added fields of a record are answered at once; nil where nothing was added.
func (s *Shape) Reading() *Leaf { return s.reading }

// Append renders a live record as JSON.
func (r *Record) Append(dst []byte) []byte {
	leaves := r.Visible(false)
	return AppendRecord(dst, leaves, r.Values[:len(leaves)])
}
