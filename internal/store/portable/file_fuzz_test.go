package portable

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// settings is a table that there is without any resource.
var settings = room.Table{
	Name: "setting", Primary: []string{"name"},
	Columns: []room.Column{{Name: "name", Kind: schema.Text, NotNull: true}, {Name: "value", Kind: room.Bytes, NotNull: true}},
}

// someBackup is a backup, and what is in it before it is compressed.
func someBackup(tb testing.TB) (file, plain []byte) {
	tb.Helper()
	var out bytes.Buffer
	w, err := newBackupWriter(&out, BackupHead{Format: backupFormat, Kith: "test", Layout: 1, MadeAt: time.Unix(0, 0).UTC()})
	if err != nil {
		tb.Fatal(err)
	}
	var sum tableSum
	rows := [][]schema.Value{{room.Text("first"), room.Blob([]byte("one"))}, {room.Text("second"), schema.Absent(room.Bytes)}}
	err = errors.Join(w.json(pieceTable, backupTable{settings.Name, []string{"name", "value"}}), w.table(rows, &sum),
		w.json(pieceDone, backupSum{sum.Rows, sum.String()}), w.end())
	if err != nil {
		tb.Fatal(err)
	}
	zip, err := gzip.NewReader(bytes.NewReader(out.Bytes()))
	if err != nil {
		tb.Fatal(err)
	}
	if plain, err = io.ReadAll(zip); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes(), plain
}

// readSome reads a backup, and gives how many rows it has.
func readSome(file []byte) (rows int, err error) {
	r, err := openBackup(bytes.NewReader(file))
	if err != nil {
		return 0, err
	}
	err = r.tables([]room.Table{settings}, func(_ room.Table, some [][]schema.Value) error {
		rows += len(some)
		return nil
	}, func(room.Table, tableSum) error { return nil })
	return rows, err
}

func TestABackupIsReadAsItWasWritten(t *testing.T) {
	file, plain := someBackup(t)
	if rows, err := readSome(file); rows != 2 || err != nil {
		t.Fatalf("it has %d rows, %v", rows, err)
	}
	// Whatever is changed or missing inside, even where the compression agrees with it, is noticed.
	for i := range plain {
		changed := bytes.Clone(plain)
		changed[i] ^= 1
		for what, text := range map[string][]byte{"changed": changed, "cut off": plain[:i]} {
			if _, err := readSome(zipped(text)); err == nil {
				t.Errorf("byte %d is %s, and nobody notices", i, what)
			}
		}
	}
	if _, err := readSome(zipped(append(bytes.Clone(plain), 'R'))); !errors.Is(err, ErrDamaged) {
		t.Errorf("something behind the end: %v", err)
	}
}

func zipped(plain []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(plain)
	_ = w.Close()
	return out.Bytes()
}

// A broken file is an error, never a panic, and takes no more memory than there is of it.
func FuzzBackup(f *testing.F) {
	file, plain := someBackup(f)
	f.Add(file, false)
	f.Add(plain, true)
	f.Add([]byte(backupMagic+"H\xff\xff\xff\xff\x0f{}"), true)
	f.Add([]byte(backupMagic+"R\xff\xff\xff\x07"), true)
	f.Fuzz(func(t *testing.T, text []byte, plain bool) {
		if plain {
			text = zipped(text)
		}
		_, _ = readSome(text)
	})
}
