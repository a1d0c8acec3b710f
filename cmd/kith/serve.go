package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"kith/internal/httpapi"
)

// patience is how long requests under way may take after the order to stop.
const patience = 15 * time.Second

func serve(ctx context.Context, c *invocation) error {
	addr := c.flags.String("addr", "127.0.0.1:8080", "the address to listen on")
	rate := c.flags.Int("rate-limit", 0, "requests per second that a token may make; 0 is no limit")
	burst := c.flags.Int("rate-burst", 100, "requests that a token may make at once under --rate-limit")
	level := c.flags.String("log-level", "info", "debug, info, warn or error; info logs every request")
	if err := c.parse(); err != nil {
		return err
	}
	var at slog.Level
	if err := at.UnmarshalText([]byte(*level)); err != nil {
		return c.misused("--log-level must be debug, info, warn or error, not %q", *level)
	}
	log := slog.New(slog.NewJSONHandler(c.errs, &slog.HandlerOptions{Level: at}))
	engine, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer engine.Store().Close()
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler:           httpapi.New(engine, httpapi.Options{Log: log, RateLimit: *rate, RateBurst: *burst}),
		MaxHeaderBytes:    32<<10 - 4096, // net/http allows 4 KiB more than it is told
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       60 * time.Second,
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	log.Info("serving", "address", "http://"+listener.Addr().String(), "database", engine.Store().Engine())
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	log.Info("stopping")
	rest, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := server.Shutdown(rest); err != nil {
		return errors.Join(fmt.Errorf("requests were still under way after %v: %w", patience, err), server.Close())
	}
	log.Info("stopped")
	return nil
}
