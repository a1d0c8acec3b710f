//go:build soak

package main

// kills is how often something is killed in a campaign, and failovers how often a primary falls in each way. importers is how many
// import files meanwhile; a job that a killed server had waits for the end of its lease, for which a short campaign has no time.
const (
	kills     = 25
	importers = 1
	failovers = 5
	// tellings are the events of which webhooks are told by so many tellers, servers on one database, of which so many are killed.
	tellings = 100_000
	tellers  = 3
	silenced = 20
	// changedInBulk are the records of a job in whose midst the server is killed so many times.
	changedInBulk = 20_000
	jobKills      = 5
)
