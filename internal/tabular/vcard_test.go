package tabular

import (
	"strings"
	"testing"
)

// Cards as address books write them.
func TestCardsAreRead(t *testing.T) {
	read := func(text string) string {
		got := rowsOf(t, text, Dialect{})
		_, rows, _ := strings.Cut(got, `"linkedin_url" "external_id" "tags"]`)
		return strings.TrimSpace(rows)
	}
	for what, c := range map[string][2]string{
		"version 3": {
			"BEGIN:VCARD\r\nVERSION:3.0\r\nN:Adler;Anna;;Dr.;\r\nFN:Dr. Anna Adler\r\nEMAIL;TYPE=INTERNET:anna@example.com\r\nTEL;" +
				"TYPE=CELL:+49 " +
				"170 1\r\nTEL;TYPE=FAX:+49 40 9\r\nTEL;TYPE=WORK:+49 40 1\r\nORG:Hafen\\, Co;Sales\r\nTITLE:Head\r\nADR;TYPE=WORK:;;Kai " +
				"1;" +
				"Hamburg;" +
				"HH;20457;DE\r\nCATEGORIES:vip,coffee\r\nUID:42\r\nEND:VCARD\r\n",
			`["Dr. Anna Adler" "Anna" "Adler" "anna@example.com" "+49 40 1" "+49 170 1" "Hafen, Co" "Head" "Kai 1" "Hamburg" "HH" ` +
				`"20457" "DE" "" "42" "vip, coffee"]`,
		},
		"version 4, folded, with a group and what is preferred": {
			"BEGIN:VCARD\nVERSION:4.0\nFN:Ben\n  Bose\nitem1.EMAIL:old@example.com\nEMAIL;PREF=1:ben@exa\n mple.com\nTEL;VALUE=uri;" +
				"TYPE=voice:tel:+49-40-2\nEND:VCARD\n",
			`["Ben Bose" "" "" "ben@example.com" "+49-40-2" "" "" "" "" "" "" "" "" "" "" ""]`,
		},
		"version 2.1 of a telephone": {
			"BEGIN:VCARD\r\nVERSION:2.1\r\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=4D=C3=BC=6C=6C=65=72;=4A=C3=BC=72=67=65=6E;;;" +
				"\r\nFN;" +
				"CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=4A=C3=BC=72=67=65=6E=20=\r\n=4D=C3=BC=6C=6C=65=72\r\nTEL;CELL;PREF:+49 171 " +
				"1\r\nTEL;" +
				"WORK;FAX:9\r\nTEL;WORK:+49 30 2\r\nEMAIL;HOME:j@example.com\r\n" +
				"ORG;ENCODING=QUOTED-PRINTABLE;CHARSET=ISO-8859-1:B=FCro=3B Nord=2C AG;X\r\nADR;HOME;CHARSET=UTF-8;" +
				"ENCODING=QUOTED-PRINTABLE:;;=53=74=72=61=C3=9F=65=20=31=0D=0AHof;=\r\n=42=65=72=6C=69=6E;;=31=30=31=31=35;DE\r\nPHOTO;" +
				"ENCODING=BASE64;JPEG:QUJD\r\n QUJD\r\n\r\nEND:VCARD\r\n",
			`["Jürgen Müller" "Jürgen" "Müller" "j@example.com" "+49 30 2" "+49 171 1" "Büro; Nord, AG" "" "Straße 1, Hof" "Berlin" "" ` +
				`"10115" "DE" "" "" ""]`,
		},
		"an address of several lines, a link and an extension": {
			"BEGIN:VCARD\nVERSION:3.0\nN:Hopper;Grace\nitem1.ADR;type=HOME:;Floor 2;Kai 1\\nHof;Kiel;;24103;" +
				"Germany\nURL:https://example.com\nitem2.URL:https://www.linkedin.com/in/grace\nTEL;VALUE=uri;TYPE=work:tel:+1-202-2;" +
				"ext=5\nEND:VCARD\n",
			`["" "Grace" "Hopper" "" "+1-202-2 x5" "" "" "" "Kai 1, Hof, Floor 2" "Kiel" "" "24103" "Germany" ` +
				`"https://www.linkedin.com/in/grace" "" ""]`,
		},
		"what is escaped splits nothing": {
			"BEGIN:VCARD\nVERSION:3.0\nN:Ad\\;ler;An\\,na\\\\;;;\nFN:Anna\\; Adler\\nX\nORG:A\\;B;Sales\n" +
				"ADR:;;Kai 1\\;2;Ham\\;burg;;20457;DE\nCATEGORIES:a\\,b,c\\;d,e\nEND:VCARD\n" +
				"BEGIN:VCARD\nVERSION:2.1\nN;ENCODING=QUOTED-PRINTABLE:M\\;=C3=BC;J=5Cn;;;\nEND:VCARD\n",
			`["Anna; Adler, X" "An,na\\" "Ad;ler" "" "" "" "A;B" "" "Kai 1;2" "Ham;burg" "" "20457" "DE" "" "" ` +
				`"[\"a,b\",\"c;d\",\"e\"]"] ["" "J\\n" "M;ü" "" "" "" "" "" "" "" "" "" "" "" "" ""]`,
		},
		"a group is nobody": {
			"BEGIN:VCARD\nVERSION:4.0\nFN:Friends\nKIND:group\nEND:VCARD\n",
			`!it is a group of cards, and not somebody`,
		},
		"a picture is left out": {"BEGIN:VCARD\nVERSION:3.0\nFN:Cleo\nPHOTO;ENCODING=b:" + strings.Repeat("QUJD\n ",
			100_000) + "\nEND:VCARD\n", `["Cleo" "" "" "" "" "" "" "" "" "" "" "" "" "" "" ""]`},
		"what is between cards": {
			"BEGIN:VCARD\nVERSION:4.0\nFN:A\nEND:VCARD\n\nnonsense\nBEGIN:VCARD\nVERSION:4.0\nFN:B\nEND:VCARD",
			`["A" "" "" "" "" "" "" "" "" "" "" "" "" "" "" ""] !it is no vCard ["B" "" "" "" "" "" "" "" "" "" "" "" "" "" "" ""]`,
		},
		"a card without an end": {"BEGIN:VCARD\nFN:A", `!the card does not end`},
		"a card that is too long": {"BEGIN:VCARD\nVERSION:4.0\n" + strings.Repeat("X-A:"+strings.Repeat("x", 1000)+"\n",
			300) + "END:VCARD\n", `!the card is too long`},
	} {
		if got := read(c[0]); got != c[1] {
			t.Errorf("%s: %.400s, want %s", what, got, c[1])
		}
	}
}

// Whatever is in a file of cards, it is read in bounds, or refused.
func FuzzCards(f *testing.F) {
	for _, text := range []string{
		"BEGIN:VCARD\nVERSION:3.0\nN:a;b\nFN;X=\"y\":c\n d\nTEL;TYPE=cell,home:1\nEND:VCARD\n",
		"BEGIN:VCARD\n;:\n", "BEGIN:VCARD\nADR:;;;\nORG:;\nEND:VCARD\nx",
	} {
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
