package body_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/schema"
)

// things has a field of every kind and format.
var things = schema.Compile(
	&schema.Resource{Name: "thing", Plural: "things", Fields: []schema.Field{
		{Name: "text", Kind: schema.Text},
		{Name: "short", Kind: schema.Text, Max: schema.Bound(3)},
		{Name: "long", Kind: schema.LongText},
		{Name: "email", Kind: schema.Text, Format: schema.Email},
		{Name: "phone", Kind: schema.Text, Format: schema.Phone},
		{Name: "url", Kind: schema.Text, Format: schema.URL},
		{Name: "domain", Kind: schema.Text, Format: schema.Domain},
		{Name: "currency", Kind: schema.Text, Format: schema.Currency},
		{Name: "timezone", Kind: schema.Text, Format: schema.Timezone},
		{Name: "locale", Kind: schema.Text, Format: schema.Locale},
		{Name: "choice", Kind: schema.Choice, Options: []string{"a", "b"}},
		{Name: "flag", Kind: schema.Bool},
		{Name: "whole", Kind: schema.Integer},
		{Name: "count", Kind: schema.Integer, Min: schema.Bound(0), Max: schema.Bound(10)},
		{Name: "number", Kind: schema.Number},
		{Name: "at_most", Kind: schema.Number, Max: schema.Bound(5)},
		{Name: "at_least", Kind: schema.Number, Min: schema.Bound(5)},
		{Name: "money", Kind: schema.Money},
		{Name: "quantity", Kind: schema.Quantity, Min: schema.Bound(0)},
		{Name: "percent", Kind: schema.Percent, Min: schema.Bound(0), Max: schema.Bound(100)},
		{Name: "day", Kind: schema.Date},
		{Name: "instant", Kind: schema.Time},
		{Name: "other_id", Kind: schema.ID, Ref: schema.Ref{To: "thing"}},
		{Name: "words", Kind: schema.Tags},
		{Name: "colours", Kind: schema.Choices, Options: []string{"red", "blue"}},
		{Name: "place", Kind: schema.Group, Fields: []schema.Field{
			{Name: "city", Kind: schema.Text},
			{Name: "number", Kind: schema.Integer},
		}},
		{Name: "parts", Kind: schema.List, Fields: []schema.Field{
			{Name: "name", Kind: schema.Text, Required: true},
			{Name: "price", Kind: schema.Money},
			{Name: "of_id", Kind: schema.ID, Ref: schema.Ref{To: "thing"}},
		}},
		{Name: "given", Kind: schema.Text, Writing: schema.Writing{Immutable: true}},
		{Name: "needed", Kind: schema.Text, Required: true},
		{Name: "kept", Kind: schema.Text, ReadOnly: true},
	}},
	&schema.Resource{Name: "user", Plural: "users"},
)

var thing = things.Resource("thing")

func decode(t testing.TB, text string, creating bool) (*body.Changes, problem.Fields) {
	t.Helper()
	n, err := body.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	object, err := n.Object()
	if err != nil {
		t.Fatal(err)
	}
	var wrong problem.Fields
	return body.Decode(object, &thing.Shape, creating, "", &wrong), wrong
}

func TestWholeNumbers(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "-0": 0, "5": 5, "-5": -5, "5.0": 5, "5e2": 500, "0.5e1": 5,
		"9007199254740991": 1<<53 - 1, "-9007199254740991": 1 - 1<<53, "1e15": 1e15, "9007199254740991.0": 1<<53 - 1,
	} {
		if v, w := body.Scalar(body.Node{Kind: body.Number, Text: text}, thing.Must("whole")); w != nil || v.N != want {
			t.Errorf("%s is %d, %+v; want %d", text, v.N, w, want)
		}
	}
	for text, want := range map[string]string{
		"0.5": "wrong_type", "1e-400": "wrong_type", "0.99999999999999999999999": "wrong_type", "5.00001": "wrong_type",
		"100000000000000.5": "wrong_type",
		"9007199254740992":  "out_of_range", "-9007199254740992": "out_of_range", "1e16": "out_of_range", "1e999": "out_of_range",
		strings.Repeat("9", 400): "out_of_range",
	} {
		if v, w := body.Scalar(body.Node{Kind: body.Number, Text: text}, thing.Must("whole")); w == nil || w.Code != want {
			t.Errorf("%.30s is %d, %+v; want %s", text, v.N, w, want)
		}
	}
}

func TestBounds(t *testing.T) {
	for field, texts := range map[string]map[string]string{
		"count":    {"0": "", "10": "", "-1": "out_of_range", "11": "out_of_range"},
		"percent":  {"0": "", "100": "", "100.0001": "out_of_range", "-0.0001": "out_of_range"},
		"at_most":  {"5": "", "-1e300": "", "5.0001": "out_of_range"},
		"at_least": {"5": "", "1e300": "", "4.9999": "out_of_range"},
		"quantity": {"0": "", "99999999999999": "", "-1": "out_of_range"},
	} {
		for text, want := range texts {
			got := ""
			if _, w := body.Scalar(body.Node{Kind: body.Number, Text: text}, thing.Must(field)); w != nil {
				got = w.Code
			}
			if got != want {
				t.Errorf("%s in %s is %q, want %q", text, field, got, want)
			}
		}
	}
	for text, want := range map[string]bool{"abc": true, "äöü": true, "😀😀😀": true, "abcd": false} {
		if _, w := body.Scalar(body.Node{Kind: body.String, Text: text}, thing.Must("short")); (w == nil) != want {
			t.Errorf("%q in three characters: %+v", text, w)
		}
	}
}

func TestDecodeReportsEveryWrongField(t *testing.T) {
	_, wrong := decode(t, `{"text":1,"text":2,"nope":1,"kept":"x","place":{"city":1,"x":1,"city":2},"parts":[{"price":"x"},1,{"name":"n",`+
		`"y":1}],"words":["a",1,""],"needed":"","deleted_at":null}`, true)
	var got []string
	for _, w := range wrong {
		got = append(got, w.Field+":"+w.Code)
	}
	want := "text:wrong_type text:duplicate_key nope:unknown_field kept:read_only place.city:wrong_type place.x:unknown_field " +
		"place.city:duplicate_key " +
		"parts[0].price:invalid_format parts[0].name:required parts[1]:wrong_type parts[2].y:unknown_field words[1]:wrong_type " +
		"words[2]:required needed:required deleted_at:unknown_field"
	if strings.Join(got, " ") != want {
		t.Errorf("reported are\n%s, want\n%s", strings.Join(got, " "), want)
	}
}

func TestImmutableFieldsAreGivenOnce(t *testing.T) {
	if _, wrong := decode(t, `{"given":"x"}`, true); len(wrong) != 0 {
		t.Errorf("at creation: %+v", wrong)
	}
	if _, wrong := decode(t, `{"given":"x"}`, false); len(wrong) != 1 || wrong[0].Code != "immutable" {
		t.Errorf("in a patch: %+v", wrong)
	}
}

func TestNullClearsAGroup(t *testing.T) {
	c, wrong := decode(t, `{"place":null,"text":null}`, false)
	if len(wrong) != 0 || !c.Has(c.Must("place.city")) || !c.Has(c.Must("place.number")) || c.Get(c.Must("place.city")).Set ||
		!c.Has(c.Must("text")) || c.Has(c.Must("short")) {
		t.Errorf("it is %+v, %+v", c.Given, wrong)
	}
}

func TestItemsAndStringsComeBack(t *testing.T) {
	c, wrong := decode(t, `{"parts":[{"name":"a","price":1.5},{"name":"b"}],"words":["x","y\"z","x"]}`, true)
	if len(wrong) != 0 {
		t.Fatal(wrong)
	}
	items, err := body.Items(c.Get(c.Must("parts")), thing.Inner["parts"])
	if err != nil || len(items) != 2 || items[0].Text(items[0].Must("name")) != "a" || items[0].Get(items[0].Must("price")).N != 15_000 ||
		items[1].Get(items[1].Must("price")).Set {
		t.Errorf("the items are %+v, %v", items, err)
	}
	if got := body.Strings(c.Get(c.Must("words"))); !reflect.DeepEqual(got, []string{"x", `y"z`}) {
		t.Errorf("the words are %q", got)
	}
	if got := body.Strings(schema.Absent(schema.Tags)); len(got) != 0 {
		t.Errorf("no words are %q", got)
	}
}

// Whatever a field takes, it takes again in the form in which it is answered, as the same value.
func FuzzScalar(f *testing.F) {
	for i, seed := range []string{
		`"x"`, `5`, `1e3`, `"2024-02-29"`, `"2024-02-29T10:00:00.123456789+02:00"`, `true`, `null`, `""`,
		`"1.50"`, `-0`, `"thing_01h455vb4pex5vsknk084sn02q"`, `"a@b.example"`, `"eur"`, `"a"`, `1e-400`, `"\u0000"`, `"EXAMPLE.com"`,
		`" "`,
	} {
		for j := range 3 {
			f.Add(seed, i+7*j)
		}
	}
	f.Fuzz(func(t *testing.T, text string, which int) {
		n, err := body.Parse([]byte(text))
		if err != nil || n == nil {
			return
		}
		var scalars []*schema.Leaf
		for _, l := range thing.Leaves {
			if l.Kind.Scalar() {
				scalars = append(scalars, l)
			}
		}
		l := scalars[uint(which)%uint(len(scalars))]
		v, wrong := body.Scalar(*n, l)
		if wrong != nil {
			if wrong.Code == "" || wrong.Message == "" {
				t.Fatalf("%s in %s: %+v does not say what is wrong", text, l.Path, wrong)
			}
			return
		}
		given := n.Text
		if l.Kind == schema.Text {
			given = strings.TrimSpace(given) // white space around a one-line text is taken away
		}
		if empty := n.Kind == body.Null || n.Kind == body.String && given == ""; empty == v.Set {
			t.Fatalf("%s in %s is %+v", text, l.Path, v)
		}
		if v.Kind != l.Kind || !utf8.ValidString(v.S) && l.Kind != schema.ID || strings.ContainsRune(v.S, 0) && l.Kind != schema.ID {
			t.Fatalf("%s in %s is %+v", text, l.Path, v)
		}
		rendered := schema.AppendValue(nil, l, v)
		if !json.Valid(rendered) {
			t.Fatalf("%s in %s is answered as %s", text, l.Path, rendered)
		}
		back, err := body.Parse(rendered)
		if err != nil {
			t.Fatalf("%s in %s is answered as %s: %v", text, l.Path, rendered, err)
		}
		if again, wrong := body.Scalar(*back, l); wrong != nil || again != v {
			t.Fatalf("%s in %s is %+v, answered as %s, and that is %+v, %+v", text, l.Path, v, rendered, again, wrong)
		}
	})
}

// A body is either wrong by name, or its record is answered in a form that decodes to the same record.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"text":"x","needed":"y","place":{"city":"Kiel"},"parts":[{"name":"a","price":"1.5"}],"words":["a","b"],"colours":["red"]}`,
		`{"needed":"x","money":1e3,"percent":12.5,"day":"2024-02-29","instant":"2024-02-29","flag":false,"choice":"b","whole":-5}`,
		`{"needed":null,"text":1,"text":2,"nope":{}}`, `{"place":null,"parts":[],"words":[]}`,
		`{"other_id":"thing_01h455vb4pex5vsknk084sn02q","custom_fields":{"a":{"b":1,"b":2}}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := body.Parse([]byte(text))
		if err != nil {
			return
		}
		object, err := n.Object()
		if err != nil {
			return
		}
		var wrong problem.Fields
		c := body.Decode(object, &thing.Shape, true, "", &wrong)
		if len(wrong) > 0 {
			for _, w := range wrong {
				if w.Code == "" || w.Message == "" {
					t.Fatalf("%s: %+v does not say what is wrong", text, w)
				}
			}
			return
		}
		// Answered are the fields that can be written, so that the answer can be sent back.
		var leaves []*schema.Leaf
		var values []schema.Value
		for i, l := range thing.Leaves {
			if !l.ReadOnly && !l.Writing.BinOnly && l.Kind != schema.Document && c.Values[i].Set {
				leaves, values = append(leaves, l), append(values, c.Values[i])
			}
		}
		rendered := schema.AppendRecord(nil, leaves, values)
		if !json.Valid(rendered) {
			t.Fatalf("%s is answered as %s", text, rendered)
		}
		again, wrong := decode(t, string(rendered), true)
		if len(wrong) > 0 {
			t.Fatalf("%s is answered as %s, of which %+v is wrong", text, rendered, wrong)
		}
		for i, l := range thing.Leaves {
			if l.Kind != schema.Document && again.Values[i] != c.Values[i] {
				t.Fatalf("%s: %s is %+v, and from %s it is %+v", text, l.Path, c.Values[i], rendered, again.Values[i])
			}
		}
	})
}
