package store

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"kith/internal/schema"
	"kith/internal/store/internal/room"
)

// A webhook is a place in the change log. Here is what is kept of it beside its record: how far it has come, and with whose rights; what was delivered; and which server delivers for a
// business (a lease). The domain knows what there is to send. See docs/adr/0066.

// Hook is what is kept of a webhook beside its record.
type Hook struct {
	ID schema.UUID
	// Active tells that it is to be delivered to.
	Active bool
	// Actor is with whose rights it acts, by which connection, and Scopes are those of the token that they had.
	Actor      Actor
	Connection schema.UUID
	Scopes     []string
	// Secret signs what is sent, and OldSecret does so, too, until a time. Both are as they are kept, see Tenant.Seal.
	Secret, OldSecret string
	OldUntil          time.Time
	// Seq is up to where the log is done with, and Last the number of the last event by then, or 0.
	Seq, Last int64
	// Replay are the numbers of the log that are sent again: from behind the first up to the second, with the last event by then. All are 0 where there are none.
	Replay, ReplayTo, ReplayLast int64
	// Failures counts them since the last success, and FailingSince is when the first of them was. ProbeAt is when a new event is tried although there are many.
	Failures              int64
	FailingSince, ProbeAt time.Time
}

// Delivery is an event that was sent to a webhook, or is to be.
type Delivery struct {
	ID, Hook schema.UUID
	// Seq is the number of the entry of the log that it tells of, and Prev that of the event before it. They are 0 where there is none.
	Seq, Prev int64
	Event     string
	// Record is what it is about, or the zero id.
	Record   schema.UUID
	Replayed bool
	// Status is one of DeliveryStates.
	Status   string
	Attempts int64
	// CreatedAt is when it was first tried, or was to be, and FinishedAt when it was delivered or given up. NextAt is when it is tried next: zero where it waits for another one.
	CreatedAt, FinishedAt, NextAt time.Time
	// Answered is the HTTP status of the last answer, or 0, Answer the beginning of that, Error why there is none, and Took how long it took.
	Answered      int64
	Answer, Error string
	Took          time.Duration
	// Request is what is sent; it is forgotten when the record is erased.
	Request string
}

// The states of a delivery.
const (
	DeliveryWaiting = "waiting"
	DeliveryDone    = "delivered"
	DeliveryFailed  = "failed"
)

// DeliveryStates lists them.
var DeliveryStates = []string{DeliveryWaiting, DeliveryDone, DeliveryFailed}

// ErrFeedLost says that another server delivers for the business by now.
var ErrFeedLost = errors.New("the webhooks are not this worker's any more")

func hookTables() []table {
	return []table{
		{
			// webhook_feed has a row for each business that had a webhook: leased_by delivers until leased_until. due_at is when there is something to do although nothing is written.
			name: "webhook_feed",
			columns: []column{
				{"business_id", kindTenant, true},
				{"leased_by", schema.ID, false},
				{"leased_until", schema.Time, false},
				{"due_at", schema.Time, false},
			},
			primary: []string{"business_id"},
		},
		{
			name: "webhook_state",
			columns: []column{
				{"business_id", kindTenant, true},
				{"webhook_id", schema.ID, true},
				{"active", schema.Integer, true},
				{"user_id", schema.ID, false},
				{"token_id", schema.ID, false},
				{"app_id", schema.ID, false},
				{"client_id", schema.Text, false},
				{"connection_id", schema.ID, false},
				{"scopes", schema.Text, false},
				// Both are documents with the member secret, as all that is sealed.
				{"data", schema.Document, true},
				{"old_data", schema.Document, false},
				{"old_until", schema.Time, false},
				{"seq", schema.Integer, true},
				{"last_seq", schema.Integer, true},
				{"replay_seq", schema.Integer, true},
				{"replay_to", schema.Integer, true},
				{"replay_last", schema.Integer, true},
				{"failures", schema.Integer, true},
				{"failing_since", schema.Time, false},
				{"probe_at", schema.Time, false},
			},
			primary: []string{"business_id", "webhook_id"},
		},
		{
			name: "webhook_delivery",
			columns: []column{
				{"business_id", kindTenant, true},
				{"id", schema.ID, true},
				{"webhook_id", schema.ID, true},
				{"seq", schema.Integer, true},
				{"prev_seq", schema.Integer, true},
				{"event", schema.Text, true},
				{"record_id", schema.ID, false},
				{"replayed", schema.Integer, true},
				{"status", schema.Text, true},
				{"attempts", schema.Integer, true},
				{"created_at", schema.Time, true},
				{"finished_at", schema.Time, false},
				{"next_at", schema.Time, false},
				{"answered", schema.Integer, true},
				{"answer", schema.Text, false},
				{"error", schema.Text, false},
				{"took", schema.Integer, true},
				{"request", schema.Text, false}, // as it is sent, byte for byte
			},
			primary: []string{"business_id", "id"},
			indexes: []index{
				{name: "webhook_delivery_of", columns: []string{"business_id", "webhook_id", "id"}},
				{name: "webhook_delivery_waiting", columns: []string{"business_id", "webhook_id", "seq"}, where: "finished_at IS NULL"},
				{name: "webhook_delivery_record", columns: []string{"business_id", "record_id", "id"}, where: "record_id IS NOT NULL"},
			},
			long: true,
		},
	}
}

const hookColumns = `h.webhook_id, h.active, h.user_id, h.token_id, h.app_id, h.client_id, h.connection_id, h.scopes, h.data, h.old_data, h.old_until,
	h.seq, h.last_seq, h.replay_seq, h.replay_to, h.replay_last, h.failures, h.failing_since, h.probe_at`

// timeAt reads a time, zero where it is absent.
func timeAt(r row, i int) (at time.Time) {
	if v := r.Value(i, schema.Time); v.Set {
		at = v.Time()
	}
	return at
}

func scanHook(r row) Hook {
	words := func(i int, k schema.Kind) string { return strings.Clone(r.Value(i, k).S) }
	id := func(i int) schema.UUID { return r.Value(i, schema.ID).UUID() }
	number := func(i int) int64 { return r.Value(i, schema.Integer).N }
	return Hook{
		ID: id(0), Active: number(1) == 1, Actor: Actor{User: id(2), Token: id(3), App: id(4), Client: words(5, schema.Text)}, Connection: id(6), Scopes: strings.Fields(words(7, schema.Text)),
		Secret: words(8, schema.Document), OldSecret: words(9, schema.Document), OldUntil: timeAt(r, 10),
		Seq: number(11), Last: number(12), Replay: number(13), ReplayTo: number(14), ReplayLast: number(15), Failures: number(16), FailingSince: timeAt(r, 17), ProbeAt: timeAt(r, 18),
	}
}

func flag(is bool) schema.Value {
	if is {
		return integer(1)
	}
	return integer(0)
}

// AddHook keeps a webhook.
func (tx *Tx) AddHook(h *Hook) error {
	_, err := tx.Exec(room.SQL(`
		INSERT INTO webhook_state (business_id, webhook_id, active, user_id, token_id, app_id, client_id, connection_id, scopes, data,
			seq, last_seq, replay_seq, replay_to, replay_last, failures)
		VALUES ({business}, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, 0, 0)`,
		append([]schema.Value{schema.IDValue(h.ID), flag(h.Active)}, append(h.rights(), documentOrNone(h.Secret), integer(h.Seq))...)...))
	return err
}

// rights are the columns that tell with whose rights it acts.
func (h *Hook) rights() []schema.Value {
	a := h.Actor
	return []schema.Value{
		schema.IDValue(a.User), schema.IDValue(a.Token), schema.IDValue(a.App), schema.TextValue(schema.Text, a.Client), schema.IDValue(h.Connection),
		schema.TextValue(schema.Text, strings.Join(h.Scopes, " ")),
	}
}

// setHook changes columns of a webhook.
func (tx *Tx) setHook(id schema.UUID, set string, args ...schema.Value) error {
	_, err := tx.Exec(room.SQL("UPDATE webhook_state SET "+set+" WHERE business_id = {business} AND webhook_id = ?", append(args, schema.IDValue(id))...))
	return err
}

// SetHookActive says whether a webhook is to be delivered to. Its failures are forgotten.
func (tx *Tx) SetHookActive(id schema.UUID, active bool) error {
	return tx.setHook(id, "active = ?, failures = 0, failing_since = NULL, probe_at = NULL", flag(active))
}

// SetHookRights says with whose rights a webhook acts.
func (tx *Tx) SetHookRights(h *Hook) error {
	return tx.setHook(h.ID, "user_id = ?, token_id = ?, app_id = ?, client_id = ?, connection_id = ?, scopes = ?", h.rights()...)
}

// SetHookSecret gives a webhook another secret. The one that it has signs until a time.
func (tx *Tx) SetHookSecret(id schema.UUID, secret string, until time.Time) error {
	return tx.setHook(id, "old_data = data, old_until = ?, data = ?", schema.TimeValue(until), documentOrNone(secret))
}

// SetHookReplay has a range of the log sent again, or the rest of it where some was: from behind a number up to another, with the last event by then.
func (tx *Tx) SetHookReplay(id schema.UUID, after, to int64) error {
	return tx.setHook(id, "replay_seq = ?, replay_to = ?, replay_last = 0", integer(after), integer(to))
}

// DropHook forgets a webhook, and what waits for it. What was delivered is kept for as long as that of others.
func (tx *Tx) DropHook(id schema.UUID) error {
	if _, err := tx.Exec(room.SQL("DELETE FROM webhook_delivery WHERE business_id = {business} AND webhook_id = ? AND finished_at IS NULL", schema.IDValue(id))); err != nil {
		return err
	}
	_, err := tx.Exec(room.SQL("DELETE FROM webhook_state WHERE business_id = {business} AND webhook_id = ?", schema.IDValue(id)))
	return err
}

// Hooks lists what is kept of the business's webhooks that are to be delivered to.
func (tx *Tx) Hooks() (all []Hook, err error) {
	err = tx.Query(room.SQL("SELECT "+hookColumns+" FROM webhook_state h WHERE h.business_id = {business} AND h.active = 1 ORDER BY h.webhook_id"), func(r room.Row) error {
		all = append(all, scanHook(r))
		return nil
	})
	return all, err
}

// Hook finds what is kept of a webhook, or ErrNotFound.
func (tx *Tx) Hook(id schema.UUID) (found *Hook, err error) {
	err = tx.Query(room.SQL("SELECT "+hookColumns+" FROM webhook_state h WHERE h.business_id = {business} AND h.webhook_id = ?", schema.IDValue(id)), func(r room.Row) error {
		h := scanHook(r)
		found = &h
		return nil
	})
	if err == nil && found == nil {
		err = ErrNotFound
	}
	return found, err
}

// FeedDue says that there is something to do for the webhooks of the business at a time, and takes the row of the lease: whoever changes several rows takes this one first.
func (tx *Tx) FeedDue(at time.Time) error {
	_, err := tx.Exec(room.SQL(`
		INSERT INTO webhook_feed (business_id, due_at) VALUES ({business}, ?)
		ON CONFLICT (business_id) DO UPDATE SET due_at = excluded.due_at`, schema.TimeValue(at)))
	return err
}

// LeaseFeed takes the webhooks of the business until a time, and tells whether nobody else has them.
func (tx *Tx) LeaseFeed(own schema.UUID, now, until time.Time) (bool, error) {
	n, err := tx.Exec(room.SQL(`
		UPDATE webhook_feed SET leased_by = ?, leased_until = ?, due_at = NULL
		WHERE business_id = {business} AND (leased_until IS NULL OR leased_until < ?)`, schema.IDValue(own), schema.TimeValue(until), schema.TimeValue(now)))
	return n == 1, err
}

// HoldFeed keeps the lease until a time, or gives ErrFeedLost.
func (tx *Tx) HoldFeed(own schema.UUID, until time.Time) error {
	return tx.ownFeed("leased_until = ?", own, schema.TimeValue(until))
}

// LeaveFeed gives the lease back. There is something to do at a time, where that is not zero; what somebody else said is due stays so.
func (tx *Tx) LeaveFeed(own schema.UUID, due time.Time) error {
	return tx.ownFeed("leased_by = NULL, leased_until = NULL, due_at = coalesce(due_at, ?)", own, timeOrNone(due))
}

func (tx *Tx) ownFeed(set string, own schema.UUID, args ...schema.Value) error {
	n, err := tx.Exec(room.SQL("UPDATE webhook_feed SET "+set+" WHERE business_id = {business} AND leased_by = ?", append(args, schema.IDValue(own))...))
	if err == nil && n == 0 {
		err = ErrFeedLost
	}
	return err
}

// PutHook notes how far a webhook has come.
func (tx *Tx) PutHook(h *Hook) error {
	err := tx.setHook(h.ID, "seq = ?, last_seq = ?, failures = ?, failing_since = ?, probe_at = ?",
		integer(h.Seq), integer(h.Last), integer(h.Failures), timeOrNone(h.FailingSince), timeOrNone(h.ProbeAt))
	if err != nil || h.ReplayTo == 0 {
		return err
	}
	// Whoever asked for another range meanwhile gets that.
	to := h.ReplayTo
	if h.Replay >= to {
		_, err = tx.Exec(room.SQL(`
			UPDATE webhook_state SET replay_seq = 0, replay_to = 0, replay_last = 0
			WHERE business_id = {business} AND webhook_id = ? AND replay_to = ? AND replay_seq <= ?`, schema.IDValue(h.ID), integer(to), integer(h.Replay)))
		return err
	}
	_, err = tx.Exec(room.SQL(`
		UPDATE webhook_state SET replay_seq = ?, replay_last = ?
		WHERE business_id = {business} AND webhook_id = ? AND replay_to = ? AND replay_seq <= ?`, integer(h.Replay), integer(h.ReplayLast), schema.IDValue(h.ID), integer(to), integer(h.Replay)))
	return err
}

const deliveryColumns = `d.id, d.webhook_id, d.seq, d.prev_seq, d.event, d.record_id, d.replayed, d.status, d.attempts, d.created_at, d.finished_at, d.next_at, d.answered, d.answer, d.error, d.took`

func scanDelivery(r row) Delivery {
	words := func(i int) string { return strings.Clone(r.Value(i, schema.Text).S) }
	number := func(i int) int64 { return r.Value(i, schema.Integer).N }
	return Delivery{
		ID: r.Value(0, schema.ID).UUID(), Hook: r.Value(1, schema.ID).UUID(), Seq: number(2), Prev: number(3), Event: words(4), Record: r.Value(5, schema.ID).UUID(), Replayed: number(6) == 1,
		Status: words(7), Attempts: number(8), CreatedAt: timeAt(r, 9), FinishedAt: timeAt(r, 10), NextAt: timeAt(r, 11), Answered: number(12), Answer: words(13), Error: words(14),
		Took: time.Duration(number(15)) * time.Microsecond,
	}
}

// AddDeliveries keeps deliveries.
func (tx *Tx) AddDeliveries(all []*Delivery) error {
	columns := func() []string {
		return append(strings.Split(strings.ReplaceAll(deliveryColumns, "d.", ""), ", "), "request")
	}
	return tx.insertRows("webhook_delivery", columns, len(all), func(i int, row []schema.Value) []schema.Value {
		d := all[i]
		return append(row,
			schema.IDValue(d.ID), schema.IDValue(d.Hook), integer(d.Seq), integer(d.Prev), text(d.Event), schema.IDValue(d.Record), flag(d.Replayed), text(d.Status), integer(d.Attempts),
			schema.TimeValue(d.CreatedAt), timeOrNone(d.FinishedAt), timeOrNone(d.NextAt), integer(d.Answered), schema.TextValue(schema.Text, d.Answer), schema.TextValue(schema.Text, d.Error),
			integer(d.Took.Microseconds()), schema.TextValue(schema.Text, d.Request))
	})
}

// PutDelivery notes what became of one that waited.
func (tx *Tx) PutDelivery(d *Delivery) error {
	_, err := tx.Exec(room.SQL(`
		UPDATE webhook_delivery SET status = ?, attempts = ?, finished_at = ?, next_at = ?, answered = ?, answer = ?, error = ?, took = ?
		WHERE business_id = {business} AND id = ?`,
		text(d.Status), integer(d.Attempts), timeOrNone(d.FinishedAt), timeOrNone(d.NextAt), integer(d.Answered), schema.TextValue(schema.Text, d.Answer), schema.TextValue(schema.Text, d.Error),
		integer(d.Took.Microseconds()), schema.IDValue(d.ID)))
	return err
}

// Waiting lists what waits for the webhooks of the business, of each in the order of the log, without what is sent.
func (tx *Tx) Waiting(most int) (all []Delivery, err error) {
	err = tx.Query(room.SQL("SELECT "+deliveryColumns+` FROM webhook_delivery d
		WHERE d.business_id = {business} AND d.finished_at IS NULL ORDER BY d.webhook_id, d.seq, d.id LIMIT `+strconv.Itoa(most)), func(r room.Row) error {
		all = append(all, scanDelivery(r))
		return nil
	})
	return all, err
}

// DeliveryRequest reads what is sent; it is empty where it was erased.
func (t Tenant) DeliveryRequest(ctx context.Context, id schema.UUID) (request string, err error) {
	err = t.Query(ctx, room.SQL("SELECT d.request FROM webhook_delivery d WHERE d.business_id = {business} AND d.id = ?", schema.IDValue(id)), func(r room.Row) error {
		request = strings.Clone(r.Value(0, schema.Text).S)
		return nil
	})
	return request, err
}

// Deliveries lists those to a webhook, the newest first, or with asc the oldest, behind one where that is not the zero id, at most so many, and no more than a page has bytes. It tells
// whether there are more.
func (t Tenant) Deliveries(ctx context.Context, hook, after schema.UUID, asc bool, most int) (all []Delivery, more bool, err error) {
	st := room.SQL("SELECT "+deliveryColumns+", d.request FROM webhook_delivery d WHERE d.business_id = {business} AND d.webhook_id = ?", schema.IDValue(hook))
	direction, sign := " DESC", "<"
	if asc {
		direction, sign = " ASC", ">"
	}
	if after != (schema.UUID{}) {
		st.Text, st.Args = st.Text+" AND d.id "+sign+" ?", append(st.Args, schema.IDValue(after))
	}
	st.Text += " ORDER BY d.id" + direction + " LIMIT " + strconv.Itoa(most+1)
	weight := 0
	err = t.Query(ctx, st, func(r room.Row) error {
		if len(all) == most || weight >= MaxPage {
			more = true
			return errFull
		}
		d := scanDelivery(r)
		d.Request = strings.Clone(r.Value(16, schema.Text).S)
		weight += len(d.Request) + len(d.Answer) + entryWeight
		all = append(all, d)
		return nil
	})
	if errors.Is(err, errFull) {
		err = nil
	}
	return all, more, err
}

// ForgetDelivered takes out of deliveries what they tell of a record that was removed for good, but for the events that tell just that: behind a place, at most so many. It gives the place
// to go on from, or "". Whoever notes deliveries at the same time waits for it, or is waited for, and then looks whether the record is still there.
func (tx *Tx) ForgetDelivered(record schema.UUID, except []string, place string, most int) (next string, err error) {
	const named = "delivery"
	if err := tx.Query(room.SQL("SELECT f.due_at FROM webhook_feed f WHERE f.business_id = {business} {lock}"), func(room.Row) error { return nil }); err != nil {
		return "", err
	}
	var after schema.UUID
	if place != "" {
		if after, err = schema.ParseID(named, place); err != nil {
			return "", err
		}
	}
	var ids []schema.Value
	seen, last := 0, after
	err = tx.Query(room.SQL(`
		SELECT d.id, d.event FROM webhook_delivery d WHERE d.business_id = {business} AND d.record_id = ? AND d.id > ?
		ORDER BY d.id LIMIT `+strconv.Itoa(most), schema.IDValue(record), schema.Value{Kind: schema.ID, Set: true, S: string(after[:])}), func(r room.Row) error {
		seen, last = seen+1, r.Value(0, schema.ID).UUID()
		if !slices.Contains(except, r.Value(1, schema.Text).S) {
			ids = append(ids, schema.IDValue(last))
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	if seen == most {
		next = schema.FormatID(named, last)
	}
	if len(ids) == 0 {
		return next, nil
	}
	if err := tx.c.wipe(tx.ctx); err != nil {
		return "", err
	}
	b := newBuilder(tx.s.engine, tx.key)
	_, err = tx.c.exec(tx.ctx, "UPDATE webhook_delivery SET request = NULL, answer = NULL WHERE business_id = "+b.tenantMark()+" AND "+b.d.among(b, "id", ids), b.args)
	return next, err
}

// Kept finds those among some ids that have a record, live or in the bin.
func (tx *Tx) Kept(res *schema.Resource, ids []schema.UUID) (map[schema.UUID]bool, error) {
	kept, values := map[schema.UUID]bool{}, make([]schema.Value, len(ids))
	for i, id := range ids {
		values[i] = schema.IDValue(id)
	}
	b := newBuilder(tx.s.engine, tx.key)
	sql := "SELECT t.id FROM " + res.Plural + " t WHERE t.business_id = " + b.tenantMark() + " AND " + b.d.among(b, "t.id", values)
	err := tx.c.query(tx.ctx, sql, b.args, func(r row) error {
		kept[r.Value(0, schema.ID).UUID()] = true
		return nil
	})
	return kept, err
}

// SweepDeliveries forgets deliveries of the business that have ended and were made before a time, at most so many, and tells how many.
func (tx *Tx) SweepDeliveries(before time.Time, most int) (int64, error) {
	var oldest schema.UUID // of the ids that were made at the time
	made := schema.NewIDAfter(oldest, before)
	copy(oldest[:6], made[:6])
	return tx.Exec(room.SQL(`
		DELETE FROM webhook_delivery WHERE business_id = {business} AND id IN
			(SELECT d.id FROM webhook_delivery d WHERE d.business_id = {business} AND d.id < ? AND d.finished_at IS NOT NULL ORDER BY d.id LIMIT `+strconv.Itoa(most)+`)`, schema.IDValue(oldest)))
}

// HookedBusinesses lists the businesses that have a webhook to be delivered to.
func (s *Store) HookedBusinesses(ctx context.Context) ([]Tenant, error) {
	return s.feeds(ctx, "SELECT DISTINCT t.id, t.business_id FROM webhook_state h JOIN business t ON t.business_id = h.business_id WHERE h.active = 1", nil)
}

// FeedBusinesses lists the businesses that have or had a webhook.
func (s *Store) FeedBusinesses(ctx context.Context) ([]Tenant, error) {
	return s.feeds(ctx, "SELECT t.id, t.business_id FROM webhook_feed f JOIN business t ON t.business_id = f.business_id", nil)
}

// DueFeeds lists the businesses for whose webhooks there is something to do by now, or was when their server was last heard of.
func (s *Store) DueFeeds(ctx context.Context, now time.Time) ([]Tenant, error) {
	m, at := s.engine.mark, schema.TimeValue(now)
	return s.feeds(ctx, "SELECT t.id, t.business_id FROM webhook_feed f JOIN business t ON t.business_id = f.business_id"+
		" WHERE f.due_at <= "+m(1)+" AND f.leased_until IS NULL OR f.leased_until < "+m(2), []schema.Value{at, at})
}

func (s *Store) feeds(ctx context.Context, sql string, args []schema.Value) (all []Tenant, err error) {
	err = s.engine.read(ctx, share{}, func(c conn) error {
		return c.query(ctx, sql, args, func(r row) error {
			id := r.Value(0, schema.ID).UUID()
			all = append(all, Tenant{s: s, id: id, key: s.engine.tenantKey(id, r.Value(1, kindTenant).N)})
			return nil
		})
	})
	return slices.Clip(all), err
}
