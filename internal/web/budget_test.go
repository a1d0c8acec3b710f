package web

import (
	"regexp"
	"testing"
)

// What stands between a click and the first screen is bounded: its scripts and styles as they are sent, and the font that English needs.
const (
	budget     = 200 << 10
	fontBudget = 60 << 10
)

func TestTheFirstRouteKeepsItsBudget(t *testing.T) {
	files := appFiles()
	sent := func(f packed) int {
		if f.gzipped != nil {
			return len(f.gzipped)
		}
		return len(f.plain)
	}
	page := files["index.html"]
	first := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?:src|href)="/app/(assets/[^"]*)"`).FindAllSubmatch(page.plain, -1) {
		first[string(m[1])] = true
	}
	// Today is where everybody begins.
	today := regexp.MustCompile(`^assets/today-[^/]*\.js$`)
	total, font := sent(page), 0
	for name, f := range files {
		switch isFont := regexp.MustCompile(`\.woff2$`).MatchString(name); {
		case first[name] && isFont:
			font += sent(f)
		case first[name] || today.MatchString(name):
			total += sent(f)
		}
	}
	if len(first) < 3 || total > budget {
		t.Errorf("the first route takes %d bytes, and may take %d: load what it does not need when it is needed", total, budget)
	}
	if font == 0 || font > fontBudget {
		t.Errorf("the font takes %d bytes, and may take %d", font, fontBudget)
	}
}
