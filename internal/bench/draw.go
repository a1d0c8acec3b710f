package bench

import (
	"math/bits"
	"math/rand/v2"
	"strings"
	"unicode/utf8"
)

// shuffled is an order of the numbers below a size that looks random, is the same each time, and needs no memory.
type shuffled struct {
	size uint64
	half int // bits of each half of the numbers that are mixed
	keys [4]uint64
}

func newShuffled(size int, seed uint64) shuffled {
	s := shuffled{size: uint64(size), half: (bits.Len64(uint64(max(size, 2)-1)) + 1) / 2}
	random := rand.NewPCG(seed, 11)
	for i := range s.keys {
		s.keys[i] = random.Uint64()
	}
	return s
}

// at gives the n-th number. Past the size it begins again.
func (s shuffled) at(n int) int {
	mask := uint64(1)<<s.half - 1
	value := uint64(n) % s.size
	for {
		// A Feistel network maps the numbers of 2×half bits one to one; those beyond the size are mapped on.
		left, right := value>>s.half, value&mask
		for _, key := range s.keys {
			mixed := (right + key) * 0x9e3779b97f4a7c15
			left, right = right, left^mixed>>(64-s.half)
		}
		if value = left<<s.half | right; value < s.size {
			return int(value)
		}
	}
}

// pieces gives all parts of a word with at least so many characters, if they are of ASCII: those that look alike in every language of
// searching.
func pieces(word string, least int) (all []string) {
	for from := range len(word) {
		for to := from + least; to <= len(word); to++ {
			if isASCII(word[from:to]) {
				all = append(all, word[from:to])
			}
		}
	}
	return all
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf })
}

// unique gives each text once, in the order of their first occurrence.
func unique(texts []string) (once []string) {
	seen := map[string]bool{}
	for _, text := range texts {
		if !seen[text] {
			seen[text] = true
			once = append(once, text)
		}
	}
	return once
}
