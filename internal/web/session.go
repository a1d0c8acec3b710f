package web

import (
	"errors"
	"net/http"

	"github.com/kith-crm/kith/internal/oauth"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/store/keep"
)

const sessionCookie = oauth.SessionName

var errByProvider = &pageError{
	http.StatusForbidden, "Log in with your company",
	"Your company wants you to log in with its own log-in. Choose “Log in with your company” on the page before.",
}

// findSession sees who is logged in. A cookie that is good for nothing is nobody's.
func (v *visit) findSession() error {
	cookie := v.cookie(sessionCookie)
	if cookie == "" {
		return nil
	}
	who, id, err := v.auth.Session(v.r.Context(), cookie)
	if p := problem.As(err); p != nil && p.Code == problem.InvalidToken {
		return nil
	}
	if err != nil {
		return err
	}
	v.who, v.session, v.known = who, id, who
	return nil
}

// enter lets in who has proved to know their password, and leads on to a page. Who has a second factor is asked for that first.
func (v *visit) enter(id keep.Identity, next string) error {
	proof, err := v.people.AskFactor(v.r.Context(), id)
	if err != nil {
		return err
	}
	if proof != "" {
		return v.goOn("/login/factor", handover{Next: next, Proof: proof})
	}
	if err := v.begin(oauth.Proven{Identity: id}); err != nil {
		return err
	}
	return v.redirect(next)
}

// begin logs a user in who has shown who they are: with a new session, a new form secret, and an end to the session from before.
func (v *visit) begin(id oauth.Proven) error {
	cookie, err := v.people.StartSession(v.r.Context(), id, v.r.UserAgent(), v.server.Address(v.r))
	switch {
	case errors.Is(err, oauth.ErrNeedsFactor): // it was set up a moment ago
		return v.redirect("/login")
	case errors.Is(err, oauth.ErrByProvider):
		return errByProvider
	case errors.Is(err, oauth.ErrWrongLogin):
		return &pageError{http.StatusForbidden, "You cannot log in", "Your password was changed or your account suspended just now."}
	case err != nil:
		return err
	}
	if v.who != nil {
		if err := v.people.EndSession(v.r.Context(), v.who, v.session); err != nil {
			return err
		}
	}
	v.known = &record.Principal{Tenant: id.Tenant, User: id.User}
	v.setCookie(sessionCookie, cookie, int(oauth.SessionLife.Seconds()))
	v.newFormSecret()
	return nil
}
