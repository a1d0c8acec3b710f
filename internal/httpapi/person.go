package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/notify"
	"github.com/kith-crm/kith/internal/oauth"
	"github.com/kith-crm/kith/internal/openapi"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	credentials "github.com/kith-crm/kith/internal/store/keep"
)

// personRoutes are what people do about themselves, and about the log-in of others. Tokens have no part in it.
func personRoutes() []Route {
	const tag = "me"
	none := []int{http.StatusNoContent}
	users := record.KindOf("user").Plural
	text := func(about string) openapi.Schema { return openapi.Described(openapi.Plain("string"), about) }
	password := text("The present password.")
	return []Route{
		{Method: "PATCH", Pattern: "/v1/me", run: (*request).patchMe, Doc: openapi.Doc{
			ID: "patchMe", Tag: tag, Session: true, Summary: "Change oneself",
			About: "Name, e-mail address, time zone and locale, whatever the role. A new address counts once it is confirmed by the " +
				"link that is sent there; to ask for it needs a confirmation within the hour.",
			Request: openapi.Ref(openapi.OwnPatch), Reply: openapi.Ref("User"),
		}},
		{Method: "POST", Pattern: "/v1/me/confirm", unfinished: true, run: (*request).confirmMe, Doc: openapi.Doc{
			ID: "confirmMe", Tag: tag, Session: true, Summary: "Show that it is still you",
			About: "For an hour the session may then do what hands out access. Who has a second factor gives a code, too, or a passkey " +
				"alone.",
			Request: openapi.Ref(openapi.Proof), Needed: true, Statuses: none,
		}},
		{Method: "POST", Pattern: "/v1/me/password", run: (*request).changePassword, Doc: openapi.Doc{
			ID: "changePassword", Tag: tag, Session: true, Summary: "Choose a new password", About: "All other log-ins end.",
			Request: openapi.Strict(openapi.Object{
				{Name: "old_password", Value: password},
				{Name: "password", Value: text("The new one.")},
			}), Needed: true, Statuses: none,
		}},
		{Method: "GET", Pattern: "/v1/me/sessions", run: (*request).sessions, Doc: openapi.Doc{
			ID: "listSessions", Tag: tag, Session: true, Summary: "Where one is logged in", About: "The newest first.",
			Reply: openapi.Ref(openapi.Sessions),
		}},
		{Method: "DELETE", Pattern: "/v1/me/sessions/{id}", run: (*request).endSession, Doc: openapi.Doc{
			ID: "endSession", Tag: tag, Session: true, Summary: "End a log-in", About: "One's own; the browser is logged out at once.",
			Statuses: none,
		}},
		{Method: "POST", Pattern: "/v1/me/sessions/end_others", run: (*request).endOtherSessions, Doc: openapi.Doc{
			ID: "endOtherSessions", Tag: tag, Session: true, Summary: "End all other log-ins", About: "All but the one that asks.",
			Request: openapi.Strict(nil), Statuses: none,
		}},
		{Method: "GET", Pattern: "/v1/me/push", run: (*request).subscription, Doc: openapi.Doc{
			ID: "getPush", Tag: tag, Session: true, Summary: "Whether notifications are pushed to this browser",
			About: "And the key by which it subscribes.",
			Reply: openapi.Strict(openapi.Object{
				{Name: "public_key", Value: text("The `applicationServerKey` to subscribe with, in base64url.")},
				{Name: "subscribed", Value: openapi.Described(openapi.Plain("boolean"), "Whether the session is pushed to.")},
			}),
		}},
		{Method: "PUT", Pattern: "/v1/me/push", run: (*request).subscribe, Doc: openapi.Doc{
			ID: "setPush", Tag: tag, Session: true, Summary: "Have notifications pushed to this browser",
			About: "By the Push API of browsers, for as long as the log-in lasts.",
			Request: openapi.Strict(openapi.Object{
				{Name: notify.PushEndpoint, Value: text("The address of the browser at its push service: https.")},
				{Name: notify.PushP256dh, Value: text("The browser's public key, in base64url.")},
				{Name: notify.PushAuth, Value: text("The browser's secret, in base64url.")},
			}), Needed: true, Statuses: none,
		}},
		{Method: "DELETE", Pattern: "/v1/me/push", run: (*request).unsubscribe, Doc: openapi.Doc{
			ID: "deletePush", Tag: tag, Session: true, Summary: "Have nothing pushed to this browser any more",
			About: "Other browsers of the user stay as they are.", Statuses: none,
		}},
		{Method: "GET", Pattern: "/v1/me/grants", run: (*request).grants, Doc: openapi.Doc{
			ID: "listGrants", Tag: tag, Session: true, Summary: "What one allowed apps and agents", About: "The newest first.",
			Reply: openapi.Ref(openapi.Grants),
		}},
		{Method: "DELETE", Pattern: "/v1/me/grants/{id}", run: (*request).endGrant, Doc: openapi.Doc{
			ID: "endGrant", Tag: tag, Session: true, Summary: "Disconnect an app", About: "Its tokens end at once.", Statuses: none,
		}},
		{Method: "POST", Pattern: "/v1/users/{id}/link", run: (*request).newLink, Doc: openapi.Doc{
			ID: "createLinkOfUser", Tag: users, Session: true, Summary: "Give a user a new link to choose a password",
			About: "An invitation, where they are invited. Links from before are void. It is sent by mail; where the server sends " +
				"none, the answer has it. Needs a confirmation within the hour.",
			Request: openapi.Strict(nil), Reply: openapi.Strict(openapi.Object{
				{Name: "email", Value: text("Whom it is for.")},
				{Name: "link", Value: openapi.Described(openapi.Nullable(openapi.Plain("string")),
					"The path of the link, to be handed on; null where it was sent.")},
			}),
		}},
		{Method: "POST", Pattern: "/v1/users/{id}/take_second_factor", run: (*request).takeFactor, Doc: openapi.Doc{
			ID: "takeSecondFactorOfUser", Tag: users, Session: true, Summary: "Take away the second factor of a user who has lost it",
			About: "They log in with the password alone until they set up another one, and their log-ins end. Needs a confirmation " +
				"within the hour.", Request: openapi.Strict(nil), Statuses: none,
		}},
	}
}

// numbered is the context in which people are asked: it says which request asks, and from where.
func (r *request) numbered() context.Context {
	return oauth.Numbered(r.in.Context(), r.id, oauth.RemoteAddress(r.in))
}

// texts reads a body of texts that are taken as they are, because passwords are among them.
func texts(n *body.Node, needed []string, optional ...string) (map[string]string, error) {
	object, err := n.Object()
	if err != nil {
		return nil, err
	}
	var wrong problem.Fields
	given, allowed := map[string]string{}, append(slices.Clone(needed), optional...)
	for _, m := range object.Members {
		switch _, twice := given[m.Name]; {
		case !slices.Contains(allowed, m.Name):
			wrong.Add(m.Name, "unknown_field", "is not a field of this request", allowed...)
		case twice:
			wrong.Add(m.Name, "duplicate_key", "is given twice")
		case m.Value.Kind != body.String:
			wrong.Add(m.Name, "wrong_type", "must be a string")
		}
		given[m.Name] = m.Value.Text
	}
	for _, name := range needed {
		if _, ok := given[name]; !ok {
			wrong.Add(name, "required", "must be given")
		}
	}
	return given, wrong.Err()
}

// untaken puts into words why a password or a code was not taken.
func (r *request) untaken(err error) error {
	switch {
	case errors.Is(err, oauth.ErrTooManyTries):
		r.w.Header().Set("Retry-After", "60")
		return problem.New(problem.TooManyRequests, "There were too many attempts. Please wait a few minutes and try again.")
	case errors.Is(err, oauth.ErrWrongLogin):
		return problem.Wrong("password", "not_allowed", "is not right")
	case errors.Is(err, oauth.ErrWrongFactor):
		return problem.Wrong("code", "not_allowed", "is not right, or was used already")
	}
	return err
}

var nothing = reply{status: http.StatusNoContent}

func (r *request) changePassword() (reply, error) {
	given, err := texts(r.body, []string{"old_password", "password"})
	if err != nil {
		return reply{}, err
	}
	return nothing, r.untaken(r.api.people.ChangePassword(r.numbered(), r.call.Principal, r.call.Connection, given["old_password"],
		given["password"]))
}

// patchMe changes what everybody may change of themselves. A new address is where a new password would be sent.
func (r *request) patchMe() (reply, error) {
	object, err := r.body.Object()
	if err != nil {
		return reply{}, err
	}
	if slices.ContainsFunc(object.Members, func(m body.Member) bool { return m.Name == account.Users.Email.Path }) && r.call.Unconfirmed {
		return reply{}, record.ErrUnconfirmed
	}
	rec, err := account.ChangeOwn(r.in.Context(), r.api.engine, r.call, r.body)
	if err != nil {
		return reply{}, err
	}
	return rendered(http.StatusOK, func(dst []byte) []byte { return record.Render(dst, rec) }), nil
}

func appendMoment(dst []byte, name string, at time.Time) []byte {
	dst = append(append(append(dst, `,"`...), name...), `":`...)
	if at.IsZero() {
		return append(dst, "null"...)
	}
	dst = append(dst, '"')
	dst = at.UTC().AppendFormat(dst, "2006-01-02T15:04:05.000Z")
	return append(dst, '"')
}

func appendMember(dst []byte, name, text string) []byte {
	dst = append(append(append(dst, `,"`...), name...), `":`...)
	return schema.AppendString(dst, text)
}

func appendOwnID(dst []byte, kind string, id schema.UUID) []byte {
	dst = append(nextItem(dst), `{"id":"`...)
	return append(schema.AppendID(dst, kind, string(id[:])), '"')
}

func (r *request) sessions() (reply, error) {
	all, err := credentials.Sessions(r.in.Context(), r.call.Tenant, r.call.User)
	if err != nil {
		return reply{}, err
	}
	return rendered(http.StatusOK, func(dst []byte) []byte {
		dst = append(dst, listBegins...)
		for _, s := range all {
			dst = appendOwnID(dst, "session", s.ID)
			dst = appendMember(dst, "agent", s.Agent)
			dst = appendMember(dst, "address", s.Address)
			dst = appendMoment(dst, "created_at", s.CreatedAt)
			dst = appendMoment(dst, "seen_at", s.SeenAt)
			if s.ID == r.call.Connection {
				dst = append(dst, `,"current":true}`...)
			} else {
				dst = append(dst, `,"current":false}`...)
			}
		}
		return append(dst, "]}"...)
	}), nil
}

// own is the id that a path names; what is not there, or another's, is ended already.
func (r *request) own(kind string) (schema.UUID, error) {
	id, err := schema.ParseID(kind, r.in.PathValue("id"))
	if err != nil {
		return id, problem.New(problem.NotFound, "There is no such %s.", kind)
	}
	return id, nil
}

func (r *request) endSession() (reply, error) {
	id, err := r.own("session")
	if err != nil {
		return reply{}, err
	}
	return nothing, r.api.people.EndSession(r.numbered(), r.call.Principal, id)
}

func (r *request) endOtherSessions() (reply, error) {
	if err := record.NoFields(r.body); err != nil {
		return reply{}, err
	}
	return nothing, r.api.people.EndOtherSessions(r.numbered(), r.call.Principal, r.call.Connection)
}

// subscription tells whether notifications are pushed to the browser that asks.
func (r *request) subscription() (reply, error) {
	key, subscribed, err := notify.Subscription(r.in.Context(), r.api.engine, r.call.Principal)
	return rendered(http.StatusOK, func(dst []byte) []byte {
		return fmt.Appendf(dst, `{"public_key":%q,"subscribed":%t}`, key, subscribed)
	}), err
}

func (r *request) subscribe() (reply, error) {
	given, err := texts(r.body, []string{notify.PushEndpoint, notify.PushP256dh, notify.PushAuth})
	if err != nil {
		return reply{}, err
	}
	return nothing, notify.Subscribe(r.in.Context(), r.api.engine, r.call.Principal, given)
}

func (r *request) unsubscribe() (reply, error) {
	return nothing, notify.Unsubscribe(r.in.Context(), r.call.Principal)
}

func (r *request) grants() (reply, error) {
	all, err := credentials.Grants(r.in.Context(), r.call.Tenant, r.call.User)
	if err != nil {
		return reply{}, err
	}
	return rendered(http.StatusOK, func(dst []byte) []byte {
		dst = append(dst, listBegins...)
		for _, g := range all {
			dst = appendOwnID(dst, "grant", g.ID)
			dst = appendMember(dst, "client_id", g.ClientID)
			dst = appendMember(dst, "client_name", g.ClientName)
			dst = append(dst, `,"scopes":[`...)
			for _, s := range g.Scopes {
				dst = schema.AppendString(nextItem(dst), s)
			}
			dst = append(dst, ']')
			dst = appendMoment(dst, "created_at", g.CreatedAt)
			dst = append(appendMoment(dst, "used_at", g.UsedAt), '}')
		}
		return append(dst, "]}"...)
	}), nil
}

func (r *request) endGrant() (reply, error) {
	id, err := r.own("grant")
	if err != nil {
		return reply{}, err
	}
	return nothing, r.api.people.EndGrant(r.numbered(), r.call.Principal, id)
}

// newLink gives a user a new way in.
func (r *request) newLink() (reply, error) {
	if err := record.NoFields(r.body); err != nil {
		return reply{}, err
	}
	user, err := account.Entrust(r.in.Context(), r.call, r.in.PathValue("id"))
	if err != nil {
		return reply{}, err
	}
	if account.Suspended(user) {
		return reply{}, problem.New(problem.Conflict, "The user is suspended. Activate them first.")
	}
	ctx, links := oauth.ShowLinks(r.numbered())
	err = r.api.people.NewLink(ctx, r.call.Tenant, user, r.call.Actor(""))
	if errors.Is(err, oauth.ErrTooManyTries) {
		r.w.Header().Set("Retry-After", "3600")
		return reply{}, problem.New(problem.TooManyRequests,
			"Too many links were sent. Those that were sent before are still good. Please wait an hour and try again.")
	}
	if err != nil {
		r.api.log.Error("link", "request_id", r.id, "error", err)
		return reply{}, problem.New(problem.ServiceUnavailable,
			"The link could not be sent: the mail server may be out of reach. Try again later.")
	}
	return rendered(http.StatusOK, func(dst []byte) []byte {
		dst = schema.AppendString(append(dst, `{"email":`...), user.Text(account.Users.Email))
		if len(*links) == 0 {
			return append(dst, `,"link":null}`...)
		}
		return append(appendMember(dst, "link", (*links)[len(*links)-1]), '}')
	}), nil
}

// takeFactor is for somebody else who has lost theirs. Who may give them a new way in may do this, too.
func (r *request) takeFactor() (reply, error) {
	if err := record.NoFields(r.body); err != nil {
		return reply{}, err
	}
	user, err := account.Entrust(r.in.Context(), r.call, r.in.PathValue("id"))
	if err != nil {
		return reply{}, err
	}
	if user.ID() == r.call.User {
		return reply{}, problem.New(problem.Conflict, "Your own second factor is removed where you set it up, with a code of it.")
	}
	_, err = r.api.people.TakeAwayFactors(r.numbered(), r.call.By(), r.call.Tenant, user.ID())
	return nothing, err
}
