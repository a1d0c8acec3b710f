package exchange

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/queue"
	"github.com/kith-crm/kith/internal/tabular"
)

// What is wrong in a cell is corrected in the rows that are kept: the run, the file of refused rows and an erasure know nothing else.

// corrections is the field of a patch that corrects cells.
var corrections = schema.Field{
	Name: "corrections", Kind: schema.List,
	About: "Cells of the file that are to have other values, up to 200 at once: one of a row, or with from all of a column that " +
		"have that value. They are kept with the file, and not answered.",
	Fields: []schema.Field{
		{
			Name: "row", Kind: schema.Integer, Min: schema.Bound(1),
			About: "Counted from 1 behind the head, as refusals count it; not with from.",
		},
		{Name: "column", Kind: schema.Text, Required: true, Max: schema.Bound(1000), About: "The name of the column."},
		{
			Name: "from", Kind: schema.Text, Max: schema.Bound(longestWrong),
			About: "The value that is to be another in all rows of the column; not with row.",
		},
		{Name: "value", Kind: schema.LongText, About: "What the cell has from then on; nothing where it is null."},
	},
}

var correcting = schema.FieldsOf[struct {
	Corrections *schema.Leaf
	Correction  struct{ Row, Column, From, Value *schema.Leaf } `field:"corrections"`
}](ImportPatch)

// correction is a cell with its new value, or where row is 0 all cells of a column with one value.
type correction struct {
	row         int64
	column      int
	from, value string
}

// readCorrections reads what a patch corrects, and holds it to the file.
func (s *ImportState) readCorrections(given *body.Changes) (all []correction, err error) {
	items, err := body.Items(given.Get(correcting.Corrections), ImportPatch.Inner[correcting.Corrections.Name])
	if err != nil || len(items) == 0 {
		return nil, err
	}
	if err := s.mayChangeFile(); err != nil {
		return nil, err
	}
	if s.file == nil || s.file.Head == nil {
		return nil, problem.New(problem.InvalidTransition, "The import has no table whose cells could be corrected.")
	}
	var wrong problem.Fields
	for i, item := range items {
		at := fmt.Sprintf("%s[%d].", correcting.Corrections.Path, i)
		c := correction{
			item.Get(correcting.Correction.Row).N, slices.Index(s.file.Head, item.Text(correcting.Correction.Column)),
			item.Text(correcting.Correction.From), item.Text(correcting.Correction.Value),
		}
		if (c.row == 0) == (c.from == "") {
			wrong.Add(at+correcting.Correction.Row.Path, "required", "must be given, or from, and not both")
		}
		if c.row > s.file.Rows {
			wrong.Add(at+correcting.Correction.Row.Path, "out_of_range", fmt.Sprintf("must be one of the %d rows of the file", s.file.Rows))
		}
		if c.column < 0 {
			wrong.Add(at+correcting.Correction.Column.Path, "unknown_field",
				"is not the name of a column"+problem.DidYouMean(item.Text(correcting.Correction.Column), s.file.Head), s.file.Head...)
		}
		all = append(all, c)
	}
	return all, wrong.Err()
}

// maxCorrectedBytes is how many bytes the rows have together, with those that are kept beside them, that are corrected at once: they are
// read and written while the business waits.
const maxCorrectedBytes = 4 << 20

// correct writes corrected cells into the rows that are kept, where there is room for them.
func (s *ImportState) correct(tx *store.Tx, e *record.Engine, all []correction) error {
	if len(all) == 0 {
		return nil
	}
	files, err := queue.FilesBesideIn(tx, s.ID)
	if err != nil {
		return err
	}
	others, err := keptOf(files)
	if err != nil {
		return err
	}
	if s.file.Kept == 0 {
		s.file.Kept = s.file.Bytes
	}
	for _, c := range all {
		if c.row == 0 {
			value := strings.TrimSpace(strings.ReplaceAll(c.value, "\x00", ""))
			if err := s.file.Values.add(replacement{s.file.Head[c.column], strings.TrimSpace(c.from), value}); err != nil {
				return err
			}
		}
	}
	all = slices.DeleteFunc(all, func(c correction) bool { return c.row == 0 })
	slices.SortStableFunc(all, func(a, b correction) int { return int(a.row - b.row) })
	for bytes := 0; len(all) > 0; {
		kept, err := queue.RowsIn(tx, s.ID, s.FileID, all[0].row)
		if err != nil {
			return err
		}
		rows, err := tabular.Unpack(kept.First, kept.Data)
		if err != nil || kept.Data == nil {
			return errFileGone
		}
		n, before := 0, len(kept.Data)
		for ; n < len(all) && all[n].row < kept.First+int64(len(rows)); n++ {
			if err := all[n].apply(&rows[all[n].row-kept.First]); err != nil {
				return err
			}
		}
		if n == 0 {
			return errFileGone
		}
		var packer tabular.Packer
		for _, row := range rows {
			if bytes += row.Weight(); bytes > maxCorrectedBytes {
				return problem.New(problem.PayloadTooLarge,
					"The rows around row %d would have more than %d bytes together with those that "+
						"are corrected before them. Correct fewer cells at once, or correct them in the file and send that again.", row.N,
					maxCorrectedBytes)
			}
			packer.Add(row)
		}
		if _, kept.Data, err = packer.Pack(); err != nil {
			return err
		}
		s.file.Kept += int64(len(kept.Data) - before)
		if err := roomForFile(e, others+s.file.Kept); err != nil {
			return err
		}
		if err := queue.ReplaceImportRows(tx, s.ID, s.FileID, kept); err != nil {
			return err
		}
		all = all[n:]
	}
	about, err := json.Marshal(s.file)
	if err != nil {
		return err
	}
	return queue.PutFile(tx, s.ID, s.FileID, string(about))
}

// apply gives a row the value.
func (c correction) apply(row *tabular.Row) error {
	if row.Fault != nil {
		return problem.New(problem.Conflict, "Row %d cannot be read, so none of its cells can be corrected. Correct it in the file, and "+
			"send that again.", row.N)
	}
	for len(row.Cells) <= c.column {
		row.Cells = append(row.Cells, "")
	}
	row.Cells[c.column] = strings.ReplaceAll(c.value, "\x00", "")
	if row.Weight() > tabular.MaxRowBytes {
		return problem.New(problem.PayloadTooLarge, "Row %d would have more than %d bytes.", row.N, tabular.MaxRowBytes)
	}
	return nil
}

// Bounds of the rows that are told at once.
const (
	MaxToldRows  = 20
	maxToldBytes = 4 << 20
)

// Rows gives some rows of the table of an import by their numbers, but those that are not there, cannot be read, or are too much.
func Rows(ctx context.Context, e *record.Engine, c record.Call, id string, numbers []int64) (found []tabular.Row, err error) {
	s, err := FindImport(ctx, e, c, id)
	if err != nil {
		return nil, err
	}
	if s.file == nil || s.file.Head == nil {
		return nil, problem.New(problem.InvalidTransition, "The import has no table.")
	}
	bytes := 0
	var at queue.ImportRows
	var rows []tabular.Row
	for _, n := range numbers {
		if i := n - at.First; rows == nil || i < 0 || i >= int64(len(rows)) {
			if at, err = queue.FindRows(ctx, c.Tenant, s.ID, s.FileID, n); err != nil {
				return nil, err
			}
			if rows, err = tabular.Unpack(at.First, at.Data); at.Data == nil || err != nil {
				return found, nil
			}
		}
		if i := n - at.First; i >= 0 && i < int64(len(rows)) && rows[i].Fault == nil {
			if bytes += rows[i].Weight(); bytes > maxToldBytes {
				break
			}
			found = append(found, s.file.corrected(rows[i:i+1])...)
		}
	}
	return found, nil
}
