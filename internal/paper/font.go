package paper

import (
	_ "embed" // the fonts
	"encoding/binary"
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"
)

// The fonts are those parts of Noto Sans that Latin, Greek and Cyrillic writing, currencies and punctuation need; see fonts/README.md.
//
//go:embed fonts/NotoSans-Regular.ttf
var regular []byte

//go:embed fonts/NotoSans-Bold.ttf
var bold []byte

// missing stands for a character that the fonts do not have.
const missing = '\ufffd'

// covered tells which characters the fonts have, by the table of the regular one; the bold one has the same.
var covered = sync.OnceValue(func() map[rune]bool {
	has := map[rune]bool{}
	u16 := binary.BigEndian.Uint16
	for i := range int(u16(regular[4:])) {
		entry := regular[12+16*i:]
		if string(entry[:4]) != "cmap" {
			continue
		}
		cmap := regular[binary.BigEndian.Uint32(entry[8:]):]
		for j := range int(u16(cmap[2:])) {
			table := cmap[binary.BigEndian.Uint32(cmap[4+8*j+4:]):]
			if u16(table) != 4 { // the form that has the basic plane in segments
				continue
			}
			segments := int(u16(table[6:]))
			for s := 0; s < segments; s += 2 {
				end, start := rune(u16(table[14+s:])), rune(u16(table[16+segments+s:]))
				for c := start; c <= end && c != 0xffff; c++ {
					has[c] = true
				}
			}
		}
	}
	return has
})

// printable is a text as the fonts can show it: tabs become spaces, what is invisible goes, and what the fonts do not have becomes �.
func printable(text string) string {
	has := covered()
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case r == '\t' || r == '\u2028' || r == '\u2029':
			return ' '
		case r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r >= 0x200b && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2060 &&
			r <= 0x206f || r == 0xfeff || r == 0xad:
			return -1
		case has[r]:
			return r
		}
		return missing
	}, norm.NFC.String(strings.ReplaceAll(text, "\r\n", "\n")))
}
