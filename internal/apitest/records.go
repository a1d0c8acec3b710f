package apitest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/crm"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

// NewRecords holds for each resource a body that creates it, what must come back, and a patch with its effect where it can be patched.
var NewRecords = []struct{ Plural, Body, Want, Patch, Patched string }{
	{
		"contacts", `{"first_name":"Anna","last_name":"Lund","email":"anna@lund.example","phone":"+49 30 1234","lead_score":7.5,` +
			`"address":{"city":"Kiel"},"tags":["vip"],"external_id":"a"}`,
		`{"name":"Anna Lund","email":"anna@lund.example","lead_score":7.5,"address":{"city":"Kiel","street":null},"tags":["vip"],` +
			`"do_not_contact":false,"lifecycle_stage_id":"*","custom_fields":{},"company_id":null,"last_contacted_at":null,` +
			`"deleted_at":"<absent>"}`,
		`{"last_name":"Lindt"}`, `{"name":"Anna Lindt","version":2}`,
	},
	{
		"companies", `{"name":"Lund AB","domain":"LUND.example","employee_count":12,"annual_revenue":1250.5,` +
			`"website":"https://lund.example","external_id":"a"}`,
		`{"domain":"lund.example","employee_count":12,"annual_revenue":"1250.50","currency":"EUR","lifecycle_stage_id":"*","address":null}`,
		`{"annual_revenue":"0.1"}`, `{"annual_revenue":"0.10","version":2}`,
	},
	{
		"deals", `{"name":"Boat","amount":"99.9","expected_close_date":"2030-02-28","external_id":"a"}`,
		`{"status":"open","amount":"99.90","currency":"EUR","probability":10,"expected_close_date":"2030-02-28","pipeline_id":"*",` +
			`"stage_id":"*","stage_changed_at":"*","closed_at":null,"line_items":[]}`,
		`{"probability":12.5}`, `{"probability":12.5,"version":2}`,
	},
	{
		"tasks", `{"title":"Call","due_at":"2030-01-02T03:04:05.678901+01:00","external_id":"a"}`,
		`{"status":"open","priority":"normal","due_at":"2030-01-02T02:04:05.678901Z","assignee_id":"$admin","completed_at":null}`,
		`{"priority":"urgent","due_at":"2030-01-02"}`, `{"priority":"urgent","due_at":"2030-01-02T00:00:00.000000Z","version":2}`,
	},
	{
		"notes", `{"title":"Hello","body":"two\nlines","external_id":"a"}`, `{"body":"two\nlines","pinned":false,"pinned_at":null}`,
		`{"title":null}`, `{"title":null,"version":2}`,
	},
	{
		"activities", `{"activity_type":"call","direction":"inbound","duration_seconds":60,"external_id":"a"}`,
		`{"activity_type":"call","occurred_at":"*","duration_seconds":60,"subject":null}`, `{"outcome":"reached"}`,
		`{"outcome":"reached","version":2}`,
	},
	{
		"products", `{"name":"Oar","sku":"OAR-1","price":"12","tax_rate":19,"external_id":"a"}`,
		`{"status":"active","price":"12.00","cost":null,"currency":"EUR","tax_rate":19,"billing_frequency":"one_time"}`,
		`{"price":12.3456}`, `{"price":"12.3456","version":2}`,
	},
	{
		"quotes", `{"title":"Offer","valid_until":"2030-12-31","external_id":"a"}`,
		`{"number":1,"status":"draft","currency":"EUR","subtotal":"0.00","discount_total":"0.00","tax_total":"0.00","total":"0.00",` +
			`"valid_until":"2030-12-31","sent_at":null,"line_items":[]}`,
		`{"terms":"30 days"}`, `{"terms":"30 days","version":2}`,
	},
	{
		"associations", `{"from_id":"$someone","to_id":"$someone","label":"sister","external_id":"a"}`,
		`{"from_id":"*","to_id":"*","label":"sister","deleted_with":null}`, `{"label":"aunt"}`, `{"label":"aunt","version":2}`,
	},
	{
		"pipelines", `{"name":"Renewals","stages":[{"name":"Due","probability":60}],"external_id":"a"}`,
		`{"position":2,"is_default":false,"stages":[{"id":"*","name":"Due","position":1,"kind":"open","probability":60},{"name":"Won",` +
			`"kind":"won","position":2,"probability":100},{"name":"Lost","kind":"lost","position":3,"probability":0}]}`,
		`{"name":"Renewal"}`, `{"name":"Renewal","version":2}`,
	},
	{
		"lifecycle_stages", `{"name":"Partner","external_id":"a"}`, `{"position":6,"is_default":false}`, `{"position":2}`,
		`{"position":2,"version":2}`,
	},
	{
		"loss_reasons", `{"name":"No answer","external_id":"a"}`, `{"position":6,"active":true}`, `{"position":2}`,
		`{"position":2,"version":2}`,
	},
	{
		"users", `{"email":"Ida@harbour.example","timezone":"Europe/Berlin","locale":"de-AT","external_id":"a"}`,
		`{"email":"Ida@harbour.example","name":"Ida@harbour.example","status":"invited","role_id":"*","timezone":"Europe/Berlin",` +
			`"last_active_at":null}`,
		`{"name":"Ida"}`, `{"name":"Ida","version":2}`,
	},
	{
		"roles", `{"name":"Intern","permissions":{"contact":{"read":"own"}},"features":["export"],"external_id":"a"}`,
		`{"permissions":{"contact":{"read":"own","write":"none","delete":"none"}},"features":["export"]}`,
		`{"permissions":{"contact":{"write":"own"},"deal":{"read":"all"}}}`,
		`{"permissions":{"contact":{"read":"own","write":"own","delete":"none"},"deal":{"read":"all","write":"none","delete":"none"}},` +
			`"version":2}`,
	},
	{
		"tokens", `{"name":"CI","scopes":["contact.read","deal.all"],"expires_at":"2999-01-02","external_id":"a"}`,
		`{"name":"CI","scopes":["contact.read","deal.all"],"hint":"*","user_id":"$admin","expires_at":"2999-01-02T00:00:00.000000Z",` +
			`"last_used_at":null}`, "", "",
	},
	{
		"apps", `{"name":"Importer","scopes":["contact.all"],"external_id":"a"}`,
		`{"name":"Importer","client_id":"*","redirect_uris":[],"grant_types":["client_credentials"],"scopes":["contact.all"],` +
			`"user_id":"$admin"}`,
		`{"scopes":["contact.read","contact.write"]}`, `{"scopes":["contact.read","contact.write"],"version":2}`,
	},
	{
		"views", `{"name":"Mine","resource":"deal","search":{"filters":[{"field":"owner_id","operator":"eq","value":"@me"}],"limit":50},` +
			`"columns":["name","company.name","amount"],"group_by":"stage_id","layout":"board","shared":true,"external_id":"a"}`,
		`{"name":"Mine","resource":"deal","search":{"filters":[{"field":"owner_id","operator":"eq","value":"@me"}],"limit":50},` +
			`"columns":["name","company.name","amount"],"group_by":"stage_id","layout":"board","position":1,"shared":true}`,
		`{"search":{"limit":null,"order_by":"amount"}}`,
		`{"search":{"filters":[{"field":"owner_id","operator":"eq","value":"@me"}],"order_by":"amount","limit":"<absent>"},"version":2}`,
	},
	{
		"follows", `{"about_id":"$someone","external_id":"a"}`, `{"about_id":"*"}`, `{"tags":["close"]}`, `{"tags":["close"],"version":2}`,
	},
	{
		"reports", `{"name":"Won","resource":"deal","aggregate":{"filters":[{"field":"status","operator":"eq","value":"won"}],` +
			`"group_by":["closed_at:month"],"metrics":["sum:amount"]},"chart":"line","shared":true,"external_id":"a"}`,
		`{"name":"Won","resource":"deal","aggregate":{"filters":[{"field":"status","operator":"eq","value":"won"}],` +
			`"group_by":["closed_at:month"],"metrics":["sum:amount"]},"chart":"line","position":1,"shared":true}`,
		`{"aggregate":{"metrics":["count"]}}`,
		`{"aggregate":{"filters":[{"field":"status","operator":"eq","value":"won"}],"group_by":["closed_at:month"],` +
			`"metrics":["count"]},"version":2}`,
	},
	{
		"notifications", `{"about_id":"$someone","text":"Call","snoozed_until":"2030-01-02T03:04:05Z","external_id":"a"}`,
		`{"kind":"reminder","about_id":"*","text":"Call","at":"2030-01-02T03:04:05.000000Z","read_at":null,"actor_id":null,"event":null}`,
		`{"text":"Ask"}`, `{"text":"Ask","version":2}`,
	},
	{
		"fields", `{"resource":"note","name":"tier","kind":"select","options":[{"value":"gold"}],"external_id":"a"}`,
		`{"label":"Tier","options":[{"value":"gold","label":"Gold"}],"required":false,"position":"*","number":"*"}`, `{"label":"Rank"}`,
		`{"label":"Rank","version":2}`,
	},
	{
		"webhooks", `{"url":"https://example.com/hook","events":["contact.created","deal.*"],"filters":{"deal":[{"field":"amount",` +
			`"operator":"gte","value":"10.00"}]},"external_id":"a"}`,
		`{"name":"example.com","url":"https://example.com/hook","events":["contact.created","deal.*"],` +
			`"filters":{"deal":[{"field":"amount","operator":"gte","value":"10.00"}]},"status":"active","disabled_at":null,` +
			`"disabled_reason":null,"user_id":"$admin"}`,
		`{"filters":{"deal":null},"status":"disabled"}`,
		`{"filters":{"deal":"<absent>"},"status":"disabled","disabled_at":"*","version":2}`,
	},
}

// PlainRecord is a body with what must be given and nothing else. No two are alike.
func PlainRecord(k *record.Kind, n int, ids map[string]string) map[string]json.RawMessage {
	fields := map[string]json.RawMessage{}
	for _, l := range k.Leaves {
		if l.ReadOnly || l.Of != nil || (!l.Required || l.Derived || l.Default != "") && l.Path != "name" && l.Path != "title" {
			continue
		}
		switch value := ValidValue(l, n, ids); {
		case l.Format == schema.Email:
			fields[l.Path] = fmt.Appendf(nil, `"person%d@harbour.example"`, n)
		case l.Format == schema.RecordID:
			fields[l.Path] = json.RawMessage(ValidValue(l, n+l.Index, ids))
		case l == record.Fields.Name:
			fields[l.Path] = fmt.Appendf(nil, `"n%d"`, n)
		case l.Kind == schema.Text && l != crm.Webhooks.URL:
			fields[l.Path] = fmt.Appendf(nil, `"%s %d"`, l.Label, n)
		default:
			fields[l.Path] = json.RawMessage(value)
		}
	}
	return fields
}

// With gives a body with one field more. A field of a group is in its group.
func With(t *testing.T, fields map[string]json.RawMessage, l *schema.Leaf, value string) string {
	t.Helper()
	body := map[string]json.RawMessage{}
	for name, v := range fields {
		body[name] = v
	}
	if l.Of != nil {
		body[l.Of.Name] = fmt.Appendf(nil, `{%q:%s}`, l.Name, value)
	} else {
		body[l.Path] = json.RawMessage(value)
	}
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Stages saves the stages of the default pipeline as s1 to s4, won and lost, and makes a second pipeline with t1, t2 and twon.
func Stages(t *testing.T, w *World) {
	t.Helper()
	w.Check(t, Step{
		Do: "POST /pipelines/search", Status: 200,
		Save: "sales=data.0.id s1=data.0.stages.0.id s2=data.0.stages.1.id s3=data.0.stages.2.id s4=data.0.stages.3.id " +
			"won=data.0.stages.4.id lost=data.0.stages.5.id",
	})
	w.Create(t, "pipelines", `{"name":"Renewals","stages":[{"name":"Due","probability":40},{"name":"Asked","probability":80},`+
		`{"name":"Renewed","kind":"won"}]}`, "renewals t1=stages.0.id t2=stages.1.id twon=stages.2.id")
}

// Between is the body of an association.
func Between(from, to, label string) string {
	if label == "" {
		return fmt.Sprintf(`{"from_id":"$%s","to_id":"$%s"}`, from, to)
	}
	return fmt.Sprintf(`{"from_id":"$%s","to_id":"$%s","label":%q}`, from, to, label)
}

// Missing proves that what a resource does not offer is not there: 405 where the path has another method, else 404.
func (w *World) Missing(t *testing.T, k *record.Kind, id string) {
	t.Helper()
	all := "/" + k.Plural
	steps := map[string]Step{
		"create":  {Do: "POST " + all, Status: 404, Code: "not_found"},
		"patch":   {Do: "PATCH " + all + "/" + id, Status: 405, Code: "method_not_allowed", Head: []string{"Allow: GET, HEAD, DELETE"}},
		"delete":  {Do: "DELETE " + all + "/" + id, Status: 405, Code: "method_not_allowed", Head: []string{"Allow: GET, HEAD, PATCH"}},
		"restore": {Do: "POST " + all + "/" + id + "/restore", Status: 404, Code: "not_found"},
		"bin":     {Do: "POST " + all + "/deleted/search", Status: 404, Code: "not_found"},
	}
	for _, operation := range k.Without {
		s, known := steps[operation]
		if !known {
			t.Errorf("%s are without %q, which is no operation", k.Plural, operation)
			continue
		}
		s.Rule, s.Body = k.Plural+" have no "+operation, `{}`
		w.Run(t, []Step{s})
	}
}

// Offered runs the steps that use what a resource offers.
func (w *World) Offered(t *testing.T, k *record.Kind, steps []Step) {
	t.Helper()
	w.Run(t, slices.DeleteFunc(steps, func(s Step) bool {
		return !Offers(k, "patch") && strings.HasPrefix(s.Do, "PATCH ") || !Offers(k, "restore") && strings.HasSuffix(s.Do, "/restore") ||
			!Offers(k, "bin") && strings.HasSuffix(s.Do, "/deleted/search")
	}))
}

// ALogo is a picture as it is sent.
func ALogo(t *testing.T, wide, high int) string {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewNRGBA(image.Rect(0, 0, wide, high))); err != nil {
		t.Fatal(err)
	}
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(out.Bytes())
}

// Filter writes a condition; operators of sets take values, those of presence nothing.
func Filter(field, op, operand string) string {
	switch op {
	case "is_set", "is_not_set":
		return `{"field":"` + field + `","operator":"` + op + `"}`
	case "in", "nin", "between":
		return `{"field":"` + field + `","operator":"` + op + `","values":` + operand + `}`
	}
	return `{"field":"` + field + `","operator":"` + op + `","value":` + operand + `}`
}

func Sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// Request sends a request that must succeed, and keeps its id under a name.
func (w *World) Request(t *testing.T, name string, s Step) *Answer {
	t.Helper()
	a := w.Send(t, s)
	if a.Status >= 300 {
		t.Fatalf("%s: status %d: %s", s.Do, a.Status, a.Text)
	}
	w.Vars[name] = a.Header.Get("X-Request-Id")
	if id, ok := At(a.JSON, "id").(string); ok {
		w.Vars[name+"_id"] = id
	}
	return a
}

// Unversioned is a record without what tells when and how often it was changed.
func Unversioned(rec any) map[string]any {
	out := map[string]any{}
	for name, value := range rec.(map[string]any) {
		if name != "version" && name != "updated_at" && name != "updated_by" {
			out[name] = value
		}
	}
	return out
}

// Records reads everything of some resources, live and deleted, without versions and, of the deleted ones, when they were.
func (w *World) Records(t *testing.T) map[string]any {
	t.Helper()
	all := map[string]any{}
	for _, resource := range []string{
		"contacts", "companies", "deals", "tasks", "notes", "activities", "products", "associations", "quotes",
	} {
		for _, where := range []string{"/search", "/deleted/search"} {
			for cursor := "null"; cursor != ""; {
				a := w.Send(t, Step{Do: "POST /" + resource + where, Body: `{"limit":100,"order_by":"id","cursor":` + cursor + `}`})
				for _, rec := range At(a.JSON, "data").([]any) {
					without := Unversioned(rec)
					delete(without, "deleted_at")
					all[where+fmt.Sprint(At(rec, "id"))] = without
				}
				if cursor, _ = At(a.JSON, "meta.cursor.next").(string); cursor != "" {
					cursor = `"` + cursor + `"`
				}
			}
		}
	}
	return all
}

func RecordThatDiffers(a, b map[string]any) string {
	for id, rec := range a {
		if !reflect.DeepEqual(rec, b[id]) {
			return fmt.Sprintf("%s:\n%v\n%v", id, rec, b[id])
		}
	}
	for id, rec := range b {
		if a[id] == nil {
			return fmt.Sprintf("%s is there: %v", id, rec)
		}
	}
	return ""
}
