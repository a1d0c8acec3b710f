//go:build soak

package main

// kills is how often something is killed in a campaign, and failovers how often a primary falls in each way. importers is how many import files meanwhile; a job that
// a killed server had waits for the end of its lease, for which a short campaign has no time.
const (
	kills     = 25
	importers = 1
	failovers = 5
)
