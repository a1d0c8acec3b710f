package client_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/kith-crm/kith/client"
	"github.com/kith-crm/kith/internal/httpapi"
)

// exampleServer starts a server on a new SQLite database, and gives its address, a token of its administrator, and how it is stopped.
func exampleServer() (address, token string, stop func()) {
	dir, err := os.MkdirTemp("", "kith-example-")
	if err != nil {
		log.Fatal(err)
	}
	s, err := serve("sqlite:"+filepath.Join(dir, "kith.db"), httpapi.Options{})
	if err != nil {
		log.Fatal(err)
	}
	return s.url, s.admin, func() {
		if err := errors.Join(s.close(), os.RemoveAll(dir)); err != nil {
			log.Fatal(err)
		}
	}
}

func Example() {
	address, token, stop := exampleServer()
	defer stop()
	ctx := context.Background()

	kith, err := client.New(address, client.StaticToken(token))
	if err != nil {
		log.Fatal(err)
	}
	zoe, err := kith.Contacts.Create(ctx, client.ContactInput{
		Name:      client.Set("Zoë Müller"),
		Email:     client.Set("zoe@acme.example"),
		LeadScore: client.Set(72.0),
	})
	if err != nil {
		log.Fatal(err)
	}
	// Only what is said changes: the e-mail address stays, the score is emptied.
	zoe, err = kith.Contacts.Update(ctx, zoe.ID, client.ContactInput{
		JobTitle:  client.Set("Head of Sales"),
		LeadScore: client.Null[float64](),
	}, client.IfMatch(zoe.Version))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(zoe.Name, "|", zoe.JobTitle, "|", zoe.Email, "|", zoe.LeadScore == nil, "| version", zoe.Version)
	// Output: Zoë Müller | Head of Sales | zoe@acme.example | true | version 2
}

func ExampleContacts_Search() {
	address, token, stop := exampleServer()
	defer stop()
	ctx := context.Background()
	kith, err := client.New(address, client.StaticToken(token))
	if err != nil {
		log.Fatal(err)
	}
	batch := kith.Contacts.Batch()
	for i := range 5 {
		batch.Create(client.ContactInput{Name: client.Set(fmt.Sprint("Contact ", i)), LeadScore: client.Set(float64(i * 20))})
	}
	if _, err := batch.DoAtomic(ctx); err != nil {
		log.Fatal(err)
	}

	for contact, err := range kith.Contacts.Search(ctx, client.Query{
		Filters: []client.Filter{
			client.ContactFields.LeadScore.Gte(40),
			client.ContactFields.Owner.Email.Eq("anna@harbour.example"),
		},
		Order:  client.ContactFields.LeadScore.Desc(),
		Fields: client.Select(client.ContactFields.Name, client.ContactFields.LeadScore),
	}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(contact.Name, *contact.LeadScore)
	}
	// Output:
	// Contact 4 80
	// Contact 3 60
	// Contact 2 40
}

func ExampleContacts_SearchPage() {
	address, token, stop := exampleServer()
	defer stop()
	ctx := context.Background()
	kith, err := client.New(address, client.StaticToken(token))
	if err != nil {
		log.Fatal(err)
	}
	for i := range 5 {
		if _, err := kith.Contacts.Create(ctx, client.ContactInput{Name: client.Set(fmt.Sprint("Contact ", i))}); err != nil {
			log.Fatal(err)
		}
	}

	query := client.Query{Order: client.ContactFields.Name.Asc(), Limit: 2}
	for {
		page, err := kith.Contacts.SearchPage(ctx, query)
		if err != nil {
			log.Fatal(err)
		}
		for _, contact := range page.Records {
			fmt.Println(contact.Name)
		}
		if page.Next == "" {
			break
		}
		query.Cursor = page.Next // can be kept, to go on another day
	}
	// Output:
	// Contact 0
	// Contact 1
	// Contact 2
	// Contact 3
	// Contact 4
}

func ExampleDeals_Win() {
	address, token, stop := exampleServer()
	defer stop()
	ctx := context.Background()
	kith, err := client.New(address, client.StaticToken(token))
	if err != nil {
		log.Fatal(err)
	}
	deal, err := kith.Deals.Create(ctx, client.DealInput{
		Name: client.Set("Ten boats"),
		LineItems: client.Set([]client.LineItem{
			{Name: "Boat", UnitPrice: "1999.95", Quantity: "10", DiscountPercent: "5"},
		}),
	})
	if err != nil {
		log.Fatal(err)
	}
	deal, err = kith.Deals.Win(ctx, deal.ID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(deal.Status == client.DealStatusWon, deal.Amount, deal.Currency)
	// Output: true 18999.53 EUR
}

func ExampleContacts_Upsert() {
	address, token, stop := exampleServer()
	defer stop()
	ctx := context.Background()
	kith, err := client.New(address, client.StaticToken(token))
	if err != nil {
		log.Fatal(err)
	}
	for _, title := range []string{"Clerk", "Director"} {
		contact, made, err := kith.Contacts.Upsert(ctx, client.ContactByEmail, client.ContactInput{
			Email:    client.Set("zoe@acme.example"),
			JobTitle: client.Set(title),
		})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(contact.JobTitle, made)
	}
	// Output:
	// Clerk true
	// Director false
}

func ExampleContacts_Batch() {
	address, token, stop := exampleServer()
	defer stop()
	ctx := context.Background()
	kith, err := client.New(address, client.StaticToken(token))
	if err != nil {
		log.Fatal(err)
	}
	batch := kith.Contacts.Batch()
	batch.Create(client.ContactInput{Name: client.Set("Anna")})
	batch.Create(client.ContactInput{Email: client.Set("not an address")})
	results, err := batch.Do(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, result := range results {
		if result.Err != nil {
			fmt.Println(result.Status, errors.Is(result.Err, client.ErrValidationFailed))
			continue
		}
		fmt.Println(result.Status, result.Record.Name)
	}
	// Output:
	// 201 Anna
	// 422 true
}

func ExampleError() {
	address, token, stop := exampleServer()
	defer stop()
	ctx := context.Background()
	kith, err := client.New(address, client.StaticToken(token))
	if err != nil {
		log.Fatal(err)
	}
	product, err := kith.Products.Create(ctx, client.ProductInput{Name: client.Set("Oar"), SKU: client.Set("OAR-1")})
	if err != nil {
		log.Fatal(err)
	}
	_, err = kith.Products.Create(ctx, client.ProductInput{Name: client.Set("Another"), SKU: client.Set("oar-1")})
	var refusal *client.Error
	if errors.As(err, &refusal) && refusal.Code == client.ErrConflict {
		fmt.Println(refusal.Status, refusal.Fields[0].Field, refusal.ExistingID == string(product.ID))
	}
	// Output: 409 sku true
}

func ExampleDryRun() {
	address, token, stop := exampleServer()
	defer stop()
	ctx := context.Background()
	kith, err := client.New(address, client.StaticToken(token))
	if err != nil {
		log.Fatal(err)
	}
	quote, err := kith.Quotes.Create(ctx, client.QuoteInput{
		Title:     client.Set("Offer"),
		LineItems: client.Set([]client.LineItem{{Name: "Boat", UnitPrice: "100", TaxRate: "25"}}),
	}, client.DryRun())
	if err != nil {
		log.Fatal(err)
	}
	page, err := kith.Quotes.SearchPage(ctx, client.Query{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("It would be", quote.Total, quote.Currency, "and there are", len(page.Records), "quotes.")
	// Output: It would be 125.00 EUR and there are 0 quotes.
}

// Tier is a field that the business added to its contacts.
const Tier client.Custom[string] = "tier"

func ExampleCustom() {
	address, token, stop := exampleServer()
	defer stop()
	ctx := context.Background()
	kith, err := client.New(address, client.StaticToken(token))
	if err != nil {
		log.Fatal(err)
	}
	if _, err := kith.CustomFields.Create(ctx, client.CustomFieldInput{
		Resource: client.Set(client.CustomFieldResource("contact")), Name: client.Set("tier"),
		Kind: client.Set(client.CustomFieldKind("text")),
	}); err != nil {
		log.Fatal(err)
	}
	input := client.ContactInput{Name: client.Set("Zoë")}
	input.CustomFields = client.Set(client.CustomValues(Tier.Is("gold")))
	contact, err := kith.Contacts.Create(ctx, input)
	if err != nil {
		log.Fatal(err)
	}
	tier, ok := Tier.Of(contact.CustomFields)
	fmt.Println(tier, ok)
	query := client.Query{Filters: []client.Filter{Tier.Exact().Eq("gold")}, Order: Tier.Exact().Asc()}
	page, err := kith.Contacts.SearchPage(ctx, query)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(page.Records))
	// Output:
	// gold true
	// 1
}
