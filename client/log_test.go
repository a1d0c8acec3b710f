package client_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/kith-crm/kith/client"
	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/testworld"
)

func TestHistoryIsWalkedThrough(t *testing.T) {
	onBothEngines(t, httpapi.Options{}, func(t *testing.T, s *server) {
		ctx, c := t.Context(), s.connect(t)
		contact := must[*client.Contact](t)(c.Contacts.Create(ctx, client.ContactInput{Name: client.Set("Anna")}))
		for _, title := range []string{"Cook", "Chef", "Owner"} {
			must[*client.Contact](t)(c.Contacts.Update(ctx, contact.ID,
				client.ContactInput{JobTitle: client.Set(title), Address: client.Set(client.AddressInput{City: client.Set(title)})}))
		}
		if err := c.Contacts.Delete(ctx, contact.ID); err != nil {
			t.Fatal(err)
		}
		var told []string
		for change, err := range c.Contacts.History(ctx, contact.ID, client.LogQuery{SortDirection: "asc", Limit: 2}) {
			if err != nil {
				t.Fatal(err)
			}
			if change.Seq == 0 || change.At.IsZero() || change.Actor.UserID != contact.OwnerID || change.RequestID == "" ||
				change.Version != int64(len(told)+1) {
				t.Errorf("%+v", change)
			}
			told = append(told, change.Action+" "+string(change.Changes["job_title"].From)+" "+string(change.Changes["address.city"].To))
		}
		if want := []string{
			"create  ", `update null "Cook"`, `update "Cook" "Chef"`, `update "Chef" "Owner"`,
			"delete  ",
		}; !slices.Equal(told, want) {
			t.Errorf("%q, want %q", told, want)
		}
		page := must[*client.Page[client.Change]](t)(c.Contacts.HistoryPage(ctx, contact.ID, client.LogQuery{Limit: 1}))
		if len(page.Records) != 1 || page.Records[0].Action != "delete" || page.Next == "" {
			t.Errorf("%+v", page)
		}
		for _, err := range c.Deals.History(ctx, "deal_01h455vb4pex5vsknk084sn02q", client.LogQuery{}) {
			if !errors.Is(err, client.ErrNotFound) {
				t.Errorf("%v", err)
			}
		}
	})
}

// The schema is read whole: nothing in it is unknown to the client.
func TestSchemaIsReadWhole(t *testing.T) {
	onBothEngines(t, httpapi.Options{}, func(t *testing.T, s *server) {
		ctx, c := t.Context(), s.connect(t)
		told := must[*client.Schema](t)(c.Schema(ctx))
		if len(told.Resources) != len(record.Kinds()) || told.Business.Name != "business" || told.Business.Permissions.Read != "all" {
			t.Errorf("%+v", told)
		}
		deal := told.Resources[slices.IndexFunc(told.Resources, func(r client.ResourceSchema) bool { return r.Name == "deal" })]
		if deal.States == nil || deal.States.Initial != "open" || len(deal.Actions) < 4 || deal.Permissions.Delete != "all" {
			t.Errorf("%+v", deal)
		}
		_, text := testworld.Send(t, http.DefaultClient, testworld.Request(t, http.MethodGet, s.url+"/v1/schema", s.admin, ""))
		strict := json.NewDecoder(bytes.NewReader(text))
		strict.DisallowUnknownFields()
		if err := strict.Decode(&client.Schema{}); err != nil {
			t.Error(err)
		}
	})
}

func TestTimelineAndChangesAreWalkedThrough(t *testing.T) {
	onBothEngines(t, httpapi.Options{}, func(t *testing.T, s *server) {
		ctx, c := t.Context(), s.connect(t)
		before := must[*client.ChangesPage](t)(c.ChangesPage(ctx, client.ChangesQuery{})).Latest
		contact := must[*client.Contact](t)(c.Contacts.Create(ctx, client.ContactInput{Name: client.Set("Anna")}))
		note := must[*client.Note](t)(c.Notes.Create(ctx, client.NoteInput{Title: client.Set("First"), ContactID: client.Set(contact.ID)}))
		must[*client.Task](t)(c.Tasks.Create(ctx, client.TaskInput{Title: client.Set("Call"), ContactID: client.Set(contact.ID)}))

		var kinds []string
		for event, err := range c.Contacts.Timeline(ctx, contact.ID, client.LogQuery{SortDirection: "asc", Limit: 2}) {
			if err != nil {
				t.Fatal(err)
			}
			kinds = append(kinds, event.Kind)
			switch event.Kind {
			case "note":
				var read client.Note
				if err := event.Decode(&read); err != nil || read.ID != note.ID || !event.At.Equal(note.CreatedAt) {
					t.Errorf("%+v, %v", read, err)
				}
			case "change":
				if event.Change == nil || event.Change.Action != "create" {
					t.Errorf("%+v", event)
				}
			}
		}
		if !slices.Equal(kinds, []string{"change", "note", "task"}) {
			t.Errorf("%v", kinds)
		}
		if page := must[*client.Page[client.Event]](t)(c.Contacts.TimelinePage(ctx, contact.ID,
			client.LogQuery{Limit: 1})); len(page.Records) != 1 || page.Records[0].Kind != "task" || page.Next == "" {
			t.Errorf("%+v", page)
		}

		var told []string
		last := before
		for change, err := range c.Changes(ctx, client.ChangesQuery{After: before, Limit: 1}) {
			if err != nil {
				t.Fatal(err)
			}
			if change.Seq <= last || !strings.HasPrefix(change.RecordID, change.Resource+"_") {
				t.Errorf("%+v", change)
			}
			last = change.Seq
			told = append(told, change.Resource+" "+change.Action)
		}
		if !slices.Equal(told, []string{"contact create", "note create", "task create"}) {
			t.Errorf("%v", told)
		}
		for change, err := range c.Changes(ctx, client.ChangesQuery{After: last}) {
			t.Errorf("%+v, %v", change, err)
		}
		for change, err := range c.Changes(ctx, client.ChangesQuery{After: before, Resources: []string{"note"}}) {
			if err != nil || change.Resource != "note" {
				t.Errorf("%+v, %v", change, err)
			}
		}
	})
}
