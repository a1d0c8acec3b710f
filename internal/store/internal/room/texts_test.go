package room

import (
	"strings"
	"testing"
)

// A piece grows with what is read, and no further than that one kept text is worth.
func TestPiecesOfTexts(t *testing.T) {
	var all Texts
	all.Copy([]byte("a"))
	if cap(all.piece) != firstPiece {
		t.Errorf("the first piece has %d bytes", cap(all.piece))
	}
	for range 10_000 {
		all.Copy([]byte(strings.Repeat("b", 100)))
	}
	if cap(all.piece) != largestPiece {
		t.Errorf("a late piece has %d bytes", cap(all.piece))
	}
	if large := all.Copy(make([]byte, 1<<20)); len(large) != 1<<20 || cap(all.piece) != 1<<20 {
		t.Errorf("a text of %d bytes is in a piece of %d", len(large), cap(all.piece))
	}
	all.Copy([]byte("c"))
	if cap(all.piece) != largestPiece {
		t.Errorf("the piece after a large one has %d bytes", cap(all.piece))
	}
}
