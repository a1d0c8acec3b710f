package bench

import (
	"math/rand/v2"
	"strings"
	"unicode/utf8"
)

// shuffled gives the numbers below a size in an order that looks random and is the same each time.
func shuffled(size int, seed uint64) []int { return rand.New(rand.NewPCG(seed, 11)).Perm(size) }

// seeded gives the random numbers of a question.
func seeded(name string, n int) *rand.Rand {
	seed := uint64(14695981039346656037) // FNV
	for _, c := range []byte(name) {
		seed = (seed ^ uint64(c)) * 1099511628211
	}
	return rand.New(rand.NewPCG(seed, uint64(n)))
}

// pieces gives all parts of a word with at least so many characters, if they are of ASCII: those that look alike in every language of
// searching.
func pieces(word string, least int) (all []string) {
	for from := range len(word) {
		for to := from + least; to <= len(word); to++ {
			if !strings.ContainsFunc(word[from:to], func(r rune) bool { return r >= utf8.RuneSelf }) {
				all = append(all, word[from:to])
			}
		}
	}
	return all
}
