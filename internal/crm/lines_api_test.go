package crm_test

import (
	"fmt"
	"strings"
	"testing"

	. "github.com/kith-crm/kith/internal/apitest"
)

func TestTotalsAreExact(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		for _, c := range []struct{ rule, currency, lines, want string }{
			{
				"a line is quantity × unit price", "EUR", `{"name":"a","unit_price":"19.99","quantity":3}`,
				`{"line_items":[{"total":"59.97","quantity":"3.00","discount_percent":0,"tax_rate":0,"currency":"EUR"}],` +
					`"subtotal":"59.97","discount_total":"0.00","tax_total":"0.00","total":"59.97"}`,
			},
			{
				"a quantity is 1 when not given", "EUR", `{"name":"a","unit_price":"19.99"}`,
				`{"line_items":[{"total":"19.99","quantity":"1.00"}]}`,
			},
			{
				"discount, then tax on what is left", "EUR",
				`{"name":"a","unit_price":"100","quantity":2,"discount_percent":12.5,"tax_rate":19}`,
				`{"line_items":[{"total":"175.00"}],"subtotal":"200.00","discount_total":"25.00","tax_total":"33.25","total":"208.25"}`,
			},
			{
				"half a cent rounds away from zero", "EUR", `{"name":"a","unit_price":"0.005"}`,
				`{"line_items":[{"total":"0.01","unit_price":"0.005"}],"subtotal":"0.01"}`,
			},
			{
				"a little less than half a cent rounds down", "EUR", `{"name":"a","unit_price":"0.0049"}`,
				`{"line_items":[{"total":"0.00"}],"subtotal":"0.00","total":"0.00"}`,
			},
			{
				"a negative half rounds away from zero, too", "EUR", `{"name":"a","unit_price":"-0.005"}`,
				`{"line_items":[{"total":"-0.01"}],"subtotal":"-0.01","total":"-0.01"}`,
			},
			{
				"a line is rounded once, not after each step", "EUR",
				`{"name":"a","unit_price":"0.333","quantity":3,"discount_percent":50}`,
				// 0.4995 rounds to 0.50; from the rounded gross of 1.00 it would be the same, from a rounded price of 0.33 it would not.
				`{"line_items":[{"total":"0.50"}],"subtotal":"1.00","discount_total":"0.50","total":"0.50"}`,
			},
			{
				"tax is rounded per line", "EUR", `{"name":"a","unit_price":"0.03","tax_rate":19},{"name":"b","unit_price":"0.03",` +
					`"tax_rate":19},{"name":"c","unit_price":"0.03","tax_rate":19}`,
				`{"subtotal":"0.09","tax_total":"0.03","total":"0.12"}`,
			},
			{
				"a tax of half a cent rounds up", "EUR", `{"name":"a","unit_price":"0.10","tax_rate":5}`,
				`{"tax_total":"0.01","total":"0.11"}`,
			},
			{
				"yen have no places", "JPY", `{"name":"a","unit_price":"99.5","tax_rate":10},{"name":"b","unit_price":"100",` +
					`"quantity":"0.004"}`,
				`{"line_items":[{"total":"100.00"},{"total":"0.00"}],"subtotal":"100.00","tax_total":"10.00","total":"110.00"}`,
			},
			{
				"dinars have three", "KWD", `{"name":"a","unit_price":"1.2345","quantity":1}`,
				`{"line_items":[{"total":"1.235"}],"subtotal":"1.235","total":"1.235"}`,
			},
			{
				"the unidad de fomento has four", "CLF", `{"name":"a","unit_price":"0.0001"}`,
				`{"line_items":[{"total":"0.0001"}],"total":"0.0001"}`,
			},
			{
				"a discount of 100 % leaves nothing", "EUR", `{"name":"a","unit_price":"12.34","discount_percent":100,"tax_rate":19}`,
				`{"subtotal":"12.34","discount_total":"12.34","tax_total":"0.00","total":"0.00"}`,
			},
			{
				"the largest amounts are exact", "EUR", `{"name":"a","unit_price":"99999999999999.99"}`,
				`{"subtotal":"99999999999999.99","total":"99999999999999.99"}`,
			},
			{
				"a total that is sent is not used", "EUR", `{"name":"a","unit_price":"1","total":"99"}`,
				`{"line_items":[{"total":"1.00"}],"total":"1.00"}`,
			},
			{
				"a quantity may have four places", "EUR", `{"name":"a","unit_price":"3","quantity":"0.3333"}`,
				`{"line_items":[{"quantity":"0.3333","total":"1.00"}]}`,
			},
		} {
			w.Run(t, []Step{
				{
					Rule: c.rule, Do: "POST /quotes", Body: `{"currency":"` + c.currency + `","line_items":[` + c.lines + `]}`, Status: 201,
					Want: c.want, Save: "quote",
				},
				{Rule: c.rule + ", read back", Do: "GET /quotes/$quote", Status: 200, Want: c.want},
				{
					Rule: c.rule + ", unchanged by another patch", Do: "PATCH /quotes/$quote", Body: `{"title":"x"}`, Status: 200,
					Want: c.want,
				},
			})
		}
		w.Run(t, []Step{
			{
				Rule: "a total beyond 14 digits is 422 on its line", Do: "POST /quotes",
				Body:   `{"line_items":[{"name":"a","unit_price":"1"},{"name":"b","unit_price":"99999999999999","quantity":2}]}`,
				Status: 422, Wrong: "line_items[1]:out_of_range",
			},
			{
				Rule: "a sum beyond 14 digits is 422", Do: "POST /quotes",
				Body:   `{"line_items":[{"name":"a","unit_price":"99999999999999"},{"name":"b","unit_price":"99999999999999"}]}`,
				Status: 422, Wrong: "line_items[1]:out_of_range",
			},
			{
				Rule: "tax beyond 14 digits is 422", Do: "POST /quotes",
				Body: `{"line_items":[{"name":"a","unit_price":"99999999999999","tax_rate":100}]}`, Status: 422,
				Wrong: "line_items[0]:out_of_range",
			},
			{Rule: "a refused quote takes no number", Do: "POST /quotes", Body: `{}`, Status: 201, Want: fmt.Sprintf(`{"number":%d}`, 17)},
			{
				Rule: "all that is wrong with all lines is reported", Do: "POST /quotes", Status: 422,
				Body: `{"line_items":[{"quantity":-1,"discount_percent":101,"tax_rate":-1,"unit_price":"1.23456","colour":"red",` +
					`"name":"x","name":"y"},5,{"currency":"XXX","product_id":"x"}]}`,
				Wrong: "line_items[0].quantity:out_of_range line_items[0].discount_percent:out_of_range " +
					"line_items[0].tax_rate:out_of_range line_items[0].unit_price:out_of_range line_items[0].colour:unknown_field " +
					"line_items[0].name:duplicate_key line_items[1]:wrong_type line_items[2].currency:invalid_format " +
					"line_items[2].product_id:invalid_id",
			},
			{
				Rule: "a line without a product needs a name and a price", Do: "POST /quotes", Body: `{"line_items":[{"quantity":1}]}`,
				Status: 422, Wrong: "line_items[0].name:required line_items[0].unit_price:required",
			},
			{
				Rule: "200 lines are the most", Do: "POST /quotes",
				Body:   `{"line_items":[` + strings.TrimSuffix(strings.Repeat(`{"name":"a","unit_price":1},`, 201), ",") + `]}`,
				Status: 422, Wrong: "line_items:too_many",
			},
			{
				Rule: "200 lines are fine", Do: "POST /quotes",
				Body:   `{"line_items":[` + strings.TrimSuffix(strings.Repeat(`{"name":"a","unit_price":1},`, 200), ",") + `]}`,
				Status: 201, Want: `{"total":"200.00"}`,
			},
		})
	})
}

func TestLineItemsAreSnapshots(t *testing.T) {
	for _, plural := range []string{"quotes", "deals"} {
		t.Run(plural, func(t *testing.T) {
			OnBothEngines(t, func(t *testing.T, w *World) {
				w.Create(t, "products", `{"name":"Oar","sku":"O1","description":"wood","price":"10","tax_rate":19,"currency":"EUR"}`, "oar")
				w.Create(t, "products", `{"name":"Sail","price":"5"}`, "sail")
				w.Create(t, "products", `{"name":"Priceless"}`, "priceless")
				w.Create(t, "products", `{"name":"Draft","price":"2","status":"draft"}`, "draft")
				w.Create(t, "products", `{"name":"Dollar","price":"2","currency":"USD"}`, "dollar")
				name := map[string]string{"quotes": `"title":"q"`, "deals": `"name":"d"`}[plural]
				one := "/" + plural + "/$doc"
				snapshot := `{"product_id":"$oar","name":"Oar","sku":"O1","description":"wood","unit_price":"10.00","currency":"EUR",` +
					`"quantity":"2.00","discount_percent":10,"tax_rate":19,"total":"18.00"}`
				total := map[string]string{"quotes": `,"total":"21.42"`, "deals": `,"amount":"18.00"`}[plural]
				w.Run(t, []Step{
					{
						Rule: "a line copies what the product is", Do: "POST /" + plural,
						Body: `{` + name + `,"line_items":[{"product_id":"$oar","quantity":2,"discount_percent":10}]}`, Status: 201,
						Want: `{"currency":"EUR","line_items":[` + snapshot + `]` + total + `}`, Save: "doc",
					},
					{
						Rule: "what the line says itself comes first", Do: "POST /" + plural,
						Body:   `{` + name + `,"line_items":[{"product_id":"$oar","name":"Special","unit_price":"7","tax_rate":0}]}`,
						Status: 201, Want: `{"line_items":[{"name":"Special","unit_price":"7.00","tax_rate":0,"sku":"O1",` +
							`"total":"7.00"}]}`,
					},
					{
						Rule: "the product changes its price and name", Do: "PATCH /products/$oar",
						Body: `{"price":"99","name":"Paddle","tax_rate":7}`, Status: 200,
					},
					{Rule: "the snapshot stays", Do: "GET " + one, Status: 200, Want: `{"line_items":[` + snapshot + `]` + total + `}`},
					{
						Rule: "it stays when something else changes", Do: "PATCH " + one, Body: `{"tags":["x"]}`, Status: 200,
						Want: `{"line_items":[` + snapshot + `]` + total + `}`,
					},
					{
						Rule: "a line that is already there keeps its snapshot when lines change", Do: "PATCH " + one,
						Body: `{"line_items":[{"product_id":"$oar","quantity":3},{"product_id":"$sail"}]}`, Status: 200,
						Want: `{"line_items":[{"name":"Oar","unit_price":"10.00","quantity":"3.00","discount_percent":10,` +
							`"total":"27.00"},{"name":"Sail","total":"5.00"}]}`,
					},
					{
						Rule: "the product is archived", Do: "PATCH /products/$oar", Body: `{"status":"archived"}`, Status: 200,
						Want: `{"status":"archived"}`,
					},
					{
						Rule: "an archived product stays in the catalog", Do: "POST /products/search",
						Body: `{"filters":[{"field":"status","operator":"eq","value":"archived"}]}`, Status: 200,
						Want: `{"data":[{"name":"Paddle"}]}`,
					},
					{
						Rule: "an archived product cannot be added", Do: "POST /" + plural,
						Body: `{` + name + `,"line_items":[{"product_id":"$oar"}]}`, Status: 422,
						Wrong: "line_items[0].product_id:not_allowed",
					},
					{
						Rule: "unless the line is already there", Do: "PATCH " + one,
						Body: `{"line_items":[{"product_id":"$sail"},{"product_id":"$oar","quantity":1}]}`, Status: 200,
						Want: `{"line_items":[{"name":"Sail"},{"name":"Oar","unit_price":"10.00","total":"9.00"}]}`,
					},
					{
						Rule: "a second line of it is not there yet", Do: "PATCH " + one,
						Body: `{"line_items":[{"product_id":"$oar"},{"product_id":"$oar"}]}`, Status: 422,
						Wrong: "line_items[1].product_id:not_allowed",
					},
					{
						Rule: "an archived product comes back by patch", Do: "PATCH /products/$oar", Body: `{"status":"active"}`,
						Status: 200, Want: `{"status":"active"}`,
					},
					{
						Rule: "then it can be added", Do: "POST /" + plural, Body: `{` + name + `,"line_items":[{"product_id":"$oar"}]}`,
						Status: 201, Want: `{"line_items":[{"name":"Paddle","unit_price":"99.00","tax_rate":7}]}`,
					},
					{Rule: "the product is deleted", Do: "DELETE /products/$oar", Status: 204},
					{
						Rule: "the snapshot stays after the deletion", Do: "GET " + one, Status: 200,
						Want: `{"line_items":[{"name":"Sail"},{"product_id":"$oar","name":"Oar","unit_price":"10.00"}]}`,
					},
					{
						Rule: "a deleted product cannot be added", Do: "POST /" + plural,
						Body: `{` + name + `,"line_items":[{"product_id":"$oar"}]}`, Status: 422,
						Wrong: "line_items[0].product_id:not_found",
					},
					{
						Rule: "a line of a deleted product can stay", Do: "PATCH " + one,
						Body: `{"line_items":[{"product_id":"$oar","quantity":4}]}`, Status: 200,
						Want: `{"line_items":[{"name":"Oar","quantity":"4.00","total":"36.00"}]}`,
					},
					{
						Rule: "once taken out it cannot be put back", Do: "PATCH " + one, Body: `{"line_items":[{"product_id":"$sail"}]}`,
						Status: 200,
					},
					{
						Rule: "it is not there any more", Do: "PATCH " + one, Body: `{"line_items":[{"product_id":"$oar"}]}`, Status: 422,
						Wrong: "line_items[0].product_id:not_found",
					},
					{
						Rule: "a product without a price needs one on the line", Do: "POST /" + plural,
						Body:   `{` + name + `,"line_items":[{"product_id":"$priceless"},{"product_id":"$priceless","unit_price":1}]}`,
						Status: 422, Wrong: "line_items[0].unit_price:required",
					},
					{
						Rule: "a draft product can be added", Do: "POST /" + plural,
						Body: `{` + name + `,"line_items":[{"product_id":"$draft"}]}`, Status: 201,
					},
					{
						Rule: "the first line gives the currency", Do: "POST /" + plural,
						Body: `{` + name + `,"line_items":[{"product_id":"$dollar"}]}`, Status: 201, Want: `{"currency":"USD"}`,
					},
					{
						Rule: "a line in another currency is 422", Do: "POST /" + plural,
						Body: `{` + name + `,"line_items":[{"product_id":"$dollar"},{"product_id":"$sail"}]}`, Status: 422,
						Wrong: "line_items[1].currency:not_allowed",
					},
					{
						Rule: "null takes all lines out", Do: "PATCH " + one, Body: `{"line_items":null}`, Status: 200,
						Want: `{"line_items":[]}`,
					},
					{
						Rule: "without lines there is nothing set", Do: "POST /" + plural + "/search",
						Body: `{"filters":[{"field":"line_items","operator":"is_not_set"}]}`, Status: 200,
						Want: `{"data":[{"id":"$doc"}]}`,
					},
				})
			})
		})
	}
}

func TestAmountsOfDealsAndCurrenciesOfQuotes(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		w.Create(t, "deals", `{"name":"Yen","currency":"JPY"}`, "yen")
		w.Run(t, []Step{
			{
				Rule: "the amount of a deal is the sum of its lines without tax", Do: "POST /deals",
				Body: `{"name":"d","line_items":[{"name":"a","unit_price":"10","quantity":2,"tax_rate":19},{"name":"b",` +
					`"unit_price":"5"}]}`, Status: 201, Want: `{"amount":"25.00"}`, Save: "deal",
			},
			{
				Rule: "an amount that is given counts", Do: "POST /deals",
				Body: `{"name":"d","amount":1,"line_items":[{"name":"a","unit_price":"10"}]}`, Status: 201, Want: `{"amount":"1.00"}`,
			},
			{
				Rule: "new lines give a new amount", Do: "PATCH /deals/$deal", Body: `{"line_items":[{"name":"a","unit_price":"7"}]}`,
				Status: 200, Want: `{"amount":"7.00"}`,
			},
			{
				Rule: "an amount can be set beside the lines", Do: "PATCH /deals/$deal", Body: `{"amount":"3.5"}`, Status: 200,
				Want: `{"amount":"3.50","line_items":[{"total":"7.00"}]}`,
			},
			{
				Rule: "other patches leave the amount", Do: "PATCH /deals/$deal", Body: `{"next_step":"call"}`, Status: 200,
				Want: `{"amount":"3.50"}`,
			},
			{
				Rule: "a quote takes the currency of its deal", Do: "POST /quotes",
				Body: `{"deal_id":"$yen","line_items":[{"name":"a","unit_price":"100.4"}]}`, Status: 201,
				Want: `{"currency":"JPY","total":"100.00","line_items":[{"currency":"JPY"}]}`,
			},
			{
				Rule: "a quote of its own has the business's currency", Do: "POST /quotes",
				Body: `{"line_items":[{"name":"a","unit_price":"1"}]}`, Status: 201, Want: `{"currency":"EUR"}`,
			},
			{
				Rule: "a currency that does not exist is 422", Do: "POST /quotes", Body: `{"currency":"EUX"}`, Status: 422,
				Wrong: "currency:invalid_format",
			},
		})
	})
}

// Two hundred lines of a few bytes each took over a product's description two hundred times.
func TestLinesTakeOverNoMoreThanABodyHolds(t *testing.T) {
	OnBothEngines(t, func(t *testing.T, w *World) {
		lines := func(n int) string {
			return `{"name":"Large","line_items":[` + strings.TrimSuffix(strings.Repeat(`{"product_id":"$long"},`, n), ",") + `]}`
		}
		w.Run(t, []Step{{
			Rule: "a product with a long description", Do: "POST /products",
			Body: `{"name":"Long","price":"1","description":"` + strings.Repeat("x", 65_536) + `"}`, Status: 201, Save: "long",
		}})
		for _, path := range []string{"/deals", "/quotes"} {
			body := func(n int) string {
				return strings.Replace(lines(n), `"name"`, map[string]string{"/deals": `"name"`, "/quotes": `"title"`}[path], 1)
			}
			w.Run(t, []Step{
				{Rule: "what fits is taken", Do: "POST " + path, Body: body(15), Status: 201, Save: "large"},
				{Rule: "what does not is 422 on line_items", Do: "POST " + path, Body: body(16), Status: 422, Wrong: "line_items:too_long"},
				{Rule: "in a patch, too", Do: "PATCH " + path + "/$large", Body: body(200), Status: 422, Wrong: "line_items:too_long"},
				{Rule: "nothing of it is written", Do: "GET " + path + "/$large", Status: 200, Want: `{"version":1}`},
				{
					Rule: "lines that were there stay without being counted anew", Do: "PATCH " + path + "/$large",
					Body: `{"tags":["kept"]}`, Status: 200, Want: `{"version":2}`,
				},
			})
		}
	})
}
