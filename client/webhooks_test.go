package client_test

import (
	"errors"
	"net/http"
	"strconv"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/kith-crm/kith/client"
)

// What is signed with the secret passes, also beside another signature, and nothing else does.
func TestVerifyWebhook(t *testing.T) {
	const secret, other = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=", "whsec_MTEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="
	body := []byte(`{"type":"deal.won","timestamp":"2026-11-30T09:00:00.000000Z","data":{"seq":7,"resource":"deal",` +
		`"record_id":"deal_x","action":"win","record":{"id":"deal_x"}},"seq":7,"prev_seq":null}`)
	signed := func(at time.Time, secrets ...string) http.Header {
		h := http.Header{}
		h.Set("webhook-id", "msg_1")
		h.Set("webhook-timestamp", strconv.FormatInt(at.Unix(), 10))
		var all string
		for _, s := range secrets {
			signer, err := standardwebhooks.NewWebhook(s)
			if err != nil {
				t.Fatal(err)
			}
			one, err := signer.Sign("msg_1", at, body)
			if err != nil {
				t.Fatal(err)
			}
			all += " " + one
		}
		if all != "" {
			h.Set("webhook-signature", all[1:])
		}
		return h
	}
	now := time.Now()
	for name, h := range map[string]http.Header{
		"alone": signed(now, secret), "first": signed(now, secret, other), "last": signed(now, other, secret),
		"a while ago": signed(now.Add(-4*time.Minute), secret),
	} {
		e, err := client.VerifyWebhook(secret, h, body)
		if err != nil || e.ID != "msg_1" || e.Type != "deal.won" || e.Seq != 7 || e.PrevSeq != 0 ||
			e.Data.Action != "win" || e.Data.RecordID != "deal_x" || string(e.Data.Record) != `{"id":"deal_x"}` {
			t.Errorf("%s: %+v, %v", name, e, err)
		}
	}
	renamed := signed(now, secret)
	renamed.Set("webhook-id", "msg_2")
	for name, h := range map[string]http.Header{
		"another secret": signed(now, other), "no signature": signed(now), "another id": renamed, "nothing": {},
		"long ago": signed(now.Add(-6*time.Minute), secret), "too early": signed(now.Add(6*time.Minute), secret),
	} {
		if e, err := client.VerifyWebhook(secret, h, body); !errors.Is(err, client.ErrNotSigned) {
			t.Errorf("%s: %+v, %v", name, e, err)
		}
	}
	if _, err := client.VerifyWebhook(secret, signed(now, secret), append([]byte(" "), body...)); !errors.Is(err, client.ErrNotSigned) {
		t.Errorf("another body: %v", err)
	}
	if _, err := client.VerifyWebhook("whsec_?", signed(now, secret), body); err == nil || errors.Is(err, client.ErrNotSigned) {
		t.Errorf("a secret that is none: %v", err)
	}
}
