package engine

import "crypto/rand"

// ServerID tells servers on one database from each other.
type ServerID [6]byte

func NewServerID() (id ServerID) {
	rand.Read(id[:])
	return id
}

// Servers are those that are known to be there.
type Servers struct {
	Live map[ServerID]bool
	// Alone tells that there is no other, whatever its version.
	Alone bool
}
