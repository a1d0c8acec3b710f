package tabular

import (
	"bufio"
	"errors"
	"io"
	"strings"

	"github.com/emersion/go-vcard"
)

// Cards (vCard 3 and 4, RFC 2426 and 6350) are read as a table, whose columns are the fields of a contact. What a card has several of, the preferred or first one
// counts. Lines are put together here, because a library would take the square of their length for a picture that is folded into thousands.

// Bounds of a card: a property that is longer, which pictures are, is left out.
const (
	maxProperty = 64 << 10
	maxCard     = 256 << 10
)

// cardHead are the columns of a file of cards.
var cardHead = []string{
	"name", "first_name", "last_name", "email", "phone", "mobile_phone", "company.name", "job_title",
	"address.street", "address.city", "address.region", "address.postal_code", "address.country", "external_id", "tags",
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
	var text strings.Builder
	text.WriteString(c.ahead)
	for first := c.ahead == ""; ; first = false {
		line, err := c.line()
		switch {
		case errors.Is(err, io.EOF):
			c.ended, c.ahead = true, ""
			return text.String(), nil
		case err != nil:
			return "", err
		case !first && !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "\t"):
			c.ahead = line
			if text.Len() > maxProperty {
				return "", nil
			}
			return text.String(), nil
		}
		if !first {
			line = line[1:]
		}
		if text.Len() <= maxProperty {
			text.WriteString(line)
		}
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
			card.WriteString(property + "\r\n")
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
	return cardCells(read), nil, nil
}

// cardCells are the cells of a card.
func cardCells(card vcard.Card) []string {
	cells := map[string]string{
		"name": card.PreferredValue(vcard.FieldFormattedName), "email": card.PreferredValue(vcard.FieldEmail), "job_title": card.PreferredValue(vcard.FieldTitle),
		"external_id": card.Value(vcard.FieldUID), "tags": strings.Join(card.Categories(), ", "),
	}
	if n := card.Name(); n != nil {
		cells["first_name"], cells["last_name"] = strings.TrimSpace(n.GivenName), strings.TrimSpace(n.FamilyName)
	}
	company, _, _ := strings.Cut(card.PreferredValue(vcard.FieldOrganization), ";")
	cells["company.name"] = company
	if a := card.Address(); a != nil {
		cells["address.street"], cells["address.city"], cells["address.region"] = a.StreetAddress, a.Locality, a.Region
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
			cells[column] = strings.TrimPrefix(tel.Value, "tel:")
		}
	}
	row := make([]string, len(cardHead))
	for i, name := range cardHead {
		row[i] = strings.TrimSpace(cells[name])
	}
	return row
}
