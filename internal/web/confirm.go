package web

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/kith-crm/kith/internal/oauth"
	"github.com/kith-crm/kith/internal/store/keep"
)

// The fields of the password and of the second factor.
const confirmField, confirmCode = "confirm_password", "confirm_code"

// sentField is a field of the form that waits for the confirmation.
type sentField struct{ Name, Value string }

type confirmPage struct {
	Form *form
	// Action is where the form that waits goes to, and Fields is what is in it.
	Action string
	Fields []sentField
	// Factor tells that a second factor is asked for, too.
	Factor bool
	// Passwordless tells that they have no password, because they log in with their company.
	Passwordless bool
	// Passkey is the form to confirm with a passkey, or nil.
	Passkey *passkeyForm
}

// confirmed asks for the password again before something hands out access, unless it was given within the hour: a browser left open, or a
// cookie that was stolen, must not be enough for access that outlives it. The form that was sent goes along and is sent again with the
// password, so nothing has to be filled in twice. Who has a second factor is asked for that, too. It gives false where it has answered.
func (v *visit) confirmed() (bool, error) {
	at, err := v.people.ConfirmedAt(v.r.Context(), v.who, v.session)
	if err != nil {
		return false, err
	}
	if v.now().Sub(at) < oauth.Confirmed {
		return true, nil
	}
	f, status := v.filled(), http.StatusForbidden
	signed := v.signed(toConfirm)
	if v.r.PostForm.Has(confirmField) || signed != nil {
		err := v.people.Confirm(v.r.Context(), v.who, v.session,
			oauth.Confirmation{Password: v.r.PostForm.Get(confirmField), Factor: oauth.Answer{Code: f.Get(confirmCode), Passkey: signed}},
			v.server.Address(v.r))
		if err == nil {
			return true, nil
		}
		told, err := v.refused(f, confirmField, err)
		if err != nil {
			return false, err
		}
		if told == http.StatusTooManyRequests {
			status = told
		}
	}
	p := confirmPage{Form: f, Action: v.r.URL.RequestURI()}
	known, err := keep.FindPassword(v.r.Context(), v.who.Tenant, v.who.User)
	if err != nil {
		return false, err
	}
	p.Passwordless = known.Hash == ""
	if p.Factor, err = v.people.NeedsFactor(v.r.Context(), v.who.Tenant, v.who.User); err != nil {
		return false, err
	}
	if p.Factor {
		challenge, err := v.people.AskPasskey(v.r.Context(), v.who.Tenant, v.who.User, v.auth.Origin(v.r))
		if p.Passkey, err = v.offer(toConfirm, challenge, err); err != nil {
			return false, err
		}
	}
	for name, values := range v.r.PostForm {
		// which the page adds itself
		if slices.Contains([]string{formField, confirmField, confirmCode, confirmResponse, confirmState, "username"}, name) {
			continue
		}
		for _, value := range values {
			p.Fields = append(p.Fields, sentField{name, value})
		}
	}
	slices.SortStableFunc(p.Fields, func(a, b sentField) int { return strings.Compare(a.Name, b.Name) })
	return false, v.show(status, "confirm", p)
}

// refused shows in a form why a password was not taken: beside its field, or, after too many attempts, above all. It gives the
// status of the page, and back what is no refusal.
func (v *visit) refused(f *form, field string, err error) (status int, _ error) {
	switch {
	case errors.Is(err, oauth.ErrTooManyTries):
		return v.tooMany(f), nil
	case errors.Is(err, oauth.ErrWrongLogin):
		f.wrong(field, "is not right")
		return http.StatusUnprocessableEntity, nil
	case errors.Is(err, oauth.ErrWrongFactor):
		f.wrong(confirmCode, "is not right, or was used already")
		return http.StatusUnprocessableEntity, nil
	}
	return http.StatusUnprocessableEntity, err
}

// tooMany shows in a form that a password was tried too often.
func (v *visit) tooMany(f *form) (status int) {
	f.Problem = "There were too many attempts. Please wait a few minutes and try again."
	v.w.Header().Set("Retry-After", "60")
	return http.StatusTooManyRequests
}
