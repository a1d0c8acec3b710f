package crm

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"kith/internal/body"
	"kith/internal/problem"
	"kith/internal/query"
	"kith/internal/schema"
	"kith/internal/store"
	"kith/internal/store/keep"
)

const (
	webhookActive   = "active"
	webhookDisabled = "disabled"
)

var webhook = &Kind{Resource: schema.Resource{
	Name: "webhook", Plural: "webhooks", Label: "Webhook", Feature: "manage_apps", Audited: true, Closed: true, Small: true, Without: []string{"restore", "bin"},
	Secret:  "secret",
	Example: `{"url":"https://example.com/hooks/kith","events":["deal.won","contact.*"],"filters":{"deal":[{"field":"amount","operator":"gte","value":"1000.00"}]}}`,
	Telling: []string{"url", "status", "user.name"},
	Fields: []schema.Field{
		{Name: "name", Kind: schema.Text, Label: "Name", Required: true, Derived: true, Searchable: true, Sorted: true, About: "The host of the address when not given."},
		{Name: "url", Kind: schema.Text, Format: schema.URL, Label: "Address", Required: true, Max: schema.Bound(2048), About: "Where events are sent to, by POST: https, in no private network."},
		{Name: "events", Kind: schema.Tags, Label: "Events", Required: true, About: "What it is told of: `deal.won`, `deal.*` or `*`. See [events](#webhooks)."},
		{Name: "filters", Kind: schema.Document, Label: "Filters", About: "For some resources, filters as in a search: only events of records that they find, as these were after the change."},
		{Name: "status", Kind: schema.Choice, Options: []string{webhookActive, webhookDisabled}, Label: "Status", Required: true, Derived: true, Default: webhookActive, Indexed: true, About: "One that is enabled again goes on where it stopped."},
		{Name: "disabled_at", Kind: schema.Time, Label: "Disabled at", ReadOnly: true},
		{Name: "disabled_reason", Kind: schema.Text, Label: "Disabled because", ReadOnly: true, Max: schema.Bound(500), About: "Where kith did it."},
		{Name: "user_id", Kind: schema.ID, Ref: "user", Label: "Acts as", ReadOnly: true, Indexed: true, About: "Who last said where it sends what: it is told of what they may read."},
	},
	Actions: []schema.Action{
		{Name: "test", About: "Sends the event `webhook.test`, in its turn. What came of it is among the deliveries."},
		{Name: "rotate_secret", About: "Replaces the secret; the new one is answered once. What is sent within a day is signed with both."},
		{Name: "replay", Body: []schema.Field{
			{Name: "from_seq", Kind: schema.Integer, Required: true, Min: schema.Bound(1), About: "The first `seq`."},
			{Name: "to_seq", Kind: schema.Integer, Required: true, Min: schema.Bound(1), About: "The last `seq`."},
		}, Example: `{"from_seq":1,"to_seq":1}`, About: "Sends the events of a range of the change log again, beside new ones; one range after the other."},
	},
}}

// Webhooks are the fields of webhooks that code names.
var Webhooks = fieldsOf[struct {
	schema.Common
	Name, URL, Events, Filters, Status, DisabledAt, DisabledReason, UserID *schema.Leaf
}](webhook)

var replaying = argumentsOf[struct{ FromSeq, ToSeq *schema.Leaf }](webhook, "replay")

const (
	// MaxWebhooks is how many a business may have.
	MaxWebhooks = 100
	// oldSecretLife is how long the secret before a rotation signs, too.
	oldSecretLife = 24 * time.Hour
	// secretPrefix begins the secrets that webhooks are signed with, by Standard Webhooks, and secretBytes is how many they have.
	secretPrefix = "whsec_"
	secretBytes  = 32
	// DeliveriesOf is the resource that has deliveries.
	DeliveriesOf = "webhook"
	// TestEvent is what a test sends.
	TestEvent = "webhook.test"
)

func init() {
	webhook.documents = map[*schema.Leaf]func(body.Node, *problem.Fields) string{Webhooks.Filters: keptFilters}
	webhook.prepare = prepareWebhook
	webhook.written = webhookWritten
	webhook.acts = map[string]func(*write, *body.Changes) error{"test": testWebhook, "rotate_secret": rotateWebhook, "replay": replayWebhook}
}

// keptFilters gives the filters of a webhook as they are stored: a list for each of some resources. What is in the lists only these tell.
func keptFilters(n body.Node, wrong *problem.Fields) string {
	if len(n.Members) == 0 {
		return ""
	}
	for _, m := range n.Members {
		switch at := Webhooks.Filters.Path + "." + m.Name; {
		case Registry.Resource(m.Name) == nil:
			wrong.Add(at, "unknown_field", "is no resource"+problem.DidYouMean(m.Name, Registry.Names()), Registry.Names()...)
		case m.Value.Kind != body.Array && m.Value.Kind != body.Null:
			wrong.Add(at, "wrong_type", "must be a list of conditions")
		}
	}
	text := body.Append(nil, n)
	if len(text) > maxKeptSearch {
		wrong.Add(Webhooks.Filters.Path, "too_long", "must have at most "+strconv.Itoa(maxKeptSearch)+" bytes")
	}
	return string(text)
}

func prepareWebhook(w *write) error {
	address := w.rec.Text(Webhooks.URL)
	if w.changed(Webhooks.URL) && address != "" {
		if says := w.e.checkReceiver(address); says != "" {
			w.wrong.Add(Webhooks.URL.Path, "invalid_format", says)
		}
	}
	if u, err := url.Parse(address); err == nil && !w.rec.Get(Webhooks.Name).Set {
		w.rec.PutText(Webhooks.Name, u.Hostname())
	}
	if w.changed(Webhooks.Events) {
		w.checkEvents()
	}
	if w.changed(Webhooks.Filters) && len(w.wrong) == 0 {
		if err := w.checkFilters(); err != nil {
			return err
		}
	}
	if w.changed(Webhooks.Status) && w.old != nil {
		w.rec.Put(Webhooks.DisabledReason, schema.Absent(schema.Text))
		w.rec.Put(Webhooks.DisabledAt, schema.Absent(schema.Time))
		if w.rec.Text(Webhooks.Status) == webhookDisabled {
			w.rec.Put(Webhooks.DisabledAt, schema.TimeValue(w.Now))
		}
	}
	if w.old == nil {
		have, err := w.Count(&webhook.Resource, MaxWebhooks)
		if err != nil {
			return err
		}
		if have >= MaxWebhooks {
			return problem.New(problem.Conflict, "A business has at most %d webhooks; delete some that are not needed any more.", MaxWebhooks)
		}
	}
	if w.redirects() {
		if err := w.who.mayMakeSecrets(); err != nil {
			return err
		}
		w.rec.Put(Webhooks.UserID, schema.IDValue(w.who.User))
	}
	return nil
}

// redirects tells that the write says where a webhook sends what, so that from now on it acts with the rights of who does so: nobody is told by the webhook of another what they may not read.
func (w *write) redirects() bool {
	if w.old == nil {
		return true
	}
	again := w.changed(Webhooks.Status) && w.rec.Text(Webhooks.Status) == webhookActive
	return again || slices.ContainsFunc([]*schema.Leaf{Webhooks.URL, Webhooks.Events, Webhooks.Filters}, w.changed)
}

// checkReceiver tells what is wrong with the address of a receiver, or nothing. Whether it leads into a private network is checked again when it is connected to.
func (e *Engine) checkReceiver(address string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil || strings.ContainsFunc(address, outsideURI):
		return "must be an absolute address of plain ASCII letters, digits and signs"
	case u.Scheme != "https" && !(u.Scheme == "http" && e.PrivateWebhooks) || !strings.HasPrefix(address, u.Scheme+":"):
		return "must be an address that begins with https://"
	case u.User != nil || strings.Contains(u.Host, "@"):
		return "must not have a user name"
	case u.Fragment != "" || strings.Contains(address, "#"):
		return "must not have a fragment"
	}
	if says := checkHost(address, u); says != "" {
		return says
	}
	if ip, err := netip.ParseAddr(u.Hostname()); !e.PrivateWebhooks && (Loopback(u.Hostname()) || err == nil && (ip.Unmap().IsPrivate() || ip.Unmap().IsLinkLocalUnicast() || ip.IsUnspecified())) {
		return "must not be in a private network"
	}
	return ""
}

// checkFilters holds the filters to the resources that they are for.
func (w *write) checkFilters() error {
	all, err := body.Parse([]byte(w.rec.Text(Webhooks.Filters)))
	if err != nil || all == nil {
		return err
	}
	who := anyReader{query.Here{Now: w.Now, Zone: time.UTC, User: w.who.User}, w.who.Shapes}
	for _, m := range all.Members {
		at := Webhooks.Filters.Path + "." + m.Name
		res := Registry.Resource(m.Name)
		if most := query.MaxFilters - 1; len(m.Value.Items) > most {
			w.wrong.Add(at, "too_many", "must have at most "+strconv.Itoa(most)+" conditions")
			continue
		}
		search := body.Node{Kind: body.Object, Members: []body.Member{{Name: "filters", Value: m.Value}}}
		if _, err := query.Check(search, w.who.Shaped(res), false, who, nil, query.Asker{}); err != nil {
			p := problem.As(err)
			if p == nil {
				return err
			}
			for _, f := range p.Fields {
				f.Field = at + strings.TrimPrefix(f.Field, "filters")
				w.wrong = append(w.wrong, f)
			}
		}
	}
	return nil
}

// sealedSecret is what is kept of a secret.
type sealedSecret struct {
	Secret string `json:"secret"`
}

// newWebhookSecret makes a secret, and gives it as it is shown and as it is kept.
func newWebhookSecret(tx *store.Tx, id schema.UUID) (shown, kept string, err error) {
	key := make([]byte, secretBytes)
	_, _ = rand.Read(key) // which never fails
	shown = secretPrefix + base64.StdEncoding.EncodeToString(key)
	text, err := json.Marshal(sealedSecret{tx.Seal(keep.WebhookUse(id), shown)})
	return shown, string(text), err
}

// openWebhookSecret reads a secret that was kept.
func openWebhookSecret(t store.Tenant, id schema.UUID, kept string) (string, error) {
	var s sealedSecret
	if err := json.Unmarshal([]byte(kept), &s); err != nil {
		return "", err
	}
	return t.Unseal(keep.WebhookUse(id), s.Secret)
}

// webhookWritten keeps what is kept of a webhook beside its record.
func webhookWritten(w *write) error {
	if err := w.FeedDue(w.Now); err != nil {
		return err
	}
	w.AfterCommit(func(context.Context) { w.e.wakeHooks() })
	id, a := w.rec.ID(), w.who.Actor("")
	hook := &store.Hook{ID: id, Active: w.rec.Text(Webhooks.Status) == webhookActive, Actor: a, Connection: w.who.Connection, Scopes: w.who.Scopes}
	switch {
	case w.action == Remove:
		return w.DropHook(id)
	case w.old == nil:
		shown, kept, err := newWebhookSecret(w.Tx, id)
		if err != nil {
			return err
		}
		w.rec.Once = &schema.Secret{Name: webhook.Secret, Value: shown}
		hook.Secret, hook.Seq = kept, w.LogEnd()
		return w.AddHook(hook)
	}
	if w.changed(Webhooks.Status) {
		if err := w.SetHookActive(id, hook.Active); err != nil {
			return err
		}
	}
	if w.redirects() {
		return w.SetHookRights(hook)
	}
	return nil
}

func rotateWebhook(w *write, _ *body.Changes) error {
	if err := w.who.mayMakeSecrets(); err != nil {
		return err
	}
	if err := w.FeedDue(w.Now); err != nil {
		return err
	}
	shown, kept, err := newWebhookSecret(w.Tx, w.rec.ID())
	if err != nil {
		return err
	}
	w.rec.Once = &schema.Secret{Name: webhook.Secret, Value: shown}
	return w.SetHookSecret(w.rec.ID(), kept, w.Now.Add(oldSecretLife))
}

// onlyActive refuses what a webhook that is disabled would not do.
func (w *write) onlyActive() error {
	if w.rec.Text(Webhooks.Status) != webhookActive {
		return problem.New(problem.InvalidTransition, "The webhook is disabled; enable it first.")
	}
	w.noted = true // which tells whoever delivers
	return w.FeedDue(w.Now)
}

func testWebhook(w *write, _ *body.Changes) error {
	if err := w.onlyActive(); err != nil {
		return err
	}
	text := append([]byte(`{"type":"`+TestEvent+`","timestamp":"`), schema.AppendTime(nil, w.Now)...)
	text = append(text, `","seq":0,"prev_seq":null,"data":{"webhook_id":"`+schema.FormatID(webhook.Name, w.rec.ID())+`"}}`...)
	return w.AddDeliveries([]*store.Delivery{{ID: schema.NewID(w.Now), Hook: w.rec.ID(), Event: TestEvent, Status: store.DeliveryWaiting, CreatedAt: w.Now, NextAt: w.Now, Request: string(text)}})
}

func replayWebhook(w *write, args *body.Changes) error {
	if err := w.onlyActive(); err != nil {
		return err
	}
	from, to := args.Get(replaying.FromSeq).N, args.Get(replaying.ToSeq).N
	var wrong problem.Fields
	if to < from {
		wrong.Add(replaying.ToSeq.Path, "out_of_range", "must not be before from_seq")
	}
	if end := w.LogEnd(); to > end {
		wrong.Add(replaying.ToSeq.Path, "out_of_range", "must be at most "+strconv.FormatInt(end, 10)+", the seq of the newest change")
	}
	if err := wrong.Err(); err != nil {
		return err
	}
	hook, err := w.Hook(w.rec.ID())
	if err != nil {
		return err
	}
	if hook.ReplayTo > 0 {
		return problem.New(problem.Conflict, "Another range is being sent again, and is at %d of %d. Wait until it is through.", hook.Replay, hook.ReplayTo)
	}
	return w.SetHookReplay(w.rec.ID(), from-1, to)
}

// disableWebhook says in the record of a webhook why nothing is sent to it any more.
func (e *Engine) disableWebhook(ctx context.Context, t store.Tenant, id schema.UUID, why string) error {
	return t.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
		rec, err := tx.Get(&webhook.Resource, id, false)
		if errors.Is(err, store.ErrNotFound) || err == nil && rec.Text(Webhooks.Status) == webhookDisabled {
			return nil
		}
		if err != nil {
			return err
		}
		w := &write{Tx: tx, e: e, who: systemPrincipal(t, schema.UUID{}), kind: webhook, action: Update, old: rec, rec: rec.Clone()}
		w.rec.PutText(Webhooks.Status, webhookDisabled)
		w.rec.Put(Webhooks.DisabledAt, schema.TimeValue(tx.Now))
		w.rec.PutText(Webhooks.DisabledReason, why)
		_, err = w.save()
		return err
	})
}

// Deliveries lists what was sent to a webhook, the newest first unless the caller asks otherwise.
func (e *Engine) Deliveries(ctx context.Context, c Call, id string, n *body.Node, each func(*store.Delivery)) (List, error) {
	rec, err := e.Get(ctx, c, webhook, id)
	if err != nil {
		return List{}, err
	}
	p, err := e.page(c, All, n, "deliveries", id)
	if err != nil {
		return List{}, err
	}
	if rec.Get(Webhooks.UserID).UUID() != c.User && !slices.Contains(c.Role.Features, webhook.Feature) {
		return List{}, problem.New(problem.ForbiddenByRole, "What was sent to a webhook is told to who made it, and to who has the feature permission %s.", webhook.Feature)
	}
	var after schema.UUID
	copy(after[:], p.place)
	all, more, err := c.Tenant.Deliveries(ctx, rec.ID(), after, !p.desc, p.limit)
	if err != nil {
		return List{}, err
	}
	list := List{Total: -1}
	if more {
		last := all[len(all)-1].ID
		list.Next = p.next(last[:])
	}
	for i := range all {
		each(&all[i])
	}
	return list, nil
}

// AppendDelivery renders a delivery. What was sent is left out for those who could not read it themselves.
func (p *Principal) AppendDelivery(dst []byte, d *store.Delivery) []byte {
	at := func(name string, t time.Time) {
		dst = append(append(append(dst, `,"`...), name...), `":`...)
		if t.IsZero() {
			dst = append(dst, "null"...)
			return
		}
		dst = append(schema.AppendTime(append(dst, '"'), t), '"')
	}
	seq := func(name string, n int64) {
		dst = append(append(append(dst, `,"`...), name...), `":`...)
		if n == 0 {
			dst = append(dst, "null"...)
			return
		}
		dst = strconv.AppendInt(dst, n, 10)
	}
	dst = append(schema.AppendID(append(dst, `{"id":"`...), "delivery", string(d.ID[:])), '"')
	dst = schema.AppendString(append(dst, `,"webhook_message_id":`...), messageID(d.Hook, d.Seq, d.ID))
	dst = schema.AppendString(append(dst, `,"event":`...), d.Event)
	seq("seq", d.Seq)
	seq("prev_seq", d.Prev)
	dst = strconv.AppendBool(append(dst, `,"replayed":`...), d.Replayed)
	dst = schema.AppendString(append(dst, `,"status":`...), d.Status)
	dst = strconv.AppendInt(append(dst, `,"attempts":`...), d.Attempts, 10)
	at("created_at", d.CreatedAt)
	at("finished_at", d.FinishedAt)
	at("next_attempt_at", d.NextAt)
	dst = append(dst, `,"request":`...)
	if resource, _, _ := strings.Cut(d.Event, "."); d.Request != "" && p.readsEvents(resource) {
		dst = append(dst, d.Request...)
	} else {
		dst = append(dst, "null"...)
	}
	dst = append(dst, `,"response":`...)
	if d.Attempts == 0 {
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
func (p *Principal) readsEvents(resource string) bool {
	res := Registry.Resource(resource)
	if res == nil || resource == webhook.Name {
		return true
	}
	own, err := p.CanRead(res)
	return err == nil && !own && res.SharedLeaf == nil && p.ends(res) == nil
}

// SweepDeliveries forgets what was sent to webhooks long ago, as of now, in small steps.
func (e *Engine) SweepDeliveries(ctx context.Context, now time.Time) error {
	businesses, err := e.store.FeedBusinesses(ctx)
	if err != nil {
		return err
	}
	for _, t := range businesses {
		for more := true; more; {
			begin := time.Now()
			err := t.Keep(ctx, store.Actor{}, func(tx *store.Tx) error {
				n, err := tx.SweepDeliveries(now.AddDate(0, 0, -DeliveryDays), sweptAtOnce)
				more = n == sweptAtOnce
				return err
			})
			if err != nil {
				return err
			}
			rest(ctx, time.Since(begin))
		}
	}
	return nil
}

const (
	// DeliveryDays is for how many days it is kept what was sent to webhooks.
	DeliveryDays = 30
	sweptAtOnce  = 500
)
