package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kith-crm/kith/internal/store/engine"
)

// A server that is gone refuses connections, and whoever asks is told at once. One that hangs says nothing: its machine still takes
// what is sent, and everybody waits. So the health probe of the server is felt all the time, on a connection of its own. When there is
// none any more, what waits for the server is cut off, nobody else is let wait, and all the hosts that the address names are asked
// at once, again and again, until one of them is there that takes writes. Nothing has to be restarted for that.

const (
	// connectTime is how long a server may take to let somebody in, where the address does not say, and how long it may say nothing.
	connectTime = 2 * time.Second
	// probePause is how long it is from one beat to the next, and seekPause between two attempts to reach a host.
	probePause = 500 * time.Millisecond
	seekPause  = 200 * time.Millisecond
)

// ErrDown is what everybody gets while no server answers.
var ErrDown = errors.New("no server answers")

// health probe knows whether the server lives.
type healthProbe struct {
	hosts []*pgx.ConnConfig
	// patience is how long the server may say nothing.
	patience time.Duration
	// heard counts what came from the server, on any connection.
	heard atomic.Int64
	// down is why there is no server, or nil while there is one.
	down atomic.Pointer[error]
	// found is told of each server that was found, and lost when there is none any more.
	found func(host int)
	lost  func()

	// conn is its connection, and host where that leads.
	conn *pgx.Conn
	host int

	// felt is closed with the next beat, and feel asks for one now.
	mu   sync.Mutex
	felt chan struct{}
	feel chan struct{}
	// under ends with stop, and done is closed when the last beat is over.
	under context.Context
	stop  context.CancelFunc
	done  chan struct{}
}

// hostsOf are the configurations for each host of an address by itself. What leads to the same host in another way, without TLS,
// stays with it.
func hostsOf(config *pgx.ConnConfig) []*pgx.ConnConfig {
	var hosts []*pgx.ConnConfig
	last := func(host string, port uint16) *pgx.ConnConfig {
		if n := len(hosts); n > 0 && hosts[n-1].Host == host && hosts[n-1].Port == port {
			return hosts[n-1]
		}
		return nil
	}
	all := append([]*pgconn.FallbackConfig{{Host: config.Host, Port: config.Port, TLSConfig: config.TLSConfig}}, config.Fallbacks...)
	for _, way := range all {
		if known := last(way.Host, way.Port); known != nil {
			known.Fallbacks = append(known.Fallbacks, way)
			continue
		}
		one := config.Copy()
		one.Host, one.Port, one.TLSConfig, one.Fallbacks = way.Host, way.Port, way.TLSConfig, nil
		hosts = append(hosts, one)
	}
	return hosts
}

func newHealthProbe(config *pgx.ConnConfig) *healthProbe {
	p := &healthProbe{patience: config.ConnectTimeout, felt: make(chan struct{}), feel: make(chan struct{}, 1), done: make(chan struct{})}
	config = config.Copy()
	config.RuntimeParams["application_name"] = "kith health probe"
	config.BuildContextWatcherHandler = func(c *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.DeadlineContextWatcherHandler{Conn: c.Conn()} // a server that says nothing need not be asked to stop
	}
	p.hosts = hostsOf(config)
	return p
}

// begin looks for a server, and then feels its health probe until end. It fails where every host was tried in vain.
func (p *healthProbe) begin(ctx context.Context) error {
	if err := p.search(ctx, true); err != nil {
		return err
	}
	p.under, p.stop = context.WithCancel(context.Background())
	go func() {
		defer close(p.done)
		for p.under.Err() == nil {
			p.beat(p.under)
			select {
			case <-p.under.Done():
			case <-p.feel:
			case <-time.After(probePause):
			}
		}
		p.drop()
	}()
	return nil
}

func (p *healthProbe) end() {
	p.stop()
	<-p.done
}

// why gives the reason why nobody need ask the server, or nil.
func (p *healthProbe) why() error {
	if down := p.down.Load(); down != nil {
		return *down
	}
	return nil
}

// ping waits for the next beat. While no server answers there is none to wait for.
func (p *healthProbe) ping(ctx context.Context) error {
	if err := p.why(); err != nil {
		return err
	}
	p.mu.Lock()
	felt := p.felt
	p.mu.Unlock()
	select {
	case p.feel <- struct{}{}:
	default:
	}
	late := time.NewTimer(p.patience)
	defer late.Stop()
	select {
	case <-felt:
		return p.why()
	case <-p.done:
		return engine.ErrClosed
	case <-late.C:
		return errors.Join(ErrDown, p.why())
	case <-ctx.Done():
		return ctx.Err()
	}
}

// tell lets those go on who wait for a beat.
func (p *healthProbe) tell(down error) {
	if down == nil {
		p.down.Store(nil)
	} else {
		p.down.Store(&down)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.felt)
	p.felt = make(chan struct{})
}

// beat asks the server, and looks for another where it does not answer.
func (p *healthProbe) beat(ctx context.Context) {
	if p.ask(ctx) == nil {
		p.tell(nil)
		return
	}
	if ctx.Err() == nil {
		_ = p.search(ctx, false) // it ends when there is one, or nobody needs one any more
	}
}

func (p *healthProbe) ask(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, p.patience)
	defer cancel()
	standby := false
	err := p.conn.QueryRow(ctx, "SELECT pg_is_in_recovery()", pgx.QueryExecModeSimpleProtocol).Scan(&standby)
	if err == nil && standby && len(p.hosts) > 1 {
		err = errors.New("the server has become a standby")
	}
	return err
}

// drop gives its connection up, without waiting for the server.
func (p *healthProbe) drop() {
	if p.conn != nil {
		_ = p.conn.PgConn().Conn().Close()
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_ = p.conn.Close(ctx)
		p.conn = nil
	}
}

// search asks all hosts until one lets it in, or only once. While none does nobody else need try.
func (p *healthProbe) search(ctx context.Context, once bool) error {
	p.drop()
	heard := p.heard.Load()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	attempts := make(chan attempt)
	for i := range p.hosts {
		go p.seek(ctx, i, attempts)
	}
	failed := map[int]error{}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case a := <-attempts:
			if a.conn != nil {
				p.conn, p.host = a.conn, a.host
				p.found(a.host)
				p.tell(nil)
				return nil
			}
			failed[a.host] = a.err
		}
		if len(failed) < len(p.hosts) {
			continue
		}
		all := make([]error, len(p.hosts))
		for i := range all {
			all[i] = failed[i]
		}
		why := errors.Join(all...)
		if once {
			return why
		}
		// Where something came from the server in the meantime it lives, and only lets nobody in.
		if now := p.heard.Load(); now != heard {
			heard = now
			clear(failed)
			continue
		}
		p.lost()
		p.tell(fmt.Errorf("%w: %w", ErrDown, why))
	}
}

// attempt is what became of trying to reach a host.
type attempt struct {
	host int
	conn *pgx.Conn
	err  error
}

// seek tries to reach a host until ctx ends.
func (p *healthProbe) seek(ctx context.Context, host int, attempts chan<- attempt) {
	for {
		conn, err := pgx.ConnectConfig(ctx, p.hosts[host])
		select {
		case attempts <- attempt{host, conn, err}:
		case <-ctx.Done():
			if conn != nil {
				_ = conn.Close(ctx)
			}
			return
		}
		if conn != nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(seekPause):
		}
	}
}

// listening is a connection that counts what it hears.
type listening struct {
	net.Conn
	lines *lines
}

func (l *listening) Read(b []byte) (int, error) {
	n, err := l.Conn.Read(b)
	if n > 0 {
		l.lines.heard.Add(1)
	}
	return n, err
}

func (l *listening) Close() error {
	l.lines.mu.Lock()
	delete(l.lines.open, l)
	l.lines.mu.Unlock()
	return l.Conn.Close()
}

// lines are the connections to the server that is in use. When that is lost they are cut, and there are others for the one that is
// found next: what a pool still has to do about connections that hang keeps nobody waiting.
type lines struct {
	pool  *pgxpool.Pool
	host  int
	heard *atomic.Int64

	mu sync.Mutex
	// keeping are the connections for credentials, by the machine of a cluster that is asked over them: those that wait for one keep nobody
	// from the others.
	keeping map[int64]*pgxpool.Pool
	config  *pgxpool.Config
	open    map[*listening]bool
	isCut   bool
}
