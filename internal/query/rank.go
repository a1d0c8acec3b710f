package query

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/schema"
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

// Ranked is what is looked for, in the form in which records are ranked by it.
type Ranked struct {
	// whole is the text itself, and words its different words.
	whole string
	words []string
	// beginning has the numbers of the words by their first character.
	beginning map[rune][]int
}

// NewRanked prepares a text that is looked for. Where its words are none there is nothing to look for.
func NewRanked(text string) Ranked {
	words := Words(Fold(text))
	r := Ranked{whole: strings.Join(words, " "), beginning: map[rune][]int{}}
	r.words = distinct(words)
	for i, w := range r.words {
		first, _ := utf8.DecodeRuneInString(w)
		r.beginning[first] = append(r.beginning[first], i)
	}
	return r
}

// None tells that there is no word to look for.
func (r Ranked) None() bool { return len(r.words) == 0 }

// Of tells how well a record with these values of its searchable leaves fits. Several words fit as well as the one that fits least,
// unless a value is all of them.
func (r Ranked) Of(leaves []*schema.Leaf, values []schema.Value) Rank {
	best := make([]Rank, len(r.words))
	for i := range best {
		best[i] = AsPart
	}
	for i, l := range leaves {
		for _, text := range searched(l, values[i]) {
			if text == r.whole {
				return AsWhole
			}
			r.look(text, best)
		}
	}
	return slices.Max(best)
}

// look notes which words a text begins its own with, or is.
func (r Ranked) look(text string, best []Rank) {
	begins := true
	for i, first := range text {
		if begins {
			for _, n := range r.beginning[first] {
				switch word := r.words[n]; {
				case i == 0 && text == word:
					best[n] = AsWhole
				case best[n] == AsPart && strings.HasPrefix(text[i:], word):
					best[n] = AsBeginning
				}
			}
		}
		begins = !unicode.IsLetter(first) && !unicode.IsDigit(first)
	}
}

// ranked is how many bytes of a value are looked at. To fold a long text takes long, and what is far behind tells little of how well
// it fits.
const ranked = 1000

// searched are the texts of a value in the form in which words are looked for in them: a phone number also by its bare digits.
func searched(l *schema.Leaf, v schema.Value) (texts []string) {
	if !v.Set || !l.Find.Searchable {
		return nil
	}
	add := func(text string) { texts = append(texts, strings.Join(Words(Fold(Beginning(text, ranked))), " ")) }
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
