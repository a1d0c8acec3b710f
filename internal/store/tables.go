package store

import (
	"slices"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/layout"
)

// required and optional are columns that have a value always, or not.
func required(name string, kind schema.Kind) engine.Column {
	return engine.Column{Name: name, Kind: kind, NotNull: true}
}

func optional(name string, kind schema.Kind) engine.Column {
	return engine.Column{Name: name, Kind: kind}
}

// tables lists everything that the store keeps: the system's own tables and one for each resource.
func tables(reg *schema.Registry) []engine.Table {
	all := []engine.Table{
		{
			Name:        "setting",
			Columns:     []engine.Column{required("name", schema.Text), required("value", engine.KindBytes)},
			Primary:     []string{"name"},
			InDirectory: true,
		},
		{
			// attempt counts what may happen only so often, for all servers together: when a key, of which it has a keyed hash, has
			// everything back.
			Name:        "attempt",
			Columns:     []engine.Column{required("hash", engine.KindBytes), required("full_at", schema.Time)},
			Primary:     []string{"hash"},
			Indexes:     []engine.Index{{Name: "attempt_full", Columns: []string{"full_at"}}},
			InDirectory: true,
		},
		{
			Name: "business",
			Columns: []engine.Column{
				required("business_id", engine.KindTenant),
				required("id", schema.ID),
				required("name", schema.Text),
				required("currency", schema.Text),
				required("change_seq", schema.Integer),
				required("created_at", schema.Time),
				optional("timezone", schema.Text),
				optional("locale", schema.Text),
				optional("updated_at", schema.Time),
				optional("version", schema.Integer),
				optional("clock", schema.Time),
				optional("figured_seq", schema.Integer),
				optional("shape_seq", schema.Integer),
				optional("bin_days", schema.Integer),
				optional("address", schema.LongText),
				optional("tax_id", schema.Text),
				optional("quote_terms", schema.LongText),
				optional("quote_footer", schema.LongText),
				optional("login_issuer", schema.Text),
				optional("login_client_id", schema.Text),
				optional("login_client_secret", schema.Text),
				optional("login_domains", schema.Tags),
				optional("login_role_id", schema.ID),
				optional("login_required", schema.Bool),
				optional("login_trusted", schema.Bool),
				optional("logo", schema.Text),
			},
			Primary: []string{"business_id"},
			Indexes: []engine.Index{{Name: "business_by_id", Columns: []string{"id"}}},
		},
		{
			// tally holds the maintained counts of live and deleted records, and the counters of numbered ones. The others are
			// PostgreSQL's: how many records were ever made, the latest created_at among them, and the text range for the next, see
			// postgres_text_range.go.
			Name: "tally",
			Columns: []engine.Column{
				required("business_id", engine.KindTenant),
				required("name", schema.Text),
				required("n", schema.Integer),
				optional("made", schema.Integer),
				optional("latest", schema.Integer),
				optional("shelf", schema.Integer),
			},
			Primary:    []string{"business_id", "name"},
			OwnColumns: []string{"made", "latest", "shelf"},
		},
		{
			// text range lists the text ranges on which PostgreSQL's records stand, but for the first, see postgres_text_range.go.
			Name: "shelf",
			Columns: []engine.Column{
				required("business_id", engine.KindTenant), required("resource", schema.Text),
				required("start", schema.Integer),
			},
			Primary: []string{"business_id", "resource", "start"},
			Own:     true,
		},
		{
			Name: "change",
			Columns: []engine.Column{
				required("business_id", engine.KindTenant),
				required("seq", schema.Integer),
				required("resource", schema.Text),
				required("record_id", schema.ID),
				required("version", schema.Integer),
				required("action", schema.Text),
				required("at", schema.Time),
				optional("user_id", schema.ID),
				optional("token_id", schema.ID),
				optional("app_id", schema.ID),
				optional("client_id", schema.Text),
				optional("request_id", schema.Text),
				required("changes", schema.Document),
			},
			Primary: []string{"business_id", "seq"},
			Indexes: []engine.Index{{Name: "change_record", Columns: []string{"business_id", "resource", "record_id", "seq"}}},
			Spread:  true,
			Long:    true,
		},
		{
			// answer holds what requests with an idempotency key were answered, see package queue.
			Name: "answer",
			Columns: []engine.Column{
				required("business_id", engine.KindTenant),
				required("hash", engine.KindBytes),
				required("at", schema.Time),
				required("fingerprint", engine.KindBytes),
				required("status", schema.Integer),
				optional("etag", schema.Text),
				optional("location", schema.Text),
				optional("body", engine.KindBytes),
			},
			Primary: []string{"business_id", "hash"},
			Long:    true,
		},
		matchTable(), notTwinsTable(), erasureTable(), mergedTable(), mergedReferenceTable(), addedReferenceTable(),
		{
			Name: "password",
			Columns: []engine.Column{
				required("business_id", engine.KindTenant),
				required("user_id", schema.ID),
				required("hash", schema.Text),
				required("set_at", schema.Time),
			},
			Primary: []string{"business_id", "user_id"},
		},
		{
			// factor has what users prove themselves with beside the password.
			Name: "factor",
			Columns: []engine.Column{
				required("business_id", engine.KindTenant),
				required("user_id", schema.ID),
				required("id", schema.ID),
				required("kind", schema.Text),
				optional("name", schema.Text),
				required("data", schema.Document),
				required("created_at", schema.Time),
				optional("used_at", schema.Time),
			},
			Primary: []string{"business_id", "user_id", "id"},
		},
		{
			// identity finds the businesses in which an e-mail address can log in. Like credential and client it is not reached
			// through a business, because it is what tells the business.
			Name: "identity",
			Columns: []engine.Column{
				required("email_key", schema.Text), required("business_id", engine.KindTenant),
				required("user_id", schema.ID),
			},
			Primary:     []string{"email_key", "business_id"},
			InDirectory: true,
		},
		{
			// business_logo is the picture of a business.
			Name:    "business_logo",
			Columns: []engine.Column{required("business_id", engine.KindTenant), required("picture", engine.KindBytes)},
			Primary: []string{"business_id"},
		},
		{
			// login_domain finds the businesses whose identity provider knows the addresses of a domain.
			Name:        "login_domain",
			Columns:     []engine.Column{required("domain", schema.Text), required("business_id", engine.KindTenant)},
			Primary:     []string{"domain", "business_id"},
			InDirectory: true,
			Indexes:     []engine.Index{{Name: "login_domain_of_business", Columns: []string{"business_id"}}},
		},
		{
			// login_secret is what a business shows to its identity provider.
			Name:    "login_secret",
			Columns: []engine.Column{required("business_id", engine.KindTenant), required("data", schema.Document)},
			Primary: []string{"business_id"},
		},
		{
			// credential holds the hash of everything secret that someone can present: tokens, codes, session cookies, links.
			Name: "credential",
			Columns: []engine.Column{
				required("hash", engine.KindBytes),
				required("kind", schema.Text),
				required("business_id", engine.KindTenant),
				required("user_id", schema.ID),
				required("parent_id", schema.ID),
				optional("scopes", schema.Text),
				required("created_at", schema.Time),
				optional("expires_at", schema.Time),
				optional("used_at", schema.Time),
				optional("data", schema.Document),
			},
			Primary: []string{"hash"},
			Indexes: []engine.Index{
				{Name: "credential_parent", Columns: []string{"business_id", "parent_id"}},
				{Name: "credential_user", Columns: []string{"business_id", "user_id"}},
				{Name: "credential_expiry", Columns: []string{"expires_at"}, Where: "expires_at IS NOT NULL"},
			},
		},
		{
			// old_secret tells the business of secrets that do not name it, where credentials lie on several machines, see
			// postgres_citus.go.
			Name: "old_secret",
			Columns: []engine.Column{
				required("hash", engine.KindBytes), required("business_id", engine.KindTenant),
				optional("expires_at", schema.Time),
			},
			Primary:     []string{"hash"},
			InDirectory: true,
			Own:         true,
		},
		{
			Name: "session",
			Columns: []engine.Column{
				required("business_id", engine.KindTenant),
				required("id", schema.ID),
				required("user_id", schema.ID),
				required("created_at", schema.Time),
				required("seen_at", schema.Time),
				optional("confirmed_at", schema.Time),
				optional("agent", schema.Text),
				optional("address", schema.Text),
			},
			Primary: []string{"business_id", "id"},
			Indexes: []engine.Index{{Name: "session_of_user", Columns: []string{"business_id", "user_id"}}},
		},
		{
			// access_grant is what a user allowed an app: it owns the app's code and tokens.
			Name: "access_grant",
			Columns: []engine.Column{
				required("business_id", engine.KindTenant),
				required("id", schema.ID),
				required("user_id", schema.ID),
				required("client_id", schema.Text),
				required("client_name", schema.Text),
				required("scopes", schema.Text),
				required("created_at", schema.Time),
				optional("used_at", schema.Time),
			},
			Primary: []string{"business_id", "id"},
			Indexes: []engine.Index{{Name: "access_grant_user", Columns: []string{"business_id", "user_id"}}},
		},
		{
			// client lists every OAuth client: those that registered themselves, with their metadata, and the apps of businesses,
			// which point to their record.
			Name: "client",
			Columns: []engine.Column{
				required("client_id", schema.Text),
				optional("business_id", engine.KindTenant),
				optional("app_id", schema.ID),
				optional("secret_hash", engine.KindBytes),
				optional("registration_hash", engine.KindBytes),
				required("metadata", schema.Document),
				required("created_at", schema.Time),
				optional("used_at", schema.Time),
			},
			Primary:     []string{"client_id"},
			InDirectory: true,
			Indexes:     []engine.Index{{Name: "client_created", Columns: []string{"created_at"}}},
		},
	}
	if reg.Audit != nil {
		all = append(all, auditTable(reg.Audit), auditHeadTable())
	}
	for _, res := range reg.Resources {
		all = append(all, recordTable(res))
		if layout.KeepsFigures(res) {
			all = append(all, figureTable(res))
		}
		if len(res.EndLeaves) > 0 {
			all = append(all, endTable(res))
		}
	}
	for _, p := range reg.ListItems {
		all = append(all, listItemTable(p))
	}
	return slices.Concat(all, customEntryTables(), []engine.Table{indexWorkTable()}, jobTables(), importTables(), hookTables())
}

func recordTable(res *schema.Resource) engine.Table {
	t := engine.Table{Name: res.Plural, Primary: []string{"business_id", "id"}, Spread: !res.Small, Searched: true}
	t.Columns = append(t.Columns, required("business_id", engine.KindTenant))
	add := func(suffix, where string, unique bool, matches int, columns ...string) {
		t.Indexes = append(t.Indexes, engine.Index{
			Name: res.Name + "_" + suffix, Columns: append([]string{"business_id"}, columns...),
			Unique: unique, Where: where, Matches: matches,
		})
	}
	for _, l := range res.Leaves {
		t.Columns = append(t.Columns, engine.Column{Name: l.Column.Name, Kind: l.Kind, NotNull: l.Required && l.ReadOnly})
		if l.Key != "" {
			t.Columns = append(t.Columns, optional(l.Key, schema.Text))
		}
		at := layout.SortColumn(l)
		var beside []string
		if l.Beside != "" {
			beside = []string{layout.SortColumn(res.Must(l.Beside))}
		}
		switch {
		case l.Unique && l.Exact:
			add(l.Column.Name, engine.Live, true, 1, l.Key, l.Column.Name)
		case l.Unique:
			add(l.Column.Name, engine.Live, true, 1, at)
		}
		if l.Sorted {
			add(l.Column.Name+"_order", engine.Live, false, 10, at, "id")
		}
		if l.Indexed {
			matches := 100
			if l.Kind == schema.Choice || l.Kind == schema.Bool {
				matches = 2000
			}
			add(filterIndex(l), engine.Live, false, matches, append([]string{at, "created_at", "id"}, beside...)...)
		}
		if l.Timeline && res.HappensAt != res.Common.CreatedAt {
			add(layout.TimelineIndex(l), engine.Live, false, 100, at, res.HappensAt.Column.Name, "id")
		}
		if l.Follows() {
			add(binIndex(l), "deleted_at IS NOT NULL", false, 1, at)
		}
		if l.Recent {
			add(l.Column.Name+"_recent", engine.Live, false, 100, at, "updated_at", "id")
		}
		if l.Named {
			add(l.Column.Name+"_named", engine.Live, false, 100,
				append([]string{at, layout.SortColumn(res.Must(schema.NameField)), "id"}, beside...)...)
		}
	}
	add("bin", "deleted_at IS NOT NULL", false, 1, "deleted_at", "id")
	if len(res.Summed) > 0 {
		var columns []string
		for _, path := range res.Summed {
			columns = append(columns, res.Must(path).Column.Name)
		}
		add(layout.SummedIndex, engine.Live, false, engine.BusinessRows, columns...)
		t.Indexes[len(t.Indexes)-1].Scanned = true
	}
	t.Columns = append(t.Columns, required("search_doc", schema.Text))
	return t
}

// filterIndex ends the name of the index that has the records with one value of a leaf in the order of their creation.
func filterIndex(l *schema.Leaf) string { return l.Column.Name + "_filter" }

// binIndex ends the name of the index by which deleted records are found that refer to one which is merged.
func binIndex(l *schema.Leaf) string { return l.Column.Name + "_bin" }

// Render gives the statements that make all tables fresh in the dialect of sqlite or postgres.
func Render(reg *schema.Registry, engine string) []string {
	d := dialectOf(engine)
	out := d.Before()
	for _, t := range tables(reg) {
		out = append(out, d.Create(t)...)
	}
	return append(out, d.After()...)
}

// Evolve gives the statements that bring a database with the existing columns and indexes (by table) to the declarations.
// Columns that are no longer declared stay, so that a running older server survives.
func Evolve(reg *schema.Registry, engine string, columns, indexes map[string][]string) []string {
	if len(columns) == 0 {
		return Render(reg, engine)
	}
	d := dialectOf(engine)
	var out []string
	for _, t := range tables(reg) {
		have, ok := columns[t.Name]
		if !ok {
			out = append(out, d.Create(t)...)
			continue
		}
		for _, c := range t.Columns {
			if !slices.Contains(have, c.Name) {
				c.NotNull = false // existing rows have no value for it
				out = append(out, "ALTER TABLE "+t.Name+" ADD COLUMN "+t.Column(d, c))
			}
		}
		declared := []string{t.Name + "_id", t.Name + "_search"}
		for _, i := range t.Indexes {
			declared = append(declared, i.Name)
			if !slices.Contains(indexes[t.Name], i.Name) {
				out = append(out, d.CreateIndex(t, i)...)
			}
		}
		for _, name := range indexes[t.Name] {
			if !slices.Contains(declared, name) {
				out = append(out, "DROP INDEX "+name)
			}
		}
	}
	if len(out) > 0 {
		out = append(out, d.After()...)
	}
	return out
}
