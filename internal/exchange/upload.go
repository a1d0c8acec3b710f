package exchange

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/queue"
	"github.com/kith-crm/kith/internal/tabular"
	"github.com/kith-crm/kith/internal/work"
)

// keptAtOnce is how many bytes of packed rows are written in one transaction.
const keptAtOnce = 1 << 20

var errOtherFile = problem.New(problem.Conflict, "Another file is being sent for this import, or somebody was erased meanwhile whom this "+
	"one may name. Send it again.")

// upload is a file on its way into the database.
type upload struct {
	*ImportState
	e    *record.Engine
	call record.Call
	id   schema.UUID
	// dry tells that nothing is kept.
	dry    bool
	pace   *work.Pace
	packer tabular.Packer
	rows   []queue.ImportRows
	bytes  int
	// others is how many bytes are kept of the files of other imports, and kept how many of this one so far.
	others, kept int64
}

// counted counts what is read. What is done between two readings is work, and what they wait for is none.
type counted struct {
	from io.Reader
	pace *work.Pace
	n    int64
}

func (c *counted) Read(p []byte) (int, error) {
	if err := c.pace.Rest(); err != nil {
		return 0, err
	}
	n, err := c.from.Read(p)
	c.n += int64(n)
	c.pace.Begin()
	return n, err
}

// longestReading is how long a file is read at most, and abandonedAfter for how long it is waited for: then its server has died.
const (
	longestReading = time.Hour
	abandonedAfter = 2 * longestReading
)

// Upload reads the file of an import, and keeps its rows in place of those of another one. What the dialect leaves open is found
// out. It gives the first rows, too.
func Upload(ctx context.Context, e *record.Engine, c record.Call, id string, from io.Reader, d tabular.Dialect, dry bool) (*ImportState,
	[]tabular.Row, error,
) {
	s, err := FindImport(ctx, e, c, id)
	if err != nil {
		return nil, nil, err
	}
	if err := s.mayChangeFile(); err != nil {
		return nil, nil, err
	}
	files, err := queue.FilesBeside(ctx, c.Tenant, s.ID)
	if err != nil {
		return nil, nil, err
	}
	whole := ctx
	ctx, cancel := context.WithTimeout(ctx, longestReading)
	defer cancel()
	u := &upload{ImportState: s, e: e, call: c, id: e.Store().NewLease(), dry: dry, pace: work.NewPace(ctx, e)}
	if u.others, err = keptOf(files); err == nil {
		err = roomForFile(e, u.others+1)
	}
	if err != nil {
		return nil, nil, err
	}
	if !dry {
		if err := u.keep(ctx, func(tx *store.Tx) error { return queue.BeginFile(tx, s.ID, u.id) }); err != nil {
			return nil, nil, err
		}
	}
	d.Pause = u.pace.Rest
	first, err := u.read(ctx, from, d)
	if err == nil {
		err = u.end(ctx)
	}
	if dry {
		return s, first, err
	}
	// What is not needed any more goes at once, also where the client has gone. What is left by a server that dies goes with the next
	// file, or is swept.
	rest, stop := context.WithTimeout(context.WithoutCancel(whole), 30*time.Second)
	defer stop()
	if err != nil {
		err = errors.Join(err, u.keep(rest, func(tx *store.Tx) error { return queue.AbandonFile(tx, s.ID, u.id) }))
	}
	return s, first, errors.Join(err, forgetRows(rest, c.Tenant, s.ID))
}

// keptOf is how many bytes are kept of files, by what is known of them. Of those from before that was noted it is what was sent.
func keptOf(files []string) (bytes int64, err error) {
	for _, about := range files {
		var file struct{ Bytes, Kept int64 }
		if err := json.Unmarshal([]byte(about), &file); err != nil {
			return 0, err
		}
		if file.Kept == 0 {
			file.Kept = file.Bytes
		}
		bytes += file.Kept
	}
	return bytes, nil
}

// roomForFile refuses a file with which so many bytes would be kept of the imports of the business.
func roomForFile(e *record.Engine, bytes int64) error {
	if bytes > e.ImportRoom {
		return problem.New(problem.Conflict,
			"The rows of the imports of this business would take more than %d bytes together, as they are kept. "+
				"Delete imports that are not needed any more; they are forgotten %d days after the last thing that happened to them.",
			e.ImportRoom, importDays)
	}
	return nil
}

// mayChangeFile refuses another file where that would make it unclear what was done.
func (s *ImportState) mayChangeFile() error {
	if err := s.idle(); err != nil {
		return err
	}
	if status := s.Status(); s.run != nil && status != importUndone {
		return problem.New(problem.InvalidTransition, "The import has been run, and is %s. Make another one for another file.", status)
	}
	return nil
}

// read reads the file to its end.
func (u *upload) read(ctx context.Context, from io.Reader, d tabular.Dialect) (first []tabular.Row, err error) {
	bytes := &counted{from: from, pace: u.pace}
	if u.kind == wholeBusiness {
		return u.readArchive(ctx, bytes)
	}
	r, err := tabular.Open(bytes, d)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	u.file = &importFile{Format: r.Format, Encoding: r.Encoding, Head: r.Head, Seen: make([]tabular.Survey, len(r.Head))}
	if r.Delimiter != 0 {
		u.file.Delimiter = string(r.Delimiter)
	}
	err = u.each(ctx, r.Next, func(row tabular.Row) {
		for i, cell := range row.Cells[:min(len(row.Cells), len(r.Head))] {
			u.file.Seen[i].Note(cell)
		}
		if len(first) < sampleRows {
			row.Cells = slices.Clone(row.Cells)
			first = append(first, row)
		}
	})
	u.file.Bytes = bytes.n
	return first, err
}

// each keeps all rows, and hands each to look.
func (u *upload) each(ctx context.Context, next func() (tabular.Row, error), look func(tabular.Row)) error {
	for {
		row, err := next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = u.pace.Rest()
		}
		if err != nil {
			return err
		}
		u.file.Rows = row.N
		look(row)
		if u.packer.Add(row) {
			if err := u.pack(ctx); err != nil {
				return err
			}
		}
	}
	if u.file.Rows == 0 {
		return problem.New(problem.ValidationFailed, "The file cannot be read: it has no rows.")
	}
	if err := u.pack(ctx); err != nil {
		return err
	}
	return u.write(ctx)
}

// readArchive reads an archive to its end. It lies in a temporary file meanwhile, because what it has stands in its last bytes.
func (u *upload) readArchive(ctx context.Context, from *counted) (first []tabular.Row, err error) {
	file, err := tabular.Temporary()
	if err != nil {
		return nil, err
	}
	defer tabular.Discard(file)
	size, err := io.Copy(file, from)
	if err != nil {
		return nil, err
	}
	a, err := OpenArchive(file, size, tabular.MaxFileRows)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	a.pause = u.pace.Rest
	u.file = &importFile{Format: ArchiveFormat, Guide: &a.Guide, Bytes: size}
	return nil, u.each(ctx, a.Next, func(tabular.Row) {})
}

// pack puts the rows that were gathered to those that are to be written.
func (u *upload) pack(ctx context.Context) error {
	first, data, err := u.packer.Pack()
	if err != nil || data == nil {
		return err
	}
	u.rows, u.bytes, u.kept = append(u.rows, queue.ImportRows{First: first, Data: data}), u.bytes+len(data), u.kept+int64(len(data))
	if u.bytes < keptAtOnce {
		return nil
	}
	return u.write(ctx)
}

// write keeps rows.
func (u *upload) write(ctx context.Context) error {
	rows := u.rows
	u.rows, u.bytes = nil, 0
	if u.dry || len(rows) == 0 {
		return roomForFile(u.e, u.others+u.kept)
	}
	return u.keep(ctx, func(tx *store.Tx) error {
		if err := expected(queue.PutImportRows(tx, u.ID, u.id, rows)); err != nil {
			return err
		}
		coming, err := queue.ComingBytes(tx)
		if err != nil {
			return err
		}
		return roomForFile(u.e, u.others+coming)
	})
}

// keep writes something for the file, which is not somebody else for whom its reading would have to rest.
func (u *upload) keep(ctx context.Context, do func(*store.Tx) error) error {
	u.e.Background.Note()
	return u.call.Tenant.Keep(ctx, u.call.By(), do)
}

func expected(still bool, err error) error {
	if err == nil && !still {
		err = errOtherFile
	}
	return err
}

// end makes the file that of the import, where there is room for it. Files come one at a time here, in the business's turn, so that
// those which come at once are not more together than may be. What was decided about a column that it does not have is forgotten.
func (u *upload) end(ctx context.Context) error {
	u.file.Kept = u.kept
	about, err := json.Marshal(u.file)
	if err != nil || u.dry {
		return err
	}
	return u.call.Tenant.Write(ctx, u.call.By(), func(tx *store.Tx) error {
		files, err := queue.FilesBesideIn(tx, u.ID)
		if err != nil {
			return err
		}
		others, err := keptOf(files)
		if err == nil {
			err = roomForFile(u.e, others+u.kept)
		}
		if err != nil {
			return err
		}
		now, err := stateIn(u.call.Principal, tx, schema.FormatID(importID, u.ID))
		if err != nil {
			return err
		}
		if err := now.mayChangeFile(); err != nil {
			return err
		}
		maps.DeleteFunc(now.decisions.Mapping, func(column, _ string) bool {
			return column != everyOther && !slices.Contains(u.file.Head, column)
		})
		if err := now.putDecisions(tx); err != nil {
			return err
		}
		if err := expected(queue.EndFile(tx, u.ID, u.id, string(about))); err != nil {
			return err
		}
		now, err = stateIn(u.call.Principal, tx, schema.FormatID(importID, u.ID))
		if err == nil {
			*u.ImportState = *now
		}
		return err
	})
}

// Samples of an import: in how many rows different values of a column are looked for, how many are told, and how much of each.
const (
	sampleRows  = 20
	sampleCells = 3
	sampleChars = 100
)
