package tabular

import (
	"bufio"
	"errors"
	"io"
	"mime/quotedprintable"
	"strings"
	"unicode/utf8"

	"github.com/emersion/go-vcard"
	"golang.org/x/text/encoding/charmap"
)

// Cards (vCard 3 and 4, RFC 2426 and 6350, and 2.1, which telephones still write) are read as a table, whose columns are the fields
// of a contact. What a card has several of, the preferred or first one counts. Lines are put together here, because a library would
// take the square of their length for a picture that is folded into thousands.

// Bounds of a card: a property that is longer, which pictures are, is left out.
const (
	maxProperty = 64 << 10
	maxCard     = 256 << 10
	// headOfProperty is within how many bytes its parameters say how its value is written.
	headOfProperty = 200
)

// cardHead are the columns of a file of cards.
var cardHead = []string{
	"name", "first_name", "last_name", "email", "phone", "mobile_phone", "company.name", "job_title",
	"address.street", "address.city", "address.region", "address.postal_code", "address.country", "linkedin_url", "external_id", "tags",
}

// cards reads a file of cards.
type cards struct {
	from *bufio.Reader
	// ahead is a line that was read and not used, and ended tells that there are no more.
	ahead string
	ended bool
}

// line reads a line within bounds; of one that is too long it gives the beginning.
func (c *cards) line() (string, error) {
	var text []byte
	for {
		part, more, err := c.from.ReadLine()
		if err != nil {
			return "", err
		}
		if len(text) <= maxProperty {
			text = append(text, part...)
		}
		if !more {
			return string(text), nil
		}
	}
}

// property reads the next property, which may be folded into several lines. One that is too long is empty.
func (c *cards) property() (string, error) {
	if c.ended {
		return "", io.EOF
	}
	var text []byte
	long, coded, soft := false, false, false
	add := func(line string) {
		known := len(text) >= headOfProperty
		if long = long || len(text)+len(line) > maxProperty; !long {
			text = append(text, line...)
		}
		if !known { // by then it is said how the value is written
			coded = strings.Contains(strings.ToUpper(string(text[:min(len(text), headOfProperty)])), "QUOTED-PRINTABLE")
		}
		if soft = coded && strings.HasSuffix(line, "="); soft && !long {
			text = text[:len(text)-1] // the value goes on in the next line
		}
	}
	begun := c.ahead != ""
	if begun {
		add(c.ahead)
	}
	for {
		line, err := c.line()
		switch {
		case errors.Is(err, io.EOF):
			c.ended, c.ahead = true, ""
		case err != nil:
			return "", err
		case !begun:
			add(line)
			begun = true
			continue
		case strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t"):
			add(line[1:])
			continue
		case soft:
			add(line)
			continue
		default:
			c.ahead = line
		}
		if long {
			return "", nil
		}
		return string(text), nil
	}
}

var errCard = errors.New("it is no vCard")

// next reads the next card. A fault is one of the card alone.
func (c *cards) next() (cells []string, fault, err error) {
	var card strings.Builder
	inside := false
	for {
		property, err := c.property()
		if err != nil {
			if errors.Is(err, io.EOF) && inside {
				return nil, errors.New("the card does not end"), nil
			}
			return nil, nil, err
		}
		word := strings.ToUpper(strings.TrimSpace(property))
		if !inside {
			if inside = word == "BEGIN:VCARD"; !inside && word != "" {
				return nil, errCard, nil
			}
		}
		if card.Len()+len(property) > maxCard {
			fault = errors.New("the card is too long")
		} else {
			card.WriteString(modern(property) + "\r\n")
		}
		if inside && word == "END:VCARD" {
			break
		}
	}
	if fault != nil {
		return nil, fault, nil
	}
	read, err := vcard.NewDecoder(strings.NewReader(card.String())).Decode()
	if err != nil {
		return nil, errCard, nil
	}
	if strings.EqualFold(read.Value(vcard.FieldKind), string(vcard.KindGroup)) {
		return nil, errors.New("it is a group of cards, and not somebody"), nil
	}
	return cardCells(read), nil, nil
}

// cardCells are the cells of a card.
func cardCells(card vcard.Card) []string {
	cells := map[string]string{
		"name": card.PreferredValue(vcard.FieldFormattedName), "email": card.PreferredValue(vcard.FieldEmail),
		"job_title": card.PreferredValue(vcard.FieldTitle), "external_id": card.Value(vcard.FieldUID),
	}
	if n := card.Name(); n != nil {
		cells["first_name"], cells["last_name"] = n.GivenName, n.FamilyName
	}
	cells["company.name"], _, _ = strings.Cut(card.PreferredValue(vcard.FieldOrganization), ";")
	if a := card.Address(); a != nil {
		cells["address.street"] = strings.Join([]string{a.StreetAddress, a.ExtendedAddress, a.PostOfficeBox}, "\n")
		cells["address.city"], cells["address.region"] = a.Locality, a.Region
		cells["address.postal_code"], cells["address.country"] = a.PostalCode, a.Country
	}
	for _, tel := range card[vcard.FieldTelephone] {
		column := "phone"
		if tel.Params.HasType(vcard.TypeCell) {
			column = "mobile_phone"
		} else if tel.Params.HasType(vcard.TypeFax) {
			continue
		}
		if cells[column] == "" {
			number, more, _ := strings.Cut(strings.TrimPrefix(tel.Value, "tel:"), ";")
			if extension, ok := strings.CutPrefix(more, "ext="); ok {
				number += " x" + extension
			}
			cells[column] = number
		}
	}
	for _, url := range card.Values(vcard.FieldURL) {
		if cells["linkedin_url"] == "" && strings.Contains(strings.ToLower(url), "linkedin.com/") {
			cells["linkedin_url"] = url
		}
	}
	row := make([]string, len(cardHead))
	for i, name := range cardHead {
		row[i] = inOneLine(restorer.Replace(cells[name]))
	}
	var tags []string
	for _, tag := range card.Categories() {
		if tag = inOneLine(restorer.Replace(tag)); tag != "" {
			tags = append(tags, tag)
		}
	}
	row[len(row)-1] = joinWords(tags)
	return row
}

// inOneLine puts lines together, with commas between them.
func inOneLine(texts ...string) string {
	var lines []string
	for line := range strings.Lines(strings.Join(texts, "\n")) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, ", ")
}

// modern writes a property of vCard 2.1 as later versions do: no bare parameters, no quoted-printable. Escapes are protected.
func modern(property string) string {
	head, value, found := cutUnquoted(property, ':')
	if !found {
		return property
	}
	name, parameters, more := cutUnquoted(head, ';')
	var kept []string
	coded, charset := false, "UTF-8"
	for more {
		var one string
		one, parameters, more = cutUnquoted(parameters, ';')
		key, what, said := strings.Cut(one, "=")
		if !said {
			what = one
		}
		switch upper := strings.ToUpper(what); {
		case upper == "QUOTED-PRINTABLE":
			coded = true
		case strings.EqualFold(key, "CHARSET"):
			charset = upper
		case !said && (upper == "BASE64" || upper == "B" || upper == "8BIT" || upper == "7BIT"):
			kept = append(kept, "ENCODING="+one)
		case !said:
			kept = append(kept, "TYPE="+one)
		default:
			kept = append(kept, one)
		}
	}
	if coded {
		parts := strings.Split(strings.ReplaceAll(value, `\;`, "\x02"), ";")
		for i, part := range parts {
			parts[i] = hider.Replace(unquoted(strings.ReplaceAll(part, "\x02", ";"), charset))
		}
		value = strings.Join(parts, ";")
	} else {
		value = protector.Replace(value)
	}
	return strings.Join(append([]string{name}, kept...), ";") + ":" + value
}

// A value is cut at semicolons and commas only where these are not escaped, and the library that reads cards takes escapes away before
// it cuts, and that of semicolons never. So what is escaped goes by it as control characters, which are none of its values otherwise:
// protector takes them for escapes, hider for what was quoted-printable, and restorer says what they stood for.
var (
	protector = strings.NewReplacer("\x01", "", "\x02", "", "\x03", "", "\x04", "",
		`\\`, "\x01", `\;`, "\x02", `\,`, "\x03", `\n`, "\x04", `\N`, "\x04")
	hider    = strings.NewReplacer("\x01", "", "\x02", "", "\x03", "", "\x04", "", `\`, "\x01", ";", "\x02", "\r\n", "\x04", "\n", "\x04")
	restorer = strings.NewReplacer("\x01", `\`, "\x02", ";", "\x03", ",", "\x04", "\n")
)

// cutUnquoted cuts a text at the first of a mark that stands in no quotes.
func cutUnquoted(text string, mark byte) (before, after string, found bool) {
	quoted := false
	for i := range len(text) {
		switch {
		case text[i] == '"':
			quoted = !quoted
		case text[i] == mark && !quoted:
			return text[:i], text[i+1:], true
		}
	}
	return text, "", false
}

// unquoted reads what is written as quoted-printable. What is broken stays as it is.
func unquoted(text, charset string) string {
	plain, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(text)))
	if err != nil {
		return text
	}
	if strings.HasPrefix(charset, "ISO-8859-1") || charset == "WINDOWS-1252" || !utf8.Valid(plain) {
		if western, err := charmap.Windows1252.NewDecoder().Bytes(plain); err == nil {
			plain = western
		}
	}
	return string(plain)
}
