package main

import (
	"context"
	"expvar"
	"fmt"
	"net/http"
	"net/http/pprof"
	"os"
	"time"

	"kith/internal/bench"
	"kith/internal/schema"
)

func runBench(ctx context.Context, c *invocation) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	o := bench.Options{Program: program, Out: c.errs}
	o.Flags(c.flags)
	c.flags.DurationVar(&o.Mix, "mix", time.Minute, "how long to run the mix of reads and writes")
	c.flags.StringVar(&o.DB, "bench-db", "", "an empty PostgreSQL database to use: postgres://…; a temporary SQLite file when empty")
	if err := c.parse(); err != nil {
		return err
	}
	result, err := bench.Run(ctx, o)
	if err != nil {
		return err
	}
	result.Table(c.out)
	return nil
}

// benchFloor is the other server of a benchmark; it is not for people and not in the help.
func benchFloor(ctx context.Context, c *invocation) error {
	addr := c.flags.String("addr", "", "the address to listen on")
	debug := c.flags.String("debug-addr", "", "the address to learn on")
	business := c.flags.String("business", "", "the business")
	record := c.flags.String("record", "", "the contact that new ones are made after")
	if err := c.parse("addr", "debug-addr", "business", "record"); err != nil {
		return err
	}
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
	go func() {
		mux := debugRoutes()
		mux.HandleFunc("POST /learn", floor.Teach)
		fmt.Fprintln(c.errs, http.ListenAndServe(*debug, mux))
	}()
	server := &http.Server{Addr: *addr, Handler: floor, ReadHeaderTimeout: time.Minute}
	go func() {
		<-ctx.Done()
		_ = server.Close()
	}()
	if err := server.ListenAndServe(); err != http.ErrServerClosed {
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
