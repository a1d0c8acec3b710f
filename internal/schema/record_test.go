package schema_test

import (
	"bytes"
	"math"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/schema"
)

func TestNewIDsRise(t *testing.T) {
	now := time.Now()
	var last schema.UUID
	for i := range 20_000 {
		// The clock stands still for a while, goes on, and goes back: the ids rise all the same.
		at := now.Add(time.Duration(i/7000-i/15000*5) * time.Millisecond)
		id := schema.NewID(at)
		if bytes.Compare(id[:], last[:]) <= 0 {
			t.Fatalf("id %d, %x, does not come after %x", i, id, last)
		}
		if id[6]>>4 != 7 || id[8]>>6 != 2 {
			t.Fatalf("%x is not a UUID of version 7", id)
		}
		last = id
	}
}

func TestNewIDTellsItsTime(t *testing.T) {
	// Far enough ahead that no id of another test has used the time up.
	at := time.Now().Add(time.Hour)
	id := schema.NewID(at)
	millis := int64(0)
	for _, b := range id[:6] {
		millis = millis<<8 | int64(b)
	}
	if millis != at.UnixMilli() {
		t.Errorf("the id says %d, want %d", millis, at.UnixMilli())
	}
}

func TestIDsAsText(t *testing.T) {
	// The example of the TypeID specification.
	id, err := schema.ParseID("prefix", "prefix_01h455vb4pex5vsknk084sn02q")
	want := schema.UUID{0x01, 0x89, 0x0a, 0x5d, 0xac, 0x96, 0x77, 0x4b, 0xbc, 0xce, 0xb3, 0x02, 0x09, 0x9a, 0x80, 0x57}
	if err != nil || id != want {
		t.Errorf("the id is %x, %v; want %x", id, err, want)
	}
	for _, text := range []string{
		"", "prefix", "prefix_", "01h455vb4pex5vsknk084sn02q", "_01h455vb4pex5vsknk084sn02q", "prefi_01h455vb4pex5vsknk084sn02q",
		"prefix_01h455vb4pex5vsknk084sn02", "prefix_01h455vb4pex5vsknk084sn02qq",
		"prefix_01h455vb4pex5vsknk084sn02u", "prefix_01H455VB4PEX5VSKNK084SN02Q", "prefix_8zzzzzzzzzzzzzzzzzzzzzzzzz",
		"prefix_00000000000000000000000000", "prefix_01h455vb4pex5vsknk084sn02\xff",
	} {
		if id, err := schema.ParseID("prefix", text); err == nil {
			t.Errorf("%q is taken as %x", text, id)
		}
	}
}

func TestTextsOfIDsSortAsTheirBytes(t *testing.T) {
	ids := []schema.UUID{
		{15: 1},
		{0: 0xff, 15: 0xff},
		{0: 0x80},
		{7: 1},
		{8: 0x80},
		{8: 0x7f},
		{0: 1},
		{15: 31},
		{15: 32},
		{14: 1},
		{7: 0x1f, 8: 0xf8},
	}
	for range 100 {
		ids = append(ids, schema.NewID(time.Now()))
	}
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = schema.FormatID("x", id)
	}
	sort.Strings(texts)
	sort.Slice(ids, func(i, j int) bool { return bytes.Compare(ids[i][:], ids[j][:]) < 0 })
	for i, id := range ids {
		if schema.FormatID("x", id) != texts[i] {
			t.Fatalf("number %d is %s by bytes and %s by text", i, schema.FormatID("x", id), texts[i])
		}
	}
}

// A text is an id if and only if it is how that id is written.
func FuzzParseID(f *testing.F) {
	f.Add("contact", "contact_01h455vb4pex5vsknk084sn02q", "contact_01h455vb4pex5vsknk084sn02r")
	f.Add("a_b", "a_b_7zzzzzzzzzzzzzzzzzzzzzzzzz", "a_b_00000000000000000000000001")
	f.Add("", "_01h455vb4pex5vsknk084sn02q", "")
	f.Fuzz(func(t *testing.T, prefix, a, b string) {
		x, err := schema.ParseID(prefix, a)
		if err != nil {
			return
		}
		if got := schema.FormatID(prefix, x); got != a {
			t.Fatalf("%q is read as %x, which is written %q", a, x, got)
		}
		if x == (schema.UUID{}) || !schema.IDValue(x).Set {
			t.Fatalf("%q reads as no id", a)
		}
		y, err := schema.ParseID(prefix, b)
		if err != nil {
			return
		}
		if bytes.Compare(x[:], y[:]) != strings.Compare(a, b) {
			t.Fatalf("%q and %q sort otherwise than their bytes", a, b)
		}
	})
}

func TestValuesAreRendered(t *testing.T) {
	leaf := func(k schema.Kind) *schema.Leaf { return &schema.Leaf{Field: &schema.Field{Kind: k}, IDPrefix: "x"} }
	at := time.Date(7, 2, 3, 4, 5, 6, 7_008, time.UTC)
	for _, c := range []struct {
		kind schema.Kind
		v    schema.Value
		want string
	}{
		{schema.Text, schema.TextValue(schema.Text, "a\"\\\n\u2028é😀"), `"a\"\\\n` + "\u2028" + `é😀"`},
		{schema.Text, schema.TextValue(schema.Text, ""), `null`},
		{schema.Bool, schema.BoolValue(true), `true`},
		{schema.Bool, schema.Absent(schema.Bool), `null`},
		{schema.Integer, schema.IntValue(schema.Integer, -5), `-5`},
		{schema.Number, schema.FloatValue(0.1), `0.1`},
		{schema.Number, schema.FloatValue(math.Copysign(0, -1)), `0`},
		{schema.Number, schema.FloatValue(1e21), `1e+21`},
		{schema.Number, schema.FloatValue(1e20), `100000000000000000000`},
		{schema.Money, schema.IntValue(schema.Money, 15_000), `"1.50"`},
		{schema.Quantity, schema.IntValue(schema.Quantity, -1), `"-0.0001"`},
		{schema.Percent, schema.IntValue(schema.Percent, 125_000), `12.5`},
		{schema.Date, schema.DateValue(at), `"0007-02-03"`},
		{schema.Date, schema.IntValue(schema.Date, -1), `"1969-12-31"`},
		{schema.Time, schema.TimeValue(at), `"0007-02-03T04:05:06.000007Z"`},
		{schema.Time, schema.IntValue(schema.Time, -1), `"1969-12-31T23:59:59.999999Z"`},
		{schema.ID, schema.IDValue(schema.UUID{15: 1}), `"x_00000000000000000000000001"`},
		{schema.ID, schema.IDValue(schema.UUID{}), `null`},
		{schema.Tags, schema.Absent(schema.Tags), `[]`},
		{schema.List, schema.Absent(schema.List), `[]`},
		{schema.Document, schema.Absent(schema.Document), `{}`},
	} {
		if got := string(schema.AppendValue(nil, leaf(c.kind), c.v)); got != c.want {
			t.Errorf("a %s is rendered %s, want %s", c.kind.Name(), got, c.want)
		}
	}
}

func TestDaysBefore1970(t *testing.T) {
	for text, want := range map[string]int64{
		"1970-01-01T00:00:00Z": 0, "1970-01-01T23:59:59Z": 0, "1969-12-31T23:59:59Z": -1,
		"1969-12-31T00:00:00Z": -1, "1969-12-30T23:59:59Z": -2,
	} {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		if got := schema.DateValue(at).N; got != want {
			t.Errorf("%s is day %d, want %d", text, got, want)
		}
	}
}
