package queue

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/internal/room"
	"github.com/kith-crm/kith/internal/store/search"
)

// A webhook is a place in the change log. Here is what is kept of it beside its record: how far it has come, and with whose rights; what
// was delivered; and which server delivers for a business (a lease). The domain knows what there is to send. See docs/adr/0066.

// Hook is what is kept of a webhook beside its record.
type Hook struct {
	ID schema.UUID
	// Active tells that it is to be delivered to.
	Active bool
	// Actor is with whose rights it acts, by which connection, and Scopes are those of the token that they had.
	Actor      store.Actor
	Connection schema.UUID
	Scopes     []string
	// Secret signs what is sent, and OldSecret does so, too, until a time. Both are as they are kept, see store.Tenant.Seal.
	Secret, OldSecret string
	OldUntil          time.Time
	// Seq is up to where the log is done with, and Last the number of the last event by then, or 0.
	Seq, Last int64
	// Replay are the numbers of the log that are sent again: from behind the first up to the second, with the last event by then. All are
	// 0 where there are none.
	Replay, ReplayTo, ReplayLast int64
	// Failures counts them since the last success, and FailingSince is when the first of them was. ProbeAt is when a new event is tried
	// although there are many.
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
	Status string
	// Attempts counts those of its schedule since the webhook was last enabled, and Tried are the last of all, in order.
	Attempts int64
	Tried    []Attempt
	// CreatedAt is when it was first tried, or was to be, and FinishedAt when it was delivered or given up. NextAt is when it is tried
	// next: zero where it waits for another one.
	CreatedAt, FinishedAt, NextAt time.Time
	// Answered is the HTTP status of the last answer, or 0, Answer the beginning of that, Error why there is none, and Took how long it
	// took.
	Answered      int64
	Answer, Error string
	Took          time.Duration
	// Request is what was last sent; it is forgotten when the record is erased.
	Request string
}

// Attempt is one time that a delivery was sent: when, the status of the answer or why there is none, and how long it took. Away is how
// long the receiver asked to be left alone, and Early tells that it was before its time, because the receiver answered again.
type Attempt struct {
	At     time.Time     `json:"at"`
	Status int64         `json:"status,omitempty"`
	Error  string        `json:"error,omitempty"`
	Took   time.Duration `json:"took"`
	Away   time.Duration `json:"away,omitempty"`
	Early  bool          `json:"early,omitempty"`
}

// Made is how many attempts were made.
func (d *Delivery) Made() int64 { return max(d.Attempts, int64(len(d.Tried))) }

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

const hookColumns = `h.webhook_id, h.active, h.user_id, h.token_id, h.app_id, h.client_id, h.connection_id, h.scopes, h.data, h.old_data,
	h.old_until, h.seq, h.last_seq, h.replay_seq, h.replay_to, h.replay_last, h.failures, h.failing_since, h.probe_at`

func scanHook(r room.Row) Hook {
	text, id, number, at := room.Columns(r)
	return Hook{
		ID: id(0), Active: number(1) == 1, Actor: store.Actor{User: id(2), Token: id(3), App: id(4), Client: text(5)},
		Connection: id(6), Scopes: strings.Fields(text(7)), Secret: text(8), OldSecret: text(9), OldUntil: at(10),
		Seq: number(11), Last: number(12), Replay: number(13), ReplayTo: number(14), ReplayLast: number(15), Failures: number(16),
		FailingSince: at(17), ProbeAt: at(18),
	}
}

// AddHook keeps a webhook.
func AddHook(tx *store.Tx, h *Hook) error {
	return store.Run(tx, `
		INSERT INTO webhook_state (business_id, user_id, token_id, app_id, client_id, connection_id, scopes, webhook_id, active, data,
			seq, last_seq, replay_seq, replay_to, replay_last, failures)
		VALUES ({business}, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, 0, 0)`,
		append(h.rights(), schema.IDValue(h.ID), room.Flag(h.Active), room.DocumentOrNone(h.Secret), room.Integer(h.Seq))...)
}

// rights are the columns that tell with whose rights it acts.
func (h *Hook) rights() []schema.Value {
	a := h.Actor
	return []schema.Value{
		schema.IDValue(a.User), schema.IDValue(a.Token), schema.IDValue(a.App), room.TextOrNone(a.Client), schema.IDValue(h.Connection),
		room.TextOrNone(strings.Join(h.Scopes, " ")),
	}
}

// setHook changes columns of a webhook.
func setHook(tx *store.Tx, id schema.UUID, set string, args ...schema.Value) error {
	return store.Run(tx, "UPDATE webhook_state SET "+set+" WHERE business_id = {business} AND webhook_id = ?",
		append(args, schema.IDValue(id))...)
}

// SetHookActive says whether a webhook is to be delivered to. Its failures are forgotten, and what waits for it begins its schedule anew.
func SetHookActive(tx *store.Tx, id schema.UUID, active bool) error {
	if active {
		if err := store.Run(tx, `
			UPDATE webhook_delivery SET attempts = 0, next_at = ?
			WHERE business_id = {business} AND webhook_id = ? AND finished_at IS NULL AND next_at IS NOT NULL`,
			schema.TimeValue(tx.Now), schema.IDValue(id)); err != nil {
			return err
		}
	}
	return setHook(tx, id, "active = ?, failures = 0, failing_since = NULL, probe_at = NULL", room.Flag(active))
}

// SetHookRights says with whose rights a webhook acts.
func SetHookRights(tx *store.Tx, h *Hook) error {
	return setHook(tx, h.ID, "user_id = ?, token_id = ?, app_id = ?, client_id = ?, connection_id = ?, scopes = ?", h.rights()...)
}

// EndHooks takes from webhooks that somebody made in the app, not by a token or an app of others, what they act by. Whoever delivers
// disables them.
func EndHooks(tx *store.Tx, user schema.UUID) error {
	if err := store.Run(tx, "UPDATE webhook_feed SET due_at = ? WHERE business_id = {business}", schema.TimeValue(tx.Now)); err != nil {
		return err
	}
	return store.Run(tx, `
		UPDATE webhook_state SET connection_id = NULL
		WHERE business_id = {business} AND user_id = ? AND token_id IS NULL AND app_id IS NULL AND client_id IS NULL`,
		schema.IDValue(user))
}

// SetHookSecret gives a webhook another secret. The one that it has signs until a time.
func SetHookSecret(tx *store.Tx, id schema.UUID, secret string, until time.Time) error {
	return setHook(tx, id, "old_data = data, old_until = ?, data = ?", schema.TimeValue(until), room.DocumentOrNone(secret))
}

// SetHookReplay has a range of the log sent again, or the rest of it where some was: from behind a number up to another, with the last
// event by then.
func SetHookReplay(tx *store.Tx, id schema.UUID, after, to int64) error {
	return setHook(tx, id, "replay_seq = ?, replay_to = ?, replay_last = 0", room.Integer(after), room.Integer(to))
}

// DropHook forgets a webhook, and what waits for it. What was delivered is kept for as long as that of others.
func DropHook(tx *store.Tx, id schema.UUID) error {
	if err := store.Run(tx, "DELETE FROM webhook_delivery WHERE business_id = {business} AND webhook_id = ? AND finished_at IS NULL",
		schema.IDValue(id)); err != nil {
		return err
	}
	return store.Run(tx, "DELETE FROM webhook_state WHERE business_id = {business} AND webhook_id = ?", schema.IDValue(id))
}

// Hooks lists what is kept of the business's webhooks that are to be delivered to.
func Hooks(tx *store.Tx) ([]Hook, error) {
	return room.All(tx.Query, room.SQL("SELECT "+hookColumns+` FROM webhook_state h
		WHERE h.business_id = {business} AND h.active = 1
		ORDER BY h.webhook_id`), scanHook)
}

// HookIn finds what is kept of a webhook in a transaction, or store.ErrNotFound.
func HookIn(tx *store.Tx, id schema.UUID) (*Hook, error) {
	find := room.SQL("SELECT "+hookColumns+" FROM webhook_state h WHERE h.business_id = {business} AND h.webhook_id = ?",
		schema.IDValue(id))
	return store.Found(room.Find(tx.Query, find, scanHook))
}

// FeedDue says that there is something to do for the webhooks of the business at a time, and takes the row of the lease: whoever changes
// several rows takes this one first.
func FeedDue(tx *store.Tx, at time.Time) error {
	return store.Run(tx, `
		INSERT INTO webhook_feed (business_id, due_at) VALUES ({business}, ?)
		ON CONFLICT (business_id) DO UPDATE SET due_at = excluded.due_at`, schema.TimeValue(at))
}

// LeaseFeed takes the webhooks of the business until a time, and tells whether nobody else has them.
func LeaseFeed(tx *store.Tx, own schema.UUID, now, until time.Time) (bool, error) {
	return store.RunOnce(tx, `
		UPDATE webhook_feed SET leased_by = ?, leased_until = ?, due_at = NULL
		WHERE business_id = {business} AND (leased_until IS NULL OR leased_until < ?)`,
		schema.IDValue(own), schema.TimeValue(until), schema.TimeValue(now))
}

// HoldFeed keeps the lease until a time, or gives ErrFeedLost.
func HoldFeed(tx *store.Tx, own schema.UUID, until time.Time) error {
	return ownFeed(tx, "leased_until = ?", own, schema.TimeValue(until))
}

// LeaveFeed gives the lease back. There is something to do at a time, where that is not zero; what somebody else said is due stays so.
func LeaveFeed(tx *store.Tx, own schema.UUID, due time.Time) error {
	return ownFeed(tx, "leased_by = NULL, leased_until = NULL, due_at = coalesce(due_at, ?)", own, room.TimeOrNone(due))
}

func ownFeed(tx *store.Tx, set string, own schema.UUID, args ...schema.Value) error {
	still, err := store.RunOnce(tx, "UPDATE webhook_feed SET "+set+" WHERE business_id = {business} AND leased_by = ?",
		append(args, schema.IDValue(own))...)
	if err == nil && !still {
		err = ErrFeedLost
	}
	return err
}

// PutHook notes how far a webhook has come.
func PutHook(tx *store.Tx, h *Hook) error {
	err := setHook(tx, h.ID, "seq = ?, last_seq = ?, failures = ?, failing_since = ?, probe_at = ?",
		room.Integer(h.Seq), room.Integer(h.Last), room.Integer(h.Failures), room.TimeOrNone(h.FailingSince), room.TimeOrNone(h.ProbeAt))
	if err != nil || h.ReplayTo == 0 {
		return err
	}
	at, to, last := h.Replay, h.ReplayTo, h.ReplayLast
	if at >= to {
		at, to, last = 0, 0, 0
	}
	// Whoever asked for another range meanwhile gets that.
	return store.Run(tx, `
		UPDATE webhook_state SET replay_seq = ?, replay_to = ?, replay_last = ?
		WHERE business_id = {business} AND webhook_id = ? AND replay_to = ? AND replay_seq <= ?`,
		room.Integer(at), room.Integer(to), room.Integer(last), schema.IDValue(h.ID), room.Integer(h.ReplayTo), room.Integer(h.Replay))
}

const deliveryColumns = "d.id, d.webhook_id, d.seq, d.prev_seq, d.event, d.record_id, d.replayed, d.status, d.attempts, " +
	"d.created_at, d.finished_at, d.next_at, d.answered, d.answer, d.error, d.took, d.tried"

func scanDelivery(r room.Row) (Delivery, error) {
	text, id, number, at := room.Columns(r)
	d := Delivery{
		ID: id(0), Hook: id(1), Seq: number(2), Prev: number(3), Event: text(4), Record: id(5), Replayed: number(6) == 1, Status: text(7),
		Attempts: number(8), CreatedAt: at(9), FinishedAt: at(10), NextAt: at(11), Answered: number(12), Answer: text(13), Error: text(14),
		Took: time.Duration(number(15)) * time.Microsecond,
	}
	var err error
	if tried := text(16); tried != "" {
		err = json.Unmarshal([]byte(tried), &d.Tried)
	}
	return d, err
}

// tried is how the attempts of a delivery are kept.
func (d *Delivery) tried() schema.Value {
	if len(d.Tried) == 0 {
		return room.DocumentOrNone("")
	}
	text, err := json.Marshal(d.Tried)
	if err != nil { // which no such list has
		panic(err)
	}
	return room.DocumentOrNone(string(text))
}

// addedColumns are those of a delivery that is added.
var addedColumns = append(strings.Split(strings.ReplaceAll(deliveryColumns, "d.", ""), ", "), "request")

// AddDeliveries keeps deliveries.
func AddDeliveries(tx *store.Tx, all []*Delivery) error {
	return tx.AddRows(room.Rows{
		Table: "webhook_delivery", Columns: addedColumns, N: len(all),
		Fill: func(i int, row []schema.Value) []schema.Value {
			d := all[i]
			return append(row,
				schema.IDValue(d.ID), schema.IDValue(d.Hook), room.Integer(d.Seq), room.Integer(d.Prev), room.Text(d.Event),
				schema.IDValue(d.Record), room.Flag(d.Replayed), room.Text(d.Status), room.Integer(d.Attempts),
				schema.TimeValue(d.CreatedAt), room.TimeOrNone(d.FinishedAt), room.TimeOrNone(d.NextAt), room.Integer(d.Answered),
				room.TextOrNone(d.Answer), room.TextOrNone(d.Error), room.Integer(d.Took.Microseconds()), d.tried(),
				room.TextOrNone(d.Request))
		},
	})
}

// PutDelivery notes what became of one that waited, and what was sent, where something was.
func PutDelivery(tx *store.Tx, d *Delivery) error {
	return store.Run(tx, `
		UPDATE webhook_delivery SET status = ?, attempts = ?, finished_at = ?, next_at = ?,
			answered = ?, answer = ?, error = ?, took = ?, tried = ?, request = coalesce(?, request)
		WHERE business_id = {business} AND id = ?`,
		room.Text(d.Status), room.Integer(d.Attempts), room.TimeOrNone(d.FinishedAt), room.TimeOrNone(d.NextAt), room.Integer(d.Answered),
		room.TextOrNone(d.Answer), room.TextOrNone(d.Error), room.Integer(d.Took.Microseconds()), d.tried(), room.TextOrNone(d.Request),
		schema.IDValue(d.ID))
}

// Waiting lists what waits for the webhooks of the business, of each in the order of the log, without what is sent.
func Waiting(tx *store.Tx, most int) (all []Delivery, err error) {
	err = tx.Query(room.SQL("SELECT "+deliveryColumns+` FROM webhook_delivery d
		WHERE d.business_id = {business} AND d.finished_at IS NULL ORDER BY d.webhook_id, d.seq, d.id LIMIT `+strconv.Itoa(most)),
		func(r room.Row) error {
			d, err := scanDelivery(r)
			all = append(all, d)
			return err
		})
	return all, err
}

// Kept finds those among some ids that have a record, live or in the bin.
func Kept(tx *store.Tx, res *schema.Resource, ids []schema.UUID) (map[schema.UUID]bool, error) {
	st := room.SQL("SELECT t.id FROM " + res.Plural + " t WHERE t.business_id = {business} AND {among t.id}")
	for _, id := range ids {
		st.Among = append(st.Among, schema.IDValue(id))
	}
	kept := map[schema.UUID]bool{}
	err := tx.Query(st, func(r room.Row) error {
		kept[room.IDAt(r, 0)] = true
		return nil
	})
	return kept, err
}

// deliveryWeight is how many bytes a delivery has as JSON besides what was sent and answered, about.
const deliveryWeight = 320

// Deliveries lists those to a webhook, the newest first, or with asc the oldest, behind one where that is not the zero id, at most so
// many, and no more than a page has bytes. It tells whether there are more.
func Deliveries(ctx context.Context, t store.Tenant, hook, after schema.UUID, asc bool, most int) (all []Delivery, more bool, err error) {
	st := room.SQL("SELECT "+deliveryColumns+", d.request FROM webhook_delivery d WHERE d.business_id = {business} AND d.webhook_id = ?",
		schema.IDValue(hook))
	weight := 0
	err = t.Query(ctx, page(st, "d.id", after, asc, most+1), func(r room.Row) error {
		if len(all) == most || weight >= search.MaxPage {
			more = true
			return errEnough
		}
		d, err := scanDelivery(r)
		if err != nil {
			return err
		}
		d.Request = room.TextAt(r, 17)
		weight += len(d.Request) + len(d.Answer) + deliveryWeight
		all = append(all, d)
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return all, more, err
}

// ForgetDelivered takes out of deliveries what they tell of a record that was removed for good, but for the events that tell just that:
// behind a place, at most so many. It gives the place to go on from, or "". Whoever notes deliveries at the same time waits for it, or is
// waited for, and then looks whether the record is still there.
func ForgetDelivered(tx *store.Tx, record schema.UUID, except []string, place string, most int) (next string, err error) {
	const named = "delivery"
	if err := tx.Query(room.SQL("SELECT f.due_at FROM webhook_feed f WHERE f.business_id = {business} {lock}"),
		func(room.Row) error { return nil }); err != nil {
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
		ORDER BY d.id LIMIT `+strconv.Itoa(most), schema.IDValue(record), schema.Value{Kind: schema.ID, Set: true, S: string(after[:])}),
		func(r room.Row) error {
			seen, last = seen+1, room.IDAt(r, 0)
			if !slices.Contains(except, room.TextAt(r, 1)) {
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
	if err := tx.Wipe(); err != nil {
		return "", err
	}
	_, err = tx.Exec(room.Statement{Text: `
		UPDATE webhook_delivery SET request = NULL, answer = NULL
		WHERE business_id = {business} AND {among id}`, Among: ids})
	return next, err
}

// SweepDeliveries forgets deliveries of the business that have ended and were made before a time, at most so many, and tells how many.
func SweepDeliveries(tx *store.Tx, before time.Time, most int) (int64, error) {
	var oldest schema.UUID // of the ids that were made at the time
	made := schema.NewIDAfter(oldest, before)
	copy(oldest[:6], made[:6])
	return tx.Exec(room.SQL(`
		DELETE FROM webhook_delivery WHERE business_id = {business} AND id IN
			(SELECT d.id FROM webhook_delivery d WHERE d.business_id = {business} AND d.id < ? AND d.finished_at IS NOT NULL
			ORDER BY d.id LIMIT `+strconv.Itoa(most)+`)`, schema.IDValue(oldest)))
}

// FeedBusinesses lists the businesses that have or had a webhook.
func FeedBusinesses(ctx context.Context, s *store.Store) ([]store.Tenant, error) {
	return s.LookUp(ctx, room.Lookup{
		Text: "SELECT t.id, t.business_id FROM {webhook_feed} f JOIN {business} t ON t.business_id = f.business_id",
	}, nil)
}

// DueFeeds lists the businesses that have a webhook to be delivered to, and those of all for whose webhooks there is something to do by
// now, or was when their server was last heard of.
func DueFeeds(ctx context.Context, s *store.Store, now time.Time) (hooked, due []store.Tenant, err error) {
	at := schema.TimeValue(now)
	_, err = s.LookUp(ctx, room.Lookup{
		Text: `SELECT t.id, t.business_id,
				CAST(CASE WHEN EXISTS (SELECT 1 FROM {webhook_state} h WHERE h.business_id = f.business_id AND h.active = 1)
					THEN 1 ELSE 0 END AS bigint),
				CAST(CASE WHEN f.due_at <= ? AND f.leased_until IS NULL OR f.leased_until < ?
					THEN 1 ELSE 0 END AS bigint)
			FROM {webhook_feed} f JOIN {business} t ON t.business_id = f.business_id`,
		Args: []schema.Value{at, at}, Kinds: []schema.Kind{schema.Integer, schema.Integer},
	}, func(t store.Tenant, r room.Row) {
		if room.IntAt(r, 2) == 1 {
			hooked = append(hooked, t)
		}
		if room.IntAt(r, 3) == 1 {
			due = append(due, t)
		}
	})
	return hooked, due, err
}
