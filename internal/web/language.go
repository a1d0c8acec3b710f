package web

import (
	"html/template"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"text/template/parse"

	"github.com/kith-crm/kith/internal/schema"
)

// languageCookie is where the app keeps the language that somebody chose there.
const languageCookie = "kith_language"

// languages are those of the pages, as a browser names them.
var languages = []string{"en", "de"}

// languageOf is that which the visitor chose in the app, or else the first that the browser asks for and the pages have.
func languageOf(r *http.Request) string {
	if c, err := r.Cookie(languageCookie); err == nil && slices.Contains(languages, c.Value) {
		return c.Value
	}
	for wanted := range strings.SplitSeq(r.Header.Get("Accept-Language"), ",") {
		tag, _, _ := strings.Cut(strings.TrimSpace(wanted), ";")
		language, _, _ := strings.Cut(strings.ToLower(tag), "-")
		if slices.Contains(languages, language) {
			return language
		}
	}
	return languages[0]
}

// say gives what is said in English in a language, as far as that has it.
func say(language, text string) string {
	if language != "de" {
		return text
	}
	if said, ok := german[text]; ok {
		return said
	}
	for _, form := range germanForms {
		if form.english.MatchString(text) {
			return form.english.ReplaceAllStringFunc(text, func(text string) string {
				return form.german(form.english.FindStringSubmatch(text)[1:])
			})
		}
	}
	return text
}

// translate puts the texts of a template into a language: what stands between tags, what is read out in their place, and what is given
// to other templates.
func translate(language string, t *template.Template) {
	if language == languages[0] {
		return
	}
	for _, one := range t.Templates() {
		if one.Tree != nil {
			eachText(one.Tree.Root, func(text string) string { return say(language, text) })
		}
	}
}

// hints are options of inputs that people read.
const hint = "hint="

// eachText changes each text of a template that people read.
func eachText(n parse.Node, change func(string) string) {
	switch n := n.(type) {
	case *parse.ListNode:
		if n != nil {
			for _, one := range n.Nodes {
				eachText(one, change)
			}
		}
	case *parse.TextNode:
		n.Text = []byte(changeMarkup(string(n.Text), change))
	case *parse.IfNode:
		eachBranch(&n.BranchNode, change)
	case *parse.RangeNode:
		eachBranch(&n.BranchNode, change)
	case *parse.WithNode:
		eachBranch(&n.BranchNode, change)
	case *parse.ActionNode:
		eachArgument(n.Pipe, change)
	case *parse.TemplateNode:
		eachArgument(n.Pipe, change)
	}
}

func eachBranch(n *parse.BranchNode, change func(string) string) {
	eachText(n.List, change)
	if n.ElseList != nil {
		eachText(n.ElseList, change)
	}
}

func eachArgument(p *parse.PipeNode, change func(string) string) {
	if p == nil {
		return
	}
	for _, command := range p.Cmds {
		for _, argument := range command.Args {
			switch a := argument.(type) {
			case *parse.PipeNode:
				eachArgument(a, change)
			case *parse.StringNode:
				if text, ok := strings.CutPrefix(a.Text, hint); ok {
					a.Text = hint + change(text)
				} else if a.Text != strings.ToLower(a.Text) { // or it is the name of a field
					a.Text = change(a.Text)
				}
			}
		}
	}
}

var (
	readAloud = regexp.MustCompile(`(aria-label|lang)="([^"]*)"`)
	markup    = regexp.MustCompile(`^[^<>]*>|<[^>]*>|<[^>]*$|^[^<>]*="[^<>]*$`)
)

// changeMarkup changes the texts of a piece of a page, which can begin and end inside of a tag.
func changeMarkup(text string, change func(string) string) string {
	var out strings.Builder
	plain := func(text string) {
		core := strings.TrimSpace(text)
		if core == "" {
			out.WriteString(text)
			return
		}
		before, after, _ := strings.Cut(text, core)
		out.WriteString(before + change(core) + after)
	}
	end := 0
	for _, at := range markup.FindAllStringIndex(text, -1) {
		plain(text[end:at[0]])
		out.WriteString(readAloud.ReplaceAllStringFunc(text[at[0]:at[1]], func(attribute string) string {
			parts := readAloud.FindStringSubmatch(attribute)
			return parts[1] + `="` + change(parts[2]) + `"`
		}))
		end = at[1]
	}
	plain(text[end:])
	return out.String()
}

// choice is a value that can be chosen by its name.
type choice struct{ Value, Name string }

// currencies are all that there are, those that have a name here first.
func currencies(language string) []choice {
	at := slices.Index(languages, language)
	var named, others []choice
	for _, code := range schema.Currencies() {
		if names, ok := currencyNames[code]; ok {
			named = append(named, choice{code, names[at] + " (" + code + ")"})
		} else {
			others = append(others, choice{code, code})
		}
	}
	slices.SortFunc(named, func(a, b choice) int { return strings.Compare(a.Name, b.Name) })
	return append(named, others...)
}

// currencyNames are in the order of languages.
var currencyNames = map[string][2]string{
	"AED": {"UAE dirham", "VAE-Dirham"}, "ARS": {"Argentine peso", "Argentinischer Peso"},
	"AUD": {"Australian dollar", "Australischer Dollar"}, "BGN": {"Bulgarian lev", "Bulgarischer Lew"},
	"BRL": {"Brazilian real", "Brasilianischer Real"}, "CAD": {"Canadian dollar", "Kanadischer Dollar"},
	"CHF": {"Swiss franc", "Schweizer Franken"}, "CLP": {"Chilean peso", "Chilenischer Peso"},
	"CNY": {"Chinese yuan", "Chinesischer Yuan"}, "COP": {"Colombian peso", "Kolumbianischer Peso"},
	"CZK": {"Czech koruna", "Tschechische Krone"}, "DKK": {"Danish krone", "Dänische Krone"},
	"EGP": {"Egyptian pound", "Ägyptisches Pfund"}, "EUR": {"Euro", "Euro"},
	"GBP": {"British pound", "Britisches Pfund"}, "HKD": {"Hong Kong dollar", "Hongkong-Dollar"},
	"HUF": {"Hungarian forint", "Ungarischer Forint"}, "IDR": {"Indonesian rupiah", "Indonesische Rupiah"},
	"ILS": {"Israeli shekel", "Israelischer Schekel"}, "INR": {"Indian rupee", "Indische Rupie"},
	"ISK": {"Icelandic króna", "Isländische Krone"}, "JPY": {"Japanese yen", "Japanischer Yen"},
	"KES": {"Kenyan shilling", "Kenia-Schilling"}, "KRW": {"South Korean won", "Südkoreanischer Won"},
	"MXN": {"Mexican peso", "Mexikanischer Peso"}, "MYR": {"Malaysian ringgit", "Malaysischer Ringgit"},
	"NGN": {"Nigerian naira", "Nigerianischer Naira"}, "NOK": {"Norwegian krone", "Norwegische Krone"},
	"NZD": {"New Zealand dollar", "Neuseeland-Dollar"}, "PHP": {"Philippine peso", "Philippinischer Peso"},
	"PLN": {"Polish złoty", "Polnischer Złoty"}, "RON": {"Romanian leu", "Rumänischer Leu"},
	"RSD": {"Serbian dinar", "Serbischer Dinar"}, "SAR": {"Saudi riyal", "Saudi-Rial"},
	"SEK": {"Swedish krona", "Schwedische Krone"}, "SGD": {"Singapore dollar", "Singapur-Dollar"},
	"THB": {"Thai baht", "Thailändischer Baht"}, "TRY": {"Turkish lira", "Türkische Lira"},
	"UAH": {"Ukrainian hryvnia", "Ukrainische Hrywnja"}, "USD": {"US dollar", "US-Dollar"},
	"VND": {"Vietnamese dong", "Vietnamesischer Dong"}, "ZAR": {"South African rand", "Südafrikanischer Rand"},
}
