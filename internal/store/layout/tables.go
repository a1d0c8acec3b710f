package layout

import (
	"slices"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

// Tables lists everything that the store keeps: the system's own tables and one for each resource.
func Tables(reg *schema.Registry) []engine.Table {
	all := slices.Concat(systemTables(reg.Business), []engine.Table{
		matchTable(), notTwinsTable(), erasureTable(), mergedTable(), mergedReferenceTable(), addedReferenceTable(),
	}, accessTables())
	if reg.Audit != nil {
		all = append(all, auditTable(reg.Audit), auditHeadTable())
	}
	for _, res := range reg.Resources {
		all = append(all, recordTable(res))
		if KeepsFigures(res) {
			all = append(all, figures(res))
		}
		if len(res.EndLeaves) > 0 {
			all = append(all, ends(res))
		}
	}
	for _, p := range reg.ListItems {
		all = append(all, listItemTable(p))
	}
	return slices.Concat(all, customEntryTables(), []engine.Table{customIndexWork()}, jobTables(), importTables(), hookTables())
}

// systemTables are those of the database and of the businesses themselves, with what is counted and logged of their records.
func systemTables(business *schema.Resource) []engine.Table {
	return []engine.Table{
		{
			Name:        "setting",
			Columns:     []engine.Column{engine.Required("name", schema.Text), engine.Required("value", engine.KindBytes)},
			Primary:     []string{"name"},
			InDirectory: true,
		},
		{
			// attempt counts what may happen only so often, for all servers together: when a key, of which it has a keyed hash, has
			// everything back.
			Name:        "attempt",
			Columns:     []engine.Column{engine.Required("hash", engine.KindBytes), engine.Required("full_at", schema.Time)},
			Primary:     []string{"hash"},
			Indexes:     []engine.Index{{Name: "attempt_full", Columns: []string{"full_at"}}},
			InDirectory: true,
		},
		businessTable(business),
		{
			// tally holds the maintained counts of live and deleted records, and the counters of numbered ones. The others are
			// PostgreSQL's: how many records were ever made, the latest created_at among them, and the text range for the next, see
			// postgres_text_range.go.
			Name: "tally",
			Columns: []engine.Column{
				engine.Required("business_id", engine.KindTenant),
				engine.Required("name", schema.Text),
				engine.Required("n", schema.Integer),
				engine.Optional("made", schema.Integer),
				engine.Optional("latest", schema.Integer),
				engine.Optional("shelf", schema.Integer),
			},
			Primary:    []string{"business_id", "name"},
			OwnColumns: []string{"made", "latest", "shelf"},
		},
		{
			// text range lists the text ranges on which PostgreSQL's records stand, but for the first, see postgres_text_range.go.
			Name: "shelf",
			Columns: []engine.Column{
				engine.Required("business_id", engine.KindTenant), engine.Required("resource", schema.Text),
				engine.Required("start", schema.Integer),
			},
			Primary: []string{"business_id", "resource", "start"},
			Own:     true,
		},
		{
			Name: "change",
			Columns: []engine.Column{
				engine.Required("business_id", engine.KindTenant),
				engine.Required("seq", schema.Integer),
				engine.Required("resource", schema.Text),
				engine.Required("record_id", schema.ID),
				engine.Required("version", schema.Integer),
				engine.Required("action", schema.Text),
				engine.Required("at", schema.Time),
				engine.Optional("user_id", schema.ID),
				engine.Optional("token_id", schema.ID),
				engine.Optional("app_id", schema.ID),
				engine.Optional("client_id", schema.Text),
				engine.Optional("request_id", schema.Text),
				engine.Required("changes", schema.Document),
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
				engine.Required("business_id", engine.KindTenant),
				engine.Required("hash", engine.KindBytes),
				engine.Required("at", schema.Time),
				engine.Required("fingerprint", engine.KindBytes),
				engine.Required("status", schema.Integer),
				engine.Optional("etag", schema.Text),
				engine.Optional("location", schema.Text),
				engine.Optional("body", engine.KindBytes),
			},
			Primary: []string{"business_id", "hash"},
			Long:    true,
		},
	}
}

// accessTables are those of package keep: what lets somebody in.
func accessTables() []engine.Table {
	return []engine.Table{
		{
			Name: "password",
			Columns: []engine.Column{
				engine.Required("business_id", engine.KindTenant),
				engine.Required("user_id", schema.ID),
				engine.Required("hash", schema.Text),
				engine.Required("set_at", schema.Time),
			},
			Primary: []string{"business_id", "user_id"},
		},
		{
			// factor has what users prove themselves with beside the password.
			Name: "factor",
			Columns: []engine.Column{
				engine.Required("business_id", engine.KindTenant),
				engine.Required("user_id", schema.ID),
				engine.Required("id", schema.ID),
				engine.Required("kind", schema.Text),
				engine.Optional("name", schema.Text),
				engine.Required("data", schema.Document),
				engine.Required("created_at", schema.Time),
				engine.Optional("used_at", schema.Time),
			},
			Primary: []string{"business_id", "user_id", "id"},
		},
		{
			// identity finds the businesses in which an e-mail address can log in. Like credential and client it is not reached
			// through a business, because it is what tells the business.
			Name: "identity",
			Columns: []engine.Column{
				engine.Required("email_key", schema.Text), engine.Required("business_id", engine.KindTenant),
				engine.Required("user_id", schema.ID),
			},
			Primary:     []string{"email_key", "business_id"},
			InDirectory: true,
		},
		{
			// business_logo is the picture of a business.
			Name:    "business_logo",
			Columns: []engine.Column{engine.Required("business_id", engine.KindTenant), engine.Required("picture", engine.KindBytes)},
			Primary: []string{"business_id"},
		},
		{
			// login_domain finds the businesses whose identity provider knows the addresses of a domain.
			Name:        "login_domain",
			Columns:     []engine.Column{engine.Required("domain", schema.Text), engine.Required("business_id", engine.KindTenant)},
			Primary:     []string{"domain", "business_id"},
			InDirectory: true,
			Indexes:     []engine.Index{{Name: "login_domain_of_business", Columns: []string{"business_id"}}},
		},
		{
			// login_secret is what a business shows to its identity provider.
			Name:    "login_secret",
			Columns: []engine.Column{engine.Required("business_id", engine.KindTenant), engine.Required("data", schema.Document)},
			Primary: []string{"business_id"},
		},
		{
			// credential holds the hash of everything secret that someone can present: tokens, codes, session cookies, links.
			Name: "credential",
			Columns: []engine.Column{
				engine.Required("hash", engine.KindBytes),
				engine.Required("kind", schema.Text),
				engine.Required("business_id", engine.KindTenant),
				engine.Required("user_id", schema.ID),
				engine.Required("parent_id", schema.ID),
				engine.Optional("scopes", schema.Text),
				engine.Required("created_at", schema.Time),
				engine.Optional("expires_at", schema.Time),
				engine.Optional("used_at", schema.Time),
				engine.Optional("data", schema.Document),
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
				engine.Required("hash", engine.KindBytes), engine.Required("business_id", engine.KindTenant),
				engine.Optional("expires_at", schema.Time),
			},
			Primary:     []string{"hash"},
			InDirectory: true,
			Own:         true,
		},
		{
			Name: "session",
			Columns: []engine.Column{
				engine.Required("business_id", engine.KindTenant),
				engine.Required("id", schema.ID),
				engine.Required("user_id", schema.ID),
				engine.Required("created_at", schema.Time),
				engine.Required("seen_at", schema.Time),
				engine.Optional("confirmed_at", schema.Time),
				engine.Optional("agent", schema.Text),
				engine.Optional("address", schema.Text),
			},
			Primary: []string{"business_id", "id"},
			Indexes: []engine.Index{{Name: "session_of_user", Columns: []string{"business_id", "user_id"}}},
		},
		{
			// access_grant is what a user allowed an app: it owns the app's code and tokens.
			Name: "access_grant",
			Columns: []engine.Column{
				engine.Required("business_id", engine.KindTenant),
				engine.Required("id", schema.ID),
				engine.Required("user_id", schema.ID),
				engine.Required("client_id", schema.Text),
				engine.Required("client_name", schema.Text),
				engine.Required("scopes", schema.Text),
				engine.Required("created_at", schema.Time),
				engine.Optional("used_at", schema.Time),
			},
			Primary: []string{"business_id", "id"},
			Indexes: []engine.Index{{Name: "access_grant_user", Columns: []string{"business_id", "user_id"}}},
		},
		{
			// client lists every OAuth client: those that registered themselves, with their metadata, and the apps of businesses,
			// which point to their record.
			Name: "client",
			Columns: []engine.Column{
				engine.Required("client_id", schema.Text),
				engine.Optional("business_id", engine.KindTenant),
				engine.Optional("app_id", schema.ID),
				engine.Optional("secret_hash", engine.KindBytes),
				engine.Optional("registration_hash", engine.KindBytes),
				engine.Required("metadata", schema.Document),
				engine.Required("created_at", schema.Time),
				engine.Optional("used_at", schema.Time),
			},
			Primary:     []string{"client_id"},
			InDirectory: true,
			Indexes:     []engine.Index{{Name: "client_created", Columns: []string{"created_at"}}},
		},
	}
}

// businessTable is the table of the businesses: what is declared of them, and where the log, the clock and the shape of each are.
func businessTable(business *schema.Resource) engine.Table {
	t := engine.Table{
		Name: "business", Primary: []string{"business_id"}, Indexes: []engine.Index{{Name: "business_by_id", Columns: []string{"id"}}},
		Columns: []engine.Column{
			engine.Required("business_id", engine.KindTenant), engine.Required("change_seq", schema.Integer),
			engine.Optional("clock", schema.Time), engine.Optional("figured_seq", schema.Integer),
			engine.Optional("shape_seq", schema.Integer),
		},
	}
	for _, l := range business.Leaves {
		later := l.Column.Name == "updated_at" || l.Column.Name == "version" // businesses were there before these
		t.Columns = append(t.Columns, engine.Column{Name: l.Column.Name, Kind: l.Kind, NotNull: l.Required && !later})
	}
	return t
}

// recordTable is the table of a resource's records.
func recordTable(res *schema.Resource) engine.Table {
	t := engine.Table{Name: res.Plural, Primary: []string{"business_id", "id"}, Spread: !res.Storage.Small, Searched: true}
	t.Columns = append(t.Columns, engine.Required("business_id", engine.KindTenant))
	add := func(suffix, where string, unique bool, matches int, columns ...string) {
		t.Indexes = append(t.Indexes, engine.Index{
			Name: res.Name + "_" + suffix, Columns: append([]string{"business_id"}, columns...),
			Unique: unique, Where: where, Matches: matches,
		})
	}
	for _, l := range res.Leaves {
		t.Columns = append(t.Columns, engine.Column{Name: l.Column.Name, Kind: l.Kind, NotNull: l.Required && l.ReadOnly})
		if l.Key != "" {
			t.Columns = append(t.Columns, engine.Optional(l.Key, schema.Text))
		}
		at := SortColumn(l)
		var beside []string
		if l.Find.Beside != "" {
			beside = []string{SortColumn(res.Must(l.Find.Beside))}
		}
		switch {
		case l.Identity.Unique && l.Identity.Exact:
			add(l.Column.Name, engine.Live, true, 1, l.Key, l.Column.Name)
		case l.Identity.Unique:
			add(l.Column.Name, engine.Live, true, 1, at)
		}
		if l.Find.Sorted {
			add(l.Column.Name+"_order", engine.Live, false, 10, at, "id")
		}
		if l.Find.Indexed {
			matches := 100
			if l.Kind == schema.Choice || l.Kind == schema.Bool {
				matches = 2000
			}
			add(FilterIndex(l), engine.Live, false, matches, append([]string{at, "created_at", "id"}, beside...)...)
		}
		if l.Ref.Timeline && res.HappensAt != res.Common.CreatedAt {
			add(TimelineIndex(l), engine.Live, false, 100, at, res.HappensAt.Column.Name, "id")
		}
		if l.Follows() {
			add(BinIndex(l), "deleted_at IS NOT NULL", false, 1, at)
		}
		if l.Find.Recent {
			add(l.Column.Name+"_recent", engine.Live, false, 100, at, "updated_at", "id")
		}
		if l.Find.Named {
			add(l.Column.Name+"_named", engine.Live, false, 100,
				append([]string{at, SortColumn(res.Must(schema.NameField)), "id"}, beside...)...)
		}
	}
	add("bin", "deleted_at IS NOT NULL", false, 1, "deleted_at", "id")
	if len(res.Storage.Summed) > 0 {
		var columns []string
		for _, path := range res.Storage.Summed {
			columns = append(columns, res.Must(path).Column.Name)
		}
		add(SummedIndex, engine.Live, false, engine.BusinessRows, columns...)
		t.Indexes[len(t.Indexes)-1].Scanned = true
	}
	t.Columns = append(t.Columns, engine.Required("search_doc", schema.Text))
	return t
}
