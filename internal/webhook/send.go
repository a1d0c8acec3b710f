// Package webhook tells the receivers of webhooks what happened: it reads the change log for them, keeps what has to be tried
// again, and sends by Standard Webhooks (https://www.standardwebhooks.com): signed, to public addresses, within bounds. What a
// webhook is declares package crm.
package webhook

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/outbound"
)

const (
	// longest is how long a receiver may take for an answer, and answerTime how long, after it has begun, for what it says: an
	// answer of 200 counts even where the rest never comes.
	longest    = 15 * time.Second
	answerTime = 2 * time.Second
	// mostAnswer is how many bytes of an answer are kept.
	mostAnswer = 1000
	// idle is how many connections to a receiver are kept for the next event.
	idle = 16

	secretPrefix = "whsec_"
	userAgent    = "kith-webhooks/1 (+https://www.standardwebhooks.com)"
)

// Sender sends events.
type Sender struct {
	client  *http.Client
	timeout time.Duration
}

// NewSender makes a sender. private lets it send into private networks.
func NewSender(private bool) *Sender {
	return &Sender{
		client:  outbound.Client(outbound.Options{Private: private, Timeout: longest + answerTime, IdlePerHost: idle}),
		timeout: longest,
	}
}

// Send sends a message once, and tells what came of it.
func (s *Sender) Send(ctx context.Context, m Message) Receipt {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	late := time.AfterFunc(s.timeout, cancel)
	defer late.Stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, m.URL, bytes.NewReader(m.Body))
	if err != nil {
		return Receipt{Error: "The address cannot be read."}
	}
	stamp := strconv.FormatInt(m.At.Unix(), 10)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", userAgent)
	req.Header.Set("webhook-id", m.ID)
	req.Header.Set("webhook-timestamp", stamp)
	signature, err := sign(m, stamp)
	if err != nil {
		return Receipt{Error: "The secret cannot be read."}
	}
	req.Header.Set("webhook-signature", signature)
	res, err := s.client.Do(req)
	if err != nil {
		return Receipt{Error: reason(err, !late.Stop())}
	}
	defer res.Body.Close()
	late.Reset(answerTime) // the rest of the answer is a courtesy
	text, _ := io.ReadAll(io.LimitReader(res.Body, mostAnswer))
	return Receipt{Status: res.StatusCode, Answer: printable(text), RetryAfter: retryAfter(res.Header.Get("Retry-After"), m.At)}
}

func sign(m Message, stamp string) (string, error) {
	var all []string
	for _, secret := range m.Secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
		if err != nil {
			return "", errors.New("the secret of a webhook is not in base64")
		}
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(m.ID + "." + stamp + "."))
		mac.Write(m.Body)
		all = append(all, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	return strings.Join(all, " "), nil
}

// reason says in words that help who has the webhook why there is no answer, and nothing of the network that the server is in.
func reason(err error, late bool) string {
	switch {
	case errors.Is(err, outbound.ErrPrivate):
		return "The address leads into a private network, to which this server does not connect."
	case late || errors.Is(err, context.DeadlineExceeded):
		return "The receiver did not answer within 15 seconds."
	case errors.Is(err, context.Canceled):
		return "The server was stopped meanwhile."
	}
	text := err.Error()
	for _, known := range []string{
		"no such host", "connection refused", "connection reset", "certificate", "tls:", "EOF",
		"malformed HTTP", "server gave HTTP response",
	} {
		if strings.Contains(text, known) {
			return "The receiver cannot be reached: " + strings.TrimSuffix(known, ":") + "."
		}
	}
	return "The receiver cannot be reached."
}

// retryAfter reads how long a receiver asks to be left alone: seconds, or a date.
func retryAfter(text string, now time.Time) time.Duration {
	if text == "" {
		return 0
	}
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// printable is an answer as it can be kept: text, cut where it is none.
func printable(text []byte) string {
	return strings.Map(func(r rune) rune {
		if r == 0 {
			return -1
		}
		return r
	}, strings.ToValidUTF8(string(text), "\uFFFD"))
}
