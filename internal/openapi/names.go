package openapi

import (
	"regexp"
	"slices"
	"strings"
)

// name is what a search calls a field: maybe what is measured of it, the reference that leads to its record, with a dot, and its own.
type name struct{ before, via, rest string }

func (n name) String() string { return n.before + n.via + n.rest }

// mostListed is how many names are listed one by one. A business may have hundreds of references to records with hundreds of
// fields; all of their names would be a document of many megabytes, so beyond that they are told by patterns.
const mostListed = 2000

// oneOf is the schema of one of some names.
func oneOf(names []name) Schema {
	words := []string{}
	if len(names) <= mostListed {
		for _, n := range names {
			words = append(words, n.String())
		}
		if len(words) == 1 {
			return object("const", words[0])
		}
		return Enum(words...)
	}
	// References that lead to the same names share a pattern.
	type far struct{ before, via string }
	beyond := map[far][]string{}
	var order []far
	for _, n := range names {
		if n.via == "" {
			words = append(words, n.String())
			continue
		}
		f := far{n.before, n.via}
		if beyond[f] == nil {
			order = append(order, f)
		}
		beyond[f] = append(beyond[f], regexp.QuoteMeta(n.rest))
	}
	alike := map[[2]string][]string{}
	var patterns [][2]string
	for _, f := range order {
		p := [2]string{f.before, strings.Join(beyond[f], "|")}
		if alike[p] == nil {
			patterns = append(patterns, p)
		}
		alike[p] = append(alike[p], regexp.QuoteMeta(f.via))
	}
	all := []Schema{Enum(words...)}
	for _, p := range patterns {
		all = append(all, object("type", "string", "pattern", "^"+regexp.QuoteMeta(p[0])+"("+strings.Join(alike[p], "|")+")("+p[1]+")$"))
	}
	if len(words) == 0 {
		all = slices.Delete(all, 0, 1)
	}
	return Any(all...)
}
