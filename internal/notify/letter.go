package notify

import (
	"fmt"
	"html/template"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/store/queue"
	"github.com/kith-crm/kith/internal/work"
)

// line is what a mail tells of a notification.
type line struct {
	id               string
	at               time.Time
	Who, What, About string
	Link             string
}

// words are those of a language.
type words struct {
	language, somebody, several, more, settings string
	done                                        string
	// kinds are what is said of each kind, events how a job ended and what a customer answered, and jobs what it was.
	kinds, events, jobs map[string]string
}

var english = words{
	language: "en", somebody: "Somebody", several: "%d notifications from %s", more: "%d more are in your inbox.",
	settings: "Choose what is mailed to you",
	kinds: map[string]string{
		account.ToldMention: "mentioned you", account.ToldAssigned: "gave this to you", account.ToldFollowed: "worked on what you follow",
		account.ToldReminder: "Reminder", account.ToldWebhook: "A webhook was stopped", account.ToldDue: "Task due",
		account.ToldJob: "Background job",
	},
	done: "%d of %d done",
	events: map[string]string{
		"job." + queue.JobSucceeded: "is done", "job." + queue.JobFailed: "has failed", "job." + queue.JobCancelled: "was cancelled",
		"quote.accepted": "The customer accepted the quote", "quote.declined": "The customer declined the quote",
	},
	jobs: map[string]string{
		queue.ImportJob: "Import", queue.ImportPreviewJob: "Import preview", record.BulkJob: "Bulk change", work.UndoJob: "Undo",
	},
}

var german = words{
	language: "de", somebody: "Jemand", several: "%d Benachrichtigungen von %s", more: "%d weitere sind in Ihrem Posteingang.",
	settings: "Wählen, was Sie per E-Mail bekommen",
	kinds: map[string]string{
		account.ToldMention: "hat Sie erwähnt", account.ToldAssigned: "hat Ihnen das übertragen",
		account.ToldFollowed: "hat an dem gearbeitet, dem Sie folgen", account.ToldReminder: "Erinnerung",
		account.ToldWebhook: "Ein Webhook wurde angehalten", account.ToldDue: "Aufgabe fällig", account.ToldJob: "Hintergrundaufgabe",
	},
	done: "%d von %d erledigt",
	events: map[string]string{
		"job." + queue.JobSucceeded: "ist fertig", "job." + queue.JobFailed: "ist fehlgeschlagen",
		"job." + queue.JobCancelled: "wurde abgebrochen",
		"quote.accepted":            "Der Kunde hat das Angebot angenommen", "quote.declined": "Der Kunde hat das Angebot abgelehnt",
	},
	jobs: map[string]string{
		queue.ImportJob: "Import", queue.ImportPreviewJob: "Importvorschau", record.BulkJob: "Mehrfachänderung", work.UndoJob: "Rücknahme",
	},
}

// wordsOf are those for a locale.
func wordsOf(locale string) words {
	if language, _, _ := strings.Cut(strings.ToLower(locale), "-"); language == german.language {
		return german
	}
	return english
}

func (l line) String() string {
	said := strings.TrimSpace(l.Who + " " + l.What)
	if l.About != "" {
		said += ": " + l.About
	}
	return said
}

var sheet = template.Must(template.New("mail").Parse(`<!doctype html>
<html lang="{{.Language}}"><head><meta charset="utf-8"><title>{{.Title}}</title></head>
<body style="font-family:system-ui,sans-serif;line-height:1.5;max-width:36rem;margin:1rem auto;padding:0 1rem">
<ul style="padding:0;list-style:none">
{{range .Lines}}<li style="padding:.5rem 0;border-bottom:1px solid #ddd"><a href="{{.Link}}">{{.}}</a></li>
{{end}}</ul>
{{with .More}}<p>{{.}}</p>
{{end}}<p><small><a href="{{.Settings}}">{{.Choose}}</a></small></p>
</body></html>
`))

// letter tells somebody of notifications.
func letter(to, business, origin string, w words, lines []line) (*Letter, error) {
	subject := fmt.Sprintf(w.several, len(lines), business)
	if len(lines) == 1 {
		subject = lines[0].String()
	}
	more, settings := "", origin+"/app/settings"
	if n := len(lines) - mostTold; n > 0 {
		more, lines = fmt.Sprintf(w.more, n), lines[:mostTold]
	}
	var text, html strings.Builder
	for _, l := range lines {
		fmt.Fprintf(&text, "%s\n%s\n\n", l, l.Link)
	}
	if more != "" {
		text.WriteString(more + "\n\n")
	}
	text.WriteString(w.settings + ": " + settings + "\n")
	err := sheet.Execute(&html, map[string]any{
		"Language": w.language, "Title": subject, "Lines": lines, "More": more, "Settings": settings, "Choose": w.settings,
	})
	return &Letter{To: to, Subject: subject, Text: text.String(), HTML: html.String()}, err
}
