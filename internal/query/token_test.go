package query

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/schema"
)

// somewhere asks at a time by the clock of a zone.
type somewhere struct {
	everyone
	now  string
	zone string
	err  error
}

func (s somewhere) Here() (Here, error) {
	if s.err != nil {
		return Here{}, s.err
	}
	now, err := time.Parse(time.RFC3339, s.now)
	if err != nil {
		return Here{}, err
	}
	zone, err := time.LoadLocation(s.zone)
	return Here{Now: now, Zone: zone, User: asker.User}, err
}

func (s somewhere) check(text string) (*Query, error) {
	n, err := body.Parse([]byte(text))
	if err != nil {
		return nil, err
	}
	return Check(*n, boat, false, s, cursors, asker)
}

// What each token means on a date and on a time.
func TestValueTokens(t *testing.T) {
	for _, c := range []struct{ now, zone, token, date, time string }{
		// A Thursday in May, half past two in the night in Berlin, and the day before in UTC and New York.
		{"2026-05-14T00:30:00Z", "UTC", "@today", "2026-05-14", "2026-05-14T00:00:00Z"},
		{"2026-05-13T22:30:00Z", "Europe/Berlin", "@today", "2026-05-14", "2026-05-13T22:00:00Z"},
		{"2026-05-13T22:30:00Z", "UTC", "@today", "2026-05-13", "2026-05-13T00:00:00Z"},
		{"2026-05-14T03:30:00Z", "America/New_York", "@today", "2026-05-13", "2026-05-13T04:00:00Z"},
		{"2026-05-14T00:30:00Z", "UTC", "@now", "2026-05-14", "2026-05-14T00:30:00Z"},
		{"2026-05-13T22:30:00Z", "Europe/Berlin", "@now", "2026-05-14", "2026-05-13T22:30:00Z"},
		{"2026-05-14T00:30:00Z", "UTC", "@week_start", "2026-05-11", "2026-05-11T00:00:00Z"},
		{"2026-05-10T23:30:00Z", "UTC", "@week_start", "2026-05-04", "2026-05-04T00:00:00Z"}, // a Sunday
		{"2026-05-11T00:00:00Z", "UTC", "@week_start", "2026-05-11", "2026-05-11T00:00:00Z"}, // a Monday
		{"2026-05-14T00:30:00Z", "UTC", "@month_start", "2026-05-01", "2026-05-01T00:00:00Z"},
		{"2026-05-14T00:30:00Z", "UTC", "@quarter_start", "2026-04-01", "2026-04-01T00:00:00Z"},
		{"2026-12-31T00:30:00Z", "UTC", "@quarter_start", "2026-10-01", "2026-10-01T00:00:00Z"},
		{"2026-03-31T22:30:00Z", "Europe/Berlin", "@quarter_start", "2026-04-01", "2026-03-31T22:00:00Z"},
		{"2026-05-14T00:30:00Z", "UTC", "@year_start", "2026-01-01", "2026-01-01T00:00:00Z"},
		{"2026-05-14T00:30:00Z", "Europe/Berlin", "@year_start", "2026-01-01", "2025-12-31T23:00:00Z"}, // winter time

		{"2026-05-14T00:30:00Z", "UTC", "@today-7d", "2026-05-07", "2026-05-07T00:00:00Z"},
		{"2026-05-14T00:30:00Z", "UTC", "@today+2w", "2026-05-28", "2026-05-28T00:00:00Z"},
		{"2026-05-14T00:30:00Z", "UTC", "@today+1m", "2026-06-14", "2026-06-14T00:00:00Z"},
		{"2026-05-14T00:30:00Z", "UTC", "@today-1y", "2025-05-14", "2025-05-14T00:00:00Z"},
		{"2026-05-14T00:30:00Z", "UTC", "@today+0d", "2026-05-14", "2026-05-14T00:00:00Z"},
		{"2026-05-14T00:30:00Z", "UTC", "@week_start+1w", "2026-05-18", "2026-05-18T00:00:00Z"},
		{"2026-05-14T00:30:00Z", "UTC", "@month_start-1m", "2026-04-01", "2026-04-01T00:00:00Z"},
		{"2026-05-14T00:30:00Z", "UTC", "@month_start-1d", "2026-04-30", "2026-04-30T00:00:00Z"},
		{"2026-05-14T00:30:00Z", "UTC", "@quarter_start+3m", "2026-07-01", "2026-07-01T00:00:00Z"},
		{"2026-05-14T00:30:00Z", "UTC", "@year_start-14m", "2024-11-01", "2024-11-01T00:00:00Z"},
		{"2026-05-14T00:30:00Z", "UTC", "@now-36h", "2026-05-12", "2026-05-12T12:30:00Z"},
		{"2026-05-14T00:30:00Z", "UTC", "@now+1d", "2026-05-15", "2026-05-15T00:30:00Z"},
		{"2026-05-14T00:30:00Z", "UTC", "@now-1m", "2026-04-14", "2026-04-14T00:30:00Z"},

		// A month that is too short ends with its last day.
		{"2026-01-31T12:00:00Z", "UTC", "@today+1m", "2026-02-28", "2026-02-28T00:00:00Z"},
		{"2026-03-31T12:00:00Z", "UTC", "@today-1m", "2026-02-28", "2026-02-28T00:00:00Z"},
		{"2024-02-29T12:00:00Z", "UTC", "@today+1y", "2025-02-28", "2025-02-28T00:00:00Z"},
		{"2026-01-31T12:00:00Z", "UTC", "@now+1m", "2026-02-28", "2026-02-28T12:00:00Z"},

		// Days of 23 and 25 hours are days, hours are hours.
		{"2026-03-29T12:00:00Z", "Europe/Berlin", "@today", "2026-03-29", "2026-03-28T23:00:00Z"},
		{"2026-03-29T12:00:00Z", "Europe/Berlin", "@today+1d", "2026-03-30", "2026-03-29T22:00:00Z"},
		{"2026-03-28T12:00:00Z", "Europe/Berlin", "@now+1d", "2026-03-29", "2026-03-29T11:00:00Z"},
		{"2026-03-28T12:00:00Z", "Europe/Berlin", "@now+24h", "2026-03-29", "2026-03-29T12:00:00Z"},
		{"2026-10-25T12:00:00Z", "Europe/Berlin", "@today+1d", "2026-10-26", "2026-10-25T23:00:00Z"},
		// Clocks that go over midnight: forward, back over it, and over a whole day that was left out.
		{"2018-11-04T12:00:00Z", "America/Sao_Paulo", "@today", "2018-11-04", "2018-11-04T03:00:00Z"},
		{"2026-11-01T12:00:00Z", "America/Havana", "@today", "2026-11-01", "2026-11-01T04:00:00Z"},
		{"2011-12-29T20:00:00Z", "Pacific/Apia", "@today+1d", "2011-12-30", "2011-12-30T10:00:00Z"},
		{"2011-12-29T20:00:00Z", "Pacific/Apia", "@today+2d", "2011-12-31", "2011-12-30T10:00:00Z"},
	} {
		who := somewhere{now: c.now, zone: c.zone}
		q, err := who.check(fmt.Sprintf(`{"filters":[{"field":"built","operator":"eq","value":%q},{"field":"seen_at","operator":"gte",`+
			`"value":%q}]}`, c.token, c.token))
		if err != nil {
			t.Errorf("%s: %v", c.token, err)
			continue
		}
		date, at := q.Filters[0].Values[0], q.Filters[1].Values[0]
		if got := time.Unix(date.N*86400, 0).UTC().Format(time.DateOnly); got != c.date || date.Kind != schema.Date {
			t.Errorf("at %s in %s, %s is %s on dates, want %s", c.now, c.zone, c.token, got, c.date)
		}
		if got := at.Time().Format(time.RFC3339); got != c.time || at.Kind != schema.Time {
			t.Errorf("at %s in %s, %s is %s on times, want %s", c.now, c.zone, c.token, got, c.time)
		}
	}
}

// Tokens stand wherever an operand does.
func TestValueTokensWithEveryOperator(t *testing.T) {
	who := somewhere{now: "2026-05-14T00:30:00Z", zone: "UTC"}
	for _, field := range []string{"built", "seen_at", "mother.built"} {
		for _, o := range []Operator{Eq, Neq, Gt, Gte, Lt, Lte} {
			if _, err := who.check(fmt.Sprintf(`{"filters":[{"field":%q,"operator":%q,"value":"@today-1d"}]}`, field, o)); err != nil {
				t.Errorf("%s on %s: %v", o, field, err)
			}
		}
		for _, o := range []Operator{In, Nin, Between} {
			q, err := who.check(fmt.Sprintf(`{"filters":[{"field":%q,"operator":%q,"values":["2026-05-01","@today"]}]}`, field, o))
			if err != nil || len(q.Filters[0].Values) != 2 {
				t.Errorf("%s on %s: %v", o, field, err)
			}
		}
	}
	q, err := who.check(`{"filters":[{"field":"owner_id","operator":"eq","value":"@me"},{"field":"created_by","operator":"in",` +
		`"values":["@me"]},{"field":"owner.id","operator":"neq","value":"@me"}]}`)
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range q.Filters {
		if f.Values[0] != schema.IDValue(asker.User) {
			t.Errorf("filter %d: @me is %v", i, f.Values[0])
		}
	}
	if _, err := who.check(`{"filters":[{"field":"seen_at",` +
		`"operator":"between","values":["@today","@today-1d"]}]}`); !strings.Contains(fmt.Sprint(err), "values") {
		t.Errorf("a low value above the high one is %v", err)
	}
}

func TestWrongValueTokens(t *testing.T) {
	who := somewhere{now: "2026-05-14T00:30:00Z", zone: "UTC"}
	for _, c := range []struct{ field, token, code string }{
		{"built", "@", "invalid_value_token"},
		{"built", "@tomorrow", "invalid_value_token"},
		{"built", "@TODAY", "invalid_value_token"},
		{"built", "@today ", "invalid_value_token"},
		{"built", "@today-", "invalid_value_token"},
		{"built", "@today-7", "invalid_value_token"},
		{"built", "@today7d", "invalid_value_token"},
		{"built", "@today-7D", "invalid_value_token"},
		{"built", "@today - 7d", "invalid_value_token"},
		{"built", "@today-7d-1d", "invalid_value_token"},
		{"built", "@today-1.5d", "invalid_value_token"},
		{"built", "@today-7q", "invalid_value_token"},
		{"built", "@today-36h", "invalid_value_token"},
		{"seen_at", "@month_start+1h", "invalid_value_token"},
		{"seen_at", "@me", "invalid_value_token"},
		{"built", "@today-9999999d", "invalid_value_token"},
		{"built", "@today+9000y", "out_of_range"},
		{"built", "@today-2025y", "out_of_range"},
		{"seen_at", "@now-999999m", "out_of_range"},
		{"owner_id", "@today", "invalid_value_token"},
		{"owner_id", "@Me", "invalid_value_token"},
		{"mother_id", "@me", "invalid_id"},
		{"masts", "@today", "wrong_type"},
		{"state", "@me", "not_allowed"},
	} {
		_, err := who.check(fmt.Sprintf(`{"filters":[{"field":%q,"operator":"eq","value":%q}]}`, c.field, c.token))
		p := problem.As(err)
		if p == nil || len(p.Fields) != 1 || p.Fields[0].Field != "filters[0].value" || p.Fields[0].Code != c.code {
			t.Errorf("%s on %s is %+v, want %s", c.token, c.field, err, c.code)
			continue
		}
		if c.code == "invalid_value_token" && len(p.Fields[0].Allowed) == 0 {
			t.Errorf("%s on %s: nothing is said to be allowed", c.token, c.field)
		}
	}
	q, err := who.check(`{"filters":[{"field":"name","operator":"eq","value":"@today"}]}`)
	if err != nil || q.Filters[0].Values[0].S != "@today" {
		t.Errorf("on a text it is a text: %v", err)
	}
	if _, err := (somewhere{err: errForbidden}).check(`{"filters":[{"field":"built","operator":"eq","value":"@today"}]}`); !errors.Is(err,
		errForbidden) {
		t.Errorf("where it cannot be told what time it is: %v", err)
	}
	if _, err := (somewhere{err: errForbidden}).check(`{"filters":[{"field":"built","operator":"eq","value":"2026-05-14"}]}`); err != nil {
		t.Errorf("without a token nobody asks what time it is: %v", err)
	}
}

// All pages of a search go by the moment of the first: midnight moves nothing.
func TestCursorsKeepTheMomentOfTheFirstPage(t *testing.T) {
	const search = `{"filters":[{"field":"seen_at","operator":"lt","value":"@today"},{"field":"built","operator":"lte",` +
		`"value":"@now-1d"},{"field":"owner_id","operator":"eq","value":"@me"}]`
	before, after := somewhere{now: "2026-05-14T21:59:59Z", zone: "Europe/Berlin"},
		somewhere{now: "2026-05-14T22:00:01Z", zone: "Europe/Berlin"}
	first, err := before.check(search + "}")
	if err != nil {
		t.Fatal(err)
	}
	last := first
	position := Position{Value: schema.TimeValue(time.Unix(7, 0)), ID: schema.UUID{7}, Total: 12}
	for page := range 3 { // each cursor comes from the page before
		q, err := after.check(search + `,"cursor":"` + cursors.Seal(last, asker, position) + `"}`)
		if err != nil {
			t.Fatalf("page %d: %v", page, err)
		}
		if *q.After != position {
			t.Errorf("page %d begins behind %+v", page, q.After)
		}
		for i, f := range q.Filters {
			if f.Values[0] != first.Filters[i].Values[0] {
				t.Errorf("page %d: filter %d is %v, was %v", page, i, f.Values[0], first.Filters[i].Values[0])
			}
		}
		last = q
	}
	fresh, err := after.check(search + "}")
	if err != nil || fresh.Filters[0].Values[0] == first.Filters[0].Values[0] {
		t.Errorf("a new search goes by the old moment: %v", err)
	}
	cursor := cursors.Seal(first, asker, position)
	for name, who := range map[string]somewhere{"in another zone": {now: after.now, zone: "UTC"}} {
		if _, err := who.check(search + `,"cursor":"` + cursor + `"}`); err == nil {
			t.Errorf("the cursor opens %s", name)
		}
	}
	for i := range cursor {
		altered := []byte(cursor)
		altered[i] ^= 1
		if _, err := after.check(search + `,"cursor":"` + string(altered) + `"}`); err == nil {
			t.Fatalf("the cursor opens with character %d altered", i)
		}
	}
	// One of a search without tokens does not open one with them, nor the reverse.
	plain, err := after.check(`{}`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := after.check(search + `,"cursor":"` + cursors.Seal(plain, asker, position) + `"}`); err == nil {
		t.Error("the cursor of a search without tokens opens one with them")
	}
	if _, err := after.check(`{"cursor":"` + cursor + `"}`); err == nil {
		t.Error("the cursor of a search with tokens opens one without them")
	}
}

// Every day, looked at minute by minute where clocks may be put: those around the changes of many decades, and the ends of years
// that no zone's file lists any more.
func TestStartOfDayInEveryZone(t *testing.T) {
	zones := []string{
		"UTC", "Europe/Berlin", "Europe/Lisbon", "America/New_York", "America/Sao_Paulo", "America/Havana", "Africa/Casablanca",
		"Asia/Kathmandu",
		"Asia/Beirut", "Australia/Lord_Howe", "Antarctica/Troll", "Pacific/Apia", "Pacific/Kiritimati", "Pacific/Kwajalein",
		"America/Juneau", "Asia/Manila",
	}
	for _, name := range zones {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		offset := func(at time.Time) int { _, seconds := at.In(zone).Zone(); return seconds }
		shows := func(at time.Time) time.Time { return at.UTC().Add(time.Duration(offset(at)) * time.Second) }
		check := func(day time.Time) {
			got := startOfDay(day, zone)
			if shows(got).Before(day) {
				t.Errorf("%s: %s starts at %s, when clocks show %s", name, day.Format(time.DateOnly), got, shows(got))
			}
			for at := got.Add(-time.Second); at.After(day.Add(-16 * time.Hour)); at = at.Add(-15 * time.Minute) {
				if !shows(at).Before(day) {
					t.Errorf("%s: %s starts at %s, but clocks showed %s earlier, at %s", name, day.Format(time.DateOnly), got, shows(at),
						at)
					break
				}
			}
		}
		for year := 1840; year < 2110; year++ {
			for day := dayOf(year, 1, 1); day.Year() == year; day = day.AddDate(0, 0, 1) {
				if offset(day.AddDate(0, 0, -1)) != offset(day.AddDate(0, 0, 1)) {
					check(day)
				}
			}
		}
		for _, year := range []int{1, 1600, 1840, 1900, 2026, 2038, 2040, 2044, 2100, 2400, 9996, 9999} {
			for days := range 370 {
				check(dayOf(year, 1, days))
			}
		}
	}
}
