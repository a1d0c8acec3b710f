package bench

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// request is one HTTP request as it goes over the wire.
type request []byte

// newRequest writes a request out. Every connection sends the same headers, so that servers are compared on equal terms.
func newRequest(method, host, path, token string, body []byte, headers ...string) request {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\n", method, path, host)
	if token != "" {
		fmt.Fprintf(&b, "Authorization: Bearer %s\r\nVersion: v1\r\n", token)
	}
	if body != nil {
		fmt.Fprintf(&b, "Content-Type: application/json\r\nContent-Length: %d\r\n", len(body))
	}
	for _, header := range headers {
		b.WriteString(header + "\r\n")
	}
	b.WriteString("\r\n")
	b.Write(body)
	return b.Bytes()
}

// asker asks one server questions, one after the other over all loads, so that it is asked none twice.
type asker struct {
	addr    string
	request func(n int) (request, error)
	// count is how many questions there are; 0 is any number.
	count int
	// again tells that they are asked again after the last.
	again bool
	asked atomic.Int64
}

func (a *asker) next() (request, error) {
	n := int(a.asked.Add(1) - 1)
	if a.count > 0 {
		n %= a.count
	}
	return a.request(n)
}

// load gives the next of so many loads of a length. Where the questions come to an end, each may ask as many as the others.
func (a *asker) load(connections int, duration time.Duration, loads int) load {
	l := load{addr: a.addr, connections: connections, duration: duration, next: a.next}
	if a.count > 0 && !a.again {
		l.count = max(1, (int64(a.count)-a.asked.Load())/int64(max(1, loads)))
	}
	return l
}

// load is a run of requests over keep-alive connections.
type load struct {
	addr        string
	connections int
	duration    time.Duration
	// count ends the run after so many requests; 0 leaves it to the duration.
	count int64
	// next gives the next request, over all connections.
	next func() (request, error)
	// accept is the status that every answer must have; 0 accepts any 2xx.
	accept int
}

// measured is what a run found.
type measured struct {
	requests  int64
	elapsed   time.Duration
	latencies []time.Duration
	bytes     int64
	example   []byte
}

// add takes in another turn. The latencies are no longer in order then.
func (m *measured) add(turn measured) {
	m.requests, m.elapsed, m.bytes = m.requests+turn.requests, m.elapsed+turn.elapsed, m.bytes+turn.bytes
	m.latencies = append(m.latencies, turn.latencies...)
}

func (m measured) perSecond() float64 { return float64(m.requests) / m.elapsed.Seconds() }

func (m measured) percentile(p float64) time.Duration {
	if len(m.latencies) == 0 {
		return 0
	}
	return m.latencies[min(len(m.latencies)-1, int(float64(len(m.latencies))*p))]
}

// run drives the load. The client is as plain as can be (bytes on a socket, no header maps), so that on a machine that it shares with the
// server most of the time is the server's.
func (l load) run(ctx context.Context) (measured, error) {
	var counter atomic.Int64
	var mu sync.Mutex
	var total measured
	var failed error
	start := time.Now()
	end := start.Add(l.duration)
	var wait sync.WaitGroup
	for range l.connections {
		wait.Go(func() {
			m, err := l.connection(ctx, end, &counter)
			mu.Lock()
			defer mu.Unlock()
			if err != nil && failed == nil {
				failed = err
			}
			total.requests += m.requests
			total.bytes += m.bytes
			total.latencies = append(total.latencies, m.latencies...)
			if total.example == nil {
				total.example = m.example
			}
		})
	}
	wait.Wait()
	total.elapsed = time.Since(start)
	slices.Sort(total.latencies)
	return total, failed
}

func (l load) connection(ctx context.Context, end time.Time, counter *atomic.Int64) (m measured, err error) {
	c, err := net.Dial("tcp", l.addr)
	if err != nil {
		return m, err
	}
	defer c.Close()
	r := bufio.NewReaderSize(c, 64<<10)
	var body []byte
	for ctx.Err() == nil {
		start := time.Now()
		if !start.Before(end) {
			return m, nil
		}
		if n := counter.Add(1); l.count > 0 && n > l.count {
			return m, nil
		}
		asked, err := l.next()
		if err != nil {
			return m, err
		}
		if _, err := c.Write(asked); err != nil {
			return m, err
		}
		status := 0
		status, body, err = readResponse(r, body)
		if err != nil {
			return m, err
		}
		if l.accept == 0 && status/100 != 2 || l.accept != 0 && status != l.accept {
			return m, fmt.Errorf("status %d: %s", status, body)
		}
		m.latencies = append(m.latencies, time.Since(start))
		m.requests++
		m.bytes += int64(len(body))
		if m.example == nil {
			m.example = bytes.Clone(body)
		}
	}
	return m, ctx.Err()
}

var errChunked = errors.New("the answer has no Content-Length")

// readResponse reads one answer with a Content-Length, or in chunks.
func readResponse(r *bufio.Reader, body []byte) (status int, out []byte, err error) {
	line, err := r.ReadSlice('\n')
	if err != nil {
		return 0, nil, err
	}
	if len(line) < 12 {
		return 0, nil, fmt.Errorf("not an answer: %q", line)
	}
	status, err = strconv.Atoi(string(line[9:12]))
	if err != nil {
		return 0, nil, err
	}
	length, chunked := -1, false
	for {
		line, err = r.ReadSlice('\n')
		if err != nil {
			return 0, nil, err
		}
		if len(line) <= 2 {
			break
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		switch {
		case len(name) == 14 && bytes.EqualFold(name, []byte("Content-Length")):
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return 0, nil, err
			}
		case len(name) == 17 && bytes.EqualFold(name, []byte("Transfer-Encoding")):
			chunked = true
		}
	}
	if chunked {
		return readChunks(r, status, body)
	}
	if status == 204 {
		return status, body[:0], nil
	}
	if length < 0 {
		return 0, nil, errChunked
	}
	if cap(body) < length {
		body = make([]byte, length)
	}
	body = body[:length]
	_, err = io.ReadFull(r, body)
	return status, body, err
}

func readChunks(r *bufio.Reader, status int, body []byte) (int, []byte, error) {
	body = body[:0]
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return 0, nil, err
		}
		size, err := strconv.ParseInt(string(bytes.TrimSpace(line)), 16, 32)
		if err != nil {
			return 0, nil, err
		}
		at := len(body)
		body = slices.Grow(body, int(size)+2)[:at+int(size)+2]
		if _, err := io.ReadFull(r, body[at:]); err != nil {
			return 0, nil, err
		}
		body = body[:at+int(size)]
		if size == 0 {
			return status, body, nil
		}
	}
}
