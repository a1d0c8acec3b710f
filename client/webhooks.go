package client

import (
	"context"
	"encoding/json"
	"iter"
	"time"
)

// Delivery is an event that was sent to a webhook, or is to be.
type Delivery struct {
	ID string `json:"id"`
	// MessageID is the header webhook-id, the same however often the event is sent.
	MessageID string `json:"webhook_message_id"`
	Event     string `json:"event"`
	// Seq is that of the change that it tells of, and PrevSeq that of the event before it; 0 where there is none.
	Seq      int64 `json:"seq"`
	PrevSeq  int64 `json:"prev_seq"`
	Replayed bool  `json:"replayed"`
	// Status is waiting, delivered or failed.
	Status        string     `json:"status"`
	Attempts      int64      `json:"attempts"`
	CreatedAt     time.Time  `json:"created_at"`
	FinishedAt    *time.Time `json:"finished_at"`
	NextAttemptAt *time.Time `json:"next_attempt_at"`
	// Request is what is sent, and Response what came of the last attempt.
	Request  json.RawMessage   `json:"request"`
	Response *DeliveryResponse `json:"response"`
}

// DeliveryResponse is what a receiver answered, or why it did not.
type DeliveryResponse struct {
	Status       int    `json:"status"`
	Body         string `json:"body"`
	Error        string `json:"error"`
	Milliseconds int64  `json:"milliseconds"`
}

// Deliveries tells what was sent to a webhook, the newest first, and fetches page after page as the loop goes on.
func (s Webhooks) Deliveries(ctx context.Context, id WebhookID, q LogQuery) iter.Seq2[*Delivery, error] {
	return logWalk[Delivery](ctx, s.core, s.path+"/"+string(id)+"/deliveries/search", q)
}
