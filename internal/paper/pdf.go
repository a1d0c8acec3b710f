package paper

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"codeberg.org/go-pdf/fpdf"
)

// MaxPages is how many pages a PDF may have.
const MaxPages = 500

// ErrTooLong is why there is no PDF of a quote.
var ErrTooLong = errors.New("the quote has more than 500 pages")

// Measures of the page, in millimetres.
const (
	margin    = 20.0
	footRoom  = 24.0 // what is kept free at the end of a page
	lineRoom  = 4.6
	smallRoom = 3.8
	logoWidth = 60.0
	logoHigh  = 22.0
)

// Sizes of the writing, in points.
const (
	largeSize = 20.0
	plainSize = 9.5
	smallSize = 8.0
)

// sheet is a PDF while it is drawn.
type sheet struct {
	*Sheet
	pdf           *fpdf.Fpdf
	width, height float64
	y             float64
	columns       []column
	// widths remembers how wide characters are in the font that is set.
	widths map[rune]float64
	fonts  map[string]map[rune]float64
	full   bool
}

// column is one of the table of lines. The first takes what the others leave.
type column struct {
	title string
	width float64
	value func(Line) string
}

// PDF draws the quote. The same quote gives the same bytes.
func PDF(q *Sheet) ([]byte, error) {
	size := "A4"
	if q.Locale.letter {
		size = "Letter"
	}
	pdf := fpdf.New("P", "mm", size, "")
	d := &sheet{Sheet: q, pdf: pdf, fonts: map[string]map[rune]float64{}}
	d.width, d.height = pdf.GetPageSize()
	pdf.SetAutoPageBreak(false, 0)
	pdf.SetMargins(0, 0, 0)
	pdf.SetCatalogSort(true)
	pdf.SetCreationDate(q.At.UTC())
	pdf.SetModificationDate(q.At.UTC())
	pdf.SetTitle(q.Locale.Words.Quote+" "+q.Number, true)
	pdf.SetAuthor(q.Seller.Name, true)
	pdf.SetProducer("kith", true)
	pdf.SetLang(q.Locale.Tag)
	// The library keeps and changes what it is given.
	pdf.AddUTF8FontFromBytes("noto", "", bytes.Clone(regular))
	pdf.AddUTF8FontFromBytes("noto", "B", bytes.Clone(bold))
	pdf.AddPage()
	d.y = margin
	if err := d.head(); err != nil {
		return nil, err
	}
	d.parties()
	d.table()
	d.sums()
	d.terms()
	if d.full {
		return nil, ErrTooLong
	}
	d.feet()
	var out bytes.Buffer
	if err := pdf.Output(&out); err != nil {
		return nil, fmt.Errorf("make a PDF: %w", err)
	}
	return out.Bytes(), nil
}

func (d *sheet) font(style string, size float64) {
	d.pdf.SetFont("noto", style, size)
	key := fmt.Sprint(style, size)
	if d.fonts[key] == nil {
		d.fonts[key] = map[rune]float64{}
	}
	d.widths = d.fonts[key]
}

func (d *sheet) grey(level int) { d.pdf.SetTextColor(level, level, level) }

// rune gives the width of a character.
func (d *sheet) rune(r rune) float64 {
	w, known := d.widths[r]
	if !known {
		w = d.pdf.GetStringWidth(string(r))
		d.widths[r] = w
	}
	return w
}

func (d *sheet) wide(text string) (w float64) {
	for _, r := range text {
		w += d.rune(r)
	}
	return w
}

// right writes one line so that it ends at x.
func (d *sheet) right(x, y float64, text string) { d.pdf.Text(x-d.wide(text), y, text) }

// wrap breaks a text into lines of a width: behind a space where there is one, else anywhere.
func (d *sheet) wrap(text string, width float64) (lines []string) {
	for _, paragraph := range strings.Split(strings.TrimSpace(printable(text)), "\n") {
		from, gap, w := 0, -1, 0.0
		for at, r := range paragraph {
			w += d.rune(r)
			if w > width && at > from {
				cut := at
				if gap > from && r != ' ' {
					cut = gap
				}
				lines = append(lines, strings.TrimRight(paragraph[from:cut], " "))
				from, gap = cut, -1
				w = d.wide(paragraph[from:at]) + d.rune(r)
			}
			if r == ' ' {
				gap = at + 1
			}
		}
		lines = append(lines, strings.TrimSpace(paragraph[from:]))
	}
	return lines
}

// short is a text on one line: what does not fit is left out.
func (d *sheet) short(text string, width float64) string {
	lines := d.wrap(strings.ReplaceAll(text, "\n", " "), width-d.rune('…'))
	if len(lines) == 1 {
		return lines[0]
	}
	return lines[0] + "…"
}

// room begins another page where a height does not fit, and tells so. Behind the last page everything is drawn nowhere.
func (d *sheet) room(high float64) (fresh bool) {
	if d.y+high <= d.height-footRoom {
		return false
	}
	if d.pdf.PageNo() >= MaxPages {
		d.full = true
	}
	if !d.full {
		d.pdf.AddPage()
	}
	d.y = margin
	return true
}

// paragraph writes a text over as many lines, and pages, as it takes.
func (d *sheet) paragraph(x, width, high float64, text string, again func()) {
	style := d.pdf.GetFontStyle()
	size, _ := d.pdf.GetFontSize()
	for _, line := range d.wrap(text, width) {
		if d.full {
			return
		}
		if d.room(high) && again != nil {
			red, _, _ := d.pdf.GetTextColor()
			again()
			d.font(style, size)
			d.grey(red)
		}
		d.pdf.Text(x, d.y+high*0.75, line)
		d.y += high
	}
}

// head is what the first page begins with: who offers, and what this is.
func (d *sheet) head() error {
	w := d.Locale.Words
	top, half := d.y, d.width/2
	if len(d.Logo) > 0 {
		kind := "PNG"
		if bytes.HasPrefix(d.Logo, []byte("\xff\xd8")) {
			kind = "JPG"
		}
		info := d.pdf.RegisterImageOptionsReader("logo", fpdf.ImageOptions{ImageType: kind}, bytes.NewReader(d.Logo))
		if err := d.pdf.Error(); err != nil {
			return fmt.Errorf("read the logo: %w", err)
		}
		scale := min(logoWidth/info.Width(), logoHigh/info.Height())
		d.pdf.ImageOptions("logo", margin, top, info.Width()*scale, info.Height()*scale, false, fpdf.ImageOptions{ImageType: kind}, 0, "")
		d.y = top + info.Height()*scale + 4
	} else {
		d.font("B", 14)
		d.grey(20)
		d.paragraph(margin, half-margin-4, 6.5, d.Seller.Name, nil)
	}
	left := d.y
	d.y = top
	d.font("B", smallSize)
	d.grey(60)
	if len(d.Logo) > 0 {
		d.paragraph(half+10, half-10-margin, smallRoom, d.Seller.Name, nil)
	}
	d.font("", smallSize)
	for _, line := range d.Seller.Lines {
		d.paragraph(half+10, half-10-margin, smallRoom, line, nil)
	}
	d.y = max(left, d.y) + 12
	d.font("B", largeSize)
	d.grey(20)
	title := w.Quote
	if d.Draft {
		title += " · " + w.Draft
	}
	d.pdf.Text(margin, d.y, printable(title))
	d.y += 8
	return nil
}

// parties are whom it is for, and beside that its number and days.
func (d *sheet) parties() {
	w := d.Locale.Words
	top, half := d.y, d.width/2
	d.font("", smallSize)
	d.grey(110)
	d.pdf.Text(margin, d.y+3, w.To)
	d.y += smallRoom + 1
	d.font("B", plainSize)
	d.grey(20)
	d.paragraph(margin, half-margin-4, lineRoom, d.Customer.Name, nil)
	d.font("", plainSize)
	for _, line := range d.Customer.Lines {
		d.paragraph(margin, half-margin-4, lineRoom, line, nil)
	}
	left := d.y
	d.y = top
	d.facts(half+10, d.width-margin, 110, 0.8, [][2]string{{w.Number, d.Number}, {w.Date, d.Date}, {w.ValidUntil, d.ValidUntil}})
	d.y = max(left, d.y) + 8
	if d.Title != "" {
		d.font("B", 12)
		d.paragraph(margin, d.width-2*margin, 5.6, d.Title, nil)
		d.y += 2
	}
}

// facts writes lines between two places, a name at the left in a grey and a value at the right; what has no value is left out.
func (d *sheet) facts(left, right float64, level int, gap float64, facts [][2]string) {
	for _, fact := range facts {
		if fact[1] == "" {
			continue
		}
		d.font("", plainSize)
		d.grey(level)
		d.pdf.Text(left, d.y+3.4, fact[0])
		d.grey(20)
		d.right(right, d.y+3.4, printable(fact[1]))
		d.y += lineRoom + gap
	}
}

// table is what is offered. Its head is repeated on every page.
func (d *sheet) table() {
	w := d.Locale.Words
	d.columns = []column{
		{title: w.Item},
		{w.Quantity, 0, func(l Line) string { return l.Quantity }},
		{w.UnitPrice, 0, func(l Line) string { return l.UnitPrice }},
	}
	if d.Discounted() {
		d.columns = append(d.columns, column{w.Discount, 0, func(l Line) string { return l.Discount }})
	}
	if d.Taxed() {
		d.columns = append(d.columns, column{w.Tax, 0, func(l Line) string { return l.Tax }})
	}
	d.columns = append(d.columns, column{w.Amount, 0, func(l Line) string { return l.Total }})
	rest := d.width - 2*margin
	numbers := d.columns[1:]
	for i := range numbers {
		c := &numbers[i]
		d.font("B", smallSize)
		c.width = d.wide(c.title)
		d.font("", plainSize)
		for _, l := range d.Lines {
			c.width = max(c.width, d.wide(c.value(l)))
		}
		c.width += 5
		rest -= c.width
	}
	// Amounts can have nineteen digits. Where they leave little for the names, they are written smaller.
	scale := 1.0
	if least := 45.0; rest < least {
		scale = (d.width - 2*margin - least) / (d.width - 2*margin - rest)
		for i := range numbers {
			numbers[i].width *= scale
		}
		rest = least
	}
	d.columns[0].width = rest
	d.tableHead()
	for _, l := range d.Lines {
		if d.full {
			return
		}
		d.line(l, plainSize*scale)
	}
	d.y++
}

// tableHead writes the titles of the columns.
func (d *sheet) tableHead() {
	d.pdf.SetFillColor(241, 243, 242)
	d.pdf.Rect(margin, d.y, d.width-2*margin, 7, "F")
	d.font("B", smallSize)
	d.grey(60)
	x := margin
	for i, c := range d.columns {
		x += c.width
		if i == 0 {
			d.pdf.Text(margin+2, d.y+4.7, c.title)
		} else {
			d.right(x-2, d.y+4.7, d.short(c.title, c.width))
		}
	}
	d.y += 8.5
}

// line is one row of the table. Its first lines stay together.
func (d *sheet) line(l Line, size float64) {
	d.font("B", plainSize)
	if d.room(min(float64(len(d.wrap(l.Name, d.columns[0].width-4))), 4)*lineRoom + 3) {
		d.tableHead()
	}
	x := margin
	d.font("", size)
	d.grey(20)
	for i, c := range d.columns {
		x += c.width
		if i > 0 {
			d.right(x-2, d.y+3.4, printable(c.value(l)))
		}
	}
	d.font("B", plainSize)
	d.paragraph(margin+2, d.columns[0].width-4, lineRoom, l.Name, d.tableHead)
	d.font("", smallSize)
	d.grey(100)
	for _, text := range []string{l.SKU, l.Description} {
		if text != "" {
			d.paragraph(margin+2, d.columns[0].width-4, smallRoom, text, d.tableHead)
		}
	}
	d.y += 1.4
	d.rule(margin)
	d.y += 1.8
}

// rule draws a thin line to the right margin.
func (d *sheet) rule(from float64) {
	if d.full {
		return
	}
	d.pdf.SetDrawColor(216, 220, 218)
	d.pdf.SetLineWidth(0.2)
	d.pdf.Line(from, d.y, d.width-margin, d.y)
}

// sums are what it costs.
func (d *sheet) sums() {
	w := d.Locale.Words
	d.room(5*lineRoom + 12)
	from := d.width/2 + 10
	d.y += 2
	d.facts(from, d.width-margin-2, 80, 0.6, [][2]string{{w.Subtotal, d.Subtotal}, {w.Discount, d.Discount}, {w.Tax, d.Tax}})
	d.y++
	d.rule(from)
	d.font("B", 12)
	d.grey(20)
	d.pdf.Text(from, d.y+6, w.Total)
	d.right(d.width-margin-2, d.y+6, printable(d.Locale.Priced(d.Total, d.Currency)))
	d.y += 10
	d.font("", smallSize)
	d.grey(110)
	d.right(d.width-margin-2, d.y+2, printable(w.AmountsIn+" "+d.Currency))
	d.y += 8
}

func (d *sheet) terms() {
	if len(d.Terms) == 0 {
		return
	}
	d.room(3 * lineRoom)
	d.font("B", plainSize)
	d.grey(20)
	d.paragraph(margin, d.width-2*margin, lineRoom+1, d.Locale.Words.Terms, nil)
	d.font("", smallSize)
	d.grey(60)
	for _, text := range d.Terms {
		d.paragraph(margin, d.width-2*margin, smallRoom, text, nil)
		d.y += smallRoom // as between paragraphs of the same text
	}
}

// feet writes the end of each page, when it is known how many there are.
func (d *sheet) feet() {
	all := d.pdf.PageCount()
	for page := 1; page <= all; page++ {
		d.pdf.SetPage(page)
		// The library leaves a font out that it has set already, be it on another page.
		d.font("", 1)
		d.font("", 7)
		d.grey(110)
		d.y = d.height - footRoom + 6
		d.rule(margin)
		number := d.Locale.Words.PageOf(page, all)
		if all > 1 { // pages get apart
			number = printable(d.Locale.Words.Quote + " " + d.Number + " · " + number)
		}
		d.right(d.width-margin, d.y+5, number)
		lines := d.wrap(d.Footer, d.width-2*margin-35)
		for i, line := range lines[:min(len(lines), 4)] {
			d.pdf.Text(margin, d.y+5+float64(i)*3.2, line)
		}
	}
}
