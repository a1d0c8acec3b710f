package work

// What a step may have, for tests that go beyond it.
const (
	StepRecords = stepRecords
	ManyRecords = manyRecords
)
