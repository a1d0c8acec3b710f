package web

import (
	"net/http"
	"net/url"
	"time"

	"github.com/kith-crm/kith/internal/schema"
)

const (
	handoverCookie = "kith_handover"
	// handoverLife is far more than a redirect takes, and little enough that a forgotten browser keeps no secret.
	handoverLife = 2 * time.Minute
	// stepLife is for those that wait for somebody to fetch something, such as their telephone.
	stepLife = 10 * time.Minute
)

// handover is what a form that changed something leaves for the page after it, which shows it once. A page is never the answer to
// such a form: reloading it would send the form again.
type handover struct {
	// Email is the address that a page without a log-in is about.
	Email string `json:",omitempty"`
	// Next is where to go on to after that page.
	Next string `json:",omitempty"`
	// Proof is that of a log-in which still has to choose a business, or to give a second factor.
	Proof string `json:",omitempty"`
	// Key is what a passkey or the answer of an identity provider is checked by.
	Key string `json:",omitempty"`
	// Businesses are what it can choose.
	Businesses []businessChoice `json:",omitempty"`
}

type businessChoice struct{ ID, Name string }

// life is how long a handover can be opened.
func (h handover) life() time.Duration {
	if h.Proof != "" || h.Key != "" {
		return stepLife
	}
	return handoverLife
}

// boundTo is what a handover belongs to: one page, one log-in and one browser. In another's hands it does not open.
func (v *visit) boundTo(path string) string {
	return path + "\n" + schema.FormatID("session", v.session) + "\n" + v.formSecret()
}

// goOn redirects to the page after a form. What that page shows is sealed into a cookie that only this page gets: it is in no
// address, in no log and in no database, and any server of the same database can open it.
func (v *visit) goOn(to string, h handover) error {
	u, err := url.Parse(to)
	if err != nil {
		return err
	}
	v.setHandover(u.Path, v.sealed(u.Path, h, time.Now()), int(h.life().Seconds()))
	return v.redirect(to)
}

// sealed is a handover as the cookie has it.
func (v *visit) sealed(path string, h handover, now time.Time) string {
	text, err := v.seal.Close(h, now.Add(h.life()), v.boundTo(path))
	if err != nil {
		panic(err) // texts can always be written
	}
	return text
}

// received gives what the form before left for this page, and takes it away from the browser.
func (v *visit) received() handover {
	if v.r.Method != http.MethodGet { // HEAD shows nothing
		return handover{}
	}
	h := v.kept()
	if _, err := v.r.Cookie(v.handoverName()); err == nil {
		v.setHandover(v.r.URL.Path, "", -1)
	}
	return h
}

// kept gives what the form before left for this page, and leaves it there.
func (v *visit) kept() handover {
	c, err := v.r.Cookie(v.handoverName())
	if err != nil {
		return handover{}
	}
	return v.unseal(c.Value)
}

// unseal opens a handover to this page.
func (v *visit) unseal(text string) handover { return v.unsealFor(v.r.URL.Path, text) }

// unsealFor opens what was sealed for a page or purpose. What is void, or not for that and this log-in, is empty.
func (v *visit) unsealFor(path, text string) (h handover) {
	v.seal.Open(text, time.Now(), v.boundTo(path), &h)
	return h
}

// handoverName adds the prefix with which browsers refuse a cookie that plain http planted. That of the other cookies would not let it be
// limited to a page; nor is it needed: what another host plants does not open.
func (v *visit) handoverName() string {
	if v.secure() {
		return "__Secure-" + handoverCookie
	}
	return handoverCookie
}

func (v *visit) setHandover(path, value string, age int) {
	http.SetCookie(v.w, &http.Cookie{
		Name: v.handoverName(), Value: value, Path: path, MaxAge: age, HttpOnly: true, Secure: v.secure(),
		SameSite: http.SameSiteStrictMode,
	})
}
