//go:build !soak

package main

// kills is how often something is killed in a campaign, and failovers how often a primary falls in each way.
const (
	kills     = 4
	failovers = 1
)
