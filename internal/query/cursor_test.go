package query

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/schema"
)

var boats = schema.Compile(
	&schema.Resource{Name: "boat", Plural: "boats", Fields: []schema.Field{
		{Name: "name", Kind: schema.Text},
		{Name: "log", Kind: schema.LongText},
		{Name: "state", Kind: schema.Choice, Options: []string{"afloat", "sunk"}},
		{Name: "insured", Kind: schema.Bool},
		{Name: "masts", Kind: schema.Integer, Min: schema.Bound(0)},
		{Name: "length", Kind: schema.Number},
		{Name: "price", Kind: schema.Money},
		{Name: "share", Kind: schema.Percent, Max: schema.Bound(100)},
		{Name: "built", Kind: schema.Date},
		{Name: "seen_at", Kind: schema.Time},
		{Name: "berth", Kind: schema.Group, Fields: []schema.Field{{Name: "pier", Kind: schema.Text}}},
		{Name: "flags", Kind: schema.Choices, Options: []string{"red", "blue"}},
		{Name: "crew", Kind: schema.List, Fields: []schema.Field{{Name: "name", Kind: schema.Text}}},
		{Name: "mother_id", Kind: schema.ID, Ref: schema.Ref{To: "boat"}},
	}},
	&schema.Resource{Name: "user", Plural: "users", Fields: []schema.Field{{Name: "name", Kind: schema.Text}}},
)

var (
	boat    = boats.Resource("boat")
	cursors = NewCursors([]byte("a key of thirty-two bytes, or so"))
	asker   = Asker{Business: schema.UUID{1}, User: schema.UUID{2}}
)

// everyone may read everything.
type everyone struct{}

func (everyone) Shaped(res *schema.Resource) *schema.Resource { return res }

func (everyone) CanRead(*schema.Resource) (bool, error) { return false, nil }

func (everyone) Here() (Here, error) {
	return Here{Now: time.Now(), Zone: time.UTC, User: asker.User}, nil
}

func checked(t testing.TB, text string) *Query {
	t.Helper()
	q, err := check(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return q
}

func check(text string) (*Query, error) {
	n, err := body.Parse([]byte(text))
	if err != nil {
		return nil, err
	}
	object, err := n.Object()
	if err != nil {
		return nil, err
	}
	return Check(object, boat, false, everyone{}, cursors, asker)
}

func TestCursorsCarryTheirPosition(t *testing.T) {
	for _, order := range []string{
		"name", "masts", "length", "price", "built", "seen_at", "insured", "state", "id", "mother.name",
		"berth.pier",
	} {
		q := checked(t, `{"order_by":"`+order+`"}`)
		kind := q.Order.Leaf.SortKind()
		for _, v := range []schema.Value{
			schema.Absent(kind),
			{Kind: kind, Set: true},
			{Kind: kind, Set: true, N: -1},
			{Kind: kind, Set: true, N: 1<<63 - 1},
			{Kind: kind, Set: true, S: "text \x00 of any sort \xff"},
			{Kind: kind, Set: true, N: -1 << 63, S: "both"},
		} {
			for _, total := range []int64{-1, 0, 1, 1000} {
				want := Position{Value: v, ID: schema.NewID(time.Now()), Total: total}
				got, err := cursors.open(q, asker, cursors.Seal(q, asker, want))
				if err != nil || *got != want {
					t.Fatalf("by %s: sealed %+v, opened %+v, %v", order, want, got, err)
				}
			}
		}
	}
}

func TestACursorWithAnyBitAlteredIsRefused(t *testing.T) {
	q := checked(t, `{"order_by":"name"}`)
	cursor := cursors.Seal(q, asker, Position{Value: schema.TextValue(schema.Text, "anna"), ID: schema.NewID(time.Now()), Total: 7})
	for i := range cursor {
		for bit := range 8 {
			altered := []byte(cursor)
			altered[i] ^= 1 << bit
			if p, err := cursors.open(q, asker, string(altered)); err == nil {
				t.Fatalf("bit %d of character %d: it opens as %+v", bit, i, p)
			}
		}
		if _, err := cursors.open(q, asker, cursor[:i]); err == nil {
			t.Fatalf("the first %d characters open", i)
		}
		if _, err := cursors.open(q, asker, cursor[:i]+"\n"+cursor[i:]); err == nil {
			t.Fatalf("a line break after %d characters is not seen", i)
		}
	}
	for _, more := range []string{"A", "=", "AA", "AAAA", " ", "\n"} {
		if _, err := cursors.open(q, asker, cursor+more); err == nil {
			t.Errorf("%q behind it is not seen", more)
		}
	}
}

func TestCursorsAreBoundToTheirSearch(t *testing.T) {
	searches := []string{
		`{}`, `{"sort_direction":"asc"}`, `{"order_by":"name"}`, `{"order_by":"log"}`, `{"order_by":"mother.name"}`,
		`{"search_text":"a"}`, `{"search_text":"a b"}`, `{"search_text":"ab"}`,
		`{"filters":[{"field":"name","operator":"eq","value":"a"}]}`, `{"filters":[{"field":"name","operator":"neq","value":"a"}]}`,
		`{"filters":[{"field":"name","operator":"eq","value":"b"}]}`, `{"filters":[{"field":"mother.name","operator":"eq","value":"a"}]}`,
		`{"filters":[{"field":"name","operator":"in","values":["a"]}]}`,
		`{"filters":[{"field":"name","operator":"in","values":["a","b"]}]}`,
		`{"filters":[{"field":"name","operator":"in","values":["ab"]}]}`, `{"filters":[{"field":"masts","operator":"eq","value":1}]}`,
		`{"filters":[{"field":"masts","operator":"eq","value":1},{"field":"masts","operator":"eq","value":1}]}`,
		`{"filters":[{"field":"name","operator":"is_set"}]}`, `{"filters":[{"field":"price","operator":"between","values":[1,2]}]}`,
	}
	for i, sealing := range searches {
		cursor := cursors.Seal(checked(t, sealing), asker, Position{ID: schema.UUID{1}, Total: -1})
		for j, opening := range searches {
			_, err := cursors.open(checked(t, opening), asker, cursor)
			if (err == nil) != (i == j) {
				t.Errorf("a cursor of %s with %s: %v", sealing, opening, err)
			}
		}
		q := checked(t, sealing)
		for who, other := range map[string]Asker{
			"in another business": {Business: schema.UUID{9}, User: asker.User},
			"for another user":    {Business: asker.Business, User: schema.UUID{9}},
			"with another reach":  {Business: asker.Business, User: asker.User, Own: true},
		} {
			if _, err := cursors.open(q, other, cursor); err == nil {
				t.Errorf("a cursor of %s opens %s", sealing, who)
			}
		}
		if _, err := NewCursors([]byte("another key")).open(q, asker, cursor); err == nil {
			t.Errorf("a cursor of %s opens with another key", sealing)
		}
		if len(q.Refs) > 0 {
			q.Refs[0].Own = true
			q.sign()
			if _, err := cursors.open(q, asker, cursor); err == nil {
				t.Errorf("a cursor of %s opens with another reach through its reference", sealing)
			}
		}
		q.Bin = true
		q.sign()
		if _, err := cursors.open(q, asker, cursor); err == nil {
			t.Errorf("a cursor of %s opens the bin", sealing)
		}
	}
	// What does not decide which records come in which order can change on the way.
	same := cursors.Seal(checked(t, `{"limit":5,"fields":["name"],"search_text":" Á  b b","filters":[{"field":"price","operator":"eq",`+
		`"value":"1.50"}]}`), asker, Position{ID: schema.UUID{1}, Total: -1})
	if _, err := cursors.open(checked(t, `{"limit":7,"search_text":"a B","filters":[{"operator":"eq","value":1.5,"field":"price"}]}`),
		asker, same); err != nil {
		t.Errorf("the same search in other words: %v", err)
	}
}

// Nothing opens but what was sealed for this very search.
func FuzzCursor(f *testing.F) {
	q, err := check(`{"order_by":"name"}`)
	if err != nil {
		f.Fatal(err)
	}
	sealed := cursors.Seal(q, asker, Position{Value: schema.TextValue(schema.Text, "anna"), ID: schema.UUID{7}, Total: 3})
	f.Add(sealed, "anna", int64(5), 3, byte(1))
	f.Add("", "", int64(0), 0, byte(0))
	f.Add("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "x", int64(-1), 70, byte(255))
	f.Fuzz(func(t *testing.T, guess, text string, number int64, at int, flip byte) {
		if p, err := cursors.open(q, asker, guess); err == nil && guess != sealed {
			t.Fatalf("%q opens as %+v", guess, p)
		}
		want := Position{
			Value: schema.Value{Kind: schema.Text, Set: true, N: number, S: text}, ID: schema.UUID{byte(at)},
			Total: number&1023 - 1,
		}
		cursor := cursors.Seal(q, asker, want)
		if got, err := cursors.open(q, asker, cursor); err != nil || *got != want {
			t.Fatalf("sealed %+v, opened %+v, %v", want, got, err)
		}
		if _, err := json.Marshal(cursor); err != nil || len(cursor) > 4*len(text)/3+200 {
			t.Fatalf("the cursor of %d bytes has %d", len(text), len(cursor))
		}
		if at < 0 || at >= len(cursor) || flip == 0 {
			return
		}
		altered := []byte(cursor)
		altered[at] ^= flip
		if p, err := cursors.open(q, asker, string(altered)); err == nil {
			t.Fatalf("%q, altered at %d, opens as %+v", cursor, at, p)
		}
	})
}
