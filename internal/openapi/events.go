package openapi

import (
	"net/http"
	"slices"
	"strings"

	"github.com/kith-crm/kith/internal/crm"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

// WebhookEvent is the name of the schema of what webhooks are sent.
const WebhookEvent = "WebhookPayload"

// events adds the schemas of what webhooks are sent: for each resource what can happen to its records, with the record.
func (b *builder) events() {
	b.add("EventFields", object("type", "object", "properties", object(
		"timestamp", Described(Time(), "When it happened."),
		"seq", Described(Plain("integer"), "The place of the change among all of the business."),
		"prev_seq", Described(Nullable(Plain("integer")),
			"The seq of the event that this webhook was sent before; null of the first, and of the first of a replay."),
	), "required", []string{"timestamp", "seq", "prev_seq"}))
	types := map[string][]string{}
	for _, event := range crm.EventKinds() {
		resource, _, _ := strings.Cut(event, ".")
		types[resource] = append(types[resource], event)
	}
	event := func(types []string, data Schema) Schema {
		return extended(object("type", Enum(types...), "data", data), []string{"type", "data"}, "EventFields")
	}
	var all []Schema
	of := func(res *schema.Resource, record Schema) {
		data := extended(object("resource", object("const", res.Name), "record", record), []string{"record"}, "ChangeFields")
		b.add(Record(res)+"Event", event(types[res.Name], data))
		all = append(all, Ref(Record(res)+"Event"))
	}
	for _, k := range record.Kinds() {
		res, whose := b.of(&k.Resource), Record(&k.Resource)
		record := Ref(whose)
		if names, others := b.inBin(k); len(names)+len(others) > 0 { // an event may find its record deleted
			record = b.whole(whose, &res.Shape, others, names...)
		}
		of(&k.Resource, Any(record, Plain("null")))
	}
	of(record.Business, Plain("null"))
	b.add("TestEvent", event([]string{crm.TestEvent}, Strict(object("webhook_id", ID(crm.DeliveriesOf)))))
	b.add(WebhookEvent, Described(object("oneOf", append(all, Ref("TestEvent"))),
		"What a webhook is sent: what happened to a record, and the record as it is when the event is sent, or null where there is "+
			"nothing left of it. The type tells them apart."))
}

// webhookSection describes what receivers of webhooks are sent, and what is made of their answers.
func (b *builder) webhookSection() Object {
	header := func(name, about string, s Schema) Object {
		return object("name", name, "in", "header", "required", true, "description", about, "schema", s)
	}
	return object("event", object("post", object(
		"operationId", "receiveEvent", "tags", []string{record.KindOf(crm.DeliveriesOf).Plural}, "summary", "Be told of what happened",
		"description", "kith sends this to the address of a webhook, signed by Standard Webhooks. What is not answered with 2xx within "+
			"15 seconds is sent again.",
		"security", []Object{{}},
		"parameters", []Object{
			header("webhook-id", "The same however often an event is sent.", Plain("string")),
			header("webhook-timestamp", "When it was sent, in seconds since 1970.", object("type", "string", "pattern", "^[0-9]+$")),
			header("webhook-signature", "v1, and the HMAC-SHA256 of id, timestamp and body, separated by dots, in base64; several are "+
				"separated by spaces.", Plain("string")),
		},
		"requestBody", object("required", true, "content", object("application/json", object("schema", Ref(WebhookEvent)))),
		"responses", object(
			"2XX", object("description", "It is delivered."),
			"410", object("description", "Nothing is to be sent any more: the webhook is disabled."),
			"default", object("description",
				http.StatusText(http.StatusServiceUnavailable)+", or anything else: it is sent again, no sooner than the header "+
					"Retry-After says."),
		),
	)))
}

// changed are the members of an entry of the change log that tells of which record it is.
func (b *builder) changed() Object {
	names := append(slices.Clone(record.Registry.Names()), record.Business.Name)
	return append(object("resource", Enum(names...), "record_id", Plain("string")), b.change()...)
}
