package store

import (
	"slices"

	"github.com/kith-crm/kith/internal/schema"
)

// summed is what the name of the index of Resource.Summed ends with.
const summed = "summed"

// tables lists everything that the store keeps: the system's own tables and one for each resource.
func tables(reg *schema.Registry) []table {
	all := []table{
		{
			name:        "setting",
			columns:     []column{{"name", schema.Text, true}, {"value", kindBytes, true}},
			primary:     []string{"name"},
			inDirectory: true,
		},
		{
			// attempt counts what may happen only so often, for all servers together: when a key, of which it has a keyed hash, has
			// everything back.
			name:        "attempt",
			columns:     []column{{"hash", kindBytes, true}, {"full_at", schema.Time, true}},
			primary:     []string{"hash"},
			indexes:     []index{{name: "attempt_full", columns: []string{"full_at"}}},
			inDirectory: true,
		},
		{
			name: "business",
			columns: []column{
				{"business_id", kindTenant, true},
				{"id", schema.ID, true},
				{"name", schema.Text, true},
				{"currency", schema.Text, true},
				{"change_seq", schema.Integer, true},
				{"created_at", schema.Time, true},
				{"timezone", schema.Text, false},
				{"locale", schema.Text, false},
				{"updated_at", schema.Time, false},
				{"version", schema.Integer, false},
				{"clock", schema.Time, false},
				{"figured_seq", schema.Integer, false},
				{"shape_seq", schema.Integer, false},
				{"bin_days", schema.Integer, false},
				{"address", schema.LongText, false},
				{"tax_id", schema.Text, false},
				{"quote_terms", schema.LongText, false},
				{"quote_footer", schema.LongText, false},
				{"login_issuer", schema.Text, false},
				{"login_client_id", schema.Text, false},
				{"login_client_secret", schema.Text, false},
				{"login_domains", schema.Tags, false},
				{"login_role_id", schema.ID, false},
				{"login_required", schema.Bool, false},
				{"login_trusted", schema.Bool, false},
				{"logo", schema.Text, false},
			},
			primary: []string{"business_id"},
			indexes: []index{{name: "business_by_id", columns: []string{"id"}}},
		},
		{
			// tally holds the maintained counts of live and deleted records, and the counters of numbered ones. The others are
			// PostgreSQL's: how many records were ever made, the latest created_at among them, and the text range for the next, see
			// postgres_text_range.go.
			name: "tally",
			columns: []column{
				{"business_id", kindTenant, true},
				{"name", schema.Text, true},
				{"n", schema.Integer, true},
				{"made", schema.Integer, false},
				{"latest", schema.Integer, false},
				{"shelf", schema.Integer, false},
			},
			primary:    []string{"business_id", "name"},
			ownColumns: []string{"made", "latest", "shelf"},
		},
		{
			// text range lists the text ranges on which PostgreSQL's records stand, but for the first, see postgres_text_range.go.
			name:    "shelf",
			columns: []column{{"business_id", kindTenant, true}, {"resource", schema.Text, true}, {"start", schema.Integer, true}},
			primary: []string{"business_id", "resource", "start"},
			own:     true,
		},
		{
			name: "change",
			columns: []column{
				{"business_id", kindTenant, true},
				{"seq", schema.Integer, true},
				{"resource", schema.Text, true},
				{"record_id", schema.ID, true},
				{"version", schema.Integer, true},
				{"action", schema.Text, true},
				{"at", schema.Time, true},
				{"user_id", schema.ID, false},
				{"token_id", schema.ID, false},
				{"app_id", schema.ID, false},
				{"client_id", schema.Text, false},
				{"request_id", schema.Text, false},
				{"changes", schema.Document, true},
			},
			primary: []string{"business_id", "seq"},
			indexes: []index{{name: "change_record", columns: []string{"business_id", "resource", "record_id", "seq"}}},
			spread:  true,
			long:    true,
		},
		{
			// answer holds what requests with an idempotency key were answered, see package queue.
			name: "answer",
			columns: []column{
				{"business_id", kindTenant, true},
				{"hash", kindBytes, true},
				{"at", schema.Time, true},
				{"fingerprint", kindBytes, true},
				{"status", schema.Integer, true},
				{"etag", schema.Text, false},
				{"location", schema.Text, false},
				{"body", kindBytes, false},
			},
			primary: []string{"business_id", "hash"},
			long:    true,
		},
		matchTable(), notTwinsTable(), erasureTable(), mergedTable(), mergedReferenceTable(), addedReferenceTable(),
		{
			name: "password",
			columns: []column{
				{"business_id", kindTenant, true},
				{"user_id", schema.ID, true},
				{"hash", schema.Text, true},
				{"set_at", schema.Time, true},
			},
			primary: []string{"business_id", "user_id"},
		},
		{
			// factor has what users prove themselves with beside the password.
			name: "factor",
			columns: []column{
				{"business_id", kindTenant, true},
				{"user_id", schema.ID, true},
				{"id", schema.ID, true},
				{"kind", schema.Text, true},
				{"name", schema.Text, false},
				{"data", schema.Document, true},
				{"created_at", schema.Time, true},
				{"used_at", schema.Time, false},
			},
			primary: []string{"business_id", "user_id", "id"},
		},
		{
			// identity finds the businesses in which an e-mail address can log in. Like credential and client it is not reached
			// through a business, because it is what tells the business.
			name:        "identity",
			columns:     []column{{"email_key", schema.Text, true}, {"business_id", kindTenant, true}, {"user_id", schema.ID, true}},
			primary:     []string{"email_key", "business_id"},
			inDirectory: true,
		},
		{
			// business_logo is the picture of a business.
			name:    "business_logo",
			columns: []column{{"business_id", kindTenant, true}, {"picture", kindBytes, true}},
			primary: []string{"business_id"},
		},
		{
			// login_domain finds the businesses whose identity provider knows the addresses of a domain.
			name:        "login_domain",
			columns:     []column{{"domain", schema.Text, true}, {"business_id", kindTenant, true}},
			primary:     []string{"domain", "business_id"},
			inDirectory: true,
			indexes:     []index{{name: "login_domain_of_business", columns: []string{"business_id"}}},
		},
		{
			// login_secret is what a business shows to its identity provider.
			name:    "login_secret",
			columns: []column{{"business_id", kindTenant, true}, {"data", schema.Document, true}},
			primary: []string{"business_id"},
		},
		{
			// credential holds the hash of everything secret that someone can present: tokens, codes, session cookies, links.
			name: "credential",
			columns: []column{
				{"hash", kindBytes, true},
				{"kind", schema.Text, true},
				{"business_id", kindTenant, true},
				{"user_id", schema.ID, true},
				{"parent_id", schema.ID, true},
				{"scopes", schema.Text, false},
				{"created_at", schema.Time, true},
				{"expires_at", schema.Time, false},
				{"used_at", schema.Time, false},
				{"data", schema.Document, false},
			},
			primary: []string{"hash"},
			indexes: []index{
				{name: "credential_parent", columns: []string{"business_id", "parent_id"}},
				{name: "credential_user", columns: []string{"business_id", "user_id"}},
				{name: "credential_expiry", columns: []string{"expires_at"}, where: "expires_at IS NOT NULL"},
			},
		},
		{
			// old_secret tells the business of secrets that do not name it, where credentials lie on several machines, see
			// postgres_citus.go.
			name:        "old_secret",
			columns:     []column{{"hash", kindBytes, true}, {"business_id", kindTenant, true}, {"expires_at", schema.Time, false}},
			primary:     []string{"hash"},
			inDirectory: true,
			own:         true,
		},
		{
			name: "session",
			columns: []column{
				{"business_id", kindTenant, true},
				{"id", schema.ID, true},
				{"user_id", schema.ID, true},
				{"created_at", schema.Time, true},
				{"seen_at", schema.Time, true},
				{"confirmed_at", schema.Time, false},
				{"agent", schema.Text, false},
				{"address", schema.Text, false},
			},
			primary: []string{"business_id", "id"},
			indexes: []index{{name: "session_of_user", columns: []string{"business_id", "user_id"}}},
		},
		{
			// access_grant is what a user allowed an app: it owns the app's code and tokens.
			name: "access_grant",
			columns: []column{
				{"business_id", kindTenant, true},
				{"id", schema.ID, true},
				{"user_id", schema.ID, true},
				{"client_id", schema.Text, true},
				{"client_name", schema.Text, true},
				{"scopes", schema.Text, true},
				{"created_at", schema.Time, true},
				{"used_at", schema.Time, false},
			},
			primary: []string{"business_id", "id"},
			indexes: []index{{name: "access_grant_user", columns: []string{"business_id", "user_id"}}},
		},
		{
			// client lists every OAuth client: those that registered themselves, with their metadata, and the apps of businesses,
			// which point to their record.
			name: "client",
			columns: []column{
				{"client_id", schema.Text, true},
				{"business_id", kindTenant, false},
				{"app_id", schema.ID, false},
				{"secret_hash", kindBytes, false},
				{"registration_hash", kindBytes, false},
				{"metadata", schema.Document, true},
				{"created_at", schema.Time, true},
				{"used_at", schema.Time, false},
			},
			primary:     []string{"client_id"},
			inDirectory: true,
			indexes:     []index{{name: "client_created", columns: []string{"created_at"}}},
		},
	}
	if reg.Audit != nil {
		all = append(all, auditTable(reg.Audit), auditHeadTable())
	}
	for _, res := range reg.Resources {
		all = append(all, recordTable(res))
		if keepsFigures(res) {
			all = append(all, figureTable(res))
		}
		if len(res.EndLeaves) > 0 {
			all = append(all, endTable(res))
		}
	}
	for _, p := range reg.ListItems {
		all = append(all, listItemTable(p))
	}
	return slices.Concat(all, customEntryTables(), []table{indexWorkTable()}, jobTables(), importTables(), hookTables())
}

func recordTable(res *schema.Resource) table {
	t := table{name: res.Plural, primary: []string{"business_id", "id"}, spread: !res.Small, searched: true}
	t.columns = append(t.columns, column{"business_id", kindTenant, true})
	add := func(suffix, where string, unique bool, matches int, columns ...string) {
		t.indexes = append(t.indexes, index{
			name: res.Name + "_" + suffix, columns: append([]string{"business_id"}, columns...),
			unique: unique, where: where, matches: matches,
		})
	}
	for _, l := range res.Leaves {
		t.columns = append(t.columns, column{l.Column.Name, l.Kind, l.Required && l.ReadOnly})
		if l.Key != "" {
			t.columns = append(t.columns, column{l.Key, schema.Text, false})
		}
		at := sortColumn(l)
		var beside []string
		if l.Beside != "" {
			beside = []string{sortColumn(res.Must(l.Beside))}
		}
		switch {
		case l.Unique && l.Exact:
			add(l.Column.Name, live, true, 1, l.Key, l.Column.Name)
		case l.Unique:
			add(l.Column.Name, live, true, 1, at)
		}
		if l.Sorted {
			add(l.Column.Name+"_order", live, false, 10, at, "id")
		}
		if l.Indexed {
			matches := 100
			if l.Kind == schema.Choice || l.Kind == schema.Bool {
				matches = 2000
			}
			add(filterIndex(l), live, false, matches, append([]string{at, "created_at", "id"}, beside...)...)
		}
		if l.Timeline && res.HappensAt != res.Common.CreatedAt {
			add(timelineIndex(l), live, false, 100, at, res.HappensAt.Column.Name, "id")
		}
		if l.Follows() {
			add(binIndex(l), "deleted_at IS NOT NULL", false, 1, at)
		}
		if l.Recent {
			add(l.Column.Name+"_recent", live, false, 100, at, "updated_at", "id")
		}
		if l.Named {
			add(l.Column.Name+"_named", live, false, 100, append([]string{at, sortColumn(res.Must(schema.NameField)), "id"}, beside...)...)
		}
	}
	add("bin", "deleted_at IS NOT NULL", false, 1, "deleted_at", "id")
	if len(res.Summed) > 0 {
		var columns []string
		for _, path := range res.Summed {
			columns = append(columns, res.Must(path).Column.Name)
		}
		add(summed, live, false, businessRows, columns...)
		t.indexes[len(t.indexes)-1].scanned = true
	}
	t.columns = append(t.columns, column{"search_doc", schema.Text, true})
	return t
}

// filterIndex and timelineIndex end the names of the indexes that have the records with one value of a leaf in the order of their
// creation, and of when they happened.
func filterIndex(l *schema.Leaf) string   { return l.Column.Name + "_filter" }
func timelineIndex(l *schema.Leaf) string { return l.Column.Name + "_timeline" }

// binIndex ends the name of the index by which deleted records are found that refer to one which is merged.
func binIndex(l *schema.Leaf) string { return l.Column.Name + "_bin" }

// sortColumn is the column by which a leaf is compared and sorted.
func sortColumn(l *schema.Leaf) string {
	if l.Key != "" {
		return l.Key
	}
	return l.Column.Name
}

// Render gives the statements that make all tables fresh in the dialect of sqlite or postgres.
func Render(reg *schema.Registry, engine string) []string {
	d := dialectOf(engine)
	out := d.before()
	for _, t := range tables(reg) {
		out = append(out, d.create(t)...)
	}
	return append(out, d.after()...)
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
		have, ok := columns[t.name]
		if !ok {
			out = append(out, d.create(t)...)
			continue
		}
		for _, c := range t.columns {
			if !slices.Contains(have, c.name) {
				c.notNull = false // existing rows have no value for it
				out = append(out, "ALTER TABLE "+t.name+" ADD COLUMN "+t.column(d, c))
			}
		}
		declared := []string{t.name + "_id", t.name + "_search"}
		for _, i := range t.indexes {
			declared = append(declared, i.name)
			if !slices.Contains(indexes[t.name], i.name) {
				out = append(out, d.createIndex(t, i)...)
			}
		}
		for _, name := range indexes[t.name] {
			if !slices.Contains(declared, name) {
				out = append(out, "DROP INDEX "+name)
			}
		}
	}
	if len(out) > 0 {
		out = append(out, d.after()...)
	}
	return out
}
