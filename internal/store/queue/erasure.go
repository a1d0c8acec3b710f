package queue

import (
	"context"
	"strconv"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// What is left to do of a record that was removed for good is a row of the table erasure, which is written together with the removal, so
// that a server that is killed forgets nothing. The domain knows what there is to do.

// Erasure is a record that was removed for good and whose traces are being worked off.
type Erasure struct {
	Resource string
	ID       schema.UUID
	// Of is the record that it went with, or its own id.
	Of schema.UUID
	// At is when it was removed, and Actor by whom.
	At    time.Time
	Actor store.Actor
	// Step is what is to be done next, and Place how far it has come, both in the domain's words.
	Step, Place string
}

// AddErasure notes a record that was removed.
func AddErasure(tx *store.Tx, e Erasure) error {
	columns := []string{
		"of_id", "record_id", "resource", "at", "user_id", "token_id", "app_id", "client_id", "request_id", "chore", "place",
	}
	return tx.AddRows(room.Rows{Table: "erasure", Columns: columns, N: 1, Fill: func(_ int, row []schema.Value) []schema.Value {
		by := tx.Actor
		return append(row, schema.IDValue(e.Of), schema.IDValue(e.ID), room.Text(e.Resource), schema.TimeValue(tx.Now),
			schema.IDValue(by.User), schema.IDValue(by.Token), schema.IDValue(by.App), room.TextOrNone(by.Client),
			room.TextOrNone(by.RequestID), room.Text(e.Step), room.Text(e.Place))
	}})
}

// PutErasure notes what is to be done next about a record that was removed.
func PutErasure(tx *store.Tx, e Erasure) error {
	return tx.Change(room.SQL(`
		UPDATE erasure SET chore = ?, place = ?
		WHERE business_id = {business} AND of_id = ? AND record_id = ?`,
		room.Text(e.Step), room.Text(e.Place), schema.IDValue(e.Of), schema.IDValue(e.ID)))
}

// Erasures reads those that have something left to do, the oldest first, at most so many: all that are nobody's company, or those that
// went with a record and have a step.
func Erasures(tx *store.Tx, of *schema.UUID, step string, most int) ([]Erasure, error) {
	st := room.SQL(`
		SELECT t.resource, t.record_id, t.of_id, t.at, t.user_id, t.token_id, t.app_id, t.client_id, t.request_id, t.chore, t.place
		FROM erasure t WHERE t.business_id = {business}`)
	if of == nil {
		st.Text += " AND t.record_id = t.of_id ORDER BY t.at, t.of_id"
	} else {
		st.Text += " AND t.of_id = ? AND t.record_id <> t.of_id AND t.chore = ? ORDER BY t.record_id"
		st.Args = []schema.Value{schema.IDValue(*of), room.Text(step)}
	}
	st.Text += " LIMIT " + strconv.Itoa(most)
	return room.All(tx.Query, st, func(r room.Row) Erasure {
		text, id, _, at := room.Columns(r)
		by := store.Actor{User: id(4), Token: id(5), App: id(6), Client: text(7), RequestID: text(8)}
		return Erasure{Resource: text(0), ID: id(1), Of: id(2), At: at(3), Actor: by, Step: text(9), Place: text(10)}
	})
}

// EndErasure forgets up to so many of the records that went with one, and last that one itself. It tells whether it has.
func EndErasure(tx *store.Tx, of schema.UUID, most int) (done bool, err error) {
	ids, err := room.All(tx.Query, room.SQL(`
		SELECT t.record_id FROM erasure t
		WHERE t.business_id = {business} AND t.of_id = ? AND t.record_id <> t.of_id LIMIT `+strconv.Itoa(most),
		schema.IDValue(of)), func(r room.Row) schema.Value { return r.Value(0, schema.ID) })
	if err != nil {
		return false, err
	}
	if done = len(ids) < most; done {
		ids = append(ids, schema.IDValue(of))
	}
	st := room.SQL(`
		DELETE FROM erasure
		WHERE business_id = {business} AND of_id = ? AND {among record_id}`, schema.IDValue(of))
	st.Among = ids
	_, err = tx.Exec(st)
	return done, err
}

// Erased finds those among some ids whose records were removed and are still being worked off.
func Erased(tx *store.Tx, ids []schema.UUID) ([]schema.UUID, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	st := room.SQL("SELECT t.record_id FROM erasure t WHERE t.business_id = {business} AND {among t.record_id}")
	for _, id := range ids {
		st.Among = append(st.Among, schema.IDValue(id))
	}
	return room.All(tx.Query, st, room.FirstID)
}

// Erasing lists the businesses in which something that was removed is still being worked off.
func Erasing(ctx context.Context, s *store.Store) ([]store.Tenant, error) {
	return s.LookUp(ctx, room.Lookup{
		Text:  "SELECT t.id, t.business_id FROM {business} t WHERE t.business_id IN (SELECT e.business_id FROM {erasure} e)",
		Order: " ORDER BY 1",
	}, nil)
}
