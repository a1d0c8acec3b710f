package main

import (
	"bytes"
	"context"
	"expvar"
	"log/slog"
	"net/http"
	"net/http/pprof"
	"os"
	"runtime"
	"time"

	"github.com/kith-crm/kith/internal/bench"
	"github.com/kith-crm/kith/internal/schema"
)

func runBench(ctx context.Context, c *invocation) error {
	var o bench.Options
	if onTerminal(c.errs) {
		o.Out = c.errs
	}
	o.Flags(c.flags)
	c.flags.DurationVar(&o.Mix, "mix", time.Minute, "how long to run the mix of reads and writes")
	postgres := c.flags.String("bench-postgres", "",
		"measure on PostgreSQL too, in a database of its own that is made in this server and dropped: postgres://…")
	c.flags.Func("growth", "measure how reads grow instead: numbers of contacts, separated by commas, each in one business and in "+
		"--businesses", func(text string) (err error) {
		o.Growth, err = bench.ParseGrowth(text)
		return err
	})
	plot := c.flags.String("plot", "", "draw the growth into this SVG file")
	c.bound("contacts", &o.Contacts, 100, 100_000_000)
	c.bound("deals", &o.Deals, 0, 10_000_000)
	c.bound("businesses", &o.Businesses, 1, 1_000_000)
	c.bound("connections", &o.Connections, 1, 10_000)
	c.atLeast("each", &o.Each, time.Millisecond)
	c.atLeast("mix", &o.Mix, 0)
	if err := c.parse(); err != nil {
		return err
	}
	var err error
	if o.Program, err = os.Executable(); err != nil { // which is not known where there is no /proc
		return err
	}
	switch {
	case *plot != "" && o.Growth == nil:
		return c.misused("--plot needs --growth")
	case o.Growth != nil && o.Businesses < 2:
		return c.misused("--growth compares one business with several: it needs --businesses 2 or more")
	case o.Growth != nil:
		return growth(ctx, c, o, *plot)
	}
	servers := []string{""}
	if *postgres != "" {
		servers = append(servers, *postgres)
	}
	var results []*bench.Result
	for _, o.Postgres = range servers {
		result, err := bench.Run(ctx, o)
		if err != nil {
			return err
		}
		result.Table(c.out)
		results = append(results, result)
	}
	return bench.Save(o.JSON, results)
}

// growth measures how reads grow, prints the tables and draws the plot.
func growth(ctx context.Context, c *invocation, o bench.Options, plot string) error {
	g, err := bench.RunGrowth(ctx, o)
	if err != nil {
		return err
	}
	if plot != "" {
		var svg bytes.Buffer
		g.Plot(&svg)
		if err := os.WriteFile(plot, svg.Bytes(), 0o644); err != nil {
			return err
		}
	}
	g.Markdown(c.out)
	return bench.Save(o.JSON, g)
}

// benchFloor is the other server of a benchmark; it is not for people and not in the help.
func benchFloor(ctx context.Context, c *invocation) error {
	addr := c.text("addr", "", "the address to listen on", orEmpty(isAddress))
	debug := c.text("debug-addr", "", "the address to learn on", orEmpty(isAddress))
	business := c.flags.String("business", "", "the business")
	record := c.flags.String("record", "", "the contact that new ones are made after")
	if err := c.parse("addr", "debug-addr", "business", "record"); err != nil {
		return err
	}
	defer runtime.KeepAlive(newBallast())
	floor, err := bench.NewFloor(ctx, c.db)
	if err != nil {
		return err
	}
	businessID, err := schema.ParseID("business", *business)
	if err != nil {
		return err
	}
	recordID, err := schema.ParseID("contact", *record)
	if err != nil {
		return err
	}
	if err := floor.Pattern(ctx, businessID, recordID); err != nil {
		return err
	}
	defer floor.Close()
	log := slog.New(slog.NewJSONHandler(c.errs, nil))
	learning, err := listen(*debug, false)
	if err != nil {
		return err
	}
	defer learning.Close()
	listener, err := listen(*addr, false)
	if err != nil {
		return err
	}
	mux := debugRoutes()
	mux.HandleFunc("POST /learn", floor.Teach)
	go func() { log.Error("learning", "error", http.Serve(learning, mux)) }()
	server := &http.Server{Handler: floor, ReadHeaderTimeout: time.Minute}
	go func() {
		<-ctx.Done()
		_ = server.Close()
	}()
	log.Info(bench.Debugging, "address", "http://"+learning.Addr().String())
	log.Info(bench.Serving, "address", "http://"+listener.Addr().String())
	if err := server.Serve(listener); err != http.ErrServerClosed {
		return err
	}
	return nil
}

// debugRoutes are the profiles and counters of a process, for its operator alone.
func debugRoutes() *http.ServeMux {
	mux := http.NewServeMux()
	mux.Handle("GET /debug/vars", expvar.Handler())
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return mux
}
