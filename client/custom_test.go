package client_test

import (
	"slices"
	"testing"

	"github.com/kith-crm/kith/client"
	"github.com/kith-crm/kith/internal/httpapi"
)

func TestCustomFieldsHaveTypes(t *testing.T) {
	const (
		tier    = client.Custom[string]("tier")
		budget  = client.Custom[client.Decimal]("budget")
		since   = client.Custom[client.Date]("since")
		likes   = client.Custom[[]string]("likes")
		vip     = client.Custom[bool]("vip")
		partner = client.Custom[client.CompanyID]("partner_id")
	)
	leap := client.Date{Year: 2020, Month: 2, Day: 29}
	onBothEngines(t, httpapi.Options{}, func(t *testing.T, s *server) {
		ctx, c := t.Context(), s.connect(t)
		for _, input := range []client.CustomFieldInput{
			{
				Name: client.Set("tier"), Kind: client.Set(client.CustomFieldKind("select")),
				Options: client.Set([]client.CustomOption{{Value: "gold"}, {Value: "tin"}}),
			},
			{Name: client.Set("budget"), Kind: client.Set(client.CustomFieldKind("money")), Default: client.Set[any]("10.00")},
			{Name: client.Set("since"), Kind: client.Set(client.CustomFieldKind("date"))},
			{
				Name: client.Set("likes"), Kind: client.Set(client.CustomFieldKind("multi_select")),
				Options: client.Set([]client.CustomOption{{Value: "tea"}, {Value: "milk"}}),
			},
			{Name: client.Set("vip"), Kind: client.Set(client.CustomFieldKind("boolean"))},
			{
				Name: client.Set("partner_id"), Kind: client.Set(client.CustomFieldKind("reference")),
				Target: client.Set(client.CustomFieldTarget("company")),
			},
		} {
			input.Resource = client.Set(client.CustomFieldResource("contact"))
			must[*client.CustomField](t)(c.CustomFields.Create(ctx, input))
		}
		acme := must[*client.Company](t)(c.Companies.Create(ctx, client.CompanyInput{Name: client.Set("Acme")}))
		zoe := must[*client.Contact](t)(c.Contacts.Create(ctx,
			client.ContactInput{Name: client.Set("Zoë"), CustomFields: client.Set(client.CustomValues(
				tier.Is("gold"), since.Is(leap), likes.Is([]string{"tea", "milk"}), vip.Is(false), partner.Is(acme.ID),
			))}))
		if v, ok := tier.Of(zoe.CustomFields); v != "gold" || !ok {
			t.Errorf("the tier is %q, %v", v, ok)
		}
		if v, ok := budget.Of(zoe.CustomFields); v != "10.00" || !ok {
			t.Errorf("the budget is %q, %v", v, ok)
		}
		if v, ok := since.Of(zoe.CustomFields); v != leap || !ok {
			t.Errorf("it is since %v, %v", v, ok)
		}
		if v, ok := likes.Of(zoe.CustomFields); !slices.Equal(v, []string{"tea", "milk"}) || !ok {
			t.Errorf("it likes %q, %v", v, ok)
		}
		if v, ok := vip.Of(zoe.CustomFields); v || !ok {
			t.Errorf("it is important: %v, %v", v, ok)
		}
		if v, ok := partner.Of(zoe.CustomFields); v != acme.ID || !ok {
			t.Errorf("the partner is %q, %v", v, ok)
		}
		zoe = must[*client.Contact](t)(c.Contacts.Update(ctx, zoe.ID,
			client.ContactInput{CustomFields: client.Set(client.CustomValues(tier.Empty()))}))
		if v, ok := tier.Of(zoe.CustomFields); ok {
			t.Errorf("the tier is still %q", v)
		}
		for _, filter := range []client.Filter{
			partner.Exact().Eq(acme.ID), budget.Range().Gte("9.99"), likes.List().Contains("milk"),
			vip.Exact().Eq(false), tier.Words().IsNotSet(),
		} {
			n := 0
			for _, err := range c.Contacts.Search(ctx, client.Query{Filters: []client.Filter{filter}, Order: since.Range().Desc()}) {
				if err != nil {
					t.Fatal(err)
				}
				n++
			}
			if n != 1 {
				t.Errorf("%v finds %d contacts", filter, n)
			}
		}
	})
}
