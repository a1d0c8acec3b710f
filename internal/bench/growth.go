package bench

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Growth is how the time of reads grows with the data.
type Growth struct {
	Date   time.Time `json:"date"`
	Go     string    `json:"go"`
	Cores  int       `json:"cores"`
	Points []Point   `json:"points"`
}

// Point is one read in one business of one set, over one connection with nothing else going on.
type Point struct {
	Contacts   int `json:"contacts"`
	Businesses int `json:"businesses"`
	// Business is the number of contacts of the business that was asked: the largest of the set, or the small one.
	Business int    `json:"business_contacts"`
	Small    bool   `json:"small_business"`
	Read     string `json:"read"`
	// Page is the number of the page where the read is one of the pages by cursor.
	Page      int     `json:"page,omitempty"`
	P50Ms     float64 `json:"p50_ms"`
	P99Ms     float64 `json:"p99_ms"`
	PerSecond float64 `json:"requests_per_second"`
}

// leastGrowth is the smallest set of which a tenth still makes a business to search in.
const leastGrowth = 1000

// ParseGrowth reads numbers of contacts that are separated by commas.
func ParseGrowth(text string) ([]int, error) {
	var all []int
	for word := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n < leastGrowth || len(all) > 0 && n <= all[len(all)-1] {
			return nil, fmt.Errorf("must be numbers of contacts from %d on, separated by commas, the smallest first", leastGrowth)
		}
		all = append(all, n)
	}
	return all, nil
}

// growthSizes are the businesses of a set. Where there are many, the last is one whose size does not depend on the set's.
func growthSizes(contacts, businesses, small int) []int {
	if businesses == 1 {
		return sizes(contacts, 1)
	}
	return append(sizes(contacts-small, businesses-1), small)
}

// RunGrowth measures the same reads at each number of contacts, in one business and in several.
func RunGrowth(ctx context.Context, o Options) (*Growth, error) {
	g := &Growth{Date: time.Now().UTC(), Go: runtime.Version(), Cores: runtime.NumCPU()}
	for _, businesses := range []int{1, o.Businesses} {
		for _, contacts := range o.Growth {
			points, err := o.growthSet(ctx, contacts, businesses)
			if err != nil {
				return nil, fmt.Errorf("%d contacts in %d businesses: %w", contacts, businesses, err)
			}
			g.Points = append(g.Points, points...)
		}
	}
	o.progress("")
	return g, nil
}

// growthSet loads one set and measures in its largest business and, where there are several, in the small one.
func (o Options) growthSet(ctx context.Context, contacts, businesses int) (points []Point, err error) {
	dir, err := os.MkdirTemp("", "kith-bench")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	url := "sqlite:" + filepath.Join(dir, "bench.db")
	largest, small, err := o.loadSet(ctx, url, growthSizes(contacts, businesses, o.Growth[0]/10))
	if err != nil {
		return nil, err
	}
	kith, err := o.serve(ctx, url)
	if err != nil {
		return nil, err
	}
	defer kith.stop()
	for _, set := range slices.Compact([]*Set{largest, small}) {
		reads, err := growthReads(ctx, asking{kith.addr, set})
		if err != nil {
			return nil, err
		}
		for _, read := range reads {
			if !strings.Contains(read.name, o.Only) {
				continue
			}
			o.progress("%s contacts, businesses: %s, asking one of %s: %s", thousands(contacts), thousands(businesses),
				thousands(set.Size), read.name)
			m, err := o.alone(ctx, read, kith.addr)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", read.name, err)
			}
			points = append(points, Point{
				Contacts: contacts, Businesses: businesses, Business: set.Size, Small: set != largest, Read: read.name, Page: read.page,
				P50Ms: m.percentile(0.5), P99Ms: m.percentile(0.99), PerSecond: m.perSecond(),
			})
		}
	}
	return points, nil
}

// warmUp is how many requests are sent before the times count.
const warmUp = 64

// alone asks the questions of an operation over one connection.
func (o Options) alone(ctx context.Context, op *operation, addr string) (m measured, err error) {
	if err := op.makeReady(ctx, o.Each); err != nil {
		return m, err
	}
	ask := op.askKith(addr)
	warm := ask.load(1, timeout, 2)
	if warm.count == 0 || warm.count > warmUp {
		warm.count = warmUp
	}
	if _, err := warm.run(ctx); err != nil {
		return m, err
	}
	return ask.load(1, o.Each, 1).run(ctx)
}

// growthReads are the pages by cursor, and the searches and reads that the benchmark knows.
func growthReads(ctx context.Context, a asking) ([]*operation, error) {
	reads, err := operations(ctx, a)
	if err != nil {
		return nil, err
	}
	reads = slices.DeleteFunc(reads, func(op *operation) bool {
		return op.writes || op.ours || op.name == firstPage || op.name == deepPage
	})
	const size, step = 25, 75 // 75 divides what lies before each of the pages
	cursor, passed := "", 0
	for page := 1; page <= 10_000 && page*size <= a.set.Size; page *= 10 {
		before := (page - 1) * size
		if cursor, _, err = a.walk(ctx, cursor, `{}`, step, (before-passed)/step); err != nil {
			return nil, err
		}
		passed = before
		read := a.only("page "+thousands(page), following(cursor, `{}`))
		read.page = page
		reads = append(reads, read)
	}
	return reads, nil
}

// growthGroup is one table of the results, and one panel of the plot.
type growthGroup struct {
	title  string
	small  bool
	points []Point
}

// groups are the points that belong together: one business, the largest of many, and the small one among them.
func (g *Growth) groups() (groups []growthGroup) {
	for _, p := range g.Points {
		title := "1 business"
		switch {
		case p.Small:
			title = fmt.Sprintf("a business of %s among %s", thousands(p.Business), thousands(p.Businesses))
		case p.Businesses > 1:
			title = fmt.Sprintf("the largest of %s businesses", thousands(p.Businesses))
		}
		at := slices.IndexFunc(groups, func(group growthGroup) bool { return group.title == title })
		if at < 0 {
			at, groups = len(groups), append(groups, growthGroup{title: title, small: p.Small})
		}
		groups[at].points = append(groups[at].points, p)
	}
	return groups
}

// column gives the values that occur in points, each once, in their order.
func column[T comparable](points []Point, of func(Point) T) (values []T) {
	for _, p := range points {
		if v := of(p); !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	return values
}

// Markdown writes a table for each group: a line for each read, and the times at each number of contacts.
func (g *Growth) Markdown(w io.Writer) {
	for _, group := range g.groups() {
		contacts := column(group.points, func(p Point) int { return p.Contacts })
		fmt.Fprintf(w, "| In %s, ms |", group.title)
		for _, n := range contacts {
			fmt.Fprintf(w, " %s: p50 | p99 | req/s |", thousands(n))
		}
		fmt.Fprintf(w, " p50 grows |\n|---|%s---:|\n", strings.Repeat("---:|---:|---:|", len(contacts)))
		for _, read := range column(group.points, func(p Point) string { return p.Read }) {
			fmt.Fprintf(w, "| %s |", read)
			at := map[int]Point{}
			for _, p := range group.points {
				if p.Read == read {
					at[p.Contacts] = p
				}
			}
			for _, n := range contacts {
				if p, ok := at[n]; ok {
					fmt.Fprintf(w, " %.2f | %.2f | %s |", p.P50Ms, p.P99Ms, thousands(int(p.PerSecond)))
				} else {
					fmt.Fprint(w, " | | |")
				}
			}
			if first, last := at[contacts[0]], at[contacts[len(contacts)-1]]; first.P50Ms > 0 && last.P50Ms > 0 {
				fmt.Fprintf(w, " × %.1f", last.P50Ms/first.P50Ms)
			}
			fmt.Fprintln(w, " |")
		}
		fmt.Fprintln(w)
	}
}

// thousands writes a number with commas.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
