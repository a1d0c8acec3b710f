package webhook

import (
	"context"
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

func secret(letter string) string {
	return secretPrefix + base64.StdEncoding.EncodeToString([]byte(strings.Repeat(letter, 32)))
}

// receiver answers as a test says, and gives a message to it.
func receiver(t *testing.T, answer http.HandlerFunc) Message {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	return Message{
		URL: server.URL, ID: "msg_1", At: time.Now(), Body: []byte(`{"type":"x.y"}`),
		Secrets: []string{secret("a"), secret("b")},
	}
}

// The library that others check webhooks with takes what is sent, with the new secret as well as with the one before.
func TestSignatures(t *testing.T) {
	var wrong []string
	m := receiver(t, func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			wrong = append(wrong, err.Error())
		}
		for _, letter := range []string{"a", "b", "c"} {
			hook, err := standardwebhooks.NewWebhook(secret(letter))
			if err != nil {
				wrong = append(wrong, err.Error())
				continue
			}
			if err := hook.Verify(body, r.Header); (err == nil) != (letter != "c") {
				wrong = append(wrong, letter+": the check says "+http.StatusText(200))
			}
		}
		if got := r.Header.Get("Content-Type"); got != "application/json" {
			wrong = append(wrong, got)
		}
	})
	if got := NewSender(true).Send(context.Background(), m); got.Status != http.StatusOK || len(wrong) > 0 {
		t.Errorf("%+v, %q", got, wrong)
	}
}

func TestWhatReceiversAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   func(Receipt) bool
	}{
		"a redirect is not followed": {
			func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
			},
			func(r Receipt) bool { return r.Status == http.StatusTemporaryRedirect },
		},
		"only the beginning of an answer is kept, as text": {
			func(w http.ResponseWriter, _ *http.Request) {
				_, _ = io.WriteString(w, "\x00\xff"+strings.Repeat("x", 1<<20))
			},
			func(r Receipt) bool {
				return r.Status == http.StatusOK && strings.HasPrefix(r.Answer, "\uFFFDxx") && len(r.Answer) < 2*mostAnswer
			},
		},
		"Retry-After is read": {
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", "120")
				w.WriteHeader(http.StatusServiceUnavailable)
			},
			func(r Receipt) bool {
				return r.Status == http.StatusServiceUnavailable && r.RetryAfter == 2*time.Minute
			},
		},
		"an answer whose body never comes counts by its status": {
			func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(http.StatusOK)
				w.(http.Flusher).Flush()
				<-r.Context().Done()
			},
			func(r Receipt) bool { return r.Status == http.StatusOK },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := NewSender(true).Send(context.Background(), receiver(t, c.answer)); !c.want(got) {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestAReceiverThatHangsIsLeft(t *testing.T) {
	m := receiver(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // without that nobody notices that the other side has left
		<-r.Context().Done()
	})
	s := NewSender(true)
	s.timeout = 50 * time.Millisecond
	if got := s.Send(context.Background(), m); got.Status != 0 || !strings.Contains(got.Error, "did not answer") {
		t.Errorf("%+v", got)
	}
}

// A name that leads to a private address is refused as the address itself is: what counts is what is connected to.
func TestPrivateAddressesAreRefused(t *testing.T) {
	asked := false
	m := receiver(t, func(http.ResponseWriter, *http.Request) { asked = true })
	for _, address := range []string{m.URL, strings.Replace(m.URL, "127.0.0.1", "localhost", 1)} {
		m.URL = address
		if got := NewSender(false).Send(context.Background(), m); got.Status != 0 || !strings.Contains(got.Error, "private network") ||
			asked {
			t.Errorf("%s: %+v, asked %v", address, got, asked)
		}
	}
}
