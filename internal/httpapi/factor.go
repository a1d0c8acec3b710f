package httpapi

import (
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/oauth"
	"github.com/kith-crm/kith/internal/openapi"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	credentials "github.com/kith-crm/kith/internal/store/keep"
)

// factorRoutes are how people set up, and take away, what they log in with beside the password. Who has to set one up may use what
// it takes for that, and nothing else.
func factorRoutes() []Route {
	const tag = "me"
	text := func(about string) openapi.Schema { return openapi.Described(openapi.Plain("string"), about) }
	state := openapi.Member{Name: "state", Value: text("What the answer to it is sent with, within ten minutes.")}
	sent := openapi.Member{Name: "state", Value: text("That of the start.")}
	asked := openapi.Strict(openapi.Object{{
		Name:  "options",
		Value: openapi.Described(openapi.Plain("object"), "What the browser is told, in the JSON form of WebAuthn."),
	}, state})
	codes := openapi.Strict(openapi.Object{{
		Name: "recovery_codes",
		Value: openapi.Described(openapi.Nullable(openapi.List(openapi.Plain("string"))),
			"Each lets one in once, shown the only time; null where there was a second factor already."),
	}})
	return []Route{
		{Method: "GET", Pattern: "/v1/me/factors", unfinished: true, run: (*request).factors, Doc: openapi.Doc{
			ID: "listFactors", Tag: tag, Session: true, Summary: "What one logs in with beside the password",
			About: "Open to those, too, who have to set up a second factor before they can do anything else.",
			Reply: openapi.Ref(openapi.Factors),
		}},
		{
			Method: "POST", Pattern: "/v1/me/authenticator/start", unfinished: true, run: (*request).startAuthenticator,
			Doc: openapi.Doc{
				ID: "startAuthenticator", Tag: tag, Session: true, Summary: "Begin to set up an authenticator app",
				About:   "The key is kept nowhere until a code shows that the app has it. Needs a confirmation within the hour.",
				Request: openapi.Strict(nil),
				Reply: openapi.Strict(openapi.Object{
					{Name: "key", Value: text("To be typed into the app.")},
					{Name: "address", Value: text("The same as apps read it.")},
					{Name: "picture", Value: text("The address as a QR code, a data: address of a PNG.")},
					state,
				}),
			},
		},
		{Method: "POST", Pattern: "/v1/me/authenticator", unfinished: true, run: (*request).addAuthenticator, Doc: openapi.Doc{
			ID: "addAuthenticator", Tag: tag, Session: true, Summary: "Set up an authenticator app",
			About: "With the first second factor all other log-ins end.", Needed: true,
			Request: openapi.Strict(openapi.Object{sent, {Name: "code", Value: text("The code that the app shows now.")}}), Reply: codes,
		}},
		{Method: "POST", Pattern: "/v1/me/passkeys/start", unfinished: true, run: (*request).startPasskey, Doc: openapi.Doc{
			ID: "startPasskey", Tag: tag, Session: true, Summary: "Begin to set up a passkey",
			About: "Needs a confirmation within the hour. 409 at an address where passkeys do not work.", Request: openapi.Strict(nil),
			Reply: asked,
		}},
		{Method: "POST", Pattern: "/v1/me/passkeys", unfinished: true, run: (*request).addPasskey, Doc: openapi.Doc{
			ID: "addPasskey", Tag: tag, Session: true, Summary: "Set up a passkey",
			About: "With the first second factor all other log-ins end.", Needed: true,
			Request: openapi.Strict(openapi.Object{
				sent,
				{Name: "response", Value: text("What the browser made, as JSON.")},
				{Name: "name", Value: text("Where it is kept.")},
			}, "name"), Reply: codes,
		}},
		{Method: "POST", Pattern: "/v1/me/confirm/passkey", run: (*request).askPasskey, Doc: openapi.Doc{
			ID: "askPasskey", Tag: tag, Session: true, Summary: "Begin to confirm by a passkey", About: "409 where one has none.",
			Request: openapi.Strict(nil), Reply: asked,
		}},
		{Method: "POST", Pattern: "/v1/me/recovery_codes", run: (*request).newCodes, Doc: openapi.Doc{
			ID: "replaceRecoveryCodes", Tag: tag, Session: true, Summary: "Get new recovery codes",
			About:   "Those from before do not work any more. It takes what a confirmation takes, each time.",
			Request: openapi.Ref(openapi.Proof), Needed: true, Reply: codes,
		}},
		{Method: "POST", Pattern: "/v1/me/factors/{id}/remove", run: (*request).removeFactor, Doc: openapi.Doc{
			ID: "removeFactor", Tag: tag, Session: true, Summary: "Remove an authenticator app or a passkey",
			About:   "With the last one the recovery codes go. It takes what a confirmation takes, each time.",
			Request: openapi.Ref(openapi.Proof), Needed: true, Statuses: []int{http.StatusNoContent},
		}},
	}
}

func (r *request) factors() (reply, error) {
	ctx := r.in.Context()
	all, err := r.api.people.Factors(ctx, r.call.Tenant, r.call.User)
	if err != nil {
		return reply{}, err
	}
	known, err := credentials.FindPassword(ctx, r.call.Tenant, r.call.User)
	if err != nil {
		return reply{}, err
	}
	user, err := r.call.Tenant.Get(ctx, &record.KindOf("user").Resource, r.call.User, false)
	if err != nil {
		return reply{}, err
	}
	return rendered(http.StatusOK, func(dst []byte) []byte {
		dst = schema.AppendString(append(dst, `{"email":`...), user.Text(account.Users.Email))
		dst = appendMember(dst, "role", r.call.Role.Name)
		dst = append(dst, `,"required":`...)
		dst = strconv.AppendBool(dst, r.call.Role.SecondFactor)
		dst = append(dst, `,"has_password":`...)
		dst = strconv.AppendBool(dst, known.Hash != "")
		dst = append(dst, `,"passkeys_work":`...)
		dst = strconv.AppendBool(dst, oauth.PasskeysWork(r.api.auth.Origin(r.in)))
		dst = append(dst, `,"authenticator":`...)
		if f := all.Authenticator; f != nil {
			dst = append(dst, `{"id":"`...)
			dst = append(schema.AppendID(dst, "factor", string(f.ID[:])), '"')
			dst = append(appendMoment(dst, "created_at", f.CreatedAt), '}')
		} else {
			dst = append(dst, "null"...)
		}
		dst = append(dst, `,"passkeys":[`...)
		for _, k := range all.Passkeys {
			dst = appendOwnID(dst, "factor", k.ID)
			dst = appendMember(dst, "name", k.Name)
			dst = appendMoment(dst, "created_at", k.CreatedAt)
			dst = append(appendMoment(dst, "used_at", k.UsedAt), '}')
		}
		dst = append(dst, `],"recovery_codes_left":`...)
		return append(strconv.AppendInt(dst, int64(all.CodesLeft), 10), '}')
	}), nil
}

// started tells whether something that adds a factor may begin.
func (r *request) started() error {
	if r.call.Unconfirmed {
		return record.ErrUnconfirmed
	}
	return record.NoFields(r.body)
}

func (r *request) startAuthenticator() (reply, error) {
	if err := r.started(); err != nil {
		return reply{}, err
	}
	s, err := r.api.people.StartAuthenticator(r.in.Context(), r.call.Principal)
	if err != nil {
		return reply{}, err
	}
	state, err := r.api.people.Hand(r.call.Principal, oauth.AskedNewKey, s.Key)
	return rendered(http.StatusOK, func(dst []byte) []byte {
		dst = schema.AppendString(append(dst, `{"key":`...), s.Key)
		dst = appendMember(dst, "address", s.Address)
		dst = appendMember(dst, "picture", "data:image/png;base64,"+base64.StdEncoding.EncodeToString(s.Picture))
		return append(appendMember(dst, "state", state), '}')
	}), err
}

// errVoid tells that what was begun cannot be finished.
func errVoid() error {
	return problem.Wrong("state", "not_allowed", "is void: begin again")
}

func (r *request) addAuthenticator() (reply, error) {
	given, err := texts(r.body, []string{"state", "code"})
	if err != nil {
		return reply{}, err
	}
	key := r.api.people.Handed(r.call.Principal, oauth.AskedNewKey, given["state"])
	if key == "" {
		return reply{}, errVoid()
	}
	codes, err := r.api.people.AddAuthenticator(r.numbered(), r.call.Principal, r.call.Connection, key, given["code"],
		oauth.RemoteAddress(r.in))
	if errors.Is(err, oauth.ErrWrongFactor) {
		return reply{}, problem.Wrong("code", "not_allowed",
			"is not right. See that the clock of your telephone is, and give the code that the app shows now")
	}
	return r.shownCodes(codes, r.untaken(err))
}

// shownCodes answers with recovery codes, where there are any.
func (r *request) shownCodes(codes []string, err error) (reply, error) {
	if err != nil {
		return reply{}, err
	}
	return rendered(http.StatusOK, func(dst []byte) []byte {
		if codes == nil {
			return append(dst, `{"recovery_codes":null}`...)
		}
		dst = append(dst, `{"recovery_codes":[`...)
		for _, code := range codes {
			dst = schema.AppendString(nextItem(dst), code)
		}
		return append(dst, "]}"...)
	}), nil
}

// challenged answers with what a browser is asked to sign.
func (r *request) challenged(purpose string, c oauth.Challenge, err error) (reply, error) {
	if errors.Is(err, oauth.ErrNoPasskeys) {
		return reply{}, problem.New(problem.Conflict,
			"There is no passkey to be used. They need an address with a name, and https or the own machine.")
	}
	if err != nil {
		return reply{}, err
	}
	state, err := r.api.people.Hand(r.call.Principal, purpose, c.State)
	return rendered(http.StatusOK, func(dst []byte) []byte {
		dst = append(append(dst, `{"options":`...), c.Options...)
		return append(appendMember(dst, "state", state), '}')
	}), err
}

func (r *request) startPasskey() (reply, error) {
	if err := r.started(); err != nil {
		return reply{}, err
	}
	c, err := r.api.people.NewPasskey(r.in.Context(), r.call.Principal, r.api.auth.Origin(r.in))
	return r.challenged(oauth.AskedPasskey, c, err)
}

func (r *request) addPasskey() (reply, error) {
	given, err := texts(r.body, []string{"state", "response"}, "name")
	if err != nil {
		return reply{}, err
	}
	made := r.signed(oauth.AskedPasskey, given)
	if made.State == "" {
		return reply{}, errVoid()
	}
	codes, err := r.api.people.AddPasskey(r.numbered(), r.call.Principal, r.call.Connection, *made, given["name"],
		oauth.RemoteAddress(r.in))
	if errors.Is(err, oauth.ErrWrongFactor) || errors.Is(err, oauth.ErrNoPasskeys) {
		return reply{}, problem.Wrong("response", "not_allowed", "is none that was asked for")
	}
	return r.shownCodes(codes, r.untaken(err))
}

func (r *request) askPasskey() (reply, error) {
	if err := record.NoFields(r.body); err != nil {
		return reply{}, err
	}
	c, err := r.api.people.AskPasskey(r.in.Context(), r.call.Tenant, r.call.User, r.api.auth.Origin(r.in))
	return r.challenged(oauth.AskedConfirm, c, err)
}

// signed is what a browser answered to what it was asked for a purpose.
func (r *request) signed(purpose string, given map[string]string) *oauth.Signed {
	return &oauth.Signed{
		Origin: r.api.auth.Origin(r.in), State: r.api.people.Handed(r.call.Principal, purpose, given["state"]),
		Response: given["response"],
	}
}

// prove lets who is logged in show that it is still them: by the password, and a code where they have a second factor, or by a
// passkey alone.
func (r *request) prove() error {
	given, err := texts(r.body, nil, "password", "code", "state", "response")
	if err != nil {
		return err
	}
	proof := oauth.Confirmation{Password: given["password"], Factor: oauth.Answer{Code: given["code"]}}
	_, hasPassword := given["password"]
	_, hasResponse := given["response"]
	switch {
	case hasResponse && hasPassword:
		return problem.Wrong("response", "not_allowed", "a passkey needs no password beside it")
	case hasResponse:
		if proof.Factor.Passkey = r.signed(oauth.AskedConfirm, given); proof.Factor.Passkey.State == "" {
			return errVoid()
		}
	case !hasPassword:
		return problem.Wrong("password", "required", "must be given, or a passkey")
	}
	err = r.api.people.Confirm(r.numbered(), r.call.Principal, r.call.Connection, proof, oauth.RemoteAddress(r.in))
	if errors.Is(err, oauth.ErrWrongFactor) && proof.Factor.Passkey != nil {
		return problem.Wrong("response", "not_allowed", "is no passkey of yours, or it took too long")
	}
	return r.untaken(err)
}

func (r *request) confirmMe() (reply, error) { return nothing, r.prove() }

// newCodes and removeFactor weaken the log-in, so they ask even where it was confirmed a moment ago who sits there.
func (r *request) newCodes() (reply, error) {
	if err := r.prove(); err != nil {
		return reply{}, err
	}
	codes, err := r.api.people.NewCodes(r.numbered(), r.call.Principal)
	return r.shownCodes(codes, err)
}

func (r *request) removeFactor() (reply, error) {
	id, err := r.own("factor")
	if err != nil {
		return reply{}, err
	}
	if err := r.prove(); err != nil {
		return reply{}, err
	}
	return nothing, r.api.people.RemoveFactor(r.numbered(), r.call.Principal, id)
}
