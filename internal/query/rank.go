package query

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"kith/internal/body"
	"kith/internal/schema"
)

// Rank is how well a record fits the words that are looked for: the lower the better.
type Rank uint8

// The ranks.
const (
	// AsWhole is a value that is the text itself.
	AsWhole Rank = iota
	// AsBeginning is words that begin with those that are looked for. A word begins after anything that is no letter or digit.
	AsBeginning
	// AsPart is anywhere else.
	AsPart
)

// RankOf tells how well a record with these values of its searchable leaves fits the folded words of a text. Several words fit as well as the one
// that fits least, unless a value is all of them.
func RankOf(words []string, leaves []*schema.Leaf, values []schema.Value) Rank {
	whole := strings.Join(words, " ")
	best := make([]Rank, len(words))
	for i := range best {
		best[i] = AsPart
	}
	for i, l := range leaves {
		for _, text := range searched(l, values[i]) {
			if text == whole {
				return AsWhole
			}
			for j, word := range words {
				switch {
				case text == word:
					best[j] = AsWhole
				case best[j] == AsPart && beginsWord(text, word):
					best[j] = AsBeginning
				}
			}
		}
	}
	weakest := AsWhole
	for _, r := range best {
		weakest = max(weakest, r)
	}
	return weakest
}

// searched are the texts of a value in the form in which words are looked for in them: a phone number also by its bare digits.
func searched(l *schema.Leaf, v schema.Value) (texts []string) {
	if !v.Set || !l.Searchable {
		return nil
	}
	add := func(text string) { texts = append(texts, strings.Join(Words(Fold(text)), " ")) }
	if l.Kind == schema.Tags {
		for _, tag := range body.Strings(v) {
			add(tag)
		}
		return texts
	}
	add(v.S)
	if l.Format == schema.Phone {
		texts = append(texts, Digits(v.S))
	}
	return texts
}

// beginsWord tells whether a word of a text begins with another.
func beginsWord(text, word string) bool {
	for from := 0; ; {
		at := strings.Index(text[from:], word)
		if at < 0 {
			return false
		}
		at += from
		if before, _ := utf8.DecodeLastRuneInString(text[:at]); at == 0 || !unicode.IsLetter(before) && !unicode.IsDigit(before) {
			return true
		}
		from = at + 1
	}
}
