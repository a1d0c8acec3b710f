package bench

import (
	"bufio"
	"bytes"
	"cmp"
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
func newRequest(method, host, path, token, body string, headers ...string) request {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\n", method, path, host)
	if token != "" {
		fmt.Fprintf(&b, "Authorization: Bearer %s\r\nVersion: v1\r\n", token)
	}
	if body != "" {
		fmt.Fprintf(&b, "Content-Type: application/json\r\nContent-Length: %d\r\n", len(body))
	}
	for _, header := range headers {
		b.WriteString(header + "\r\n")
	}
	b.WriteString("\r\n")
	b.WriteString(body)
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
	l := load{asker: a, connections: connections, duration: duration}
	if a.count > 0 && !a.again {
		l.count = max(1, (int64(a.count)-a.asked.Load())/int64(max(1, loads)))
	}
	return l
}

// load is a run of requests over keep-alive connections.
type load struct {
	asker       *asker
	connections int
	duration    time.Duration
	// count ends the run after so many requests; 0 leaves it to the duration.
	count int64
}

// measured is what a run found.
type measured struct {
	elapsed   time.Duration
	latencies []time.Duration
	bytes     int64
	// cpu and allocs are what the server used, where that is measured.
	cpu    time.Duration
	allocs uint64
}

// add takes in another turn.
func (m *measured) add(turn measured) {
	m.elapsed, m.bytes, m.cpu, m.allocs = m.elapsed+turn.elapsed, m.bytes+turn.bytes, m.cpu+turn.cpu, m.allocs+turn.allocs
	m.latencies = append(m.latencies, turn.latencies...)
}

func (m *measured) perSecond() float64 { return float64(len(m.latencies)) / m.elapsed.Seconds() }

// percentile is the time in milliseconds that such a share of the requests took at most.
func (m *measured) percentile(p float64) float64 {
	if len(m.latencies) == 0 {
		return 0
	}
	slices.Sort(m.latencies)
	return ms(m.latencies[min(len(m.latencies)-1, int(float64(len(m.latencies))*p))])
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// run drives the load. The client is as plain as can be (bytes on a socket, no header maps), so that on a machine that it shares with the
// server most of the time is the server's.
func (l load) run(ctx context.Context) (total measured, failed error) {
	var counter atomic.Int64
	var mu sync.Mutex
	start := time.Now()
	end := start.Add(l.duration)
	var wait sync.WaitGroup
	for range l.connections {
		wait.Go(func() {
			m, err := l.connection(ctx, end, &counter)
			mu.Lock()
			defer mu.Unlock()
			total.add(m)
			failed = cmp.Or(failed, err)
		})
	}
	wait.Wait()
	total.elapsed = time.Since(start)
	return total, failed
}

func (l load) connection(ctx context.Context, end time.Time, counter *atomic.Int64) (m measured, err error) {
	c, err := net.Dial("tcp", l.asker.addr)
	if err != nil {
		return m, err
	}
	defer c.Close()
	r := bufio.NewReaderSize(c, 64<<10)
	var body []byte
	for ctx.Err() == nil {
		start := time.Now()
		if !start.Before(end) || l.count > 0 && counter.Add(1) > l.count {
			return m, nil
		}
		asked, err := l.asker.next()
		if err != nil {
			return m, err
		}
		if body, err = exchange(c, r, asked, body); err != nil {
			return m, err
		}
		m.latencies = append(m.latencies, time.Since(start))
		m.bytes += int64(len(body))
	}
	return m, ctx.Err()
}

// once sends a request and gives the body of the answer.
func once(addr string, r request) ([]byte, error) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(timeout)); err != nil {
		return nil, err
	}
	return exchange(c, bufio.NewReader(c), r, nil)
}

// exchange sends a request and reads the body of the answer, which must be a 2xx, into the memory of another.
func exchange(c net.Conn, r *bufio.Reader, asked request, memory []byte) ([]byte, error) {
	if _, err := c.Write(asked); err != nil {
		return nil, err
	}
	status, body, err := readResponse(r, memory)
	if err == nil && status/100 != 2 {
		err = fmt.Errorf("status %d: %s", status, body)
	}
	return body, err
}

// readResponse reads one answer with a Content-Length, or in chunks.
func readResponse(r *bufio.Reader, body []byte) (status int, out []byte, err error) {
	line, err := r.ReadSlice('\n')
	if err != nil {
		return 0, nil, err
	}
	if len(line) < 12 {
		return 0, nil, fmt.Errorf("not an answer: %q", line)
	}
	if status, err = strconv.Atoi(string(line[9:12])); err != nil {
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
		body, err = readChunks(r, body[:0])
		return status, body, err
	}
	if status == 204 {
		return status, body[:0], nil
	}
	if length < 0 {
		return 0, nil, errors.New("the answer has no Content-Length")
	}
	body = slices.Grow(body[:0], length)[:length]
	_, err = io.ReadFull(r, body)
	return status, body, err
}

func readChunks(r *bufio.Reader, body []byte) ([]byte, error) {
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return nil, err
		}
		size, err := strconv.ParseInt(string(bytes.TrimSpace(line)), 16, 32)
		if err != nil {
			return nil, err
		}
		at, chunk := len(body), int(size)
		body = slices.Grow(body, chunk+2)[:at+chunk+2]
		if _, err := io.ReadFull(r, body[at:]); err != nil {
			return nil, err
		}
		if body = body[:at+chunk]; chunk == 0 {
			return body, nil
		}
	}
}
