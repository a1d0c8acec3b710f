package store_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/exchange"
	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/merge"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
	"github.com/kith-crm/kith/internal/store/queue"
	"github.com/kith-crm/kith/internal/tabular"
	"github.com/kith-crm/kith/internal/webhook"
	"github.com/kith-crm/kith/internal/wiring"
	"github.com/kith-crm/kith/internal/work"
)

// Every operation of the domain, on every resource, runs only statements that stay in the business.
func TestOperationsStayInTheirBusiness(t *testing.T) {
	ctx := context.Background()
	for name, fresh := range engines {
		t.Run(name, func(t *testing.T) {
			s := open(t, fresh(t))
			s.SetWindow(1)
			tracer := newTracer()
			s.Trace(tracer.see)
			e := newEngine(t, s)
			o := newOperator(t, e)
			o.records()
			o.searches()
			o.jobs()
			o.imports()
			o.webhooks()
			o.erasures()
			_, listing := s.Businesses(ctx)
			user, t1 := o.call.User, o.call.Tenant
			hash, id := keep.Hash{1}, schema.UUID{15: 1}
			writing := t1.Write(ctx, o.call.Actor("request"), func(tx *store.Tx) error {
				_, used := keep.UseCredential(tx, hash)
				_, spending := keep.SpendOnce(tx, keep.Hash{2}, keep.Credential{Kind: "chal", User: user, Parent: id})
				putting := keep.PutFactor(tx, keep.Factor{ID: id, User: user, Kind: "totp", Data: "{}"})
				_, holding := keep.HeldFactors(tx, user)
				_, dropping := keep.DropFactor(tx, user, id)
				ending := func(_ any, err error) error { return err }
				return errors.Join(
					keep.PutCredential(tx, hash, keep.Credential{Kind: "pat", User: user, Parent: id, Scopes: []string{"contact.read"}}),
					used,
					keep.SetLoginDomains(tx, []string{"example.com"}), keep.SetLoginSecret(tx, "secret"),
					spending, putting, holding, dropping, keep.UseFactor(tx, keep.Factor{ID: id, User: user, Data: "{}"}),
					keep.DropFactorsOf(tx, user, "code"), keep.DropFactors(tx, user),
					queue.KeepAnswer(tx, hash, queue.Answer{Status: 201}),
					queue.ByMail.Plan(tx, id, user, time.Now()), ending(queue.ByMail.Take(tx, time.Now(), time.Now(), 1)),
					queue.ByMail.PutOff(tx, time.Now(), id), queue.ByMail.Forget(tx, id),
					queue.ByPush.Plan(tx, id, user, time.Now()), ending(queue.ByPush.Take(tx, time.Now(), time.Now(), 1)),
					queue.ByPush.PutOff(tx, time.Now(), id), queue.ByPush.Forget(tx, id),
					keep.PutSession(tx, keep.Session{ID: id, User: user}), keep.SetPush(tx, user, id, "{}"),
					ending(keep.HasPush(tx, user)), keep.DropPush(tx, user, id, "{}"),
					keep.PutGrant(tx, keep.Grant{ID: id, User: user, ClientID: "client", ClientName: "App"}),
					keep.PutApp(tx, keep.Client{ID: "client", App: id}), keep.SetAppSecret(tx, id, hash),
					keep.SetIdentity(tx, user, "", "old@example.com"),
					keep.SetIdentity(tx, user, "old@example.com", "new@example.com"), keep.SetPassword(tx, user, "hash"),
					keep.ResaltPassword(tx, user, keep.Password{Hash: "hash"}, "same"), keep.ConfirmSession(tx, user, id),
					keep.EndSessions(tx, "ses", user, id), keep.DropSecrets(tx, "link", user),
					ending(keep.EndSession(tx, user, id)), ending(keep.EndGrant(tx, user, id)), keep.DropCredential(tx, hash),
					keep.DropApp(tx, id, "client"), keep.DropUser(tx, user),
				)
			})
			_, sessions := keep.Sessions(ctx, t1, user)
			_, grants := keep.Grants(ctx, t1, user)
			_, password := keep.FindPassword(ctx, t1, user)
			_, factors := keep.Factors(ctx, t1, user)
			_, identities := keep.Identities(ctx, s, "new@example.com")
			logins, domains := keep.WithLoginDomain(ctx, s, "example.com")
			secret, reading := keep.LoginSecret(ctx, t1)
			if len(logins) != 1 || logins[0].ID() != t1.ID() || secret != "secret" {
				t.Fatalf("%d businesses have the domain, and the secret is %q", len(logins), secret)
			}
			_, client := keep.FindClient(ctx, s, "client")
			registered, registering := keep.RegisterClient(ctx, s, keep.Client{ID: "own", Metadata: "{}"}, 10)
			now := time.Now()
			err := errors.Join(listing, writing, domains, reading, sessions, grants, password, factors, identities, registering,
				keep.UpdateClient(ctx, s, "own", "{}"), keep.ClientUsed(ctx, s, "own", now),
				keep.DropClient(ctx, s, "own"), keep.Purge(ctx, s, now, now), keep.Seen(ctx, t1, "users", user, now), o.audit())
			if err != nil || !registered || !errors.Is(client, store.ErrNotFound) {
				t.Fatal(err, registered, client)
			}
			tracer.check(t)
		})
	}
}

// audit reads and checks the audit log.
func (o *operator) audit() error {
	ctx := context.Background()
	_, searching := o.e.SearchAudit(ctx, o.call, o.body(`{"filters":[{"field":"action","operator":"eq","value":"user.created"},`+
		`{"field":"fields","operator":"contains","value":"email"}],"limit":1,"total":true}`),
		func(*query.Query, []schema.Value) {})
	found, checking := o.call.Tenant.CheckAudit(ctx)
	if len(found.Wrong) > 0 {
		o.t.Errorf("the audit log: %q", found.Wrong)
	}
	forgetting := o.call.Tenant.Write(ctx, o.call.By(), func(tx *store.Tx) error {
		_, err := queue.ForgetAddresses(tx, o.call.User, 10)
		return err
	})
	return errors.Join(searching, checking, forgetting)
}

// jobs changes all contacts by one, takes that back, and looks at what became of it.
func (o *operator) jobs() {
	ctx := context.Background()
	bulk, err := work.PlanBulk(ctx, o.e, o.call, record.KindOf("contact"),
		o.body(`{"filters":[],"op":"update","data":{"job_title":"Chief"}}`))
	if err != nil {
		o.t.Fatal(err)
	}
	var job *queue.Job
	err = o.call.Tenant.Write(ctx, o.call.By(), func(tx *store.Tx) (err error) {
		job, err = bulk.Start(tx)
		return err
	})
	if err != nil {
		o.t.Fatal(err)
	}
	id := schema.FormatID("job", job.ID)
	o.work(id)
	_, undoing := work.PlanUndo(ctx, o.e, o.call, o.body(`{"job_id":"`+id+`"}`))
	_, listing := work.Jobs(ctx, o.e, o.call, o.body(`{}`), func(*queue.Job) {})
	_, refusing := work.Refusals(ctx, o.call, id, o.body(`{}`), func(*queue.Job, work.Refused) {})
	if err := errors.Join(undoing, listing, refusing, work.SweepJobs(ctx, o.e, time.Now().AddDate(0, 2, 0))); err != nil {
		o.t.Fatal(err)
	}
}

// work has the job done that was begun.
func (o *operator) work(id string) {
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan bool)
	go func() {
		defer close(ended)
		work.NewWorker(o.e, wiring.JobKinds()).Work(ctx, func(err error) { o.t.Error(err) })
	}()
	defer func() {
		stop()
		<-ended
	}()
	for {
		job, err := work.FindJob(ctx, o.call, id)
		if err != nil {
			o.t.Fatal(err)
		}
		if !job.Open() {
			if job.Status != queue.JobSucceeded || job.Done == 0 {
				o.t.Errorf("the job %s, with %d records: %s", job.Status, job.Done, job.Error)
			}
			return
		}
	}
}

// imports brings a file in, of which a row is refused, and forgets it.
func (o *operator) imports() {
	ctx, t := context.Background(), o.call.Tenant
	var id string
	write := func(do func(*store.Tx) error) {
		if err := t.Write(ctx, o.call.By(), do); err != nil {
			o.t.Fatal(err)
		}
	}
	begin, err := exchange.PlanNewImport(o.e, o.call, o.body(`{"resource":"contact"}`))
	if err != nil {
		o.t.Fatal(err)
	}
	write(func(tx *store.Tx) error {
		made, err := begin(tx)
		if err == nil {
			id = schema.FormatID("import", made.ID)
		}
		return err
	})
	if _, _, err := exchange.Upload(ctx, o.e, o.call, id,
		strings.NewReader("first_name,email,company.name\nFiled,filed@example.com,Filing\nNobody,nowhere,\n"), tabular.Dialect{},
		false); err != nil {
		o.t.Fatal(err)
	}
	for _, kind := range []string{queue.ImportPreviewJob, queue.ImportJob} {
		var job schema.UUID
		write(func(tx *store.Tx) error {
			begun, err := exchange.StartImport(o.e, tx, o.call, id, kind)
			if err == nil {
				job = map[string]schema.UUID{queue.ImportPreviewJob: begun.Preview, queue.ImportJob: begun.Run}[kind]
			}
			return err
		})
		o.work(schema.FormatID("job", job))
	}
	refused, err := exchange.PlanErrors(ctx, o.e, o.call, id)
	if err != nil {
		o.t.Fatal(err)
	}
	_, undoing := exchange.PlanImportUndo(ctx, o.e, o.call, id)
	_, listing := exchange.Imports(ctx, o.e, o.call, o.body(`{}`), func(*exchange.ImportState) {})
	if err := errors.Join(refused.Run(ctx, func([]byte) error { return nil }), undoing, listing,
		exchange.DropImport(ctx, o.e, o.call, id)); err != nil {
		o.t.Fatal(err)
	}
	write(func(tx *store.Tx) error { return exchange.ForgetImport(o.e, tx, o.call, id) })
	if err := exchange.SweepImports(ctx, o.e, time.Now()); err != nil {
		o.t.Fatal(err)
	}
}

// webhooks has everything that happened so far sent, of which the first attempt fails, and looks at what became of it.
func (o *operator) webhooks() {
	ctx, stop := context.WithCancel(context.Background())
	o.create("webhook", "webhook", `{"url":"https://example.com/other","events":["*"],"filters":{"contact":[{"field":"job_title",`+
		`"operator":"eq","value":"Chief"}]}}`)
	for action, text := range map[string]string{"rotate_secret": ``, "test": ``, "replay": `{"from_seq":1,"to_seq":5}`} {
		o.act("webhook", action, text)
	}
	o.create("contact", "told", `{"first_name":"Told","job_title":"Chief"}`)
	sent, failed := make(chan string, 1000), false
	var mu sync.Mutex
	hooks := webhook.NewDeliverer(o.e, func(_ context.Context, m webhook.Message) webhook.Receipt {
		mu.Lock()
		defer mu.Unlock()
		if !failed {
			failed = true
			return webhook.Receipt{Error: "Not today."}
		}
		sent <- string(m.Body)
		return webhook.Receipt{Status: http.StatusOK}
	}, func(err error) { o.t.Error(err) })
	ended := make(chan bool)
	go func() {
		defer close(ended)
		hooks.Work(ctx)
	}()
	for told := false; !told; {
		told = strings.Contains(<-sent, o.ids["told"])
	}
	stop()
	<-ended
	ctx = context.Background()
	rows := 0
	_, listing := webhook.Deliveries(ctx, o.e, o.call, o.ids["webhook"], o.body(`{}`), func(*queue.Delivery) { rows++ })
	if err := errors.Join(listing, webhook.SweepDeliveries(ctx, o.e, time.Now())); err != nil || rows < 2 {
		o.t.Fatalf("%d deliveries, %v", rows, err)
	}
}

// operator does everything that a caller can, as a caller does it.
type operator struct {
	t    *testing.T
	e    *record.Engine
	call record.Call
	ids  map[string]string
}

func newOperator(t *testing.T, e *record.Engine) *operator {
	who := newBusiness(t, e)
	who.Connection = schema.UUID{15: 9} // as a session has one; without any, a webhook is never delivered to
	return &operator{t: t, e: e, call: record.Call{Principal: who, RequestID: "request"}, ids: map[string]string{}}
}

func (o *operator) body(text string) *body.Node {
	for name, id := range o.ids {
		text = strings.ReplaceAll(text, "{"+name+"}", id)
	}
	n, err := body.Parse([]byte(text))
	if err != nil {
		o.t.Fatal(err)
	}
	return n
}

func (o *operator) create(resource, name, text string) {
	o.t.Helper()
	rec, err := o.e.Do(context.Background(), o.call,
		record.Operation{Kind: record.KindOf(resource), Name: record.Create, Body: o.body(text)})
	if err != nil {
		o.t.Fatalf("create %s %s: %v", resource, text, err)
	}
	o.ids[name] = schema.FormatID(resource, rec.ID())
}

func (o *operator) patch(resource, name, text string) {
	o.t.Helper()
	if _, err := o.e.Do(context.Background(), o.call,
		record.Operation{Kind: record.KindOf(resource), Name: record.Update, ID: o.ids[name], Body: o.body(text)}); err != nil {
		o.t.Fatalf("patch %s %s: %v", resource, text, err)
	}
}

func (o *operator) act(resource, action, text string) {
	o.t.Helper()
	if _, err := o.e.Do(context.Background(), o.call,
		record.Operation{Kind: record.KindOf(resource), Name: action, ID: o.ids[resource], Body: o.body(text)}); err != nil {
		o.t.Fatalf("%s %s %s: %v", action, resource, text, err)
	}
}

func (o *operator) records() {
	ctx := context.Background()
	o.create("company", "parent", `{"name":"Parent"}`)
	o.create("company", "company", `{"name":"Company","email":"info@example.com","parent_company_id":"{parent}","tags":["vip"]}`)
	o.create("contact", "contact", `{"first_name":"Anna","phone":"+46 8 123","company_id":"{company}","external_id":"x-1"}`)
	o.create("product", "product", `{"name":"Product","sku":"P-1","price":"10.00"}`)
	o.create("pipeline", "pipeline", `{"name":"Other","is_default":true,"stages":[{"name":"First"}]}`)
	o.patch("pipeline", "pipeline", `{"stages":[{"name":"Only"}],"name":"Changed"}`)
	o.create("deal", "deal", `{"name":"Deal","company_id":"{company}","contact_id":"{contact}","line_items":[{"product_id":"{product}"}]}`)
	o.create("task", "task", `{"title":"Task","deal_id":"{deal}"}`)
	o.create("note", "note", `{"body":"Note","contact_id":"{contact}"}`)
	o.create("activity", "activity", `{"activity_type":"call","contact_id":"{contact}","company_id":"{parent}"}`)
	o.create("quote", "quote", `{"deal_id":"{deal}","line_items":[{"product_id":"{product}","quantity":2}]}`)
	o.create("lifecycle_stage", "lifecycle_stage", `{"name":"New stage"}`)
	o.create("loss_reason", "loss_reason", `{"name":"New reason"}`)
	o.create("role", "role", `{"name":"New role","permissions":{"contact":{"read":"own"}}}`)
	o.create("user", "user", `{"email":"user@example.com","role_id":"{role}"}`)
	o.create("token", "token", `{"name":"Token","scopes":["contact.read"]}`)
	o.create("app", "app", `{"name":"App","scopes":["contact.read"]}`)
	o.create("association", "association", `{"from_id":"{deal}","to_id":"{contact}","label":"buyer"}`)
	o.create("association", "second", `{"from_id":"{note}","to_id":"{contact}"}`)
	o.create("view", "view", `{"name":"View","resource":"contact"}`)
	o.create("report", "report", `{"name":"Report","resource":"deal","aggregate":{"metrics":["count"]}}`)
	o.create("follow", "follow", `{"about_id":"{deal}"}`)
	o.create("notification", "notification", `{"about_id":"{deal}","text":"Ask"}`)
	o.create("webhook", "webhook", `{"url":"https://example.com/hook","events":["contact.*"]}`)
	o.create("field", "field", `{"resource":"contact","name":"tier","kind":"select","options":[{"value":"gold"},{"value":"tin"}]}`)
	o.create("field", "code", `{"resource":"contact","name":"code","kind":"text","unique":true}`)
	o.create("field", "size", `{"resource":"contact","name":"size","kind":"number","indexed":true}`)
	o.create("field", "twin", `{"resource":"contact","name":"twin","kind":"text"}`)
	shapes, err := o.e.Shapes(ctx, o.call.Tenant, 4)
	if err != nil {
		o.t.Fatal(err)
	}
	o.call.Shapes = shapes
	o.create("contact", "golden", `{"name":"Golden","custom_fields":{"tier":"gold"}}`)
	o.create("contact", "coded", `{"name":"Coded","custom_fields":{"code":"c","size":5,"twin":"t"}}`)
	o.patch("contact", "coded", `{"custom_fields":{"code":"d","size":6}}`)
	for _, text := range []string{`{"unique":true}`, `{"unique":false}`, `{"indexed":false}`, `{"indexed":true}`} {
		o.patch("field", "twin", text)
	}
	o.e.IndexRest = 0
	if err := work.TendIndexes(ctx, o.e); err != nil {
		o.t.Fatal(err)
	}
	o.patch("field", "field", `{"name":"level","options":[{"value":"tin"}],"replace_with":{"gold":"tin"}}`)
	o.act("app", "rotate_secret", ``)
	o.duplicates()
	o.merges()

	o.patch("contact", "contact", `{"email":"anna@example.com","external_id":"x-2","owner_id":"{user}"}`)
	o.patch("company", "parent", `{"name":"Renamed"}`)
	o.patch("lifecycle_stage", "lifecycle_stage", `{"is_default":true}`)
	o.patch("user", "user", `{"email":"other@example.com"}`)
	o.act("deal", "win", ``)
	o.act("deal", "reopen", ``)
	o.act("deal", "lose", `{"lost_reason":"price"}`)
	o.act("task", "complete", ``)
	o.act("task", "reopen", ``)
	o.act("note", "pin", ``)
	o.act("note", "unpin", ``)
	o.act("quote", "send", ``)
	o.act("quote", "share", ``)
	o.act("quote", "unshare", ``)
	o.act("quote", "accept", ``)
	o.act("quote", "revise", ``)

	for _, k := range record.Kinds() {
		if k.Name == "pipeline" || k.Name == "lifecycle_stage" || k.Name == "role" || k.Name == "user" {
			o.create(k.Name, k.Name, map[string]string{
				"pipeline": `{"name":"Spare"}`, "lifecycle_stage": `{"name":"Spare"}`, "role": `{"name":"Spare"}`,
				"user": `{"email":"spare@example.com"}`,
			}[k.Name])
		}
		if _, err := o.e.Do(ctx, o.call, record.Operation{Kind: k, Name: record.Remove, ID: o.ids[k.Name]}); err != nil {
			o.t.Fatalf("delete %s: %v", k.Name, err)
		}
		if slices.Contains(k.Without, "restore") {
			continue
		}
		if _, err := o.e.Do(ctx, o.call, record.Operation{Kind: k, Name: record.Restore, ID: o.ids[k.Name]}); err != nil {
			o.t.Fatalf("restore %s: %v", k.Name, err)
		}
		if _, err := o.call.Get(ctx, k, o.ids[k.Name]); err != nil {
			o.t.Fatalf("get %s: %v", k.Name, err)
		}
	}
}

// searches goes through all fields of all resources: as filters, as orders, and behind references; with and without text; for
// everyone's records and for one's own.
func (o *operator) searches() {
	forms := []string{
		`"filters":[{"field":%q,"operator":"is_set"}]`,
		`"filters":[{"field":%q,"operator":"is_not_set"}],"search_text":"an ann"`,
		`"order_by":%q`,
		`"order_by":%q,"sort_direction":"asc","search_text":"company deal"`,
	}
	for _, reach := range []record.Reach{record.All, record.Own} {
		who := *o.call.Principal
		who.Role = record.Role{Name: "searching", Permissions: map[string]map[record.Verb]record.Reach{}}
		for _, res := range record.Registry.Resources {
			who.Role.Permissions[res.Name] = map[record.Verb]record.Reach{record.Read: reach}
		}
		call := record.Call{Principal: &who}
		for _, k := range record.Kinds() {
			var fields []string
			document, added := call.Resource(k).Document()
			for _, l := range slices.Concat(k.Leaves, added) {
				if l.Writing.BinOnly || document != nil && l == k.Common.CustomFields {
					continue
				}
				fields = append(fields, l.Path)
				if l.Target != nil {
					fields = append(fields, strings.TrimSuffix(l.Path, "_id")+".created_at", strings.TrimSuffix(l.Path, "_id")+".name")
				}
			}
			for _, l := range k.Links {
				fields = append(fields, l.Path)
				id := o.ids[l.Target.Name]
				o.search(call, k, false, fmt.Sprintf(`"filters":[{"field":%q,"operator":"contains","value":%q}]`, l.Path, id))
				o.search(call, k, false, fmt.Sprintf(`"search_text":"an","filters":[{"field":%q,"operator":"nin","values":[%q]}]`, l.Path,
					id))
			}
			// Not all with all, which would take long: each field with two of the forms, by turns in the bin.
			for i, field := range fields {
				o.search(call, k, i%3 == 0, fmt.Sprintf(forms[i%len(forms)], field))
				o.search(call, k, i%3 == 1, fmt.Sprintf(forms[(i+1)%len(forms)], field))
			}
		}
	}
}

// search runs the first two pages of a search that the resource allows.
func (o *operator) search(call record.Call, k *record.Kind, bin bool, text string) {
	ctx := context.Background()
	answer, err := httpapi.AppendList(ctx, o.e, call, k, bin, o.body(`{"limit":1,`+text+`}`), nil)
	if err != nil {
		if strings.Contains(err.Error(), "is not a field of") || strings.Contains(err.Error(), "cannot be sorted by") {
			return
		}
		o.t.Fatalf("search %s %s: %v", k.Plural, text, err)
	}
	_, rest, found := strings.Cut(string(answer), `"next":"`)
	if !found {
		return
	}
	cursor, _, _ := strings.Cut(rest, `"`)
	if _, err := httpapi.AppendList(ctx, o.e, call, k, bin, o.body(`{"limit":1,"cursor":"`+cursor+`",`+text+`}`), nil); err != nil {
		o.t.Fatalf("page 2 of %s %s: %v", k.Plural, text, err)
	}
}

// The check is only worth something if it does refuse.
func TestBoundToBusinessRefuses(t *testing.T) {
	business := schema.IntValue(schema.Integer, 3)
	s := open(t, newSQLite(t))
	var seen []store.Statement
	s.Trace(func(s store.Statement) { seen = append(seen, s) })
	newBusiness(t, newEngine(t, s))
	for _, statement := range seen {
		if statement.Bound() {
			business = statement.Args[0]
		}
	}
	low, high := store.RowRange(business)
	number := func(n int64) schema.Value { return schema.IntValue(schema.Integer, n) }
	bound := []schema.Value{business, number(low), number(high), number(low)}
	elsewhere := []schema.Value{business, number(low), number(high + 1), number(low)}
	for _, tt := range []struct {
		sql  string
		args []schema.Value
		ok   bool
	}{
		{"SELECT t.id FROM contacts t WHERE t.business_id = (?1+0) AND t.id = ?2", bound, true},
		{"SELECT t.id FROM contacts t WHERE t.business_id = $1 AND t.id = $2", bound, true},
		{"SELECT t.id FROM contacts t WHERE t.business_id = $1", nil, false},
		{"SELECT t.id FROM contacts t WHERE t.business_id = $1", []schema.Value{number(low)}, false},
		{"SELECT t.id FROM contacts t WHERE t.business_id = $2 AND t.id = $1", bound, false},
		{"SELECT t.id FROM contacts t WHERE t.business_id = $12", bound, false},
		{"SELECT t.id FROM contacts t WHERE t.id = $2", bound, false},
		{"SELECT t.id FROM contacts t WHERE t.business_id = $1 OR t.id = $2", bound, false},
		{"SELECT t.id FROM contacts t WHERE (t.business_id = $1 OR t.id = $2)", bound, false},
		{"SELECT t.id FROM contacts t WHERE t.business_id = $1 AND (t.id = $2 OR t.id = $3)", bound, true},
		{"SELECT t.id FROM contacts t WHERE NOT t.business_id = $1", bound, false},
		{"SELECT t.id FROM contacts t WHERE t.name = 'WHERE t.business_id = $1'", bound, false},
		{"SELECT t.id FROM contacts t WHERE t.business_id = $1 + 1", bound, false},
		{
			"SELECT t.id FROM contacts t LEFT JOIN companies r0 ON r0.business_id = $1 AND r0.id = t.company_id WHERE t.business_id = $1",
			bound, true,
		},
		{"SELECT t.id FROM contacts t LEFT JOIN companies r0 ON r0.id = t.company_id WHERE t.business_id = $1", bound, false},
		{"SELECT t.id FROM contacts t LEFT JOIN companies r0 ON r0.business_id = t.business_id WHERE t.business_id = $1", bound, false},
		{"SELECT count(*) FROM (SELECT 1 FROM contacts t WHERE t.business_id = $1 LIMIT 9) matches", bound, true},
		{"SELECT count(*) FROM (SELECT 1 FROM contacts t LIMIT 9) matches", bound, false},
		{"SELECT t.id FROM contacts t WHERE t.business_id = $1 AND EXISTS (SELECT 1 FROM deals d WHERE d.contact_id = t.id)", bound, false},
		{"SELECT t.id FROM (SELECT t.rid AS walked FROM contacts t WHERE t.business_id = (?1+0) LIMIT 9) w CROSS JOIN contacts t ON " +
			"t.rid = w.walked", bound, true},
		{"SELECT t.id FROM (SELECT t.rid AS walked FROM contacts t LIMIT 9) w CROSS JOIN contacts t ON t.rid = w.walked", bound, false},
		{"SELECT t.id FROM (SELECT t.rid AS walked FROM contacts t WHERE t.business_id = (?1+0) LIMIT 9) w CROSS JOIN contacts t ON " +
			"t.rid > w.walked", bound, false},
		{"INSERT INTO contacts (business_id, id) VALUES ($1, $2)", bound, true},
		{"INSERT INTO contacts (id, business_id) VALUES ($1, $2)", bound, false},
		{"INSERT INTO contacts (business_id, id) VALUES ($2, $1)", bound, false},
		{"INSERT INTO tally (business_id, name, n) VALUES ($1, $2, $3) ON CONFLICT (business_id, name) DO UPDATE SET n = tally.n + " +
			"excluded.n RETURNING n", bound, true},
		{"INSERT INTO tally (business_id, name, n) VALUES ($1, $2, $3) ON CONFLICT (name) DO UPDATE SET n = tally.n + excluded.n " +
			"RETURNING n", bound, false},
		{"UPDATE contacts SET name = $2 WHERE business_id = $1 AND id = $3", bound, true},
		{"UPDATE contacts SET name = $2 WHERE id = $3", bound, false},
		{"UPDATE contacts SET business_id = $1", bound, false},
		{"DELETE FROM credential WHERE business_id = $1 AND token_id = $2", bound, true},
		{"DELETE FROM credential WHERE token_id = $2", bound, false},
		{"SELECT name FROM business WHERE id = ?1", nil, false},
		{"SELECT business_id FROM business WHERE id = ?1", nil, true},
		{"WITH hit AS MATERIALIZED (SELECT rowid AS rid FROM contacts_fts WHERE contacts_fts MATCH ?4 AND rowid BETWEEN ?2 AND ?3) " +
			"SELECT t.id FROM hit CROSS JOIN contacts t ON t.rid = hit.rid WHERE t.business_id = (?1+0)", bound, true},
		{"WITH hit AS MATERIALIZED (SELECT rowid AS rid FROM contacts_fts WHERE contacts_fts MATCH ?4 AND rowid BETWEEN ?2 AND ?3) " +
			"SELECT t.id FROM hit CROSS JOIN contacts t ON t.rid = hit.rid WHERE t.business_id = (?1+0)", elsewhere, false},
		{"SELECT rowid AS rid FROM contacts_fts WHERE contacts_fts MATCH ?2", bound, false},
		{"DELETE FROM contacts_fts WHERE rowid = ?1", []schema.Value{number(low + 1)}, true},
		{"DELETE FROM contacts_fts WHERE rowid = ?1", []schema.Value{number(high + 2)}, false},
		{"DELETE FROM contacts_fts WHERE rowid > ?1", []schema.Value{number(low + 1)}, false},
		{"INSERT INTO contacts_fts (rowid, doc) VALUES (?1, ?2)", []schema.Value{number(low + 1), business}, true},
		{"INSERT INTO contacts_fts (rowid, doc) VALUES (?1, ?2)", []schema.Value{number(low - 1), business}, false},
		{"SELECT value FROM setting WHERE name = ?1", nil, true},
	} {
		if err := boundToBusiness(store.Statement{SQL: tt.sql, Args: tt.args, Business: business}); (err == nil) != tt.ok {
			t.Errorf("%s: %v, want accepted: %v", tt.sql, err, tt.ok)
		}
	}
}

// erasures removes people for good who have something of everything, empties the bin, and works it off.
func (o *operator) erasures() {
	o.t.Helper()
	ctx := context.Background()
	httpapi.New(o.e, httpapi.Options{}) // which knows what was answered
	for i := range 20 {
		o.create("note", "alone", fmt.Sprintf(`{"body":"Note %d","contact_id":"{contact}"}`, i))
	}
	o.create("association", "lonely", `{"from_id":"{alone}","to_id":"{contact}"}`)
	o.patch("user", "user", `{"status":"suspended"}`)
	for _, name := range []string{"contact", "company", "user"} {
		o.act(name, record.Erase, `{"reason":"asked"}`)
	}
	if _, err := account.ChangeBusiness(ctx, o.e, o.call, nil,
		o.body(`{"logo":"data:image/png;base64,`+
			`iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="}`)); err != nil {
		o.t.Fatal(err)
	}
	if _, _, err := account.Logo(ctx, o.call); err != nil {
		o.t.Fatal(err)
	}
	if _, err := account.ChangeBusiness(ctx, o.e, o.call, nil, o.body(`{"bin_days":1}`)); err != nil {
		o.t.Fatal(err)
	}
	o.act("deal", record.Remove, ``)
	if purged, err := work.EmptyBins(ctx, o.e, time.Now().AddDate(0, 0, 2)); err != nil || len(purged) != 1 {
		o.t.Fatalf("%v were purged, %v", purged, err)
	}
	for more := true; more; {
		var err error
		if more, err = work.WorkOff(ctx, o.e); err != nil {
			o.t.Fatal(err)
		}
	}
}

// duplicates asks for those of one record and for all, and dismisses a pair.
func (o *operator) duplicates() {
	o.t.Helper()
	ctx := context.Background()
	for _, name := range []string{"contact", "company"} {
		k, seen := record.KindOf(name), 0
		o.create(name, name+" twice", `{"name":"Company","phone":"+46 8 123 456","email":"info@example.com"}`)
		o.create(name, name+" thrice", `{"name":"Company","phone":"+46 8 123 456","email":"info@example.com"}`)
		for _, text := range []string{`{}`, `{"id":"{` + name + ` twice}"}`} {
			if _, err := merge.Duplicates(ctx, o.e, o.call, k, o.body(text), func(merge.Pair) { seen++ }); err != nil {
				o.t.Fatal(err)
			}
		}
		if seen < 2 {
			o.t.Errorf("%d duplicates of a %s", seen, name)
		}
		run, err := merge.PlanDismissal(o.e, o.call.Principal, k, o.body(`{"ids":["{`+name+` twice}","{`+name+` thrice}"]}`))
		if err == nil {
			err = o.call.Tenant.Write(ctx, o.call.Actor("request"), run)
		}
		if err != nil {
			o.t.Fatal(err)
		}
	}
}

// merges merges records into each other, asks for what is gone, and takes it back.
func (o *operator) merges() {
	o.t.Helper()
	for _, name := range []string{"contact", "company"} {
		o.create(name, name+" merged", `{"name":"Merged","external_id":"merged","phone":"+46 8 99"}`)
		o.create("task", "task of "+name, `{"title":"Task","`+name+`_id":"{`+name+` merged}"}`)
		o.create("association", "association of "+name, `{"from_id":"{deal}","to_id":"{`+name+` merged}","label":"merged"}`)
		o.act(name, record.Merge, `{"other_id":"{`+name+` merged}"}`)
		k := record.KindOf(name)
		if _, err := o.call.Get(context.Background(), k, o.ids[name+" merged"]); problem.As(err) == nil ||
			problem.As(err).MergedInto != o.ids[name] {
			o.t.Errorf("a merged %s: %v", name, err)
		}
		upsert := record.Operation{
			Kind: k, Name: record.Upsert,
			Body: o.body(`{"match":"external_id","data":{"external_id":"merged","tags":["found"]}}`),
		}
		if rec, err := o.e.Do(context.Background(), o.call, upsert); err != nil || schema.FormatID(name, rec.ID()) != o.ids[name] {
			o.t.Errorf("by its external id the survivor is %v, %v", rec, err)
		}
		o.act(name, record.Unmerge, `{"other_id":"{`+name+` merged}"}`)
	}
}
