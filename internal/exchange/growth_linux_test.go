package exchange

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/crm"
	"github.com/kith-crm/kith/internal/paper"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/tabular"
)

// processorTime is how much processor time of its own thread something takes, so that neither what runs beside it nor how busy the
// machine is counts.
func processorTime(t *testing.T, do func()) time.Duration {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const thread = 1 // RUSAGE_THREAD
	now := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(thread, &u); err != nil {
			t.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	runtime.GC()
	before := now()
	do()
	return now() - before
}

// What meets the input of strangers takes time as that grows, and not as its square. Four times as much may cost ten times as much,
// where the square would be sixteen.
const (
	mostGrowth = 10
	// slack is what does not count: a parser that gives up at once has no growth that could be measured.
	slack = 2 * time.Millisecond
)

// grows holds the time that parse takes to the size of its input: of 256 KB, 1 MB and 4 MB.
// Because what is bounded ends to grow, and is dear nonetheless, a megabyte may also take no more than so many times what it takes to
// hash 64 MB.
func grows(t *testing.T, plain time.Duration, shape func(n int) []byte, parse func([]byte)) {
	t.Helper()
	small := shape(256 << 10)
	least := processorTime(t, func() { parse(small) })
	for _, size := range []int{1 << 20, 4 << 20} {
		large := shape(size)
		most := processorTime(t, func() { parse(large) })
		for range 3 { // the least of several is the nearest to what it takes
			if most+slack <= mostGrowth*(least+slack) {
				break
			}
			least, most = min(least, processorTime(t, func() { parse(small) })), min(most, processorTime(t, func() { parse(large) }))
		}
		if most+slack > mostGrowth*(least+slack) {
			t.Fatalf("%d bytes take %v, and %d bytes %v", len(small), least, len(large), most)
		}
		if size == 1<<20 && most > mostOfPlain*plain {
			t.Fatalf("%d bytes take %v, and to hash 64 MB %v", len(large), most, plain)
		}
		small, least = large, most
	}
}

// mostOfPlain is how many times as long as hashing 64 MB any parser takes for one.
const mostOfPlain = 40

// filled repeats parts until there are so many bytes.
func filled(before, part, after string) func(int) []byte {
	return func(n int) []byte {
		return []byte(before + strings.Repeat(part, max(1, (n-len(before)-len(after))/len(part))) + after)
	}
}

// packed is a zip of one large part and some others.
func packed(t *testing.T, name string, content func(int) []byte, others map[string]string) func(int) []byte {
	return func(n int) []byte {
		t.Helper()
		var out bytes.Buffer
		z := zip.NewWriter(&out)
		put := func(name string, text []byte) {
			w, err := z.Create(name)
			if err == nil {
				_, err = w.Write(text)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		for other, text := range others {
			put(other, []byte(text))
		}
		put(name, content(n))
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
}

// archiveOf is an archive of large files, each of its share of so many bytes, as they are: what is compressed may be refused for that.
func archiveOf(t *testing.T, files map[string]func(int) []byte) func(int) []byte {
	return func(n int) []byte {
		t.Helper()
		var out bytes.Buffer
		z := zip.NewWriter(&out)
		put := func(name string, text []byte) {
			w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
			if err == nil {
				_, err = w.Write(text)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		put(archiveBusiness, []byte(`{"id":"business_01kh4xv1qcf0mvq8gk8d8mvxd9"}`+"\n"))
		for name, content := range files {
			put(name, content(n/len(files)))
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
}

// openArchive does with an archive what an upload does with it before anything is written.
func openArchive(file []byte) {
	a, err := OpenArchive(bytes.NewReader(file), int64(len(file)), tabular.MaxFileRows)
	if err != nil {
		if p := problem.As(err); p == nil || strings.Contains(p.Detail, "damaged") {
			panic(err)
		}
		return
	}
	defer a.Close()
	var packer tabular.Packer
	for err == nil {
		var row tabular.Row
		if row, err = a.Next(); err == nil && packer.Add(row) {
			if _, _, err := packer.Pack(); err != nil {
				panic(err)
			}
		}
	}
	if !errors.Is(err, io.EOF) && problem.As(err) == nil {
		panic(err)
	}
}

// findSettings looks for all that an archive names, as its rows do.
func findSettings(file []byte) {
	a, err := OpenArchive(bytes.NewReader(file), int64(len(file)), tabular.MaxFileRows)
	if err != nil {
		return
	}
	defer a.Close()
	for _, p := range a.Named[crm.Pipeline.Name] {
		a.place(crm.Pipeline, p.ID)
		for _, items := range p.Items {
			for i := range items {
				nth(items, i, nil)
			}
		}
	}
}

// Neither what is named again and again nor a long value makes an archive larger than it is, be it both at once.
func TestArchivesAreReadInTheMemoryOfTheirSize(t *testing.T) {
	file := archiveOf(t, map[string]func(int) []byte{
		"fields.jsonl":   filled("", `{"id":"field_1","resource":"contact","name":"a","target":"contact"}`+"\n", ""),
		"contacts.jsonl": filled(`{"id":"contact_1","custom_fields":{"a":"`, "b", `"}}`+"\n"),
	})(100 << 10)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	openArchive(file)
	runtime.ReadMemStats(&after)
	if took, most := after.TotalAlloc-before.TotalAlloc, uint64(len(file))*mostMemory; took > most {
		t.Errorf("%d bytes take %d, more than %d", len(file), took, most)
	}
}

// mostMemory is how many times its size is allocated for an archive, together with all that is let go of meanwhile.
const mostMemory = 200

// operatorPrincipal may do everything, in no business.
var operatorPrincipal = account.SystemPrincipal(store.Tenant{}, schema.UUID{})

// everyKind is a field of each kind that a cell can be.
var everyKind = schema.CompileBody("a row",
	schema.Field{Name: "text", Kind: schema.Text, File: schema.File{Joined: true}},
	schema.Field{Name: "long", Kind: schema.LongText},
	schema.Field{Name: "money", Kind: schema.Money},
	schema.Field{Name: "number", Kind: schema.Number},
	schema.Field{Name: "day", Kind: schema.Date},
	schema.Field{Name: "at", Kind: schema.Time},
	schema.Field{Name: "tags", Kind: schema.Tags},
	schema.Field{Name: "yes", Kind: schema.Bool},
	schema.Field{Name: "level", Kind: schema.Choice, Options: []string{"low", "high"}},
	schema.Field{Name: "more", Kind: schema.List, Fields: []schema.Field{{Name: "x", Kind: schema.Text}}})

// readFile does with a file what an upload and a run do with it before anything is written.
func readFile(d tabular.Dialect) func([]byte) {
	return func(file []byte) {
		r, err := tabular.Open(bytes.NewReader(file), d)
		if err != nil {
			return
		}
		defer r.Close()
		var seen tabular.Survey
		var packer tabular.Packer
		var wrong problem.Fields
		for {
			row, err := r.Next()
			if err != nil {
				break
			}
			for _, cell := range row.Cells {
				seen.Note(cell)
				for _, l := range everyKind.Leaves {
					if len(cell) < 100 && row.N > 100 { // what is short costs the same each time
						break
					}
					if n, err := seen.Style(r.Dialect).Read(l, cell, false); err == nil {
						_, _ = body.Value(n, l)
					}
				}
			}
			if row.Object != nil {
				body.Decode(*row.Object, everyKind, true, "", &wrong)
				wrong = nil
			}
			if packer.Add(row) {
				if _, _, err := packer.Pack(); err != nil {
					panic(err)
				}
			}
		}
		im := &Import{kind: crm.Contact, res: &crm.Contact.Resource, who: operatorPrincipal}
		names := im.names()
		for i, name := range r.Head {
			im.column(i, name, names)
		}
	}
}

// Each parser, fed with the worst that it can be given.
func TestParsersTakeTimeAsTheirInputGrows(t *testing.T) {
	t.Parallel()
	csv, jsonl := readFile(tabular.Dialect{Encoding: "utf-8"}), readFile(tabular.Dialect{Format: "jsonl"})
	cards := readFile(tabular.Dialect{Format: tabular.Cards})
	book, anything := readFile(tabular.Dialect{}), readFile(tabular.Dialect{})
	card := func(part string) func(int) []byte { return filled("BEGIN:VCARD\nVERSION:2.1\n", part, "\nEND:VCARD\n") }
	many := func(part string) func(int) []byte { return filled("", "BEGIN:VCARD\n"+part+"\nEND:VCARD\n", "") }
	encoded := func(begin, part string) func(int) []byte {
		return filled("BEGIN:VCARD\nNOTE;ENCODING=QUOTED-PRINTABLE:"+begin, part, "\nEND:VCARD\n")
	}
	sheet := func(before, part, after string) func(int) []byte {
		before = "<worksheet><sheetData><row><c t=\"str\"><v>name</v></c></row>" + before
		return packed(t, "xl/worksheets/sheet1.xml", filled(before, part, after+"</sheetData></worksheet>"),
			map[string]string{"xl/sharedStrings.xml": "<sst><si><t>" + strings.Repeat("text ", 50) + "</t></si></sst>"})
	}
	texts := func(part string) func(int) []byte {
		return packed(t, "xl/sharedStrings.xml", filled("<sst>", part, "</sst>"), map[string]string{
			"xl/worksheets/sheet1.xml": "<worksheet><sheetData><row><c t=\"s\"><v>0</v></c></row></sheetData></worksheet>",
		})
	}
	styles := func(part string) func(int) []byte {
		return packed(t, "xl/styles.xml", filled("<styleSheet><cellXfs>", part, "</cellXfs></styleSheet>"), nil)
	}
	archive := func(name, part string) func(int) []byte {
		return archiveOf(t, map[string]func(int) []byte{name: filled("", part, "")})
	}
	field := func(name string) string {
		return `{"id":"field_1","resource":"contact","name":"` + name + `","target":"contact"}` + "\n"
	}
	// fields are as many different ones as may be, or nearly.
	fields := func(n int) (out []byte) {
		for i := 0; len(out) < min(n, 3<<20); i++ {
			out = append(out, field(fmt.Sprint("f", i))...)
		}
		return out
	}
	customs := filled(`{"id":"contact_1","custom_fields":{`, `"f1":"x",`, `"f2":"y"}}`+"\n")
	stages := filled(`{"id":"pipeline_1","name":"Sales","stages":[`, `{},`, `{}]}`+"\n")
	parse := func(text []byte) {
		n, err := body.Parse(text)
		if err != nil || n == nil {
			return
		}
		body.Append(nil, *n)
		var wrong problem.Fields
		body.Decode(*n, &crm.Contact.Resource.Shape, true, "", &wrong)
		_ = wrong.Err()
	}
	search := func(text []byte) {
		n, err := body.Parse(text)
		if err != nil || n == nil {
			return
		}
		who := operatorPrincipal.Reader(t.Context())
		_, _ = query.Check(*n, &crm.Contact.Resource, false, who, nil, query.Asker{})
		_, _ = query.CheckAggregate(*n, &crm.Contact.Resource, who)
		_, _ = query.CheckExport(*n, &crm.Contact.Resource, who)
	}
	logo := func(picture []byte) { paper.Logo(picture) }
	words := func(text []byte) {
		query.Fold(string(text))
		for _, f := range []schema.Format{
			schema.Email, schema.Phone, schema.URL, schema.Domain, schema.Currency, schema.Timezone, schema.FieldName, schema.Locale,
		} {
			f.Normalize(string(text))
		}
		_, _ = schema.ParseDecimal(string(text))
		_, _ = schema.ParseID("contact", string(text))
	}
	block, plain := make([]byte, 64<<20), time.Hour
	for range 3 {
		plain = min(plain, processorTime(t, func() { sha256.Sum256(block) }))
	}
	for _, c := range []struct {
		what  string
		shape func(int) []byte
		parse func([]byte)
	}{
		{"csv: short rows", filled("name,city\n", "a,b\n", ""), csv},
		{"csv: empty rows", filled("name,city\n", "\n", "a,b"), csv},
		{"csv: quotes that are not closed", filled("name,city\n", "\"a,b\n", ""), csv},
		{"csv: quotes that are not closed at the end", filled("name,city\n", "a,\"b\n", ""), csv},
		{"csv: stray quotes", filled("name,city\n", "\"a\" b,\"c\"d\n", ""), csv},
		{"csv: quotes in one row", filled("name,city\n\"", "\"\"", "\",b\n"), csv},
		{"csv: quotes and marks in one row", filled("name,city\n", "\"x\"\",", "\n"), csv},
		{"csv: quotes and spaces in one row", filled("name,city\n\"", "\"   ", "\n"), csv},
		{"csv: a cell of lines", filled("name,city\n\"", "x\n", "\",b\n"), csv},
		{"csv: a cell of commas", filled("name,city\n\"", "a,", "\",b\n"), csv},
		{"csv: a cell of points", filled("name,city\n", "1.", ",b\n"), csv},
		{"csv: a cell of several values", filled("name,city\n", "a ::: ", ",b\n"), csv},
		{"csv: a cell of one word", filled("name,city\n", "\u00e9", ",b\n"), csv},
		{"csv: a cell that grows when it is folded", filled("name,city\n", "\ufdfa", ",b\n"), csv},
		{"csv: a cell of brackets", filled("name,city\n", "[", ",b\n"), csv},
		{"csv: a cell of apostrophes", filled("name,city\n", "'", "=,b\n"), csv},
		{"csv: columns of no name", filled("", ",", "\n1\n"), csv},
		{"csv: columns of one name", filled("", "name;", "\n1\n"), csv},
		{"csv: a column with a long name", filled("", "contact_", ",b\n1,2\n"), csv},
		{"csv: a column with a name of numbers", filled("", "1 ", ",b\n1,2\n"), csv},
		{"csv: titles", filled("", "title\n", "a,b\n1,2\n"), csv},
		{"csv: any bytes", func(n int) []byte { return noise(n) }, anything},
		{"csv: UTF-16", func(n int) []byte {
			return append([]byte{0xff, 0xfe}, bytes.Repeat([]byte("a\x00,\x00\n\x00"), n/6)...)
		}, anything},
		{"jsonl: short lines", filled("", "{\"a\":1}\n", ""), jsonl},
		{"jsonl: no JSON", filled("", "{\n", ""), jsonl},
		{"jsonl: a long line", filled("{\"a\":\"", "\\u0041", "\"}\n"), jsonl},
		{"jsonl: members of one name", filled("{", "\"a\":1,", "\"b\":2}\n"), jsonl},
		{"vcard: soft breaks", card("NOTE;ENCODING=QUOTED-PRINTABLE:=\n"), cards},
		{"vcard: a property of soft breaks", encoded("", "=\n"), cards},
		{"vcard: a long value and soft breaks", encoded(strings.Repeat("x", 60_000)+"=\n", "=\n"), cards},
		{"vcard: soft breaks with something in them", encoded("", "=41=\n"), cards},
		{"vcard: many with soft breaks", many("FN;QUOTED-PRINTABLE:" + strings.Repeat("=\n", 30_000)), cards},
		{"vcard: folds", filled("BEGIN:VCARD\nNOTE:", "x\n ", "\nEND:VCARD\n"), cards},
		{"vcard: many with folds", many("FN:" + strings.Repeat("x\n ", 20_000)), cards},
		{"vcard: parameters", filled("BEGIN:VCARD\nTEL", ";TYPE=cell", ":1\nEND:VCARD\n"), cards},
		{"vcard: many with parameters", many("TEL" + strings.Repeat(";A", 30_000) + ":1"), cards},
		{"vcard: many with quoted parameters", many("TEL;X=\"" + strings.Repeat("\\\"", 20_000) + ":1"), cards},
		{"vcard: many with components", many("N:" + strings.Repeat(";", 60_000)), cards},
		{"vcard: many with escapes", many("FN:" + strings.Repeat("\\;", 30_000)), cards},
		{"vcard: many with categories", many("CATEGORIES:" + strings.Repeat(",a", 30_000)), cards},
		{"vcard: many with telephones", many(strings.Repeat("TEL:1\n", 20_000)), cards},
		{"vcard: lines between", filled("BEGIN:VCARD\nEND:VCARD\n", "x\n", ""), cards},
		{"xlsx: rows", sheet("", "<row><c><v>1</v></c></row>", ""), book},
		{"xlsx: rows that share a text", sheet("", "<row><c t=\"s\"><v>0</v></c></row><!--"+strings.Repeat("x", 1000)+"-->", ""), book},
		{"xlsx: empty rows", sheet("", "<row/>", ""), book},
		{"xlsx: cells of a row", sheet("<row>", "<c r=\"A1\"><v>1</v></c>", "</row>"), book},
		{"xlsx: cells far out", sheet("", "<row><c r=\"SF1\"><v>1</v></c></row><!--"+strings.Repeat("x", 4000)+"-->", ""), book},
		{"xlsx: a cell in pieces", sheet("<row><c t=\"str\"><v>", "x<!---->", "</v></c></row>"), book},
		{"xlsx: escapes", sheet("<row><c t=\"str\"><v>", "_x0041_", "</v></c></row>"), book},
		{"xlsx: what looks like escapes", sheet("<row><c t=\"str\"><v>", "_x", "</v></c></row>"), book},
		{"xlsx: attributes", sheet("<row ", "a=\"1\" ", "/>"), book},
		{"xlsx: elements", sheet("", "<a>", ""), book},
		{"xlsx: entities", sheet("<row><c t=\"str\"><v>", "&amp;", "</v></c></row>"), book},
		{"xlsx: texts", texts("<si><t>a</t></si>"), book},
		{"xlsx: a text in pieces", texts("<si>" + strings.Repeat("<r><t>a</t></r>", 40_000) + "</si>"), book},
		{"xlsx: styles", styles("<xf numFmtId=\"14\"/>"), book},
		{"xlsx: formats", styles("<numFmt numFmtId=\"164\" formatCode=\"yyyy\"/>"), book},
		{"archive: records", archive("contacts.jsonl", `{"id":"contact_1","name":"Anna"}`+"\n"), openArchive},
		{"archive: a long record", archive("contacts.jsonl", `{"id":"contact_1","name":"`+strings.Repeat("a", 1000)+"\"}\n"), openArchive},
		{"archive: users", archive("users.jsonl", `{"id":"user_1","email":"a@example.com"}`+"\n"), openArchive},
		{
			"archive: fields",
			archive("fields.jsonl", field("a")), openArchive,
		},
		{"archive: fields and records", archiveOf(t, map[string]func(int) []byte{
			"fields.jsonl": fields, "contacts.jsonl": filled("", `{"id":"contact_1","custom_fields":{"f1":"x"}}`+"\n", ""),
		}), openArchive},
		{
			"archive: fields and a long record", archiveOf(t,
				map[string]func(int) []byte{"fields.jsonl": fields, "contacts.jsonl": customs}),
			openArchive,
		},
		{"archive: a field again and again, and records", archiveOf(t, map[string]func(int) []byte{
			"fields.jsonl":   filled("", field("f1"), ""),
			"contacts.jsonl": filled("", `{"id":"contact_1","custom_fields":{"f1":"x"}}`+"\n", ""),
		}), openArchive},
		{"archive: stages of no name", archiveOf(t, map[string]func(int) []byte{"pipelines.jsonl": stages}), openArchive},
		{"archive: stages are found", archiveOf(t, map[string]func(int) []byte{
			"pipelines.jsonl": func(n int) []byte {
				return filled(`{"id":"pipeline_1","name":"Sales","stages":[`, `{},`,
					`{}]}`+"\n")(n / 40)
			},
		}), findSettings},
		{"zip: its directory", func(n int) []byte { return directory(t, n/4) }, book},
		{"JSON: a text", filled("\"", "\\ud83d\\ude00", "\""), parse},
		{"JSON: a list", filled("[", "1,", "1]"), parse},
		{"JSON: lists", filled("[", "[],", "1]"), parse},
		{"JSON: members", func(n int) []byte { return members(n, "m%d") }, parse},
		{"JSON: members of one name", filled("{", "\"name\":1,", "\"name\":2}"), parse},
		{"JSON: members that are nearly fields", func(n int) []byte { return members(n, "frst_nam%d") }, parse},
		{"JSON: members of a group", filled("{\"address\":{", "\"city\":\"a\",", "\"x\":1}}"), parse},
		{"JSON: tags", filled("{\"tags\":[", "\"a\",", "\"b\"]}"), parse},
		{"JSON: a number", filled("", "1", ""), parse},
		{"JSON: brackets", filled("", "[", ""), parse},
		{"JSON: white space", filled("", " ", "1"), parse},
		{"search: filters", filled("{\"filters\":[", "{\"field\":\"nam\",\"operator\":\"eq\",\"value\":\"a\"},", "1]}"), search},
		{"search: values", filled("{\"filters\":[{\"field\":\"name\",\"operator\":\"in\",\"values\":[", "\"a\",", "\"b\"]}]}"), search},
		{"search: a text", filled("{\"search_text\":\"", "a ", "\"}"), search},
		{"search: a text that grows", filled("{\"search_text\":\"", "\ufdfa", "\"}"), search},
		{"search: fields", filled("{\"fields\":[", "\"nam\",", "\"name\"]}"), search},
		{"search: paths", filled("{\"fields\":[\"", "company.", "name\"]}"), search},
		{"search: groups", filled("{\"group_by\":[", "\"created_at:day\",", "\"name\"],\"metrics\":[\"count\"]}"), search},
		{"text: letters", filled("", "a", ""), words},
		{"text: accents", filled("", "e\u0301", ""), words},
		{"text: accents alone", filled("e", "\u0301\u0323", ""), words},
		{"text: letters that grow", func(n int) []byte { return filled("", "\ufdfa", "")(n / 16) }, words},
		{"text: an address", filled("a@", "a.", "de"), words},
		{"text: another address", filled("http://", "%41", ""), words},
		{"text: digits", filled("0.", "1", ""), words},
		{"logo: PNG", func(n int) []byte {
			return picture(t, n/8, func(out io.Writer, p image.Image) error { return png.Encode(out, p) })
		}, logo},
		{"logo: JPEG", func(n int) []byte {
			return picture(t, n/8, func(out io.Writer, p image.Image) error { return jpeg.Encode(out, p, nil) })
		}, logo},
		{"logo: a PNG of small parts", func(n int) []byte { return chunks(n / 8) }, logo},
		{"logo: a JPEG of small parts", filled("\xff\xd8", "\xff\xfe\x00\x02", "\xff\xd9"), logo},
	} {
		t.Run(c.what, func(t *testing.T) { grows(t, plain, c.shape, c.parse) })
	}
}

func noise(n int) []byte {
	out := make([]byte, n)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range out {
		out[i] = "ab \",;\n'0.=\xc3\xa9"[random.IntN(13)]
	}
	return out
}

func members(n int, name string) []byte {
	var out strings.Builder
	for i := 0; out.Len() < n; i++ {
		fmt.Fprintf(&out, ",\""+name+"\":%d", i, i)
	}
	return []byte("{" + out.String()[1:] + "}")
}

// directory is a zip of many empty parts.
func directory(t *testing.T, n int) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for i := 0; out.Len() < n; i++ {
		if _, err := z.Create(fmt.Sprintf("xl/%d", i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// picture is one of so many points.
func picture(t *testing.T, points int, encode func(io.Writer, image.Image) error) []byte {
	t.Helper()
	side := 1
	for side*side < points {
		side++
	}
	p := image.NewNRGBA(image.Rect(0, 0, side, side))
	for x := range side {
		p.Set(x, x, color.NRGBA{R: byte(x), A: 255})
	}
	var out bytes.Buffer
	if err := encode(&out, p); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// chunks is a PNG of nothing but small parts that say nothing.
func chunks(n int) []byte {
	out := []byte("\x89PNG\r\n\x1a\n")
	add := func(kind, data string) {
		sum := crc32.ChecksumIEEE([]byte(kind + data))
		out = append(out, 0, 0, 0, byte(len(data)))
		out = append(out, kind+data...)
		out = append(out, byte(sum>>24), byte(sum>>16), byte(sum>>8), byte(sum))
	}
	add("IHDR", "\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00")
	for len(out) < n {
		add("tEXt", "a\x00")
	}
	add("IEND", "")
	return out
}
