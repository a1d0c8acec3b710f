package client_test

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/kith-crm/kith/client"
	"github.com/kith-crm/kith/internal/httpapi"
)

func TestWordsAreFoundAcrossResources(t *testing.T) {
	onBothEngines(t, httpapi.Options{}, func(t *testing.T, s *server) {
		ctx, c := t.Context(), s.connect(t)
		company := must[*client.Company](t)(c.Companies.Create(ctx, client.CompanyInput{Name: client.Set("Lund")}))
		contact := must[*client.Contact](t)(c.Contacts.Create(ctx, client.ContactInput{
			Name: client.Set("Anna Lund"), Email: client.Set("anna@lund.example"), CompanyID: client.Set(company.ID),
		}))
		note := must[*client.Note](t)(c.Notes.Create(ctx, client.NoteInput{Body: client.Set("She lives in Östlund.")}))
		must[*client.Contact](t)(c.Contacts.Create(ctx, client.ContactInput{Name: client.Set("Ben")}))

		found := must[*client.Hits](t)(c.Search(ctx, client.AcrossQuery{Text: "lund"}))
		var told []string
		for _, hit := range found.Hits {
			told = append(told, hit.Resource+" "+hit.ID+" "+hit.Name)
		}
		if want := []string{
			"company " + string(company.ID) + " Lund", "contact " + string(contact.ID) + " Anna Lund",
			"note " + string(note.ID) + " She lives in Östlund.",
		}; !slices.Equal(told, want) || found.HasMore {
			t.Fatalf("%q, %v; want %q", told, found.HasMore, want)
		}
		var read client.Contact
		if err := found.Hits[1].Decode(&read); err != nil || read.ID != contact.ID || read.Email != contact.Email ||
			read.Company == nil || read.Company.Name != "Lund" {
			t.Errorf("%+v, %v", read, err)
		}

		found = must[*client.Hits](t)(c.Search(ctx, client.AcrossQuery{Text: "lund", Resources: []string{"contact", "note"}, Limit: 1}))
		if len(found.Hits) != 1 || found.Hits[0].Resource != "contact" || !found.HasMore {
			t.Errorf("%+v", found)
		}
		nameless := must[*client.Activity](t)(c.Activities.Create(ctx,
			client.ActivityInput{ActivityType: client.Set(client.ActivityTypeCall), Tags: client.Set([]string{"pier"})}))
		if found = must[*client.Hits](t)(c.Search(ctx, client.AcrossQuery{Text: "pier"})); len(found.Hits) != 1 ||
			found.Hits[0].ID != string(nameless.ID) || found.Hits[0].Name != "" {
			t.Errorf("%+v, want %s", found, nameless.ID)
		}

		if _, err := c.Search(ctx, client.AcrossQuery{}); !errors.Is(err, client.ErrValidationFailed) ||
			refused(t, err).Fields[0].Field != "search_text" {
			t.Errorf("a search for nothing: %v", err)
		}
		reader := connect(t, s.url, must[string](t)(s.token([]string{"note.read"})))
		if _, err := reader.Search(ctx, client.AcrossQuery{Text: "lund", Resources: []string{"contact"}}); !errors.Is(err,
			client.ErrInsufficientScope) {
			t.Errorf("a search of what may not be read: %v", err)
		}
		if found = must[*client.Hits](t)(reader.Search(ctx, client.AcrossQuery{Text: "lund"})); len(found.Hits) != 1 ||
			found.Hits[0].Resource != "note" {
			t.Errorf("%+v", found)
		}

		pages := must[[]client.Page[json.RawMessage]](t)(c.SearchBatch(ctx,
			client.OneSearch{Resource: "contact", Query: client.Query{Order: client.Asc("name"), Limit: 1}},
			client.OneSearch{Resource: "note"},
		))
		var first client.Contact
		if len(pages) != 2 || len(pages[0].Records) != 1 || pages[0].Next == "" || len(pages[1].Records) != 1 || pages[1].Next != "" {
			t.Fatalf("%+v", pages)
		}
		if err := json.Unmarshal(pages[0].Records[0], &first); err != nil || first.ID != contact.ID {
			t.Errorf("%+v, %v", first, err)
		}
		if _, err := c.SearchBatch(ctx); !errors.Is(err, client.ErrValidationFailed) || refused(t, err).Fields[0].Field != "searches" {
			t.Errorf("no searches: %v", err)
		}

		must[*client.Notification](t)(c.Notifications.Create(ctx, client.NotificationInput{Text: client.Set("Call her")}))
		if marked, more, err := c.Notifications.ReadAll(ctx); err != nil || marked != 1 || more {
			t.Errorf("%d, %v, %v", marked, more, err)
		}
	})
}
