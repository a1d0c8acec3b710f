package tabular

import (
	"strings"
	"testing"
)

// Cards as address books write them.
func TestCardsAreRead(t *testing.T) {
	read := func(text string) string {
		got := rowsOf(t, text, Dialect{})
		_, rows, _ := strings.Cut(got, `"external_id" "tags"]`)
		return strings.TrimSpace(rows)
	}
	for what, c := range map[string][2]string{
		"version 3": {
			"BEGIN:VCARD\r\nVERSION:3.0\r\nN:Adler;Anna;;Dr.;\r\nFN:Dr. Anna Adler\r\nEMAIL;TYPE=INTERNET:anna@example.com\r\nTEL;TYPE=CELL:+49 170 1\r\nTEL;TYPE=FAX:+49 40 9\r\nTEL;TYPE=WORK:+49 40 1\r\nORG:Hafen\\, Co;Sales\r\nTITLE:Head\r\nADR;TYPE=WORK:;;Kai 1;Hamburg;HH;20457;DE\r\nCATEGORIES:vip,coffee\r\nUID:42\r\nEND:VCARD\r\n",
			`["Dr. Anna Adler" "Anna" "Adler" "anna@example.com" "+49 40 1" "+49 170 1" "Hafen, Co" "Head" "Kai 1" "Hamburg" "HH" "20457" "DE" "42" "vip, coffee"]`,
		},
		"version 4, folded, with a group and what is preferred": {
			"BEGIN:VCARD\nVERSION:4.0\nFN:Ben\n  Bose\nitem1.EMAIL:old@example.com\nEMAIL;PREF=1:ben@exa\n mple.com\nTEL;VALUE=uri;TYPE=voice:tel:+49-40-2\nEND:VCARD\n",
			`["Ben Bose" "" "" "ben@example.com" "+49-40-2" "" "" "" "" "" "" "" "" "" ""]`,
		},
		"a picture is left out":   {"BEGIN:VCARD\nVERSION:3.0\nFN:Cleo\nPHOTO;ENCODING=b:" + strings.Repeat("QUJD\n ", 100_000) + "\nEND:VCARD\n", `["Cleo" "" "" "" "" "" "" "" "" "" "" "" "" "" ""]`},
		"what is between cards":   {"BEGIN:VCARD\nVERSION:4.0\nFN:A\nEND:VCARD\n\nnonsense\nBEGIN:VCARD\nVERSION:4.0\nFN:B\nEND:VCARD", `["A" "" "" "" "" "" "" "" "" "" "" "" "" "" ""] !it is no vCard ["B" "" "" "" "" "" "" "" "" "" "" "" "" "" ""]`},
		"a card without an end":   {"BEGIN:VCARD\nFN:A", `!the card does not end`},
		"a card that is too long": {"BEGIN:VCARD\nVERSION:4.0\n" + strings.Repeat("X-A:"+strings.Repeat("x", 1000)+"\n", 300) + "END:VCARD\n", `!the card is too long`},
	} {
		if got := read(c[0]); got != c[1] {
			t.Errorf("%s: %.400s, want %s", what, got, c[1])
		}
	}
}

// Whatever is in a file of cards, it is read in bounds, or refused.
func FuzzCards(f *testing.F) {
	for _, text := range []string{"BEGIN:VCARD\nVERSION:3.0\nN:a;b\nFN;X=\"y\":c\n d\nTEL;TYPE=cell,home:1\nEND:VCARD\n", "BEGIN:VCARD\n;:\n", "BEGIN:VCARD\nADR:;;;\nORG:;\nEND:VCARD\nx"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := Open(strings.NewReader(string(text)), Dialect{Format: Cards, Encoding: "utf-8"})
		if err != nil {
			return
		}
		for range 100 {
			if _, err := r.Next(); err != nil {
				return
			}
		}
	})
}
