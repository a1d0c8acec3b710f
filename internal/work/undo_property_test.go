package work_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/testworld"

	. "github.com/kith-crm/kith/internal/apitest"
)

// modelRecord is a record as a naive model has it: whether it is live, and each field that has a value, by its path, as JSON.
type modelRecord struct {
	live   bool
	fields map[string]string
}

// modelState is all records by their ids.
type modelState map[string]modelRecord

// plainly reads all records.
func plainly(w *World, t *testing.T) modelState {
	t.Helper()
	all := modelState{}
	for key, rec := range w.Records(t) {
		id, deleted := strings.CutPrefix(key, "/deleted/search")
		r := modelRecord{live: !deleted, fields: map[string]string{}}
		flatten("", rec, r.fields)
		all[strings.TrimPrefix(id, "/search")] = r
	}
	return all
}

func flatten(path string, value any, into map[string]string) {
	switch value := value.(type) {
	case nil:
	case map[string]any:
		for name, inner := range value {
			flatten(strings.TrimPrefix(path+"."+name, "."), inner, into)
		}
	default:
		if list, is := value.([]any); is && len(list) == 0 {
			return
		}
		text, err := json.Marshal(value)
		if err != nil {
			panic(err)
		}
		into[path] = string(text)
	}
}

// text is a field as it was written.
func (r modelRecord) text(path string) (text string) {
	_ = json.Unmarshal([]byte(r.fields[path]), &text) // nothing where it has none
	return text
}

func (r modelRecord) with(change func(fields map[string]string)) modelRecord {
	fields := map[string]string{}
	for path, value := range r.fields {
		fields[path] = value
	}
	change(fields)
	return modelRecord{r.live, fields}
}

// derivedName is the name of a contact that was given none.
func (r modelRecord) derivedName() string {
	return cmpOr(strings.TrimSpace(r.text("first_name")+" "+r.text("last_name")), r.text("email"), r.text("phone"), r.text("mobile_phone"))
}

func cmpOr(texts ...string) string {
	return texts[max(0, slices.IndexFunc(texts, func(text string) bool { return text != "" }))]
}

// doneRequest is what a request or a job did: what the records were that it changed, and became.
type doneRequest struct {
	what, undo    string
	before, after modelState
}

// changed are the records that two states differ in.
func changed(before, after modelState) (ids []string) {
	for id, rec := range after {
		if was, known := before[id]; !known || fmt.Sprint(was) != fmt.Sprint(rec) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// fieldsBut are the paths of either record, without some.
func fieldsBut(a, b modelRecord, but ...string) (paths []string) {
	for path := range a.fields {
		paths = append(paths, path)
	}
	for path := range b.fields {
		if _, both := a.fields[path]; !both {
			paths = append(paths, path)
		}
	}
	return slices.DeleteFunc(paths, func(path string) bool { return slices.Contains(but, path) })
}

// undo is the rule, naively: a change of a record is taken back where its fields have what it gave them, or what they had before. It
// gives the state that follows, and how many records are left.
func (r doneRequest) undone(now modelState) (then modelState, left int) {
	then = modelState{}
	for id, rec := range now {
		then[id] = rec
	}
	for _, id := range changed(r.before, r.after) {
		rec, known := then[id]
		if !known {
			continue
		}
		back, ok := r.undoneRecord(id, rec, then)
		if !ok {
			left++
			continue
		}
		then[id] = back
	}
	return then, left
}

func (r doneRequest) undoneRecord(id string, now modelRecord, all modelState) (then modelRecord, ok bool) {
	was, known := r.before[id]
	is := r.after[id]
	switch {
	case !known: // it was made
		if !now.live {
			return now, true
		}
		for _, path := range fieldsBut(now, is, "weighted_amount") {
			if now.fields[path] != is.fields[path] {
				return now, false
			}
		}
		return modelRecord{false, now.fields}, true
	case was.live && !is.live:
		return modelRecord{true, now.fields}, now.live || all.unique(id, now)
	case !was.live && is.live:
		return modelRecord{false, now.fields}, true
	}
	put := map[string]string{}
	for _, path := range fieldsBut(was, is, "weighted_amount") {
		from, to, value := was.fields[path], is.fields[path], now.fields[path]
		switch {
		case from == to || value == from && value != to:
		case value == to:
			put[path] = from
		case path == "name" && strings.HasPrefix(id, "contact_") && now.text("name") == now.derivedName():
		default:
			return now, false
		}
	}
	if len(put) == 0 {
		return now, true
	}
	then = now.with(func(fields map[string]string) {
		for path, from := range put {
			if fields[path] = from; from == "" {
				delete(fields, path)
			}
		}
	})
	if _, given := put["name"]; !given && strings.HasPrefix(id, "contact_") && now.text("name") == now.derivedName() {
		then = then.with(func(fields map[string]string) { fields["name"] = strconv.Quote(then.derivedName()) })
	}
	named := !strings.HasPrefix(id, "contact_") || then.text("name") != ""
	told := !strings.HasPrefix(id, "note_") || then.text("title") != "" || then.text("body") != ""
	return then, now.live && named && told && all.unique(id, then)
}

// unique tells that no other live record of the kind has the same external id.
func (p modelState) unique(id string, rec modelRecord) bool {
	kind, _, _ := strings.Cut(id, "_")
	for other, has := range p {
		if other != id && strings.HasPrefix(other, kind+"_") && has.live &&
			rec.text("external_id") != "" && has.text("external_id") == rec.text("external_id") {
			return false
		}
	}
	return true
}

// differ tells what two states differ in, but for what follows from other fields, and records that were made and went to the bin.
func (p modelState) differ(t *testing.T, other modelState) string {
	t.Helper()
	for id, rec := range other {
		has, known := p[id]
		if !known && !rec.live {
			continue
		}
		for _, path := range fieldsBut(has, rec, "weighted_amount") {
			if has.fields[path] != rec.fields[path] {
				return fmt.Sprintf("%s.%s is %s, want %s", id, path, rec.fields[path], has.fields[path])
			}
		}
		if !known || has.live != rec.live {
			return fmt.Sprintf("%s is live %v, want %v", id, rec.live, has.live)
		}
		if strings.HasPrefix(id, "deal_") { // to be exact: the amount by its probability
			number := func(path string) float64 {
				n, _ := strconv.ParseFloat(strings.Trim(rec.fields[path], `"`), 64) // 0 where there is none
				return n
			}
			amount, share, weighted := number("amount"), number("probability"), number("weighted_amount")
			if diff := amount*share/100 - weighted; diff > 0.0001 || diff < -0.0001 {
				return fmt.Sprintf("%s is weighted %v, of %v at %v %%", id, weighted, amount, share)
			}
		}
	}
	return ""
}

// undoWorld is a world in which several people change records at random.
type undoWorld struct {
	*World
	random *rand.Rand
	stages []string
}

func newUndoWorld(t *testing.T, engine string, seed uint64) *undoWorld {
	w := &undoWorld{World: NewWorld(t, DatabaseURL(t, engine), httpapi.Options{}), random: rand.New(rand.NewPCG(seed, 85))}
	w.Workers(t)
	w.Run(t, []Step{
		{Rule: "a field", Do: "POST /fields", Body: `{"resource":"contact","name":"shoe","kind":"text"}`, Status: 201},
		{
			Rule: "a choice", Do: "POST /fields", Status: 201,
			Body: `{"resource":"contact","name":"tiers","kind":"multi_select","options":[{"value":"gold"},{"value":"tin"}]}`,
		},
	})
	a := w.Send(t, Step{Do: "POST /pipelines/search", Body: `{}`})
	for _, stage := range At(a.JSON, "data.0.stages").([]any) {
		if At(stage, "kind") == "open" {
			w.stages = append(w.stages, fmt.Sprint(At(stage, "id")))
		}
	}
	return w
}

func (w *undoWorld) oneOf(from ...string) string { return from[w.random.IntN(len(from))] }

// live draws a record of a kind, or gives nothing.
func (p modelState) draw(w *undoWorld, kind string, live bool) string {
	var ids []string
	for id, rec := range p {
		if strings.HasPrefix(id, kind+"_") && rec.live == live {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return ""
	}
	slices.Sort(ids)
	return w.oneOf(ids...)
}

// data draws some fields of a kind. Few values are drawn from, so that changes meet.
func (w *undoWorld) data(kind string, now modelState) string {
	reference := func(kind string) string {
		if id := now.draw(w, kind, true); id != "" && w.random.IntN(3) > 0 {
			return strconv.Quote(id)
		}
		return "null"
	}
	text := func(values ...string) string {
		if v := w.oneOf(append(values, "")...); v != "" {
			return strconv.Quote(v)
		}
		return "null"
	}
	fields := map[string][][2]string{
		"contact": {
			{"first_name", text("Anna", "Eva")},
			{"last_name", text("Berg", "Lind")},
			{"first_name", text("Anna", "Eva")}, // again, because a name follows from them
			{"last_name", text("Berg", "Lind")},
			{"email", text("a@harbour.example", "e@harbour.example")},
			{"job_title", text("Cook", "Captain")},
			{"tags", w.oneOf(`[]`, `["a"]`, `["a","b"]`, `["b"]`)},
			{"address", w.oneOf(`{"city":"Oslo"}`, `{"city":null}`, `{"country":"Norway"}`, `{"city":"Bergen","country":null}`)},
			{"company_id", reference("company")},
			{"external_id", text("one", "two", "three")},
			{"custom_fields", w.oneOf(`{"shoe":"38"}`, `{"shoe":null}`, `{"tiers":["gold"]}`, `{"tiers":["gold","tin"],"shoe":"40"}`)},
		},
		"company": {
			{"name", w.oneOf(`"Harbour"`, `"Quay"`)},
			{"industry", text("Shipping", "Fish")},
			{"employee_count", w.oneOf("null", "5", "70")},
		},
		"deal": {
			{"name", w.oneOf(`"Crane"`, `"Boat"`)},
			{"amount", w.oneOf("null", `"100.00"`, `"250.00"`)},
			{"probability", w.oneOf("null", "30", "80")},
			{"contact_id", reference("contact")},
			{"line_items", w.oneOf(`[]`, `[{"name":"Rope","unit_price":"5.00"}]`, `[{"name":"Sail","unit_price":"7.00","quantity":"2"}]`)},
		},
		"task": {
			{"title", w.oneOf(`"Call"`, `"Write"`)},
			{"priority", w.oneOf(`"low"`, `"high"`)},
			{"status", w.oneOf(`"open"`, `"in_progress"`, `"completed"`)},
			{"contact_id", reference("contact")},
		},
		"note": {{"title", text("Fair", "Visit")}, {"body", text("Rain", "Sun")}, {"pinned", w.oneOf("true", "false")}},
	}[kind]
	w.random.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	some := map[string]json.RawMessage{}
	for _, f := range fields[:1+w.random.IntN(2)] {
		some[f[0]] = json.RawMessage(f[1])
	}
	text2, err := json.Marshal(some)
	if err != nil {
		panic(err)
	}
	return string(text2)
}

var undoKinds = map[string]string{"contact": "contacts", "company": "companies", "deal": "deals", "task": "tasks", "note": "notes"}

// change draws a request that changes single records: it makes, patches, deletes, restores and acts.
func (w *undoWorld) change(now modelState) Step {
	kind := w.oneOf("contact", "contact", "contact", "company", "deal", "deal", "task", "note")
	path := "/" + undoKinds[kind]
	id := now.draw(w, kind, true)
	if n := w.random.IntN(20); id == "" || n < 2 && len(now) < 12 {
		made := map[string]string{
			"contact": `{"first_name":"Bo","tags":["a"]}`,
			"company": `{"name":"Pier"}`,
			"deal":    `{"name":"Net","amount":"50.00"}`,
			"task":    `{"title":"Ask"}`,
			"note":    `{"title":"Fog"}`,
		}
		return Step{Do: "POST " + path, Body: made[kind]}
	} else if n < 4 {
		return Step{Do: "DELETE " + path + "/" + id}
	} else if gone := now.draw(w, kind, false); n < 6 && gone != "" {
		return Step{Do: "POST " + path + "/" + gone + "/restore"}
	} else if n < 10 {
		switch kind {
		case "deal":
			if action := w.oneOf("win", "lose", "reopen", "change_stage"); action != "change_stage" {
				return Step{Do: "POST " + path + "/" + id + "/" + action}
			}
			return Step{Do: "POST " + path + "/" + id + "/change_stage", Body: `{"stage_id":"` + w.oneOf(w.stages...) + `"}`}
		case "task":
			return Step{Do: "POST " + path + "/" + id + "/" + w.oneOf("complete", "reopen")}
		case "note":
			return Step{Do: "POST " + path + "/" + id + "/" + w.oneOf("pin", "unpin")}
		}
	}
	return Step{Do: "PATCH " + path + "/" + id, Body: w.data(kind, now)}
}

// many draws a job that changes several records.
func (w *undoWorld) many(now modelState) Step {
	kind := w.oneOf("contact", "deal", "task")
	var ids []string
	for range 4 {
		if id := now.draw(w, kind, true); id != "" && !slices.Contains(ids, strconv.Quote(id)) {
			ids = append(ids, strconv.Quote(id))
		}
	}
	what := w.oneOf(`"op":"update","data":`+w.data(kind, now), `"op":"delete"`, `"op":"tag","data":{"add":["c"],"remove":["a"]}`)
	body := `{"filters":[{"field":"id","operator":"in","values":[` + strings.Join(ids, ",") + `]}],` + what + `}`
	return Step{Do: "POST /" + undoKinds[kind] + "/bulk", Body: body}
}

// do sends a request as one of the people, waits for its job where it is one, and tells what it did; false where it was refused or did
// nothing.
func (w *undoWorld) do(t *testing.T, s Step, before modelState) (r doneRequest, ok bool) {
	t.Helper()
	if !strings.HasPrefix(s.Do, "POST /imports/") { // which is its maker's
		s.As = w.oneOf("admin", "manager")
	}
	a := w.Send(t, s)
	if a.Status >= 500 {
		t.Fatalf("%s %s: %d %s", s.Do, s.Body, a.Status, a.Text)
	}
	r = doneRequest{what: s.Do + " " + s.Body, undo: `{"request_id":"` + a.Header.Get("X-Request-Id") + `"}`, before: before}
	if a.Status == http.StatusAccepted {
		if strings.HasPrefix(s.Do, "POST /imports/") {
			w.Settled(t, "", w.Vars["import"])
		} else {
			finished(w.World, t, s.As, fmt.Sprint(At(a.JSON, "id")))
		}
	}
	r.after = plainly(w.World, t)
	return r, len(changed(before, r.after)) > 0
}

// Random changes by several people, single ones and jobs, undone in random order, and undos undone, against a naive model of the rule.
func TestUndoInAnyOrder(t *testing.T) {
	for i, engine := range append(testworld.Engines, testworld.Engines...) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			w := newUndoWorld(t, engine, uint64(i))
			now := modelState{}
			var done []doneRequest
			tally := map[string]int{}
			for round := 0; round < 250; round++ {
				if n := w.random.IntN(20); n < 11 || len(done) == 0 {
					s := w.change(now)
					if n == 0 && round > 20 {
						s = w.many(now)
					}
					if r, ok := w.do(t, s, now); ok {
						done, now = append(done, r), r.after
					}
					continue
				}
				r := done[len(done)-1-w.random.IntN(min(len(done), 1+w.random.IntN(30)))]
				want, left := r.undone(now)
				a := w.Send(t, Step{As: w.oneOf("admin", "manager"), Do: "POST /undo", Body: r.undo})
				if a.Status != http.StatusOK {
					t.Fatalf("round %d: undo of %s: %d %s", round, r.what, a.Status, a.Text)
				}
				is := plainly(w.World, t)
				if diff := want.differ(t, is); diff != "" {
					t.Fatalf("round %d: after the undo of %s\n%s\n%s", round, r.what, diff, a.Text)
				}
				if fmt.Sprint(At(a.JSON, "meta.left")) != fmt.Sprint(left) {
					t.Fatalf("round %d: undo of %s: %d are to be left: %s", round, r.what, left, a.Text)
				}
				tally["left"] += left
				if len(changed(now, is)) > 0 {
					undo := `{"request_id":"` + a.Header.Get("X-Request-Id") + `"}`
					done = append(done, doneRequest{"the undo of " + r.what, undo, now, is})
					tally["undone"]++
				}
				now = is
			}
			t.Logf("%d requests, %v", len(done), tally)
			if tally["undone"] < 20 || tally["left"] < 3 {
				t.Errorf("too little was undone, or left, to tell: %v", tally)
			}
			isSound(w.World, t)
		})
	}
}

// isSound holds everything that is derived from records to them.
func isSound(w *World, t *testing.T) {
	t.Helper()
	found := func(f store.Fault) { t.Errorf("%+v", f) }
	if err := w.Tenant.Check(t.Context(), store.Checking{Rules: record.CheckRules(), Looked: func(int64) {}, Found: found}); err != nil {
		t.Error(err)
	}
}

// Whatever several people did, merges, imports, activities, associations and batches that change a record twice among it: taken back
// the last first, each step leaves everything as it was before. What was taken back is done again by an undo of the undo.
func TestUndoTheLastFirst(t *testing.T) {
	for i, engine := range append(testworld.Engines, testworld.Engines...) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			w := newUndoWorld(t, engine, uint64(10+i))
			now := modelState{}
			var done []doneRequest
			for round := 0; round < 60; round++ {
				s := w.change(now)
				switch n := w.random.IntN(20); {
				case round < 12:
				case n < 3:
					s = w.many(now)
				case n < 10:
					s = w.across(t, now)
				}
				if s.Do == "" {
					continue
				}
				if r, ok := w.do(t, s, now); ok {
					done, now = append(done, r), r.after
				}
			}
			for _, r := range slices.Backward(done) {
				take := func(what, undo string, want modelState) *Answer {
					t.Helper()
					a := w.Send(t, Step{As: w.oneOf("admin", "manager"), Do: "POST /undo", Body: undo})
					if a.Status != http.StatusOK || fmt.Sprint(At(a.JSON, "meta.left")) != "0" {
						t.Fatalf("%s %s: %d %s", what, r.what, a.Status, a.Text)
					}
					if diff := want.differ(t, plainly(w.World, t)); diff != "" {
						t.Fatalf("%s %s: %s", what, r.what, diff)
					}
					return a
				}
				a := take("the undo of", r.undo, r.before)
				if !strings.Contains(r.what, "/merge ") && w.random.IntN(3) == 0 {
					take("what is done again of", `{"request_id":"`+a.Header.Get("X-Request-Id")+`"}`, r.after)
					take("the second undo of", r.undo, r.before)
				}
			}
			t.Logf("%d requests", len(done))
			isSound(w.World, t)
		})
	}
}

// across draws a request that changes several records of several kinds, or runs an import.
func (w *undoWorld) across(t *testing.T, now modelState) Step {
	contact, other, company := now.draw(w, "contact", true), now.draw(w, "contact", true), now.draw(w, "company", true)
	if contact == "" || company == "" {
		return Step{}
	}
	switch w.random.IntN(6) {
	case 0, 1:
		return Step{Do: "POST /contacts/" + contact + "/merge", Body: `{"other_id":"` + other + `"}`}
	case 2:
		return Step{Do: "POST /activities", Body: fmt.Sprintf(
			`{"activity_type":"call","subject":"Hello","contact_id":%q,"company_id":%q}`, contact, company)}
	case 3:
		return Step{Do: "POST /associations", Body: fmt.Sprintf(
			`{"from_id":%q,"to_id":%q,"label":%q}`, contact, company, w.oneOf("owner", "cook"))}
	case 4:
		return Step{Do: "POST /contacts/batch", Body: fmt.Sprintf(`{"operations":[
			{"op":"update","id":%q,"data":%s},
			{"op":"update","id":%q,"data":%s},
			{"op":"create","data":{"name":"Twin"}},
			{"op":"delete","id":%q}
		]}`, contact, w.data("contact", now), contact, w.data("contact", now), other)}
	}
	w.Upload(t, `{"resource":"contact","match":"external_id","policy":"upsert"}`,
		"external_id,name,job_title,tags\none,Ida,Cook,x\nfour,Ole,Captain,\n")
	return Step{Do: "POST /imports/" + w.Vars["import"] + "/run"}
}
