package crm_test

import (
	"testing"

	. "github.com/kith-crm/kith/internal/apitest"
)

func TestFollows(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "deals", `{"name":"Boat"}`, "deal")
		w.Create(t, "roles", `{"name":"Narrow","permissions":{"deal":{"read":"own"},"follow":{"read":"all","write":"all","delete":"all"}}}`,
			"narrow")
		w.Run(t, []Step{
			{
				Rule: "a record that one may read is followed", As: "viewer", Do: "POST /follows", Body: `{"about_id":"$deal"}`,
				Status: 201, Want: `{"about_id":"$deal","owner_id":"$viewer"}`, Save: "follow",
			},
			{
				Rule: "once", As: "viewer", Do: "POST /follows", Body: `{"about_id":"$deal"}`, Status: 409,
				Want: `{"existing_id":"$follow"}`,
			},
			{Rule: "by each", As: "member", Do: "POST /follows", Body: `{"about_id":"$deal"}`, Status: 201},
			{
				Rule: "nobody has others follow", Do: "POST /follows", Body: `{"about_id":"$deal","owner_id":"$manager"}`, Status: 422,
				Wrong: "owner_id:not_allowed",
			},
			{
				Rule: "only records are followed", Do: "POST /follows", Body: `{"about_id":"$member"}`, Status: 422,
				Wrong: "about_id:invalid_id",
			},
			{
				Rule: "another record is another follow", As: "viewer", Do: "PATCH /follows/$follow", Body: `{"about_id":"$someone"}`,
				Status: 422, Wrong: "about_id:immutable",
			},
			{
				Rule: "others' follows are nobody's, not even an administrator's", Do: "POST /follows/search", Status: 200,
				Want: `{"data":[],"meta":{"total":0}}`,
			},
			{Rule: "a role that may read its own deals alone", Do: "PATCH /users/$viewer", Body: `{"role_id":"$narrow"}`, Status: 200},
			{
				Rule: "follows no others", As: "viewer", Do: "POST /follows", Body: `{"about_id":"$deal"}`, Status: 422,
				Wrong: "about_id:not_found",
			},
			{Rule: "unfollowing deletes it", As: "viewer", Do: "DELETE /follows/$follow", Status: 204},
		})
	})
}

func TestCommentsAndMentions(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "deals", `{"name":"Boat"}`, "deal")
		w.Create(t, "notes", `{"body":"Wants it blue","deal_id":"$deal"}`, "note")
		w.Create(t, "roles", `{"name":"Narrow","permissions":{"deal":{"read":"own"},"note":{"read":"all"}}}`, "narrow")
		w.Run(t, []Step{
			{
				Rule: "a comment is about what its note is about", Do: "POST /notes", Body: `{"body":"Why?","in_reply_to_id":"$note"}`,
				Status: 201, Want: `{"in_reply_to_id":"$note","deal_id":"$deal","contact_id":null}`, Save: "comment",
			},
			{
				Rule: "unless it says what", Do: "POST /notes", Body: `{"body":"Why?","in_reply_to_id":"$note","contact_id":"$someone"}`,
				Status: 201, Want: `{"contact_id":"*","deal_id":null}`,
			},
			{
				Rule: "a comment has no comments", Do: "POST /notes", Body: `{"body":"So","in_reply_to_id":"$comment"}`, Status: 422,
				Wrong: "in_reply_to_id:not_allowed",
			},
			{
				Rule: "nor does a note with comments become one", Do: "PATCH /notes/$note", Body: `{"in_reply_to_id":"$comment"}`,
				Status: 422, Wrong: "in_reply_to_id:not_allowed in_reply_to_id:not_allowed",
			},
			{
				Rule: "nor one on itself", Do: "PATCH /notes/$comment", Body: `{"in_reply_to_id":"$comment"}`, Status: 422,
				Wrong: "in_reply_to_id:not_allowed",
			},
			{
				Rule: "comments are found by their note", Do: "POST /notes/search",
				Body:   `{"filters":[{"field":"in_reply_to_id","operator":"eq","value":"$note"}],"order_by":"created_at"}`,
				Status: 200, Want: `{"meta":{"total":2}}`,
			},

			{
				Rule: "a note mentions people", Do: "POST /notes", Body: `{"body":"@[$member] and @[$viewer], see","deal_id":"$deal"}`,
				Status: 201, Want: `{"body":"@[$member] and @[$viewer], see"}`, Save: "told",
			},
			{
				Rule: "who are there", Do: "POST /notes", Body: `{"body":"@[user_01kh4xv1qcf0mvq8gk8d8mvxd9]"}`, Status: 422,
				Wrong: "body:not_found",
			},
			{Rule: "and not what is none", Do: "POST /notes", Body: `{"body":"@[user_x]"}`, Status: 422, Wrong: "body:not_found"},
			{Rule: "who reads its own deals alone", Do: "PATCH /users/$viewer", Body: `{"role_id":"$narrow"}`, Status: 200},
			{
				Rule: "is not mentioned at others'", Do: "POST /notes", Body: `{"body":"@[$viewer]","deal_id":"$deal"}`, Status: 422,
				Wrong: "body:not_allowed",
				Want:  `{"errors":[{"field":"body","message":"mentions viewer, who may not read this deal"}]}`,
			},
			{Rule: "but at what it may read", Do: "POST /notes", Body: `{"body":"@[$viewer]"}`, Status: 201},
			{
				Rule: "who was mentioned before may stay", Do: "PATCH /notes/$told", Body: `{"body":"@[$viewer], once more"}`, Status: 200,
			},
			{
				Rule: "a note that one may not read",
				Do:   "PATCH /roles/$narrow", Body: `{"permissions":{"note":{"read":"own"}}}`, Status: 200,
			},
			{
				Rule: "mentions nobody either", Do: "POST /notes", Body: `{"body":"@[$viewer]"}`, Status: 422, Wrong: "body:not_allowed",
			},
			{Rule: "nor is one mentioned who is suspended", Do: "PATCH /users/$member", Body: `{"status":"suspended"}`, Status: 200},
			{Rule: "as they cannot be told", Do: "POST /notes", Body: `{"body":"@[$member]"}`, Status: 422, Wrong: "body:not_found"},
		})
	})
}
