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

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
	"github.com/kith-crm/kith/internal/store/queue"
)

const (
	webhookActive   = "active"
	webhookDisabled = "disabled"
)

var Webhook = &record.Kind{Since: 32, Resource: schema.Resource{
	Name: "webhook", Plural: "webhooks", Label: "Webhook", Without: []string{"restore", "bin"},
	Access: schema.Access{
		Feature: "manage_apps", Closed: true, Secret: "secret", Audited: true,
		Power: "can have everything that it may read sent to any address as it changes, without being used again",
	},
	Summary: schema.Summary{Telling: []string{"url", "status", "user.name"}},
	Storage: schema.Storage{Small: true},
	Example: `{"url":"https://example.com/hooks/kith","events":["deal.won","contact.*"],"filters":{"deal":[{"field":"amount",` +
		`"operator":"gte","value":"1000.00"}]}}`,
	Fields: []schema.Field{
		{
			Name: "name", Kind: schema.Text, Label: "Name", Required: true, Derived: true,
			Find: schema.Find{Searchable: true, Sorted: true}, About: "The host of the address when not given.",
		},
		{
			Name: "url", Kind: schema.Text, Format: schema.URL, Label: "Web address", Required: true, Max: schema.Bound(2048),
			About: "Where events are sent to, by POST: https, in no private network.",
		},
		{
			Name: "events", Kind: schema.Tags, Label: "Events", Required: true,
			About: "What it is told of: `deal.won`, `deal.*` or `*`. See [events](#webhooks).",
		},
		{
			Name: "filters", Kind: schema.Document, Label: "Filters",
			About: "For some resources, filters as in a search: only events of records that they find, as these were after the change.",
		},
		{
			Name: "status", Kind: schema.Choice, Options: []string{webhookActive, webhookDisabled}, Label: "Status", Required: true,
			OptionColours: []string{"green", "red"},
			Derived:       true, Default: webhookActive, Find: schema.Find{Indexed: true},
			About: "One that is enabled again goes on where it stopped.",
		},
		{Name: "disabled_at", Kind: schema.Time, Label: "Disabled at", ReadOnly: true},
		{
			Name: "disabled_reason", Kind: schema.Text, Label: "Disabled because", ReadOnly: true, Max: schema.Bound(500),
			About: "Where kith did it.",
		},
		{
			Name: "user_id", Kind: schema.ID, Ref: schema.Ref{To: "user"}, Label: "Acts as", ReadOnly: true,
			Find: schema.Find{Indexed: true}, About: "Who last said where it sends what: it is told of what they may read.",
		},
	},
	Actions: []schema.Action{
		{Name: "test", About: "Sends the event `webhook.test`, in its turn. What came of it is among the deliveries."},
		{Name: "rotate_secret", About: "Replaces the secret; the new one is answered once. What is sent within a day is signed with both."},
		{Name: "replay", Body: []schema.Field{
			{Name: "from_seq", Kind: schema.Integer, Required: true, Min: schema.Bound(1), About: "The first `seq`."},
			{Name: "to_seq", Kind: schema.Integer, Required: true, Min: schema.Bound(1), About: "The last `seq`."},
		}, Example: `{"from_seq":1,"to_seq":1}`, About: "Sends the events of a range of the change log again, beside new ones; one range " +
			"after the other."},
	},
}}

// Webhooks are the fields of webhooks that code names.
var Webhooks struct {
	schema.Common
	Name, URL, Events, Filters, Status, DisabledAt, DisabledReason, UserID *schema.Leaf
}

var replaying struct{ FromSeq, ToSeq *schema.Leaf }

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

func declareWebhooks() {
	schema.Bind(&Webhook.Shape, &Webhooks)
	schema.Bind(Webhook.Arguments("replay"), &replaying)
	Webhook.Documents = map[*schema.Leaf]func(body.Node, *problem.Fields) string{Webhooks.Filters: keptFilters}
	Webhook.Prepare = prepareWebhook
	Webhook.Validate = validateWebhook
	Webhook.Written = webhookWritten
	Webhook.Acts = map[string]func(*record.Mutation, *body.Changes) error{
		"test": testWebhook, "rotate_secret": rotateWebhook,
		"replay": replayWebhook,
	}
}

// keptFilters gives the filters of a webhook as they are stored: a list for each of some resources. What is in the lists only these tell.
func keptFilters(n body.Node, wrong *problem.Fields) string {
	for _, m := range n.Members {
		switch at := Webhooks.Filters.Path + "." + m.Name; {
		case record.Registry.Resource(m.Name) == nil:
			wrong.Add(at, "unknown_field", "is no resource"+problem.DidYouMean(m.Name, record.Registry.Names()), record.Registry.Names()...)
		case m.Value.Kind != body.Array && m.Value.Kind != body.Null:
			wrong.Add(at, "wrong_type", "must be a list of conditions")
		}
	}
	return kept(n, Webhooks.Filters, wrong)
}

// prepareWebhook names a webhook, says since when it is disabled, and whose rights it has.
func prepareWebhook(w *record.Mutation) error {
	if u, err := url.Parse(w.Rec.Text(Webhooks.URL)); err == nil && !w.Rec.Get(Webhooks.Name).Set {
		w.Rec.PutText(Webhooks.Name, u.Hostname())
	}
	if w.Changed(Webhooks.Status) && w.Old != nil {
		w.Rec.Put(Webhooks.DisabledReason, schema.Absent(schema.Text))
		w.Rec.Put(Webhooks.DisabledAt, schema.Absent(schema.Time))
		if w.Rec.Text(Webhooks.Status) == webhookDisabled {
			w.Rec.Put(Webhooks.DisabledAt, schema.TimeValue(w.Now))
		}
	}
	if redirects(w) {
		w.Rec.Put(Webhooks.UserID, schema.IDValue(w.Who.User))
	}
	return nil
}

// validateWebhook holds a webhook to an address that can be sent to, to events and filters that there are, and to how many there may be.
func validateWebhook(p record.Proposed) error {
	if address := p.Text(Webhooks.URL); p.Changed(Webhooks.URL) && address != "" {
		if says := CheckReceiver(address, p.PrivateReceivers()); says != "" {
			p.Refuse(Webhooks.URL.Path, "invalid_format", says)
		}
	}
	if p.Changed(Webhooks.Events) {
		checkEvents(p)
	}
	if p.Changed(Webhooks.Filters) && p.Refused() == nil {
		if err := checkFilters(p); err != nil {
			return err
		}
	}
	if p.New() {
		have, err := p.Count(&Webhook.Resource, MaxWebhooks)
		if err != nil {
			return err
		}
		if have >= MaxWebhooks {
			return problem.New(problem.Conflict, "A business has at most %d webhooks; delete some that are not needed any more.",
				MaxWebhooks)
		}
	}
	return nil
}

// redirects tells that the write says where a webhook sends what, so that from now on it acts with the rights of who does so:
// nobody is told by the webhook of another what they may not read.
func redirects(w *record.Mutation) bool {
	if w.Old == nil {
		return true
	}
	again := w.Changed(Webhooks.Status) && w.Rec.Text(Webhooks.Status) == webhookActive
	return again || slices.ContainsFunc([]*schema.Leaf{Webhooks.URL, Webhooks.Events, Webhooks.Filters}, w.Changed)
}

// CheckReceiver tells what is wrong with the address of a receiver, or nothing. Whether it leads into a private network is checked
// again when it is connected to.
func CheckReceiver(address string, private bool) string {
	u, err := url.Parse(address)
	switch {
	case err != nil || strings.ContainsFunc(address, account.OutsideURI):
		return "must be an absolute address of plain ASCII letters, digits and signs"
	case u.Scheme != "https" && !(u.Scheme == "http" && private) || !strings.HasPrefix(address, u.Scheme+":"):
		return "must be an address that begins with https://"
	case u.User != nil || strings.Contains(u.Host, "@"):
		return "must not have a user name"
	case u.Fragment != "" || strings.Contains(address, "#"):
		return "must not have a fragment"
	}
	if says := account.CheckHost(address, u); says != "" {
		return says
	}
	if ip, err := netip.ParseAddr(u.Hostname()); !private &&
		(account.Loopback(u.Hostname()) || err == nil &&
			(ip.Unmap().IsPrivate() || ip.Unmap().IsLinkLocalUnicast() || ip.IsUnspecified())) {
		return "must not be in a private network"
	}
	return ""
}

func checkFilters(p record.Proposed) error {
	all, err := body.Parse([]byte(p.Text(Webhooks.Filters)))
	if err != nil || all == nil {
		return err
	}
	who := p.ReaderOfKept()
	for _, m := range all.Members {
		at := Webhooks.Filters.Path + "." + m.Name
		res := record.Registry.Resource(m.Name)
		if most := query.MaxFilters - 1; len(m.Value.Items) > most {
			p.Refuse(at, "too_many", "must have at most "+strconv.Itoa(most)+" conditions")
			continue
		}
		search := body.Node{Kind: body.Object, Members: []body.Member{{Name: "filters", Value: m.Value}}}
		if _, err := query.Check(search, p.Who().Shaped(res), false, who, nil, query.Asker{}); err != nil {
			told := problem.As(err)
			if told == nil {
				return err
			}
			for _, f := range told.Fields {
				f.Field = at + strings.TrimPrefix(f.Field, "filters")
				p.RefuseAll(problem.Fields{f})
			}
		}
	}
	return nil
}

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

// OpenWebhookSecret reads a secret that was kept.
func OpenWebhookSecret(t store.Tenant, id schema.UUID, kept string) (string, error) {
	var s sealedSecret
	if err := json.Unmarshal([]byte(kept), &s); err != nil {
		return "", err
	}
	return t.Unseal(keep.WebhookUse(id), s.Secret)
}

// webhookWritten keeps what is kept of a webhook beside its record.
func webhookWritten(w *record.Mutation) error {
	if err := queue.FeedDue(w.Tx, w.Now); err != nil {
		return err
	}
	w.AfterCommit(func(context.Context) { w.Engine.DeliveriesDue.Wake() })
	id := w.Rec.ID()
	active := w.Rec.Text(Webhooks.Status) == webhookActive
	hook := &queue.Hook{ID: id, Active: active, Actor: w.Who.Actor(""), Connection: w.Who.Connection, Scopes: w.Who.Scopes}
	switch {
	case w.Action == record.Remove:
		return queue.DropHook(w.Tx, id)
	case w.Old == nil:
		shown, kept, err := newWebhookSecret(w.Tx, id)
		if err != nil {
			return err
		}
		w.Rec.Once = &schema.Secret{Name: Webhook.Access.Secret, Value: shown}
		hook.Secret, hook.Seq = kept, w.LogEnd()
		return queue.AddHook(w.Tx, hook)
	}
	if w.Changed(Webhooks.Status) {
		if err := queue.SetHookActive(w.Tx, id, active); err != nil {
			return err
		}
	}
	if redirects(w) {
		return queue.SetHookRights(w.Tx, hook)
	}
	return nil
}

func rotateWebhook(w *record.Mutation, _ *body.Changes) error {
	if err := queue.FeedDue(w.Tx, w.Now); err != nil {
		return err
	}
	shown, kept, err := newWebhookSecret(w.Tx, w.Rec.ID())
	if err != nil {
		return err
	}
	w.Rec.Once = &schema.Secret{Name: Webhook.Access.Secret, Value: shown}
	return queue.SetHookSecret(w.Tx, w.Rec.ID(), kept, w.Now.Add(oldSecretLife))
}

func onlyActive(w *record.Mutation) error {
	if w.Rec.Text(Webhooks.Status) != webhookActive {
		return problem.New(problem.InvalidTransition, "The webhook is disabled; enable it first.")
	}
	w.Noted = true // which tells whoever delivers
	return queue.FeedDue(w.Tx, w.Now)
}

func testWebhook(w *record.Mutation, _ *body.Changes) error {
	if err := onlyActive(w); err != nil {
		return err
	}
	d := &queue.Delivery{ID: schema.NewID(w.Now), Hook: w.Rec.ID(), Event: TestEvent, CreatedAt: w.Now, NextAt: w.Now}
	d.Status = queue.DeliveryWaiting
	d.Request = TestEventBody(d)
	return queue.AddDeliveries(w.Tx, []*queue.Delivery{d})
}

// TestEventBody is what is sent of a test.
func TestEventBody(d *queue.Delivery) string {
	text := append([]byte(`{"type":"`+TestEvent+`","timestamp":"`), schema.AppendTime(nil, d.CreatedAt)...)
	return string(append(text, `","seq":0,"prev_seq":null,"data":{"webhook_id":"`+schema.FormatID(Webhook.Name, d.Hook)+`"}}`...))
}

func replayWebhook(w *record.Mutation, args *body.Changes) error {
	if err := onlyActive(w); err != nil {
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
	hook, err := queue.HookIn(w.Tx, w.Rec.ID())
	if err != nil {
		return err
	}
	if hook.ReplayTo > 0 {
		return problem.New(problem.Conflict, "Another range is being sent again, and is at %d of %d. Wait until it is through.",
			hook.Replay, hook.ReplayTo)
	}
	return queue.SetHookReplay(w.Tx, w.Rec.ID(), from-1, to)
}

// DisableWebhook says in the record of a webhook why nothing is sent to it any more.
func DisableWebhook(ctx context.Context, e *record.Engine, t store.Tenant, id schema.UUID, why string) error {
	return t.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
		rec, err := tx.Get(&Webhook.Resource, id, false)
		if errors.Is(err, store.ErrNotFound) || err == nil && rec.Text(Webhooks.Status) == webhookDisabled {
			return nil
		}
		if err != nil {
			return err
		}
		w := record.Change(e, tx, account.SystemPrincipal(t, schema.UUID{}), Webhook, record.Update, rec)
		w.Rec.PutText(Webhooks.Status, webhookDisabled)
		w.Rec.Put(Webhooks.DisabledAt, schema.TimeValue(tx.Now))
		w.Rec.PutText(Webhooks.DisabledReason, why)
		_, err = w.Save()
		return err
	})
}
