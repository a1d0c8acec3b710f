package schema

import (
	"net/url"
	"regexp"
	"strings"
	"time"
	_ "time/tzdata" // timezones are checked the same way on a machine without its own database
	"unicode"
	"unicode/utf8"
)

// Format narrows a text to a known form.
type Format uint8

// The forms of text.
const (
	Plain Format = iota
	Email
	Phone
	URL
	Domain
	Currency
	Timezone
	Locale
	// Code is an identifier that people type, such as the number of an article.
	Code
	// FieldName is the name of a field, as searches use it.
	FieldName
	// RecordID is the id of a record of one of several resources.
	RecordID
)

// Comparison is what counts when two texts are compared, sorted and kept unique.
type Comparison uint8

// The comparisons.
const (
	// ByLetters disregards case and accents: José is jose.
	ByLetters Comparison = iota
	// ByCase disregards case alone, because an accent makes another address: straße@example.com is not strasse@example.com.
	ByCase
	// ByDigits knows nothing but digits: +46 (70) 1 is 46701.
	ByDigits
)

// Comparison tells how texts of the form are compared.
func (f Format) Comparison() Comparison {
	switch f {
	case Email, URL, Domain, Code:
		return ByCase
	case Phone:
		return ByDigits
	default:
		return ByLetters
	}
}

var (
	emailForm  = regexp.MustCompile(`^[^\s@<>()\[\],;:\\"]+@[^\s@<>()\[\],;:\\"]+$`)
	domainForm = regexp.MustCompile(`^[\p{L}\p{N}]([\p{L}\p{N}\p{M}-]*[\p{L}\p{N}\p{M}])?` +
		`(\.[\p{L}\p{N}]([\p{L}\p{N}\p{M}-]*[\p{L}\p{N}\p{M}])?)*$`)
	fieldForm  = regexp.MustCompile(`^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*$`)
	localeForm = regexp.MustCompile(`^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*$`)
)

// Normalize checks a text against the form and gives it as it is stored; wrong is a sentence for the caller.
func (f Format) Normalize(text string) (normal, wrong string) {
	switch f {
	case Email:
		if !isEmail(text) {
			return "", "must be an e-mail address such as anna@example.com"
		}
	case Phone:
		if !strings.ContainsAny(text, "0123456789") {
			return "", "must be a phone number with at least one digit"
		}
	case URL:
		u, err := url.Parse(text)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
			return "", "must be an address that starts with http:// or https://"
		}
	case Domain:
		text = strings.ToLower(text)
		if len(text) > 253 || !domainForm.MatchString(text) {
			return "", "must be a domain name such as example.com"
		}
	case Currency:
		text = strings.ToUpper(text)
		if _, ok := MinorUnits(text); !ok {
			return "", "must be an ISO 4217 currency code such as EUR"
		}
	case Timezone:
		if _, err := time.LoadLocation(text); err != nil || text == "Local" {
			return "", "must be an IANA time zone such as Europe/Berlin"
		}
	case FieldName:
		if !fieldForm.MatchString(text) {
			return "", "must be the name of a field such as name or company.name"
		}
	case Locale:
		if !localeForm.MatchString(text) {
			return "", "must be a language tag such as en or de-AT"
		}
	}
	return text, ""
}

// isEmail tells whether a text is an address that mail can reach from anywhere: a name before one @, and behind it a domain of several
// labels that does not end in a number. Names and domains may be of any script; names in quotes, which nobody has, are not taken.
func isEmail(text string) bool {
	name, domain, _ := strings.Cut(text, "@")
	if len(text) > 254 || len(name) > 64 || !emailForm.MatchString(text) || !domainForm.MatchString(domain) {
		return false
	}
	if strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".") || strings.Contains(name, "..") || strings.ContainsFunc(name, unseen) {
		return false
	}
	labels := strings.Split(domain, ".")
	for _, label := range labels {
		if utf8.RuneCountInString(label) > 63 {
			return false
		}
	}
	last := labels[len(labels)-1]
	return len(labels) > 1 && strings.Trim(last, "0123456789") != ""
}

// unseen tells whether a character leaves no mark on paper.
func unseen(r rune) bool { return unicode.IsSpace(r) || unicode.In(r, unicode.C, unicode.Z) }

// currencies lists ISO 4217; the digit is the number of minor units where it is not 2.
const currencies = " AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD3 BIF0 BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF " +
	"CLF4 CLP0 CNY COP CRC CUP CVE CZK" +
	" DJF0 DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF0 GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD3 IRR ISK0 JMD JOD3 JPY0 " +
	"KES KGS KHR KMF0 KPW KRW0 KWD3 KYD KZT" +
	" LAK LBP LKR LRD LSL LYD3 MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR3 PAB PEN PGK PHP PKR " +
	"PLN PYG0 QAR RON RSD RUB RWF0" +
	" SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND3 TOP TRY TTD TWD TZS UAH UGX0 USD UYU UYW4 UZS VED VES " +
	"VND0 VUV0 WST XAF0 XCD XCG XOF0 XPF0 YER ZAR ZMW ZWG "

// Currencies are the codes of all currencies.
func Currencies() []string {
	all := strings.Fields(currencies)
	for i, code := range all {
		all[i] = code[:3]
	}
	return all
}

// MinorUnits tells how many places a currency's smallest unit has.
func MinorUnits(code string) (int, bool) {
	if len(code) != 3 {
		return 0, false
	}
	at := strings.Index(currencies, " "+code)
	if at < 0 {
		return 0, false
	}
	if d := currencies[at+4]; d != ' ' {
		return int(d - '0'), true
	}
	return 2, true
}
