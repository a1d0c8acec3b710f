package crm

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"time"

	"kith/internal/problem"
	"kith/internal/schema"
	"kith/internal/store"
	"kith/internal/tabular"
)

// keptAtOnce is how many bytes of packed rows are written in one transaction.
const keptAtOnce = 1 << 20

var errOtherFile = problem.New(problem.Conflict, "Another file is being sent for this import, or somebody was erased meanwhile whom this one may name. Send it again.")

// upload is a file on its way into the database.
type upload struct {
	*ImportState
	e    *Engine
	call Call
	id   schema.UUID
	// dry tells that nothing is kept.
	dry    bool
	pace   pace
	packer tabular.Packer
	rows   []store.ImportRows
	bytes  int
}

// counted counts what is read. What is done between two readings is work, and what they wait for is none.
type counted struct {
	from io.Reader
	pace *pace
	n    int64
}

func (c *counted) Read(p []byte) (int, error) {
	c.pace.rest()
	n, err := c.from.Read(p)
	c.n += int64(n)
	c.pace.begin()
	return n, err
}

// paceStretch is how long a file is read without looking whether others are there.
const paceStretch = 5 * time.Millisecond

// pace has the reading of a file rest where others use the database meanwhile, as the steps of a job do: what is in a file is a stranger's to choose, and a workbook full of cells takes
// a processor for a minute and more.
type pace struct {
	e     *Engine
	ctx   context.Context
	since time.Time
	seen  bystanders
}

// begin says that work begins.
func (p *pace) begin() { p.since, p.seen = time.Now(), p.e.lookAround() }

// rest makes a pause, if one is due.
func (p *pace) rest() {
	if p.since.IsZero() {
		p.begin()
	}
	worked := time.Since(p.since)
	if worked < paceStretch {
		return
	}
	if others := p.seen.others(); others > 0 {
		rest(p.ctx, min(jobRest*worked, time.Duration(others)*jobYield))
	}
	p.begin()
}

// Upload reads the file of an import, and keeps its rows in place of those of another one. What the dialect leaves open is found out. It gives the first rows, too.
func (e *Engine) Upload(ctx context.Context, c Call, id string, from io.Reader, d tabular.Dialect, dry bool) (*ImportState, []tabular.Row, error) {
	s, err := e.Import(ctx, c, id)
	if err != nil {
		return nil, nil, err
	}
	if err := s.mayChangeFile(); err != nil {
		return nil, nil, err
	}
	others, err := c.Tenant.FilesBeside(ctx, s.ID)
	if err == nil {
		err = e.roomForFile(others, 1)
	}
	if err != nil {
		return nil, nil, err
	}
	u := &upload{ImportState: s, e: e, call: c, id: schema.NewID(time.Now()), dry: dry, pace: pace{e: e, ctx: ctx}}
	if !dry {
		if err := u.keep(ctx, func(tx *store.Tx) error { return tx.BeginFile(s.ID, u.id) }); err != nil {
			return nil, nil, err
		}
	}
	d.Pause = u.pace.rest
	first, err := u.read(ctx, from, d)
	if err == nil {
		err = u.end(ctx, others)
	}
	if dry {
		return s, first, err
	}
	// What is not needed any more goes at once, also where the client has gone. What is left by a server that dies goes with the next file, or with the import.
	rest, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	return s, first, errors.Join(err, forgetRows(rest, c.Tenant, s.ID))
}

// roomForFile refuses a file of so many bytes that is too much together with those of the other imports of the business.
func (e *Engine) roomForFile(others []string, bytes int64) error {
	for _, about := range others {
		var file struct{ Bytes int64 }
		if err := json.Unmarshal([]byte(about), &file); err != nil {
			return err
		}
		bytes += file.Bytes
	}
	if bytes > e.ImportRoom {
		return problem.New(problem.Conflict, "The files of the imports of this business would have more than %d bytes together. Delete imports that are not needed any more; they are forgotten %d days after the last thing that happened to them.", e.ImportRoom, importDays)
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
	bytes := &counted{from: from, pace: &u.pace}
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
	for {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		u.file.Rows = row.N
		for i, cell := range row.Cells[:min(len(row.Cells), len(r.Head))] {
			u.file.Seen[i].Note(cell)
		}
		if len(first) < sampleRows {
			kept := row
			kept.Cells = append([]string(nil), row.Cells...)
			first = append(first, kept)
		}
		if u.packer.Add(row) {
			if err := u.pack(ctx); err != nil {
				return nil, err
			}
		}
	}
	u.file.Bytes = bytes.n
	return first, u.finish(ctx)
}

// finish keeps what is left of the rows.
func (u *upload) finish(ctx context.Context) error {
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
	a.pause = u.pace.rest
	u.file = &importFile{Format: ArchiveFormat, Guide: &a.Guide, Bytes: size}
	for {
		row, err := a.Next()
		if errors.Is(err, io.EOF) {
			return nil, u.finish(ctx)
		}
		if err != nil {
			return nil, err
		}
		u.file.Rows = row.N
		if u.packer.Add(row) {
			if err := u.pack(ctx); err != nil {
				return nil, err
			}
		}
	}
}

// pack puts the rows that were gathered to those that are to be written.
func (u *upload) pack(ctx context.Context) error {
	first, data, err := u.packer.Pack()
	if err != nil || data == nil {
		return err
	}
	u.rows, u.bytes = append(u.rows, store.ImportRows{First: first, Data: data}), u.bytes+len(data)
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
		return nil
	}
	return u.keep(ctx, func(tx *store.Tx) error { return expected(tx.PutImportRows(u.ID, u.id, rows)) })
}

// keep writes something for the file, which is not somebody else for whom its reading would have to rest.
func (u *upload) keep(ctx context.Context, do func(*store.Tx) error) error {
	u.e.jobUses.Add(1)
	return u.call.Tenant.Keep(ctx, u.call.By(), do)
}

func expected(still bool, err error) error {
	if err == nil && !still {
		err = errOtherFile
	}
	return err
}

// end makes the file that of the import, where there is room for it. Files come one at a time here, in the business's turn, so that those which come at once are not more together than may be.
// What was decided about a column that it does not have is forgotten.
func (u *upload) end(ctx context.Context, others []string) error {
	about, err := json.Marshal(u.file)
	if err != nil {
		return err
	}
	if u.dry {
		return u.e.roomForFile(others, u.file.Bytes)
	}
	return u.call.Tenant.Write(ctx, u.call.By(), func(tx *store.Tx) error {
		others, err := tx.FilesBeside(u.ID)
		if err == nil {
			err = u.e.roomForFile(others, u.file.Bytes)
		}
		if err != nil {
			return err
		}
		now, err := u.call.stateIn(tx, schema.FormatID(importID, u.ID))
		if err != nil {
			return err
		}
		if err := now.mayChangeFile(); err != nil {
			return err
		}
		for column := range now.decisions.Mapping {
			if column != everyOther && !slices.Contains(u.file.Head, column) {
				delete(now.decisions.Mapping, column)
			}
		}
		options, err := json.Marshal(now.decisions)
		if err != nil {
			return err
		}
		now.Options = string(options)
		if err := tx.PutImport(now.Import); err != nil {
			return err
		}
		if err := expected(tx.EndFile(u.ID, u.id, string(about))); err != nil {
			return err
		}
		now, err = u.call.stateIn(tx, schema.FormatID(importID, u.ID))
		if err == nil {
			*u.ImportState = *now
		}
		return err
	})
}
