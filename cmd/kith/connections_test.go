package main

import (
	"net"
	"net/http"
	"slices"
	"testing"
)

// clientOf is a connection from an address, that remembers whether it was closed.
type clientOf struct {
	net.Conn
	from   string
	closed bool
}

func (c *clientOf) RemoteAddr() net.Addr {
	at, err := net.ResolveTCPAddr("tcp", c.from)
	if err != nil {
		panic(err)
	}
	return at
}

func (c *clientOf) Close() error {
	c.closed = true
	return nil
}

// Whoever opens many connections and leaves them lying makes room out of their own.
func TestTooManyConnectionsCostWhoHasTheMost(t *testing.T) {
	c := newConnections(10)
	come := func(from string) *clientOf {
		conn := &clientOf{from: from}
		c.note(conn, http.StateNew)
		return conn
	}
	busy := come("192.0.2.1:1000")
	c.note(busy, http.StateActive)
	quiet := come("192.0.2.2:1000")
	var many []*clientOf
	for i := range 8 {
		many = append(many, come("[2001:db8::1"+string(rune('0'+i))+"]:1000")) // one IPv6 network
	}
	if slices.ContainsFunc(many, func(c *clientOf) bool { return c.closed }) || quiet.closed {
		t.Fatal("connections are dropped while there is room")
	}
	late := come("192.0.2.3:1000")
	if busy.closed || quiet.closed || late.closed || !many[0].closed ||
		slices.ContainsFunc(many[1:], func(c *clientOf) bool { return c.closed }) {
		t.Errorf("dropped: busy %v, quiet %v, late %v, first of many %v", busy.closed, quiet.closed, late.closed, many[0].closed)
	}
	c.note(many[0], http.StateClosed) // the server notices
	c.note(busy, http.StateIdle)
	c.note(busy, http.StateActive)
	c.note(many[1], http.StateHijacked)
	if len(c.all) != 9 || c.dropped != 1 {
		t.Errorf("%d connections are known, and %d were dropped", len(c.all), c.dropped)
	}
	// Where all have requests under way, the one that comes is turned away.
	for _, conn := range slices.Concat(many[2:], []*clientOf{quiet, late}) {
		c.note(conn, http.StateActive)
	}
	last := come("192.0.2.4:1000")
	if c.note(last, http.StateActive); last.closed {
		t.Error("the last that there is room for is dropped")
	}
	if over := come("192.0.2.4:1001"); !over.closed || busy.closed {
		t.Error("one too many is not turned away")
	}
}
