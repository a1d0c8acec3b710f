package store_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/storetest"
)

// The test program starts itself again with these set: to write to a database, in a business, until it is killed.
const (
	writerVariable   = "KITH_TEST_WRITER"
	businessVariable = "KITH_TEST_WRITER_BUSINESS"
)

// writeForever inserts contacts from several goroutines and prints the id of each one that the store has acknowledged.
func writeForever(url string) {
	ctx := context.Background()
	fail := func(err error) {
		fmt.Fprintln(os.Stderr, "writer:", err)
		os.Exit(1)
	}
	s, err := store.Open(ctx, url, record.Registry)
	if err != nil {
		fail(err)
	}
	id, err := schema.ParseID("business", os.Getenv(businessVariable))
	if err != nil {
		fail(err)
	}
	b, err := s.Tenant(ctx, id)
	if err != nil {
		fail(err)
	}
	res := record.Registry.Resource("contact")
	var writers sync.WaitGroup
	for range 4 {
		writers.Go(func() {
			for {
				rec := storetest.NewRecord(res)
				rec.PutText(rec.Must("name"), "Someone")
				if err := b.Write(ctx, store.Actor{}, func(tx *store.Tx) error { return tx.Insert(res, rec, "create") }); err != nil {
					fail(err)
				}
				if _, err := os.Stdout.WriteString(schema.FormatID("contact", rec.ID()) + "\n"); err != nil {
					fail(err)
				}
			}
		})
	}
	writers.Wait()
}

// A server that is killed in the midst of writing loses nothing that it acknowledged.
func TestKilledWriterLosesNothing(t *testing.T) {
	url := newSQLite(t)
	s := open(t, url)
	business := storetest.Business(t, s).ID()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	var acknowledged []string
	for round := range 5 {
		acknowledged = append(acknowledged, killedWriter(t, url, business, 20+round*37)...)
		s := open(t, url)
		s.SetWindow(1)
		checkAcknowledged(t, s, business, acknowledged)
		if t.Failed() {
			t.Fatalf("in round %d", round)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// killedWriter starts a writer, kills it once it has acknowledged so many writes, and gives all that it acknowledged until then.
func killedWriter(t *testing.T, url string, business schema.UUID, writes int) (acknowledged []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	writer := exec.CommandContext(ctx, os.Args[0])
	writer.Env = append(os.Environ(), writerVariable+"="+url, businessVariable+"="+schema.FormatID("business", business))
	var complaints strings.Builder
	writer.Stderr = &complaints
	out, err := writer.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := writer.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			break // what was cut off was not acknowledged
		}
		acknowledged = append(acknowledged, strings.TrimSuffix(line, "\n"))
		if len(acknowledged) == writes {
			if err := writer.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	err = writer.Wait()
	if len(acknowledged) < writes || complaints.Len() > 0 {
		t.Fatalf("the writer ended by itself after %d writes: %v %s", len(acknowledged), err, complaints.String())
	}
	return acknowledged
}

func checkAcknowledged(t *testing.T, s *store.Store, business schema.UUID, acknowledged []string) {
	t.Helper()
	ctx := context.Background()
	b, err := s.Tenant(ctx, business)
	if err != nil {
		t.Fatal(err)
	}
	logged := map[string]bool{}
	last := int64(0)
	err = b.Changes(ctx, 0, func(c store.Change) error {
		if c.Seq != last+1 {
			t.Errorf("the log goes from %d to %d", last, c.Seq)
		}
		last = c.Seq
		logged[schema.FormatID("contact", c.RecordID)] = true
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	res := record.Registry.Resource("contact")
	for _, text := range acknowledged {
		id, err := schema.ParseID("contact", text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.Get(ctx, res, id, false); err != nil || !logged[text] {
			t.Errorf("%s was acknowledged; reading it: %v, in the log: %v", text, err, logged[text])
		}
	}
	if n, err := b.Count(ctx, res); err != nil || n != last {
		t.Errorf("the count is %d, %v with %d entries in the log", n, err, last)
	}
	// The text index has every record too.
	found := map[string]bool{}
	var after *query.Position
	for {
		q := &query.Query{
			Resource: res, Words: []string{"someone"}, Order: query.Path{Ref: -1, Leaf: res.Must("id")}, Limit: 100,
			Leaves: []*schema.Leaf{res.Must("id")}, After: after,
		}
		page, err := b.Search(ctx, q, func(values []schema.Value) error {
			found[schema.FormatID("contact", values[0].UUID())] = true
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if after = &page.Last; !page.More {
			break
		}
	}
	if int64(len(found)) != last {
		t.Errorf("text search finds %d records of %d", len(found), last)
	}
	if lines, err := s.Rows(ctx, "PRAGMA integrity_check", 1); err != nil || len(lines) != 1 || lines[0] != "ok" {
		t.Errorf("the file is damaged: %v, %v", lines, err)
	}
}
