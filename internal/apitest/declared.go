package apitest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/crm"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

// This file makes bodies from the declarations, for the tests that go through every field.

// Offers tells whether a resource declares a standard operation.
func Offers(k *record.Kind, operation string) bool { return !slices.Contains(k.Without, operation) }

// KindOf finds a resource by its path.
func KindOf(t *testing.T, plural string) *record.Kind {
	t.Helper()
	for _, k := range record.Kinds() {
		if k.Plural == plural {
			return k
		}
	}
	t.Fatalf("there is no resource %s", plural)
	return nil
}

// Searches are the paths on which records of a resource are listed.
func Searches(k *record.Kind) []string {
	if !Offers(k, "bin") {
		return []string{"/search"}
	}
	return []string{"/search", "/deleted/search"}
}

// OneOfEach makes a record of every resource and gives their ids, and that of a stage, by resource.
func (w *World) OneOfEach(t *testing.T) map[string]string {
	t.Helper()
	ids := map[string]string{}
	for _, r := range NewRecords {
		a := w.Check(t, Step{
			Do: "POST /" + r.Plural, Body: strings.Replace(r.Body, `"external_id":"a"`, `"external_id":"base"`, 1),
			Status: 201,
		})
		id := fmt.Sprint(At(a.JSON, "id"))
		ids[id[:strings.LastIndexByte(id, '_')]] = id
		if r.Plural == "pipelines" {
			ids["stage"] = fmt.Sprint(At(a.JSON, "stages.0.id"))
		}
	}
	return ids
}

// ValidValue is the JSON of a value that a leaf takes, in as many variations as the kind has.
func ValidValue(l *schema.Leaf, i int, ids map[string]string) string {
	texts := map[schema.Format][]string{
		schema.Email:    {"z@x.example", "Á@x.example", "b@x.example", "ß@x.example"},
		schema.Phone:    {"+1 2", "030-7", "(5)", "x9"},
		schema.URL:      {"https://b.example", "http://a.example/ü", "HTTPS://C.example", "https://x.example"},
		schema.Domain:   {"b.example", "a.example", "ü.example", "x.example"},
		schema.Currency: {"EUR", "USD", "JPY", "KWD"},
		schema.Timezone: {"Europe/Berlin", "UTC", "Asia/Tokyo", "America/Lima"},
		schema.Locale:   {"de", "en-GB", "fr_CA", "nds"},
		schema.Code:     {"z-1", "Ä-1", "a-1", "ß 2"},
		// What every resource has.
		schema.FieldName: {"updated_at", "created_at", "version", "owner_id"},
		schema.Plain:     {"zoo", "Ärger", "apple", "Zoë", "éclair", "10"},
	}
	switch l { // a field is held to what its kind allows
	case crm.Webhooks.URL:
		return fmt.Sprintf(`"https://example.com/%d"`, i)
	case crm.Webhooks.Events:
		return `["contact.created","deal.*"]`
	case record.Fields.Kind:
		return `"text"`
	case record.Fields.Name:
		return fmt.Sprintf(`"n%d"`, i)
	}
	switch l.Kind {
	case schema.Text, schema.LongText:
		list := texts[l.Format]
		for _, name := range l.Ref.Among {
			list = append(list, ids[name])
		}
		text := list[i%len(list)]
		if l.Identity.Unique {
			text = fmt.Sprintf("%d%s", (i*7)%5, text)
			if l.Format == schema.Email {
				text = fmt.Sprintf("u%d%s", (i*7)%5, list[i%len(list)])
			}
		}
		return fmt.Sprintf("%q", text)
	case schema.Choice:
		return fmt.Sprintf("%q", l.Options[i%len(l.Options)])
	case schema.Bool:
		return []string{"true", "false"}[i%2]
	case schema.Integer:
		return []string{"3", "10", "0", "10"}[i%4]
	case schema.Number:
		return []string{"2.5", "-10", "1e3", "2.5"}[i%4]
	case schema.Money, schema.Quantity:
		return []string{`"2.5"`, "10", `"0.0001"`, "10"}[i%4]
	case schema.Percent:
		return []string{"2.5", "10", "0", "10"}[i%4]
	case schema.Date:
		return []string{`"2024-02-29"`, `"1969-01-01"`, `"2030-12-31"`, `"2024-02-29"`}[i%4]
	case schema.Time:
		if l.Path == "expires_at" { // what has expired cannot be made
			return []string{`"2999-02-28T10:00:00Z"`, `"2998-01-01"`, `"9999-12-31T23:59:59.999999Z"`, `"2998-01-01"`}[i%4]
		}
		return []string{`"2024-02-29T10:00:00Z"`, `"1969-01-01"`, `"2020-12-31T23:59:59.999999+01:00"`, `"1969-01-01"`}[i%4]
	case schema.ID:
		return fmt.Sprintf("%q", ids[l.IDPrefix])
	case schema.Tags:
		return `["a","b"]`
	case schema.Choices:
		return fmt.Sprintf("[%q]", l.Options[i%len(l.Options)])
	}
	return "null"
}

// VariedRecord is a body with every third writable scalar field left out, a different third for each i, and the lists that must be given.
func VariedRecord(k *record.Kind, i int, ids map[string]string) string {
	fields := map[string]json.RawMessage{}
	groups := map[string]map[string]json.RawMessage{}
	for n, l := range k.Leaves {
		must := l.Required && !l.Derived && l.Default == ""
		// what is unique is indexed
		if l.ReadOnly || l.Writing.BinOnly || !l.Kind.Scalar() && !must || l.Path == "pipeline_id" || l.Path == "parent_company_id" ||
			l == record.Fields.Target || l == record.Fields.Indexed || k.Access.Personal && l == k.Common.OwnerID {
			continue
		}
		needed := must || l.Path == "name" || l.Path == "title" || l == k.SharedLeaf
		if !needed && (n+i)%3 == 0 {
			continue
		}
		value := json.RawMessage(ValidValue(l, i+n, ids))
		if l == k.SharedLeaf { // or who makes it for somebody else does not see it
			value = json.RawMessage("true")
		}
		if l.Of == nil {
			fields[l.Path] = value
			continue
		}
		if groups[l.Of.Name] == nil {
			groups[l.Of.Name] = map[string]json.RawMessage{}
		}
		groups[l.Of.Name][l.Name] = value
	}
	for name, group := range groups {
		text, _ := json.Marshal(group)
		fields[name] = text
	}
	text, _ := json.Marshal(fields)
	return string(text)
}

// CompareRecords orders two answered records as a search must: by the field's value, absent last in both directions, ties by id.
func CompareRecords(t *testing.T, l *schema.Leaf, a, b any, desc bool) int {
	t.Helper()
	x, y := At(a, l.Path), At(b, l.Path)
	sign := 1
	if desc {
		sign = -1
	}
	switch {
	case x == nil && y == nil:
	case x == nil:
		return 1
	case y == nil:
		return -1
	default:
		if c := compareValues(t, l, x, y); c != 0 {
			return sign * c
		}
	}
	return sign * strings.Compare(fmt.Sprint(At(a, "id")), fmt.Sprint(At(b, "id")))
}

func compareValues(t *testing.T, l *schema.Leaf, x, y any) int {
	t.Helper()
	switch l.Kind {
	case schema.Text, schema.LongText:
		return strings.Compare(query.Key(l, x.(string)), query.Key(l, y.(string)))
	case schema.Choice:
		return cmp.Compare(slices.Index(l.Options, x.(string)), slices.Index(l.Options, y.(string)))
	case schema.Bool:
		return cmp.Compare(fmt.Sprint(x), fmt.Sprint(y))
	case schema.Integer, schema.Number:
		f, err1 := x.(json.Number).Float64()
		g, err2 := y.(json.Number).Float64()
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		return cmp.Compare(f, g)
	case schema.Money, schema.Quantity, schema.Percent:
		m, err1 := schema.ParseDecimal(fmt.Sprint(x))
		n, err2 := schema.ParseDecimal(fmt.Sprint(y))
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		return cmp.Compare(m, n)
	}
	return strings.Compare(x.(string), y.(string)) // dates, times and ids sort as they are written
}

// Count is how many live records of a resource there are.
func (w *World) Count(t *testing.T, plural string) int {
	t.Helper()
	a := w.Check(t, Step{Do: "POST /" + plural + "/search", Body: `{"limit":1,"fields":["id"]}`, Status: 200})
	n, err := At(a.JSON, "meta.total").(json.Number).Int64()
	if err != nil {
		t.Fatal(err)
	}
	return int(n)
}
