package postgres

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// ErrCut is the failure of who would use a line that was cut.
var ErrCut = errors.New("the server did not answer, and its connections were closed")

// dialer makes connections on which it is noticed that nobody is there any more.
var dialer = net.Dialer{KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 5 * time.Second, Count: 3}}

// newLines prepares connections to a host; they are made when they are needed.
func (e *Engine) newLines(host int) (*lines, error) {
	l := &lines{host: host, heard: &e.healthProbe.heard, open: map[*listening]bool{}, keeping: map[int64]*pgxpool.Pool{}}
	config := e.config.Copy()
	config.ConnConfig = e.hosts[host].Copy()
	config.ConnConfig.DialFunc = l.dial
	l.config = config.Copy()
	l.config.MaxConns, l.config.MinConns, l.config.MinIdleConns = keepers, 0, 0
	var err error
	if l.pool, err = pgxpool.NewWithConfig(context.Background(), config); err != nil {
		return nil, err
	}
	return l, nil
}

// keeper gives the connections for credentials on a machine.
func (l *lines) keeper(machine int64) (*pgxpool.Pool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	pool := l.keeping[machine]
	if pool != nil || l.keeping == nil {
		return pool, nil
	}
	pool, err := pgxpool.NewWithConfig(context.Background(), l.config)
	if err == nil {
		l.keeping[machine] = pool
	}
	return pool, err
}

// keepers gives all of these.
func (l *lines) keepers() []*pgxpool.Pool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Collect(maps.Values(l.keeping))
}

func (l *lines) dial(ctx context.Context, network, address string) (net.Conn, error) {
	l.mu.Lock()
	isCut := l.isCut
	l.mu.Unlock()
	if isCut {
		return nil, ErrCut
	}
	c, err := dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	line := &listening{c, l}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.isCut {
		_ = c.Close()
		return nil, ErrCut
	}
	l.open[line] = true
	return line, nil
}

// cut ends all that is under way on the lines, and lets nothing new begin.
func (l *lines) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.isCut = true
	for line := range l.open {
		_ = line.Conn.Close()
	}
	clear(l.open)
}

// retire closes lines that nobody is given any more, when what is under way has ended.
func (l *lines) retire() {
	all := append(l.keepers(), l.pool)
	l.mu.Lock()
	l.keeping = nil // nobody makes another
	l.mu.Unlock()
	for _, pool := range all {
		pool.Close()
	}
}

// switchTo has everybody use a host from now on.
func (e *Engine) switchTo(host int) {
	fresh, err := e.newLines(host)
	if err != nil {
		return // as it could be made before from the same configuration, it can be now
	}
	old := e.lines.Swap(fresh)
	if old == nil {
		return
	}
	if old.host != host {
		old.cut() // whoever is still asked there is no longer the one to ask
	}
	go old.retire()
}

// requestConns are the connections of requests, in place of the machine whose credentials are read.
const requestConns = -1

// on runs fn on a connection: one for requests, or one of those for the credentials that a machine of a cluster has. Of one server these
// are the coordinator's.
func (e *Engine) on(ctx context.Context, credentials int64, fn func(*pgx.Conn) error) error {
	began := time.Now()
	for {
		if err := e.healthProbe.why(); err != nil {
			return err
		}
		l := e.lines.Load()
		pool, err := l.pool, error(nil)
		if credentials != requestConns {
			pool, err = l.keeper(credentials)
		}
		var pooled *pgxpool.Conn
		if err == nil && pool == nil {
			err = ErrCut // it was retired in the same moment
		}
		if err == nil {
			pooled, err = pool.Acquire(ctx)
		}
		switch {
		case err == nil:
			defer pooled.Release()
			return fn(pooled.Conn())
		case ctx.Err() == nil && e.lines.Load() != l:
			continue // they were replaced in the same moment
		case ctx.Err() != nil && time.Since(began) < longConnect:
			return err // there was no time to begin with
		}
		return fmt.Errorf("%w: %w", ErrLost, err)
	}
}

// longConnect is from when on the time of a request was used up by waiting for a connection.
const longConnect = connectTime / 4
