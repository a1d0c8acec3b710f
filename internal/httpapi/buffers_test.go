package httpapi

import "testing"

// One large answer must not stay in memory for the sake of the next: a large buffer is left to the collector.
func TestLargeBuffersAreNotKept(t *testing.T) {
	for range 100 {
		large := make([]byte, 0, largestBuffer+1)
		putBuffer(&large)
		if kept := buffers.Get().(*[]byte); cap(*kept) > largestBuffer {
			t.Fatalf("a buffer of %d bytes is used again", cap(*kept))
		}
	}
}
