package exchange

import (
	"archive/zip"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/tabular"
)

// An archive of a business comes into another one as rows like those of any file: each has a record, and says of which resource.
// Records stand behind what they lead to, as far as that is possible; what leads on, or to its own kind, comes once more at the
// end. See ADR 0067.

// Bounds of an archive: whoever sends it decides what is in it.
const (
	// MaxArchived is how many bytes an archive that is sent may have unpacked, and archiveRatio how many for each that is sent.
	MaxArchived  = 1 << 30
	archiveRatio = 100
	// MaxArchiveLine is how many bytes a record may have, and maxGuide about how many what is known of its users and settings.
	MaxArchiveLine = 4 << 20
	maxGuide       = 1 << 20
	// leastName is for how many bytes each of them counts at least: also what has no name takes its place.
	leastName = 8
)

// ArchiveFormat is what the format of an archive is called.
const ArchiveFormat = "archive"

// Guide is what is known of an archive beside its records: what leads to users and settings, which are found by what they are called.
type Guide struct {
	// Business is whose archive it is.
	Business string `json:"business"`
	// Users are the addresses of users, by their ids.
	Users map[string]string `json:"users,omitempty"`
	// Named are the records that are found by their names, by their kinds. What an earlier version read has none.
	Named map[string][]guided `json:"named"`
	// Where the first of an id stands, by kind and by what list items are called, so that no row has to look for it: items in their record.
	at     map[string]map[string]int
	itemAt map[string]map[string][2]int
}

// guided is something that is found by its name. Of several with one name the first is the first, and so on.
type guided struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Items are what it has in its lists that is found so itself, by what that is called.
	Items map[string][]guided `json:"items,omitempty"`
	// before is how many of its name stand before it.
	before int
}

func (g *guided) add(p *schema.ListItem, item guided) {
	if g.Items == nil {
		g.Items = map[string][]guided{}
	}
	g.Items[p.Name] = append(g.Items[p.Name], item)
}

// Archive reads the rows of an archive.
type Archive struct {
	Guide
	files map[string]*zip.File
	// left is how many bytes may still be unpacked, and most how many rows there may be.
	left, most, count int64
	// late are the fields given once more at the end, by the kind, lateCustom the added ones by their names, part how far it has been read.
	late       map[*record.Kind][]string
	lateCustom map[*record.Kind]map[string]bool
	part       int
	// names is how many bytes there are of what is known beside the records.
	names int
	open  io.ReadCloser
	lines *bufio.Reader
	// pause is called now and then while it is unpacked, where somebody wants that.
	pause func() error
}

func badArchive(format string, args ...any) error {
	return problem.New(problem.ValidationFailed, "The archive cannot be read: "+format, args...)
}

// OpenArchive begins to read an archive of so many bytes; at most says how many rows it may have, and is 0 where the operator brings it.
func OpenArchive(from io.ReaderAt, size, most int64) (*Archive, error) {
	z, err := tabular.Zip(from, size)
	if err != nil {
		return nil, badArchive("it is damaged, or none.")
	}
	a := &Archive{
		files: map[string]*zip.File{}, left: size * archiveRatio, most: most,
		late: map[*record.Kind][]string{}, lateCustom: map[*record.Kind]map[string]bool{},
	}
	if most > 0 {
		a.left = min(a.left, MaxArchived)
	}
	known := map[string]bool{archiveBusiness: true, archiveSchema: true}
	for _, k := range record.Kinds() {
		known[fileOf(k)] = true
	}
	for _, f := range z.File {
		switch {
		case !known[f.Name]:
			return nil, badArchive("it has %s, which is in no archive of a business.", problem.Quote(f.Name))
		case a.files[f.Name] != nil:
			return nil, badArchive("it has %s twice.", f.Name)
		}
		a.files[f.Name] = f
	}
	return a, a.guide()
}

// fileOf is the name of the file with the records of a kind.
func fileOf(k *record.Kind) string { return k.Plural + "." + string(query.JSONL) }

// Close ends the reading.
func (a *Archive) Close() {
	if a.open != nil {
		a.open.Close()
	}
	a.open, a.lines = nil, nil
}

// unpacked bounds what is unpacked of an archive.
type unpacked struct {
	from io.Reader
	a    *Archive
}

func (u unpacked) Read(p []byte) (int, error) {
	if u.a.pause != nil {
		if err := u.a.pause(); err != nil {
			return 0, err
		}
	}
	n, err := u.from.Read(p)
	if u.a.left -= int64(n); u.a.left < 0 {
		return 0, problem.New(problem.PayloadTooLarge,
			"The archive is too large when it is unpacked. Its operator can bring it in by kith import.")
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = badArchive("it is damaged.")
	}
	return n, err
}

// begin opens a file of the archive, and reports false where it has none of that name.
func (a *Archive) begin(name string) (bool, error) {
	a.Close()
	f := a.files[name]
	if f == nil {
		return false, nil
	}
	in, err := f.Open()
	if err != nil {
		return false, badArchive("it is damaged.")
	}
	a.open, a.lines = in, bufio.NewReaderSize(unpacked{in, a}, 64<<10)
	return true, nil
}

// line reads the next line, or gives io.EOF.
func (a *Archive) line() (text []byte, err error) {
	for {
		part, more, err := a.lines.ReadLine()
		if err != nil {
			return nil, err
		}
		if len(text)+len(part) > MaxArchiveLine {
			return nil, badArchive("a line has more than %d bytes.", MaxArchiveLine)
		}
		if text = append(text, part...); !more {
			break
		}
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, badArchive("it has an empty line.")
	}
	return text, nil
}

// each reads all lines of a small file.
func (a *Archive) each(k *record.Kind, do func(entry *body.Node)) error {
	there, err := a.begin(fileOf(k))
	for n := 0; there && err == nil; n++ {
		var text []byte
		if text, err = a.line(); err != nil {
			break
		}
		if n += len(text); n > 4*maxGuide {
			return badArchive("it has too many %s.", k.Plural)
		}
		entry, err := body.Parse(text)
		if err != nil || entry.Kind != body.Object {
			return badArchive("a line of %s is no record.", fileOf(k))
		}
		if do(entry); a.names > maxGuide {
			return badArchive("its users and settings have more than %d bytes of names.", maxGuide)
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return err
}

// guide reads what is to be known before the records.
func (a *Archive) guide() error {
	there, err := a.begin(archiveBusiness)
	if err != nil {
		return err
	}
	if !there {
		return badArchive("it has no %s.", archiveBusiness)
	}
	text, err := a.line()
	if err != nil {
		return err
	}
	business, err := body.Parse(text)
	if err != nil {
		return badArchive("%s is no record.", archiveBusiness)
	}
	read := func(n *body.Node, l *schema.Leaf) string {
		v, _ := n.Get(l.Name)
		a.names += max(leastName, len(v.Text))
		return v.Text
	}
	a.Business = read(business, record.Business.Common.ID)
	a.Users = map[string]string{}
	if err := a.each(account.User, func(n *body.Node) {
		a.Users[read(n, account.Users.ID)] = read(n, account.Users.Email)
	}); err != nil {
		return err
	}
	a.Named = map[string][]guided{}
	for _, k := range record.StartingKinds() {
		if err := a.each(k, func(n *body.Node) {
			g := guided{ID: read(n, k.Common.ID), Name: read(n, k.Names[0])}
			for _, p := range listItems(k) {
				list, _ := n.Get(p.List.Name)
				for i := 0; i < len(list.Items) && a.names <= maxGuide; i++ {
					item := &list.Items[i]
					g.add(p, guided{
						ID: read(item, p.ID), Name: itemCalled(p, func(l *schema.Leaf) string { return read(item, l) }),
					})
				}
			}
			a.Named[k.Name] = append(a.Named[k.Name], g)
		}); err != nil {
			return err
		}
	}
	for _, k := range carriedKinds() {
		for _, l := range k.Leaves {
			if l.Target != nil && !l.ReadOnly && l.Member == "" && place(l.Target.Name) >= place(k.Name) {
				a.late[k] = append(a.late[k], l.Path)
			}
		}
	}
	if err := a.each(record.Field, func(n *body.Node) {
		k := record.KindOf(read(n, record.Fields.Resource))
		if target := read(n, record.Fields.Target); k != nil && target != "" && place(target) >= place(k.Name) {
			if a.lateCustom[k] == nil {
				a.lateCustom[k] = map[string]bool{}
			}
			a.lateCustom[k][read(n, record.Fields.Name)] = true
		}
	}); err != nil {
		return err
	}
	a.Close()
	return nil
}

// The members of a row of an archive.
const (
	rowResource = "resource"
	rowRecord   = "record"
	rowAgain    = "again"
)

// archiveRow is a record as it stands in a row.
func archiveRow(resource string, entry body.Node, again bool) *body.Node {
	n := &body.Node{Kind: body.Object, Members: []body.Member{
		{Name: rowResource, Value: body.Node{Kind: body.String, Text: resource}},
		{Name: rowRecord, Value: entry},
	}}
	if again {
		n.Members = append(n.Members, body.Member{Name: rowAgain, Value: body.Node{Kind: body.Bool, Text: "true"}})
	}
	return n
}

// Next reads the next row, or gives io.EOF.
func (a *Archive) Next() (row tabular.Row, err error) {
	for row.Object == nil && row.Fault == nil {
		if row.Object, row.Fault, err = a.next(); err != nil {
			return row, err
		}
	}
	if a.count++; a.most > 0 && a.count > a.most {
		return row, badArchive("it has more than %d records. Its operator can bring it in by kith import.", a.most)
	}
	row.N = a.count
	return row, nil
}

// next reads the next line, or gives nothing where nothing is to be done for it. An archive has the business, each kind, and each again.
func (a *Archive) next() (row *body.Node, fault, err error) {
	var k *record.Kind
	kinds := carriedKinds()
	if a.part > 0 {
		k = kinds[(a.part-1)%len(kinds)]
	}
	again := a.part > len(kinds)
	if a.part > 2*len(kinds) {
		return nil, nil, io.EOF
	}
	if a.lines == nil {
		name, there := archiveBusiness, false
		if a.part > 0 {
			name = fileOf(k)
		}
		if !again || a.comesAgain(k) {
			if there, err = a.begin(name); err != nil {
				return nil, nil, err
			}
		}
		if !there {
			a.part++
			return nil, nil, nil
		}
	}
	text, err := a.line()
	if errors.Is(err, io.EOF) {
		a.Close()
		a.part++
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	entry, fault := body.Parse(text)
	switch {
	case fault == nil && entry.Kind != body.Object:
		fault = errors.New("it is no record")
	case a.part == 0:
		return archiveRow(record.Business.Name, *entry, false), fault, nil
	}
	if fault != nil {
		if again {
			return nil, nil, nil // it was told already
		}
		return nil, fmt.Errorf("a line of %s: %w", fileOf(k), fault), nil
	}
	if again && k != record.Field {
		entry = only(entry, k, a.late[k], a.lateCustom[k])
	}
	if entry == nil || again && k == record.Field && !tightened(entry) {
		return nil, nil, nil
	}
	return archiveRow(k.Name, *entry, again), nil, nil
}

// comesAgain tells whether something of a kind is given once more at the end.
func (a *Archive) comesAgain(k *record.Kind) bool {
	return k == record.Field || len(a.late[k]) > 0 || len(a.lateCustom[k]) > 0
}

// only gives the id of a record and those of some fields that have values; nil where none has, however many fields are named.
func only(entry *body.Node, k *record.Kind, paths []string, customs map[string]bool) *body.Node {
	id, _ := entry.Get(k.Common.ID.Name)
	some := &body.Node{Kind: body.Object, Members: []body.Member{{Name: k.Common.ID.Name, Value: id}}}
	for _, path := range paths {
		if v, given := entry.Get(path); given && v.Kind != body.Null {
			some.Members = append(some.Members, body.Member{Name: path, Value: v})
		}
	}
	within, _ := entry.Get(k.Common.CustomFields.Name)
	var custom []body.Member
	for _, m := range within.Members {
		if customs[m.Name] && !m.Again && m.Value.Kind != body.Null {
			custom = append(custom, m)
		}
	}
	if len(custom) > 0 {
		value := body.Node{Kind: body.Object, Members: custom}
		some.Members = append(some.Members, body.Member{Name: k.Common.CustomFields.Name, Value: value})
	}
	if len(some.Members) == 1 {
		return nil
	}
	return some
}

// tightened tells whether the definition of a field says more in the end than at first.
func tightened(entry *body.Node) bool {
	required, _ := entry.Get(record.Fields.Required.Name)
	options, _ := entry.Get(record.Fields.Options.Name)
	return required.Text == "true" || slices.ContainsFunc(options.Items, func(n body.Node) bool {
		archived, _ := n.Get(record.Fields.Option.Archived.Name)
		return archived.Text == "true"
	})
}
