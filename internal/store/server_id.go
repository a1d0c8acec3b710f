package store

import "crypto/rand"

// serverID tells servers on one database from each other.
type serverID [6]byte

func newServerID() (id serverID) {
	rand.Read(id[:])
	return id
}

// servers are those that are known to be there.
type servers struct {
	live map[serverID]bool
	// alone tells that there is no other, whatever its version.
	alone bool
}
