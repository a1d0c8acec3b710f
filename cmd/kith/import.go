package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/exchange"
	"github.com/kith-crm/kith/internal/operator"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/queue"
	"github.com/kith-crm/kith/internal/tabular"
)

// rowsAtOnce is how many rows are written in one transaction.
const rowsAtOnce = 100

// importing is an import by command.
type importing struct {
	c       *invocation
	engine  *record.Engine
	who     member
	plan    *exchange.Import
	file    *os.File
	dialect tabular.Dialect
	head    []string
	preview bool
	// digest is that of the file and of how it is read: what was done of it is known by that.
	digest [sha256.Size]byte
	rows   int64
	done   importCounts
	// refused writes the rows that were refused to a file, or is nil.
	refused  *refusedRows
	examples []string
	actor    store.Actor
	// before is how many rows had been done before, under the request wasUnder.
	before   int64
	wasUnder string
}

// importCounts are what became of the rows so far.
type importCounts struct {
	Rows      int64 `json:"rows"`
	Created   int64 `json:"created"`
	Changed   int64 `json:"changed"`
	Unchanged int64 `json:"unchanged"`
	Refused   int64 `json:"refused"`
}

// importFile makes records out of the rows of a file.
func importFile(ctx context.Context, c *invocation) error {
	c.operand = "FILE"
	business, who := c.flags.String("business", "", "the business, business_…"), c.userFlag()
	c.jsonFlag()
	resource := c.text("resource", "", "what the rows are: "+strings.Join(exchange.ImportKinds(),
		", ")+"; without it FILE is the archive of a whole business, as kith export writes it", orEmpty(among(exchange.ImportKinds())))
	match := c.flags.String("match", "", "the field by which a row finds the record that it changes, such as email or external_id")
	policy := c.text("policy", "", "create (rows that match a record are refused), update (those that match none are) or upsert; "+
		"without it rows with an id, or with --match all that find one, change a record, and the others make one",
		orEmpty(among(exchange.ImportPolicies)))
	mapping := c.text("map", "", "which columns are which fields, where their names do not tell: 'Firma=company.name,Notes=-'", isMapping)
	newFields := c.text("new-fields", "", "custom fields that are made on the way: 'shoe_size:number,tier:select:Tier', each a name, a "+
		"kind and a label", areNewFields)
	newOptions := c.flags.Bool("new-options", false, "make options that custom fields lack, of which rows are otherwise refused")
	clear := c.flags.Bool("clear-empty", false, "let empty cells empty the field, which otherwise stays as it is")
	encoding := c.text("encoding", "", "of the file: "+strings.Join(tabular.Encodings, ", ")+"; found out when not given",
		orEmpty(among(tabular.Encodings)))
	decimals := c.text("decimals", "", "comma or point; found out when not given", orEmpty(among([]string{"comma", "point"})))
	dates := c.text("dates", "", "dmy or mdy, what comes first in 03/04/2026; found out when not given",
		orEmpty(among([]string{"dmy", "mdy"})))
	preview := c.flags.Bool("preview", false, "tell what would become of every row, and write nothing")
	again := c.flags.Bool("again", false, "import the file although that was done within a day, with the same options; without it, what "+
		"was done is not done again")
	refused := c.flags.String("refused", "", "write the rows that are refused to this file, with why, to be corrected and imported again")
	if err := c.parse("business", "user"); err != nil {
		return err
	}
	if path := c.given[c.operand]; *resource == "" && path != standard && !strings.HasSuffix(strings.ToLower(path), ".zip") {
		return c.misused("it needs --resource, unless FILE is the archive of a whole business, which ends in .zip")
	}
	if *resource == "" && (*match+*policy+*mapping+*newFields+*encoding+*decimals+*dates != "" || *clear || *newOptions) {
		return c.misused("it needs --resource; of FILE as the archive of a whole business nothing is to be decided but --preview and " +
			"--refused")
	}
	options := exchange.ImportOptions{
		Map: map[string]string{}, Match: *match, Policy: *policy, Clear: *clear,
		NewFields: map[string]exchange.NewField{}, MakeOptions: *newOptions,
	}
	for name, said := range newFieldsOf(*newFields) {
		options.NewFields[name] = said
	}
	for column, field := range mappingOf(*mapping) {
		options.Map[column] = field
	}
	t, err := c.tenant(ctx, *business)
	if err != nil {
		return err
	}
	m, err := c.user(ctx, t, *who)
	if err != nil {
		return err
	}
	engine := c.engine
	engine.Store().LeaveUntidy()
	file, err := readTwice(c.given[c.operand])
	if err != nil {
		return err
	}
	defer file.Close()
	im := &importing{c: c, engine: engine, who: m, file: file, preview: *preview, dialect: tabular.Dialect{Encoding: *encoding}}
	im.actor = store.Actor{User: m.rec.ID(), RequestID: schema.FormatID("req", schema.NewID(time.Now()))}
	principal, err := operator.Acting(ctx, engine, m.tenant, m.rec.ID())
	if err != nil {
		return err
	}
	if err := im.survey(principal, record.KindOf(*resource), options); err != nil {
		return withAdvice(err, *resource)
	}
	im.plan.Style = im.plan.StyleOf(im.dialect, *decimals, *dates)
	text, err := json.Marshal([]any{*business, *resource, options, im.dialect, im.plan.Style.Comma, im.plan.Style.Days})
	if err != nil {
		return err
	}
	if *again {
		text = append(text, im.actor.RequestID...)
	}
	im.digest = sha256.Sum256(append(im.digest[:], text...))
	if *refused != "" {
		if im.refused, err = newRefusedRows(*refused, im.head, im.dialect); err != nil {
			return err
		}
	}
	err = im.run(ctx, record.KindOf(*resource))
	if im.refused != nil {
		err = errors.Join(err, im.refused.close())
	}
	if err != nil {
		return err
	}
	return im.tell()
}

// readTwice opens a file. What comes from standard input is put into a temporary one, because it is read twice.
func readTwice(path string) (*os.File, error) {
	if path != standard {
		return os.Open(path)
	}
	file, err := tabular.Temporary()
	if err == nil {
		_, err = io.Copy(file, os.Stdin)
	}
	return file, err
}

// counted is a number of things.
func counted(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// withAdvice tells of columns that have to be decided how that is said here.
func withAdvice(err error, resource string) error {
	p := problem.As(err)
	if p == nil {
		return err
	}
	told := *p
	told.Fields = nil
	first := ""
	for _, f := range p.Fields {
		column, ok := strings.CutPrefix(f.Field, "map.")
		switch {
		case ok && f.Code == "required":
			if first == "" {
				first = column
			}
			told.Fields = append(told.Fields, problem.Field{
				Field: "the column " + column, Code: f.Code,
				Message: "is no field of " + resource,
			})
		case ok:
			f.Field = "--map " + column
			told.Fields = append(told.Fields, f)
		default:
			f.Field = "--" + f.Field
			told.Fields = append(told.Fields, f)
		}
	}
	if first != "" {
		told.Fields = append(told.Fields, problem.Field{
			Field: "Say which field a column is",
			Message: fmt.Sprintf("by --map '%s=FIELD', such as %s, or leave it out by --map '%s=-', or all such columns by --map '*=-'",
				first, "address.city", first),
		})
	}
	return &told
}

// among is the rule of options that are one of some words.
func among(words []string) func(string) string {
	return func(text string) string {
		if !slices.Contains(words, text) {
			return "must be one of " + strings.Join(words, ", ")
		}
		return ""
	}
}

// mappingOf gives the columns and fields of a mapping; the fields are empty where none is named.
func mappingOf(text string) iter.Seq2[string, string] {
	return func(yield func(column, field string) bool) {
		for pair := range strings.SplitSeq(text, ",") {
			column, field, _ := strings.Cut(pair, "=")
			if strings.TrimSpace(pair) != "" && !yield(strings.TrimSpace(column), strings.TrimSpace(field)) {
				return
			}
		}
	}
}

// isMapping is the rule of what says which columns are which fields.
func isMapping(text string) string {
	for column, field := range mappingOf(text) {
		if column == "" || field == "" {
			return "must be COLUMN=FIELD, several with commas between them"
		}
	}
	return ""
}

// newFieldsOf gives the names of new fields, and what is said of them.
func newFieldsOf(text string) iter.Seq2[string, exchange.NewField] {
	return func(yield func(name string, said exchange.NewField) bool) {
		for one := range strings.SplitSeq(text, ",") {
			parts := append(strings.SplitN(one, ":", 3), "", "")
			if strings.TrimSpace(one) != "" && !yield(strings.TrimSpace(parts[0]),
				exchange.NewField{Kind: strings.TrimSpace(parts[1]), Label: strings.TrimSpace(parts[2])}) {
				return
			}
		}
	}
}

// areNewFields is the rule of what says which fields are made.
func areNewFields(text string) string {
	for name, said := range newFieldsOf(text) {
		if name == "" || !slices.Contains(exchange.NewFieldKinds(), said.Kind) {
			return "must be NAME:KIND or NAME:KIND:LABEL, " +
				"several with commas between them; KIND is one of " + strings.Join(exchange.NewFieldKinds(), ", ")
		}
	}
	return ""
}

// survey reads the whole file once: how many rows it has, how it writes numbers and days, and its digest.
func (im *importing) survey(who *record.Principal, k *record.Kind, o exchange.ImportOptions) error {
	sum := sha256.New()
	rows, err := im.open(k, sum)
	if err != nil {
		return err
	}
	defer rows.Close()
	var seen []tabular.Survey
	if table, ok := rows.(*tabular.Reader); ok {
		im.dialect, im.head, seen = table.Dialect, table.Head, make([]tabular.Survey, len(table.Head))
	}
	bar := newProgress(im.c.errs)
	defer bar.clear()
	for {
		row, err := rows.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		im.rows = row.N
		for i, cell := range row.Cells[:min(len(row.Cells), len(seen))] {
			seen[i].Note(cell)
		}
		bar.at("rows read", row.N, 0)
	}
	sum.Sum(im.digest[:0])
	if archive, ok := rows.(*exchange.Archive); ok {
		im.plan, err = exchange.PlanArchive(im.engine, who, &archive.Guide)
	} else {
		im.plan, err = exchange.PlanImport(im.engine, who, k, im.head, seen, o)
	}
	return err
}

// rowsOf are the rows of a file, however it is written.
type rowsOf interface {
	Next() (tabular.Row, error)
	Close()
}

// open begins to read the file: a table of records of a kind, or without one an archive. What is read is also written to sum.
func (im *importing) open(k *record.Kind, sum io.Writer) (rowsOf, error) {
	if _, err := im.file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	if k != nil {
		return tabular.Open(io.TeeReader(im.file, sum), im.dialect)
	}
	size, err := io.Copy(sum, im.file)
	if err != nil {
		return nil, err
	}
	return exchange.OpenArchive(im.file, size, 0)
}

// run reads the file again, and makes its records.
func (im *importing) run(ctx context.Context, k *record.Kind) error {
	r, err := im.open(k, io.Discard)
	if err != nil {
		return err
	}
	defer r.Close()
	bar := newProgress(im.c.errs)
	defer bar.clear()
	for part, more := int64(0), true; more; part++ {
		var rows []tabular.Row
		for weight := 0; len(rows) < rowsAtOnce && weight < tabular.MaxRowBytes; {
			row, err := r.Next()
			if errors.Is(err, io.EOF) {
				more = false
				break
			}
			if err != nil {
				return err
			}
			row.Cells = slices.Clone(row.Cells)
			for _, cell := range row.Cells {
				weight += len(cell)
			}
			rows = append(rows, row)
		}
		if len(rows) == 0 {
			break
		}
		if err := im.part(ctx, part, rows); err != nil {
			return fmt.Errorf("after %d rows: %w; the same command within a day goes on where this one stopped", im.done.Rows, err)
		}
		bar.at("rows done", im.done.Rows, im.rows)
	}
	return nil
}

// kept is what is known of a part of a file that was done: it is written in the transaction of its records, so that nothing is done
// twice, whatever happens to whom does it.
type kept struct {
	Counts  importCounts
	Refused map[int64]string
	Request string
}

// part makes the records of some rows in one transaction, unless that was done before.
func (im *importing) part(ctx context.Context, part int64, rows []tabular.Row) error {
	hash := sha256.Sum256(binary.BigEndian.AppendUint64(append([]byte("import"), im.digest[:]...), uint64(part)))
	var done kept
	do := func(tx *store.Tx) error {
		done = kept{Counts: importCounts{Rows: int64(len(rows))}, Refused: map[int64]string{}, Request: im.actor.RequestID}
		if !im.preview {
			known, err := queue.AnswerIn(tx, hash)
			if err != nil {
				return err
			}
			if known != nil {
				done.Request = "" // where it is not known, it was another one
				return json.Unmarshal(known.Body, &done)
			}
		}
		err := im.plan.Step(tx, rows, func(row exchange.Imported) {
			switch {
			case row.Err != nil:
				done.Counts.Refused++
				done.Refused[row.N] = exchange.Reason(row.Err)
			case row.Made:
				done.Counts.Created++
			case row.Changed:
				done.Counts.Changed++
			default:
				done.Counts.Unchanged++
			}
		})
		if err != nil || im.preview {
			return err
		}
		text, err := json.Marshal(done)
		if err != nil {
			return err
		}
		return queue.KeepAnswer(tx, hash, queue.Answer{Fingerprint: hash, Body: text})
	}
	write := im.who.tenant.Write
	if im.preview {
		write = im.who.tenant.Rehearse
	}
	if err := write(ctx, im.actor, do); err != nil {
		return err
	}
	if done.Request != im.actor.RequestID {
		im.before, im.wasUnder = im.before+done.Counts.Rows, done.Request
	}
	sum := &im.done
	sum.Rows += done.Counts.Rows
	sum.Created += done.Counts.Created
	sum.Changed += done.Counts.Changed
	sum.Unchanged += done.Counts.Unchanged
	sum.Refused += done.Counts.Refused
	for _, row := range rows {
		why, bad := done.Refused[row.N]
		if !bad {
			continue
		}
		if len(im.examples) < 10 {
			im.examples = append(im.examples, fmt.Sprintf("row %d: %s", row.N, why))
		}
		if im.refused != nil {
			if err := im.refused.rows.Add(row, why); err != nil {
				return err
			}
		}
	}
	if im.refused != nil {
		return im.refused.flush()
	}
	return nil
}

// tell says what became of the file.
func (im *importing) tell() error {
	d := im.done
	made, changed, refused := "made", "changed", "refused"
	if im.preview {
		made, changed, refused = "would be made", "would be changed", "would be refused"
	}
	type column struct {
		Name  string `json:"name"`
		Field string `json:"field"`
	}
	columns, lines := []column{}, []string{}
	for _, told := range im.plan.Columns() {
		columns = append(columns, column{told[0], told[1]})
		if im.preview {
			lines = append(lines, fmt.Sprintf("%s: %s", told[0], told[1]))
		}
	}
	lines = append(lines, fmt.Sprintf("%s: %d %s, %d %s, %d stay as they are, %d %s.", counted(d.Rows, "row"), d.Created, made, d.Changed,
		changed, d.Unchanged, d.Refused, refused))
	lines = append(lines, im.examples...)
	if more := d.Refused - int64(len(im.examples)); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more; --refused FILE writes all of them to a file, with why", more))
	}
	under := im.actor.RequestID
	if im.before > 0 && im.before == d.Rows {
		under = cmp.Or(im.wasUnder, under)
		lines = append(lines, "All of it was done before, within a day, and was not done again. With --again it is.")
	} else if im.before > 0 {
		lines = append(lines, fmt.Sprintf("%s had been done before, under %s.", counted(im.before, "row"), im.wasUnder))
	}
	if !im.preview {
		lines = append(lines, "The change log has it under "+under+".")
	}
	err := im.c.print(struct {
		importCounts
		Columns   []column `json:"columns"`
		Examples  []string `json:"examples"`
		RequestID string   `json:"request_id"`
	}{d, columns, append([]string{}, im.examples...), under}, lines...)
	if err == nil && d.Refused > 0 {
		err = &exit{code: 1}
	}
	return err
}

// refusedRows writes rows to a file that can be imported again.
type refusedRows struct {
	file *os.File
	rows *tabular.Refused
}

func newRefusedRows(path string, head []string, as tabular.Dialect) (*refusedRows, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	return &refusedRows{file, tabular.NewRefused(head, exchange.ImportError, as)}, nil
}

// flush writes what was gathered.
func (r *refusedRows) flush() error {
	text, err := r.rows.Take()
	if err == nil {
		_, err = r.file.Write(text)
	}
	return err
}

func (r *refusedRows) close() error { return errors.Join(r.flush(), r.file.Close()) }
