package main

import (
	linked "container/list"
	"crypto/tls"
	"net"
	"net/http"
	"sync"

	"github.com/kith-crm/kith/internal/metrics"
	"github.com/kith-crm/kith/internal/oauth"
)

// connections bounds how many clients are connected. Where there are too many, one that has no request under way is dropped: of the
// address that has the most such, the one that has waited the longest. So whoever opens thousands and leaves them lying makes room
// for the others out of their own.
type connections struct {
	most int

	mu      sync.Mutex
	all     map[net.Conn]*caller
	waiting map[string]*linked.List // of callers, by address
	dropped int
}

// caller is who is connected.
type caller struct {
	conn    net.Conn
	address string
	// at is its place among those of the address that wait, or nil.
	at *linked.Element
}

func newConnections(most int) *connections {
	return &connections{most: most, all: map[net.Conn]*caller{}, waiting: map[string]*linked.List{}}
}

// note is told by the server what becomes of a connection. One that has not sent the whole head of a request waits.
func (c *connections) note(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	who := c.all[conn]
	switch {
	case state == http.StateNew:
		who = &caller{conn: conn, address: oauth.Network(conn.RemoteAddr().String())}
		c.all[conn] = who
		c.wait(who)
		if len(c.all) > c.most {
			c.drop()
		}
	case who == nil: // it was dropped
	case state == http.StateIdle:
		c.wait(who)
	case state == http.StateActive:
		c.leave(who)
	default:
		c.leave(who)
		delete(c.all, conn)
	}
}

func (c *connections) wait(who *caller) {
	c.leave(who)
	queue := c.waiting[who.address]
	if queue == nil {
		queue = linked.New()
		c.waiting[who.address] = queue
	}
	who.at = queue.PushBack(who)
}

// leave takes a caller out of those that wait.
func (c *connections) leave(who *caller) {
	if who.at == nil {
		return
	}
	queue := c.waiting[who.address]
	if queue.Remove(who.at); queue.Len() == 0 {
		delete(c.waiting, who.address)
	}
	who.at = nil
}

// drop closes a connection that waits; the one that has just come is among them. Of the addresses it looks at a few that chance
// chooses: whoever has many connections from few addresses is soon found, and who has many addresses cannot be told from many
// people.
func (c *connections) drop() {
	const looks = 16
	var longest *linked.List
	looked := 0
	for _, queue := range c.waiting {
		if longest == nil || queue.Len() > longest.Len() {
			longest = queue
		}
		if looked++; looked == looks {
			break
		}
	}
	who := longest.Front().Value.(*caller)
	c.leave(who)
	delete(c.all, who.conn)
	c.dropped++
	if secure, ok := who.conn.(*tls.Conn); ok {
		_ = secure.NetConn().Close() // it would wait until the client has read its farewell
		return
	}
	_ = who.conn.Close()
}

func (c *connections) write(p *metrics.Page) {
	c.mu.Lock()
	all, waiting, dropped := len(c.all), 0, c.dropped
	for _, queue := range c.waiting {
		waiting += queue.Len()
	}
	c.mu.Unlock()
	p.One("kith_http_connections", metrics.Gauge, "Clients that are connected.", float64(all))
	p.One("kith_http_connections_waiting", metrics.Gauge, "Those of them that have no request under way.", float64(waiting))
	p.One("kith_http_connections_most", metrics.Gauge, "How many there may be.", float64(c.most))
	p.One("kith_http_connections_dropped_total", metrics.Counter, "Connections that were dropped because there were too many.",
		float64(dropped))
}
