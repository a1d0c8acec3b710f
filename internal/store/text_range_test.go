package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/storetest"
)

// Servers that write beside each other, each with its own idea of which text range is the last, put every record on the text range that its
// created_at belongs to: also those with the same time, with an earlier one, and many in one transaction.
func TestTextRangesConcurrently(t *testing.T) {
	ctx := context.Background()
	url := newPostgres(t)
	res := record.Registry.Resource("contact")
	const servers, writes = 3, 25
	first := open(t, url)
	business := storetest.Business(t, first).ID()
	var wait sync.WaitGroup
	for server := range servers {
		s := open(t, url)
		s.SetTextRange(7)
		b, err := s.Tenant(ctx, business)
		if err != nil {
			t.Fatal(err)
		}
		random := rand.New(rand.NewPCG(uint64(server), 5))
		wait.Go(func() {
			for i := range writes {
				many := 1
				if i%10 == 9 {
					many = 40 // comes in by COPY
				}
				err := b.Write(ctx, store.Actor{}, func(tx *store.Tx) error {
					if i%5 == 4 {
						tx.At(tx.Now.Add(-time.Duration(random.IntN(2000))*time.Millisecond), store.Actor{})
					}
					var recs []*schema.Record
					for range many {
						rec := storetest.NewRecord(res)
						rec.Put(rec.Common.ID, schema.IDValue(schema.NewID(tx.Now)))
						rec.Put(rec.Common.CreatedAt, schema.TimeValue(tx.Now))
						recs = append(recs, rec)
					}
					return tx.InsertMany(res, recs, "create")
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	rows, err := first.Rows(ctx, `
		SELECT count(*)::text || ' records, ' || count(DISTINCT t.shelf)::text || ' shelves, ' ||
			count(*) FILTER (WHERE t.shelf <> coalesce(
				(SELECT max(s.start) FROM shelf s WHERE s.business_id = t.business_id AND s.resource = 'contact'
					AND s.start <= (extract(epoch FROM t.created_at) * 1000000)::bigint),
				(SELECT min(f.shelf) FROM contacts f WHERE f.business_id = t.business_id)))::text || ' misplaced'
		FROM contacts t`, 1)
	if err != nil {
		t.Fatal(err)
	}
	var records, textRanges, misplaced int
	if _, err := fmt.Sscanf(rows[0], "%d records, %d shelves, %d misplaced", &records, &textRanges, &misplaced); err != nil {
		t.Fatal(err, rows)
	}
	if misplaced != 0 || records != servers*(writes-2+2*40) || textRanges < 10 {
		t.Error(rows[0])
	}
}
