//go:build soak

package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/watch"
	"github.com/kith-crm/kith/internal/wiring"
)

// fileSize counts what is written to it, and keeps nothing.
type fileSize struct{ bytes, lines int64 }

func (c *fileSize) Write(p []byte) (int, error) {
	c.bytes += int64(len(p))
	c.lines += int64(bytes.Count(p, []byte("\n")))
	return len(p), nil
}

// What an export costs, as docs/performance.md tells it: all contacts of a business as CSV over HTTP, beside a bare loop that runs
// the statement of the export once, without its end, and writes what it reads as CSV. Both take turns. KITH_TEST_ROWS says how many
// contacts there are; a million where it is not set.
func TestExportFigures(t *testing.T) {
	rows := cmp.Or(os.Getenv("KITH_TEST_ROWS"), "1000000")
	onBoth(t, func(t *testing.T, db string) {
		engine, _, _ := strings.Cut(db, ":")
		var account struct{ Token string }
		if err := json.Unmarshal([]byte(must(t, "demo", "--db", db, "--json", "--contacts", rows)), &account); err != nil {
			t.Fatal(err)
		}
		bare := newBareExport(t, db, account.Token)
		v := newVictim(t, db)
		v.client.Timeout = 0
		v.send(account.Token, "POST /v1/contacts/search", `{"limit":1}`, "")
		idle := v.memory()
		for range 3 {
			began, most := time.Now(), 0
			req, err := http.NewRequest(http.MethodPost, v.url+"/v1/contacts/export", strings.NewReader(`{"format":"csv"}`))
			if err != nil {
				t.Fatal(err)
			}
			// To compress it would be most of the work.
			req.Header = http.Header{
				"Authorization": {"Bearer " + account.Token}, "Version": {"v1"},
				"Content-Type": {"application/json"}, "Accept-Encoding": {"identity"},
			}
			res, err := v.client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			if res.StatusCode != http.StatusOK {
				text, _ := io.ReadAll(res.Body)
				t.Fatalf("%d %s", res.StatusCode, text)
			}
			watched := make(chan struct{})
			go func() {
				for every := time.NewTicker(50 * time.Millisecond); ; {
					select {
					case <-watched:
						every.Stop()
						return
					case <-every.C:
						most = max(most, v.memory())
					}
				}
			}()
			var file fileSize
			_, err = io.Copy(&file, res.Body)
			res.Body.Close()
			took := time.Since(began)
			watched <- struct{}{}
			if err != nil {
				t.Fatal(err)
			}
			began = time.Now()
			contacts, written := bare.run(t)
			alone := time.Since(began)
			if file.lines < contacts {
				t.Errorf("the export has %d lines, and there are %d contacts", file.lines, contacts)
			}
			t.Logf("%s: %d contacts, %d MB: %.0f a second; a bare loop, %d MB: %.0f: %.2f; at most %d MB above idle (%d MB)", engine,
				contacts, file.bytes>>20, float64(contacts)/took.Seconds(),
				written>>20, float64(contacts)/alone.Seconds(), alone.Seconds()/took.Seconds(), (most-idle)>>20, idle>>20)
		}
	})
}

// bareExport is the statement of an export, without its end.
type bareExport struct {
	db    *store.Store
	ran   watch.Ran
	kinds []schema.Kind
}

func newBareExport(t *testing.T, db, token string) *bareExport {
	t.Helper()
	ctx := t.Context()
	open := func() *store.Store {
		s, err := store.Open(ctx, db, record.Registry)
		if err != nil {
			t.Fatal(err)
		}
		s.LeaveUntidy()
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	b, watched := &bareExport{db: open()}, open()
	watch.Begin(watched)
	e, err := wiring.NewEngine(ctx, watched)
	if err != nil {
		t.Fatal(err)
	}
	req := httptest.NewRequest(http.MethodPost, "/v1/contacts/export", strings.NewReader(`{"format":"csv","limit":1}`))
	req.Header = http.Header{"Authorization": {"Bearer " + token}, "Version": {"v1"}, "Content-Type": {"application/json"}}
	var seen []watch.Ran
	answer := httptest.NewRecorder()
	httpapi.New(e, httpapi.Options{Log: slog.New(slog.DiscardHandler)}).ServeHTTP(answer,
		req.WithContext(watch.Noting(req.Context(), &seen)))
	of := slices.IndexFunc(seen, func(ran watch.Ran) bool { return strings.Contains(ran.SQL, "FROM contacts t ") && len(ran.Rows) > 0 })
	if answer.Code != http.StatusOK || of < 0 {
		t.Fatalf("%d %.200s", answer.Code, answer.Body)
	}
	b.ran = seen[of]
	b.ran.SQL = b.ran.SQL[:strings.LastIndex(b.ran.SQL, " LIMIT ")]
	for _, v := range b.ran.Rows[0] {
		b.kinds = append(b.kinds, v.Kind)
	}
	return b
}

func (b *bareExport) run(t *testing.T) (contacts, written int64) {
	t.Helper()
	var file fileSize
	out := csv.NewWriter(bufio.NewWriter(&file))
	line := make([]string, len(b.kinds))
	err := watch.Read(t.Context(), b.db, []watch.Ran{b.ran}, func(_ int, r watch.Row) bool {
		for column, k := range b.kinds {
			if v := r.Value(column, k); v.S != "" || !v.Set {
				line[column] = v.S
			} else {
				line[column] = strconv.FormatInt(v.N, 10)
			}
		}
		_ = out.Write(line) // which cannot fail
		contacts++
		return true
	})
	out.Flush()
	if err != nil {
		t.Fatal(err)
	}
	return contacts, file.bytes
}
