package httpapi_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	. "github.com/kith-crm/kith/internal/apitest"
)

// Texts that grow when they are folded, and words that come many times, cost a search about as much as any other text of their length
// does, whether they are looked for or looked through.
func TestTextsThatGrowCostLittleMore(t *testing.T) {
	letters := func(n int) string {
		var s strings.Builder
		for i := range n {
			s.WriteString(" " + string(rune('\u0430'+i%32)) + string(rune('\u0430'+i/32)))
		}
		return s.String()[1:]
	}
	texts := []string{
		"plain",
		strings.Repeat("\ufdfa", 499), strings.Repeat("\ufdfa", 60), strings.Repeat("\ufdfa ", 60), "\ufdfa",
		strings.Repeat("\u1112\u1161\u11ab", 100), strings.Repeat("각", 200),
		strings.TrimSpace(strings.Repeat("a ", 250)), letters(160), strings.Repeat("\u1fb7", 400), strings.Repeat("\u0301\U0001d165", 240),
	}
	OnEach(t, func(t *testing.T, w *World) {
		// What is looked through: the notes of one business grow, those of the other have as many bytes from the beginning.
		grows, stays := strings.Repeat("\ufdfa", 600), strings.Repeat("word of plain text ", 600*33/19)
		for as, body := range map[string]string{"admin": grows, "stranger": stays} {
			for range 3 {
				var ops []string
				for range 20 {
					ops = append(ops, `{"op":"create","data":{"body":"`+body+`"}}`)
				}
				many := `{"operations":[` + strings.Join(ops, ",") + `]}`
				w.Check(t, Step{As: as, Do: "POST /notes/batch", Body: many, Status: 200, Chance: true})
			}
		}
		quickest := func(as, text string) time.Duration {
			begin := time.Now()
			w.Send(t, Step{As: as, Do: "POST /search", Body: fmt.Sprintf(`{"search_text":%q}`, text)})
			return time.Since(begin)
		}
		took := map[string]time.Duration{}
		least := func(name string, d time.Duration) {
			if had, there := took[name]; !there || d < had {
				took[name] = d
			}
		}
		for range 7 { // in turns, so that what else the machine does hits all alike
			least("plain", quickest("stranger", strings.Repeat("word of plain text ", 500/19)))
			for i, text := range texts {
				least(fmt.Sprintf("text %d", i), quickest("admin", text))
			}
		}
		for name, d := range took {
			t.Logf("%s: %.1f of a plain search", name, float64(d)/float64(took["plain"]))
			if d > 15*took["plain"] {
				t.Errorf("%s takes %v, a plain text of its length %v", name, d, took["plain"])
			}
		}
	})
}
