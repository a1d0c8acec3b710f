// Peers measures kith beside another product on the same machine, in the same minute, with the same contacts and the same
// questions. It is a module of its own, so that kith depends on nothing of it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/kith-crm/kith/internal/bench"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	run := compare
	if len(os.Args) > 1 && os.Args[1] == "pocketbase" {
		run = servePocketBase
	}
	if err := run(ctx); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func compare(ctx context.Context) error {
	o := bench.Options{}
	if info, err := os.Stderr.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		o.Out = os.Stderr
	}
	flags := flag.NewFlagSet("peers", flag.ContinueOnError)
	o.Flags(flags)
	flags.StringVar(&o.Program, "kith", "bin/kith", "the program to measure")
	if err := flags.Parse(os.Args[1:]); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "kith-peers")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	o.Peer = &pocketBase{dir: dir}
	result, err := bench.Run(ctx, o)
	if err != nil {
		return err
	}
	result.Table(os.Stdout)
	return bench.Save(o.JSON, []*bench.Result{result})
}
