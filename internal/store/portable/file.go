package portable

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// A backup is a file of gzip, and in it a row of pieces: a letter, a length, and so many bytes. First the head, which says what it is;
// then each table with its columns, its rows, and how many these were with a sum over them; and last the end, with a sum over everything
// before it. So whatever is cut off or changed is noticed, and it is read piece by piece, however large it is.

// The letters of the pieces.
const (
	pieceHead  = 'H'
	pieceTable = 'T'
	pieceRows  = 'R'
	pieceDone  = 'D'
	pieceEnd   = 'Z'
)

const (
	backupFormat = 1
	backupMagic  = "kith backup\n"
	// mostPiece is how many bytes a piece has at most: some rows, of which none is larger than what a request can make. mostPieceRows is
	// how many these are.
	mostPiece     = 32 << 20
	mostPieceRows = 10_000
)

// BackupHead says what a backup is.
type BackupHead struct {
	Format int `json:"format"`
	// Kith is the version of the program, and Layout the last migration of the database.
	Kith   string    `json:"kith"`
	Layout int64     `json:"layout"`
	MadeAt time.Time `json:"made_at"`
	// Business is the only one in it, or nothing where all are.
	Business string `json:"business,omitempty"`
}

type backupTable struct {
	Name    string   `json:"name"`
	Columns []string `json:"columns"`
}

type backupSum struct {
	Rows int64  `json:"rows"`
	Sum  string `json:"sum"`
}

// backupWriter writes a backup.
type backupWriter struct {
	gzip *gzip.Writer
	sum  hash.Hash
	rows int64
	buf  []byte
}

func newBackupWriter(to io.Writer, head BackupHead) (*backupWriter, error) {
	zip, err := gzip.NewWriterLevel(to, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	w := &backupWriter{gzip: zip, sum: sha256.New()}
	if err := w.put([]byte(backupMagic)); err != nil {
		return nil, err
	}
	return w, w.json(pieceHead, head)
}

func (w *backupWriter) put(p []byte) error {
	w.sum.Write(p)
	_, err := w.gzip.Write(p)
	return err
}

func (w *backupWriter) piece(letter byte, p []byte) error {
	if len(p) > mostPiece {
		return fmt.Errorf("a piece of %d bytes is too large for a backup", len(p))
	}
	if err := w.put(binary.AppendUvarint([]byte{letter}, uint64(len(p)))); err != nil {
		return err
	}
	return w.put(p)
}

func (w *backupWriter) json(letter byte, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return w.piece(letter, text)
}

// table writes rows of a table, and adds them up.
func (w *backupWriter) table(rows [][]schema.Value, sum *tableSum) error {
	w.buf = w.buf[:0]
	var row []byte
	for _, values := range rows {
		row = room.AppendRow(row[:0], values)
		sum.add(row)
		w.buf = append(binary.AppendUvarint(w.buf, uint64(len(row))), row...)
		if len(w.buf) > mostPiece/32 {
			if err := w.piece(pieceRows, w.buf); err != nil {
				return err
			}
			w.buf = w.buf[:0]
		}
	}
	w.rows += int64(len(rows))
	if len(w.buf) == 0 {
		return nil
	}
	return w.piece(pieceRows, w.buf)
}

// end writes the end.
func (w *backupWriter) end() error {
	if err := w.json(pieceEnd, backupSum{w.rows, hex.EncodeToString(w.sum.Sum(nil))}); err != nil {
		return err
	}
	return w.gzip.Close()
}

// ErrDamaged tells that a file is not a whole backup.
var ErrDamaged = errors.New("the file is not a whole backup of kith")

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}

// backupReader reads a backup.
type backupReader struct {
	from *bufio.Reader
	sum  hash.Hash
	head BackupHead
	buf  []byte
	rows int64
	// whole tells that its tables have the columns of this program.
	whole bool
}

// openBackup reads the head of a backup.
func openBackup(from io.Reader) (*backupReader, error) {
	zip, err := gzip.NewReader(from)
	if err != nil {
		return nil, damaged("%v", err)
	}
	r := &backupReader{from: bufio.NewReaderSize(zip, 64<<10), sum: sha256.New()}
	magic := make([]byte, len(backupMagic))
	if _, err := io.ReadFull(r.from, magic); err != nil || string(magic) != backupMagic {
		return nil, damaged("it does not begin as one")
	}
	r.sum.Write(magic)
	letter, p, err := r.next()
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(p, &r.head); letter != pieceHead || err != nil {
		return nil, damaged("it has no head")
	}
	if r.head.Format != backupFormat {
		return nil, fmt.Errorf("the backup has the format %d, and this program knows %d; it was made by kith %s",
			r.head.Format, backupFormat, r.head.Kith)
	}
	return r, nil
}

// next reads a piece, which is valid until the one behind it.
func (r *backupReader) next() (letter byte, p []byte, err error) {
	before := r.sum.Sum(nil)
	if letter, err = r.from.ReadByte(); err != nil {
		return 0, nil, damaged("it ends too early (%v)", err)
	}
	size, err := binary.ReadUvarint(r.from)
	if err != nil {
		return 0, nil, damaged("it ends too early (%v)", err)
	}
	if size > mostPiece {
		return 0, nil, damaged("a piece of %d bytes", size)
	}
	// The length is not believed before so many bytes have come.
	r.buf = r.buf[:0]
	for left := int(size); left > 0; {
		some := min(left, 1<<20)
		at := len(r.buf)
		r.buf = append(r.buf, make([]byte, some)...)
		if _, err := io.ReadFull(r.from, r.buf[at:]); err != nil {
			return 0, nil, damaged("it ends too early (%v)", err)
		}
		left -= some
	}
	r.sum.Write(binary.AppendUvarint([]byte{letter}, size))
	r.sum.Write(r.buf)
	if letter == pieceEnd {
		return letter, r.buf, r.atEnd(before)
	}
	return letter, r.buf, nil
}

// atEnd holds the file to what its end says, and that to being the end.
func (r *backupReader) atEnd(before []byte) error {
	var end backupSum
	if err := json.Unmarshal(r.buf, &end); err != nil || end.Sum != hex.EncodeToString(before) || end.Rows != r.rows {
		return damaged("its sum is another one")
	}
	if _, err := r.from.ReadByte(); !errors.Is(err, io.EOF) {
		return damaged("something is behind its end (%v)", err)
	}
	return nil
}

// tables reads all that follows the head. Rows are handed to each in the order of the columns of the table, some at a time, after they
// were read without an error; what the file says of a table as a whole is only known when done is told.
func (r *backupReader) tables(
	known []room.Table, each func(t room.Table, rows [][]schema.Value) error, done func(t room.Table, sum tableSum) error,
) error {
	var t *room.Table
	var kinds []schema.Kind
	var sum tableSum
	seen := map[string]bool{}
	for {
		letter, p, err := r.next()
		if err != nil {
			return err
		}
		switch {
		case letter == pieceEnd && t == nil:
			return nil
		case letter == pieceTable && t == nil:
			if t, err = tableOf(p, known, r.whole); err != nil {
				return err
			}
			if seen[t.Name] {
				return damaged("the table %s comes twice", t.Name)
			}
			seen[t.Name] = true
			kinds, sum = t.Kinds(), tableSum{}
		case letter == pieceRows && t != nil:
			rows, err := rowsOf(p, kinds, &sum)
			if err != nil {
				return err
			}
			r.rows += int64(len(rows))
			if err := each(*t, rows); err != nil {
				return err
			}
		case letter == pieceDone && t != nil:
			var said backupSum
			if err := json.Unmarshal(p, &said); err != nil || said.Rows != sum.Rows || said.Sum != sum.String() {
				return damaged("the table %s has other rows than it had", t.Name)
			}
			if err := done(*t, sum); err != nil {
				return err
			}
			t = nil
		default:
			return damaged("a piece %q in the wrong place", letter)
		}
	}
}

// tableOf finds the table that a piece names, with the columns that the piece names: tables only grow, so those of an earlier layout
// have some of them.
func tableOf(p []byte, known []room.Table, whole bool) (*room.Table, error) {
	var said backupTable
	if err := json.Unmarshal(p, &said); err != nil {
		return nil, damaged("a table without a name")
	}
	for _, t := range known {
		if t.Name != said.Name {
			continue
		}
		if whole && len(said.Columns) != len(t.Columns) {
			return nil, damaged("the table %s has %d columns", t.Name, len(said.Columns))
		}
		columns := make([]room.Column, len(said.Columns))
		for i, name := range said.Columns {
			at := t.Column(name)
			if at < 0 || whole && at != i || slices.Contains(said.Columns[:i], name) {
				return nil, damaged("the table %s has a column %q", t.Name, name)
			}
			columns[i] = t.Columns[at]
		}
		if slices.ContainsFunc(t.Primary, func(name string) bool { return !slices.Contains(said.Columns, name) }) {
			return nil, damaged("the table %s lacks columns of its key", t.Name)
		}
		t.Columns = columns
		return &t, nil
	}
	return nil, damaged("a table %q, which is not known", said.Name)
}

// rowsOf reads rows, and adds them up.
func rowsOf(p []byte, kinds []schema.Kind, sum *tableSum) (rows [][]schema.Value, err error) {
	for len(p) > 0 {
		size, used := binary.Uvarint(p)
		if used <= 0 || size > uint64(len(p)-used) || len(rows) == mostPieceRows {
			return nil, damaged("a row that is cut off, or too many rows in a piece")
		}
		row := p[used : used+int(size)]
		values, err := room.DecodeRow(row, kinds)
		if err != nil {
			return nil, damaged("%v", err)
		}
		sum.add(row)
		rows, p = append(rows, values), p[used+int(size):]
	}
	return rows, nil
}
