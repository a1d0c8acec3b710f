package client

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strconv"
	"strings"
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
	// Tries are the attempts, in order.
	Tries []DeliveryTry `json:"tries"`
	// Request is what was last sent, and Response what came of the last attempt.
	Request  json.RawMessage   `json:"request"`
	Response *DeliveryResponse `json:"response"`
}

// DeliveryTry is one attempt to deliver an event.
type DeliveryTry struct {
	At time.Time `json:"at"`
	// Status is that of the answer, or 0 where there was none, and Error then tells why.
	Status       int    `json:"status"`
	Error        string `json:"error"`
	Milliseconds int64  `json:"milliseconds"`
	// RetryAfter is for how many seconds the receiver asked to be left alone.
	RetryAfter int64 `json:"retry_after"`
	// Early tells that it was before its time, because the receiver took something else.
	Early bool `json:"early"`
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

// WebhookEvent is what a webhook is told.
type WebhookEvent struct {
	// ID is the header webhook-id, the same however often the event is sent: what was seen already can be left out.
	ID string `json:"-"`
	// Type is the resource and what happened, such as deal.won.
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	// Seq is that of the change, and PrevSeq that of the event before it; 0 where there is none.
	Seq     int64 `json:"seq"`
	PrevSeq int64 `json:"prev_seq"`
	Data    struct {
		Change
		// Record is as it is when the event is sent, or null.
		Record json.RawMessage `json:"record"`
	} `json:"data"`
}

// ErrNotSigned says that a request to a webhook was not signed with its secret, or not within the last five minutes.
var ErrNotSigned = errors.New("kith: the request is not signed with the secret of the webhook")

// webhookTolerance is how far the clock of a receiver may be from that of the server.
const webhookTolerance = 5 * time.Minute

// VerifyWebhook checks that a request to a webhook is signed with its secret (whsec_…), and gives the event. The body is as it came, byte
// for byte. While the secret is being replaced, either of the two will do. What is signed otherwise, or was signed more than five minutes
// ago, is ErrNotSigned.
func VerifyWebhook(secret string, header http.Header, body []byte) (*WebhookEvent, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) == 0 {
		return nil, errors.New("kith: the secret of the webhook is not one of kith's, which begin with whsec_")
	}
	id, stamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if age := time.Since(time.Unix(seconds, 0)); err != nil || age > webhookTolerance || age < -webhookTolerance {
		return nil, ErrNotSigned
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + stamp + "."))
	mac.Write(body)
	want := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	for given := range strings.FieldsSeq(header.Get("webhook-signature")) {
		if !hmac.Equal([]byte(given), want) {
			continue
		}
		event := &WebhookEvent{ID: id}
		if err := json.Unmarshal(body, event); err != nil {
			return nil, fmt.Errorf("kith: read an event: %w", err)
		}
		return event, nil
	}
	return nil, ErrNotSigned
}
