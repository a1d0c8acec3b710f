package record_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"

	. "github.com/kith-crm/kith/internal/apitest"
)

// entry is what a history tells, as a client reads it.
type entry struct {
	Seq      int64
	Resource string
	RecordID string `json:"record_id"`
	At       string
	Action   string
	Version  int64
	Actor    struct {
		UserID *string `json:"user_id"`
	}
	Changes map[string]struct{ From, To json.RawMessage }
}

// wholeList reads all pages of a list of what happened.
func wholeList[E any](t *testing.T, w *World, do, direction string, limit int) (all []E) {
	t.Helper()
	for cursor := "null"; ; {
		a := w.Send(t, Step{Do: "POST " + do, Body: fmt.Sprintf(`{"sort_direction":%q,"limit":%d,"cursor":%s}`, direction, limit, cursor)})
		var page struct {
			Data []E
			Meta struct {
				Cursor struct {
					Next    *string
					HasMore bool `json:"has_more"`
				}
			}
		}
		if err := json.Unmarshal(a.Text, &page); err != nil || a.Status != 200 {
			t.Fatalf("%s is %d: %s", do, a.Status, a.Text)
		}
		all = append(all, page.Data...)
		if !page.Meta.Cursor.HasMore {
			return all
		}
		if len(page.Data) != limit {
			t.Fatalf("%s: a page of %d has %d entries, and there are more", do, limit, len(page.Data))
		}
		cursor = fmt.Sprintf("%q", *page.Meta.Cursor.Next)
	}
}

// wholeHistory reads a record's history from its first entry, in pages of a few.
func wholeHistory(w *World, t *testing.T, k *record.Kind, id string) []entry {
	t.Helper()
	return wholeList[entry](t, w, "/"+k.Plural+"/"+id+"/history/search", "asc", 3)
}

// randomWrites does to records of a kind whatever the API offers, well or badly, and gives the ids of those that it made.
func randomWrites(w *World, t *testing.T, k *record.Kind, random *rand.Rand, ids map[string]string) (made []string) {
	t.Helper()
	ops, actions := k.Operations()
	note := func(a *Answer, path string) {
		if id, ok := At(a.JSON, path).(string); ok && strings.HasPrefix(id, k.Name+"_") && !slices.Contains(made, id) {
			made = append(made, id)
		}
	}
	fields := func() string {
		n := random.IntN(1000)
		body := strings.Replace(VariedRecord(k, n, ids), `"external_id":"`, fmt.Sprintf(`"external_id":"%d-`, n), 1)
		if lines := `"line_items":[{"name":"Oar","unit_price":"` + fmt.Sprint(n) + `.5","quantity":3}],`; k.Leaf("line_items") != nil &&
			n%3 == 0 {
			body = strings.Replace(body, "{", "{"+lines, 1)
		}
		return body
	}
	send := func(do, body string) *Answer {
		a := w.Send(t, Step{Do: do, Body: body})
		if a.Status >= 500 {
			t.Fatalf("%s %s is %d: %s", do, body, a.Status, a.Text)
		}
		return a
	}
	all := "/" + k.Plural
	for range 40 {
		one := all + "/" + k.Name + "_01h455vb4pex5vsknk084sn02q"
		if len(made) > 0 {
			one = all + "/" + made[random.IntN(len(made))]
		}
		action := ""
		if len(actions) > 0 {
			action = actions[random.IntN(len(actions))]
		}
		switch op := ops[random.IntN(len(ops))]; random.IntN(8) {
		case 0:
			note(send("POST "+all, fields()), "id")
		case 1:
			send("PATCH "+one, fields())
		case 2, 6, 7:
			note(send("POST "+one+"/"+action, `{}`), "id")
		case 3:
			if random.IntN(2) == 0 {
				send("DELETE "+one, "")
			} else {
				send("POST "+one+"/restore", "")
			}
		case 4:
			note(send("POST "+all+"/upsert", `{"match":"external_id","data":`+fields()+`}`), "id")
		case 5:
			id := one[len(all)+1:]
			batch := fmt.Sprintf(`{"atomic":%t,"operations":[{"op":"create","data":%s}`, random.IntN(3) == 0, fields())
			switch op {
			case "update":
				batch += fmt.Sprintf(`,{"op":"update","id":%q,"data":%s}`, id, fields())
			case "delete":
				batch += fmt.Sprintf(`,{"op":"delete","id":%q}`, id)
			case "act":
				batch += fmt.Sprintf(`,{"op":"act","id":%q,"action":%q,"data":{}}`, id, action)
			case "upsert":
				batch += fmt.Sprintf(`,{"op":"upsert","match":"external_id","data":%s}`, fields())
			}
			a := send("POST "+all+"/batch", batch+"]}")
			note(a, "data.0.record.id")
			note(a, "data.1.record.id")
		}
	}
	return made
}

// Whoever takes the history of a record from its first entry on has the record as it is now, live or deleted, and on the way each
// change began where the one before it ended.
func TestHistoryReplayedIsTheRecord(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		t.Parallel()
		random := rand.New(rand.NewPCG(1, 10))
		ids := w.OneOfEach(t)
		checked := map[string]int{}
		for _, k := range record.Kinds() {
			for _, id := range append(randomWrites(w, t, k, random, ids), ids[k.Name]) {
				replay(w, t, k, id, checked)
			}
		}
		for _, word := range []string{
			"create", "update", "delete", "restore", "complete", "pin", "send", "rotate_secret", "deleted",
			"live",
		} {
			if checked[word] == 0 {
				t.Errorf("nothing was replayed that is about %s: %v", word, checked)
			}
		}
	})
}

// replay holds one record to its history.
func replay(w *World, t *testing.T, k *record.Kind, id string, checked map[string]int) {
	t.Helper()
	uuid, err := schema.ParseID(k.Name, id)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := w.Tenant.Get(context.Background(), &k.Resource, uuid, false)
	if errors.Is(err, store.ErrNotFound) {
		rec, err = w.Tenant.Get(context.Background(), &k.Resource, uuid, true)
	}
	if err != nil {
		t.Fatal(err)
	}
	replayed := map[string]string{}
	for _, l := range k.Leaves {
		replayed[l.Path] = string(schema.AppendValue(nil, l, schema.Absent(l.Kind)))
	}
	quoted := func(id *string) string {
		if id == nil {
			return "null"
		}
		return `"` + *id + `"`
	}
	for i, e := range wholeHistory(w, t, k, id) {
		if e.Version != int64(i+1) {
			t.Errorf("entry %d of %s is of version %d", i+1, id, e.Version)
		}
		checked[e.Action]++
		for path, change := range e.Changes {
			if k.Leaf(path) == nil || replayed[path] != string(change.From) {
				t.Errorf("%s of %s was %s, and entry %d says %s", path, id, replayed[path], i+1, change.From)
			}
			replayed[path] = string(change.To)
		}
		replayed["updated_at"], replayed["updated_by"], replayed["version"] = `"`+e.At+`"`, quoted(e.Actor.UserID), fmt.Sprint(e.Version)
		switch e.Action {
		case "create":
			replayed["id"], replayed["created_at"], replayed["created_by"] = `"`+id+`"`, replayed["updated_at"], replayed["updated_by"]
		case "delete":
			replayed["deleted_at"] = replayed["updated_at"]
		case "restore":
			replayed["deleted_at"] = "null"
		}
	}
	for i, l := range k.Leaves {
		now := string(schema.AppendValue(nil, l, rec.Values[i]))
		lapsed := l.Lapse != nil && replayed[l.Path] == `"`+l.Lapse.From+`"` && now == `"`+l.Lapse.To+`"` // which a day did, and nobody
		if now != replayed[l.Path] && !l.Writing.Silent && !lapsed {
			t.Errorf("%s of %s is %s, by its history %s", l.Path, id, now, replayed[l.Path])
		}
	}
	if rec.Live() {
		checked["live"]++
	} else {
		checked["deleted"]++
	}
}
