package web

import (
	"html/template"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/kith-crm/kith/internal/oauth"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/throttle"
)

// Site serves the pages.
type Site struct {
	engine *record.Engine
	auth   *oauth.Authenticator
	server *oauth.Server
	people *oauth.People
	log    *slog.Logger

	crossOrigin *http.CrossOriginProtection
	seal        *oauth.Seal
	now         func() time.Time
	pages       map[string]map[string]*template.Template // by language and name
	// settled is true once a business was seen; there is no way back.
	settled atomic.Bool
	// reads and answers bound how often quotes are read and answered from one network.
	reads, answers *throttle.Throttle
}

// page is one address of the site.
type page struct {
	path string
	// open pages are shown to anyone; the others need a log-in.
	open bool
	// public pages are for people without an account: they know no session, leave no cookie, and their address has what forms present.
	public bool
	// unfinished pages are for those who still have to set up a second factor, too.
	unfinished bool
	get, post  func(*visit) error
}

// visit is one request for a page.
type visit struct {
	*Site
	w    http.ResponseWriter
	r    *http.Request
	id   string
	page page
	// who is logged in, or nil; session is their log-in.
	who     *record.Principal
	session schema.UUID
	csrf    string
	// known is who the log names: who is logged in, or who has just logged in or out.
	known *record.Principal
	// answersTo is where a form of the page may lead beside the site itself.
	answersTo string
	// script is the script of the page, or nil.
	script *staticFile
	status int
}

func (v *visit) redirect(to string) error {
	v.status = http.StatusSeeOther
	http.Redirect(v.w, v.r, to, v.status)
	return nil
}
