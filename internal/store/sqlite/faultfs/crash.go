package faultfs

import (
	"encoding/binary"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Record is what was done to the files of a folder, one call after the other, beginning with what was durable. It remembers the disk that
// it was asked for last, so going through it in order is quick; it is for one goroutine.
type Record struct {
	Base map[string][]byte
	Ops  []Op

	last *disk
}

// Without leaves out what a disk that lies does not do: syncs of a file, for example.
func (r *Record) Without(lost func(Op) bool) *Record {
	kept := &Record{Base: r.Base, Ops: slices.Clone(r.Ops)}
	for i, op := range kept.Ops {
		if lost(op) { // the numbers of the others stay
			kept.Ops[i] = Op{Kind: Nothing, File: op.File}
		}
	}
	return kept
}

// Commits are the numbers of calls after which a transaction may have been completed: a write to the log of the last page of one, of
// which the header before it says that it is, or what ends a journal or empties it.
func (r *Record) Commits() []int {
	commits := []int{0}
	for i, op := range r.Ops {
		switch {
		case i > 0 && op.Kind == Write && op.File == r.Ops[i-1].File && commitFrame(r.Ops[i-1]),
			strings.HasSuffix(op.File, "-journal") && op.Kind != Sync && op.Kind != Open,
			op.Kind == Open && op.Made:
			commits = append(commits, i+1)
		}
	}
	return commits
}

// commitFrame tells whether a write is the header of a frame that ends a transaction: those have the size of the database.
func commitFrame(op Op) bool {
	return op.Kind == Write && strings.HasSuffix(op.File, "-wal") && len(op.Data) == 24 && binary.BigEndian.Uint32(op.Data[4:]) != 0
}

// Files are what is in a folder, by their names.
type Files map[string][]byte

// Write makes them in an empty folder.
func (f Files) Write(folder string) error {
	for name, content := range f {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// Kill gives the files as they are for everybody after so many calls: what is left where a program is killed and the machine goes on.
func (r *Record) Kill(calls int) Files {
	files := Files{}
	for name, f := range r.disk(calls).live {
		files[name] = f.content
	}
	return files
}

// Crash gives what a disk could hold when the machine stops after so many calls: what was synced, and of the rest what chance lets through:
// all, nothing, single sectors, in another order, or as rubbish.
func (r *Record) Crash(calls int, random *rand.Rand) Files {
	d, files := r.disk(calls), Files{}
	names := maps.Clone(d.live)
	maps.Copy(names, d.durable)
	for _, name := range slices.Sorted(maps.Keys(names)) { // so that the same seed has the same luck
		f := d.live[name]
		if random.IntN(2) == 0 {
			f = d.durable[name]
		}
		if f != nil {
			files[name] = f.crashed(random)
		}
	}
	return files
}

// disk is what there is after some calls. Which files there are has become durable at another time than what is in them.
type disk struct {
	calls         int
	live, durable map[string]*diskFile
}

// diskFile has what everybody sees, what is durable, and the writes since, in order.
type diskFile struct {
	content, durable []byte
	since            []sinceOp
}

// sinceOp is a write that was synced behind one that is left to chance for good by a sync that failed, or one that was not synced.
type sinceOp struct {
	Op
	synced, forgotten bool
}

func (r *Record) disk(calls int) *disk {
	d := r.last
	if d == nil || d.calls > calls {
		d = &disk{live: map[string]*diskFile{}, durable: map[string]*diskFile{}}
		for name, content := range r.Base {
			f := &diskFile{content: slices.Clone(content), durable: slices.Clone(content)}
			d.live[name], d.durable[name] = f, f
		}
		r.last = d
	}
	for _, op := range r.Ops[d.calls:calls] {
		f := d.live[op.File]
		if f == nil && op.File != "" {
			f = &diskFile{}
			d.live[op.File] = f
		}
		switch op.Kind {
		case Write, Truncate:
			f.content = apply(f.content, op)
			f.since = append(f.since, sinceOp{Op: op})
		case Sync, FailedSync:
			f.sync(op.Kind == Sync)
		case Delete:
			delete(d.live, op.File)
		case SyncFolder:
			d.durable = maps.Clone(d.live)
		}
	}
	d.calls = calls
	return d
}

// sync makes durable what was written since the last sync, or else leaves it to chance for good.
func (f *diskFile) sync(works bool) {
	whole := works
	for i := range f.since {
		op := &f.since[i]
		if !op.synced && !op.forgotten {
			op.synced, op.forgotten = works, !works
		}
		whole = whole && op.synced
	}
	if !whole {
		return
	}
	for _, op := range f.since {
		f.durable = apply(f.durable, op.Op)
	}
	f.since = nil
}

func apply(content []byte, op Op) []byte {
	switch op.Kind {
	case Write:
		content = resize(content, max(int64(len(content)), op.At+int64(len(op.Data))))
		copy(content[op.At:], op.Data)
	case Truncate:
		content = resize(content, op.At)
	}
	return content
}

func resize(content []byte, size int64) []byte {
	if size <= int64(len(content)) {
		return content[:size]
	}
	if size > int64(cap(content)) {
		content = slices.Grow(content, max(int(size)-len(content), len(content)))
	}
	grown := content[:size]
	clear(grown[len(content):])
	return grown
}

// crashed is what of a file is left. SQLite counts on it that a write leaves the bytes beside it as they are, also in the same sector.
func (f *diskFile) crashed(random *rand.Rand) []byte {
	sector := []int64{512, 4096}[random.IntN(2)]
	arrives := []float64{0, 0.1, 0.5, 0.9, 1}[random.IntN(5)]
	rubbish := []float64{0, 0, 0.1}[random.IntN(3)]
	shuffled := random.IntN(2) == 0
	content := slices.Clone(f.durable)
	var pieces []Op
	settle := func() {
		if shuffled {
			random.Shuffle(len(pieces), func(a, b int) { pieces[a], pieces[b] = pieces[b], pieces[a] })
		}
		for _, p := range pieces {
			content = apply(content, p)
		}
		pieces = nil
	}
	for _, op := range f.since {
		switch {
		case op.synced:
			settle()
			content = apply(content, op.Op)
		case op.Kind == Truncate: // what a file system says of its files stays in order
			settle()
			if random.Float64() < arrives {
				content = apply(content, op.Op)
			}
		default:
			for from, end := op.At, op.At+int64(len(op.Data)); from < end; {
				to := min(end, (from/sector+1)*sector)
				piece := Op{Kind: Write, At: from, Data: op.Data[from-op.At : to-op.At]}
				if random.Float64() < rubbish {
					piece.Data = make([]byte, to-from)
					for i := range piece.Data {
						piece.Data[i] = byte(random.Uint32())
					}
				}
				if random.Float64() < arrives {
					pieces = append(pieces, piece)
				}
				from = to
			}
		}
	}
	settle()
	if size := int64(len(f.content)); size > int64(len(content)) && random.IntN(4) == 0 { // the size has arrived, and what is there has not
		content = resize(content, size)
	}
	return content
}
