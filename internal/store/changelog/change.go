// Package changelog reads the change log of a business: the histories of records, what is new in it, and timelines.
package changelog

import (
	"time"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

// Actor is who makes a change, and by what: a personal access token, an app of the business, or a client that registered itself.
type Actor struct {
	User, Token, App schema.UUID
	// Client is the client id of an app that registered itself, and has no record; or link, where a customer answers by the link of
	// a quote.
	Client    string
	RequestID string
	// Address is where the request came from, with or without a port. Only the audit log tells it.
	Address string
}

// AppID names the app by which someone acts: by its record, or where it registered itself by its client id. Empty is none.
func (a Actor) AppID() string {
	if a.App != (schema.UUID{}) {
		return schema.FormatID("app", a.App)
	}
	return a.Client
}

// AppendJSON renders who acted, by their ids: null for what there is not.
func (a Actor) AppendJSON(dst []byte) []byte {
	id := func(prefix string, id schema.UUID) {
		if id == (schema.UUID{}) {
			dst = append(dst, "null"...)
			return
		}
		dst = append(schema.AppendID(append(dst, '"'), prefix, string(id[:])), '"')
	}
	dst = append(dst, `{"user_id":`...)
	id("user", a.User)
	dst = append(dst, `,"token_id":`...)
	id("token", a.Token)
	dst = append(dst, `,"app_id":`...)
	return append(schema.AppendStringOrNull(dst, a.AppID()), '}')
}

// Columns are those of an entry, in the order in which Scan reads them.
const Columns = "seq, resource, record_id, version, action, at, user_id, token_id, app_id, client_id, request_id, changes"

// Change is one entry of a business's change log: what one write did to one record.
type Change struct {
	Seq      int64
	Resource string
	RecordID schema.UUID
	Version  int64
	Action   string
	At       time.Time
	Actor    Actor
	// Changes is a JSON object: for each changed field its value before (from) and after (to).
	Changes string
}

// Scan reads an entry that outlives its row.
func Scan(r engine.Row) Change {
	c := read(r)
	all := c.Resource + c.Action + c.Actor.Client + c.Actor.RequestID + c.Changes // which is one allocation
	for _, text := range []*string{&c.Resource, &c.Action, &c.Actor.Client, &c.Actor.RequestID, &c.Changes} {
		*text, all = all[:len(*text)], all[len(*text):]
	}
	return c
}

// read reads an entry whose texts are valid as long as its row.
func read(r engine.Row) Change {
	return Change{
		Seq: r.Value(0, schema.Integer).N, Resource: r.Value(1, schema.Text).S, RecordID: r.Value(2, schema.ID).UUID(),
		Version: r.Value(3, schema.Integer).N, Action: r.Value(4, schema.Text).S, At: r.Value(5, schema.Time).Time(),
		Actor: Actor{
			User: r.Value(6, schema.ID).UUID(), Token: r.Value(7, schema.ID).UUID(), App: r.Value(8, schema.ID).UUID(),
			Client: r.Value(9, schema.Text).S, RequestID: r.Value(10, schema.Text).S,
		},
		Changes: r.Value(11, schema.Document).S,
	}
}

// Told is the entry as it is told to somebody who knows an older version: who changed which fields.
func (c Change) Told() problem.Changed {
	told := problem.Changed{
		Version: c.Version, At: string(schema.AppendTime(nil, c.At)), Actor: c.Actor.AppendJSON(nil),
		Fields: []string{},
	}
	if n, err := body.Parse([]byte(c.Changes)); err == nil && n != nil {
		for _, m := range n.Members {
			told.Fields = append(told.Fields, m.Name)
		}
	}
	return told
}
