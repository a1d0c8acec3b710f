package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/pgtest"
	"github.com/kith-crm/kith/internal/testworld"
)

// asProgram makes the test binary behave as kith itself, for the tests that need a process of its own.
const asProgram = "KITH_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	// What the developer has set for a server of their own must not reach the tests.
	for _, pair := range os.Environ() {
		if name, _, _ := strings.Cut(pair, "="); strings.HasPrefix(name, "KITH_") && !strings.HasPrefix(name, "KITH_TEST_") {
			os.Unsetenv(name)
		}
	}
	os.Exit(pgtest.Main(m))
}

// kith runs the program and gives its exit code and what it printed.
func kith(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	ctx, cancel := context.WithTimeout(context.Background(), long) // a server that was to be refused ends, and is noticed
	defer cancel()
	code = run(ctx, args, &o, &e)
	return code, o.String(), e.String()
}

// must runs the program, which has to succeed.
func must(t *testing.T, args ...string) string {
	t.Helper()
	code, out, errs := kith(t, args...)
	if code != 0 {
		t.Fatalf("kith %s ends with %d: %s", strings.Join(args, " "), code, errs)
	}
	return out
}

// object runs the program with --json and gives the object that it prints, which must have exactly the given keys, all of them texts.
func object(t *testing.T, keys string, args ...string) map[string]string {
	t.Helper()
	out := must(t, append(args, "--json")...)
	var got map[string]string
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("kith %s prints %s: %v", strings.Join(args, " "), out, err)
	}
	var names []string
	for name, value := range got {
		names = append(names, name)
		if value == "" {
			t.Errorf("kith %s: %s is empty", strings.Join(args, " "), name)
		}
	}
	want := strings.Fields(keys)
	slices.Sort(names)
	slices.Sort(want)
	if !slices.Equal(names, want) {
		t.Errorf("kith %s prints the keys %v, want %v", strings.Join(args, " "), names, want)
	}
	return got
}

// list runs the program with --json and gives the list that it prints.
func list(t *testing.T, args ...string) []map[string]any {
	t.Helper()
	out := must(t, append(args, "--json")...)
	var got []map[string]any
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("kith %s prints %s: %v", strings.Join(args, " "), out, err)
	}
	return got
}

// onBoth runs a test with a database of each engine that is migrated already.
func onBoth(t *testing.T, test func(t *testing.T, db string)) {
	t.Run("sqlite", func(t *testing.T) {
		db := missingSQLite(t)
		must(t, "migrate", "--db", db)
		test(t, db)
	})
	t.Run("postgres", func(t *testing.T) { test(t, migratedPostgres(t)) })
}

// onEmpty runs a test with a database of each engine in which there is nothing yet.
func onEmpty(t *testing.T, test func(t *testing.T, db string)) {
	t.Run("sqlite", func(t *testing.T) { test(t, missingSQLite(t)) })
	t.Run("postgres", func(t *testing.T) { test(t, pgtest.NewEmpty(t)) })
}

// missingSQLite names a file in a folder that is not there either.
func missingSQLite(t *testing.T) string {
	t.Helper()
	return "sqlite:" + filepath.Join(t.TempDir(), "new", "kith.db")
}

func migratedPostgres(t *testing.T) string {
	t.Helper()
	return testworld.Database(t, "postgres")
}

// newBusiness makes a business and gives its id and the token.
func newBusiness(t *testing.T, db string) (business, token string) {
	t.Helper()
	made := object(t, "business_id user_id token", "business", "create", "--db", db, "--name", "Acme", "--admin-email",
		"anna@acme.example", "--admin-password", "correct horse")
	return made["business_id"], made["token"]
}

func TestHelp(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range [][]string{{}, {"help"}, {"--help"}, {"-h"}} {
		code, out, errs := kith(t, args...)
		if code != 0 || errs != "" {
			t.Errorf("kith %v ends with %d and complains: %s", args, code, errs)
		}
		for _, c := range commands() {
			if !strings.Contains(out, "  "+c.name+" ") || !strings.Contains(out, c.about) {
				t.Errorf("kith %v does not mention %s", args, c.name)
			}
		}
	}
	const serving = "max-connections max-streams secret-key stop-delay metrics-addr tls-cert tls-key acme-hosts acme-dir acme-email " +
		"acme-url redirect-addr"
	options := map[string]string{
		"serve": "db addr demo rate-limit rate-burst search-timeout read-timeout write-timeout log-level debug-addr origin " +
			"trust-forwarded private-providers private-webhooks smtp mail-from " + serving,
		"config": "json db addr demo rate-limit rate-burst search-timeout read-timeout write-timeout log-level debug-addr " +
			"origin trust-forwarded private-providers private-webhooks smtp mail-from " + serving,
		"demo":              "db json contacts businesses",
		"business create":   "db json name admin-email admin-name admin-password currency",
		"business list":     "db json",
		"user create":       "db json business email name role password",
		"user list":         "db json business",
		"user suspend":      "db json business user",
		"user activate":     "db json business user",
		"user reset-link":   "db json business user origin",
		"user reset-factor": "db json business user",
		"token create":      "db json business user scopes name expires-days",
		"token list":        "db json business",
		"token revoke":      "db json business id",
		"app create":        "db json business user scopes name redirect-uris",
		"app list":          "db json business",
		"app delete":        "db json business id",
		"bench":             "db bench-postgres contacts deals businesses connections each mix only out growth plot disorder",
		"migrate":           "db distribute json status",
		"scrub":             "db json",
		"check":             "db json repair business",
		"key forget":        "db json",
		"audit head":        "db json business",
		"audit check":       "db json business known",
		"copy":              "from to json",
		"backup":            "db json business",
		"restore":           "db json business replace",
		"mcp":               "url token",
		"health":            "json addr live tls-cert acme-hosts",
		"export":            "db json business resource format search",
		"import": "db json business user resource match policy map new-fields new-options clear-empty encoding decimals dates " +
			"preview again refused",
		"openapi": "origin",
		"version": "json",
	}
	for _, group := range groups() {
		for _, args := range [][]string{{group, "--help"}, {group, "-h"}, {group, "help"}, {"help", group}} {
			code, out, errs := kith(t, args...)
			if code != 0 || errs != "" || strings.Contains(out, "  serve ") {
				t.Errorf("kith %v ends with %d, prints %s and complains: %s", args, code, out, errs)
			}
			for _, c := range commands() {
				if strings.HasPrefix(c.name, group+" ") && !strings.Contains(out, c.about) {
					t.Errorf("kith %v does not mention %s", args, c.name)
				}
			}
		}
	}
	for _, c := range commands() {
		for _, ask := range []string{"--help", "-h", "help", "before"} {
			args := append(strings.Fields(c.name), ask)
			if ask == "before" {
				args = append([]string{"help"}, strings.Fields(c.name)...)
			}
			code, out, errs := kith(t, args...)
			if code != 0 || errs != "" {
				t.Errorf("kith %s %s ends with %d and complains: %s", c.name, ask, code, errs)
			}
			if !strings.Contains(out, c.about) || !strings.Contains(out, c.usage) {
				t.Errorf("kith %s %s does not explain the command: %s", c.name, ask, out)
			}
			for _, option := range strings.Fields(options[c.name]) {
				if !strings.Contains(out, "\n  --"+option+" ") || !strings.Contains(out, "["+variable(option)+"]") {
					t.Errorf("kith %s %s does not mention --%s and its variable: %s", c.name, ask, option, out)
				}
			}
			if got, want := strings.Count(out, "\n  --"), len(strings.Fields(options[c.name])); got != want || want == 0 {
				t.Errorf("kith %s %s explains %d options, the test knows %d", c.name, ask, got, want)
			}
		}
	}
	left, err := os.ReadDir(".")
	if err != nil || len(left) > 0 {
		t.Errorf("asking for help left files behind: %v, %v", left, err)
	}
}

func TestWrongUsageIsExplainedAndExitsWith2(t *testing.T) {
	db := missingSQLite(t)
	for _, tt := range []struct {
		name, args, says string
		env              map[string]string
	}{
		{name: "unknown command", args: "serv", says: `no command "serv" (did you mean kith serve?)`},
		{name: "mistyped group", args: "bussiness list", says: "did you mean kith business?"},
		{name: "mistyped second word", args: "token lst", says: "did you mean kith token list?"},
		{name: "nothing like a command", args: "frobnicate", says: "'kith help' lists the commands"},
		{name: "half a command", args: "token", says: "token create"},
		{name: "unknown second word", args: "token delete", says: `no command "token delete"`},
		{name: "unknown option", args: "serve --port 80", says: "there is no option --port"},
		{name: "mistyped option", args: "serve --adr :80", says: "did you mean --addr?"},
		{name: "option without its value", args: "serve --addr", says: "--addr needs a value"},
		{name: "text for a number", args: "serve --rate-limit many", says: "rate-limit"},
		{name: "surplus argument", args: "migrate up", says: `no argument "up"`},
		{name: "surplus argument behind options", args: "migrate --status now", says: `no argument "now"`},
		{name: "unknown log level", args: "serve --log-level loud", says: "debug, info, warn or error"},
		{
			name: "business without a name", args: "business create --admin-email a@b.example --admin-password 12345678",
			says: "--name (or KITH_NAME)",
		},
		{
			name: "business without an administrator", args: "business create --name A --admin-password 12345678",
			says: "--admin-email (or KITH_ADMIN_EMAIL)",
		},
		{
			name: "business without a password", args: "business create --name A --admin-email a@b.example",
			says: "--admin-password (or KITH_ADMIN_PASSWORD)",
		},
		{name: "user without a business", args: "user create --email a@b.example", says: "--business (or KITH_BUSINESS)"},
		{name: "user without an address", args: "user create --business business_x", says: "--email (or KITH_EMAIL)"},
		{name: "id of the wrong kind", args: "token list --business contact_01h455vb4pex5vsknk084sn02q", says: "starts with business_"},
		{name: "token without scopes", args: "token create --business business_x --user a@b.example", says: "--scopes (or KITH_SCOPES)"},
		{
			name: "token to revoke is not named", args: "token revoke --business business_01h455vb4pex5vsknk084sn02q",
			says: "--id (or KITH_ID)",
		},
		{
			name: "token to revoke is no token", args: "token revoke --business business_01h455vb4pex5vsknk084sn02q --id 7",
			says: "starts with token_",
		},
		{name: "businesses without contacts", args: "demo --businesses 3", says: "--businesses needs --contacts"},
		{name: "more businesses than contacts", args: "demo --contacts 2 --businesses 3", says: "more than --contacts"},
		{name: "negative number of contacts", args: "demo --contacts -1", says: "--contacts must be a whole number from 0 to"},
		{name: "growth without numbers", args: "bench --growth 10k,100k", says: "separated by commas"},
		{name: "growth of one business only", args: "bench --growth 1000,2000 --businesses 1", says: "2 or more"},
		{name: "plot without growth", args: "bench --plot growth.svg", says: "--plot needs --growth"},
		{
			name: "mistyped variable", args: "serve", env: map[string]string{"KITH_ADR": "127.0.0.1:0"},
			says: "KITH_ADR, which no option of kith is called (did you mean KITH_ADDR?)",
		},
		{
			name: "variable that is like none", args: "business list", env: map[string]string{"KITH_FROBNICATION": "on"},
			says: "KITH_FROBNICATION, which",
		},
		{name: "port alone in the environment", args: "serve", env: map[string]string{"KITH_PORT": "9000"}, says: "KITH_PORT, which"},
		{
			name: "wrong number in the environment", args: "serve", env: map[string]string{"KITH_RATE_LIMIT": "many"},
			says: "KITH_RATE_LIMIT",
		},
		{
			name: "wrong truth value in the environment", args: "business list", env: map[string]string{"KITH_JSON": "perhaps"},
			says: "KITH_JSON",
		},
		{
			name: "wrong log level in the environment", args: "serve", env: map[string]string{"KITH_LOG_LEVEL": "loud"},
			says: "debug, info, warn or error",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("KITH_DB", db)
			for name, value := range tt.env {
				t.Setenv(name, value)
			}
			code, out, errs := kith(t, strings.Fields(tt.args)...)
			if code != 2 || out != "" || !strings.Contains(errs, tt.says) || !strings.HasPrefix(errs, "kith") &&
				!strings.Contains(errs, "\nkith ") {
				t.Errorf("exit code %d, output %q, complaint %q; want 2, nothing, and %q", code, out, errs, tt.says)
			}
		})
	}
	if _, err := os.Stat(strings.TrimPrefix(db, "sqlite:")); !os.IsNotExist(err) {
		t.Errorf("a command that was called wrongly made the database: %v", err)
	}
}

func TestWhatCannotBeDoneExitsWith1AndSaysWhy(t *testing.T) {
	db := missingSQLite(t)
	business, _ := newBusiness(t, db)
	for _, tt := range []struct{ name, args, says string }{
		{"database of an unknown sort", "migrate --db mysql://host/name", "sqlite:PATH or postgres://"},
		{"database without a path", "migrate --db sqlite:", "sqlite:PATH or postgres://"},
		{"no server at the address", "migrate --db postgres://nobody@127.0.0.1:1/none?connect_timeout=2", "PostgreSQL"},
		{"address of another machine", "serve --addr 192.0.2.1:0", "cannot listen on 192.0.2.1:0"},
		{
			"business that is not there", "token list --business business_01h455vb4pex5vsknk084sn02q",
			"no business business_01h455vb4pex5vsknk084sn02q",
		},
		{
			"user that is not there", "token create --business " + business + " --user ben@acme.example --scopes contact.read",
			"no user ben@acme.example",
		},
		{
			"scope that is not there", "token create --business " + business + " --user anna@acme.example --scopes contact.read," +
				"contact.fly",
			"contact.fly",
		},
		{
			"scope that is nearly there", "token create --business " + business + " --user anna@acme.example --scopes contacts.read",
			`scopes cannot have "contacts.read", which is no scope; did you mean contact.read?`,
		},
		{"token that is not there", "token revoke --business " + business + " --id token_01h455vb4pex5vsknk084sn02q", "no token"},
		{"role that is not there", "user create --business " + business + " --email ben@acme.example --role king", "no role king"},
		{"address that is taken", "user create --business " + business + " --email ANNA@acme.example", "email"},
		{"address that is none", "user create --business " + business + " --email ben", "e-mail address"},
		{"short password", "business create --name A --admin-email a@b.example --admin-password 1234567", "from 8 to 1000 characters"},
		{"unknown currency", "business create --name A --admin-email a@b.example --admin-password 12345678 --currency XYZ", "currency"},
		{
			"administrator without a proper address", "business create --name A --admin-email nobody --admin-password 12345678",
			"e-mail address",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("KITH_DB", db)
			args := strings.Fields(tt.args)
			code, out, errs := kith(t, args...)
			if code != 1 || out != "" || !strings.Contains(errs, tt.says) || !strings.HasPrefix(errs, "kith "+args[0]) {
				t.Errorf("exit code %d, output %q, complaint %q; want 1, nothing, and %q", code, out, errs, tt.says)
			}
		})
	}
	if n := len(list(t, "business", "list", "--db", db)); n != 1 {
		t.Errorf("there are %d businesses now, want 1", n)
	}
}

func TestOptionsComeFromTheEnvironmentToo(t *testing.T) {
	db := missingSQLite(t)
	for name, value := range map[string]string{
		"KITH_DB": db, "KITH_NAME": "Acme", "KITH_ADMIN_EMAIL": "anna@acme.example", "KITH_ADMIN_PASSWORD": "correct horse",
		"KITH_CURRENCY": "chf", "KITH_JSON": "true",
	} {
		t.Setenv(name, value)
	}
	var made map[string]string
	if err := json.Unmarshal([]byte(must(t, "business", "create")), &made); err != nil || made["business_id"] == "" {
		t.Fatalf("%v, %v", made, err)
	}
	must(t, "business", "create", "--name", "Other", "--currency", "JPY")
	got := list(t, "business", "list")
	if len(got) != 2 || got[0]["name"] != "Acme" || got[0]["currency"] != "CHF" || got[1]["name"] != "Other" ||
		got[1]["currency"] != "JPY" {
		t.Errorf("the businesses are %v", got)
	}
	t.Setenv("KITH_CONTACTS", "none")
	if code, _, errs := kith(t, "demo", "--contacts", "0"); code != 0 {
		t.Errorf("a variable that the command line makes up for ends the command: %s", errs)
	}
}
