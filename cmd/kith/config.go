package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/kith-crm/kith/internal/store/sqlite"
)

// setting is an option of serve as it is in force. From is the option or variable that it comes from, or default.
type setting struct {
	Name     string `json:"name"`
	Value    string `json:"value"`
	From     string `json:"from"`
	Variable string `json:"variable,omitempty"`
}

// config tells what serve would run with. It reads and checks the options as serve does, and begins nothing.
func config(ctx context.Context, c *invocation) error {
	c.jsonFlag()
	c.showing = !c.listing
	if err := serve(ctx, c); !c.showing || !errors.Is(err, errListed) {
		return err
	}
	var all []setting
	c.flags.VisitAll(func(f *flag.Flag) {
		if f.Name == "json" {
			return
		}
		from := c.given[f.Name]
		if from == "" {
			from = "default"
		}
		all = append(all, setting{f.Name, concealed(f.Value.String()), from, variable(f.Name)})
	})
	all = append(all, fromOthers(os.Environ())...)
	width := 0
	for _, s := range all {
		width = max(width, len(s.Name))
	}
	lines := make([]string, len(all))
	for i, s := range all {
		lines[i] = fmt.Sprintf("%-*s  %-32s %s", width, s.Name, quotedEmpty(s.Value), s.From)
	}
	return c.print(all, lines...)
}

func quotedEmpty(text string) string {
	if text == "" {
		return `""`
	}
	return text
}

// passwordIn finds a password among the parameters of an address.
var passwordIn = regexp.MustCompile(`(?i)([?&](?:ssl)?password=)[^&]*`)

// fromOthers are variables of the environment without an option that kith, or a library in it, goes by. Of those whose value may be
// secret it is only told that they are set.
func fromOthers(environment []string) (all []setting) {
	for _, pair := range environment {
		name, value, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, "OTEL_") && !strings.HasPrefix(name, "PG") &&
			!slices.Contains([]string{
				sqlite.MemoryVariable, "GOMAXPROCS", "GOMEMLIMIT", "GOGC", "GODEBUG", "SSL_CERT_FILE",
				"SSL_CERT_DIR",
			}, name) {
			continue
		}
		if strings.Contains(name, "HEADERS") || strings.Contains(name, "PASSWORD") {
			value = "(set)"
		}
		all = append(all, setting{Name: name, Value: concealed(value), From: "environment"})
	}
	slices.SortFunc(all, func(a, b setting) int { return strings.Compare(a.Name, b.Name) })
	return all
}
