package web

import (
	"regexp"
	"strings"
)

// german is what the pages say, by its English. A piece of a sentence stands as it does between two tags.
var german = map[string]string{
	"en": "de", "kith, home": "kith, Startseite", "Account": "Konto", "Switch business": "Unternehmen wechseln",
	"Skip to content": "Zum Inhalt", "Switch": "Unternehmen", "business": "wechseln", "Log out": "Abmelden",
	"Error:": "Fehler:",
	"kith keeps track of the people you do business with.": "kith behält die Menschen im Blick, mit denen Sie zu tun haben.",
	"Back to the app": "Zurück zur App", "optional": "freiwillig", "at": "bei", "as": "als", ".": ".", "· kith": "· kith",

	// Log-in.
	"Log in": "Anmelden", "E-mail address": "E-Mail-Adresse", "Password": "Passwort",
	"Log in with a passkey": "Mit einem Passkey anmelden", "Log in with your company": "Über Ihre Firma anmelden",
	"Forgot your password?": "Passwort vergessen?", "You are logged out.": "Sie sind abgemeldet.",
	"Your new e-mail address is confirmed. Log in with it from now on.": "" +
		"Ihre neue E-Mail-Adresse ist bestätigt. Melden Sie sich ab jetzt mit ihr an.",
	"The e-mail address or the password is wrong.": "Die E-Mail-Adresse oder das Passwort ist falsch.",
	"This passkey opens nothing here, or it took too long. Try again, or log in with your password.": "" +
		"Dieser Passkey öffnet hier nichts, oder es dauerte zu lange. Versuchen Sie es noch einmal, oder melden Sie " +
		"sich mit Ihrem Passwort an.",
	"That took too long. Please log in again.": "Das dauerte zu lange. Bitte melden Sie sich noch einmal an.",
	"There were too many attempts. Please wait a few minutes and try again.": "" +
		"Das waren zu viele Versuche. Bitte warten Sie ein paar Minuten, und versuchen Sie es noch einmal.",
	"Choose a business": "Unternehmen wählen", "With this password": "Mit diesem Passwort kann",
	"can work in any of these. Which one do you want?": "in jedem von diesen arbeiten. Welches möchten Sie?",
	"Addresses like": "Adressen wie", "can log in here:": "können sich hier anmelden:", "Log in with": "Anmelden mit",
	"Go on": "Weiter", "Log in with a password": "Mit einem Passwort anmelden",
	"No company has set up a log-in for addresses like this one. Log in with your password, or ask your " +
		"administrator.": "" +
		"Für solche Adressen hat keine Firma eine Anmeldung eingerichtet. Melden Sie sich mit Ihrem Passwort an, oder " +
		"fragen Sie Ihre Administration.",
	"Second step": "Zweiter Schritt", "Show that it is you": "Zeigen Sie, dass Sie es sind",
	"Your password was right.":                             "Ihr Passwort stimmt.",
	"Now give the code that your authenticator app shows.": "Geben Sie jetzt den Code ein, den Ihre Authenticator-App zeigt.",
	"Now show your passkey, or give a recovery code.": "" +
		"Zeigen Sie jetzt Ihren Passkey, oder geben Sie einen Wiederherstellungscode ein.",
	"Code": "Code",
	"Six digits, or one of your recovery codes.": "Sechs Ziffern oder einer Ihrer Wiederherstellungscodes.",
	"Use a passkey": "Passkey verwenden", "Start again": "Von vorn beginnen",
	"Lost it all? Somebody who manages people here can take the second step away.": "" +
		"Alles verloren? Wer hier Personen verwaltet, kann den zweiten Schritt aufheben.",
	"is not right":                      "stimmt nicht",
	"is not right, or was used already": "stimmt nicht oder wurde schon verwendet",
	"This passkey is not one of yours, or it took too long. Try again, or give a code.": "" +
		"Dieser Passkey gehört nicht Ihnen, oder es dauerte zu lange. Versuchen Sie es noch einmal, oder geben Sie " +
		"einen Code ein.",

	// Forgotten passwords and links.
	"Forgot your password": "Passwort vergessen", "Look into your mail": "Sehen Sie in Ihre E-Mails",
	"Ask for your link": "Fragen Sie nach Ihrem Link", "If": "Wenn sich",
	"can log in here, a link to a new password is on its way. It works once, within an hour.": "" +
		"hier anmelden kann, ist ein Link zu einem neuen Passwort unterwegs. Er gilt einmal, innerhalb einer Stunde.",
	"This server sends no mail. If": "Dieser Server versendet keine E-Mails. Wenn sich",
	"can log in here, whoever runs the server finds the link to a new password in its log. It works once, within an " +
		"hour.": "" +
		"hier anmelden kann, findet, wer den Server betreibt, den Link zu einem neuen Passwort in dessen Protokoll. Er " +
		"gilt einmal, innerhalb einer Stunde.",
	"Tell us your e-mail address, and you get a link to choose a new one.": "" +
		"Nennen Sie uns Ihre E-Mail-Adresse, und Sie bekommen einen Link, um ein neues zu wählen.",
	"Send me a link": "Link senden", "Back to log-in": "Zurück zur Anmeldung",
	"There were too many requests for this. Please wait an hour and try again.": "" +
		"Das wurde zu oft angefordert. Bitte warten Sie eine Stunde, und versuchen Sie es noch einmal.",
	"Confirm your address": "Adresse bestätigen", "Choose a password": "Passwort wählen", "Welcome to": "Willkommen bei",
	"You are invited as":                   "Sie sind eingeladen als",
	". Choose a password, and you are in.": ". Wählen Sie ein Passwort, und Sie sind dabei.",
	"From then on you log in to":           "Danach melden Sie sich an bei",
	". Give the password that you have there, so that nobody else can do this.": "" +
		". Geben Sie Ihr Passwort dort ein, damit niemand sonst das tun kann.",
	"Choose a new password": "Neues Passwort wählen", "For": "Für",
	". All your log-ins from before end.": ". Alle Ihre bisherigen Anmeldungen enden.",
	"Confirm":                             "Bestätigen",
	"At least 8 characters. A few words in a row are easy to keep in mind.": "" +
		"Mindestens 8 Zeichen. Ein paar Wörter hintereinander lassen sich gut merken.",
	"Set password and log in": "Passwort setzen und anmelden",

	// Log-out and the change of business.
	"Log out?": "Abmelden?", "You are logged in as": "Sie sind angemeldet als", "Stay logged in": "Angemeldet bleiben",
	"You are in": "Sie sind in",
	". Give your password of the business that you want to go to.": "" +
		". Geben Sie Ihr Passwort für das Unternehmen ein, in das Sie möchten.",
	"Stay here": "Hierbleiben",
	"This password opens no other business. If yours is another there, give that one.": "" +
		"Dieses Passwort öffnet kein anderes Unternehmen. Wenn Ihres dort anders lautet, geben Sie jenes ein.",

	// Set-up.
	"Set up": "Einrichten", "Welcome to kith": "Willkommen bei kith",
	"Nothing is here yet. Name your business and make yourself its administrator; the rest can wait.": "" +
		"Hier ist noch nichts. Benennen Sie Ihr Unternehmen, und werden Sie seine Administration; der Rest kann warten.",
	"Name of the business": "Name des Unternehmens", "Currency": "Währung",
	"What your deals and quotes are in. It can be changed later.": "Für Ihre Geschäfte und Angebote. Sie lässt sich später ändern.",
	"Your name": "Ihr Name", "Your e-mail address": "Ihre E-Mail-Adresse", "must be given": "muss angegeben werden",
	"is too long": "ist zu lang", "must be one line": "muss in einer Zeile stehen",

	// Consent.
	"Connect": "Verbinden:", "asks to use": "möchte Zugriff auf", "It comes from": "Es kommt von",
	"Its name is what that site says, and nobody has checked it.": "Wie es heißt, sagt diese Seite; niemand hat es geprüft.",
	"It is answered on this computer, where another program could say that it is this one.": "" +
		"Die Antwort geht an diesen Rechner, auf dem sich ein anderes Programm dafür ausgeben könnte.",
	"Go on only if you started this yourself and trust that site.": "" +
		"Fahren Sie nur fort, wenn Sie das selbst begonnen haben und dieser Seite vertrauen.",
	"Nobody has checked this app.": "Niemand hat diese App geprüft.",
	"It registered itself and chose its own name. Go on only if you started this yourself and trust it.": "" +
		"Sie hat sich selbst angemeldet und ihren Namen selbst gewählt. Fahren Sie nur fort, wenn Sie das selbst " +
		"begonnen haben und ihr vertrauen.",
	"You are": "Sie sind", "Goes back to": "Geht zurück zu", "It wants to": "Sie möchte", "It also": "Sie möchte auch",
	"It": "Sie möchte", "wants powers": "Befugnisse",
	"With these it decides what others may do, or makes secrets that go on working without it. Allow them only to " +
		"an app that manages access for you.": "" +
		"Damit entscheidet sie, was andere dürfen, oder legt Geheimnisse an, die ohne sie weiter gelten. Erlauben Sie " +
		"das nur einer App, die für Sie den Zugang verwaltet.",
	"Take away the ticks you do not want to give. You can disconnect the app at any time under Connected apps.": "" +
		"Nehmen Sie die Häkchen weg, die Sie nicht geben möchten. Unter „Apps und Agenten“ können Sie die App jederzeit " +
		"trennen.",
	"Refuse": "Ablehnen", "Allow": "Erlauben", "Use another account": "Anderes Konto verwenden",
	"Nothing is ticked. Tick what the app may do, or refuse.": "" +
		"Nichts ist angekreuzt. Kreuzen Sie an, was die App darf, oder lehnen Sie ab.",
	"a program on this computer":                   "ein Programm auf diesem Rechner",
	"an app on this device":                        "eine App auf diesem Gerät",
	"This app cannot be connected":                 "Diese App lässt sich nicht verbinden",
	"asked for something that cannot be answered:": "hat um etwas gebeten, das sich nicht beantworten lässt:",
	"It registered itself and chose its own name. Go back to it only if you came from there.": "" +
		"Sie hat sich selbst angemeldet und ihren Namen selbst gewählt. Gehen Sie nur zurück, wenn Sie von dort kommen.",
	"Go back to": "Zurück zu", "Go to the app": "Zur App",
	"This app belongs to another business": "Diese App gehört zu einem anderen Unternehmen",
	"Only people of the business that made it can connect it. Log out and log in there to go on.": "" +
		"Nur wer zum Unternehmen gehört, das sie gemacht hat, kann sie verbinden. Melden Sie sich ab und dort an, um " +
		"fortzufahren.",
	"can have everything that it may read sent to any address as it changes, without being used again": "" +
		"kann alles, was sie lesen darf, bei jeder Änderung an jede Adresse senden lassen, ohne noch einmal benutzt zu " +
		"werden",
	"can make apps that act on their own, and get hold of their secrets": "" +
		"kann Apps anlegen, die von selbst handeln, und an deren Geheimnisse kommen",
	"can make further tokens, which work without it": "kann weitere Token anlegen, die ohne sie gelten",
	"can invite people, change who they log in as, and decide what they may do": "" +
		"kann Personen einladen, ändern, als wer sie sich anmelden, und entscheiden, was sie dürfen",
	"can change what everybody with a role may do": "kann ändern, was alle mit einer Rolle dürfen",
	"Read who came in, who was refused, and who changed what": "" +
		"Lesen, wer hereinkam, wer abgewiesen wurde und wer was geändert hat",
	"Business": "Unternehmen", "Audit log": "Prüfprotokoll", "Audit entry": "Prüfprotokoll",

	// Confirmation.
	"Confirm that it is you":                             "Bestätigen Sie, dass Sie es sind",
	"What you are about to do gives access to":           "Was Sie vorhaben, gibt Zugang zu",
	", and it is more than an hour since you logged in.": ", und Ihre Anmeldung ist mehr als eine Stunde her.",
	", log in with your company again, and do it then.":  ", melden Sie sich über Ihre Firma wieder an, und tun Sie es dann.",
	", and it is more than an hour since you gave your password. Give the password of": "" +
		", und es ist mehr als eine Stunde her, dass Sie Ihr Passwort eingegeben haben. Geben Sie das Passwort von",
	"and a code": "und einen Code", "to go on.": "ein, um fortzufahren.",
	"Of your authenticator app, or a recovery code.": "Ihrer Authenticator-App oder ein Wiederherstellungscode.",
	"Use a passkey instead":                          "Stattdessen einen Passkey verwenden",
	"Cancel":                                         "Abbrechen",

	// What goes wrong.
	"Go to the start": "Zum Anfang", "There is no such page": "Diese Seite gibt es nicht",
	"The address may be mistyped, or what was here is gone.": "" +
		"Die Adresse ist vielleicht vertippt, oder was hier war, gibt es nicht mehr.",
	"This form came from another site": "Dieses Formular kam von einer anderen Seite",
	"Nothing was changed. If you did want this, start again from here.": "" +
		"Nichts wurde geändert. Wenn Sie das wollten, beginnen Sie hier von vorn.",
	"This form is out of date": "Dieses Formular ist veraltet",
	"Nothing was changed. Go back, reload the page and send it again. Cookies must be allowed.": "" +
		"Nichts wurde geändert. Gehen Sie zurück, laden Sie die Seite neu, und senden Sie es noch einmal. Cookies " +
		"müssen erlaubt sein.",
	"This form cannot be read":                    "Dieses Formular lässt sich nicht lesen",
	"Nothing was changed. Go back and try again.": "Nichts wurde geändert. Gehen Sie zurück, und versuchen Sie es noch einmal.",
	"Something went wrong on our side":            "Auf unserer Seite ging etwas schief",
	"The database is not available":               "Die Datenbank ist nicht erreichbar",
	"Please try again in a moment. If you sent a form, look first whether it was done.": "" +
		"Bitte versuchen Sie es gleich noch einmal. Wenn Sie ein Formular gesendet haben, sehen Sie erst nach, ob es " +
		"ankam.",
	"That took too long": "Das dauerte zu lange",
	"Too much else is going on here. Please try again in a moment.": "" +
		"Hier ist gerade zu viel los. Bitte versuchen Sie es gleich noch einmal.",
	"You may not do this": "Das dürfen Sie nicht", "That is not possible": "Das geht nicht",
	"That does not work here":                          "Das geht hier nicht",
	"This address does not take this kind of request.": "Diese Adresse nimmt solche Anfragen nicht.",
	"This server is set up already":                    "Dieser Server ist schon eingerichtet",
	"Someone else was quicker. Log in, or ask them for an invitation.": "" +
		"Jemand war schneller. Melden Sie sich an, oder bitten Sie um eine Einladung.",
	"This link does not work any more": "Dieser Link gilt nicht mehr",
	"It was used already, or its time is up. Ask for a new one.": "" +
		"Er wurde schon benutzt, oder seine Zeit ist um. Bitten Sie um einen neuen.",
	"There were too many attempts":             "Das waren zu viele Versuche",
	"Please wait a few minutes and try again.": "Bitte warten Sie ein paar Minuten, und versuchen Sie es noch einmal.",
	"The log-in of your company does not work": "Die Anmeldung über Ihre Firma geht nicht",
	"You cannot log in":                        "Sie können sich nicht anmelden", "You are not logged in": "Sie sind nicht angemeldet",
	"Your company's log-in was cancelled or refused. You can start again from the log-in.": "" +
		"Die Anmeldung über Ihre Firma wurde abgebrochen oder abgelehnt. Sie können bei der Anmeldung von vorn " +
		"beginnen.",
	"Your company's log-in did not let you in here, or it took too long. Start again from the log-in; if it stays " +
		"so, ask your administrator.": "" +
		"Die Anmeldung über Ihre Firma ließ Sie hier nicht herein, oder es dauerte zu lange. Beginnen Sie bei der " +
		"Anmeldung von vorn; bleibt es so, fragen Sie Ihre Administration.",
	"Your company wants you to log in with its own log-in. Choose “Log in with your company” on the page before.": "" +
		"Ihre Firma möchte, dass Sie sich über sie anmelden. Wählen Sie auf der Seite davor „Über Ihre Firma anmelden“.",
	"Your password was changed or your account suspended just now.": "" +
		"Ihr Passwort wurde gerade geändert oder Ihr Konto gesperrt.",

	// Things that an app can be given.
	"contacts": "Kontakte", "companies": "Firmen", "deals": "Geschäfte", "tasks": "Aufgaben", "notes": "Notizen",
	"activities": "Aktivitäten", "products": "Produkte", "quotes": "Angebote", "associations": "Verbindungen",
	"pipelines": "Pipelines", "lifecycle stages": "Kundenphasen", "loss reasons": "Verlustgründe", "users": "Benutzer",
	"roles": "Rollen", "access tokens": "Zugriffstoken", "apps": "Apps", "fields": "Felder", "webhooks": "Webhooks",
	"views": "Ansichten", "read": "lesen", "create and change": "anlegen und ändern", "delete": "löschen",
	"read, create, change and delete": "lesen, anlegen, ändern und löschen",
}

// germanForms are sentences with a part that is not always the same.
var germanForms = []struct {
	english *regexp.Regexp
	german  func(parts []string) string
}{
	{regexp.MustCompile(`^(Read, create, change and delete|Read|Create and change|Delete) ([a-z ]+)$`), func(p []string) string {
		return german[p[1]] + " " + german[strings.ToLower(p[0])]
	}},
	{regexp.MustCompile(`^([A-Z][a-z]+(?: [a-z]+)?s)$`), func(p []string) string { return german[strings.ToLower(p[0])] }},
	{regexp.MustCompile(`^Change the business: .*$`), func([]string) string { return "Das Unternehmen ändern" }},
	{regexp.MustCompile(`^your role (.+) does not allow this$`), func(p []string) string {
		return "Ihre Rolle " + p[0] + " erlaubt das nicht"
	}},
	{regexp.MustCompile(`^your role (.+) allows this for your own only$`), func(p []string) string {
		return "Ihre Rolle " + p[0] + " erlaubt das nur bei Eigenem"
	}},
	{regexp.MustCompile(`^your role (.+) allows (?:only )?to (.+)$`), func(p []string) string {
		return "Ihre Rolle " + p[0] + " erlaubt das nur zum Teil"
	}},
	{regexp.MustCompile(`^must be an e-mail address such as (\S+)$`), func(p []string) string {
		return "muss eine E-Mail-Adresse sein, etwa " + p[0]
	}},
	{regexp.MustCompile(`^must be an ISO 4217 currency code such as (\S+)$`), func([]string) string {
		return "muss eine der Währungen sein"
	}},
	{regexp.MustCompile(`^must have from (\d+) to (\d+) characters$`), func(p []string) string {
		return "muss " + p[0] + " bis " + p[1] + " Zeichen haben"
	}},
	{regexp.MustCompile(`^It was noted down as (\S+)\. Please try again in a moment\.$`), func(p []string) string {
		return "Es ist unter " + p[0] + " vermerkt. Bitte versuchen Sie es gleich noch einmal."
	}},
	{
		regexp.MustCompile(`^The field (.+) has characters that nobody can type, or far too many\. Nothing was changed\.$`),
		func(p []string) string {
			return "Das Feld " + p[0] + " hat Zeichen, die niemand tippen kann, oder viel zu viele. Nichts wurde geändert."
		},
	},
	{
		regexp.MustCompile(`^Try again in a moment\. If it stays so, tell your administrator; the server's log says why, under (\S+)\.$`),
		func(p []string) string {
			return "Versuchen Sie es gleich noch einmal. Bleibt es so, sagen Sie es Ihrer Administration; warum, steht im Protokoll des " +
				"Servers unter " + p[0] + "."
		},
	},
	{regexp.MustCompile(`^The role (.+) (?:does not allow|lacks the permission|allows) .*$`), func(p []string) string {
		return "Ihre Rolle " + p[0] + " erlaubt das nicht."
	}},
}
