package web

import (
	"errors"
	"time"

	"github.com/kith-crm/kith/internal/oauth"
)

// passkeyForm is what a form needs that asks the browser for a passkey: the script fills in what the browser signs.
type passkeyForm struct {
	// Options are what the browser is told.
	Options string
	// State is what the answer is checked by, sealed for this browser.
	State string
}

// offer gives a page the form that a challenge is for, and the script that it needs. Where passkeys cannot be used there is none.
func (v *visit) offer(purpose string, c oauth.Challenge, err error) (*passkeyForm, error) {
	if errors.Is(err, oauth.ErrNoPasskeys) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	v.script = passkeyScript
	return &passkeyForm{c.Options, v.sealed("passkey "+purpose, handover{Key: c.State}, time.Now())}, nil
}

// signed is what a form brought that asked for a passkey, or nil. What was asked of another browser, or for another purpose, is nothing.
func (v *visit) signed(purpose string) *oauth.Signed {
	response, state := passkeyResponse, passkeyState
	if purpose == toConfirm { // beside which the form that waits may have one of its own
		response, state = confirmResponse, confirmState
	}
	if v.r.PostForm.Get(response) == "" {
		return nil
	}
	return &oauth.Signed{
		Origin: v.auth.Origin(v.r), State: v.unsealFor("passkey "+purpose, v.r.PostForm.Get(state)).Key,
		Response: v.r.PostForm.Get(response),
	}
}

// What a passkey is asked for, and the fields of forms that bring it.
const (
	passkeyResponse = "passkey_response"
	passkeyState    = "passkey_state"
	confirmResponse = "confirm_response"
	confirmState    = "confirm_state"

	toLogIn   = "log-in"
	toFinish  = "second step"
	toConfirm = "confirmation"
)
