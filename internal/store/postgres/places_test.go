package postgres

import (
	"math"
	"math/rand/v2"
	"testing"
)

// An id can be made for every hash, so that also a machine can be asked that has no shard but a very narrow one.
func TestAnIDIsFoundForEveryHash(t *testing.T) {
	hashes := []int32{math.MinInt32, -1, 0, 1, math.MaxInt32}
	for range 10_000 {
		hashes = append(hashes, int32(rand.Uint32()))
	}
	for _, hash := range hashes {
		if got := hashID(idWithHash(hash)); got != hash {
			t.Fatalf("the id for %d has the hash %d", hash, got)
		}
	}
}
