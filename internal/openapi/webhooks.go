package openapi

import (
	"github.com/kith-crm/kith/internal/store/queue"
)

// DeliveriesPage is the name of the schema of a page of what was sent to a webhook.
const DeliveriesPage = "DeliveriesPage"

// webhooks adds the schemas of what is sent to webhooks.
func (b *builder) webhooks() {
	b.add("Delivery", Described(Strict(object(
		"id", ID("delivery"),
		"webhook_message_id", Described(Plain("string"), "The header webhook-id, the same however often the event is sent."),
		"event", Described(Plain("string"), "What happened, such as deal.won."),
		"seq", Described(Nullable(Plain("integer")), "The seq of the change that it tells of; null of a test."),
		"prev_seq", Described(Nullable(Plain("integer")), "The seq of the event that was sent before it."),
		"replayed", Described(Plain("boolean"), "Whether it was asked for by replay."),
		"status", Enum(queue.DeliveryStates...),
		"attempts", Described(Plain("integer"), "How often it was sent."),
		"created_at", Time(),
		"finished_at", Nullable(Time()),
		"next_attempt_at", Described(Nullable(Time()), "When it is tried next; null where it waits for an earlier event of its record."),
		"tries", Described(List(Strict(object(
			"at", Described(Time(), "When it was sent."),
			"status", Described(Nullable(Plain("integer")), "The HTTP status of the answer; null where there was none."),
			"error", Described(Nullable(Plain("string")), "Why there was no answer."),
			"milliseconds", Described(Plain("integer"), "How long it took."),
			"retry_after", Described(Nullable(Plain("integer")), "For how many seconds the receiver asked to be left alone."),
			"early", Described(Plain("boolean"), "Whether it was before its time, because the receiver took something else."),
		))), "The attempts, in order; of more than 50 the last."),
		"request", Described(Nullable(Plain("object")),
			"What was last sent; null where it was erased, or where the caller may not read all records of the resource."),
		"response", Described(Nullable(Strict(object(
			"status", Nullable(Plain("integer")),
			"body", Described(Nullable(Plain("string")), "The beginning of what was answered."),
			"error", Described(Nullable(Plain("string")), "Why there is no answer."),
			"milliseconds", Plain("integer"),
		))), "What came of the last attempt."),
	)), "An event that was sent to a webhook, or is to be."))
	b.add(DeliveriesPage, Strict(object("data", List(Ref("Delivery")), "meta", Ref("PageMeta"))))
}
