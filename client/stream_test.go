package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kith-crm/kith/client"
	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/record"
)

// A stream is heard without a gap although its connection breaks again and again, and ends with the token.
func TestListeningComesBackByItself(t *testing.T) {
	onBothEngines(t, httpapi.Options{}, func(t *testing.T, s *server) {
		ctx, c := t.Context(), s.connect(t)
		target, err := url.Parse(s.url)
		if err != nil {
			t.Fatal(err)
		}
		// Between the two is somebody who lets only so much of an answer through.
		proxy, broken := httputil.NewSingleHostReverseProxy(target), atomic.Int64{}
		proxy.FlushInterval = -1
		between := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			proxy.ServeHTTP(&breaking{ResponseWriter: w, left: 3000, broken: &broken}, r)
		}))
		defer between.Close()
		secret, err := s.token(record.Scopes())
		if err != nil {
			t.Fatal(err)
		}
		listener, err := client.New(between.URL, client.StaticToken(secret), client.WithBackoff(time.Millisecond, 10*time.Millisecond))
		if err != nil {
			t.Fatal(err)
		}
		page := must[*client.ChangesPage](t)(c.ChangesPage(ctx, client.ChangesQuery{Limit: 1}))
		const changes = 20
		for n := range changes {
			must[*client.Contact](t)(c.Contacts.Create(ctx, client.ContactInput{Name: client.Set(fmt.Sprint("Before ", n))}))
		}
		var told []int64
		for change, err := range listener.Listen(ctx, page.Latest) {
			if err != nil {
				t.Fatal(err)
			}
			if told = append(told, change.Seq); len(told) < changes {
				continue
			}
			if len(told) == 2*changes {
				break
			}
			must[*client.Contact](t)(c.Contacts.Create(ctx, client.ContactInput{Name: client.Set("Meanwhile")}))
		}
		for i, seq := range told {
			if seq != page.Latest+int64(i)+1 {
				t.Fatalf("told of %v behind %d", told, page.Latest)
			}
		}
		if broken.Load() == 0 {
			t.Error("the connection never broke")
		}

		// Who names resources is told of these alone.
		must[*client.Contact](t)(c.Contacts.Create(ctx, client.ContactInput{Name: client.Set("Anna")}))
		must[*client.Company](t)(c.Companies.Create(ctx, client.CompanyInput{Name: client.Set("Harbour")}))
		for change, err := range listener.Listen(ctx, page.Latest, "company", "deal") {
			if err != nil || change.Resource != "company" {
				t.Errorf("who listens to companies and deals is told of %+v, %v", change, err)
			}
			break
		}
		for _, err := range listener.Listen(ctx, page.Latest, "compny") {
			if !errors.Is(err, client.ErrValidationFailed) {
				t.Errorf("a resource that there is not: %v", err)
			}
		}

		tokens := must[*client.Page[client.Token]](t)(c.Tokens.SearchPage(ctx, client.Query{Order: client.Desc("created_at"), Limit: 1}))
		if err := c.Tokens.Delete(ctx, tokens.Records[0].ID); err != nil {
			t.Fatal(err)
		}
		var last error
		for _, err := range listener.Listen(ctx, client.FromNow) {
			last = err
		}
		if !errors.Is(last, client.ErrInvalidToken) {
			t.Errorf("the stream of a revoked token ends with %v", last)
		}
		under, cancel := context.WithCancel(ctx)
		cancel()
		seen := slices.Collect(func(yield func(error) bool) {
			for _, err := range c.Listen(under, 0) {
				yield(err)
			}
		})
		if len(seen) != 1 || !errors.Is(seen[0], context.Canceled) {
			t.Errorf("who does not want to listen any more is told %v", seen)
		}
	})
}

// breaking is an answer that breaks off.
type breaking struct {
	http.ResponseWriter
	left   int
	broken *atomic.Int64
}

func (b *breaking) Unwrap() http.ResponseWriter { return b.ResponseWriter }

func (b *breaking) Write(p []byte) (int, error) {
	if b.left < len(p) && b.Header().Get("Content-Type") == "text/event-stream" {
		b.broken.Add(1)
		_, _ = b.ResponseWriter.Write(p[:b.left])
		_ = http.NewResponseController(b.ResponseWriter).Flush()
		panic(http.ErrAbortHandler)
	}
	b.left -= len(p)
	return b.ResponseWriter.Write(p)
}
