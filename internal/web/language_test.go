package web

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// Every text of every page is said in German, and so is all that Go says on them.
func TestPagesHaveNoEnglishInGerman(t *testing.T) {
	pages, err := parseIn(languages[0])
	if err != nil {
		t.Fatal(err)
	}
	word := regexp.MustCompile(`[A-Za-z]{2}`)
	same := map[string]bool{"kith": true, "&nbsp;": true}
	for name, page := range pages {
		for _, one := range page.Templates() {
			if one.Tree == nil || name == "quote" { // which has the words of its business
				continue
			}
			eachText(one.Tree.Root, func(text string) string {
				isText := strings.Contains(text, " ") || regexp.MustCompile(`^[A-Z][a-z]`).MatchString(text)
				if _, ok := german[text]; !ok && isText && word.MatchString(text) && !same[text] {
					t.Errorf("%s: there is no German for %q", name, text)
				}
				return text
			})
		}
	}
}

func TestPagesFollowTheVisitorsLanguage(t *testing.T) {
	h := newHouse(t)
	v := h.visitor()
	v.header = http.Header{"Accept-Language": {"fr-FR, de-AT;q=0.9, en;q=0.8"}}
	got := v.expect(v.get("/setup"), http.StatusOK, "Willkommen bei kith")
	if !strings.Contains(got.body, `<html lang="de">`) || !strings.Contains(got.body, "Schweizer Franken (CHF)") {
		t.Error(got.body)
	}
	// What was typed is still there, so that only what is wrong is typed again.
	got = v.expect(v.post("/setup", "business", "Wacholder", "name", "Anna", "email", "anna", "currency", "CHF", "password", password),
		http.StatusUnprocessableEntity, "Ihre E-Mail-Adresse muss eine E-Mail-Adresse sein, etwa anna@example.com.")
	for _, kept := range []string{`value="` + password + `"`, `value="CHF" selected`, `value="Wacholder"`} {
		if !strings.Contains(got.body, kept) {
			t.Errorf("%s is lost", kept)
		}
	}
	h.business("Juniper", "anna@juniper.test")
	v.expect(v.post("/login", "email", "anna@juniper.test", "password", "wrong"), http.StatusUnauthorized, "das Passwort ist falsch")
	v.expect(v.get("/nowhere"), http.StatusNotFound, "Diese Seite gibt es nicht")
	// The language that was chosen in the app counts more than the browser's.
	v.header.Set("Cookie", languageCookie+"=en")
	v.expect(v.get("/forgot"), http.StatusOK, "Forgot your password?")
}

// A password that is asked for is never in an answer.
func TestOnlySetUpKeepsAPassword(t *testing.T) {
	h := newHouse(t)
	h.business("Juniper", "anna@juniper.test")
	v := h.visitor()
	if got := v.post("/login", "email", "anna@juniper.test", "password", "wrong words"); strings.Contains(got.body, "wrong words") {
		t.Error("the log-in shows it")
	}
}
