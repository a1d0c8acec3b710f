package bench

import (
	"cmp"
	"fmt"
	"html"
	"io"
	"math"
	"slices"
	"strconv"
)

// The plot has two columns of panels under a title, and a key below them. All measures are in pixels.
const (
	plotWidth   = 960
	plotTitle   = 64
	panelWidth  = plotWidth / 2
	panelHeight = 320
	panelLeft   = 60 // the margins within a panel
	panelRight  = 44
	panelTop    = 34
	panelBottom = 52
	keyColumns  = 2
	keyHeight   = 20
	labelHeight = 12
)

// colors tell lines apart on white; they repeat when there are more lines.
var colors = []string{"#1f77b4", "#d95f02", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#d6279f", "#0e9aa7", "#5f5f5f"}

// panel is one system of axes with its lines.
type panel struct {
	title, across string
	lines         []line
}

// line is drawn through its points, and labelled at the last of them.
type line struct {
	label, color string
	dashed       bool
	points       []point
}

type point struct{ x, y float64 }

// axis places values on a logarithmic scale.
type axis struct {
	low, high float64 // the values at the ends
	from, to  float64 // where these are
}

func (a axis) at(value float64) float64 {
	return a.from + (math.Log(value)-math.Log(a.low))/(math.Log(a.high)-math.Log(a.low))*(a.to-a.from)
}

// ticks are the round numbers from the last that is not above low to the first that is not below high: those that begin with one of
// the given digits.
func ticks(low, high float64, digits ...float64) (all []float64) {
	for power := math.Floor(math.Log10(low)); ; power++ {
		for _, digit := range digits {
			// Dividing keeps 0.2 and its like exact, where multiplying by a tenth does not.
			tick := digit * math.Pow(10, power)
			if power < 0 {
				tick = digit / math.Pow(10, -power)
			}
			if tick <= low {
				all = all[:0]
			}
			all = append(all, tick)
			if tick >= high && len(all) > 1 {
				return all
			}
		}
	}
}

// spread moves places apart that are closer than gap, as little as keeps their order, and none beyond bottom.
func spread(places []float64, gap, bottom float64) []float64 {
	order := upTo(len(places))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(places[a], places[b]) })
	out := slices.Clone(places)
	for n := 1; n < len(order); n++ {
		out[order[n]] = max(out[order[n]], out[order[n-1]]+gap)
	}
	for n := len(order) - 1; n >= 0; n-- {
		out[order[n]] = min(out[order[n]], bottom)
		bottom = out[order[n]] - gap
	}
	return out
}

// Plot draws the results as SVG: a panel for each group, and one for the pages.
func (g *Growth) Plot(w io.Writer) {
	var panels []panel
	var key []string
	add := func(p *panel, name string, dashed bool, at point) {
		n := slices.Index(key, name)
		if n < 0 {
			n, key = len(key), append(key, name)
		}
		p.add(line{label: strconv.Itoa(n + 1), color: colors[n%len(colors)], dashed: dashed}, at)
	}
	for _, group := range g.groups() {
		p := panel{title: "In " + group.title, across: "contacts in the database"}
		for _, m := range group.points {
			if m.Page <= 1 {
				add(&p, m.Read, group.small, point{float64(m.Contacts), m.P50Ms})
			}
		}
		panels = append(panels, p)
	}
	pages := panel{title: "Pages of 25 by cursor, in the largest business", across: "page"}
	for _, m := range g.Points {
		if m.Page > 0 && !m.Small {
			add(&pages, fmt.Sprintf("pages, %s contacts, businesses: %s", thousands(m.Contacts), thousands(m.Businesses)), false,
				point{float64(m.Page), m.P50Ms})
		}
	}
	panels = slices.DeleteFunc(append(panels, pages), func(p panel) bool { return len(p.lines) == 0 })
	if len(panels) == 0 {
		return
	}
	const title = "How reads grow with the data"
	subtitle := fmt.Sprintf("Median time over one connection. SQLite, %s, %d cores, %s.", g.Go, g.Cores, g.Date.Format("2 January 2006"))
	var all []float64
	for _, p := range panels {
		for _, at := range p.points() {
			all = append(all, at.y)
		}
	}
	yTicks := ticks(slices.Min(all), slices.Max(all), 1, 2, 5)
	keyTop := plotTitle + (len(panels)+1)/2*panelHeight
	rows := (len(key) + keyColumns - 1) / keyColumns
	height := keyTop + rows*keyHeight + 24
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="system-ui, `+
		`'Helvetica Neue', Arial, sans-serif" font-size="12" fill="#222">`+"\n", plotWidth, height, plotWidth, height)
	fmt.Fprintf(w, `<title>%s</title>`+"\n", title)
	fmt.Fprintf(w, `<rect width="%d" height="%d" rx="8" fill="#fff"/>`+"\n", plotWidth, height)
	fmt.Fprintf(w, `<text x="24" y="32" font-size="18" font-weight="600">%s</text>`+"\n", title)
	fmt.Fprintf(w, `<text x="24" y="51" fill="#555">%s</text>`+"\n", html.EscapeString(subtitle))
	for i, p := range panels {
		fmt.Fprintf(w, `<g transform="translate(%d %d)">`+"\n", i%2*panelWidth, plotTitle+i/2*panelHeight)
		p.draw(w, yTicks)
		fmt.Fprintln(w, `</g>`)
	}
	for i, label := range key {
		x, y := 24+i/rows*panelWidth, keyTop+16+i%rows*keyHeight
		fmt.Fprintf(w, `<g fill="%s"><rect x="%d" y="%d" width="18" height="3"/><text x="%d" y="%d" font-weight="600" `+
			`text-anchor="end">%d</text></g><text x="%d" y="%d">%s</text>`+"\n",
			colors[i%len(colors)], x, y-6, x+40, y, i+1, x+48, y, html.EscapeString(label))
	}
	fmt.Fprintln(w, `</svg>`)
}

// add puts a point on the panel's line with this label, which it begins where there is none yet.
func (p *panel) add(l line, at point) {
	i := slices.IndexFunc(p.lines, func(have line) bool { return have.label == l.label })
	if i < 0 {
		i, p.lines = len(p.lines), append(p.lines, l)
	}
	p.lines[i].points = append(p.lines[i].points, at)
}

// short writes a number of contacts as one says it.
func short(n int) string {
	switch {
	case n >= 1_000_000 && n%100_000 == 0:
		return strconv.FormatFloat(float64(n)/1_000_000, 'f', -1, 64) + "M"
	case n >= 1000 && n%100 == 0:
		return strconv.FormatFloat(float64(n)/1000, 'f', -1, 64) + "k"
	}
	return strconv.Itoa(n)
}

func (p panel) draw(w io.Writer, yTicks []float64) {
	places := p.places()
	low, high := places[0], places[len(places)-1]
	x := axis{low, max(high, 10*low), panelLeft, panelWidth - panelRight}
	y := axis{yTicks[0], yTicks[len(yTicks)-1], panelHeight - panelBottom, panelTop}
	fmt.Fprintf(w, `<text x="%d" y="20" font-weight="600">%s</text>`+"\n", panelLeft, html.EscapeString(p.title))
	for _, tick := range yTicks {
		fmt.Fprintf(w, `<path d="M%.0f %.1fH%.0f" stroke="#e3e3e3"/><text x="%.0f" y="%.1f" text-anchor="end" fill="#555">%g</text>`+"\n",
			x.from, y.at(tick), x.to, x.from-8, y.at(tick)+4, tick)
	}
	for _, tick := range places {
		fmt.Fprintf(w, `<path d="M%.1f %.0fV%.0f" stroke="#e3e3e3"/><text `+
			`x="%.1f" y="%.0f" text-anchor="middle" fill="#555">%s</text>`+"\n", x.at(tick), y.from, y.to, x.at(tick), y.from+17,
			short(int(tick)))
	}
	fmt.Fprintf(w, `<text x="%.0f" y="%.0f" text-anchor="middle" fill="#555">%s</text>`+"\n", (x.from+x.to)/2, y.from+36, p.across)
	fmt.Fprintf(w, `<text transform="translate(18 %.0f) rotate(-90)" text-anchor="middle" fill="#555">p50, ms</text>`+"\n", (y.from+y.to)/2)
	ends := map[float64][]line{} // the lines that end at the same place
	for _, l := range p.lines {
		last := l.points[len(l.points)-1].x
		ends[last] = append(ends[last], l)
		dashes := ""
		if l.dashed {
			dashes = ` stroke-dasharray="6 4"`
		}
		fmt.Fprintf(w, `<g stroke="%s" fill="%s"><path fill="none" stroke-width="2" stroke-linejoin="round"%s d="`, l.color, l.color,
			dashes)
		for n, at := range l.points {
			fmt.Fprintf(w, "%c%.1f %.1f", "ML"[min(n, 1)], x.at(at.x), y.at(at.y))
		}
		fmt.Fprint(w, `"/>`)
		for _, at := range l.points {
			fmt.Fprintf(w, `<circle cx="%.1f" cy="%.1f" r="2.5" stroke="none"/>`, x.at(at.x), y.at(at.y))
		}
		fmt.Fprintln(w, `</g>`)
	}
	for _, last := range places {
		lines := ends[last]
		labels := make([]float64, len(lines))
		aside, anchor := 7.0, "start"
		for n, l := range lines {
			labels[n] = y.at(l.points[len(l.points)-1].y)
		}
		if last < x.high { // other lines go on to the right, so it has to be above them all
			aside, anchor = 0, "middle"
			for n := range labels {
				labels[n] = y.at(p.highest(last)) - float64(n+1)*labelHeight + 1
			}
		}
		for n, label := range spread(labels, labelHeight, y.from) {
			fmt.Fprintf(w, `<text x="%.1f" y="%.1f" font-size="11" font-weight="600" text-anchor="%s" fill="%s">%s</text>`+"\n",
				x.at(last)+aside, label+4, anchor, lines[n].color, lines[n].label)
		}
	}
}

// points are those of all lines.
func (p panel) points() (all []point) {
	for _, l := range p.lines {
		all = append(all, l.points...)
	}
	return all
}

// places are where on the horizontal axis the panel has points.
func (p panel) places() (all []float64) {
	for _, at := range p.points() {
		all = append(all, at.x)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// highest is the largest value at a place on the horizontal axis.
func (p panel) highest(x float64) (y float64) {
	for _, at := range p.points() {
		if at.x == x {
			y = max(y, at.y)
		}
	}
	return y
}
