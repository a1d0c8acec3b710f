//go:build !linux

package sqlite

import "time"

// threadTime is not told here.
func threadTime() (used time.Duration, known bool) { return 0, false }
