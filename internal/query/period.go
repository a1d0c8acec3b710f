package query

import (
	"fmt"
	"sort"
	"time"

	"github.com/kith-crm/kith/internal/schema"
)

// Unit is how long the periods are by which times and dates are grouped.
type Unit string

// The units.
const (
	Day     Unit = "day"
	Week    Unit = "week"
	Month   Unit = "month"
	Quarter Unit = "quarter"
	Year    Unit = "year"
)

// Units lists them.
var Units = []Unit{Day, Week, Month, Quarter, Year}

// Periods are the stretches of time of one unit in which values lie, in order. A value belongs to the last one that does not start
// after it.
type Periods struct {
	Unit Unit
	// Kind is that of the values: Time or Date.
	Kind schema.Kind
	// Starts are the first values of the periods, and of the gaps between and behind them. Ends[i] is where the period of Starts[i]
	// ends; a gap ends where it starts.
	Starts, Ends []int64
	zone         *time.Location
}

// MaxPeriods bounds how many periods are told apart in one request: more than two centuries of days.
const MaxPeriods = 100_000

// NewPeriods makes the periods of a unit that values of a kind may lie in. Times are taken as a clock in the zone shows them; dates
// have no zone.
func NewPeriods(unit Unit, kind schema.Kind, zone *time.Location) *Periods {
	if kind == schema.Date {
		zone = time.UTC
	}
	return &Periods{Unit: unit, Kind: kind, zone: zone}
}

// Cover adds the periods between two values. Calls must come in order. It tells whether there is room for them.
func (p *Periods) Cover(low, high int64) bool {
	first := p.floor(p.day(low))
	if n := len(p.Starts); n > 0 {
		last := p.Starts[n-1] // a gap
		if last > high {
			return true
		}
		for p.start(first) < last {
			first = p.next(first)
		}
		if p.start(first) == last {
			p.Starts, p.Ends = p.Starts[:n-1], p.Ends[:n-1]
		}
	}
	for day, start := first, p.start(first); ; {
		if start > high {
			p.Starts, p.Ends = append(p.Starts, start), append(p.Ends, start)
			return true
		}
		if len(p.Starts) >= MaxPeriods {
			return false
		}
		day = p.next(day)
		end := p.start(day)
		if end > start { // a day that a zone leaves out has no length
			p.Starts, p.Ends = append(p.Starts, start), append(p.Ends, end)
		}
		start = end
	}
}

// manyPeriods is from how many periods on it is worth to ask which of them have any values: more than twenty years of days.
const manyPeriods = 8000

// Many tells whether there are so many periods between two values that it is worth to ask which of them have any.
func (p *Periods) Many(low, high int64) bool {
	days := (high - low) / p.oneDay()
	return days/map[Unit]int64{Day: 1, Week: 7, Month: 28, Quarter: 90, Year: 365}[p.Unit] > manyPeriods
}

func (p *Periods) oneDay() int64 {
	if p.Kind == schema.Date {
		return 1
	}
	return 86_400_000_000
}

// At gives the place of a value's period, or -1 where it lies in none.
func (p *Periods) At(v int64) int {
	return p.Place(int64(sort.Search(len(p.Starts), func(i int) bool { return p.Starts[i] > v })))
}

// Place is the place of the period of a value up to which so many starts lie, or -1 where that is none.
func (p *Periods) Place(starts int64) int {
	if at := int(starts) - 1; at >= 0 && p.Ends[at] > p.Starts[at] {
		return at
	}
	return -1
}

// day is the calendar day of a value, as midnight in UTC. Where a clock shows a year that cannot be written, it is the last day
// before that.
func (p *Periods) day(v int64) time.Time {
	if p.Kind == schema.Date {
		return time.Unix(v*86400, 0).UTC()
	}
	year, month, day := time.UnixMicro(v).In(p.zone).Date()
	if year > lastYear {
		year, month, day = lastYear, time.December, 31
	}
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// floor is the first day of a day's period.
func (p *Periods) floor(day time.Time) time.Time {
	year, month, _ := day.Date()
	switch p.Unit {
	case Week:
		return day.AddDate(0, 0, -(int(day.Weekday())+6)%7)
	case Month:
	case Quarter:
		month -= (month - 1) % 3
	case Year:
		month = time.January
	default:
		return day
	}
	return time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
}

// next is the first day of the next period.
func (p *Periods) next(first time.Time) time.Time {
	switch p.Unit {
	case Week:
		return first.AddDate(0, 0, 7)
	case Month:
		return first.AddDate(0, 1, 0)
	case Quarter:
		return first.AddDate(0, 3, 0)
	case Year:
		return first.AddDate(1, 0, 0)
	default:
		return first.AddDate(0, 0, 1)
	}
}

// start is the first value of a day. The last day lasts as long as there are times, also where it ends earlier on the clock.
func (p *Periods) start(day time.Time) int64 {
	if p.Kind == schema.Date {
		return schema.DateValue(day).N
	}
	if day.Year() > lastYear {
		return maxTime + 1
	}
	return startOfDay(day, p.zone).UnixMicro()
}

// Label is the name of a period: 2024-03-31, 2024-W13, 2024-03, 2024-Q1 or 2024.
func (p *Periods) Label(at int) string {
	// The first instant of a period may show a later day where its midnight was left out, but never a later period.
	day := p.day(p.Starts[at])
	switch p.Unit {
	case Week:
		year, week := day.ISOWeek()
		return fmt.Sprintf("%04d-W%02d", year, week)
	case Month:
		return day.Format("2006-01")
	case Quarter:
		return fmt.Sprintf("%04d-Q%d", day.Year(), (day.Month()+2)/3)
	case Year:
		return day.Format("2006")
	default:
		return day.Format(time.DateOnly)
	}
}

// Bounds are the first value of a period and the first one behind it.
func (p *Periods) Bounds(at int) (from, to schema.Value) {
	least, most := int64(minTime), int64(maxTime)
	if p.Kind == schema.Date {
		least, most = minTime/86_400_000_000, maxTime/86_400_000_000
	}
	return schema.IntValue(p.Kind, max(p.Starts[at], least)), schema.IntValue(p.Kind, min(p.Ends[at], most))
}

// The first and the last time that can be written, in microseconds since 1970.
const (
	minTime = -62_135_596_800_000_000
	maxTime = 253_402_300_799_999_999
	// lastYear is the last one that four digits can name.
	lastYear = 9999
)
