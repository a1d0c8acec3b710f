package search

// Places are where new records go: the column that says so, its value for the first of them, and by how much it rises with each.
type Places struct {
	Column      string
	first, step int64
}

// At is where the i-th of them goes.
func (p Places) At(i int) int64 { return p.first + int64(i)*p.step }
