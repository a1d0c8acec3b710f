// Command kith is the whole product in one program: it serves the API, and has the commands with which an operator sets it up.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/kith-crm/kith/internal/problem"
)

func commands() []command {
	return []command{
		{
			"serve", "serve the API and the pages; creates and migrates the database where needed",
			"kith serve --db sqlite:kith.db --addr 127.0.0.1:8080", serve,
		},
		{
			"config", "print what kith serve would run with, and where each value comes from; it takes the options of serve",
			"kith config --db sqlite:kith.db", config,
		},
		{"demo", "make a demo business with believable data, and a token to try it", "kith demo --db sqlite:kith.db --json", makeDemo},
		{
			"business create", "make a business with its administrator and a token",
			"kith business create --name 'Acme' --admin-email anna@acme.test --admin-password '…'", businessCreate,
		},
		{"business list", "list the businesses", "kith business list", businessList},
		{
			"user create", "add a user to a business",
			"kith user create --business business_… --email ben@acme.test --name 'Ben' --role member --password '…'", userCreate,
		},
		{"user list", "list the users of a business", "kith user list --business business_…", userList},
		{
			"user suspend", "suspend a user, which ends their log-ins and tokens for good",
			"kith user suspend --business business_… --user ben@acme.test", userSuspend,
		},
		{"user activate", "let a user in who was suspended", "kith user activate --business business_… --user ben@acme.test", userActivate},
		{
			"user reset-link", "make a link that works once, with which a user chooses a password",
			"kith user reset-link --business business_… --user ben@acme.test --origin https://crm.example.com", userResetLink,
		},
		{
			"user reset-factor", "take away the second factor of a user who has lost it; their log-ins end",
			"kith user reset-factor --business business_… --user ben@acme.test", userResetFactor,
		},
		{
			"token create", "make a personal access token; its secret is shown once",
			"kith token create --business business_… --user anna@acme.test --scopes contact.read,deal.all", tokenCreate,
		},
		{"token list", "list the tokens of a business, without their secrets", "kith token list --business business_…", tokenList},
		{"token revoke", "end a token at once", "kith token revoke --business business_… --id token_…", tokenRevoke},
		{
			"app create", "make an app of a business, with a client id and secret for OAuth",
			"kith app create --business business_… --user anna@acme.test --scopes contact.read --name 'Nightly sync'", appCreate,
		},
		{"app list", "list the apps of a business, without their secrets", "kith app list --business business_…", appList},
		{
			"app delete", "delete an app, which ends its tokens and what people allowed it",
			"kith app delete --business business_… --id app_…", appDelete,
		},
		{"key forget", "let the server begin with a new secret key where that of the database is lost; what was sealed under it stays " +
			"lost", "kith key forget --db sqlite:kith.db", keyForget},
		{
			"audit head", "print where the audit log of a business ends, to be kept elsewhere", "kith audit head --business business_…",
			auditHead,
		},
		{
			"audit check", "look whether the audit log of a business, or of all, is whole",
			"kith audit check --business business_… --known 4711:9f86…", auditCheck,
		},
		{"bench", "measure this program on this machine, beside the floor of its database", "kith bench --contacts 200000", runBench},
		{
			"health",
			"ask the server on this machine whether it can work, for containers and supervisors; exit code 1 tells that it cannot",
			"kith health --addr 127.0.0.1:8080", health,
		},
		{
			"migrate", "bring the database to this version's layout; --status only tells", "kith migrate --db sqlite:kith.db --status",
			migrate,
		},
		{"check", "hold indexes, counts, references and the change log to the records, also while the server runs; exit code 1 tells " +
			"that something is wrong, 2 that it could not be checked", "kith check --db sqlite:kith.db --repair", check},
		{"backup", "write everything, or one business, as it is in one moment into a compressed file, also while the server runs; - is " +
			"standard output", "kith backup kith-monday.backup --db sqlite:kith.db", backup},
		{
			"restore", "fill an empty database from a backup, of whichever engine, or bring one business of it back; - is standard input",
			"kith restore kith-monday.backup --db postgres://kith@db/kith", restore,
		},
		{"export", "write the records of a business for other programs, also while the server runs: those of one resource as csv, jsonl " +
			"or xlsx, or all as a zip; - is standard output", "kith export contacts.csv --business business_… --resource contact", export},
		{"import", "make and change records of a business from a file, also while the server runs: CSV as people have it, XLSX, vCard or " +
			"JSON lines, with the columns of other CRMs known by their names; --preview only tells what would become of it; - is " +
			"standard input", "kith import contacts.csv --business business_… --user anna@acme.test --resource contact --match email " +
			"--preview", importFile},
		{
			"copy", "copy a whole database into an empty one, of the same engine or another; goes on where it was stopped",
			"kith copy --from sqlite:kith.db --to postgres://kith@db/kith", copyDatabase,
		},
		{
			"scrub", "write the database anew, so that its files have nothing left of what was erased; nobody can write meanwhile",
			"kith scrub --db sqlite:kith.db", scrub,
		},
		{
			"mcp", "let an agent on this machine use a server, by the Model Context Protocol on standard input and output",
			"KITH_TOKEN=kith_pat_… kith mcp --url https://crm.example.com", serveAgent,
		},
		{
			"openapi", "print the OpenAPI 3.1 document of the API", "kith openapi --origin https://crm.example.com > openapi.json",
			printDocument,
		},
		{"version", "tell which version of kith this is", "kith version --json", version},
	}
}

// hidden commands are run by kith itself.
func hidden() []command {
	return []command{{"bench-floor", "the bare server that a benchmark compares with", "", benchFloor}}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, out, errs io.Writer) int {
	if len(args) > 0 && (args[0] == "--version" || args[0] == "-version") {
		args = append([]string{"version"}, args[1:]...)
	}
	if len(args) > 1 && asksForHelp(args[0]) { // kith help serve is kith serve --help
		args = append(slices.Clone(args[1:]), "--help")
	}
	c, rest := find(args)
	if c == nil {
		return noCommand(args, out, errs)
	}
	inv := newInvocation(c, slices.Concat(commands(), hidden()), rest, out, errs)
	defer func() {
		if inv.engine != nil {
			_ = inv.engine.Store().Close()
		}
	}()
	err := c.run(ctx, inv)
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errUsage):
		return 2
	}
	code := 1
	var told *exit
	if errors.As(err, &told) {
		if code = told.code; told.error == nil { // what there is to say has been said
			return code
		}
		err = told.error
	}
	fmt.Fprintln(errs, "kith "+c.name+": "+explain(err))
	return code
}

// noCommand answers a call that names no command: with help where that was asked for, and otherwise with what was probably meant.
func noCommand(args []string, out, errs io.Writer) int {
	if len(args) == 0 || asksForHelp(args[0]) {
		help(out, "")
		return 0
	}
	group := slices.ContainsFunc(commands(), func(c command) bool { return strings.HasPrefix(c.name, args[0]+" ") })
	switch {
	case group && len(args) > 1 && asksForHelp(args[1]):
		help(out, args[0])
		return 0
	case group && len(args) == 1:
		fmt.Fprintf(errs, "kith: %q needs one more word\n\n", args[0])
		help(errs, args[0])
		return 2
	}
	words := 1
	if group {
		words = 2
	}
	given := strings.Join(args[:words], " ")
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	if !group {
		names = append(names, groups()...)
	}
	fmt.Fprintf(errs, "kith: there is no command %q%s\n", given, didYouMean(given, names, "kith "))
	if group {
		fmt.Fprintln(errs)
		help(errs, args[0])
	} else {
		fmt.Fprintln(errs, "'kith help' lists the commands.")
	}
	return 2
}

// explain gives a problem's fields by the names of the options that they came from.
func explain(err error) string {
	p := problem.As(err)
	if p == nil || len(p.Fields) == 0 {
		if p != nil {
			return p.Detail
		}
		return err.Error()
	}
	var lines []string
	for _, f := range p.Fields {
		line := f.Field + " " + f.Message
		if len(f.Allowed) > 0 {
			line += "; allowed: " + strings.Join(f.Allowed, ", ")
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func find(args []string) (*command, []string) {
	for _, c := range slices.Concat(commands(), hidden()) {
		words := strings.Fields(c.name)
		if len(args) >= len(words) && slices.Equal(args[:len(words)], words) {
			return &c, args[len(words):]
		}
	}
	return nil, args
}

// groups are the first words of the commands that have two.
func groups() []string {
	var all []string
	for _, c := range commands() {
		if first, _, two := strings.Cut(c.name, " "); two && !slices.Contains(all, first) {
			all = append(all, first)
		}
	}
	return all
}

// help lists the commands, or those of one group.
func help(out io.Writer, group string) {
	if group == "" {
		fmt.Fprint(out, "kith is a multi-tenant customer-relationship (CRM) service.\n\n")
	}
	fmt.Fprintln(out, "Commands:")
	for _, c := range commands() {
		if group == "" || strings.HasPrefix(c.name, group+" ") {
			fmt.Fprintf(out, "  %-18s %s\n", c.name, c.about)
		}
	}
	fmt.Fprint(out, "\n'kith COMMAND --help' explains a command. Every option can also be set as an environment variable:\n--db as "+
		"KITH_DB, --admin-email as KITH_ADMIN_EMAIL.\n")
}
