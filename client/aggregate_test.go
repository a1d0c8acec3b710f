package client_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/kith-crm/kith/client"
	"github.com/kith-crm/kith/internal/httpapi"
)

func TestFiguresAreExact(t *testing.T) {
	onBothEngines(t, httpapi.Options{}, func(t *testing.T, s *server) {
		ctx, c := t.Context(), s.connect(t)
		batch := c.Deals.Batch()
		for i := range 9 {
			in := client.DealInput{Name: client.Set(fmt.Sprint("Deal ", i)), Amount: client.Set(client.Decimal("10000000000000.0001"))}
			if i%3 == 0 {
				in.Currency = client.Set("USD")
			}
			batch.Create(in)
		}
		must[[]client.Result[client.Deal]](t)(batch.DoAtomic(ctx))
		amount := client.Sum(client.DealFields.Amount)
		figures := must[*client.Figures](t)(c.Deals.Aggregate(ctx, client.AggregateQuery{
			Filters: []client.Filter{client.DealFields.Status.Eq(client.DealStatusOpen)},
			GroupBy: []string{client.DealFields.Status.String()}, Metrics: []string{client.Count, amount}, Order: client.Desc(client.Count),
		}))
		if len(figures.Rows) != 2 || figures.HasMore {
			t.Fatalf("%s", figures.Rows)
		}
		euro, dollar := figures.Rows[0], figures.Rows[1]
		if euro.Text("status") != "open" || euro.Text("currency") != "EUR" || euro.Count() != 6 ||
			euro.Decimal(amount) != "60000000000000.0006" {
			t.Errorf("%s", euro)
		}
		if dollar.Text("currency") != "USD" || dollar.Count() != 3 || dollar.Decimal(amount) != "30000000000000.0003" ||
			dollar.Decimal("none") != "" {
			t.Errorf("%s", dollar)
		}
		made := client.Per(client.DealFields.CreatedAt, "year")
		years := must[*client.Figures](t)(c.Deals.Aggregate(ctx,
			client.AggregateQuery{GroupBy: []string{made}, Metrics: []string{client.Count}, Limit: 1}))
		if len(years.Rows) != 1 || years.Rows[0].Text(made) == "" || years.Rows[0].Count() != 9 {
			t.Errorf("%s", years.Rows)
		}
		if _, err := c.Deals.Aggregate(ctx, client.AggregateQuery{Metrics: []string{client.Sum(client.DealFields.Name)}}); !errors.Is(err,
			client.ErrValidationFailed) {
			t.Errorf("%v", err)
		}
	})
}
