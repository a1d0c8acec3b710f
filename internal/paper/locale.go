package paper

import (
	"strconv"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/schema"
)

// Locale is how numbers and dates are written somewhere, and in which words a quote speaks.
type Locale struct {
	// Tag is the language of the words, for who reads them aloud.
	Tag            string
	decimal, group string
	// lakh groups as India does: 12,34,567.
	lakh bool
	date string
	// letter tells that paper has the American size.
	letter bool
	Words  *Words
}

// A space that does not break.
const space = "\u00a0"

// forms are how numbers and dates are written, by language or by that and region; otherwise it is 1,234.56 and 2026-01-31.
var forms = map[string]Locale{
	"en": {decimal: ".", group: ",", date: "2 January 2006"}, "en-us": {decimal: ".", group: ",", date: "January 2, 2006"},
	"en-ca": {decimal: ".", group: ",", date: "January 2, 2006"},
	"en-in": {decimal: ".", group: ",", date: "2 January 2006", lakh: true},
	"hi":    {decimal: ".", group: ",", date: "02/01/2006", lakh: true}, "en-za": {decimal: ",", group: space, date: "2 January 2006"},
	"de": {decimal: ",", group: ".", date: "02.01.2006"}, "de-at": {decimal: ",", group: space, date: "02.01.2006"},
	"de-ch": {decimal: ".", group: "’", date: "02.01.2006"}, "de-li": {decimal: ".", group: "’", date: "02.01.2006"},
	"fr": {decimal: ",", group: space, date: "02/01/2006"}, "fr-ch": {decimal: ",", group: space, date: "02.01.2006"},
	"fr-ca": {decimal: ",", group: space, date: "2006-01-02"},
	"es":    {decimal: ",", group: ".", date: "02/01/2006"}, "es-mx": {decimal: ".", group: ",", date: "02/01/2006"},
	"es-us": {decimal: ".", group: ",", date: "02/01/2006"},
	"it":    {decimal: ",", group: ".", date: "02/01/2006"}, "it-ch": {decimal: ".", group: "’", date: "02.01.2006"},
	"pt": {decimal: ",", group: ".", date: "02/01/2006"}, "pt-pt": {decimal: ",", group: space, date: "02/01/2006"},
	"nl": {decimal: ",", group: ".", date: "02-01-2006"}, "da": {decimal: ",", group: ".", date: "02.01.2006"},
	"nb": {decimal: ",", group: space, date: "02.01.2006"}, "no": {decimal: ",", group: space, date: "02.01.2006"},
	"sv": {decimal: ",", group: space, date: "2006-01-02"}, "fi": {decimal: ",", group: space, date: "2.1.2006"},
	"is": {decimal: ",", group: ".", date: "2.1.2006"}, "et": {decimal: ",", group: space, date: "02.01.2006"},
	"lv": {decimal: ",", group: space, date: "02.01.2006"}, "lt": {decimal: ",", group: space, date: "2006-01-02"},
	"pl": {decimal: ",", group: space, date: "02.01.2006"}, "cs": {decimal: ",", group: space, date: "02.01.2006"},
	"sk": {decimal: ",", group: space, date: "2.1.2006"}, "sl": {decimal: ",", group: ".", date: "2.1.2006"},
	"hr": {decimal: ",", group: ".", date: "02.01.2006."}, "hu": {decimal: ",", group: space, date: "2006.01.02."},
	"ro": {decimal: ",", group: ".", date: "02.01.2006"}, "bg": {decimal: ",", group: space, date: "02.01.2006"},
	"sr": {decimal: ",", group: ".", date: "02.01.2006."}, "el": {decimal: ",", group: ".", date: "02/01/2006"},
	"ru": {decimal: ",", group: space, date: "02.01.2006"}, "uk": {decimal: ",", group: space, date: "02.01.2006"},
	"tr": {decimal: ",", group: ".", date: "02.01.2006"}, "id": {decimal: ",", group: ".", date: "02/01/2006"},
	"vi": {decimal: ",", group: ".", date: "02/01/2006"},
}

// LocaleOf is that of a language tag, such as de-AT; an empty one is English as in no country.
func LocaleOf(tag string) Locale {
	tag = strings.ToLower(strings.ReplaceAll(tag, "_", "-"))
	language, rest, _ := strings.Cut(tag, "-")
	region, _, _ := strings.Cut(rest, "-")
	l, known := forms[language+"-"+region]
	if !known {
		l, known = forms[language]
	}
	if !known {
		l = Locale{decimal: ".", group: ",", date: time.DateOnly}
	}
	l.letter = region == "us" || region == "ca" || region == "mx"
	l.Words, l.Tag = &english, "en"
	if language == "de" {
		l.Words, l.Tag = &german, "de"
	}
	return l
}

// Date writes a day.
func (l Locale) Date(day time.Time) string { return day.Format(l.date) }

// Decimal writes a decimal exactly, with at least so many places.
func (l Locale) Decimal(n int64, least int) string {
	text := string(schema.AppendDecimal(nil, n, least))
	sign := ""
	if strings.HasPrefix(text, "-") {
		sign, text = "\u2212", text[1:]
	}
	whole, fraction, broken := strings.Cut(text, ".")
	out, size := "", 3
	for len(whole) > size {
		whole, out = whole[:len(whole)-size], l.group+whole[len(whole)-size:]+out
		if l.lakh {
			size = 2
		}
	}
	if out = sign + whole + out; broken {
		out += l.decimal + fraction
	}
	return out
}

// Amount writes an amount of a currency, without its name.
func (l Locale) Amount(n int64, currency string) string {
	places, known := schema.MinorUnits(currency)
	if !known {
		places = 2
	}
	return l.Decimal(n, places)
}

// Priced writes an amount with the code of its currency, where people are used to have it.
func (l Locale) Priced(amount, currency string) string {
	if l.decimal == "," {
		return amount + space + currency
	}
	return currency + space + amount
}

// Percent writes a percentage.
func (l Locale) Percent(n int64) string {
	if l.decimal == "," {
		return l.Decimal(n, 0) + space + "%"
	}
	return l.Decimal(n, 0) + "%"
}

// Words are what a quote says besides what is in it. A test holds them to be complete.
type Words struct {
	Quote, Draft, Number, Date, ValidUntil, To, From, TaxID               string
	Item, Quantity, UnitPrice, Discount, Tax, Amount                      string
	Subtotal, Total, Terms, AmountsIn, Page, Of                           string
	Hello, Accept, AcceptAbout, YourName, NameHint, Decline, DeclineAbout string
	Reason, Optional, DownloadPDF, Accepted, AcceptedBy, Declined         string
	Gone, GoneAbout, TooMany, TooManyAbout, NameNeeded, ReasonLong        string
	Changed, ChangedAbout, Skip                                           string
}

var english = Words{
	Quote: "Quote", Draft: "Draft", Number: "Number", Date: "Date", ValidUntil: "Valid until", To: "To", From: "From", TaxID: "Tax ID",
	Item: "Item", Quantity: "Quantity", UnitPrice: "Unit price", Discount: "Discount", Tax: "Tax", Amount: "Amount",
	Subtotal: "Subtotal", Total: "Total", Terms: "Terms", AmountsIn: "All amounts in", Page: "Page", Of: "of",
	Hello: "A quote from", Accept: "Accept this quote",
	AcceptAbout: "With your name you order what is offered here, at these prices and terms.", YourName: "Your name",
	NameHint: "First and last name of who accepts.",
	Decline:  "Decline it", DeclineAbout: "If this is not for you, say so; they will not wait for an answer then.", Reason: "Reason",
	Optional:    "optional",
	DownloadPDF: "Open as PDF", Accepted: "This quote is accepted", AcceptedBy: "Accepted by", Declined: "This quote is declined",
	Gone: "This link does not work any more", GoneAbout: "The quote may have expired or been withdrawn. Ask the one who sent it for a " +
		"new link.",
	TooMany: "Too many requests", TooManyAbout: "Please try again in a few minutes.",
	NameNeeded: "must be given, with at most 255 characters", ReasonLong: "must have at most 1,000 characters",
	Changed: "This quote has changed", ChangedAbout: "It was answered or changed in the meantime. Nothing was done; look at it again.",
	Skip: "Skip to content",
}

var german = Words{
	Quote: "Angebot", Draft: "Entwurf", Number: "Nummer", Date: "Datum", ValidUntil: "Gültig bis", To: "An", From: "Von",
	TaxID: "USt-IdNr./Steuernummer",
	Item:  "Position", Quantity: "Menge", UnitPrice: "Einzelpreis", Discount: "Rabatt", Tax: "Steuer", Amount: "Betrag",
	Subtotal: "Zwischensumme", Total: "Gesamt", Terms: "Bedingungen", AmountsIn: "Alle Beträge in", Page: "Seite", Of: "von",
	Hello: "Ein Angebot von", Accept: "Angebot annehmen",
	AcceptAbout: "Mit Ihrem Namen bestellen Sie, was hier angeboten ist, zu diesen Preisen und Bedingungen.", YourName: "Ihr Name",
	NameHint: "Vor- und Nachname der Person, die annimmt.",
	Decline:  "Ablehnen", DeclineAbout: "Wenn das Angebot nichts für Sie ist, sagen Sie es hier; dann wird nicht länger auf Antwort " +
		"gewartet.", Reason: "Grund", Optional: "freiwillig",
	DownloadPDF: "Als PDF öffnen", Accepted: "Dieses Angebot ist angenommen", AcceptedBy: "Angenommen von",
	Declined: "Dieses Angebot ist abgelehnt",
	Gone:     "Dieser Link gilt nicht mehr", GoneAbout: "Das Angebot ist abgelaufen oder wurde zurückgezogen. Bitten Sie den Absender um " +
		"einen neuen Link.",
	TooMany: "Zu viele Anfragen", TooManyAbout: "Bitte versuchen Sie es in einigen Minuten noch einmal.",
	NameNeeded: "muss angegeben werden, mit höchstens 255 Zeichen", ReasonLong: "darf höchstens 1.000 Zeichen haben",
	Changed: "Dieses Angebot hat sich geändert", ChangedAbout: "Es wurde inzwischen beantwortet oder geändert. Nichts ist geschehen; " +
		"sehen Sie es sich noch einmal an.", Skip: "Zum Inhalt",
}

// PageOf says which page it is.
func (w *Words) PageOf(page, all int) string {
	return w.Page + " " + strconv.Itoa(page) + " " + w.Of + " " + strconv.Itoa(all)
}
