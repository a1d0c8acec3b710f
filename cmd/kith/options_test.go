package main

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// sensible are values that pass for every option that a command may need.
var sensible = map[string]string{
	"name": "Acme", "admin-email": "anna@acme.example", "admin-password": "correct horse",
	"business": "business_01h455vb4pex5vsknk084sn02q",
	"resource": "contact", "email": "ben@acme.example", "user": "ben@acme.example", "scopes": "contact.read",
	"id":     "token_01h455vb4pex5vsknk084sn02q",
	"record": "contact_01h455vb4pex5vsknk084sn02q", "addr": "127.0.0.1:0", "debug-addr": "127.0.0.1:0", "metrics-addr": "127.0.0.1:0",
}

// call gives the arguments that run a command with a sensible value for each option that could be needed.
func call(c command, more ...string) []string {
	args := strings.Fields(c.name)
	options(c).VisitAll(func(f *flag.Flag) {
		if value, ok := sensible[f.Name]; ok {
			args = append(args, "--"+f.Name+"="+value)
		}
	})
	if c.name == "backup" || c.name == "export" || c.name == "import" {
		args = append(args, standard)
	}
	return append(args, more...)
}

// A mistyped --db must not make a database: only the commands that begin one may.
func TestOnlyTheCommandsThatBeginADatabaseMakeOne(t *testing.T) {
	begins := []string{"serve", "demo", "business create", "migrate", "restore"}
	for _, c := range commands() {
		// bench makes databases of its own, config opens none
		if slices.Contains(begins, c.name) || options(c).Lookup("db") == nil || c.name == "bench" || c.name == "config" {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			folder := t.TempDir()
			empty := filepath.Join(folder, "empty.db")
			if err := os.WriteFile(empty, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			for _, path := range []string{filepath.Join(folder, "new", "typo.db"), filepath.Join(folder, "typo.db"), empty} {
				code, out, errs := kith(t, call(c, "--db", "sqlite:"+path)...)
				want := 1
				if c.name == "check" {
					want = exitUnchecked
				}
				if code != want || out != "" || !strings.Contains(errs, "there is no database at "+path) || strings.Count(errs, "\n") != 1 {
					t.Errorf("exit code %d, %s, %s", code, out, errs)
				}
			}
			left, err := os.ReadDir(folder)
			if err != nil || len(left) != 1 {
				t.Errorf("the folder holds %v now, %v", left, err)
			}
			if info, err := os.Stat(empty); err != nil || info.Size() != 0 {
				t.Errorf("the empty file has changed: %v, %v", info, err)
			}
		})
	}
	t.Run("a PostgreSQL database that is not kith's", func(t *testing.T) {
		onEmpty(t, func(t *testing.T, db string) {
			if strings.HasPrefix(db, "sqlite:") {
				return
			}
			if code, _, errs := kith(t, "business", "list", "--db", db); code != 1 || !strings.Contains(errs, "is not a database of kith") {
				t.Errorf("exit code %d, %s", code, errs)
			}
			for _, step := range list(t, "migrate", "--status", "--db", db) {
				if step["applied"] == true {
					t.Errorf("listing businesses applied %v", step)
				}
			}
		})
	})
}

// Every option that is more than a text refuses what makes no sense, and is named with what would make sense.
func TestValuesThatMakeNoSenseAreRefused(t *testing.T) {
	// These are texts of which the engine, the file system or nobody knows what is right.
	free := []string{
		"db", "name", "admin-email", "admin-name", "admin-password", "currency", "business", "email", "role", "password", "user",
		"scopes", "id",
		"redirect-uris", "only", "out", "bench-postgres", "plot", "record", "tls-key", "acme-dir", "acme-email",
		"from", "to", "token", "match", "refused", "secret-key",
	}
	t.Chdir(t.TempDir())
	for _, c := range slices.Concat(commands(), hidden()) {
		options(c).VisitAll(func(f *flag.Flag) {
			nonsense := []string{"nonsense", "::", "http://", "-1"}
			if getter, ok := f.Value.(flag.Getter); ok {
				switch getter.Get().(type) {
				case int:
					nonsense = []string{"-1", "many", "", "1.5", "1e3", "99999999999999999999", "2000000000"}
				case time.Duration:
					nonsense = []string{"-1s", "soon", "", "5"}
				case bool:
					nonsense = []string{"perhaps", "", "2"}
				}
			}
			if slices.Contains(free, f.Name) {
				return
			}
			for _, value := range nonsense {
				code, out, errs := kith(t, call(c, "--"+f.Name+"="+value)...)
				if code != 2 || out != "" || !strings.HasPrefix(errs, "kith "+c.name+": --"+f.Name+" must be ") ||
					strings.Count(errs, "\n") != 1 {
					t.Errorf("kith %s --%s=%s: exit code %d, %s, %s", c.name, f.Name, value, code, out, errs)
				}
				t.Setenv(variable(f.Name), value)
				args := slices.DeleteFunc(call(c), func(arg string) bool { return strings.HasPrefix(arg, "--"+f.Name+"=") })
				if code, _, errs := kith(t, args...); code != 2 || !strings.Contains(errs, variable(f.Name)+" must be ") {
					t.Errorf("%s=%s kith %s: exit code %d, %s", variable(f.Name), value, c.name, code, errs)
				}
				os.Unsetenv(variable(f.Name))
			}
		})
	}
	if code, _, errs := kith(t, "serve", "--search-timeout", "1m"); code != 2 ||
		!strings.Contains(errs, `--write-timeout must be longer than --search-timeout, which is 1m0s, not "1m0s"`) {
		t.Errorf("an answer may take no longer than its search: exit code %d, %s", code, errs)
	}
	if left, err := os.ReadDir("."); err != nil || len(left) > 0 {
		t.Errorf("nonsense left files behind: %v, %v", left, err)
	}
}

// Complaints end in logs and on screens, where the password of a database or mail server has no business.
func TestComplaintsDoNotRepeatPasswords(t *testing.T) {
	t.Chdir(t.TempDir())
	const secret = "t0ps3cret"
	for _, option := range []string{"smtp", "db", "origin", "addr", "search-timeout"} {
		for _, value := range []string{
			"smtp+insecure://user:" + secret + "@host:25", "http://user:" + secret + "@host", "smtp://user:a b" + secret + "@host:port",
			"mysql://user:" + secret + "/@host/name",
			"postgres://user:%zz" + secret + "@host/name", "postgres://user:" + secret + "@host:port/name",
			"mysql:user:" + secret + "@host",
		} {
			if option != "db" && strings.HasPrefix(value, "mysql:user") {
				continue // no option but that of the database is written so
			}
			for _, env := range []bool{false, true} {
				args := []string{"serve", "--" + option + "=" + value}
				if env {
					args = args[:1]
					t.Setenv(variable(option), value)
				}
				code, out, errs := kith(t, args...)
				os.Unsetenv(variable(option))
				if code == 0 || errs == "" || strings.Contains(out+errs, secret) {
					t.Errorf("%s=%s: exit code %d, %s, %s", option, value, code, out, errs)
				}
			}
		}
	}
}

// What others put into the environment is not the operator's slip of the pen.
func TestVariablesOfOthersAreLetPass(t *testing.T) {
	for _, pair := range []string{
		"KITH_SQLITE_MEMORY=driver",
		"KITH_DB=x", "KITH_ADMIN_EMAIL=x", "KITH_TEST_POSTGRES=x", "KITH_BENCH_KEEP_LOGS=1", "KITH_POSTGRES_FROM=x", "KITHER=1",
		"PATH=/bin",
		"KITH_SERVICE_HOST=10.0.0.1", "KITH_SERVICE_PORT=8080", "KITH_SERVICE_PORT_HTTP=8080", "KITH_PORT=tcp://10.0.0.1:8080",
		"KITH_PORT_8080_TCP=tcp://10.0.0.1:8080",
		"KITH_PORT_8080_TCP_PROTO=tcp", "KITH_PORT_8080_TCP_PORT=8080", "KITH_PORT_8080_TCP_ADDR=10.0.0.1",
		"KITH_DB_SERVICE_HOST=10.0.0.2", "KITH_DB_PORT=tcp://10.0.0.2:5432",
	} {
		if strange := strangeVariables(commands(), []string{pair}); len(strange) > 0 {
			t.Errorf("%s is refused: %s", pair, strange)
		}
	}
	for pair, meant := range map[string]string{
		"KITH_ADR=:80": "KITH_ADDR", "KITH_DATABASE=x": "", "KITH_RATELIMIT=5": "KITH_RATE_LIMIT", "KITH_PORT=8080": "",
		"KITH_Db=x": "KITH_DB", "KITH_=": "",
	} {
		strange := strangeVariables(commands(), []string{pair})
		if len(strange) != 1 || meant != "" && !strings.HasSuffix(strange[0], " (did you mean "+meant+"?)") {
			t.Errorf("%s: %v, want %s", pair, strange, meant)
		}
	}
}

func TestVersion(t *testing.T) {
	for _, args := range [][]string{{"version"}, {"--version"}} {
		out := must(t, args...)
		for _, want := range []string{"kith ", thisBuild().Version, thisBuild().Go, thisBuild().Platform} {
			if want == "" || !strings.Contains(out, want) {
				t.Errorf("kith %v prints %q, without %q", args, out, want)
			}
		}
	}
	if out := must(t, "--version", "--json"); !strings.HasPrefix(out, `{"version":"`) || !strings.Contains(out, `"platform":"`) {
		t.Errorf("kith --version --json prints %s", out)
	}
}
