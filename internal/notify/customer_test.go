package notify_test

import (
	"path"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/crm"
	"github.com/kith-crm/kith/internal/offer"

	. "github.com/kith-crm/kith/internal/apitest"
)

func TestOwnersAreToldOfWhatTheirCustomersAnswer(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		m := sendingMail(t, w)
		w.Create(t, "contacts", `{"name":"Lind"}`, "buyer")
		answer := func(title string, a crm.Answer) {
			w.Create(t, "quotes", `{"title":"`+title+`","owner_id":"$member","contact_id":"$buyer",`+
				`"line_items":[{"name":"a","unit_price":1}]}`, "quote")
			w.Run(t, []Step{
				{Rule: "who is given the quote has read so", As: "member", Do: "POST /notifications/read_all", Status: 200},
				{Rule: "somebody else follows it", As: "viewer", Do: "POST /follows", Body: `{"about_id":"$quote"}`, Status: 201},
				{Do: "POST /quotes/$quote/send", Status: 200},
				{Do: "POST /quotes/$quote/share", Status: 200, Save: "link=link", Chance: true},
			})
			if err := offer.AnswerByLink(t.Context(), w.Engine, path.Base(w.Vars["link"]), a); err != nil {
				t.Fatal(err)
			}
		}
		newest := `{"filters":[{"field":"read_at","operator":"is_not_set"}],"order_by":"at","sort_direction":"desc","limit":1}`

		answer("Boat", crm.Answer{Accepts: true, Name: "Lind"})
		accepted := `{"data":[{"kind":"followed","event":"quote.accepted","about_id":"$quote","actor_id":null}]}`
		w.Run(t, []Step{
			{
				Rule: "whose own it is is told, by nobody", As: "member", Do: "POST /notifications/search", Body: newest, Status: 200,
				Want: accepted,
			},
			{Rule: "and who follows it", As: "viewer", Do: "POST /notifications/search", Body: newest, Status: 200, Want: accepted},
			{
				Rule: "and nobody else", As: "manager", Do: "POST /notifications/search", Body: newest, Status: 200, Want: `{"data":[]}`,
			},
		})
		answer("Oar", crm.Answer{Reason: "Too long"})
		w.Check(t, Step{
			As: "member", Do: "POST /notifications/search", Body: newest, Status: 200,
			Want: `{"data":[{"kind":"followed","event":"quote.declined","about_id":"$quote"}]}`,
		})
		all := m.after(t, aDay)
		for to, text := range all {
			if len(all) != 2 || !strings.Contains(text, "The customer declined the quote: Oar") {
				t.Errorf("%s of %d is written %s", to, len(all), text)
			}
		}
		if len(all) == 0 {
			t.Error("nobody is written to")
		}
	})
}
