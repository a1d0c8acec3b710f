package query

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/schema"
)

// The limits of an aggregate.
const (
	// MaxRows is how many groups are answered at most, and how many are when no limit is given.
	MaxRows    = 1000
	MaxGroups  = 2
	MaxMetrics = 20
)

// Measure is what a metric tells of the values of a field.
type Measure string

// The measures.
const (
	Count Measure = "count"
	Sum   Measure = "sum"
	Avg   Measure = "avg"
	Min   Measure = "min"
	Max   Measure = "max"
)

// Measures lists those that are of a field. Count is of the records themselves.
var Measures = []Measure{Sum, Avg, Min, Max}

// takes tells whether a measure makes sense for a kind.
func (m Measure) takes(k schema.Kind) bool {
	if k == schema.Date || k == schema.Time {
		return m == Min || m == Max
	}
	return k == schema.Integer || k == schema.Number || k.Decimal()
}

// Groupable tells whether records can be grouped by a field of the kind.
func Groupable(k schema.Kind) bool { return k.Scalar() && k != schema.LongText }

// GroupNames are the names by which records can be grouped by a field.
func GroupNames(field string, k schema.Kind) (names []string) {
	if Groupable(k) && k != schema.Time {
		names = append(names, field)
	}
	if k == schema.Time || k == schema.Date {
		for _, u := range Units {
			names = append(names, field+":"+string(u))
		}
	}
	return names
}

// MetricNames are the metrics of a field.
func MetricNames(field string, k schema.Kind) (names []string) {
	for _, m := range Measures {
		if m.takes(k) {
			names = append(names, string(m)+":"+field)
		}
	}
	return names
}

// Metric is one figure of each row.
type Metric struct {
	// Name is how it was asked for: sum:amount.
	Name    string
	Measure Measure
	// Path is the field that is measured; Count has none.
	Path
}

// Group is one field by which records are grouped.
type Group struct {
	// Name is how it was asked for: created_at:month.
	Name string
	Path
	// Unit is that of the periods of times and dates, or empty.
	Unit Unit
}

// Keyed tells whether values that differ may belong to one group: texts, by their keys. Currencies are written in one way only.
func (g Group) Keyed() bool { return g.Leaf.Key != "" && g.Leaf.Format != schema.Currency }

// Aggregate is a checked question for figures: its Query says of which records.
type Aggregate struct {
	*Query
	// Groups are those that were asked for, Asked of them, and then currencies.
	Groups  []Group
	Asked   int
	Metrics []Metric
	// By is the place of what rows are ordered by among the groups and, behind them, the metrics.
	By int
	// Zone is where days, months and years begin: that of the body, or else, while ZoneAsked is not set, UTC until a caller puts another.
	Zone      *time.Location
	ZoneAsked bool
}

// Zoned tells whether the answer depends on a time zone.
func (a *Aggregate) Zoned() bool {
	return slices.ContainsFunc(a.Groups, func(g Group) bool { return g.Unit != "" && g.Leaf.Kind == schema.Time })
}

var aggregateKeys = []string{"filters", "search_text", "group_by", "metrics", "order_by", "sort_direction", "limit", "timezone"}

// CheckAggregate reads the body of an aggregate. It reports every wrong field; what the caller may not read is its error alone.
func CheckAggregate(n body.Node, res *schema.Resource, who Reader) (*Aggregate, error) {
	c := &checker{
		q: &Query{Resource: res, Limit: MaxRows, Desc: true, Order: Path{Ref: -1, Leaf: res.Common.ID}}, who: who, most: MaxRows,
	}
	a := &Aggregate{Query: c.q, Zone: time.UTC}
	var order *body.Node
	c.members(n, "an aggregate", aggregateKeys, map[string]func(body.Node){
		"group_by": func(n body.Node) { c.groupBy(n, a) },
		"metrics":  func(n body.Node) { c.metrics(n, a) },
		"order_by": func(n body.Node) { order = &n },
		"timezone": func(n body.Node) { c.zone(n, a) },
	})
	if a.Metrics == nil {
		a.Metrics = []Metric{{Name: string(Count), Measure: Count, Path: Path{Ref: -1}}}
	}
	a.Asked = len(a.Groups)
	c.byCurrency(a)
	a.By = len(a.Groups) // the first metric
	if order != nil {
		c.orderRows(*order, a)
	}
	if c.forbidden != nil && len(c.wrong) == 0 {
		return nil, c.forbidden
	}
	return a, c.wrong.Err()
}

func (c *checker) zone(n body.Node, a *Aggregate) {
	zone, err := time.LoadLocation(n.Text)
	if _, wrong := schema.Timezone.Normalize(n.Text); n.Kind != body.String || n.Text == "" || wrong != "" || err != nil {
		c.wrong.Add("timezone", "invalid_format", "must be an IANA time zone such as Europe/Berlin")
		return
	}
	a.Zone, a.ZoneAsked = zone, true
}

func (c *checker) groupBy(n body.Node, a *Aggregate) {
	c.items("group_by", n, "field names", "names", MaxGroups, func(at string, item body.Node) {
		if item.Kind != body.String {
			c.wrong.Add(at, "wrong_type", "must be the name of a field, not "+item.Kind.Name())
			return
		}
		field, unit, hasUnit := strings.Cut(item.Text, ":")
		path, ok := c.path(at, field, Groupable)
		if !ok {
			return
		}
		timed := path.Leaf.Kind == schema.Time || path.Leaf.Kind == schema.Date
		g := Group{Name: item.Text, Path: path, Unit: Unit(unit)}
		switch {
		case !Groupable(path.Leaf.Kind):
			_, shape := c.shapeOf(field)
			c.wrong.Add(at, "not_groupable", "is a "+path.Leaf.Kind.Name()+" and cannot be grouped by", names(shape, false, Groupable)...)
		case hasUnit && !timed:
			c.wrong.Add(at, "not_allowed", "only dates and times have a unit; name the field alone", field)
		case hasUnit && !slices.Contains(Units, g.Unit) || !hasUnit && path.Leaf.Kind == schema.Time:
			c.wrong.Add(at, "unit_required", "needs a unit: day, week, month, quarter or year", GroupNames(field, path.Leaf.Kind)...)
		case slices.ContainsFunc(a.Groups, func(other Group) bool { return other.Path == g.Path && other.Unit == g.Unit }):
			c.wrong.Add(at, "not_allowed", "is named more than once")
		default:
			a.Groups = append(a.Groups, g)
		}
	})
}

// shapeOf gives the beginning of a path that names a reference, with its dot, and the fields that it leads to; or those of the
// resource itself.
func (c *checker) shapeOf(path string) (prefix string, shape *schema.Shape) {
	if via, rest := c.followed(path); via != nil && c.q.Resource.Leaf(path) == nil {
		_, shape := c.referred(via)
		return strings.TrimSuffix(path, rest), shape
	}
	return "", &c.q.Resource.Shape
}

func (c *checker) metrics(n body.Node, a *Aggregate) {
	if n.Kind == body.Array && len(n.Items) == 0 {
		c.wrong.Add("metrics", "required", "must have at least one metric, such as count", string(Count))
	}
	c.items("metrics", n, "metrics such as count or sum:FIELD", "metrics", MaxMetrics, func(at string, item body.Node) {
		if item.Kind != body.String {
			c.wrong.Add(at, "wrong_type", "must be a metric such as count or sum:FIELD, not "+item.Kind.Name())
			return
		}
		if slices.ContainsFunc(a.Metrics, func(other Metric) bool { return other.Name == item.Text }) {
			c.wrong.Add(at, "not_allowed", "is named more than once")
			return
		}
		if item.Text == string(Count) {
			a.Metrics = append(a.Metrics, Metric{Name: item.Text, Measure: Count, Path: Path{Ref: -1}})
			return
		}
		word, field, hasField := strings.Cut(item.Text, ":")
		measure := Measure(word)
		if !hasField || !slices.Contains(Measures, measure) {
			c.wrong.Add(at, "unknown_metric", strconv.Quote(item.Text)+" is not a metric", c.allowedMetrics(Measures...)...)
			return
		}
		switch path, ok := c.path(at, field, measure.takes); {
		case ok && !measure.takes(path.Leaf.Kind):
			c.wrong.Add(at, "not_measurable", fmt.Sprintf("%s cannot be used on %s, which is a %s", measure, field,
				path.Leaf.Kind.Name()), c.allowedMetrics(measure)...)
		case ok:
			a.Metrics = append(a.Metrics, Metric{Name: item.Text, Measure: measure, Path: path})
		}
	})
}

// allowedMetrics lists the metrics of some measures on fields of the resource itself.
func (c *checker) allowedMetrics(measures ...Measure) []string {
	all := []string{string(Count)}
	for _, m := range measures {
		for _, name := range names(&c.q.Resource.Shape, false, m.takes) {
			all = append(all, string(m)+":"+name)
		}
	}
	return all
}

// byCurrency groups by currency, too, where money is measured or grouped by: amounts of different currencies cannot be added up or
// compared.
func (c *checker) byCurrency(a *Aggregate) {
	add := func(p Path, field string) {
		if p.Leaf == nil || p.Leaf.Kind != schema.Money {
			return
		}
		prefix, shape := c.shapeOf(field)
		for _, l := range shape.Leaves {
			currency := Path{Ref: p.Ref, Leaf: l}
			if l.Format == schema.Currency && !slices.ContainsFunc(a.Groups, func(g Group) bool { return g.Path == currency }) {
				a.Groups = append(a.Groups, Group{Name: prefix + l.Path, Path: currency})
			}
		}
	}
	for _, g := range slices.Clone(a.Groups) {
		add(g.Path, g.Name)
	}
	for _, m := range a.Metrics {
		_, field, _ := strings.Cut(m.Name, ":")
		add(m.Path, field)
	}
}

func (c *checker) orderRows(n body.Node, a *Aggregate) {
	var known []string
	for _, g := range a.Groups {
		known = append(known, g.Name)
	}
	for _, m := range a.Metrics {
		known = append(known, m.Name)
	}
	if n.Kind != body.String {
		c.wrong.Add("order_by", "wrong_type", "must be the name of a metric or group, not "+n.Kind.Name(), known...)
		return
	}
	if a.By = slices.Index(known, n.Text); a.By < 0 {
		c.wrong.Add("order_by", "not_allowed", strconv.Quote(n.Text)+" is none of the groups and metrics that are asked for"+
			problem.DidYouMean(n.Text, known), known...)
	}
}
