package store

import "unsafe"

// texts is where the rows of a statement's run copy their texts to, many into one piece of memory. A piece is never used again, so a text
// stays what it is for as long as somebody has it. It keeps its piece in memory: pieces are small at first, and grow with what is read.
type texts struct {
	piece []byte
}

const (
	firstPiece   = 64
	largestPiece = 16 << 10
)

// free is what is left of the piece.
func (t *texts) free() []byte { return t.piece[len(t.piece):cap(t.piece)] }

// room begins a new piece, in which size bytes are free at least.
func (t *texts) room(size int) []byte {
	t.piece = make([]byte, 0, max(firstPiece, min(2*cap(t.piece), largestPiece), size))
	return t.free()
}

// took gives the first bytes of what was free as a text.
func (t *texts) took(size int) string {
	text := unsafe.String(unsafe.SliceData(t.free()), size)
	t.piece = t.piece[:len(t.piece)+size]
	return text
}

// copy gives bytes as a text of its own.
func (t *texts) copy(raw []byte) string {
	free := t.free()
	if len(raw) > len(free) {
		free = t.room(len(raw))
	}
	return t.took(copy(free, raw))
}
