package bench

import (
	"strings"
	"testing"
)

// What is asked of custom fields finds something, and what it is compared with finds the same.
func TestFieldsAreAsked(t *testing.T) {
	onBoth(t, func(t *testing.T, url string) {
		_, _, addr := serveSet(t, url, Options{}, 10)
		set, err := Options{}.loadFields(t.Context(), url, 300)
		if err != nil {
			t.Fatal(err)
		}
		ops, err := asking{addr, set}.fieldsAbout(t.Context())
		if err != nil || len(ops) != len(fieldOperations) {
			t.Fatalf("%d operations, %v", len(ops), err)
		}
		for i, op := range ops {
			if op.name != fieldOperations[i] || !op.ours || op.beside == nil {
				t.Errorf("%+v is no operation on custom fields", op)
			}
			var answers [2]string
			for n, asked := range []*operation{op, op.beside} {
				text, err := once(addr, asked.question(0).request)
				if err != nil {
					t.Fatalf("%s: %v", asked.name, err)
				}
				answers[n] = string(text)
			}
			if op.writes {
				continue
			}
			for _, answer := range answers {
				if !strings.Contains(answer, `"owner_code":"owner `) {
					t.Errorf("%s finds nothing: %.200s", op.name, answer)
				}
			}
		}
	})
}
