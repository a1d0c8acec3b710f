//go:build soak

package faultfs_test

import "iter"

// recordings is how often each run is recorded, each time with another seed, and wholeEvery after how many crashes the database that is
// left is also checked as a whole.
const (
	recordings = 3
	wholeEvery = 10
	// crashesPerFault is how often the machine crashes where a call fails.
	crashesPerFault = 1
)

// campaignPoints are where the machine crashes: after every call, each time with four lucks.
func (c *campaign) campaignPoints(seed int) (all []point) {
	for calls := range len(c.record.Ops) + 1 {
		for luck := range 4 {
			all = append(all, point{calls, 4*seed + luck})
		}
	}
	return all
}

// faults are the calls that fail, of so many, and for how many it goes on: each, once and until the disk is mended.
func faults(most int) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for n := 1; n <= most && yield(n, 1) && yield(n, always); n++ {
		}
	}
}
