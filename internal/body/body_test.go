package body_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
)

func TestParse(t *testing.T) {
	n, err := body.Parse([]byte(` {"a":[1,-2.50e3,true,null,"x\u00e9"],"b":{},"a":2} `))
	if err != nil {
		t.Fatal(err)
	}
	want := &body.Node{Kind: body.Object, Members: []body.Member{
		{Name: "a", Value: body.Node{
			Kind: body.Array,
			Items: []body.Node{
				{Kind: body.Number, Text: "1"},
				{Kind: body.Number, Text: "-2.50e3"},
				{Kind: body.Bool, Text: "true"},
				{Kind: body.Null},
				{Kind: body.String, Text: "xé"},
			},
		}},
		{Name: "b", Value: body.Node{Kind: body.Object}},
		{Name: "a", Again: true, Value: body.Node{Kind: body.Number, Text: "2"}},
	}}
	if !reflect.DeepEqual(n, want) {
		t.Errorf("it is read as %+v, want %+v", n, want)
	}
	if first, ok := n.Get("a"); !ok || first.Kind != body.Array {
		t.Errorf("a is %+v, want the first", first)
	}
	for _, blank := range []string{"", " ", "\n\t\r "} {
		if n, err := body.Parse([]byte(blank)); n != nil || err != nil {
			t.Errorf("%q is %v, %v; want nothing", blank, n, err)
		}
	}
}

func TestRepeatedKeysAreMarkedInLargeObjects(t *testing.T) {
	var text strings.Builder
	text.WriteString(`{"first":0`)
	for i := range 100 {
		text.WriteString(`,"k` + strings.Repeat("x", i) + `":0`)
	}
	text.WriteString(`,"first":1,"k":1,"new":1,"new":2}`)
	n, err := body.Parse([]byte(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	var again []string
	for _, m := range n.Members {
		if m.Again {
			again = append(again, m.Name)
		}
	}
	if got := strings.Join(again, " "); got != "first k new" {
		t.Errorf("marked are %q", got)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{
		"{", "}", "[1,]", `{"a"}`, `{"a":}`, `{a:1}`, "nul", "01", "1.", "+1", "NaN", "'x'", `"a`, "\"\n\"", "\"\x00\"", "\"\xff\"",
		`"\ud800"`, `"\udc00x"`, `"\x"`, "1 2", "{}{}", "\ufeff{}", "//x",
		strings.Repeat("[", body.MaxDepth+1) + strings.Repeat("]", body.MaxDepth+1),
		strings.Repeat(`{"a":`, body.MaxDepth+1) + "1" + strings.Repeat("}", body.MaxDepth+1), strings.Repeat("[", 1_000_000),
	} {
		n, err := body.Parse([]byte(text))
		p := problem.As(err)
		if n != nil || p == nil || p.Code != problem.MalformedJSON {
			t.Errorf("%.50q is %v, %v", text, n, err)
		}
	}
	deepest := strings.Repeat("[", body.MaxDepth) + strings.Repeat("]", body.MaxDepth)
	if _, err := body.Parse([]byte(deepest)); err != nil {
		t.Errorf("nesting of %d is refused: %v", body.MaxDepth, err)
	}
}

func TestParseBoundsWhatABodyHolds(t *testing.T) {
	keys := func(n int) string {
		var s strings.Builder
		for i := range n {
			if i > 0 {
				s.WriteByte(',')
			}
			fmt.Fprintf(&s, `"k%d":0`, i)
		}
		return "{" + s.String() + "}"
	}
	items := func(n int, item string) string {
		return "[" + strings.TrimSuffix(strings.Repeat(item+",", n), ",") + "]"
	}
	for _, text := range []string{keys(body.MaxKeys), items(body.MaxValues-1, "0"), `{"a":` + items(body.MaxValues-2, "[]") + `}`} {
		if _, err := body.Parse([]byte(text)); err != nil {
			t.Errorf("%.40s… at the limit is refused: %v", text, err)
		}
	}
	for _, text := range []string{items(body.MaxValues, "0"), items(body.MaxValues/2, "[[]]"), items(body.MaxValues/2, `{"a":0}`)} {
		if _, err := body.Parse([]byte(text)); problem.As(err) == nil || problem.As(err).Code != problem.PayloadTooLarge {
			t.Errorf("%.40s… with more values than may be is %v", text, err)
		}
	}
	many := keys(body.MaxKeys + 1)
	for path, text := range map[string]string{
		"body": many, "custom_fields": `{"custom_fields":` + many + `}`,
		"lines[1].x": `{"lines":[{},{"x":` + many + `}]}`,
	} {
		_, err := body.Parse([]byte(text))
		p := problem.As(err)
		if p == nil || len(p.Fields) != 1 || p.Fields[0].Field != path || p.Fields[0].Code != "too_many" {
			t.Errorf("too many keys in %s: %v", path, err)
		}
	}
}

// Sixty thousand keys took eleven seconds when each looked for its own among all before it.
func TestMergeTakesTimeInProportion(t *testing.T) {
	object := func(from, to int) body.Node {
		n := body.Node{Kind: body.Object}
		for i := from; i < to; i++ {
			n.Members = append(n.Members, body.Member{Name: strconv.Itoa(i), Value: body.Node{Kind: body.Number, Text: "1"}})
		}
		return n
	}
	begin := time.Now()
	if merged := body.Merge(object(0, 120_000), object(60_000, 240_000)); len(merged.Members) != 240_000 {
		t.Errorf("the merged object has %d keys", len(merged.Members))
	}
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("merging took %v", took)
	}
}

// A key of half a megabyte was written out anew for each of the many keys inside it.
func TestDecodeDoesNotRepeatLongNames(t *testing.T) {
	var inner strings.Builder
	for i := range 90 {
		fmt.Fprintf(&inner, `"k%d":{%s"again":0,"again":0},`, i, strings.Repeat(`"x":0,`, 490)[6*i:])
	}
	begin := time.Now()
	_, wrong := decode(t, `{"custom_fields":{"`+strings.Repeat("n", 500_000)+`":{`+strings.TrimSuffix(inner.String(), ",")+`}}}`, true)
	if len(wrong) < problem.MaxFields || len(wrong[0].Field) > 2*problem.MaxRepeated {
		t.Errorf("%d wrong fields", len(wrong))
	}
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestObject(t *testing.T) {
	var none *body.Node
	if n, err := none.Object(); err != nil || n.Kind != body.Object || len(n.Members) != 0 {
		t.Errorf("no body is %+v, %v", n, err)
	}
	for _, text := range []string{"null", "[]", `""`, "1", "true"} {
		n, err := body.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := n.Object(); problem.As(err) == nil || problem.As(err).Fields[0].Field != "body" {
			t.Errorf("%s is %v", text, err)
		}
	}
}

// The examples of RFC 7396, appendix A, as far as they patch an object with an object.
func TestMerge(t *testing.T) {
	for _, c := range [][3]string{
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b"}`, `{"a":null}`, `{}`},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{`{"e":null}`, `{"a":1}`, `{"a":1,"e":null}`},
		{`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
		{`{"a":"foo"}`, `{"a":{"b":1,"c":null}}`, `{"a":{"b":1}}`},
		{`["a"]`, `{"a":1}`, `{"a":1}`},
	} {
		var nodes [3]*body.Node
		for i, text := range c {
			var err error
			if nodes[i], err = body.Parse([]byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		before := value(*nodes[0])
		got := body.Merge(*nodes[0], *nodes[1])
		if !reflect.DeepEqual(value(got), value(*nodes[2])) {
			t.Errorf("%s patched with %s is %v, want %s", c[0], c[1], value(got), c[2])
		}
		if !reflect.DeepEqual(value(*nodes[0]), before) {
			t.Errorf("patching %s with %s changed it", c[0], c[1])
		}
	}
}

// value is a node as encoding/json would read it.
func value(n body.Node) any {
	switch n.Kind {
	case body.Null:
		return nil
	case body.Bool:
		return n.Text == "true"
	case body.Number:
		return json.Number(n.Text)
	case body.String:
		return n.Text
	case body.Array:
		items := []any{}
		for _, item := range n.Items {
			items = append(items, value(item))
		}
		return items
	default:
		members := map[string]any{}
		for _, m := range n.Members {
			members[m.Name] = value(m.Value)
		}
		return members
	}
}

func depth(n body.Node) int {
	deepest := 0
	for _, item := range n.Items {
		deepest = max(deepest, depth(item))
	}
	for _, m := range n.Members {
		deepest = max(deepest, depth(m.Value))
	}
	if n.Kind == body.Array || n.Kind == body.Object {
		deepest++
	}
	return deepest
}

func tooDeep(text []byte) bool {
	dec := json.NewDecoder(bytes.NewReader(text))
	open := 0
	for {
		token, err := dec.Token()
		if err != nil {
			return false
		}
		if d, ok := token.(json.Delim); ok {
			if d == '{' || d == '[' {
				open++
			} else {
				open--
			}
			if open > body.MaxDepth {
				return true
			}
		}
	}
}

// What we take, the standard library takes too and reads the same; what it takes and we don't has a reason.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"a":[1,2.5e-3,true,null,"x"]}`, `{"a":1,"a":2}`, `"\ud83d\ude00"`, `"\ud800"`, "\"\xff\"",
		`[[[[]]]]`, ` 1 `, `{"a":{"a":{"a":0}}}`, "\ufeff1", `1e999`, ``,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		n, err := body.Parse(text)
		if err != nil {
			p := problem.As(err)
			if n != nil || p == nil || p.Code != problem.MalformedJSON || p.Detail == "" {
				t.Fatalf("%q is %v, %v", text, n, err)
			}
			escapes := bytes.Contains(bytes.ToLower(text), []byte(`\ud`))
			if json.Valid(text) && utf8.Valid(text) && !escapes && !tooDeep(text) {
				t.Fatalf("%q is JSON and refused: %v", text, err)
			}
			return
		}
		if n == nil {
			if len(bytes.Trim(text, " \t\r\n")) > 0 {
				t.Fatalf("%q is taken for nothing", text)
			}
			return
		}
		if !utf8.Valid(text) {
			t.Fatalf("%q is taken, but not UTF-8", text)
		}
		if depth(*n) > body.MaxDepth {
			t.Fatalf("%q nests %d deep", text, depth(*n))
		}
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.UseNumber()
		var want any
		if err := dec.Decode(&want); err != nil {
			t.Fatalf("%q is taken, but %v", text, err)
		}
		if _, err := dec.Token(); err != io.EOF {
			t.Fatalf("%q holds more than one value", text)
		}
		if !reflect.DeepEqual(value(*n), want) && !repeats(*n) {
			t.Fatalf("%q is read as %v, want %v", text, value(*n), want)
		}
	})
}

// repeats tells whether a key stands twice in an object; the standard library merges such values.
func repeats(n body.Node) bool {
	for _, item := range n.Items {
		if repeats(item) {
			return true
		}
	}
	for _, m := range n.Members {
		if m.Again || repeats(m.Value) {
			return true
		}
	}
	return false
}
