package store

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// lines are the connections to the server that is in use. When that is lost they are cut, and there are others for the one that is found next: what a pool still has to do
// about connections that hang keeps nobody waiting.
type lines struct {
	pool *pgxpool.Pool
	// keeper has the connections for credentials.
	keeper *pgxpool.Pool
	host   int
	heard  *atomic.Int64

	mu    sync.Mutex
	open  map[*listening]bool
	isCut bool
}

// errCut is the failure of who would use a line that was cut.
var errCut = errors.New("the server did not answer, and its connections were closed")

// dialer makes connections on which it is noticed that nobody is there any more.
var dialer = net.Dialer{KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 5 * time.Second, Count: 3}}

// newLines prepares connections to a host; they are made when they are needed.
func (e *postgresEngine) newLines(host int) (*lines, error) {
	l := &lines{host: host, heard: &e.pulse.heard, open: map[*listening]bool{}}
	config := e.config.Copy()
	config.ConnConfig = e.hosts[host].Copy()
	config.ConnConfig.DialFunc = l.dial
	keeping := config.Copy()
	keeping.MaxConns, keeping.MinConns, keeping.MinIdleConns = keepers, 0, 0
	var err error
	if l.pool, err = pgxpool.NewWithConfig(context.Background(), config); err != nil {
		return nil, err
	}
	if l.keeper, err = pgxpool.NewWithConfig(context.Background(), keeping); err != nil {
		l.pool.Close()
		return nil, err
	}
	return l, nil
}

func (l *lines) dial(ctx context.Context, network, address string) (net.Conn, error) {
	l.mu.Lock()
	isCut := l.isCut
	l.mu.Unlock()
	if isCut {
		return nil, errCut
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
		return nil, errCut
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
	l.pool.Close()
	l.keeper.Close()
}

// switchTo has everybody use a host from now on.
func (e *postgresEngine) switchTo(host int) {
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

// on runs fn on a connection, one of those for credentials where keeper is set.
func (e *postgresEngine) on(ctx context.Context, keeper bool, fn func(*pgx.Conn) error) error {
	began := time.Now()
	for {
		if err := e.pulse.why(); err != nil {
			return err
		}
		l := e.lines.Load()
		pool := l.pool
		if keeper {
			pool = l.keeper
		}
		pooled, err := pool.Acquire(ctx)
		switch {
		case err == nil:
			defer pooled.Release()
			return fn(pooled.Conn())
		case ctx.Err() == nil && e.lines.Load() != l:
			continue // they were replaced in the same moment
		case ctx.Err() != nil && time.Since(began) < longConnect:
			return err // there was no time to begin with
		}
		return fmt.Errorf("%w: %w", errLost, err)
	}
}

// longConnect is from when on the time of a request was used up by waiting for a connection.
const longConnect = connectTime / 4
