package query

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/schema"
)

// Here is where and when a search is asked: what value tokens such as @today are read by.
type Here struct {
	Now  time.Time
	Zone *time.Location
	// User is whom @me means.
	User schema.UUID
}

// Me is the value token of the acting user.
const Me = "@me"

// moment is what a value token of dates and times begins with: its name, and the calendar day that it means. @now has none: it is a
// moment of a day.
type moment struct {
	name string
	day  func(today time.Time) time.Time
}

var moments = []moment{
	{"@now", nil},
	{"@today", func(today time.Time) time.Time { return today }},
	{"@week_start", func(today time.Time) time.Time { return today.AddDate(0, 0, -(int(today.Weekday())+6)%7) }},
	{"@month_start", func(today time.Time) time.Time { return dayOf(today.Year(), today.Month(), 1) }},
	{"@quarter_start", func(today time.Time) time.Time { return dayOf(today.Year(), today.Month()-(today.Month()-1)%3, 1) }},
	{"@year_start", func(today time.Time) time.Time { return dayOf(today.Year(), time.January, 1) }},
}

// Moments lists the value tokens of dates and times, without what can be added to them.
func Moments() []string {
	names := make([]string, len(moments))
	for i, m := range moments {
		names[i] = m.name
	}
	return names
}

// tokenForm is a name and what is added to it: @today-7d. At most six digits, so that nothing runs over.
var tokenForm = regexp.MustCompile(`^(@[a-z_]+)(?:([+-][0-9]{1,6})([hdwmy]))?$`)

// dayOf is a calendar day, as its midnight in UTC.
func dayOf(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// isToken tells whether an operand is to be read as a value token: there are some for dates, times, and ids of users.
func isToken(n body.Node, l *schema.Leaf) bool {
	if n.Kind != body.String || !strings.HasPrefix(n.Text, "@") {
		return false
	}
	return l.Kind == schema.Date || l.Kind == schema.Time || l.Kind == schema.ID && l.IDPrefix == "user"
}

// token reads a value token.
func (c *checker) token(n body.Node, l *schema.Leaf) (schema.Value, *body.Wrong) {
	none := schema.Absent(l.Kind)
	if l.Kind == schema.ID && n.Text != Me {
		return none, &body.Wrong{
			Code: "invalid_value_token", Message: "must be an id that starts with user_, or @me, the acting user",
			Allowed: []string{Me},
		}
	}
	here, err := c.here()
	if err != nil {
		c.forbid(err)
		return none, nil
	}
	if l.Kind == schema.ID {
		return schema.IDValue(here.User), nil
	}
	c.q.asked = here.Now.UnixMicro()
	return here.value(n.Text, l.Kind)
}

// here tells where and when the search is asked. All its tokens mean one moment, and all its pages that of the first.
func (c *checker) here() (Here, error) {
	if c.place == nil {
		here, err := c.who.Here()
		if err != nil {
			return here, err
		}
		if first, ok := firstAsked(c.cursor); ok {
			here.Now = first
		}
		c.place = &here
	}
	return *c.place, nil
}

// value is what a token of a date or time means.
func (h Here) value(token string, kind schema.Kind) (schema.Value, *body.Wrong) {
	none := schema.Absent(kind)
	parts := tokenForm.FindStringSubmatch(token)
	at := -1
	if parts != nil {
		at = slices.IndexFunc(moments, func(m moment) bool { return m.name == parts[1] })
	}
	if at < 0 || parts[3] == "h" && moments[at].day != nil {
		return none, &body.Wrong{
			Code: "invalid_value_token",
			Message: "must be one of " + strings.Join(Moments(),
				", ") + ", each alone or with a number of days, weeks, months or years added or taken away, as in @today-7d, @today+2w, " +
				"@month_start-1m and @year_start+1y; @now also with hours, as in @now-36h",
			Allowed: Moments(),
		}
	}
	n, unit := 0, ""
	if parts[2] != "" {
		n, _ = strconv.Atoi(parts[2]) // the form leaves nothing else
		unit = parts[3]
	}
	var v schema.Value
	now := h.Now.In(h.Zone)
	year, month, day := now.Date()
	switch starts := moments[at].day; {
	case starts != nil:
		day := add(starts(dayOf(year, month, day)), n, unit)
		if v = schema.DateValue(day); kind == schema.Time {
			v = schema.TimeValue(startOfDay(day, h.Zone))
		}
		year = day.Year()
	case unit == "h":
		now = now.Add(time.Duration(n) * time.Hour)
		v, year = instantOrDay(now, kind), now.Year()
	default:
		moved := add(dayOf(year, month, day), n, unit)
		if n != 0 {
			now = time.Date(moved.Year(), moved.Month(), moved.Day(), now.Hour(), now.Minute(), now.Second(), now.Nanosecond(), h.Zone)
		}
		v, year = instantOrDay(now, kind), now.Year()
	}
	// A day on either side is left for the zone.
	if year < 2 || year > 9998 {
		return none, &body.Wrong{Code: "out_of_range", Message: "means a day that is too far away"}
	}
	return v, nil
}

func instantOrDay(t time.Time, kind schema.Kind) schema.Value {
	if kind == schema.Time {
		return schema.TimeValue(t)
	}
	return schema.DateValue(dayOf(t.Date()))
}

// add moves a day by days, weeks, months or years. A month that is too short for the day ends with its last: a month after January 31 is
// February 28.
func add(day time.Time, n int, unit string) time.Time {
	switch unit {
	case "d":
		return day.AddDate(0, 0, n)
	case "w":
		return day.AddDate(0, 0, 7*n)
	case "y":
		n *= 12
	case "":
		return day
	}
	first := dayOf(day.Year(), day.Month()+time.Month(n), 1)
	last := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(day.Day(), last)-1)
}

// startOfDay is the first instant at which a clock in the zone shows the midnight of a calendar day or later. Where clocks are put
// forward over midnight that is later than midnight, and where they are put back over it, the first of two.
//
// It asks for offsets only: time.Time.ZoneBounds is wrong on the last day of leap years after those that a zone's file lists.
func startOfDay(day time.Time, zone *time.Location) time.Time {
	const widest = 16 * time.Hour // no clock was ever further from UTC
	offset := func(at time.Time) time.Duration {
		_, seconds := at.In(zone).Zone()
		return time.Duration(seconds) * time.Second
	}
	from, to := day.Add(-widest), day.Add(widest)
	before, after := offset(from), offset(to)
	if shown := day.Add(-before); before == after || offset(shown) == before {
		return shown
	}
	for to.Sub(from) > time.Second { // the clocks are put between these two
		if middle := from.Add((to.Sub(from) / 2).Truncate(time.Second)); offset(middle) == before {
			from = middle
		} else {
			to = middle
		}
	}
	if shown := day.Add(-after); shown.After(to) {
		return shown
	}
	return to
}
