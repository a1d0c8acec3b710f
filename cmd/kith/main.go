// Command kith is the whole product in one program: it serves the API, and has the commands with which an operator sets it up.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"kith/internal/crm"
	"kith/internal/problem"
	"kith/internal/store"
)

// command is one entry of the help, and what it runs.
type command struct {
	name, about, usage string
	run                func(ctx context.Context, c *invocation) error
}

var commands = []command{
	{"serve", "serve the API; creates and migrates the database where needed", "kith serve --db sqlite:kith.db --addr 127.0.0.1:8080", serve},
	{"demo", "make a demo business with believable data, and a token to try it", "kith demo --db sqlite:kith.db --json", makeDemo},
	{"business create", "make a business with its administrator and a token", "kith business create --name 'Acme' --admin-email anna@acme.test --admin-password '…'", businessCreate},
	{"business list", "list the businesses", "kith business list", businessList},
	{"user create", "add a user to a business", "kith user create --business business_… --email ben@acme.test --name 'Ben' --role member --password '…'", userCreate},
	{"token create", "make a personal access token; its secret is shown once", "kith token create --business business_… --user anna@acme.test --scopes contact.read,deal.all", tokenCreate},
	{"token list", "list the tokens of a business, without their secrets", "kith token list --business business_…", tokenList},
	{"token revoke", "end a token at once", "kith token revoke --business business_… --id token_…", tokenRevoke},
	{"app create", "make an app of a business, with a client id and secret for OAuth", "kith app create --business business_… --user anna@acme.test --scopes contact.read --name 'Nightly sync'", appCreate},
	{"bench", "measure this program on this machine, beside the floor of its database", "kith bench --contacts 200000", runBench},
	{"migrate", "bring the database to this version's layout; --status only tells", "kith migrate --db sqlite:kith.db --status", migrate},
}

// hidden commands are run by kith itself.
var hidden = []command{{"bench-floor", "the bare server that a benchmark compares with", "", benchFloor}}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, out, errs io.Writer) int {
	c, rest := find(args)
	if c == nil {
		if len(args) == 0 || args[0] == "help" || args[0] == "--help" || args[0] == "-h" {
			help(out)
			return 0
		}
		fmt.Fprintf(errs, "kith: there is no command %q\n\n", strings.Join(args[:min(2, len(args))], " "))
		help(errs)
		return 2
	}
	inv := &invocation{command: c, flags: flag.NewFlagSet("kith "+c.name, flag.ContinueOnError), args: rest, out: out, errs: errs}
	inv.flags.SetOutput(errs)
	inv.flags.Usage = func() {} // parse shows it, where it belongs
	err := c.run(ctx, inv)
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errUsage):
		return 2
	}
	fmt.Fprintln(errs, "kith "+c.name+": "+explain(err))
	return 1
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
	for _, c := range slices.Concat(commands, hidden) {
		words := strings.Fields(c.name)
		if len(args) >= len(words) && slices.Equal(args[:len(words)], words) {
			return &c, args[len(words):]
		}
	}
	return nil, args
}

func help(out io.Writer) {
	fmt.Fprint(out, "kith is a multi-tenant customer-relationship (CRM) service.\n\nCommands:\n")
	for _, c := range commands {
		fmt.Fprintf(out, "  %-16s %s\n", c.name, c.about)
	}
	fmt.Fprint(out, "\n'kith COMMAND --help' explains a command. Every option can also be set as an environment variable:\n--db as KITH_DB, --admin-email as KITH_ADMIN_EMAIL.\n")
}

// invocation is a command being run: its options and where it prints.
type invocation struct {
	command   *command
	flags     *flag.FlagSet
	args      []string
	out, errs io.Writer
	db        string
	json      bool
}

// errUsage ends a command that was called wrongly; what is wrong has been said.
var errUsage = errors.New("wrong usage")

func variable(name string) string {
	return "KITH_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// usage explains the command and its options.
func (c *invocation) usage(out io.Writer) {
	fmt.Fprintf(out, "kith %s: %s\n\n  %s\n\nOptions (each can also be set as an environment variable):\n", c.command.name, c.command.about, c.command.usage)
	c.flags.VisitAll(func(f *flag.Flag) {
		fmt.Fprintf(out, "  --%-16s %s", f.Name, f.Usage)
		if f.DefValue != "" && f.DefValue != "false" {
			fmt.Fprintf(out, " (default %s)", f.DefValue)
		}
		fmt.Fprintf(out, " [%s]\n", variable(f.Name))
	})
}

// misused says what is wrong with the call of the command.
func (c *invocation) misused(format string, args ...any) error {
	fmt.Fprintf(c.errs, c.flags.Name()+": "+format+"; see "+c.flags.Name()+" --help\n", args...)
	return errUsage
}

// parse reads the options. One that is not given on the command line comes from its environment variable.
func (c *invocation) parse(required ...string) error {
	c.flags.StringVar(&c.db, "db", "sqlite:kith.db", "the database: sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME")
	if err := c.flags.Parse(c.args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			c.usage(c.out)
			return err
		}
		fmt.Fprintln(c.errs)
		c.usage(c.errs)
		return errUsage
	}
	if c.flags.NArg() > 0 {
		return c.misused("it takes no argument %q", c.flags.Arg(0))
	}
	given := map[string]bool{}
	c.flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
	var wrong error
	c.flags.VisitAll(func(f *flag.Flag) {
		value, ok := os.LookupEnv(variable(f.Name))
		if !ok || given[f.Name] {
			return
		}
		if err := f.Value.Set(value); err != nil {
			wrong = c.misused("the environment variable %s has the value %q, which is not valid for --%s", variable(f.Name), value, f.Name)
		}
	})
	if wrong != nil {
		return wrong
	}
	for _, name := range required {
		if c.flags.Lookup(name).Value.String() == "" {
			return c.misused("it needs --%s (or %s)", name, variable(name))
		}
	}
	return nil
}

func (c *invocation) jsonFlag() {
	c.flags.BoolVar(&c.json, "json", false, "print one JSON object instead of text")
}

// open opens and migrates the database.
func (c *invocation) open(ctx context.Context) (*crm.Engine, error) {
	s, err := store.Open(ctx, c.db, crm.Registry)
	if err != nil {
		return nil, err
	}
	if _, err := s.Migrate(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	e, err := crm.NewEngine(ctx, s)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return e, nil
}

// print shows a result: as JSON, or as one line for each of its parts.
func (c *invocation) print(result any, lines ...string) error {
	if c.json {
		return json.NewEncoder(c.out).Encode(result)
	}
	for _, line := range lines {
		fmt.Fprintln(c.out, line)
	}
	return nil
}
