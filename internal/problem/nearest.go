package problem

import (
	"slices"
	"strconv"
	"strings"
)

// Nearest gives the known word that somebody who wrote another may have meant, or nothing: the same but for case and separators
// (companyId for company_id), the other of singular and plural, a reference without its _id, the only one that ends in it (city for
// address.city), or one that is a slip or two of the keyboard away.
func Nearest(given string, known []string) string {
	if given == "" || len(given) > longestWord {
		return ""
	}
	plain := bare(given)
	for _, alike := range []func(word string) bool{
		func(word string) bool { return bare(word) == plain },
		func(word string) bool { return bare(word) == plain+"id" },
		func(word string) bool { return singular(bare(word)) == singular(plain) },
	} {
		if at := slices.IndexFunc(known, alike); at >= 0 {
			return known[at]
		}
	}
	within := func(word string) bool {
		dot := strings.LastIndexByte(word, '.')
		return dot >= 0 && bare(word[dot+1:]) == plain
	}
	if at := slices.IndexFunc(known, within); at >= 0 && !slices.ContainsFunc(known[at+1:], within) {
		return known[at]
	}
	nearest, most := "", min(len(plain)/3, 2) // short words are all alike
	for _, word := range known {
		if d := slips(plain, bare(word), most); d <= most {
			nearest, most = word, d-1
		}
	}
	return nearest
}

// DidYouMean is Nearest as the end of a message.
func DidYouMean(given string, known []string) string {
	if nearest := Nearest(given, known); nearest != "" {
		return "; did you mean " + nearest + "?"
	}
	return ""
}

// Quote repeats to the sender what they sent, cut to a length at which it can stand in a sentence.
func Quote(given string) string { return strconv.Quote(clip(given, longestWord)) }

// longestWord is how long a word may be that others are compared with; every name of ours is shorter.
const longestWord = 64

// bare leaves out what people write differently: case and separators.
func bare(word string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == ' ' || r == '.' {
			return -1
		}
		return r
	}, strings.ToLower(word))
}

func singular(word string) string {
	if stem, ok := strings.CutSuffix(word, "ies"); ok {
		return stem + "y"
	}
	return strings.TrimSuffix(word, "s")
}

// slips counts the letters that were left out, put in, changed or swapped with the next one between two words. Beyond most it only
// says that there are more.
func slips(a, b string, most int) int {
	if most < 0 || len(a)-len(b) > most || len(b)-len(a) > most {
		return most + 1
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			changed := last[j-1]
			if a[i-1] != b[j-1] {
				changed++
			}
			row[j] = min(changed, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
