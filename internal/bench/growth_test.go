package bench

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestSizesAddUp(t *testing.T) {
	for _, tt := range []struct{ contacts, businesses int }{{200_000, 20}, {10_000, 1000}, {1_000_000, 1000}, {8000, 3}, {7, 2}, {500, 1}} {
		sum := 0
		all := sizes(tt.contacts, tt.businesses)
		for _, n := range all {
			sum += n
		}
		if sum != tt.contacts || len(all) != tt.businesses {
			t.Errorf("%d contacts in %d businesses are spread as %v…, which is %d in %d", tt.contacts, tt.businesses,
				all[:min(5, len(all))], sum, len(all))
		}
	}
}

func TestTheSmallBusinessDoesNotGrow(t *testing.T) {
	for _, contacts := range []int{10_000, 1_000_000} {
		all := growthSizes(contacts, 1000, 1000)
		sum := 0
		for _, n := range all {
			sum += n
		}
		if len(all) != 1000 || sum != contacts || all[999] != 1000 {
			t.Errorf("%d contacts: %d businesses with %d in all, the last with %d", contacts, len(all), sum, all[len(all)-1])
		}
	}
	if all := growthSizes(10_000, 1, 1000); !slices.Equal(all, []int{10_000}) {
		t.Errorf("one business: %v", all)
	}
}

func TestParseGrowth(t *testing.T) {
	if got, err := ParseGrowth("10000,100000,1000000"); err != nil || !slices.Equal(got, []int{10_000, 100_000, 1_000_000}) {
		t.Errorf("%v, %v", got, err)
	}
	for _, wrong := range []string{"", "10k", "1000,", "999", "2000,2000", "2000,1000", "-5000"} {
		if got, err := ParseGrowth(wrong); err == nil {
			t.Errorf("%q is taken as %v", wrong, got)
		}
	}
}

// grown is a result in which reads take twice as long at each step, but not in the small business.
func grown() *Growth {
	g := &Growth{Date: time.Date(2026, 11, 15, 0, 0, 0, 0, time.UTC), Go: "go1.26", Cores: 2}
	for _, businesses := range []int{1, 1000} {
		for step, contacts := range []int{10_000, 100_000, 1_000_000} {
			at := func(p Point) {
				p.Contacts, p.Businesses, p.P99Ms, p.PerSecond = contacts, businesses, 2*p.P50Ms, 1000/p.P50Ms
				g.Points = append(g.Points, p)
			}
			for i, read := range []string{"get one", "a < b"} {
				at(Point{Business: contacts, Read: read, P50Ms: 0.1 * float64(int(1)<<step) * float64(i+1)})
				if businesses > 1 {
					at(Point{Business: 1000, Small: true, Read: read, P50Ms: 0.1 * float64(i+1)})
				}
			}
			for page := 1; page*25 <= contacts && page <= 10_000; page *= 10 {
				at(Point{Business: contacts, Read: "page " + thousands(page), Page: page, P50Ms: 0.3})
			}
		}
	}
	return g
}

func TestMarkdownHasALineForEachRead(t *testing.T) {
	var out bytes.Buffer
	grown().Markdown(&out)
	for _, want := range []string{
		"| In 1 business, ms | 10,000: p50 | p99 | req/s | 100,000: p50 | p99 | req/s | 1,000,000: p50 | p99 | req/s | p50 grows |\n",
		"| get one | 0.10 | 0.20 | 10,000 | 0.20 | 0.40 | 5,000 | 0.40 | 0.80 | 2,500 | × 4.0 |\n",
		"| page 10,000 | | | | | | | 0.30 | 0.60 | 3,333 | |\n",
		"| In the largest of 1,000 businesses, ms |",
		"| In a business of 1,000 among 1,000, ms |",
		"| get one | 0.10 | 0.20 | 10,000 | 0.10 | 0.20 | 10,000 | 0.10 | 0.20 | 10,000 | × 1.0 |\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("there is no %q in\n%s", want, out.String())
		}
	}
	columns := 0
	for line := range strings.Lines(out.String()) {
		if n := strings.Count(line, "|"); n != columns && n > 0 && columns > 0 {
			t.Errorf("a line has %d columns, the one before %d: %s", n, columns, line)
		} else {
			columns = n
		}
	}
}

func TestAxisIsLogarithmic(t *testing.T) {
	a := axis{low: 10, high: 1000, from: 300, to: 100}
	for value, want := range map[float64]float64{10: 300, 100: 200, 1000: 100} {
		if got := a.at(value); got < want-0.01 || got > want+0.01 {
			t.Errorf("%g is at %g, want %g", value, got, want)
		}
	}
}

func TestTicksEncloseTheValues(t *testing.T) {
	for _, tt := range []struct {
		low, high float64
		want      []float64
	}{
		{0.07, 1.5, []float64{0.05, 0.1, 0.2, 0.5, 1, 2}},
		{0.1, 0.2, []float64{0.1, 0.2}},
		{3, 4, []float64{2, 5}},
		{1, 1, []float64{1, 2}},
		{60, 700, []float64{50, 100, 200, 500, 1000}},
	} {
		if got := ticks(tt.low, tt.high, 1, 2, 5); !slices.Equal(got, tt.want) {
			t.Errorf("from %g to %g: %v, want %v", tt.low, tt.high, got, tt.want)
		}
	}
}

func TestLabelsAreSpread(t *testing.T) {
	for _, tt := range []struct{ places, want []float64 }{
		{[]float64{10, 40, 70}, []float64{10, 40, 70}},
		{[]float64{50, 50, 52}, []float64{50, 62, 74}},
		{[]float64{99, 10, 98}, []float64{100, 10, 88}},
		{[]float64{100, 100, 100}, []float64{76, 88, 100}},
	} {
		if got := spread(tt.places, 12, 100); !slices.Equal(got, tt.want) {
			t.Errorf("%v become %v, want %v", tt.places, got, tt.want)
		}
	}
}

func TestPlotIsWellFormedAndHasAllLines(t *testing.T) {
	var out bytes.Buffer
	grown().Plot(&out)
	paths, dashed := 0, 0
	for d := xml.NewDecoder(bytes.NewReader(out.Bytes())); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		element, ok := token.(xml.StartElement)
		if !ok || element.Name.Local != "path" {
			continue
		}
		for _, a := range element.Attr {
			switch a.Name.Local {
			case "fill":
				paths++
			case "stroke-dasharray":
				dashed++
			}
		}
	}
	// Three reads in each of three panels, but no pages in the small business's, and six lines of pages.
	if paths != 3+3+2+6 || dashed != 2 {
		t.Errorf("%d lines, %d of them dashed", paths, dashed)
	}
	// The first read in one business doubles at each step, from 0.1 ms on an axis that ends at 1.
	if !strings.Contains(out.String(), `d="M60.0 268.0L248.0 197.6L436.0 127.1"`) {
		t.Errorf("the line of the first read is not where it should be:\n%s", out.String())
	}
	if !strings.Contains(out.String(), "a &lt; b") {
		t.Error("the key does not have the name of a read")
	}
}

func TestPlotOfOneSetAndOneRead(t *testing.T) {
	var out bytes.Buffer
	(&Growth{Points: []Point{{Contacts: 1000, Businesses: 1, Business: 1000, Read: "get one", P50Ms: 0.1}}}).Plot(&out)
	if strings.Contains(out.String(), "NaN") || strings.Contains(out.String(), "Inf") || !strings.HasSuffix(out.String(), "</svg>\n") {
		t.Error(out.String())
	}
}

func TestDepthComparesThePages(t *testing.T) {
	r := &Result{Rows: []Row{
		{Operation: firstPage, PerSecond: 5000},
		{Operation: "other", PerSecond: 1},
		{Operation: deepPage, PerSecond: 1000, BesidePerSecond: 1100},
	}}
	var out bytes.Buffer
	r.Table(&out)
	if want := "the 1,000th page is 10 % slower than the first\n"; !strings.Contains(out.String(), want) {
		t.Errorf("there is no %q in\n%s", want, out.String())
	}
	r.Rows[2].PerSecond = 1375
	out.Reset()
	r.Table(&out)
	if want := "the 1,000th page is 20 % faster than the first\n"; !strings.Contains(out.String(), want) {
		t.Errorf("there is no %q in\n%s", want, out.String())
	}
	r.Rows = r.Rows[:2]
	out.Reset()
	r.Table(&out)
	if strings.Contains(out.String(), "1,000th") {
		t.Errorf("a page that was not measured is compared:\n%s", out.String())
	}
}
