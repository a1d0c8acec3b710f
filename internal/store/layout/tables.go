package layout

import (
	"slices"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/engine"
)

// Tables lists everything that the store keeps: the system's own tables and one for each resource.
func Tables(reg *schema.Registry) []engine.Table {
	all := slices.Concat(systemTables(reg.Business), mergeTables(), accessTables())
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
	sent := []engine.Table{sentTable("notification_mail"), sentTable("notification_push")}
	return slices.Concat(all, customEntryTables(), []engine.Table{customIndexWork()}, sent, jobTables(), importTables(), hookTables())
}

// systemTables are those of the database and of the businesses themselves, with what is counted and logged of their records.
func systemTables(business *schema.Resource) []engine.Table {
	return []engine.Table{
		{
			Name:        "setting",
			Columns:     columns("name text, value bytes"),
			Primary:     []string{"name"},
			InDirectory: true,
		},
		{
			// attempt counts what may happen only so often, for all servers together: when a key, of which it has a keyed hash, has
			// everything back.
			Name:        "attempt",
			Columns:     columns("hash bytes, full_at time"),
			Primary:     []string{"hash"},
			Indexes:     []engine.Index{{Name: "attempt_full", Columns: []string{"full_at"}}},
			InDirectory: true,
		},
		businessTable(business),
		{
			// tally holds the maintained counts of live and deleted records, and the counters of numbered ones. The others are
			// PostgreSQL's: how many records were ever made, the latest created_at among them, and the text range for the next, see
			// postgres_text_range.go.
			Name:       "tally",
			Columns:    columns("business_id business, name text, n integer, made integer?, latest integer?, shelf integer?"),
			Primary:    []string{"business_id", "name"},
			OwnColumns: []string{"made", "latest", "shelf"},
		},
		{
			// text range lists the text ranges on which PostgreSQL's records stand, but for the first, see postgres_text_range.go.
			Name:    "shelf",
			Columns: columns("business_id business, resource text, start integer"),
			Primary: []string{"business_id", "resource", "start"},
			Own:     true,
		},
		{
			Name: "change",
			Columns: columns(`
				business_id business, seq integer, resource text, record_id id, version integer, action text, at time, user_id id?,
				token_id id?, app_id id?, client_id text?, request_id text?, changes document`),
			Primary: []string{"business_id", "seq"},
			Indexes: []engine.Index{{Name: "change_record", Columns: []string{"business_id", "resource", "record_id", "seq"}}},
			Spread:  true,
			Long:    true,
		},
		{
			// answer holds what requests with an idempotency key were answered, see package queue.
			Name: "answer",
			Columns: columns(`
				business_id business, hash bytes, at time, fingerprint bytes, status integer, etag text?, location text?, body bytes?`),
			Primary: []string{"business_id", "hash"},
			Long:    true,
		},
	}
}

// accessTables are those of package keep: what lets somebody in.
func accessTables() []engine.Table {
	return []engine.Table{
		{
			Name:    "password",
			Columns: columns("business_id business, user_id id, hash text, set_at time"),
			Primary: []string{"business_id", "user_id"},
		},
		{
			// factor has what users prove themselves with beside the password.
			Name: "factor",
			Columns: columns(`
				business_id business, user_id id, id id, kind text, name text?, data document, created_at time, used_at time?`),
			Primary: []string{"business_id", "user_id", "id"},
		},
		{
			// identity finds the businesses in which an e-mail address can log in. Like credential and client it is not reached
			// through a business, because it is what tells the business.
			Name:        "identity",
			Columns:     columns("email_key text, business_id business, user_id id"),
			Primary:     []string{"email_key", "business_id"},
			InDirectory: true,
		},
		{
			// business_logo is the picture of a business.
			Name:    "business_logo",
			Columns: columns("business_id business, picture bytes"),
			Primary: []string{"business_id"},
		},
		{
			// login_domain finds the businesses whose identity provider knows the addresses of a domain.
			Name:        "login_domain",
			Columns:     columns("domain text, business_id business"),
			Primary:     []string{"domain", "business_id"},
			InDirectory: true,
			Indexes:     []engine.Index{{Name: "login_domain_of_business", Columns: []string{"business_id"}}},
		},
		{
			// login_secret is what a business shows to its identity provider.
			Name:    "login_secret",
			Columns: columns("business_id business, data document"),
			Primary: []string{"business_id"},
		},
		{
			// credential holds the hash of everything secret that someone can present: tokens, codes, session cookies, links.
			Name: "credential",
			Columns: columns(`
				hash bytes, kind text, business_id business, user_id id, parent_id id, scopes text?, created_at time, expires_at time?,
				used_at time?, data document?`),
			Primary: []string{"hash"},
			Indexes: []engine.Index{
				{Name: "credential_parent", Columns: []string{"business_id", "parent_id"}},
				{Name: "credential_user", Columns: []string{"business_id", "user_id"}},
				{Name: "credential_expiry", Columns: []string{"expires_at"}, Where: "expires_at IS NOT NULL"},
			},
		},
		{
			// old_secret tells the business of secrets that do not name it, where credentials lie on several machines, see
			// postgres/citus.go.
			Name:        "old_secret",
			Columns:     columns("hash bytes, business_id business, expires_at time?"),
			Primary:     []string{"hash"},
			InDirectory: true,
			Own:         true,
		},
		{
			Name: "session",
			Columns: columns(`
				business_id business, id id, user_id id, created_at time, seen_at time, confirmed_at time?, agent text?, address text?,
				push text?`),
			Primary: []string{"business_id", "id"},
			Indexes: []engine.Index{{Name: "session_of_user", Columns: []string{"business_id", "user_id"}}},
		},
		{
			// access_grant is what a user allowed an app: it owns the app's code and tokens.
			Name: "access_grant",
			Columns: columns(`
				business_id business, id id, user_id id, client_id text, client_name text, scopes text, created_at time, used_at time?`),
			Primary: []string{"business_id", "id"},
			Indexes: []engine.Index{{Name: "access_grant_user", Columns: []string{"business_id", "user_id"}}},
		},
		{
			// client lists every OAuth client: those that registered themselves, with their metadata, and the apps of businesses,
			// which point to their record.
			Name: "client",
			Columns: columns(`
				client_id text, business_id business?, app_id id?, secret_hash bytes?, registration_hash bytes?, metadata document,
				created_at time, used_at time?`),
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
		Columns: columns("business_id business, change_seq integer, clock time?, figured_seq integer?, shape_seq integer?"),
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
	t.Columns = columns("business_id business")
	add := func(suffix, where string, unique bool, matches int, columns ...string) {
		t.Indexes = append(t.Indexes, engine.Index{
			Name: res.Name + "_" + suffix, Columns: append([]string{"business_id"}, columns...),
			Unique: unique, Where: where, Matches: matches,
		})
	}
	for _, l := range res.Leaves {
		t.Columns = append(t.Columns, engine.Column{Name: l.Column.Name, Kind: l.Kind, NotNull: l.Required && l.ReadOnly})
		if l.Key != "" {
			t.Columns = append(t.Columns, engine.Column{Name: l.Key, Kind: schema.Text})
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
		if l.Follows() || l.Ref.With {
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
	t.Columns = append(t.Columns, columns("search_doc text")...)
	return t
}

// FigureNumbers are the columns of numbers: how many records there are, and for each field that is added up how many have a value,
// and the sums of the upper and of the lower bits, see LowBits.
func FigureNumbers(res *schema.Resource) []string {
	columns := []string{"n"}
	for _, l := range res.Storage.Figures.Sums {
		columns = append(columns, l.Column.Name+"_n", l.Column.Name+"_high", l.Column.Name+"_low")
	}
	return columns
}

// figures has a row for each combination of keys. Since keys may be absent, and absent values are never equal, place says which
// row it is.
func figures(res *schema.Resource) engine.Table {
	t := engine.Table{
		Name:    FigureTable(res),
		Columns: columns("business_id business, place bytes"),
		Primary: []string{"business_id", "place"},
	}
	for _, l := range res.Storage.Figures.Keys {
		t.Columns = append(t.Columns, engine.Column{Name: l.Column.Name, Kind: l.Kind})
	}
	for _, name := range FigureNumbers(res) {
		t.Columns = append(t.Columns, columns(name+" integer")...)
	}
	return t
}

// EndColumns are those of the key, behind the business.
var EndColumns = []string{"near", "far", "live", "near_id", "far_id", "link_id"}

// ends has each link twice, once as either end sees it.
func ends(via *schema.Resource) engine.Table {
	return engine.Table{
		Name:    EndTable(via),
		Columns: columns("business_id business, near text, far text, live integer, near_id id, far_id id, link_id id"),
		Primary: append([]string{"business_id"}, EndColumns...),
		Indexes: []engine.Index{{Name: EndTable(via) + "_link", Columns: []string{"business_id", "link_id"}}},
	}
}

// auditTable has the lines of the audit log.
func auditTable(line *schema.Resource) engine.Table {
	t := engine.Table{
		Name: line.Plural, Columns: columns("business_id business"),
		Primary: []string{"business_id", "seq"},
	}
	for _, l := range line.Leaves {
		t.Columns = append(t.Columns, engine.Column{Name: l.Column.Name, Kind: l.Kind, NotNull: l.Required})
		if l.Find.Indexed {
			columns := []string{"business_id", l.Column.Name, "created_at", "id"}
			t.Indexes = append(t.Indexes, engine.Index{
				Name: line.Name + "_" + l.Column.Name, Columns: slices.Compact(columns),
				Matches: 100,
			})
		}
	}
	// The address is what a line has of a person. Of it the chain has a digest, so that it can be forgotten and the chain still holds.
	t.Columns = append(t.Columns, columns("address_salt bytes?, address_digest bytes?")...)
	return t
}

// auditHeadTable tells where the audit log of a business ends.
func auditHeadTable() engine.Table {
	return engine.Table{
		Name:    "audit_head",
		Columns: columns("business_id business, seq integer, hash bytes, at time?, last_id id?"),
		Primary: []string{"business_id"},
	}
}
