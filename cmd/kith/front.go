package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// patience is how long requests under way may take after the order to stop.
const patience = 15 * time.Second

// front is where clients come in.
type front struct {
	listener    net.Listener
	tls         *tls.Config // or nil for plain http
	limits      patienceWithClients
	connections *connections
	// delay is how long it goes on after the order to stop, where watched tells that there is somebody who would see that it is about to.
	delay   time.Duration
	watched func() bool
	log     *slog.Logger
}

func (f *front) scheme() string {
	if f.tls != nil {
		return "https://"
	}
	return "http://"
}

// address is where it listens.
func (f *front) address() string { return f.scheme() + f.listener.Addr().String() }

// reachable is an address to call the server by on its own machine.
func (f *front) reachable() string { return f.scheme() + callable(f.listener.Addr().String()) }

// callable is an address by which to call what listens on another. All network cards are no address to call; loopback is one of them.
func callable(at string) string {
	host, port, err := net.SplitHostPort(at)
	if err != nil {
		return at
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}

// patienceWithClients is how long they may take: to send a request, and then until they have read the answer.
type patienceWithClients struct{ read, write time.Duration }

// longestHead is how long a client may take for the head of a request, before anybody knows who it is.
const longestHead = 10 * time.Second

// mostHead is how many bytes the head of a request may have, less the 4 KiB that net/http allows beyond what it is told.
const mostHead = 32<<10 - 4096

// serve answers requests until the order to stop comes, and finishes those that it has accepted.
func (f *front) serve(ctx context.Context, handler http.Handler) error {
	var leaving atomic.Bool
	server := &http.Server{
		Handler:           closingAfterChunks(sendingAway(handler, &leaving)),
		TLSConfig:         f.tls,
		MaxHeaderBytes:    mostHead,
		ReadHeaderTimeout: min(f.limits.read, longestHead),
		ReadTimeout:       f.limits.read,
		WriteTimeout:      f.limits.write, // also for who asks and does not read
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          slog.NewLogLogger(f.log.Handler(), slog.LevelDebug),
		ConnState:         f.connections.note,
	}
	failed := make(chan error, 1)
	go func() {
		if f.tls != nil {
			failed <- server.ServeTLS(f.listener, "", "")
		} else {
			failed <- server.Serve(f.listener)
		}
	}()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	f.log.Info("stopping")
	if f.delay > 0 && f.watched() {
		leaving.Store(true)
		select {
		case err := <-failed:
			return err
		case <-time.After(f.delay):
		}
	}
	rest, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := server.Shutdown(rest); err != nil {
		return errors.Join(fmt.Errorf("requests were still under way after %v: %w", patience, err), server.Close())
	}
	f.log.Info("stopped")
	return nil
}

// sendingAway ends connections with their next answer, once the server is about to stop: whoever comes back comes elsewhere.
// Connections that wait are left alone, because a proxy may be sending a request on one just now.
func sendingAway(next http.Handler, leaving *atomic.Bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if leaving.Load() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// closingAfterChunks ends the connection of an HTTP/1 request whose body came in chunks. net/http takes one that also has a length
// by its chunks, as it should, and does not tell that it had; a proxy in front that went by the length would take the rest for
// another request of somebody's.
func closingAfterChunks(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.TransferEncoding) > 0 && r.ProtoMajor == 1 {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}
