package web

import (
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/kith-crm/kith/internal/oauth"
	"github.com/kith-crm/kith/internal/schema"
)

type companyOffer struct{ ID, Name, Host string }

type companyPage struct {
	Form *form
	Next string
	// Email is the address that was given, and Offers where it can log in.
	Email  string
	Offers []companyOffer
}

// company asks for the e-mail address, whose domain tells the companies, and then offers these.
func (v *visit) company() error {
	p := companyPage{Form: newForm(url.Values{}), Next: safeNext(v.r.URL.Query().Get("next"))}
	h := v.kept()
	if h.Email == "" {
		return v.show(http.StatusOK, "company", p)
	}
	p.Email, p.Next = h.Email, safeNext(h.Next)
	return v.offerCompanies(p)
}

func (v *visit) findCompany() error {
	f := v.filled()
	email, next := f.Get("email"), safeNext(f.Get("next"))
	if _, wrong := schema.Email.Normalize(email); wrong != "" {
		f.wrong("email", wrong)
		return v.show(http.StatusUnprocessableEntity, "company", companyPage{Form: f, Next: next})
	}
	return v.goOn("/login/company", handover{Email: email, Next: next})
}

// offerCompanies shows what an address can log in with, and the provider's host: anybody can call their business as they like.
func (v *visit) offerCompanies(p companyPage) error {
	found, err := v.people.Offers(v.r.Context(), p.Email)
	if err != nil {
		return err
	}
	p.Form.values.Set("email", p.Email)
	for _, o := range found {
		p.Offers = append(p.Offers, companyOffer{schema.FormatID("business", o.Business), o.BusinessName, o.Host})
		if v.answersTo == "" { // it allows every https address
			v.answersTo = formTarget(o.Issuer)
		}
	}
	if len(p.Offers) == 0 {
		p.Form.Problem = "No company has set up a log-in for addresses like this one. Log in with your password, or ask your administrator."
	}
	return v.show(http.StatusOK, "company", p)
}

// backFrom is where a provider sends people back to: one for each business, so that none can pass off another's answer as its own.
func (v *visit) backFrom(business string) string {
	return v.auth.Origin(v.r) + "/login/company/" + url.PathEscape(business)
}

// goToProvider sends people to the identity provider of a business.
func (v *visit) goToProvider() error {
	f := v.filled()
	business := f.Get("business")
	to, err := v.people.AskProvider(v.r.Context(), business, f.Get("email"), v.backFrom(business), v.server.Address(v.r),
		func(kept string) string {
			return v.sealed("provider of "+business, handover{Key: kept, Next: safeNext(f.Get("next"))}, time.Now())
		})
	if err != nil {
		return v.withoutProvider(err)
	}
	return v.redirect(to)
}

// withoutProvider shows why a log-in by an identity provider does not work. What exactly is wrong with the provider is in the log.
func (v *visit) withoutProvider(err error) error {
	switch {
	case errors.Is(err, oauth.ErrTooManyTries):
		v.w.Header().Set("Retry-After", "60")
		return &pageError{http.StatusTooManyRequests, "There were too many attempts", "Please wait a few minutes and try again."}
	case errors.Is(err, oauth.ErrProvider):
		return &pageError{
			http.StatusBadGateway, "The log-in of your company does not work",
			"Try again in a moment. If it stays so, tell your administrator; the server's log says why, under " + v.id + ".",
		}
	case errors.Is(err, oauth.ErrWrongLogin):
		return &pageError{
			http.StatusForbidden, "You cannot log in",
			"Your company's log-in did not let you in here, or it took too long. Start again from the log-in; if it stays so, ask your " +
				"administrator whether you are a user here, and whether your e-mail address is verified there.",
		}
	}
	return err
}

// fromProvider takes what the provider says of who logged in there.
func (v *visit) fromProvider() error {
	business, answer := v.r.PathValue("business"), v.r.URL.Query()
	h := v.unsealFor("provider of "+business, answer.Get("state"))
	if h.Key != "" && answer.Get("error") != "" {
		return &pageError{
			http.StatusForbidden, "You are not logged in",
			"Your company's log-in was cancelled or refused. You can start again from the log-in.",
		}
	}
	back := oauth.Returned{Kept: h.Key, Code: answer.Get("code"), Issuer: answer.Get("iss")}
	id, err := v.people.LogInByProvider(v.r.Context(), business, back, v.backFrom(business), v.server.Address(v.r))
	if err != nil {
		return v.withoutProvider(err)
	}
	if err := v.begin(*id); err != nil {
		return err
	}
	return v.redirect(h.Next)
}
