package webhook

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/crm"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/queue"
)

// Deliveries lists what was sent to a webhook, the newest first unless the caller asks otherwise.
func Deliveries(ctx context.Context, e *record.Engine, c record.Call, id string, n *body.Node, each func(*queue.Delivery)) (record.List,
	error,
) {
	rec, err := c.Get(ctx, crm.Webhook, id)
	if err != nil {
		return record.List{}, err
	}
	p, err := e.Page(c, record.All, n, "deliveries", id)
	if err != nil {
		return record.List{}, err
	}
	if rec.Get(crm.Webhooks.UserID).UUID() != c.User && !c.HasFeature(crm.Webhook.Access.Feature) {
		return record.List{}, problem.New(problem.ForbiddenByRole,
			"What was sent to a webhook is told to who made it, and to who has the feature permission %s.", crm.Webhook.Access.Feature)
	}
	var after schema.UUID
	copy(after[:], p.Place)
	all, more, err := queue.Deliveries(ctx, c.Tenant, rec.ID(), after, !p.Desc, p.Limit)
	if err != nil {
		return record.List{}, err
	}
	list := record.List{Total: -1}
	if more {
		last := all[len(all)-1].ID
		list.Next = p.Next(last[:])
	}
	for i := range all {
		each(&all[i])
	}
	return list, nil
}

// AppendDelivery renders a delivery. What was sent is left out for those who could not read it themselves.
func AppendDelivery(p *record.Principal, dst []byte, d *queue.Delivery) []byte {
	member := func(name string) { dst = append(append(append(dst, `,"`...), name...), `":`...) }
	at := func(name string, t time.Time) {
		if member(name); t.IsZero() {
			dst = append(dst, "null"...)
			return
		}
		dst = append(schema.AppendTime(append(dst, '"'), t), '"')
	}
	number := func(name string, n int64) {
		if member(name); n == 0 {
			dst = append(dst, "null"...)
			return
		}
		dst = strconv.AppendInt(dst, n, 10)
	}
	dst = append(schema.AppendID(append(dst, `{"id":"`...), "delivery", string(d.ID[:])), '"')
	dst = schema.AppendString(append(dst, `,"webhook_message_id":`...), messageID(d.Hook, d.Seq, d.ID))
	dst = schema.AppendString(append(dst, `,"event":`...), d.Event)
	number("seq", d.Seq)
	number("prev_seq", d.Prev)
	dst = strconv.AppendBool(append(dst, `,"replayed":`...), d.Replayed)
	dst = schema.AppendString(append(dst, `,"status":`...), d.Status)
	dst = strconv.AppendInt(append(dst, `,"attempts":`...), d.Made(), 10)
	at("created_at", d.CreatedAt)
	at("finished_at", d.FinishedAt)
	at("next_attempt_at", d.NextAt)
	dst = append(dst, `,"tries":[`...)
	for i, one := range d.Tried {
		dst = schema.AppendComma(dst, i)
		dst = append(schema.AppendTime(append(dst, `{"at":"`...), one.At), '"')
		number("status", one.Status)
		dst = schema.AppendStringOrNull(append(dst, `,"error":`...), one.Error)
		dst = strconv.AppendInt(append(dst, `,"milliseconds":`...), one.Took.Milliseconds(), 10)
		number("retry_after", int64(one.Away.Seconds()))
		dst = append(strconv.AppendBool(append(dst, `,"early":`...), one.Early), '}')
	}
	dst = append(dst, `],"request":`...)
	if resource, _, _ := strings.Cut(d.Event, "."); d.Request != "" && readsEvents(p, resource) {
		dst = append(dst, d.Request...)
	} else {
		dst = append(dst, "null"...)
	}
	dst = append(dst, `,"response":`...)
	if d.Made() == 0 && d.Error == "" {
		return append(dst, "null}"...)
	}
	dst = append(dst, `{"status":`...)
	if d.Answered == 0 {
		dst = append(dst, "null"...)
	} else {
		dst = strconv.AppendInt(dst, d.Answered, 10)
	}
	dst = schema.AppendStringOrNull(append(dst, `,"body":`...), d.Answer)
	dst = schema.AppendStringOrNull(append(dst, `,"error":`...), d.Error)
	dst = strconv.AppendInt(append(dst, `,"milliseconds":`...), d.Took.Milliseconds(), 10)
	return append(dst, "}}"...)
}

// readsEvents tells whether somebody may read all records of a resource, and so whatever events tell of them.
func readsEvents(p *record.Principal, resource string) bool {
	res := record.Registry.Resource(resource)
	if res == nil || resource == crm.Webhook.Name {
		return true
	}
	own, err := p.CanRead(res)
	return err == nil && !own && res.SharedLeaf == nil && p.EndsOf(res) == nil
}

// SweepDeliveries forgets what was sent to webhooks long ago, as of now, in small steps.
func SweepDeliveries(ctx context.Context, e *record.Engine, now time.Time) error {
	businesses, err := queue.FeedBusinesses(ctx, e.Store())
	for _, t := range businesses {
		for more := true; more; {
			begin := time.Now()
			failed := t.Keep(ctx, store.Actor{}, func(tx *store.Tx) error {
				n, err := queue.SweepDeliveries(tx, now.AddDate(0, 0, -DeliveryDays), sweptAtOnce)
				more = n == sweptAtOnce
				return err
			})
			err, more = errors.Join(err, failed), more && failed == nil
			record.Pause(ctx, time.Since(begin))
		}
	}
	return err
}

const (
	// DeliveryDays is for how many days it is kept what was sent to webhooks.
	DeliveryDays = 30
	sweptAtOnce  = 500
)
