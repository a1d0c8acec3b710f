package merge_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	. "github.com/kith-crm/kith/internal/apitest"
)

// content gives all rows of the database as text, without what a write that is taken back leaves inevitably: the log, the versions
// of records and who changed them last when, and how far the business's clock and counters are.
func content(w *World, t *testing.T) string {
	t.Helper()
	read := w.PostgresRows
	columns := "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public' AND table_name !~ " +
		"'_p[0-9]+$' AND table_name NOT LIKE 'citus_%' ORDER BY 1, 2"
	if path, ok := strings.CutPrefix(w.Database, "sqlite:"); ok {
		columns = "SELECT m.name, c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name NOT " +
			"LIKE 'sqlite_%' AND m.name NOT LIKE '%_fts%' ORDER BY 1, 2"
		read = func(t *testing.T, sql string) [][]any { return SqliteRows(t, path, sql) }
	}
	inevitable := []string{
		"version", "updated_at", "updated_by", "change_seq", "figured_seq", "clock", "last_used_at", "last_active_at",
		"used_at",
	}
	tables := map[string][]string{}
	for _, row := range read(t, columns) {
		if table, column := fmt.Sprint(row[0]), fmt.Sprint(row[1]); table != "change" && !slices.Contains(inevitable, column) {
			tables[table] = append(tables[table], column)
		}
	}
	var lines []string
	for table, columns := range tables {
		some := ""
		if table == "tally" {
			some = " WHERE n <> 0" // the first deletion makes it, and it stays
		}
		for _, row := range read(t, "SELECT "+strings.Join(columns, ", ")+" FROM "+table+some) {
			var cells []string
			for i, cell := range row {
				cells = append(cells, fmt.Sprintf("%s=%q", columns[i], fmt.Sprint(cell)))
			}
			lines = append(lines, table+" "+strings.Join(cells, " "))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// Whatever records there are, however they refer to each other, and in whichever order they are merged and come apart again:
// nothing refers to what is gone, no company is its own parent, and in the end every row of every table is as it was.
func TestMergesComeApartInAnyOrder(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		t.Parallel()
		for seed := range uint64(3) {
			t.Run(fmt.Sprint(seed), func(t *testing.T) { comeApart(t, w, rand.New(rand.NewPCG(seed, 12))) })
		}
	})
}

func comeApart(t *testing.T, w *World, random *rand.Rand) {
	oneOf := func(from ...string) string { return from[random.IntN(len(from))] }
	suffix := fmt.Sprint(random.Uint32())
	ids := map[string][]string{}
	create := func(plural, body string) string {
		a := w.Check(t, Step{Do: "POST /" + plural, Body: body, Status: 201, Chance: true})
		id := fmt.Sprint(At(a.JSON, "id"))
		ids[plural] = append(ids[plural], id)
		return id
	}
	// some is the id of a record that there is already, or null.
	some := func(plural string) string {
		if known := ids[plural]; len(known) > 0 && random.IntN(4) > 0 {
			return `"` + oneOf(known...) + `"`
		}
		return "null"
	}
	for _, f := range []string{
		`{"resource":"contact","name":"shoe%[1]s","label":"Shoe","kind":"text"}`,
		`{"resource":"contact","name":"boss%[1]s_id","label":"Boss","kind":"reference","target":"contact"}`,
		`{"resource":"company","name":"worth%[1]s","label":"Worth","kind":"money"}`,
		`{"resource":"company","name":"rival%[1]s_id","label":"Rival","kind":"reference","target":"company"}`,
		`{"resource":"deal","name":"agent%[1]s_id","label":"Agent","kind":"reference","target":"contact"}`,
	} {
		create("fields", fmt.Sprintf(f, suffix))
	}
	for n := range 6 {
		create("companies", fmt.Sprintf(`{"name":"C%d","currency":%q,"annual_revenue":%s,"industry":%s,"parent_company_id":%s,`+
			`"tags":[%s],"external_id":%s,"custom_fields":{"worth%s":%s,"rival%[8]s_id":%[10]s}}`,
			n, oneOf("EUR", "SEK"), oneOf("null", "5", "7"), oneOf("null", `"Ships"`, `"Cranes"`), some("companies"),
			oneOf("", `"a"`, `"b","A"`), oneOf("null", fmt.Sprintf(`"c%d-%s"`, n, suffix)), suffix, oneOf("null", "3", "4"),
			some("companies")))
	}
	for n := range 7 {
		create("contacts", fmt.Sprintf(`{"first_name":%s,"last_name":%s,"email":"p%d@x.example","phone":%s,"company_id":%s,`+
			`"do_not_contact":%s,"last_contacted_at":%s,"tags":[%s],"external_id":%s,"address":{"city":%s},"custom_fields":{"shoe%s":%s,`+
			`"boss%[11]s_id":%[13]s}}`,
			oneOf("null", `"Anna"`, `"Bo"`), oneOf("null", `"Lind"`), n, oneOf("null", `"030 112233"`, `"030 445566"`), some("companies"),
			oneOf("true", "false"), oneOf("null", `"2020-01-01T00:00:00Z"`, `"2021-01-01T00:00:00Z"`),
			oneOf("", `"x"`, `"y","z"`), oneOf("null", fmt.Sprintf(`"p%d-%s"`, n, suffix)), oneOf("null", `"Bonn"`), suffix,
			oneOf("null", `"38"`, `"39"`), some("contacts")))
	}
	// Records of which some refer to each other in circles, too.
	for _, id := range ids["contacts"] {
		w.Check(t, Step{
			Do: "PATCH /contacts/" + id, Body: fmt.Sprintf(`{"custom_fields":{"boss%s_id":%s}}`, suffix, some("contacts")),
			Status: 200, Chance: true,
		})
	}
	for n := range 6 {
		create("deals", fmt.Sprintf(`{"name":"D%d","amount":"%[1]d","contact_id":%s,"company_id":%s,"custom_fields":{"agent%s_id":%s}}`,
			n, some("contacts"), some("companies"), suffix, some("contacts")))
		create("tasks", fmt.Sprintf(`{"title":"T%d","contact_id":%s,"company_id":%s}`, n, some("contacts"), some("companies")))
		create("quotes", fmt.Sprintf(`{"title":"Q%d","contact_id":%s,"company_id":%s,"line_items":[{"name":"x","unit_price":"1"}]}`, n,
			some("contacts"), some("companies")))
	}
	var links []string
	for range 14 {
		a := w.Send(t, Step{
			Do: "POST /associations",
			Body: fmt.Sprintf(`{"from_id":%s,"to_id":%s,"label":%s}`,
				strings.ReplaceAll(some(oneOf("contacts", "companies")), "null", `"x"`),
				strings.ReplaceAll(some(oneOf("contacts", "companies", "deals")), "null", `"x"`), oneOf("null", `"friend"`)),
		})
		if a.Status == 201 {
			links = append(links, fmt.Sprint(At(a.JSON, "id")))
		}
	}
	for _, gone := range [][2]string{
		{"associations", links[0]},
		{"associations", links[1]},
		{"tasks", ids["tasks"][0]},
		{"deals", ids["deals"][0]},
		{"quotes", ids["quotes"][0]},
	} {
		w.Check(t, Step{Do: "DELETE /" + gone[0] + "/" + gone[1], Status: 204, Chance: true})
	}
	before := content(w, t)

	live := map[string][]string{"contacts": slices.Clone(ids["contacts"]), "companies": slices.Clone(ids["companies"])}
	into := map[string]string{} // by what was merged, whereinto, and of which resource
	whose := map[string]string{}
	var said []string
	merge := func() {
		plural := oneOf("contacts", "companies")
		known := live[plural]
		if len(known) < 2 {
			return
		}
		at := random.Perm(len(known))
		survivor, other := known[at[0]], known[at[1]]
		prefer := oneOf("", `"tags":"other"`, `"name":"other"`, `"owner_id":"other","custom_fields":"other"`, `"address":"other"`,
			`"parent_company_id":"other"`, `"company_id":"other"`)
		a := w.Send(t, Step{
			Do:   "POST /" + plural + "/" + survivor + "/merge",
			Body: fmt.Sprintf(`{"other_id":%q,"prefer":{%s}}`, other, prefer),
		})
		said = append(said, fmt.Sprintf("merge %s ← %s {%s}: %d", survivor, other, prefer, a.Status))
		if a.Status == 422 { // what is preferred does not fit
			return
		}
		if a.Status != 200 {
			t.Fatalf("%s: %s", said[len(said)-1], a.Text)
		}
		into[other], whose[other] = survivor, plural
		live[plural] = slices.DeleteFunc(known, func(id string) bool { return id == other })
	}
	apart := func() {
		var can []string
		for other, survivor := range into {
			if into[survivor] == "" {
				can = append(can, other)
			}
		}
		if len(can) == 0 {
			return
		}
		slices.Sort(can)
		other := oneOf(can...)
		plural := whose[other]
		a := w.Send(t, Step{Do: "POST /" + plural + "/" + into[other] + "/unmerge", Body: fmt.Sprintf(`{"other_id":%q}`, other)})
		said = append(said, fmt.Sprintf("unmerge %s → %s: %d", into[other], other, a.Status))
		if a.Status != 200 {
			t.Fatalf("%s: %s", said[len(said)-1], a.Text)
		}
		live[plural] = append(live[plural], other)
		delete(into, other)
	}
	for range 14 {
		if merge(); random.IntN(4) == 0 {
			apart()
		}
		hangsTogether(w, t)
	}
	for len(into) > 0 {
		apart()
		hangsTogether(w, t)
	}
	if after := content(w, t); after != before {
		story := strings.Join(said, "\n")
		for plural, all := range ids {
			for i, id := range all {
				story = strings.ReplaceAll(story, id, fmt.Sprintf("%s %d", plural, i))
			}
		}
		t.Errorf("after\n%s\nthere is a difference:\n%s", story, differences(before, after))
	}
}

// differences are the lines that only one of two texts has.
func differences(before, after string) string {
	left, right := strings.Split(before, "\n"), strings.Split(after, "\n")
	var out []string
	for _, line := range left {
		if !slices.Contains(right, line) {
			out = append(out, "was "+line)
		}
	}
	for _, line := range right {
		if !slices.Contains(left, line) {
			out = append(out, "is  "+line)
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return strings.Compare(a[4:min(len(a), 60)], b[4:min(len(b), 60)]) })
	return strings.Join(out, "\n")
}

// hangsTogether checks that nothing leads to a record that is gone, and no company to itself.
func hangsTogether(w *World, t *testing.T) {
	t.Helper()
	parents := map[any]any{}
	for plural, references := range map[string][]string{
		"contacts": {"company"}, "companies": {"parent_company"},
		"deals": {"contact", "company"}, "tasks": {"contact", "company"}, "quotes": {"contact", "company"},
	} {
		fields := `"id"`
		for _, r := range references {
			fields += fmt.Sprintf(`,"%s_id","%[1]s.id"`, r)
		}
		a := w.Check(t, Step{Do: "POST /" + plural + "/search", Body: `{"limit":100,"fields":[` + fields + `]}`, Status: 200, Chance: true})
		for _, rec := range At(a.JSON, "data").([]any) {
			for _, r := range references {
				if At(rec, r+"_id") != At(rec, r+".id") {
					t.Errorf("%s of %v leads to what is gone", r, rec)
				}
			}
			if plural == "companies" {
				parents[At(rec, "id")] = At(rec, "parent_company_id")
			}
		}
	}
	for id := range parents {
		for at, steps := parents[id], 0; at != nil; at, steps = parents[at], steps+1 {
			if at == id || steps > len(parents) {
				t.Errorf("%v is its own parent", id)
				break
			}
		}
	}
}
