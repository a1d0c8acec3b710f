package problem_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/problem"
)

func TestOnlySoManyWrongFieldsAreListed(t *testing.T) {
	var wrong problem.Fields
	for i := range problem.MaxFields + 7 {
		wrong.Add("f"+strconv.Itoa(i), "unknown_field", "is not a field")
	}
	p := problem.As(wrong.Err())
	if len(p.Fields) != problem.MaxFields || p.Omitted != 7 || !strings.HasPrefix(p.Detail, "107 ") {
		t.Errorf("%d are listed, %d omitted: %s", len(p.Fields), p.Omitted, p.Detail)
	}
	if !wrong.Has("f99") || wrong.Has("f100") || wrong.Has("") {
		t.Error("the listed ones are not those that were reported first")
	}
	wrong = nil
	wrong.Add("f", "unknown_field", "is not a field")
	if p := problem.As(wrong.Err()); len(p.Fields) != 1 || p.Omitted != 0 {
		t.Errorf("one wrong field is %+v", p)
	}
}

func TestHasFindsWhatIsInsideAField(t *testing.T) {
	var wrong problem.Fields
	wrong.Add("address.city", "too_long", "is too long")
	wrong.Add("lines[3].name", "required", "must be given")
	for field, want := range map[string]bool{
		"address": true, "address.city": true, "lines": true, "lines[3]": true, "add": false,
		"address.c": false, "lines[3].names": false,
	} {
		if wrong.Has(field) != want {
			t.Errorf("%s is reported: %v", field, !want)
		}
	}
}

func TestWhatWasSentIsRepeatedOnlyInPart(t *testing.T) {
	var wrong problem.Fields
	long := strings.Repeat("ü", 1<<20)
	wrong.Add(long, "unknown_field", strconv.Quote(long)+" is not a field")
	f := problem.As(wrong.Err()).Fields[0]
	if f.Field != strings.Repeat("ü", problem.MaxRepeated)+"…" || len(f.Message) > 2000 {
		t.Errorf("%d bytes are repeated, and %d in the message", len(f.Field), len(f.Message))
	}
	exact := strings.Repeat("ü", problem.MaxRepeated)
	wrong.Add(exact, "unknown_field", "is not a field")
	if got := problem.As(wrong.Err()).Fields[1].Field; got != exact {
		t.Errorf("a name of the longest length is cut to %q", got)
	}
}
