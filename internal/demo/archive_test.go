package demo

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/exchange"
	"github.com/kith-crm/kith/internal/operator"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/tabular"
	"github.com/kith-crm/kith/internal/testworld"
)

// packed takes a business out.
func packed(t *testing.T, e *record.Engine, b store.Tenant) []byte {
	t.Helper()
	who, err := operator.Acting(context.Background(), e, b, schema.UUID{})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := exchange.WriteArchive(context.Background(), e, record.Call{Principal: who}, nil, func(text []byte) error {
		_, err := out.Write(text)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// members gives the records of an archive, by the name of its files.
func members(t *testing.T, archive []byte) map[string][]map[string]any {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]map[string]any{}
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			var record map[string]any
			if err := json.Unmarshal(line, &record); err != nil {
				t.Fatal(err)
			}
			all[f.Name] = append(all[f.Name], record)
		}
	}
	return all
}

// bring brings an archive into a business, in steps, and tells what became of its rows.
func bring(t *testing.T, e *record.Engine, b store.Tenant, as schema.UUID, archive []byte) (rows, made, changed int, refused []string) {
	t.Helper()
	ctx := context.Background()
	a, err := exchange.OpenArchive(bytes.NewReader(archive), int64(len(archive)), tabular.MaxFileRows)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	who, err := operator.Acting(ctx, e, b, as)
	if err != nil {
		t.Fatal(err)
	}
	im, err := exchange.PlanArchive(e, who, &a.Guide)
	if err != nil {
		t.Fatal(err)
	}
	for more := true; more; {
		var some []tabular.Row
		for len(some) < 100 {
			row, err := a.Next()
			if errors.Is(err, io.EOF) {
				more = false
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			some = append(some, row)
		}
		if len(some) == 0 {
			break
		}
		if err := b.Write(ctx, store.Actor{User: as}, func(tx *store.Tx) error {
			return im.Step(tx, some, func(row exchange.Imported) {
				switch rows++; {
				case row.Err != nil:
					refused = append(refused, fmt.Sprintf("row %d: %s", row.N, exchange.Reason(row.Err)))
				case row.Made:
					made++
				case row.Changed:
					changed++
				}
			})
		}); err != nil {
			t.Fatal(err)
		}
	}
	return rows, made, changed, refused
}

var idForm = regexp.MustCompile(`"[a-z][a-z_]*_[0-7][0-9a-z]{25}"`)

// comparable gives an archive without what does not come along: ids are as they are in the business that it comes into, users and
// settings are called by their names.
func comparable(t *testing.T, archive []byte, into *schema.UUID) map[string][]string {
	t.Helper()
	all := members(t, archive)
	names := map[string]string{}
	for _, u := range all["users.jsonl"] {
		names[u["id"].(string)] = "user:" + u["email"].(string)
	}
	for _, s := range all["lifecycle_stages.jsonl"] {
		names[s["id"].(string)] = "lifecycle:" + s["name"].(string)
	}
	for _, r := range all["loss_reasons.jsonl"] {
		names[r["id"].(string)] = "loss:" + r["name"].(string)
	}
	for _, p := range all["pipelines.jsonl"] {
		names[p["id"].(string)] = "pipeline:" + p["name"].(string)
		for _, s := range p["stages"].([]any) {
			stage := s.(map[string]any)
			names[stage["id"].(string)] = "stage:" + p["name"].(string) + "/" + stage["name"].(string)
		}
	}
	lines, there := map[string][]string{}, map[string]bool{}
	for _, records := range all {
		for _, r := range records {
			there[fmt.Sprint(r["id"])] = true
		}
	}
	for name, records := range all {
		if slices.Contains([]string{"schema.json", "users.jsonl", "roles.jsonl", "tokens.jsonl", "apps.jsonl", "webhooks.jsonl"}, name) {
			continue
		}
		left := []string{"created_at", "created_by", "updated_at", "updated_by", "version"}
		switch name {
		case "business.json":
			left = append(left, "id", "name")
		case "fields.jsonl":
			left = append(left, "id", "number", "owner_id", "index_status")
		case "pipelines.jsonl", "lifecycle_stages.jsonl", "loss_reasons.jsonl":
			left = append(left, "owner_id") // settings are whose who brings them
		case "quotes.jsonl":
			left = append(left, "shared_at")
		}
		for _, r := range records {
			maps.DeleteFunc(r, func(field string, _ any) bool { return slices.Contains(left, field) })
			text, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			lines[name] = append(lines[name], idForm.ReplaceAllStringFunc(string(text), func(quoted string) string {
				id := strings.Trim(quoted, `"`)
				resource, old, err := schema.RecordOf(id)
				switch called, known := names[id]; {
				case known:
					return `"` + called + `"`
				case err != nil || into == nil:
					return quoted
				case !there[id]: // it leads to what is in the bin
					return "null"
				}
				return `"` + schema.FormatID(resource, exchange.CarriedID(*into, old)) + `"`
			}))
		}
		slices.Sort(lines[name])
	}
	return lines
}

// enrich gives a business what the demo does not have: fields of its own, references in a circle, and what can be had but not
// chosen any more.
func enrich(t *testing.T, e *record.Engine, b store.Tenant) {
	t.Helper()
	ctx := context.Background()
	do := func(kind, op, id, text string) string {
		t.Helper()
		who, err := operator.Acting(ctx, e, b, schema.UUID{})
		if err != nil {
			t.Fatal(err)
		}
		n, err := body.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		rec, err := e.Do(ctx, record.Call{Principal: who}, record.Operation{Kind: record.KindOf(kind), Name: op, ID: id, Body: n})
		if err != nil {
			t.Fatalf("%s %s %s: %v", op, kind, text, err)
		}
		return schema.FormatID(kind, rec.ID())
	}
	tier := do("field", "create", "", `{"resource":"contact","name":"tier","kind":"select","options":[{"value":"gold",`+
		`"colour":"#d4af37"},{"value":"tin"}],"default":"gold"}`)
	do("field", "create", "", `{"resource":"contact","name":"badge","kind":"text","unique":true}`)
	do("field", "create", "", `{"resource":"contact","name":"best_deal_id","kind":"reference","target":"deal"}`)
	do("field", "create", "", `{"resource":"company","name":"partner_id","kind":"reference","target":"company"}`)
	do("field", "create", "", `{"resource":"deal","name":"margin","kind":"decimal","indexed":true}`)
	parent := do("company", "create", "", `{"name":"Parent","tags":["b","A"]}`)
	child := do("company", "create", "", `{"name":"Child","parent_company_id":"`+parent+`","custom_fields":{"partner_id":"`+parent+`"}}`)
	do("company", "update", parent, `{"custom_fields":{"partner_id":"`+child+`"},"external_id":"p-1"}`)
	deal := do("deal", "create", "", `{"name":"Best","company_id":"`+child+`","custom_fields":{"margin":"12.50"}}`)
	contact := do("contact", "create", "", `{"name":"Tin","lifecycle_stage_id":null,"custom_fields":{"tier":"tin","badge":"B-1",`+
		`"best_deal_id":"`+deal+`"}}`)
	do("contact", "create", "", `{"name":"Plain","custom_fields":{"tier":null}}`)
	do("association", "create", "", `{"from_id":"`+contact+`","to_id":"`+parent+`","label":"founder"}`)
	do("view", "create", "", `{"name":"Theirs","resource":"deal","shared":true,"search":{"filters":[{"field":"company_id",`+
		`"operator":"eq","value":"`+child+`"}]},"columns":["name","custom_fields.margin"]}`)
	do("product", "create", "", `{"name":"Old","status":"archived"}`)
	do("pipeline", "create", "", `{"name":"Partners","stages":[{"name":"Talk","probability":20}]}`)
	do("lifecycle_stage", "create", "", `{"name":"Champion"}`)
	do("field", "update", tier, `{"required":true,"options":[{"value":"gold","colour":"#d4af37"},{"value":"tin","archived":true}]}`)
}

// The demo moves to another business with all that an archive brings, and is the same there but for ids, times and who did it.
// Brought once more, nothing changes.
func TestTheDemoMovesToAnotherBusiness(t *testing.T) {
	t.Parallel()
	testworld.OnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		e := newEngine(t, url)
		now := time.Now()
		mustMake(t, e, now)
		from, err := find(ctx, e, 1)
		if err != nil {
			t.Fatal(err)
		}
		enrich(t, e, from)
		archive := packed(t, e, from)
		to, err := account.CreateBusiness(ctx, e, "Elsewhere", "USD", account.Person{Email: "mover@example.com"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range members(t, archive)["users.jsonl"] {
			if _, err := account.CreateUser(ctx, e, to.Tenant, account.Person{Email: u["email"].(string)}, "member"); err != nil {
				t.Fatal(err)
			}
		}
		rows, made, changed, refused := bring(t, e, to.Tenant, to.User, archive)
		if len(refused) > 0 || made < 100 {
			t.Fatalf("of %d rows %d are made, %d changed, and refused %d:\n%s", rows, made, changed, len(refused),
				strings.Join(refused[:min(20, len(refused))], "\n"))
		}
		id := to.Tenant.ID()
		want, got := comparable(t, archive, &id), comparable(t, packed(t, e, to.Tenant), nil)
		for name, lines := range want {
			for i, line := range lines {
				if i >= len(got[name]) || got[name][i] != line {
					t.Fatalf("%s: there were %d and are %d; one that was\n%s\nis\n%s", name, len(lines), len(got[name]), line,
						got[name][min(i, len(got[name])-1)])
				}
			}
			if len(got[name]) != len(lines) {
				t.Errorf("%s: there were %d and are %d", name, len(lines), len(got[name]))
			}
		}
		// The one field that is as it was only in the end is loosened before.
		if _, made, changed, refused := bring(t, e, to.Tenant, to.User, archive); made+len(refused) > 0 || changed > 2 {
			t.Errorf("once more: %d made, %d changed, refused %v", made, changed, refused)
		}
	})
}
