package record_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"

	. "github.com/kith-crm/kith/internal/apitest"
)

// operatorCase is a field, records that have values in it by their label, and searches with the labels that they find.
type operatorCase struct {
	resource, field string
	// base is what a record needs besides the field.
	base string
	// records holds the field's JSON by label; "-" leaves the field out.
	records map[string]string
	// searches are "operator operand" and the labels found, in order of the labels.
	searches map[string]string
	// refused are "operator operand" and the reported field:code.
	refused map[string]string
}

var operatorCases = []operatorCase{
	{
		resource: "contact", field: "job_title", base: `"name":"n"`,
		records: map[string]string{
			"a": `"Chief Éditor"`, "b": `"chief editor"`, "c": `"Editor in chief"`, "d": `"100% _fun_\\"`,
			"e": "-", "f": `"Straße"`, "g": `"ﬁsh 7"`,
		},
		searches: map[string]string{
			`eq "CHIEF EDITOR"`: "a b", `eq "chief"`: "", `in ["chief éditor","strasse"]`: "a b f", `in []`: "",
			`contains "DIT"`: "a b c", `contains "%"`: "d", `contains "_fun_\\"`: "d", `contains "_"`: "d",
			`contains "ss"`: "f", `contains "fi"`: "g", `contains "f ed"`: "a b", `starts_with "ChIeF"`: "a b", `starts_with "1"`: "d",
			`starts_with "%"`: "", `starts_with "editor in chief now"`: "", `is_set`: "a b c d f g",
		},
		refused: map[string]string{
			`eq 5`: "filters[0].value:wrong_type", `eq null`: "filters[0].value:null_value", `eq ""`: "filters[0].value:empty_value",
			`eq ["a"]`:           "filters[0].value:wrong_type",
			`in ["a",null,5,""]`: "filters[0].values[1]:null_value filters[0].values[2]:wrong_type filters[0].values[3]:empty_value",
			`eq "a\u0000b"`:      "filters[0].value:invalid_characters",
			`contains {}`:        "filters[0].value:wrong_type",
		},
	},
	{
		resource: "note", field: "body", base: `"title":"n"`,
		records: map[string]string{"a": `"first line\nsecond LINE"`, "b": `"Zeile"`, "c": "-", "d": `"line"`},
		searches: map[string]string{
			`eq "LINE"`: "d", `contains "line"`: "a d", `contains "\nsecond"`: "a", `starts_with "first"`: "a",
			`in ["zeile","line"]`: "b d", `is_set`: "a b d",
		},
	},
	{
		resource: "contact", field: "address.city", base: `"name":"n"`,
		records:  map[string]string{"a": `"Kiel"`, "b": `"Köln"`, "c": "-"},
		searches: map[string]string{`eq "koln"`: "b", `starts_with "k"`: "a b", `contains "iel"`: "a", `is_set`: "a b", `in ["kiel"]`: "a"},
	},
	{
		resource: "contact", field: "phone", base: `"name":"n"`,
		records: map[string]string{"a": `"+46 (70) 123-45"`, "b": `"46701 2345"`, "c": `"0046 70 12345"`, "d": "-", "e": `"070-12 345"`},
		searches: map[string]string{
			`eq "467012345"`: "a b", `eq "+46 70 12 345"`: "a b", `eq "70 12345"`: "", `in ["+467012345","07012345"]`: "a b e",
			`contains "70/123"`: "a b c e", `contains "+12345"`: "a b c e", `starts_with "+46"`: "a b", `starts_with "46-7"`: "a b",
			`starts_with "0"`: "c e", `is_set`: "a b c e",
		},
		refused: map[string]string{
			`eq "none"`: "filters[0].value:invalid_format", `contains "+"`: "filters[0].value:invalid_format",
			`starts_with " ( "`: "filters[0].value:invalid_format", `in ["1","-"]`: "filters[0].values[1]:invalid_format",
			`eq ""`: "filters[0].value:empty_value",
		},
	},
	{
		resource: "contact", field: "email", base: `"name":"n"`,
		records: map[string]string{
			"a": `"Straße@Example.com"`, "b": `"strasse@example.com"`, "c": `"José@example.com"`,
			"d": `"jose@example.com"`, "e": "-", "f": `"JOSE\u0301@example.com"`,
		},
		searches: map[string]string{
			`eq "STRAẞE@EXAMPLE.COM"`: "a", `eq "STRASSE@example.com"`: "b", `eq "josé@EXAMPLE.com"`: "c f", `eq "jose@example.com"`: "d",
			`in ["straße@example.com","JOSE@example.com"]`: "a d", `contains "SS"`: "b", `contains "É@EX"`: "c f",
			`contains "@example"`: "a b c d f", `starts_with "jose"`: "d", `starts_with "JOSÉ"`: "c f", `is_set`: "a b c d f",
		},
	},
	{
		resource: "company", field: "domain", base: `"name":"n"`,
		records: map[string]string{"a": `"MÜNCHEN.example"`, "b": `"munchen.example"`, "c": "-"},
		searches: map[string]string{
			`eq "München.EXAMPLE"`: "a", `eq "munchen.example"`: "b", `contains "ünch"`: "a",
			`starts_with "MUN"`: "b", `in ["munchen.example","münchen.example"]`: "a b", `is_set`: "a b",
		},
	},
	{
		resource: "company", field: "website", base: `"name":"n"`,
		records: map[string]string{"a": `"https://Example.com/Ålesund"`, "b": `"https://example.com/alesund"`, "c": "-"},
		searches: map[string]string{
			`eq "HTTPS://example.com/ÅLESUND"`: "a", `contains "/ALE"`: "b",
			`starts_with "https://EXAMPLE"`: "a b", `in ["https://example.com/Alesund"]`: "b", `is_set`: "a b",
		},
	},
	{
		resource: "product", field: "sku", base: `"name":"n"`,
		records: map[string]string{"a": `"Größe-1"`, "b": `"GROSSE-1"`, "c": "-", "d": `"x 9"`},
		searches: map[string]string{
			`eq "GRÖẞE-1"`: "a", `eq "grosse-1"`: "b", `contains "SE-1"`: "b", `starts_with "GR"`: "a b",
			`in ["X 9","größe-1"]`: "a d", `is_set`: "a b d",
		},
	},
	{
		resource: "task", field: "priority", base: `"title":"n"`,
		records:  map[string]string{"a": `"low"`, "b": `"urgent"`, "c": `"normal"`},
		searches: map[string]string{`eq "low"`: "a", `in ["low","urgent"]`: "a b", `is_set`: "a b c"},
		refused: map[string]string{
			`eq "LOW"`: "filters[0].value:not_allowed", `in ["low","sunny"]`: "filters[0].values[1]:not_allowed",
			`eq true`: "filters[0].value:wrong_type", `eq ""`: "filters[0].value:empty_value",
		},
	},
	{
		resource: "contact", field: "do_not_contact", base: `"name":"n"`,
		records:  map[string]string{"a": `true`, "b": `false`, "c": "-"},
		searches: map[string]string{`eq true`: "a", `eq false`: "b c", `in [true,false]`: "a b c", `is_set`: "a b c"},
		refused: map[string]string{
			`eq "true"`: "filters[0].value:wrong_type", `eq 1`: "filters[0].value:wrong_type",
			`eq null`: "filters[0].value:null_value",
		},
	},
	{
		resource: "company", field: "employee_count", base: `"name":"n"`,
		records: map[string]string{"a": `0`, "b": `5`, "c": `10`, "d": "-", "e": `9007199254740991`},
		searches: map[string]string{
			`eq 5`: "b", `eq 5.0`: "b", `in [0,10]`: "a c", `gt 5`: "c e", `gte 5`: "b c e", `lt 5`: "a",
			`lte 5`: "a b", `between [0,5]`: "a b", `between [5,5]`: "b", `gt -1`: "a b c e", `is_set`: "a b c e",
		},
		refused: map[string]string{
			`eq "5"`: "filters[0].value:wrong_type", `eq 5.5`: "filters[0].value:wrong_type", `eq 1e999`: "filters[0].value:out_of_range",
			`between [5,4]`: "filters[0].values:out_of_range", `between [5]`: "filters[0].values:out_of_range",
			`between [1,2,3]`: "filters[0].values:out_of_range", `between []`: "filters[0].values:out_of_range",
			`between [null,5]`:               "filters[0].values[0]:null_value",
			`between ["a",null]`:             "filters[0].values[0]:wrong_type filters[0].values[1]:null_value",
			`gt null`:                        "filters[0].value:null_value",
			`eq ` + strings.Repeat("9", 400): "filters[0].value:out_of_range",
		},
	},
	{
		resource: "contact", field: "lead_score", base: `"name":"n"`,
		records: map[string]string{"a": `-1.5`, "b": `0`, "c": `0.1`, "d": "-", "e": `1e300`, "f": `-0`},
		searches: map[string]string{
			`eq 0.1`: "c", `eq 0`: "b f", `eq -0`: "b f", `gt 0`: "c e", `gte 0`: "b c e f", `lt 0`: "a",
			`lte 0.1`: "a b c f", `between [-2,0]`: "a b f", `in [0.1,-1.5]`: "a c", `is_set`: "a b c e f",
		},
		refused: map[string]string{
			`gt "high"`: "filters[0].value:wrong_type", `eq 1e999`: "filters[0].value:out_of_range",
			`between [1,0.5]`: "filters[0].values:out_of_range",
		},
	},
	{
		resource: "deal", field: "amount", base: `"name":"n"`,
		records: map[string]string{"a": `"0.1"`, "b": `0.2`, "c": `"0.3"`, "d": "-", "e": `"-5"`, "f": `"99999999999999.9999"`},
		searches: map[string]string{
			`eq "0.10"`: "a", `eq 0.1`: "a", `in ["0.3",0.2]`: "b c", `gt "0.1"`: "b c f", `gte 0.1`: "a b c f",
			`lt 0`: "e", `lte "-5.0000"`: "e", `between [0.1,"0.3"]`: "a b c", `is_set`: "a b c e f",
		},
		refused: map[string]string{
			`eq "much"`: "filters[0].value:invalid_format", `eq "0.00001"`: "filters[0].value:out_of_range",
			`eq true`: "filters[0].value:wrong_type", `between ["2","1"]`: "filters[0].values:out_of_range",
			`eq ""`: "filters[0].value:empty_value",
		},
	},
	{
		resource: "product", field: "tax_rate", base: `"name":"n"`,
		records: map[string]string{"a": `19`, "b": `7.5`, "c": "-", "d": `0`},
		searches: map[string]string{
			`eq 7.5`: "b", `gt 7.5`: "a", `gte 7.5`: "a b", `lt 7.5`: "d", `lte 19`: "a b d",
			`between [0,7.5]`: "b d", `in [0,19]`: "a d", `gt 200`: "", `is_set`: "a b d",
		},
		refused: map[string]string{`eq "19"`: "filters[0].value:wrong_type"},
	},
	{
		resource: "deal", field: "expected_close_date", base: `"name":"n"`,
		records: map[string]string{"a": `"2024-02-29"`, "b": `"1969-07-20"`, "c": `"2024-03-01"`, "d": "-"},
		searches: map[string]string{
			`eq "2024-02-29"`: "a", `gt "2024-02-29"`: "c", `gte "2024-02-29"`: "a c", `lt "1970-01-01"`: "b",
			`lte "2024-02-29"`: "a b", `between ["1969-07-20","2024-02-29"]`: "a b", `in ["2024-03-01"]`: "c", `is_set`: "a b c",
		},
		refused: map[string]string{
			`eq "2023-02-29"`: "filters[0].value:invalid_date", `eq "2024-2-1"`: "filters[0].value:invalid_date",
			`eq "2024-03-01T00:00:00Z"`: "filters[0].value:invalid_date", `gt 20240301`: "filters[0].value:wrong_type",
			`between ["2024-03-01","2024-02-29"]`: "filters[0].values:out_of_range",
		},
	},
	{
		resource: "task", field: "due_at", base: `"title":"n"`,
		records: map[string]string{
			"a": `"2024-02-29T00:00:00Z"`, "b": `"2024-02-29T12:00:00.000001+02:00"`,
			"c": `"1969-12-31T23:59:59.999999Z"`, "d": "-",
		},
		searches: map[string]string{
			`eq "2024-02-29"`: "a", `eq "2024-02-29T10:00:00.000001Z"`: "b", `gt "2024-02-29"`: "b", `gte "2024-02-29"`: "a b",
			`lt "1970-01-01"`: "c", `lte "2024-02-29T00:00:00Z"`: "a c",
			`between ["2024-02-29","2024-03-01"]`: "a b", `in ["2024-02-29T01:00:00+01:00"]`: "a", `is_set`: "a b c",
		},
		refused: map[string]string{
			`eq "2024-02-30"`:           "filters[0].value:invalid_time",
			`eq "2024-02-29T25:00:00Z"`: "filters[0].value:invalid_time", `eq "2024-02-29T10:00:00"`: "filters[0].value:invalid_time",
			`eq "2024-02-29T1:00:00Z"`: "filters[0].value:invalid_time", `eq 0`: "filters[0].value:wrong_type",
		},
	},
	{
		resource: "contact", field: "company_id", base: `"name":"n"`,
		records: map[string]string{"a": `"$lund"`, "b": `"$other"`, "c": "-"},
		searches: map[string]string{
			`eq "$lund"`: "a", `in ["$lund","$other"]`: "a b", `in ["company_01h455vb4pex5vsknk084sn02q"]`: "",
			`is_set`: "a b",
		},
		refused: map[string]string{
			`eq "lund"`: "filters[0].value:invalid_id", `eq "$admin"`: "filters[0].value:invalid_id",
			`in ["company_00000000000000000000000000"]`: "filters[0].values[0]:invalid_id", `eq 7`: "filters[0].value:wrong_type",
		},
	},
	{
		resource: "contact", field: "tags", base: `"name":"n"`,
		records: map[string]string{"a": `["VIP","Hafen Süd"]`, "b": `["vip lounge"]`, "c": "-", "d": `[]`, "e": `["süd","x"]`},
		searches: map[string]string{
			`contains "vip"`: "a", `contains "sud"`: "e", `contains "hafen"`: "", `contains "hafen sud"`: "a",
			`in ["vip","X"]`: "a e", `in []`: "", `is_set`: "a b e",
		},
		refused: map[string]string{
			`contains null`: "filters[0].value:null_value", `contains ""`: "filters[0].value:empty_value",
			`in ["a",1]`: "filters[0].values[1]:wrong_type",
		},
	},
	{
		resource: "role", field: "features", base: ``,
		records:  map[string]string{"a": `["export"]`, "b": `["export","manage_users"]`, "c": "-"},
		searches: map[string]string{`contains "export"`: "a b", `in ["manage_users"]`: "b", `is_set`: "a b"},
		refused:  map[string]string{`contains "fly"`: "filters[0].value:not_allowed"},
	},
	{
		resource: "deal", field: "line_items", base: `"name":"n"`,
		records:  map[string]string{"a": `[{"name":"x","unit_price":1}]`, "b": "-", "c": `[]`},
		searches: map[string]string{`is_set`: "a"},
	},
	{
		resource: "role", field: "permissions", base: ``,
		records:  map[string]string{"a": `{"contact":{"read":"all"}}`, "b": "-", "c": `{}`},
		searches: map[string]string{`is_set`: "a"},
	},
	{
		resource: "contact", field: "custom_fields", base: `"name":"n"`,
		records:  map[string]string{"a": `{}`, "b": "-"},
		searches: map[string]string{`is_set`: ""},
	},
}

// opposites are the operators whose matches are the exact complement.
var opposites = map[string]string{"eq": "neq", "in": "nin", "is_set": "is_not_set"}

func TestEveryOperatorOnEveryKindOfField(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "companies", `{"name":"Lund"}`, "lund")
		w.Create(t, "companies", `{"name":"Other"}`, "other")
		for i, c := range operatorCases {
			kind := record.KindOf(c.resource)
			t.Run(c.resource+" "+c.field, func(t *testing.T) {
				all := fill(w, t, i, c)
				// Only the records of this case: other cases use the same resource.
				mine := fmt.Sprintf(`{"field":"external_id","operator":"starts_with","value":"case%d-"}`, i)
				search := func(op, operand string) string {
					return `{"order_by":"external_id","sort_direction":"asc","filters":[` + Filter(c.field, op, operand) + `,` + mine + `]}`
				}
				label := func(list []string) *string {
					for n := range list {
						list[n] = fmt.Sprintf("case%d-%s", i, list[n])
					}
					return Found(strings.Join(list, " "))
				}
				for _, key := range Sorted(c.searches) {
					op, operand, _ := strings.Cut(key, " ")
					matches := strings.Fields(c.searches[key])
					rest := slices.DeleteFunc(slices.Clone(all), func(l string) bool { return slices.Contains(matches, l) })
					steps := []Step{{
						Rule: key, Do: "POST /" + kind.Plural + "/search", Body: search(op, operand), Status: 200,
						Found: label(matches),
					}}
					if opposite := opposites[op]; opposite != "" {
						steps = append(steps, Step{
							Rule: opposite + " is the complement of " + key,
							Do:   "POST /" + kind.Plural + "/search", Body: search(opposite, operand), Status: 200, Found: label(rest),
						})
					}
					w.Run(t, steps)
				}
				for _, key := range Sorted(c.refused) {
					op, operand, _ := strings.Cut(key, " ")
					w.Run(t, []Step{{
						Rule: key + " is 422", Do: "POST /" + kind.Plural + "/search", Body: search(op, operand),
						Status: 422, Wrong: c.refused[key],
					}})
				}
				allowed := query.Allowed(kind.Leaf(c.field).Kind)
				tried := map[string]bool{}
				for key := range c.searches {
					op, _, _ := strings.Cut(key, " ")
					tried[op], tried[opposites[op]] = true, true
				}
				for _, op := range query.Operators {
					if slices.Contains(allowed, op) {
						if !tried[string(op)] {
							t.Errorf("%s is allowed and never tried", op)
						}
						continue
					}
					a := w.Check(t, Step{
						Do: "POST /" + kind.Plural + "/search", Body: search(string(op), `"x"`), Status: 422,
						Wrong: "filters[0].operator:operator_not_allowed",
					})
					if got := fmt.Sprint(At(a.JSON, "errors.0.allowed")); got != fmt.Sprint(allowed) {
						t.Errorf("%s is refused with allowed %s, want %v", op, got, allowed)
					}
				}
			})
		}
	})
}

// fill makes the records of a case and gives their labels in order.
func fill(w *World, t *testing.T, number int, c operatorCase) []string {
	t.Helper()
	all := Sorted(c.records)
	for _, label := range all {
		external := fmt.Sprintf("case%d-%s", number, label)
		parts := []string{`"external_id":"` + external + `"`}
		if c.base != "" {
			parts = append(parts, c.base)
		} else {
			parts = append(parts, `"name":"`+external+`"`)
		}
		if value := c.records[label]; value != "-" {
			if group, name, ok := strings.Cut(c.field, "."); ok {
				parts = append(parts, `"`+group+`":{"`+name+`":`+value+`}`)
			} else {
				parts = append(parts, `"`+c.field+`":`+value)
			}
		}
		w.Create(t, record.KindOf(c.resource).Plural, "{"+strings.Join(parts, ",")+"}", "")
	}
	return all
}

func TestFiltersThatMakeNoSense(t *testing.T) {
	many := func(n int, item string) string { return strings.TrimSuffix(strings.Repeat(item+",", n), ",") }
	OnBothEngines(t, func(t *testing.T, w *World) {
		search := "POST /contacts/search"
		w.Create(t, "contacts", `{"name":"Anna","external_id":"a","lead_score":1}`, "")
		w.Create(t, "contacts", `{"name":"Bert","external_id":"b","lead_score":2}`, "")
		w.Run(t, []Step{
			{Rule: "filters is an array", Do: search, Body: `{"filters":{}}`, Status: 422, Wrong: "filters:wrong_type"},
			{Rule: "a condition is an object", Do: search, Body: `{"filters":["x"]}`, Status: 422, Wrong: "filters[0]:wrong_type"},
			{
				Rule: "a condition needs a field and an operator", Do: search, Body: `{"filters":[{}]}`, Status: 422,
				Wrong: "filters[0].field:required filters[0].operator:required",
			},
			{
				Rule: "an unknown operator is 422 and the operators are listed", Do: search,
				Body: `{"filters":[{"field":"name","operator":"like","value":"x"}]}`, Status: 422,
				Wrong: "filters[0].operator:unknown_operator",
				Want:  `{"errors":[{"allowed":["eq","neq","in","nin","contains","starts_with","is_set","is_not_set"]}]}`,
			},
			{
				Rule: "operators are compared to the letter", Do: search,
				Body:   `{"filters":[{"field":"name","operator":"EQ","value":"x"}]}`,
				Status: 422, Wrong: "filters[0].operator:unknown_operator",
			},
			{
				Rule: "an unknown field is 422 and the fields are listed", Do: search,
				Body: `{"filters":[{"field":"nickname","operator":"eq","value":"x"}]}`, Status: 422,
				Wrong: "filters[0].field:unknown_field",
			},
			{
				Rule: "field and operator are both reported", Do: search,
				Body: `{"filters":[{"field":"nickname","operator":"like","value":"x"}]}`, Status: 422,
				Wrong: "filters[0].field:unknown_field filters[0].operator:unknown_operator",
			},
			{
				Rule: "a field is named by a string", Do: search, Body: `{"filters":[{"field":5,"operator":null,"value":"x"}]}`,
				Status: 422,
				Wrong:  "filters[0].field:wrong_type filters[0].operator:unknown_operator",
			},
			{
				Rule: "an object is not a field to filter by", Do: search, Body: `{"filters":[{"field":"address","operator":"is_set"}]}`,
				Status: 422, Wrong: "filters[0].field:unknown_field",
			},
			{
				Rule: "eq takes value, not values", Do: search, Body: `{"filters":[{"field":"name","operator":"eq","values":["x"]}]}`,
				Status: 422, Wrong: "filters[0].values:not_allowed filters[0].value:required",
			},
			{
				Rule: "eq does not take both", Do: search,
				Body:   `{"filters":[{"field":"name","operator":"eq","value":"x","values":["x"]}]}`,
				Status: 422, Wrong: "filters[0].values:not_allowed",
			},
			{
				Rule: "eq takes a value", Do: search, Body: `{"filters":[{"field":"name","operator":"eq"}]}`, Status: 422,
				Wrong: "filters[0].value:required",
			},
			{
				Rule: "in takes values, not value", Do: search, Body: `{"filters":[{"field":"name","operator":"in","value":"x"}]}`,
				Status: 422, Wrong: "filters[0].value:not_allowed filters[0].values:required",
			},
			{
				Rule: "values is an array", Do: search, Body: `{"filters":[{"field":"name","operator":"in","values":"x"}]}`, Status: 422,
				Wrong: "filters[0].values:wrong_type",
			},
			{
				Rule: "null is no values", Do: search, Body: `{"filters":[{"field":"name","operator":"nin","values":null}]}`, Status: 422,
				Wrong: "filters[0].values:wrong_type",
			},
			{
				Rule: "between takes values, not value", Do: search,
				Body: `{"filters":[{"field":"lead_score","operator":"between","value":[1,2]}]}`, Status: 422,
				Wrong: "filters[0].value:not_allowed filters[0].values:required",
			},
			{
				Rule: "is_set takes nothing", Do: search, Body: `{"filters":[{"field":"name","operator":"is_set","value":true}]}`,
				Status: 422, Wrong: "filters[0].value:not_allowed",
			},
			{
				Rule: "is_not_set takes nothing, not even null", Do: search,
				Body: `{"filters":[{"field":"name","operator":"is_not_set","value":null,"values":[]}]}`, Status: 422,
				Wrong: "filters[0].value:not_allowed filters[0].values:not_allowed",
			},
			{
				Rule: "unknown keys of a condition are 422", Do: search, Body: `{"filters":[{"field":"name","operator":"is_set","or":1}]}`,
				Status: 422, Wrong: "filters[0].or:unknown_field",
			},
			{
				Rule: "a key given twice is 422", Do: search, Body: `{"filters":[{"field":"name","field":"email","operator":"is_set"}]}`,
				Status: 422, Wrong: "filters[0].field:duplicate_key",
			},
			{
				Rule: "every wrong condition is reported with its place", Do: search,
				Body: `{"filters":[{"field":"name","operator":"is_set"},{"field":"x","operator":"is_set"},{"field":"lead_score",` +
					`"operator":"contains","value":1}]}`, Status: 422,
				Wrong: "filters[1].field:unknown_field filters[2].operator:operator_not_allowed",
			},
			{
				Rule: "51 conditions are too many", Do: search,
				Body: `{"filters":[` + many(51, `{"field":"name","operator":"is_set"}`) + `]}`, Status: 422, Wrong: "filters:too_many",
			},
			{
				Rule: "50 conditions are fine", Do: search,
				Body: `{"sort_direction":"asc","filters":[` + many(50, `{"field":"name","operator":"is_set"}`) + `]}`, Status: 200,
				Found: Found("a b"),
			},
			{
				Rule: "501 values are too many", Do: search,
				Body: `{"filters":[{"field":"lead_score","operator":"in","values":[` + many(501, "1") + `]}]}`, Status: 422,
				Wrong: "filters[0].values:too_many",
			},
			{
				Rule: "500 values are fine", Do: search,
				Body: `{"filters":[{"field":"lead_score","operator":"in","values":[` + many(500, "1") + `]}]}`, Status: 200,
				Found: Found("a"),
			},
			{
				Rule: "conditions are combined with AND", Do: search,
				Body:   `{"filters":[{"field":"lead_score","operator":"gte","value":1},{"field":"name","operator":"eq","value":"bert"}]}`,
				Status: 200, Found: Found("b"),
			},
			{
				Rule: "two conditions on one field are both held", Do: search,
				Body:   `{"filters":[{"field":"lead_score","operator":"gt","value":1},{"field":"lead_score","operator":"lt","value":2}]}`,
				Status: 200, Found: Found(""),
			},
			{Rule: "an empty list of conditions is none", Do: search, Body: `{"filters":[]}`, Status: 200, Want: `{"meta":{"total":2}}`},
		})
	})
}

// The keys of lists have a separator between their items. A value that has it in itself was two tags on one engine, and two in a
// row on the other.
func TestNoTagHasASeparatorInIt(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Run(t, []Step{
			{
				Rule: "a contact with two tags", Do: "POST /contacts", Body: `{"name":"Two","external_id":"two","tags":["a","b"]}`,
				Status: 201,
			},
			{
				Rule: "has no tag that is both", Do: "POST /contacts/search",
				Body: `{"filters":[{"field":"tags","operator":"contains","value":"a\u001fb"}]}`, Status: 200, Found: Found(""),
			},
			{
				Rule: "nor is it in a set with it alone", Do: "POST /contacts/search",
				Body: `{"filters":[{"field":"tags","operator":"in","values":["a\u001fb","\u001f"]}]}`, Status: 200, Found: Found(""),
			},
			{
				Rule: "and it is outside of it", Do: "POST /contacts/search",
				Body: `{"filters":[{"field":"tags","operator":"nin","values":["a\u001fb"]}]}`, Status: 200, Found: Found("two"),
			},
			{
				Rule: "the others of a set count", Do: "POST /contacts/search",
				Body: `{"filters":[{"field":"tags","operator":"in","values":["x","a\u001fb","b","c"]}]}`, Status: 200, Found: Found("two"),
			},
			{
				Rule: "for nin as well", Do: "POST /contacts/search",
				Body: `{"filters":[{"field":"tags","operator":"nin","values":["x","a\u001fb","b","c"]}]}`, Status: 200, Found: Found(""),
			},
			{Rule: "a contact without tags", Do: "POST /contacts", Body: `{"name":"None","external_id":"none"}`, Status: 201},
		})
		many := func(operator, last string) string {
			var values strings.Builder
			for i := range 40 { // which PostgreSQL looks for in another way than a few
				fmt.Fprintf(&values, `"tag \"%d\", \\ {}",`, i)
			}
			return `{"order_by":"external_id",` +
				`"filters":[{"field":"tags","operator":"` + operator + `","values":[` + values.String() + `"` + last + `"]}]}`
		}
		w.Run(t, []Step{
			{Rule: "of many one counts", Do: "POST /contacts/search", Body: many("in", "B"), Status: 200, Found: Found("two")},
			{Rule: "none of many", Do: "POST /contacts/search", Body: many("in", "bb"), Status: 200, Found: Found("")},
			{Rule: "not one of many", Do: "POST /contacts/search", Body: many("nin", "B"), Status: 200, Found: Found("none")},
			{Rule: "not even one of many", Do: "POST /contacts/search", Body: many("nin", "bb"), Status: 200, Found: Found("two none")},
		})
	})
}
