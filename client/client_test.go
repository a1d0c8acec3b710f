package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kith-crm/kith/client"
	"github.com/kith-crm/kith/internal/httpapi"
)

func TestRecordsAreMadeReadChangedDeletedAndRestored(t *testing.T) {
	onBothEngines(t, httpapi.Options{}, func(t *testing.T, s *server) {
		ctx, c := t.Context(), s.connect(t)
		acme := must[*client.Company](t)(c.Companies.Create(ctx, client.CompanyInput{
			Name: client.Set("Acme"), AnnualRevenue: client.Set(client.Decimal("12345678901234.5678")), EmployeeCount: client.Set[int64](0),
			Address: client.Set(client.AddressInput{City: client.Set("Oslo"), Country: client.Set("Norway")}),
		}))
		if acme.AnnualRevenue != "12345678901234.5678" || acme.EmployeeCount == nil || *acme.EmployeeCount != 0 ||
			acme.Address.City != "Oslo" || acme.Currency != "EUR" {
			t.Errorf("the company is %+v", acme)
		}
		contacted := time.Date(2026, 3, 1, 9, 30, 0, 123456000, time.UTC)
		zoe := must[*client.Contact](t)(c.Contacts.Create(ctx, client.ContactInput{
			Name: client.Set("Zoë Müller"), Email: client.Set("zoe@acme.example"), LeadScore: client.Set(72.5),
			CompanyID: client.Set(acme.ID),
			Tags:      client.Set([]string{"vip", "fair"}), LastContactedAt: client.Set(contacted), DoNotContact: client.Set(true),
		}))
		if !strings.HasPrefix(string(zoe.ID), "contact_") || zoe.Version != 1 || *zoe.LeadScore != 72.5 || zoe.CompanyID != acme.ID ||
			len(zoe.Tags) != 2 || !zoe.LastContactedAt.Equal(contacted) || !zoe.DoNotContact || zoe.Phone != "" || !zoe.DeletedAt.IsZero() {
			t.Errorf("the contact is %+v", zoe)
		}
		if read := must[*client.Contact](t)(c.Contacts.Get(ctx, zoe.ID)); !reflect.DeepEqual(read, zoe) {
			t.Errorf("read again it is %+v, not %+v", read, zoe)
		}

		changed := must[*client.Contact](t)(c.Contacts.Update(ctx, zoe.ID,
			client.ContactInput{
				JobTitle: client.Set("Head of Sales"), LeadScore: client.Null[float64](),
				LastContactedAt: client.Set(time.Time{}),
			}, client.IfMatch(1)))
		if changed.JobTitle != "Head of Sales" || changed.LeadScore != nil || !changed.LastContactedAt.IsZero() ||
			changed.Email != zoe.Email || changed.Version != 2 {
			t.Errorf("the changed contact is %+v", changed)
		}
		moved := must[*client.Company](t)(c.Companies.Update(ctx, acme.ID,
			client.CompanyInput{Address: client.Set(client.AddressInput{City: client.Set("Bergen")})}))
		if moved.Address != (client.Address{City: "Bergen", Country: "Norway"}) {
			t.Errorf("the address is %+v", moved.Address)
		}
		nowhere := must[*client.Company](t)(c.Companies.Update(ctx, acme.ID,
			client.CompanyInput{Address: client.Null[client.AddressInput]()}))
		if nowhere.Address != (client.Address{}) {
			t.Errorf("the address is %+v", nowhere.Address)
		}

		if err := c.Contacts.Delete(ctx, zoe.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Contacts.Get(ctx, zoe.ID); !errors.Is(err, client.ErrNotFound) || refused(t, err).Status != http.StatusNotFound ||
			refused(t, err).RequestID == "" {
			t.Errorf("a deleted contact gives %v", err)
		}
		for binned, err := range c.Contacts.SearchBin(ctx, client.Query{}) {
			if err != nil || binned.ID != zoe.ID || binned.DeletedAt.IsZero() {
				t.Errorf("in the bin is %+v, %v", binned, err)
			}
		}
		if back := must[*client.Contact](t)(c.Contacts.Restore(ctx, zoe.ID)); back.ID != zoe.ID || !back.DeletedAt.IsZero() {
			t.Errorf("restored it is %+v", back)
		}
	})
}

func TestActionsAndListsOfObjects(t *testing.T) {
	onBothEngines(t, httpapi.Options{}, func(t *testing.T, s *server) {
		ctx, c := t.Context(), s.connect(t)
		day := client.Date{Year: 2026, Month: time.November, Day: 30}
		deal := must[*client.Deal](t)(c.Deals.Create(ctx, client.DealInput{
			Name: client.Set("Boat"), ExpectedCloseDate: client.Set(day), Probability: client.Set(client.Decimal("12.5")),
			LineItems: client.Set([]client.LineItem{
				{Name: "Hull", UnitPrice: "1000.10", Quantity: "2"},
				{Name: "Oar", UnitPrice: "0.05", DiscountPercent: "50"},
			}),
		}))
		if deal.Status != client.DealStatusOpen || deal.Amount != "2000.23" || deal.ExpectedCloseDate != day ||
			deal.Probability != "12.5" || len(deal.LineItems) != 2 || deal.LineItems[0].Total != "2000.20" {
			t.Errorf("the deal is %+v", deal)
		}
		pipeline := must[*client.Pipeline](t)(c.Pipelines.Get(ctx, deal.PipelineID))
		last := pipeline.Stages[slices.IndexFunc(pipeline.Stages, func(s client.Stage) bool { return s.Name == "Negotiation" })]
		if moved := must[*client.Deal](t)(c.Deals.ChangeStage(ctx, deal.ID,
			client.DealChangeStageInput{StageID: last.ID})); moved.StageID != last.ID {
			t.Errorf("the deal is in %s", moved.StageID)
		}
		lost := must[*client.Deal](t)(c.Deals.Lose(ctx, deal.ID, client.DealLoseInput{LostReason: "Price"}))
		if lost.Status != client.DealStatusLost || lost.LostReason != "Price" || lost.ClosedAt.IsZero() {
			t.Errorf("the lost deal is %+v", lost)
		}
		_, err := c.Deals.Win(ctx, deal.ID)
		if !errors.Is(err, client.ErrInvalidTransition) || !slices.Contains(refused(t, err).Allowed, "reopen") {
			t.Errorf("winning a lost deal gives %v", err)
		}
		if open := must[*client.Deal](t)(c.Deals.Reopen(ctx, deal.ID)); open.Status != client.DealStatusOpen {
			t.Errorf("the deal is %s", open.Status)
		}
		if cleared := must[*client.Deal](t)(c.Deals.Update(ctx, deal.ID,
			client.DealInput{
				ExpectedCloseDate: client.Set(client.Date{}), Amount: client.Set(client.Decimal("")),
				LineItems: client.Set([]client.LineItem{}),
			})); !cleared.ExpectedCloseDate.IsZero() || cleared.Amount != "" ||
			len(cleared.LineItems) != 0 {
			t.Errorf("the emptied deal is %+v", cleared)
		}
	})
}

func TestSearchPagesByItself(t *testing.T) {
	onBothEngines(t, httpapi.Options{}, func(t *testing.T, s *server) {
		ctx, c := t.Context(), s.connect(t)
		for part := range 10 {
			batch := c.Contacts.Batch()
			for i := range 100 {
				n := part*100 + i
				batch.Create(client.ContactInput{
					Name: client.Set(fmt.Sprintf("Contact %04d", n)), LeadScore: client.Set(float64(n)),
					ExternalID: client.Set(fmt.Sprint(n)),
				})
			}
			for _, r := range must[[]client.Result[client.Contact]](t)(batch.Do(ctx)) {
				if r.Err != nil || r.Status != http.StatusCreated {
					t.Fatalf("%+v", r)
				}
			}
		}
		f := s.front(t, nil)
		c = connect(t, f.url, s.admin)
		next := 0
		byName := client.Query{Order: client.ContactFields.Name.Asc()}
		for contact, err := range c.Contacts.Search(ctx, byName) {
			if err != nil {
				t.Fatal(err)
			}
			if want := fmt.Sprintf("Contact %04d", next); contact.Name != want {
				t.Fatalf("number %d is %s", next, contact.Name)
			}
			next++
		}
		if next != 1000 || len(f.requests()) != 10 {
			t.Errorf("%d records came with %d requests", next, len(f.requests()))
		}

		t.Run("a loop that ends asks for nothing more", func(t *testing.T) {
			before := len(f.requests())
			for range c.Contacts.Search(ctx, byName) {
				break
			}
			if asked := len(f.requests()) - before; asked != 1 {
				t.Errorf("it asked %d times", asked)
			}
		})
		t.Run("the same search can be walked twice", func(t *testing.T) {
			found := c.Contacts.Search(ctx, client.Query{Filters: []client.Filter{client.ContactFields.LeadScore.Lt(150)}})
			for range 2 {
				n := 0
				for _, err := range found {
					if err != nil {
						t.Fatal(err)
					}
					n++
				}
				if n != 150 {
					t.Errorf("%d records", n)
				}
			}
		})
		t.Run("a cursor goes on where a page ended", func(t *testing.T) {
			q := byName
			q.Limit, q.Total = 30, true
			page := must[*client.Page[client.Contact]](t)(c.Contacts.SearchPage(ctx, q))
			if len(page.Records) != 30 || page.Next == "" || page.Total == nil || *page.Total != 1000 {
				t.Fatalf("the page has %d records, %q, %v", len(page.Records), page.Next, page.Total)
			}
			q.Cursor = page.Next
			for contact, err := range connect(t, f.url, s.admin).Contacts.Search(ctx, q) {
				if err != nil || contact.Name != "Contact 0030" {
					t.Errorf("it goes on with %+v, %v", contact, err)
				}
				break
			}
		})
		t.Run("an error is the last thing that comes", func(t *testing.T) {
			var errs []error
			for contact, err := range c.Contacts.Search(ctx, client.Query{Filters: []client.Filter{client.Where("shoe_size").Gt(40)}}) {
				if contact != nil {
					t.Errorf("%+v", contact)
				}
				errs = append(errs, err)
			}
			if len(errs) != 1 || !errors.Is(errs[0], client.ErrValidationFailed) || refused(t, errs[0]).Field("filters[0].field") == nil {
				t.Errorf("%v", errs)
			}
		})
	})
}

func TestFiltersAndProjections(t *testing.T) {
	onBothEngines(t, httpapi.Options{}, func(t *testing.T, s *server) {
		ctx, c := t.Context(), s.connect(t)
		acme := must[*client.Company](t)(c.Companies.Create(ctx,
			client.CompanyInput{Name: client.Set("Acme"), AnnualRevenue: client.Set(client.Decimal("10"))}))
		for i, name := range []string{"Anna", "Ben", "Cleo"} {
			in := client.ContactInput{Name: client.Set(name), Tags: client.Set([]string{"t" + fmt.Sprint(i)})}
			if i < 2 {
				in.CompanyID, in.LeadScore = client.Set(acme.ID), client.Set(float64(i))
			}
			must[*client.Contact](t)(c.Contacts.Create(ctx, in))
		}
		must[*client.Deal](t)(c.Deals.Create(ctx, client.DealInput{Name: client.Set("Boat"), Amount: client.Set(client.Decimal("10.01"))}))
		fields := client.ContactFields
		for _, tt := range []struct {
			filter client.Filter
			want   string
		}{
			{fields.Name.Eq("anna"), "Anna"},
			{fields.Name.Neq("Anna"), "Ben Cleo"},
			{fields.Name.In("Anna", "Cleo"), "Anna Cleo"},
			{fields.Name.In(), ""},
			{fields.Name.Nin("Anna"), "Ben Cleo"},
			{fields.Name.Contains("n"), "Anna Ben"},
			{fields.Name.StartsWith("C"), "Cleo"},
			{fields.LeadScore.Eq(0), "Anna"},
			{fields.LeadScore.Gt(0), "Ben"},
			{fields.LeadScore.Gte(0), "Anna Ben"},
			{fields.LeadScore.Lt(1), "Anna"},
			{fields.LeadScore.Lte(1), "Anna Ben"},
			{fields.LeadScore.Between(1, 5), "Ben"},
			{fields.LeadScore.IsSet(), "Anna Ben"},
			{fields.LeadScore.IsNotSet(), "Cleo"},
			{fields.DoNotContact.Eq(false), "Anna Ben Cleo"},
			{fields.CompanyID.Eq(acme.ID), "Anna Ben"},
			{fields.Company.Name.StartsWith("Ac"), "Anna Ben"},
			{fields.Company.AnnualRevenue.Gte("10.0000"), "Anna Ben"},
			{fields.Tags.Contains("t1"), "Ben"},
			{fields.Tags.In("t0", "t2"), "Anna Cleo"},
			{fields.Tags.Nin("t0"), "Ben Cleo"},
			{fields.CustomFields.IsNotSet(), "Anna Ben Cleo"},
			{fields.CreatedAt.Lte(time.Now().Add(time.Hour)), "Anna Ben Cleo"},
			{fields.CreatedByUser.Email.Eq("anna@harbour.example"), "Anna Ben Cleo"},
			{client.Where("lead_score").Between(0, 0), "Anna"},
			{client.Where("company.name").Eq("acme"), "Anna Ben"},
		} {
			var names []string
			for contact, err := range c.Contacts.Search(ctx, client.Query{Filters: []client.Filter{tt.filter}, Order: fields.Name.Asc()}) {
				if err != nil {
					t.Errorf("%+v: %v", tt.filter, err)
					break
				}
				names = append(names, contact.Name)
			}
			if got := strings.Join(names, " "); got != tt.want {
				t.Errorf("%+v finds %q, want %q", tt.filter, got, tt.want)
			}
		}
		for deal, err := range c.Deals.Search(ctx,
			client.Query{Filters: []client.Filter{
				client.DealFields.Amount.Eq("10.01"),
				client.DealFields.Status.Eq(client.DealStatusOpen), client.DealFields.Stage.Kind.Eq(client.StageKindOpen),
			}}) {
			if err != nil || deal.Name != "Boat" {
				t.Errorf("%+v, %v", deal, err)
			}
		}

		for contact, err := range c.Contacts.Search(ctx,
			client.Query{Text: "ben", Fields: client.Select(fields.Name, fields.Company.Name, fields.Owner.Email)}) {
			if err != nil || contact.ID != "" || contact.Name != "Ben" || contact.Company == nil || contact.Company.Name != "Acme" ||
				contact.Owner.Email != "anna@harbour.example" {
				t.Errorf("%+v, %v", contact, err)
			}
		}
		type row struct {
			Name    string
			Creator struct{ Email string } `json:"created_by"`
		}
		for row, err := range client.SearchAs[row](ctx, c.Contacts,
			client.Query{Text: "cleo", Fields: []string{"name", "created_by.email"}}) {
			if err != nil || row.Name != "Cleo" || row.Creator.Email != "anna@harbour.example" {
				t.Errorf("%+v, %v", row, err)
			}
		}
	})
}

func TestErrorsTellWhatIsWrong(t *testing.T) {
	onBothEngines(t, httpapi.Options{}, func(t *testing.T, s *server) {
		ctx, c := t.Context(), s.connect(t)
		_, err := c.Contacts.Create(ctx, client.ContactInput{
			Email: client.Set("no"), LeadScore: client.Set(1.0),
			CompanyID: client.Set(client.CompanyID("deal_1")),
		})
		e := refused(t, err)
		if !errors.Is(err, client.ErrValidationFailed) || errors.Is(err, client.ErrConflict) || e.Status != 422 || len(e.Fields) != 2 ||
			e.Field("email").Code != "invalid_format" || e.Field("company_id").Code != "invalid_id" || e.Field("name") != nil {
			t.Errorf("%+v", e)
		}
		if text := err.Error(); !strings.Contains(text, "422 validation_failed") || !strings.Contains(text, "email ") ||
			!strings.Contains(text, e.RequestID) {
			t.Errorf("it says %q", text)
		}
		_, err = c.Deals.Create(ctx, client.DealInput{Name: client.Set("x"), Amount: client.Set(client.Decimal("a lot"))})
		if f := refused(t, err).Field("amount"); f == nil || f.Code != "invalid_format" {
			t.Errorf("%v", err)
		}

		first := must[*client.Product](t)(c.Products.Create(ctx, client.ProductInput{Name: client.Set("Oar"), SKU: client.Set("oar")}))
		_, err = c.Products.Create(ctx, client.ProductInput{Name: client.Set("Oar"), SKU: client.Set("OAR")})
		if e := refused(t, err); !errors.Is(err, client.ErrConflict) || e.ExistingID != string(first.ID) ||
			e.Field("sku").Code != "not_unique" {
			t.Errorf("%+v", e)
		}

		changed := must[*client.Product](t)(c.Products.Update(ctx, first.ID, client.ProductInput{Price: client.Set(client.Decimal("5"))}))
		_, err = c.Products.Update(ctx, first.ID, client.ProductInput{Price: client.Set(client.Decimal("6"))},
			client.IfMatch(first.Version))
		e = refused(t, err)
		if !errors.Is(err, client.ErrPreconditionFailed) || e.Status != 412 || e.CurrentVersion != changed.Version ||
			len(e.Changes) != 1 || !slices.Contains(e.Changes[0].Fields, "price") ||
			e.Changes[0].Actor.UserID != changed.UpdatedBy || !e.Changes[0].At.Equal(changed.UpdatedAt) {
			t.Errorf("%+v", e)
		}
		if err := c.Products.Delete(ctx, first.ID, client.IfMatch(1)); !errors.Is(err, client.ErrPreconditionFailed) {
			t.Errorf("%v", err)
		}

		narrow := must[string](t)(s.token([]string{"contact.write"}))
		blind := connect(t, s.url, narrow)
		if _, err := blind.Deals.Get(ctx, "deal_01h455vb4pex5vsknk084sn02q"); !errors.Is(err, client.ErrInsufficientScope) ||
			refused(t, err).Scope != "deal.read" {
			t.Errorf("%v", err)
		}
		if made := must[*client.Contact](t)(blind.Contacts.Create(ctx, client.ContactInput{Name: client.Set("Unseen")})); made.ID == "" ||
			made.Version != 1 || made.Name != "" {
			t.Errorf("who may not read gets %+v", made)
		}
		if _, err := connect(t, s.url, "kith_pat_none").Me(ctx); !errors.Is(err, client.ErrInvalidToken) {
			t.Errorf("%v", err)
		}
		for _, address := range []string{
			"", "crm.example.com", "ftp://crm.example.com", "https://", "https://a:b@crm.example.com",
			"https://crm.example.com?x=1", "https://crm.example.com/%",
		} {
			if _, err := client.New(address, nil); err == nil {
				t.Errorf("a client of %q", address)
			}
		}
	})
}

func TestUpsertAndBatch(t *testing.T) {
	onBothEngines(t, httpapi.Options{}, func(t *testing.T, s *server) {
		ctx, c := t.Context(), s.connect(t)
		in := client.ContactInput{Email: client.Set("anna@acme.example"), Name: client.Set("Anna")}
		anna, made, err := c.Contacts.Upsert(ctx, client.ContactByEmail, in)
		if err != nil || !made || anna.Version != 1 {
			t.Fatalf("%+v, %v, %v", anna, made, err)
		}
		in.JobTitle = client.Set("Cook")
		again, made, err := c.Contacts.Upsert(ctx, client.ContactByEmail, in)
		if err != nil || made || again.ID != anna.ID || again.JobTitle != "Cook" {
			t.Fatalf("%+v, %v, %v", again, made, err)
		}
		twin := must[*client.Contact](t)(c.Contacts.Create(ctx, in))
		_, _, err = c.Contacts.Upsert(ctx, client.ContactByEmail, in)
		if ids := refused(t, err).ExistingIDs; !errors.Is(err, client.ErrAmbiguousMatch) ||
			!slices.Equal(ids, []string{string(anna.ID), string(twin.ID)}) {
			t.Errorf("%v, %v", ids, err)
		}

		batch := c.Contacts.Batch()
		batch.Create(client.ContactInput{Name: client.Set("Ben")})
		batch.Create(client.ContactInput{Email: client.Set("no")})
		batch.Update(anna.ID, client.ContactInput{JobTitle: client.Set("Chef")}).IfMatch(again.Version)
		batch.Update(anna.ID, client.ContactInput{JobTitle: client.Set("Waiter")}).IfMatch(again.Version)
		batch.Delete(twin.ID)
		batch.Upsert(client.ContactByEmail, client.ContactInput{Email: client.Set("anna@acme.example"), Phone: client.Set("123")})
		batch.Restore(twin.ID)
		results := must[[]client.Result[client.Contact]](t)(batch.Do(ctx))
		var statuses []int
		for _, r := range results {
			statuses = append(statuses, r.Status)
		}
		if !slices.Equal(statuses, []int{201, 422, 200, 412, 204, 200, 200}) {
			t.Fatalf("%v", statuses)
		}
		if results[0].Record.Name != "Ben" || results[0].Err != nil || results[1].Record != nil ||
			refused(t, results[1].Err).Field("email") == nil ||
			!errors.Is(results[3].Err, client.ErrPreconditionFailed) || results[4].Record != nil || results[4].Err != nil ||
			results[5].Record.Phone != "123" || results[6].Record.ID != twin.ID {
			t.Errorf("%+v", results)
		}

		whole := c.Tasks.Batch()
		whole.Create(client.TaskInput{Title: client.Set("Call")})
		whole.Complete("task_01h455vb4pex5vsknk084sn02q")
		_, err = whole.DoAtomic(ctx)
		if !errors.Is(err, client.ErrNotFound) || refused(t, err).Field("operations[1]") == nil {
			t.Errorf("%v", err)
		}
		if page := must[*client.Page[client.Task]](t)(c.Tasks.SearchPage(ctx, client.Query{})); len(page.Records) != 0 {
			t.Errorf("an atomic batch that failed left %+v", page.Records)
		}
	})
}

func TestDryRunsWriteNothing(t *testing.T) {
	onBothEngines(t, httpapi.Options{}, func(t *testing.T, s *server) {
		ctx := t.Context()
		f := s.front(t, nil)
		c := connect(t, f.url, s.admin)
		made := must[*client.Contact](t)(c.Contacts.Create(ctx, client.ContactInput{Name: client.Set("Anna")}, client.DryRun()))
		if made.Name != "Anna" || made.Version != 1 {
			t.Errorf("%+v", made)
		}
		if _, err := c.Contacts.Create(ctx, client.ContactInput{Email: client.Set("no")}, client.DryRun()); !errors.Is(err,
			client.ErrValidationFailed) {
			t.Errorf("%v", err)
		}
		for _, r := range f.requests() {
			if r.key != "" {
				t.Errorf("a dry run has the key %s", r.key)
			}
		}
		if page := must[*client.Page[client.Contact]](t)(c.Contacts.SearchPage(ctx, client.Query{})); len(page.Records) != 0 {
			t.Errorf("a dry run left %+v", page.Records)
		}
	})
}

func TestWhoAndWhere(t *testing.T) {
	onBothEngines(t, httpapi.Options{}, func(t *testing.T, s *server) {
		ctx, c := t.Context(), s.connect(t)
		me := must[*client.Me](t)(c.Me(ctx))
		if me.Business.Name != "Harbour" || me.User.Email != "anna@harbour.example" || me.User.Status != client.UserStatusInvited ||
			me.Role != "admin" || !slices.Contains(me.Features, "manage_users") || me.Permissions["contact"]["read"].Effective != "all" {
			t.Errorf("%+v", me)
		}
		changed := must[*client.Business](t)(c.Business.Update(ctx, client.BusinessInput{Timezone: client.Set("Europe/Oslo")},
			client.IfMatch(me.Business.Version)))
		if read := must[*client.Business](t)(c.Business.Get(ctx)); !reflect.DeepEqual(read, changed) || read.Timezone != "Europe/Oslo" {
			t.Errorf("%+v, %+v", read, changed)
		}
		role := must[*client.Role](t)(c.Roles.Create(ctx,
			client.RoleInput{
				Name:        client.Set("clerk"),
				Permissions: client.Set(client.Permissions{"contact": {Read: "all", Write: "own"}, "deal": {Read: "own"}}),
			}))
		if *role.Permissions["contact"] != (client.Reach{Read: "all", Write: "own", Delete: "none"}) {
			t.Errorf("%+v", role.Permissions["contact"])
		}
		role = must[*client.Role](t)(c.Roles.Update(ctx, role.ID,
			client.RoleInput{Permissions: client.Set(client.Permissions{"deal": nil})}))
		if role.Permissions["contact"] == nil || role.Permissions["deal"] != nil {
			t.Errorf("%+v", role.Permissions)
		}
		token := must[*client.Token](t)(c.Tokens.Create(ctx,
			client.TokenInput{Name: client.Set("CI"), Scopes: client.Set([]string{"contact.read"})}, client.IdempotencyKey("ci")))
		if !strings.HasPrefix(token.Secret, "kith_pat_") || token.Omitted != nil {
			t.Errorf("%+v", token)
		}
		again := must[*client.Token](t)(c.Tokens.Create(ctx,
			client.TokenInput{Name: client.Set("CI"), Scopes: client.Set([]string{"contact.read"})}, client.IdempotencyKey("ci")))
		if again.ID != token.ID || again.Secret != "" || !slices.Equal(again.Omitted, []string{"token"}) {
			t.Errorf("%+v", again)
		}
		var answer struct{ Meta struct{ Total int } }
		if err := c.Call(ctx, http.MethodPost, "/roles/search", client.Query{Limit: 1}, &answer); err != nil || answer.Meta.Total != 5 {
			t.Errorf("%+v, %v", answer, err)
		}
	})
}

// Sixteen goroutines share a client, and each sees its own answers.
func TestConcurrentCallers(t *testing.T) {
	onBothEngines(t, httpapi.Options{RateLimit: 200, RateBurst: 8}, func(t *testing.T, s *server) {
		ctx := t.Context()
		c := s.connect(t, client.WithRetries(100))
		var all sync.WaitGroup
		for i := range 16 {
			all.Go(func() {
				name := fmt.Sprintf("Caller %d", i)
				made, err := c.Contacts.Create(ctx, client.ContactInput{Name: client.Set(name), ExternalID: client.Set(fmt.Sprint(i))})
				if err != nil || made.Name != name {
					t.Errorf("%s: %+v, %v", name, made, err)
					return
				}
				for range 3 {
					found := 0
					for contact, err := range c.Contacts.Search(ctx,
						client.Query{Filters: []client.Filter{client.ContactFields.ExternalID.Eq(fmt.Sprint(i))}}) {
						if err != nil || contact.ID != made.ID {
							t.Errorf("%s: %+v, %v", name, contact, err)
							return
						}
						found++
					}
					if found != 1 {
						t.Errorf("%s is there %d times", name, found)
					}
				}
				if _, err := c.Contacts.Update(ctx, made.ID, client.ContactInput{JobTitle: client.Set(name)},
					client.IfMatch(made.Version)); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	})
}

// Whoever cancels is not kept waiting, and nothing is sent any more.
func TestCancelledCallsEnd(t *testing.T) {
	onBothEngines(t, httpapi.Options{}, func(t *testing.T, s *server) {
		ctx, cancel := context.WithCancel(t.Context())
		c := s.connect(t)
		cancel()
		if _, err := c.Contacts.Create(ctx, client.ContactInput{Name: client.Set("Nobody")}); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		for _, err := range c.Contacts.Search(ctx, client.Query{}) {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%v", err)
			}
		}
		if page := must[*client.Page[client.Contact]](t)(c.Contacts.SearchPage(t.Context(), client.Query{})); len(page.Records) != 0 {
			t.Errorf("%+v", page.Records)
		}
	})
}
