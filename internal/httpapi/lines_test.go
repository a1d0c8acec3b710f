package httpapi_test

import (
	"fmt"
	"strings"
	"testing"
)

func TestTotalsAreExact(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
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
			w.run(t, []step{
				{
					rule: c.rule, do: "POST /quotes", body: `{"currency":"` + c.currency + `","line_items":[` + c.lines + `]}`, status: 201,
					want: c.want, save: "quote",
				},
				{rule: c.rule + ", read back", do: "GET /quotes/$quote", status: 200, want: c.want},
				{
					rule: c.rule + ", unchanged by another patch", do: "PATCH /quotes/$quote", body: `{"title":"x"}`, status: 200,
					want: c.want,
				},
			})
		}
		w.run(t, []step{
			{
				rule: "a total beyond 14 digits is 422 on its line", do: "POST /quotes",
				body:   `{"line_items":[{"name":"a","unit_price":"1"},{"name":"b","unit_price":"99999999999999","quantity":2}]}`,
				status: 422, wrong: "line_items[1]:out_of_range",
			},
			{
				rule: "a sum beyond 14 digits is 422", do: "POST /quotes",
				body:   `{"line_items":[{"name":"a","unit_price":"99999999999999"},{"name":"b","unit_price":"99999999999999"}]}`,
				status: 422, wrong: "line_items[1]:out_of_range",
			},
			{
				rule: "tax beyond 14 digits is 422", do: "POST /quotes",
				body: `{"line_items":[{"name":"a","unit_price":"99999999999999","tax_rate":100}]}`, status: 422,
				wrong: "line_items[0]:out_of_range",
			},
			{rule: "a refused quote takes no number", do: "POST /quotes", body: `{}`, status: 201, want: fmt.Sprintf(`{"number":%d}`, 17)},
			{
				rule: "all that is wrong with all lines is reported", do: "POST /quotes", status: 422,
				body: `{"line_items":[{"quantity":-1,"discount_percent":101,"tax_rate":-1,"unit_price":"1.23456","colour":"red",` +
					`"name":"x","name":"y"},5,{"currency":"XXX","product_id":"x"}]}`,
				wrong: "line_items[0].quantity:out_of_range line_items[0].discount_percent:out_of_range " +
					"line_items[0].tax_rate:out_of_range line_items[0].unit_price:out_of_range line_items[0].colour:unknown_field " +
					"line_items[0].name:duplicate_key line_items[1]:wrong_type line_items[2].currency:invalid_format " +
					"line_items[2].product_id:invalid_id",
			},
			{
				rule: "a line without a product needs a name and a price", do: "POST /quotes", body: `{"line_items":[{"quantity":1}]}`,
				status: 422, wrong: "line_items[0].name:required line_items[0].unit_price:required",
			},
			{
				rule: "200 lines are the most", do: "POST /quotes",
				body:   `{"line_items":[` + strings.TrimSuffix(strings.Repeat(`{"name":"a","unit_price":1},`, 201), ",") + `]}`,
				status: 422, wrong: "line_items:too_many",
			},
			{
				rule: "200 lines are fine", do: "POST /quotes",
				body:   `{"line_items":[` + strings.TrimSuffix(strings.Repeat(`{"name":"a","unit_price":1},`, 200), ",") + `]}`,
				status: 201, want: `{"total":"200.00"}`,
			},
		})
	})
}

func TestLineItemsAreSnapshots(t *testing.T) {
	for _, plural := range []string{"quotes", "deals"} {
		t.Run(plural, func(t *testing.T) {
			onBothEngines(t, func(t *testing.T, w *world) {
				w.create(t, "products", `{"name":"Oar","sku":"O1","description":"wood","price":"10","tax_rate":19,"currency":"EUR"}`, "oar")
				w.create(t, "products", `{"name":"Sail","price":"5"}`, "sail")
				w.create(t, "products", `{"name":"Priceless"}`, "priceless")
				w.create(t, "products", `{"name":"Draft","price":"2","status":"draft"}`, "draft")
				w.create(t, "products", `{"name":"Dollar","price":"2","currency":"USD"}`, "dollar")
				name := map[string]string{"quotes": `"title":"q"`, "deals": `"name":"d"`}[plural]
				one := "/" + plural + "/$doc"
				snapshot := `{"product_id":"$oar","name":"Oar","sku":"O1","description":"wood","unit_price":"10.00","currency":"EUR",` +
					`"quantity":"2.00","discount_percent":10,"tax_rate":19,"total":"18.00"}`
				total := map[string]string{"quotes": `,"total":"21.42"`, "deals": `,"amount":"18.00"`}[plural]
				w.run(t, []step{
					{
						rule: "a line copies what the product is", do: "POST /" + plural,
						body: `{` + name + `,"line_items":[{"product_id":"$oar","quantity":2,"discount_percent":10}]}`, status: 201,
						want: `{"currency":"EUR","line_items":[` + snapshot + `]` + total + `}`, save: "doc",
					},
					{
						rule: "what the line says itself comes first", do: "POST /" + plural,
						body:   `{` + name + `,"line_items":[{"product_id":"$oar","name":"Special","unit_price":"7","tax_rate":0}]}`,
						status: 201, want: `{"line_items":[{"name":"Special","unit_price":"7.00","tax_rate":0,"sku":"O1",` +
							`"total":"7.00"}]}`,
					},
					{
						rule: "the product changes its price and name", do: "PATCH /products/$oar",
						body: `{"price":"99","name":"Paddle","tax_rate":7}`, status: 200,
					},
					{rule: "the snapshot stays", do: "GET " + one, status: 200, want: `{"line_items":[` + snapshot + `]` + total + `}`},
					{
						rule: "it stays when something else changes", do: "PATCH " + one, body: `{"tags":["x"]}`, status: 200,
						want: `{"line_items":[` + snapshot + `]` + total + `}`,
					},
					{
						rule: "a line that is already there keeps its snapshot when lines change", do: "PATCH " + one,
						body: `{"line_items":[{"product_id":"$oar","quantity":3},{"product_id":"$sail"}]}`, status: 200,
						want: `{"line_items":[{"name":"Oar","unit_price":"10.00","quantity":"3.00","discount_percent":10,` +
							`"total":"27.00"},{"name":"Sail","total":"5.00"}]}`,
					},
					{
						rule: "the product is archived", do: "PATCH /products/$oar", body: `{"status":"archived"}`, status: 200,
						want: `{"status":"archived"}`,
					},
					{
						rule: "an archived product stays in the catalog", do: "POST /products/search",
						body: `{"filters":[{"field":"status","operator":"eq","value":"archived"}]}`, status: 200,
						want: `{"data":[{"name":"Paddle"}]}`,
					},
					{
						rule: "an archived product cannot be added", do: "POST /" + plural,
						body: `{` + name + `,"line_items":[{"product_id":"$oar"}]}`, status: 422,
						wrong: "line_items[0].product_id:not_allowed",
					},
					{
						rule: "unless the line is already there", do: "PATCH " + one,
						body: `{"line_items":[{"product_id":"$sail"},{"product_id":"$oar","quantity":1}]}`, status: 200,
						want: `{"line_items":[{"name":"Sail"},{"name":"Oar","unit_price":"10.00","total":"9.00"}]}`,
					},
					{
						rule: "a second line of it is not there yet", do: "PATCH " + one,
						body: `{"line_items":[{"product_id":"$oar"},{"product_id":"$oar"}]}`, status: 422,
						wrong: "line_items[1].product_id:not_allowed",
					},
					{
						rule: "an archived product comes back by patch", do: "PATCH /products/$oar", body: `{"status":"active"}`,
						status: 200, want: `{"status":"active"}`,
					},
					{
						rule: "then it can be added", do: "POST /" + plural, body: `{` + name + `,"line_items":[{"product_id":"$oar"}]}`,
						status: 201, want: `{"line_items":[{"name":"Paddle","unit_price":"99.00","tax_rate":7}]}`,
					},
					{rule: "the product is deleted", do: "DELETE /products/$oar", status: 204},
					{
						rule: "the snapshot stays after the deletion", do: "GET " + one, status: 200,
						want: `{"line_items":[{"name":"Sail"},{"product_id":"$oar","name":"Oar","unit_price":"10.00"}]}`,
					},
					{
						rule: "a deleted product cannot be added", do: "POST /" + plural,
						body: `{` + name + `,"line_items":[{"product_id":"$oar"}]}`, status: 422,
						wrong: "line_items[0].product_id:not_found",
					},
					{
						rule: "a line of a deleted product can stay", do: "PATCH " + one,
						body: `{"line_items":[{"product_id":"$oar","quantity":4}]}`, status: 200,
						want: `{"line_items":[{"name":"Oar","quantity":"4.00","total":"36.00"}]}`,
					},
					{
						rule: "once taken out it cannot be put back", do: "PATCH " + one, body: `{"line_items":[{"product_id":"$sail"}]}`,
						status: 200,
					},
					{
						rule: "it is not there any more", do: "PATCH " + one, body: `{"line_items":[{"product_id":"$oar"}]}`, status: 422,
						wrong: "line_items[0].product_id:not_found",
					},
					{
						rule: "a product without a price needs one on the line", do: "POST /" + plural,
						body:   `{` + name + `,"line_items":[{"product_id":"$priceless"},{"product_id":"$priceless","unit_price":1}]}`,
						status: 422, wrong: "line_items[0].unit_price:required",
					},
					{
						rule: "a draft product can be added", do: "POST /" + plural,
						body: `{` + name + `,"line_items":[{"product_id":"$draft"}]}`, status: 201,
					},
					{
						rule: "the first line gives the currency", do: "POST /" + plural,
						body: `{` + name + `,"line_items":[{"product_id":"$dollar"}]}`, status: 201, want: `{"currency":"USD"}`,
					},
					{
						rule: "a line in another currency is 422", do: "POST /" + plural,
						body: `{` + name + `,"line_items":[{"product_id":"$dollar"},{"product_id":"$sail"}]}`, status: 422,
						wrong: "line_items[1].currency:not_allowed",
					},
					{
						rule: "null takes all lines out", do: "PATCH " + one, body: `{"line_items":null}`, status: 200,
						want: `{"line_items":[]}`,
					},
					{
						rule: "without lines there is nothing set", do: "POST /" + plural + "/search",
						body: `{"filters":[{"field":"line_items","operator":"is_not_set"}]}`, status: 200,
						want: `{"data":[{"id":"$doc"}]}`,
					},
				})
			})
		})
	}
}

func TestAmountsOfDealsAndCurrenciesOfQuotes(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		w.create(t, "deals", `{"name":"Yen","currency":"JPY"}`, "yen")
		w.run(t, []step{
			{
				rule: "the amount of a deal is the sum of its lines without tax", do: "POST /deals",
				body: `{"name":"d","line_items":[{"name":"a","unit_price":"10","quantity":2,"tax_rate":19},{"name":"b",` +
					`"unit_price":"5"}]}`, status: 201, want: `{"amount":"25.00"}`, save: "deal",
			},
			{
				rule: "an amount that is given counts", do: "POST /deals",
				body: `{"name":"d","amount":1,"line_items":[{"name":"a","unit_price":"10"}]}`, status: 201, want: `{"amount":"1.00"}`,
			},
			{
				rule: "new lines give a new amount", do: "PATCH /deals/$deal", body: `{"line_items":[{"name":"a","unit_price":"7"}]}`,
				status: 200, want: `{"amount":"7.00"}`,
			},
			{
				rule: "an amount can be set beside the lines", do: "PATCH /deals/$deal", body: `{"amount":"3.5"}`, status: 200,
				want: `{"amount":"3.50","line_items":[{"total":"7.00"}]}`,
			},
			{
				rule: "other patches leave the amount", do: "PATCH /deals/$deal", body: `{"next_step":"call"}`, status: 200,
				want: `{"amount":"3.50"}`,
			},
			{
				rule: "a quote takes the currency of its deal", do: "POST /quotes",
				body: `{"deal_id":"$yen","line_items":[{"name":"a","unit_price":"100.4"}]}`, status: 201,
				want: `{"currency":"JPY","total":"100.00","line_items":[{"currency":"JPY"}]}`,
			},
			{
				rule: "a quote of its own has the business's currency", do: "POST /quotes",
				body: `{"line_items":[{"name":"a","unit_price":"1"}]}`, status: 201, want: `{"currency":"EUR"}`,
			},
			{
				rule: "a currency that does not exist is 422", do: "POST /quotes", body: `{"currency":"EUX"}`, status: 422,
				wrong: "currency:invalid_format",
			},
		})
	})
}

// Two hundred lines of a few bytes each took over a product's description two hundred times.
func TestLinesTakeOverNoMoreThanABodyHolds(t *testing.T) {
	onBothEngines(t, func(t *testing.T, w *world) {
		lines := func(n int) string {
			return `{"name":"Large","line_items":[` + strings.TrimSuffix(strings.Repeat(`{"product_id":"$long"},`, n), ",") + `]}`
		}
		w.run(t, []step{{
			rule: "a product with a long description", do: "POST /products",
			body: `{"name":"Long","price":"1","description":"` + strings.Repeat("x", 65_536) + `"}`, status: 201, save: "long",
		}})
		for _, path := range []string{"/deals", "/quotes"} {
			body := func(n int) string {
				return strings.Replace(lines(n), `"name"`, map[string]string{"/deals": `"name"`, "/quotes": `"title"`}[path], 1)
			}
			w.run(t, []step{
				{rule: "what fits is taken", do: "POST " + path, body: body(15), status: 201, save: "large"},
				{rule: "what does not is 422 on line_items", do: "POST " + path, body: body(16), status: 422, wrong: "line_items:too_long"},
				{rule: "in a patch, too", do: "PATCH " + path + "/$large", body: body(200), status: 422, wrong: "line_items:too_long"},
				{rule: "nothing of it is written", do: "GET " + path + "/$large", status: 200, want: `{"version":1}`},
				{
					rule: "lines that were there stay without being counted anew", do: "PATCH " + path + "/$large",
					body: `{"tags":["kept"]}`, status: 200, want: `{"version":2}`,
				},
			})
		}
	})
}
