package store

import (
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/changelog"
)

// AuditEntry is one thing that happened, as far as the transaction does not know it by itself: who acted, when, from where and in
// which request.
type AuditEntry struct {
	// Action is what happened.
	Action string
	// Resource and Record are what it happened to: the name and the id of a record, as they are told. Empty is none.
	Resource, Record string
	// Fields are the names of what changed.
	Fields []string
	// Count is how often it happened, where several are told in one line; 0 is once.
	Count int64
	// Stranger tells that nobody knows who acted.
	Stranger bool
}

// audited is an entry with who acted.
type audited struct {
	AuditEntry
	actor changelog.Actor
}

// auditLeaves are the fields of a line that the store fills.
type auditLeaves struct {
	ID, CreatedAt, Action, Actor, UserID, TokenID, AppID, Resource, RecordID, Fields, Count, Address, RequestID, Seq, Hash *schema.Leaf
}
