package web

import "net/http"

// pageError is an error that has a page.
type pageError struct {
	status         int
	title, message string
}

func (e *pageError) Error() string { return e.title }

var (
	errNoPage      = &pageError{http.StatusNotFound, "There is no such page", "The address may be mistyped, or what was here is gone."}
	errForeignForm = &pageError{
		http.StatusForbidden, "This form came from another site",
		"Nothing was changed. If you did want this, start again from here.",
	}
	errStaleForm = &pageError{
		http.StatusForbidden, "This form is out of date",
		"Nothing was changed. Go back, reload the page and send it again. Cookies must be allowed.",
	}
	errBadForm = &pageError{http.StatusBadRequest, "This form cannot be read", "Nothing was changed. Go back and try again."}
)
