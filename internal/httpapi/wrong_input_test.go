package httpapi_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"

	. "github.com/kith-crm/kith/internal/apitest"
)

// refusing runs requests that must all be refused, and then makes sure that they wrote nothing.
func refusing(w *World, t *testing.T, requests func()) {
	t.Helper()
	before, recordsBefore := Changes(t, w.Tenant), everything(w, t)
	requests()
	if after := Changes(t, w.Tenant); after != before {
		t.Errorf("refused requests made %d changes", after-before)
	}
	if after := everything(w, t); after != recordsBefore {
		t.Errorf("refused requests changed records from\n%s to\n%s", recordsBefore, after)
	}
}

// refused sends a body and holds the answer to one of the statuses.
func refused(w *World, t *testing.T, do, text string, statuses ...int) *Answer {
	t.Helper()
	w.Vars["raw"] = text // so that nothing in it is taken for a variable
	a := w.Ask(t, Step{Do: do, Body: "$raw"})
	for _, status := range statuses {
		if a.Status == status {
			return a
		}
	}
	t.Errorf("%s with %.200q: status %d, want %v: %.500s", do, text, a.Status, statuses, a.Text)
	return a
}

// pathsOf gives every route that takes a body, with the ids of real records in it.
func pathsOf(w *World, ids map[string]string) []string {
	var paths []string
	for _, route := range w.API.Routes() {
		if route.Kind == nil { // /v1/me has no records
			continue
		}
		if route.Request != nil {
			paths = append(paths, route.Method+" "+strings.TrimPrefix(strings.Replace(route.Pattern, "{id}", ids[route.Kind.Name], 1),
				"/v1"))
		}
	}
	return paths
}

func TestBrokenBodiesOnEveryRoute(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		ids := w.OneOfEach(t)
		deep := strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100)
		cases := []struct {
			rule, text string
			status     int
			code       string
		}{
			{"an open brace", `{`, 400, "malformed_json"},
			{"a comma too many", `{"name":"x",}`, 400, "malformed_json"},
			{"single quotes", `{'name':'x'}`, 400, "malformed_json"},
			{"a key without quotes", `{name:"x"}`, 400, "malformed_json"},
			{"not a number", `{"name":NaN}`, 400, "malformed_json"},
			{"infinity", `{"name":Infinity}`, 400, "malformed_json"},
			{"a hexadecimal number", `{"name":0x10}`, 400, "malformed_json"},
			{"a number that begins with 0", `{"name":012}`, 400, "malformed_json"},
			{"a comment", `{"name":"x"/**/}`, 400, "malformed_json"},
			{"a raw NUL", "{\"name\":\"a\x00b\"}", 400, "malformed_json"},
			{"a raw line break in a string", "{\"name\":\"a\nb\"}", 400, "malformed_json"},
			{"invalid UTF-8", "{\"name\":\"\xff\xfe\"}", 400, "malformed_json"},
			{"a surrogate in UTF-8", "{\"name\":\"\xed\xa0\x80\"}", 400, "malformed_json"},
			{"an overlong NUL", "{\"name\":\"\xc0\x80\"}", 400, "malformed_json"},
			{"a lone surrogate", `{"name":"\ud800"}`, 400, "malformed_json"},
			{"two surrogates the wrong way round", `{"name":"\udc00\ud800"}`, 400, "malformed_json"},
			{"a bad escape", `{"name":"\x41"}`, 400, "malformed_json"},
			{"a key in invalid UTF-8", "{\"\xff\":1}", 400, "malformed_json"},
			{"something after the end", `{} x`, 400, "malformed_json"},
			{"two objects", `{}{}`, 400, "malformed_json"},
			{"UTF-16", "\xff\xfe{\x00}\x00", 400, "malformed_json"},
			{"nesting of 100 objects", deep, 400, "malformed_json"},
			{"nesting of 100,000 arrays", strings.Repeat("[", 100_000), 400, "malformed_json"},
			{"a string", `"x"`, 422, "validation_failed"},
			{"a number", `1`, 422, "validation_failed"},
			{"an array", `[{}]`, 422, "validation_failed"},
			{"null", `null`, 422, "validation_failed"},
			{"an unknown key", `{"no_such_field":1}`, 422, "validation_failed"},
			{"an unknown key with NUL", `{"no\u0000such":1}`, 422, "validation_failed"},
			{"an unknown key with 400 digits", `{"no_such_field":` + strings.Repeat("9", 400) + `}`, 422, "validation_failed"},
			{"a key twice", `{"no_such_field":1,"no_such_field":1e999}`, 422, "validation_failed"},
			{"an empty key", `{"":1}`, 422, "validation_failed"},
			{"a key like a prototype", `{"__proto__":{"x":1}}`, 422, "validation_failed"},
		}
		refusing(w, t, func() {
			for _, do := range pathsOf(w, ids) {
				for _, c := range cases {
					a := refused(w, t, do, c.text, c.status)
					if At(a.JSON, "code") != c.code {
						t.Errorf("%s with %s: code %v, want %s", do, c.rule, At(a.JSON, "code"), c.code)
					}
				}
				if a := refused(w, t, do, `{"no_such_field":1,"no_such_field":2}`, 422); !strings.Contains(WrongFields(a),
					"no_such_field:duplicate_key") {
					t.Errorf("%s: a key given twice is not named: %s", do, a.Text)
				}
			}
		})
	})
}

// wrongValues are values that a leaf must not take, each with the codes it may be refused with.
func wrongValues(l *schema.Leaf) map[string]string {
	if l.Free { // what it takes depends on the record, see TestFields
		return nil
	}
	wrong := map[string]string{`{"a":1}`: "wrong_type unknown_field"}
	if l.Kind != schema.Tags && l.Kind != schema.Choices && l.Kind != schema.List {
		wrong[`["x"]`] = "wrong_type"
	}
	text := func(s string) string { return `"` + s + `"` }
	if l.Kind != schema.Number && l.Kind != schema.Integer && !l.Kind.Decimal() {
		wrong[`5`], wrong[`1e999`], wrong[strings.Repeat("9", 400)], wrong[`-0.0`] = "wrong_type", "wrong_type", "wrong_type", "wrong_type"
	}
	if l.Kind != schema.Bool {
		wrong[`true`] = "wrong_type"
	}
	if l.Kind.Scalar() {
		wrong[`"a\u0000b"`] = "invalid_characters wrong_type"
	}
	switch l.Kind {
	case schema.Text:
		wrong[`"a\nb"`], wrong[`"a\u001fb"`], wrong[`"a\u0085b"`] = "invalid_characters invalid_format",
			"invalid_characters invalid_format", "invalid_characters invalid_format"
		longest := int64(body.MaxText)
		if l.Max != nil {
			longest = *l.Max
		}
		wrong[text(strings.Repeat("ü", int(longest)+1))] = "too_long"
		if l.Format != schema.Plain && l.Format != schema.Code {
			wrong[`"\ufffd\ufffd"`] = "invalid_format invalid_id"
		}
		if l.Required && !l.Derived {
			wrong[`" \t\u00a0"`] = "required" // white space alone is nothing
		}
		switch l.Format {
		case schema.Email:
			for _, s := range []string{
				"a", "@", "a@", "@b.example", "a@b@c.example", "a b@c.example", "a@b..example", "a@-b.example",
				"a@b", "a@localhost", "a@1.2.3.4", "a..b@c.example", "a\u200b@b.example", "<a@b.example>", "a@b,c",
				strings.Repeat("a", 250) + "@b.example",
			} {
				wrong[text(s)] = "invalid_format too_long"
			}
		case schema.URL:
			for _, s := range []string{
				"x", "ftp://x.example", "javascript:alert(1)", "//x.example", "http://", "https:/x", "http://a b",
				"http://[::1",
			} {
				wrong[text(s)] = "invalid_format"
			}
		case schema.Domain:
			for _, s := range []string{"-x", "x-", "a..b", "a b", "http://a", "a/b", ".a", "a."} {
				wrong[text(s)] = "invalid_format"
			}
		case schema.Currency:
			for _, s := range []string{"EURO", "EU", "XXX", "E R", "€€€", " EU"} {
				wrong[text(s)] = "invalid_format"
			}
		case schema.Timezone:
			for _, s := range []string{"Local", "Mars/Base", "../etc/passwd", "/etc/localtime", "GMT+25"} {
				wrong[text(s)] = "invalid_format"
			}
		case schema.Locale:
			for _, s := range []string{"english", "d", "de-", "de-A", "12"} {
				wrong[text(s)] = "invalid_format"
			}
		}
	case schema.LongText:
		wrong[text(strings.Repeat("x", body.MaxLongText+1))] = "too_long"
	case schema.Choice:
		wrong[`"nothing like it"`], wrong[text(strings.ToUpper(l.Options[0]))] = "not_allowed", "not_allowed"
	case schema.Bool:
		wrong[`"true"`], wrong[`0`] = "wrong_type", "wrong_type"
	case schema.Integer:
		wrong[`"5"`], wrong[`1.5`], wrong[`1e999`], wrong[`9007199254740993`], wrong[strings.Repeat("9", 400)],
			wrong[`1e-400`] = "wrong_type", "wrong_type", "out_of_range", "out_of_range", "out_of_range", "wrong_type out_of_range"
		if l.Min != nil {
			wrong[fmt.Sprint(*l.Min-1)] = "out_of_range"
		}
	case schema.Number:
		wrong[`"5"`], wrong[`1e999`], wrong[`-1e999`], wrong[strings.Repeat("9", 400)] = "wrong_type", "out_of_range", "out_of_range",
			"out_of_range"
	case schema.Money, schema.Quantity, schema.Percent:
		wrong[`1.23456`], wrong[`1e999`], wrong[`1e-999`], wrong[`1e99999999999`], wrong[strings.Repeat("9", 400)],
			wrong[`100000000000000`], wrong[`0.`+strings.Repeat("0", 400)+`1`] = "out_of_range", "out_of_range", "out_of_range",
			"out_of_range", "out_of_range", "out_of_range", "out_of_range"
		if l.Kind == schema.Percent {
			wrong[`"5"`] = "wrong_type"
		} else {
			for _, s := range []string{"five", "1,5", "1.", ".5", "+1", "1 000", "0x1", "NaN", "Infinity", "--1", "1e", "٣"} {
				wrong[text(s)] = "invalid_format"
			}
		}
		if l.Min != nil {
			wrong[fmt.Sprint(*l.Min-1)] = "out_of_range"
		}
		if l.Max != nil {
			wrong[fmt.Sprint(*l.Max+1)] = "out_of_range"
		}
	case schema.Date:
		for _, s := range []string{
			"2023-02-29", "2024-02-30", "2024-13-01", "2024-00-10", "2024-01-00", "0000-01-01", "24-01-01",
			"2024-1-1", "2024-01-01T00:00:00Z", "10000-01-01", "today", "2024/01/01", "-2024-01-01",
		} {
			wrong[text(s)] = "invalid_date"
		}
	case schema.Time:
		for _, s := range []string{
			"2023-02-29T00:00:00Z", "2024-02-29T24:00:00Z", "2024-02-29T23:60:00Z", "2024-02-29T23:59:61Z",
			"2024-02-29T10:00:00", "2024-02-29 10:00:00Z", "2024-02-29T10:00Z", "2024-02-29T10:00:00+2", "2024-02-29T10:00:00+24:00",
			"2024-02-29T1:00:00Z", "2024-02-29T10:00:00,5Z", "2024-02-29T10:00:00.Z", "0000-12-31T00:00:00Z", "9999-12-31T23:59:59-01:00",
			"0001-01-01T00:00:00+01:00", "now", "2024-02-30",
		} {
			wrong[text(s)] = "invalid_time"
		}
	case schema.ID:
		for _, s := range []string{
			"x", l.IDPrefix, l.IDPrefix + "_", l.IDPrefix + "_01h455vb4pex5vsknk084sn02",
			l.IDPrefix + "_01h455vb4pex5vsknk084sn02qq", l.IDPrefix + "_81h455vb4pex5vsknk084sn02q",
			l.IDPrefix + "_01h455vb4pex5vsknk084sn02u", "other_01h455vb4pex5vsknk084sn02q",
			strings.ToUpper(l.IDPrefix) + "_01H455VB4PEX5VSKNK084SN02Q", l.IDPrefix + "_00000000000000000000000000",
			"01890a5d-ac96-774b-bcce-b302099a8057",
		} {
			wrong[text(s)] = "invalid_id"
		}
	case schema.Tags:
		wrong[`"x"`], wrong[`["a",5]`], wrong[`[""]`], wrong[`[null]`], wrong[`["a\nb"]`], wrong[`["a\u0000"]`],
			wrong[`[["a"]]`] = "wrong_type", "wrong_type", "required", "required", "invalid_characters", "invalid_characters", "wrong_type"
		longest := int64(body.MaxText)
		if l.Max != nil {
			longest = *l.Max
		}
		wrong[`["`+strings.Repeat("x", int(longest)+1)+`"]`] = "too_long"
		wrong[`[`+strings.TrimSuffix(strings.Repeat(`"a",`, 101), ",")+`]`] = "too_many"
	case schema.Choices:
		wrong[`"export"`], wrong[`["nothing like it"]`], wrong[`[1]`] = "wrong_type", "not_allowed", "wrong_type"
	case schema.List:
		wrong[`"x"`], wrong[`["x"]`], wrong[`[null]`], wrong[`[[]]`], wrong[`[{"no_such_field":1}]`] = "wrong_type", "wrong_type",
			"wrong_type", "wrong_type", "unknown_field"
	case schema.Document:
		wrong[`"x"`], wrong[`{"a":{"a":1,"a":2}}`] = "wrong_type", "duplicate_key unknown_field"
	}
	return wrong
}

// Every declared field of every resource and action, with every sort of value that it must not take.
func TestWrongValuesForEveryField(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		ids := w.OneOfEach(t)
		refusing(w, t, func() {
			for _, k := range record.Kinds() {
				one := "/" + k.Plural + "/" + ids[k.Name]
				if Offers(k, "patch") {
					wrongFieldsOf(w, t, "PATCH "+one, &k.Shape, "", "%s")
				}
				wrongFieldsOf(w, t, "POST /"+k.Plural, &k.Shape, "", "%s")
				for i := range k.Actions {
					wrongFieldsOf(w, t, "POST "+one+"/"+k.Actions[i].Name, &k.Actions[i].Shape, "", "%s")
				}
			}
		})
	})
}

// wrongFieldsOf puts the wrong values of each leaf into a body; around is the text that the object stands in.
func wrongFieldsOf(w *World, t *testing.T, do string, s *schema.Shape, prefix, around string) {
	t.Helper()
	for _, l := range s.Leaves {
		field := prefix + l.Path
		wrap := func(value string) string {
			if l.Of != nil {
				return fmt.Sprintf(around, fmt.Sprintf(`{%q:{%q:%s}}`, l.Of.Name, l.Name, value))
			}
			return fmt.Sprintf(around, fmt.Sprintf(`{%q:%s}`, l.Name, value))
		}
		if l.ReadOnly || l.Writing.BinOnly {
			if a := refused(w, t, do, wrap(`"x"`), 422); !reports(a, field, "read_only unknown_field") {
				t.Errorf("%s: %s can be written: %s", do, field, a.Text)
			}
			continue
		}
		if l.Writing.Immutable && strings.HasPrefix(do, "PATCH") {
			if a := refused(w, t, do, wrap(`"x"`), 422); !reports(a, field, "immutable") {
				t.Errorf("%s: %s can be changed: %s", do, field, a.Text)
			}
			continue
		}
		values := wrongValues(l)
		for i, value := range Sorted(values) {
			// Creation decodes as patching does: every third value is enough to see it.
			if strings.HasPrefix(do, "POST") && i%3 != l.Index%3 {
				continue
			}
			codes := values[value]
			if a := refused(w, t, do, wrap(value), 422); a.Status == 422 && !reports(a, field, codes) {
				t.Errorf("%s with %.100s in %s: reported %s, want one of %s", do, value, field, WrongFields(a), codes)
			}
		}
		if l.Kind == schema.List {
			wrongFieldsOf(w, t, do, s.Inner[l.Name], l.Path+"[0].", fmt.Sprintf(around, fmt.Sprintf(`{%q:[%%s]}`, l.Name)))
		}
	}
}

// reports tells whether a problem names the field, or something in it, with one of the codes.
func reports(a *Answer, field, codes string) bool {
	for _, e := range strings.Fields(WrongFields(a)) {
		cut := strings.LastIndexByte(e, ':')
		named := e[:cut] == field || strings.HasPrefix(e[:cut], field+".") || strings.HasPrefix(e[:cut], field+"[")
		if named && strings.Contains(" "+codes+" ", " "+e[cut+1:]+" ") {
			return true
		}
	}
	return false
}

// Every field that can be filtered by, with every operator and values of every JSON type: found or refused, never a fault of ours.
func TestAnyOperandOnAnyField(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.OneOfEach(t)
		// What looks like text has a character that no secret has: a token's hint is random.
		operands := []string{
			`"x!"`, `1e999`, `"\u0000"`, `{}`, `[null]`, `"\u0301"`, `99999999999999999999`, `"%_\\'"`, `true`,
			`-1e-400`, `"` + strings.Repeat("\ufdfa", 1000) + `"`, `"\ud83d\ude00"`, `"\udbff\udfff"`, `"\ud7ff"`,
		}
		n := 0
		for _, k := range record.Kinds() {
			for _, l := range k.Leaves {
				for _, op := range query.Operators {
					n++
					if l.Writing.Silent && (op == query.IsSet || op == query.IsNotSet) {
						continue // mere use sets it, beside the requests, so the engines may differ for a moment
					}
					operand := operands[n%len(operands)]
					for _, condition := range []string{
						Filter(l.Path, string(op), operand),
						fmt.Sprintf(`{"field":%q,"operator":%q,"values":[%s,%s]}`, l.Path, op, operand, operands[(n+3)%len(operands)]),
					} {
						refused(w, t, "POST /"+k.Plural+"/search", `{"limit":1,"fields":["id"],"filters":[`+condition+`]}`, 200, 422)
					}
				}
			}
		}
	})
}

func TestVeryLongFoldedForms(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		// One character of this sort is eighteen once it is folded.
		long := func(n int) string { return strings.Repeat("\ufdfa", n) }
		w.Run(t, []Step{
			{
				Rule: "an indexed text that is too long once folded is 422", Do: "POST /contacts", Body: `{"name":"` + long(255) + `"}`,
				Status: 422, Wrong: "name:too_long",
			},
			{
				Rule: "so is a unique one", Do: "POST /products", Body: `{"name":"x","external_id":"` + long(100) + `"}`, Status: 422,
				Wrong: "external_id:too_long",
			},
			{
				Rule: "others may be", Do: "POST /contacts",
				Body: `{"name":"x","external_id":"long","first_name":"` + long(255) + `","tags":["` + long(255) + `"]}`, Status: 201,
			},
			{Rule: "they sort", Do: "POST /contacts/search", Body: `{"order_by":"first_name"}`, Status: 200, Found: Found("long")},
			{
				Rule: "a name that is derived from one is held to the same", Do: "POST /contacts",
				Body: `{"first_name":"` + long(255) + `"}`, Status: 422, Wrong: "name:too_long",
			},
			{
				Rule: "a long text that folds into millions is 422", Do: "POST /notes",
				Body: `{"title":"x","body":"` + long(body.MaxLongText) + `"}`, Status: 422, Wrong: "body:too_long",
			},
			{
				Rule: "the longest text of any script is fine", Do: "POST /notes",
				Body: `{"external_id":"n1","body":"` + strings.Repeat("😀", body.MaxLongText) + `"}`, Status: 201,
			},
			{
				Rule: "and another", Do: "POST /notes",
				Body: `{"external_id":"n2","body":"` + strings.Repeat("😀", body.MaxLongText-1) + `a"}`, Status: 201,
			},
			{
				Rule: "pages by such a text work", Do: "POST /notes/search", Body: `{"limit":1,"order_by":"body","sort_direction":"asc"}`,
				Status: 200, Found: Found("n2"), Save: "next=meta.cursor.next",
			},
			{
				Rule: "on the next page, too", Do: "POST /notes/search",
				Body: `{"limit":1,"order_by":"body","sort_direction":"asc","cursor":"$next"}`, Status: 200, Found: Found("n1"),
			},
			{
				Rule: "a text to look for may fold into more", Do: "POST /contacts/search", Body: `{"search_text":"` + long(60) + `"}`,
				Status: 200, Found: Found("long"),
			},
			{
				Rule: "and not into much", Do: "POST /contacts/search", Body: `{"search_text":"` + long(500) + `"}`,
				Status: 422, Wrong: "search_text:too_long",
			},
			{
				Rule: "a filter, too", Do: "POST /contacts/search",
				Body: `{"filters":[` + Filter("first_name", "contains", `"`+long(60)+`"`) + `]}`, Status: 200, Found: Found("long"),
			},
			{
				Rule: "but not into more than that", Do: "POST /contacts/search",
				Body: `{"filters":[` + Filter("first_name", "contains", `"`+long(200)+`"`) + `]}`, Status: 422,
				Wrong: "filters[0].value:too_long",
			},
		})
	})
}

func TestHugeBodies(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		huge := append(append([]byte(`{"name":"`), bytes.Repeat([]byte("x"), 10<<20)...), `"}`...)
		before := Changes(t, w.Tenant)
		for _, c := range []struct {
			rule string
			body io.Reader
		}{
			{"with its length", bytes.NewReader(huge)},
			{"in chunks", struct{ io.Reader }{bytes.NewReader(huge)}},
		} {
			t.Run("10 MB "+c.rule+" are 413", func(t *testing.T) {
				req, err := http.NewRequest("POST", w.URL+"/v1/contacts", c.body)
				if err != nil {
					t.Fatal(err)
				}
				req.Header.Set("Authorization", "Bearer "+w.Tokens["admin"])
				req.Header.Set("Version", "v1")
				req.Header.Set("Content-Type", "application/json")
				res, err := w.Client.Do(req)
				if err != nil {
					t.Fatal(err)
				}
				defer res.Body.Close()
				if res.StatusCode != 413 || res.Header.Get("Content-Type") != "application/problem+json" ||
					res.Header.Get("X-Request-Id") == "" {
					t.Errorf("status %d, headers %v", res.StatusCode, res.Header)
				}
			})
		}
		if after := Changes(t, w.Tenant); after != before {
			t.Errorf("refused bodies made %d changes", after-before)
		}
	})
}

// What Go's client refuses to send is sent byte by byte. The server must answer each with a 4xx and live on.
func TestOddRequestsOnTheWire(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		address, err := url.Parse(w.URL)
		if err != nil {
			t.Fatal(err)
		}
		head := "Host: x\r\nVersion: v1\r\nAuthorization: Bearer " + w.Tokens["admin"] + "\r\nConnection: close\r\n"
		for _, c := range []struct {
			rule, text string
			status     int
		}{
			{"a body shorter than its length", "POST /v1/contacts HTTP/1.1\r\n" + head + "Content-Type: " +
				"application/json\r\nContent-Length: 100\r\n\r\n{\"name\":\"x\"}", 400},
			{"a broken chunk", "POST /v1/contacts HTTP/1.1\r\n" + head + "Content-Type: application/json\r\nTransfer-Encoding: " +
				"chunked\r\n\r\nzz\r\n", 400},
			{"a path in absolute form", "GET http://y/v1/contacts/x HTTP/1.1\r\n" + head + "\r\n", 404},
			{"a path with raw bytes", "GET /v1/contacts/\xff\xfe HTTP/1.1\r\n" + head + "\r\n", 404},
			{"a fragment in the path", "GET /v1/contacts/x#y HTTP/1.1\r\n" + head + "\r\n", 404},
			{"a semicolon in the query", "GET /v1/contacts/x?a;b HTTP/1.1\r\n" + head + "\r\n", 422},
			{"a very long path", "GET /v1/contacts/" + strings.Repeat("x", 8000) + " HTTP/1.1\r\n" + head + "\r\n", 404},
			{"a tab after Bearer", "GET /v1/contacts/x HTTP/1.1\r\nHost: x\r\nVersion: v1\r\nConnection: close\r\nAuthorization: " +
				"Bearer\tx\r\n\r\n", 401},
			{
				"a media type of bytes", "POST /v1/contacts HTTP/1.1\r\n" + head + "Content-Type: \xff/\xfe\r\nContent-Length: 2\r\n\r\n{}",
				415,
			},
			{"If-Match of bytes", "DELETE /v1/contacts/contact_01h455vb4pex5vsknk084sn02q HTTP/1.1\r\n" + head + "If-Match: \xff,," +
				"\"\r\n\r\n", 404},
		} {
			t.Run(c.rule, func(t *testing.T) {
				conn, err := net.Dial("tcp", address.Host)
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				if _, err := io.WriteString(conn, c.text); err != nil {
					t.Fatal(err)
				}
				if c.status == 400 {
					// The server waits for the rest until the connection ends.
					if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
						t.Fatal(err)
					}
				}
				res, err := http.ReadResponse(bufio.NewReader(conn), nil)
				if err != nil {
					t.Fatal(err)
				}
				defer res.Body.Close()
				if res.StatusCode != c.status || res.Header.Get("Content-Type") != "application/problem+json" ||
					res.Header.Get("X-Request-Id") == "" {
					t.Errorf("status %d, want %d; headers %v", res.StatusCode, c.status, res.Header)
				}
			})
		}
	})
}
