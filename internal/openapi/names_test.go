package openapi

import (
	"fmt"
	"regexp"
	"slices"
	"testing"
)

// However many names there are, the schema lets each of them in, and no other. Where they are too many it is much smaller than they are.
func TestNamesAreToldByPatterns(t *testing.T) {
	for _, references := range []int{2, 100} {
		names := []name{{rest: "count"}, {rest: "custom_fields.a"}, {before: "sum:", rest: "amount"}}
		for i := range references {
			via := fmt.Sprintf("custom_fields.friend_%d.", i)
			for j := range 50 {
				names = append(names, name{via: via, rest: fmt.Sprintf("custom_fields.number_%d", j)},
					name{"sum:", via, fmt.Sprintf("number_%d", j)})
			}
			names = append(names, name{via: via, rest: "created_at:day"})
		}
		names = append(names, name{via: "company.", rest: "name"})
		s := oneOf(names)
		parts, some := s.get("anyOf").([]Schema)
		if !some {
			parts = []Schema{s}
		}
		var listed []string
		var patterns []*regexp.Regexp
		for _, part := range parts {
			if words, ok := part.get("enum").([]string); ok {
				listed = append(listed, words...)
			} else {
				patterns = append(patterns, regexp.MustCompile(part.get("pattern").(string)))
			}
		}
		fits := func(text string) bool {
			return slices.Contains(listed, text) ||
				slices.ContainsFunc(patterns, func(p *regexp.Regexp) bool { return p.MatchString(text) })
		}
		for _, n := range names {
			if !fits(n.String()) {
				t.Errorf("%d references: %s is not let in", references, n)
			}
		}
		for _, wrong := range []string{
			"", "name", "company.names", "custom_fields.friend_0.number_1",
			"sum:custom_fields.friend_0.custom_fields.number_1", "sum:count", "custom_fields_friend_0.created_at:day",
			"custom_fields.friend_1.created_at:days", "xcustom_fields.friend_1.created_at:day",
		} {
			if fits(wrong) {
				t.Errorf("%d references: %s is let in", references, wrong)
			}
		}
		text, err := s.MarshalJSON()
		if err != nil || references == 100 && len(text) > 20_000 {
			t.Errorf("%d references make %d bytes, %v", references, len(text), err)
		}
	}
}
