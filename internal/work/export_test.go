package work

import "testing"

// What a step may have, for tests that go beyond it.
const (
	StepRecords = stepRecords
	ManyRecords = manyRecords
)

// FindAtOnce lets a test's bulk operations find so many records at once.
func FindAtOnce(t *testing.T, n int) {
	before := foundAtOnce
	foundAtOnce = n
	t.Cleanup(func() { foundAtOnce = before })
}
