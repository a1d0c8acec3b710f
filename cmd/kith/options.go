package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/migrations"
	"github.com/kith-crm/kith/internal/store/seal"
	"github.com/kith-crm/kith/internal/store/sqlite"
	"github.com/kith-crm/kith/internal/wiring"
)

// invocation is a command being run: its options and where it prints.
type invocation struct {
	command *command
	// commands are all that there are. What the environment sets is an option of one of them.
	commands  []command
	flags     *flag.FlagSet
	args      []string
	out, errs io.Writer
	db        string
	json      bool
	// engine is that of the database, once it was opened; it is closed when the command ends.
	engine *record.Engine
	// rules tell what is wrong with the value of an option, or nothing.
	rules map[string]func() string
	// given are the options on the command line, and those from the environment with their variable.
	given map[string]string
	// listing ends the command as soon as it has declared its options.
	listing bool
	// showing ends it when it has read and checked them.
	showing bool
	// operand is what a command takes besides its options, such as FILE; given has it under that name.
	operand string
	// needsNoDatabase is set by a command that has no --db.
	needsNoDatabase bool
}

func newInvocation(c *command, all []command, args []string, out, errs io.Writer) *invocation {
	return &invocation{
		command: c, commands: all, flags: flag.NewFlagSet("kith "+c.name, flag.ContinueOnError), args: args, out: out, errs: errs,
		rules: map[string]func() string{}, given: map[string]string{},
	}
}

// errUsage ends a command that was called wrongly; what is wrong has been said.
var errUsage = errors.New("wrong usage")

// errListed ends a command that was only asked for its options, or for what they are.
var errListed = errors.New("the options are declared")

// options gives the options of a command: every command declares them before it does anything.
func options(c command) *flag.FlagSet {
	inv := newInvocation(&c, nil, nil, io.Discard, io.Discard)
	inv.listing = true
	if err := c.run(context.Background(), inv); !errors.Is(err, errListed) {
		panic("kith " + c.name + " did something before it read its options")
	}
	return inv.flags
}

func variable(name string) string {
	return "KITH_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// usage explains the command and its options.
func (c *invocation) usage(out io.Writer) {
	fmt.Fprintf(out, "kith %s: %s\n\n  %s\n\nOptions (each can also be set as an environment variable):\n", c.command.name,
		c.command.about, c.command.usage)
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
	if !c.needsNoDatabase {
		c.flags.StringVar(&c.db, "db", "sqlite:kith.db", "the database: sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME")
	}
	if c.listing {
		return errListed
	}
	if err := c.readArguments(); err != nil {
		return err
	}
	if err := c.readEnvironment(); err != nil {
		return err
	}
	var wrong error
	c.flags.VisitAll(func(f *flag.Flag) {
		if rule := c.rules[f.Name]; rule != nil && wrong == nil {
			if says := rule(); says != "" {
				wrong = c.misused("%s %s, not %q", c.calls(f.Name), says, concealed(f.Value.String()))
			}
		}
	})
	if wrong != nil {
		return wrong
	}
	if c.operand != "" && c.given[c.operand] == "" {
		return c.misused("it needs %s, or %s", c.operand, standard)
	}
	for _, name := range required {
		if c.flags.Lookup(name).Value.String() == "" {
			return c.misused("it needs --%s (or %s)", name, variable(name))
		}
	}
	if c.showing {
		return errListed
	}
	return nil
}

// readArguments takes the options from the command line: --name value, --name=value, and --name alone for those that are on or off.
func (c *invocation) readArguments() error {
	if slices.ContainsFunc(c.args, func(arg string) bool { return arg != "help" && asksForHelp(arg) }) || len(c.args) == 1 &&
		c.args[0] == "help" {
		c.usage(c.out)
		return flag.ErrHelp
	}
	for args := c.args; len(args) > 0; {
		name, dashed := strings.CutPrefix(args[0], "-")
		name = strings.TrimPrefix(name, "-")
		if !dashed || name == "" {
			if c.operand == "" || c.given[c.operand] != "" || args[0] == "" || args[0] == "--" {
				return c.misused("it takes no argument %q", args[0])
			}
			c.given[c.operand], args = args[0], args[1:]
			continue
		}
		name, value, with := strings.Cut(name, "=")
		f := c.flags.Lookup(name)
		if f == nil {
			var names []string
			c.flags.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
			return c.misused("there is no option --%s%s", name, didYouMean(name, names, "--"))
		}
		args = args[1:]
		if _, bare := f.Value.(interface{ IsBoolFlag() bool }); bare && !with {
			value, with = "true", true
		}
		if !with {
			if len(args) == 0 {
				return c.misused("--%s needs a value", name)
			}
			value, args = args[0], args[1:]
		}
		if err := c.set(f, "--"+name, value); err != nil {
			return err
		}
	}
	return nil
}

// readEnvironment takes the options that the command line leaves out from their variables. A variable that no command knows is a
// slip of the pen, and the option that it was meant for would silently have another value.
func (c *invocation) readEnvironment() error {
	if strange := strangeVariables(c.commands, os.Environ()); len(strange) > 0 {
		return c.misused("the environment has %s", strings.Join(strange, ", and "))
	}
	var wrong error
	c.flags.VisitAll(func(f *flag.Flag) {
		value, ok := os.LookupEnv(variable(f.Name))
		if ok && c.given[f.Name] == "" && wrong == nil {
			wrong = c.set(f, variable(f.Name), value)
		}
	})
	return wrong
}

func (c *invocation) set(f *flag.Flag, from, value string) error {
	if err := f.Value.Set(value); err != nil {
		says := err.Error()
		if getter, ok := f.Value.(flag.Getter); ok {
			switch getter.Get().(type) {
			case int:
				says = "must be a whole number"
			case time.Duration:
				says = "must be a time such as 500ms, 10s or 2m"
			case bool:
				says = "must be true or false"
			}
		}
		return c.misused("%s %s, not %q", from, says, concealed(value))
	}
	c.given[f.Name] = from
	return nil
}

// calls is how the caller named an option.
func (c *invocation) calls(name string) string {
	if from := c.given[name]; from != "" {
		return from
	}
	return "--" + name
}

// injected are variables that Kubernetes gives every container for each service: those of a service called kith, or kith-db, begin
// like ours.
var injected = regexp.MustCompile(`^KITH_(\w+_)?(SERVICE_HOST=|SERVICE_PORT(_\w+)?=|` +
	`PORT=(tcp|udp|sctp)://|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?=)`)

// strangeVariables names the variables that begin like kith's and mean nothing to any command. Those of the tests and benchmarks
// are let pass.
func strangeVariables(all []command, environment []string) (strange []string) {
	known := []string{}
	for _, c := range all {
		options(c).VisitAll(func(f *flag.Flag) { known = append(known, variable(f.Name)) })
	}
	for _, pair := range environment {
		name, _, _ := strings.Cut(pair, "=")
		switch {
		case !strings.HasPrefix(name, "KITH_") || slices.Contains(known, name):
		case strings.HasPrefix(name, "KITH_TEST_"), strings.HasPrefix(name, "KITH_BENCH_"), name == "KITH_POSTGRES_FROM",
			name == sqlite.MemoryVariable:
		case injected.MatchString(pair):
		default:
			strange = append(strange, name+", which no option of kith is called"+didYouMean(name, known, ""))
		}
	}
	slices.Sort(strange)
	return strange
}

// number declares an option that is a whole number within bounds.
func (c *invocation) number(name string, value, least, most int, about string) *int {
	to := c.flags.Int(name, value, about)
	c.bound(name, to, least, most)
	return to
}

func (c *invocation) bound(name string, value *int, least, most int) {
	c.rules[name] = func() string {
		if *value < least || *value > most {
			return fmt.Sprintf("must be a whole number from %d to %d", least, most)
		}
		return ""
	}
}

// duration declares an option that is a length of time within bounds.
func (c *invocation) duration(to *time.Duration, name string, value, least, most time.Duration, about string) {
	c.flags.DurationVar(to, name, value, about)
	c.rules[name] = func() string {
		if *to < least || *to > most {
			return fmt.Sprintf("must be from %v to %v", least, most)
		}
		return ""
	}
}

// atLeast bounds an option that is a length of time.
func (c *invocation) atLeast(name string, value *time.Duration, least time.Duration) {
	c.rules[name] = func() string {
		if *value < least {
			return fmt.Sprintf("must be %v or longer", least)
		}
		return ""
	}
}

// text declares an option whose text must keep a rule.
func (c *invocation) text(name, value, about string, rule func(string) string) *string {
	to := c.flags.String(name, value, about)
	c.rules[name] = func() string { return rule(*to) }
	return to
}

// isAddress is the rule of addresses to listen on.
func isAddress(text string) string {
	_, port, err := net.SplitHostPort(text)
	if n, bad := strconv.Atoi(port); err != nil || bad != nil || n < 0 || n > 65535 {
		return "must be HOST:PORT, such as 127.0.0.1:8080, or :8080 for every network card"
	}
	return ""
}

// isOrigin is the rule of the address that people reach the server as.
func isOrigin(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || text != u.Scheme+"://"+u.Host {
		return "must be http:// or https:// and a host, such as https://crm.example.com, without a path or a slash at the end"
	}
	return ""
}

// orEmpty lets an option be left out.
func orEmpty(rule func(string) string) func(string) string {
	return func(text string) string {
		if text == "" {
			return ""
		}
		return rule(text)
	}
}

func (c *invocation) jsonFlag() {
	c.flags.BoolVar(&c.json, "json", false, "print one JSON object instead of text")
}

// openOrMake opens and migrates the database, and makes it where it is missing.
func (c *invocation) openOrMake(ctx context.Context) (_ *record.Engine, err error) {
	c.engine, err = c.openWith(ctx, nil)
	return c.engine, err
}

// open opens and migrates a database that is there. Where it is not, the address is mistyped more often than not, and nothing is made.
func (c *invocation) open(ctx context.Context) (_ *record.Engine, err error) {
	const makers = "kith serve, migrate, demo and business create make one"
	if path, missing := sqlite.NoFile(c.db); missing {
		return nil, fmt.Errorf("there is no database at %s; %s", path, makers)
	}
	c.engine, err = c.openWith(ctx, func(s *store.Store) error {
		steps, err := s.Migrations(ctx)
		if err == nil && !slices.ContainsFunc(steps, func(m migrations.Step) bool { return m.Applied }) {
			err = fmt.Errorf("%s is not a database of kith; %s", shown(c.db), makers)
		}
		return err
	})
	return c.engine, err
}

// openWith opens and migrates the database if it passes a check, where there is one. Whoever calls it closes it.
func (c *invocation) openWith(ctx context.Context, check func(*store.Store) error) (*record.Engine, error) {
	s, err := store.Open(ctx, c.db, record.Registry)
	if err != nil {
		return nil, err
	}
	if c.command.name != "serve" {
		s.Operate()
	}
	if check != nil {
		err = check(s)
	}
	if err == nil {
		_, err = s.Migrate(ctx)
	}
	var e *record.Engine
	if err == nil {
		e, err = wiring.NewEngine(ctx, s)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return e, nil
}

// password is what follows the user's name in an address, be the rest of the address right or wrong.
var password = regexp.MustCompile(`(?s)(://[^/@:]*):.*@`)

// shown is the address of a database or mail server without its password: complaints end in logs, which more people read than the
// environment.
func shown(address string) string {
	return password.ReplaceAllString(address, "$1:xxxxx@")
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

// standard is the operand that names standard output or input instead of a file.
const standard = "-"

// concealed is a value without the passwords in it.
func concealed(value string) string {
	if strings.HasPrefix(value, seal.KeyPrefix) {
		return seal.KeyPrefix + "xxxxx"
	}
	return passwordIn.ReplaceAllString(shown(value), "${1}xxxxx")
}

// command is one entry of the help, and what it runs.
type command struct {
	name, about, usage string
	run                func(ctx context.Context, c *invocation) error
}

// exit ends a command with a code of its own.
type exit struct {
	code int
	error
}

func asksForHelp(word string) bool {
	return word == "help" || word == "--help" || word == "-help" || word == "-h"
}

// didYouMean suggests the name that is nearest to one that is not there, if any is near.
func didYouMean(given string, names []string, before string) string {
	best := problem.Nearest(given, names)
	if best == "" {
		return ""
	}
	return " (did you mean " + before + best + "?)"
}
