package notify_test

import (
	"testing"

	. "github.com/kith-crm/kith/internal/apitest"
)

// unread is the search of an inbox.
const unread = `{"filters":[{"field":"read_at","operator":"is_not_set"},{"field":"at","operator":"lte","value":"@now"}],` +
	`"order_by":"at","sort_direction":"desc"}`

func TestPeopleAreToldOfWhatConcernsThem(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "deals", `{"name":"Boat"}`, "deal")
		w.Create(t, "roles", `{"name":"Narrow","permissions":{"deal":{"read":"own"},"note":{"read":"all"},`+
			`"notification":{"read":"all","write":"all"}}}`, "narrow")
		w.Run(t, []Step{
			{
				Rule: "who mentions", Do: "POST /notes", Body: `{"body":"@[$member] and @[$admin], see","deal_id":"$deal"}`, Status: 201,
				Save: "note",
			},
			{
				Rule: "tells the mentioned", As: "member", Do: "POST /notifications/search", Body: unread, Status: 200,
				Want: `{"data":[{"kind":"mention","about_id":"$note","actor_id":"$admin","event":"note.created","read_at":null,` +
					`"owner_id":"$member"}],"meta":{"total":1}}`,
			},
			{
				Rule: "and nobody of what they did themselves", Do: "POST /notifications/search", Body: unread, Status: 200,
				Want: `{"data":[]}`,
			},
			{Rule: "the same mention again", Do: "PATCH /notes/$note", Body: `{"body":"@[$member], see now"}`, Status: 200},
			{
				Rule: "tells nothing new", As: "member", Do: "POST /notifications/search", Body: unread, Status: 200,
				Want: `{"meta":{"total":1}}`,
			},

			{Rule: "a deal that is given to somebody", Do: "PATCH /deals/$deal", Body: `{"owner_id":"$manager"}`, Status: 200},
			{
				Rule: "tells them", As: "manager", Do: "POST /notifications/search", Body: unread, Status: 200,
				Want: `{"data":[{"kind":"assigned","about_id":"$deal","actor_id":"$admin","event":null}]}`, Save: "given=data.0.id",
			},
			{
				Rule: "a task, too, by its assignee", Do: "POST /tasks", Body: `{"title":"Call","assignee_id":"$viewer"}`, Status: 201,
			},
			{
				Rule: "once", As: "viewer", Do: "POST /notifications/search", Body: unread, Status: 200,
				Want: `{"data":[{"kind":"assigned"}],"meta":{"total":1}}`,
			},

			{Rule: "who follows a deal", As: "viewer", Do: "POST /follows", Body: `{"about_id":"$deal"}`, Status: 201},
			{Rule: "is not told of a changed field", Do: "PATCH /deals/$deal", Body: `{"probability":30}`, Status: 200},
			{Rule: "but of a note", Do: "POST /notes", Body: `{"body":"Asked twice","deal_id":"$deal"}`, Status: 201, Save: "asked"},
			{Rule: "and that it is won", Do: "POST /deals/$deal/win", Status: 200},
			{
				Rule: "as events are called", As: "viewer", Do: "POST /notifications/search",
				Body:   `{"filters":[{"field":"kind","operator":"eq","value":"followed"}],"order_by":"at","sort_direction":"asc"}`,
				Status: 200,
				Want: `{"data":[{"kind":"followed","event":"note.created","about_id":"$asked"},{"event":"deal.won","about_id":"$deal"}],` +
					`"meta":{"total":2}}`,
			},
			{
				Rule: "who wrote a note is told of comments", As: "manager", Do: "POST /notes",
				Body: `{"body":"Why?","in_reply_to_id":"$asked"}`, Status: 201,
			},
			{
				Rule: "of others", Do: "POST /notifications/search", Body: unread, Status: 200,
				Want: `{"data":[{"kind":"followed","event":"note.created","actor_id":"$manager"}]}`,
			},

			{
				Rule: "others' notifications are nobody's", Do: "GET /notifications/$given", Status: 404,
			},
			{
				Rule: "one's own are read", As: "manager", Do: "PATCH /notifications/$given", Body: `{"read_at":"2026-01-02T03:04:05Z"}`,
				Status: 200,
			},
			{
				Rule: "and then not among the unread", As: "manager", Do: "POST /notifications/search", Body: unread, Status: 200,
				Want: `{"meta":{"total":0}}`,
			},
			{
				Rule: "snoozing has them come back, unread", As: "manager", Do: "PATCH /notifications/$given",
				Body: `{"snoozed_until":"2999-01-02T03:04:05Z"}`, Status: 200,
				Want: `{"read_at":null,"at":"2999-01-02T03:04:05.000000Z"}`,
			},
			{
				Rule: "and not before", As: "manager", Do: "POST /notifications/search", Body: unread, Status: 200,
				Want: `{"meta":{"total":0}}`,
			},
			{
				Rule: "no sooner by marking all as read", As: "manager", Do: "POST /notifications/read_all", Status: 200,
				Want: `{"read":0,"more":false}`,
			},
			{
				Rule: "which marks one's own", As: "viewer", Do: "POST /notifications/read_all", Status: 200,
				Want: `{"read":4,"more":false}`,
			},
			{
				Rule: "and nobody else's", As: "member", Do: "POST /notifications/search", Body: unread, Status: 200,
				Want: `{"meta":{"total":1}}`,
			},

			{
				Rule: "one reminds oneself", As: "member", Do: "POST /notifications",
				Body: `{"about_id":"$deal","text":"Ask again","snoozed_until":"2030-01-01T00:00:00Z"}`, Status: 201,
				Want: `{"kind":"reminder","text":"Ask again","at":"2030-01-01T00:00:00.000000Z"}`, Save: "reminder",
			},
			{Rule: "a role that reads its own deals alone", Do: "PATCH /users/$member", Body: `{"role_id":"$narrow"}`, Status: 200},
			{Rule: "is shown nothing of others'", As: "member", Do: "GET /notifications/$reminder", Status: 404},
			{
				Rule: "in no search", As: "member", Do: "POST /notifications/search", Status: 200,
				Want: `{"data":[{"kind":"mention","about_id":"$note"}]}`,
			},
			{
				Rule: "nor is told of them from then on", As: "manager", Do: "POST /deals/$deal/reopen", Status: 200,
			},
		})
	})
}

func TestTasksAreToldWhenTheyAreDue(t *testing.T) {
	const due = `{"filters":[{"field":"kind","operator":"eq","value":"due"}]}`
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Run(t, []Step{
			{
				Rule: "a task of one's own", As: "member", Do: "POST /tasks", Body: `{"title":"Call","due_at":"2998-01-01T09:00:00Z"}`,
				Status: 201, Save: "task",
			},
			{
				Rule: "is told when it is due", As: "member", Do: "POST /notifications/search", Body: due, Status: 200,
				Want: `{"data":[{"about_id":"$task","at":"2998-01-01T09:00:00.000000Z","actor_id":null,"read_at":null}]}`,
			},
			{
				Rule: "and not before", As: "member", Do: "POST /notifications/search", Body: unread, Status: 200, Want: `{"data":[]}`,
			},
			{Rule: "one that is put off", Do: "PATCH /tasks/$task", Body: `{"due_at":"2999-01-01T09:00:00Z"}`, Status: 200},
			{
				Rule: "later", As: "member", Do: "POST /notifications/search", Body: due, Status: 200,
				Want: `{"data":[{"at":"2999-01-01T09:00:00.000000Z"}],"meta":{"total":1}}`,
			},
			{Rule: "one that is given away", Do: "PATCH /tasks/$task", Body: `{"assignee_id":"$viewer"}`, Status: 200},
			{Rule: "not any more", As: "member", Do: "POST /notifications/search", Body: due, Status: 200, Want: `{"data":[]}`},
			{
				Rule: "but to who has it", As: "viewer", Do: "POST /notifications/search", Body: due, Status: 200,
				Want: `{"meta":{"total":1}}`,
			},
			{Rule: "one that is done", Do: "POST /tasks/$task/complete", Status: 200},
			{Rule: "is not", As: "viewer", Do: "POST /notifications/search", Body: due, Status: 200, Want: `{"data":[]}`},
			{Rule: "nor one of the past", Do: "PATCH /tasks/$task", Body: `{"due_at":"2020-01-01T09:00:00Z","status":"open"}`, Status: 200},
			{Rule: "when it comes", As: "viewer", Do: "POST /notifications/search", Body: due, Status: 200, Want: `{"data":[]}`},
		})
		w.Request(t, "made", Step{Do: "POST /tasks", Body: `{"title":"Taken back","due_at":"2998-01-01T09:00:00Z"}`, Status: 201})
		w.Run(t, []Step{
			{
				Rule: "a task that is taken back is one change", Do: "POST /undo", Body: `{"request_id":"$made"}`, Status: 200,
				Want: `{"data":[],"meta":{"undone":1,"left":0}}`,
			},
			{Rule: "and nobody is told of it", Do: "POST /notifications/search", Body: due, Status: 200, Want: `{"data":[]}`},
		})
	})
}

func TestNobodyIsToldOfWhatTheyMuted(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Run(t, []Step{
			{
				Rule: "somebody mutes what is given to them", Do: "PATCH /users/$member", Body: `{"muted_notifications":["assigned"]}`,
				Status: 200, Want: `{"muted_notifications":["assigned"]}`,
			},
			{Rule: "there is no other kind", Do: "PATCH /users/$member", Body: `{"muted_notifications":["x"]}`, Status: 422},
			{Rule: "a deal is given to them", Do: "POST /deals", Body: `{"name":"Boat","owner_id":"$member"}`, Status: 201, Save: "deal"},
			{Rule: "and they are mentioned", Do: "POST /notes", Body: `{"body":"@[$member]","deal_id":"$deal"}`, Status: 201},
			{
				Rule: "of which they are told alone", As: "member", Do: "POST /notifications/search", Body: unread, Status: 200,
				Want: `{"data":[{"kind":"mention"}]}`,
			},
		})
	})
}

func TestWhoIsGivenMuchIsToldOfTheFirst(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		for range 52 {
			w.Create(t, "contacts", `{"name":"Anna","owner_id":"$member"}`, "")
		}
		w.Run(t, []Step{
			{
				Rule: "at most fifty of a kind in a minute", As: "member", Do: "POST /notifications/search", Body: unread, Status: 200,
				Want: `{"meta":{"total":50}}`,
			},
		})
	})
}
