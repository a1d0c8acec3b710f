//go:build !soak

package faultfs_test

import (
	"iter"
	"maps"
)

// recordings is how often each run is recorded, each time with another seed, and wholeEvery after how many crashes the database that is
// left is also checked as a whole.
const (
	recordings = 1
	wholeEvery = 8
	// crashesPerFault is how often the machine crashes where a call fails.
	crashesPerFault = 1
)

// campaignPoints are where the machine crashes.
func (c *campaign) campaignPoints(seed int) []point { return c.points(seed, 50) }

// faults are the calls that fail, of so many, and for how many it goes on: one once, one until the disk is mended.
func faults(most int) iter.Seq2[int, int] {
	return maps.All(map[int]int{max(1, most/3): 1, max(2, most*2/3): always})
}
