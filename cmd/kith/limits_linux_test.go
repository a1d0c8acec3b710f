package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

// dial connects to the server until the test ends.
func (v *victim) dial(t *testing.T) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(v.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(long)); err != nil {
		t.Fatal(err)
	}
	return conn
}

// answers sends bytes, and reads the answers until the server closes the connection.
func (v *victim) answers(t *testing.T, bytes string) (statuses []int) {
	t.Helper()
	conn := v.dial(t)
	// The server may have answered and closed before it has read everything.
	_, _ = io.WriteString(conn, bytes)
	in := bufio.NewReader(conn)
	for {
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			return statuses
		}
		_, _ = io.Copy(io.Discard, res.Body)
		res.Body.Close()
		statuses = append(statuses, res.StatusCode)
		if res.Close {
			return statuses
		}
	}
}

// What a proxy in front could read in another way than the server is answered once, and the connection is closed: nothing behind it
// is taken for a request.
func TestSmugglingShapesAreRefused(t *testing.T) {
	db := missingSQLite(t)
	_, token := newBusiness(t, db)
	v := newVictim(t, db)
	const behind = "GET /healthz HTTP/1.1\r\nHost: kith\r\nX-Behind: yes\r\n\r\n"
	with := "Host: kith\r\nAuthorization: Bearer " + token + "\r\nVersion: v1\r\nContent-Type: application/json\r\n"
	const body = `{"title":"Smuggled"}`
	for name, request := range map[string]string{
		"two lengths":               "POST /v1/notes HTTP/1.1\r\n" + with + "Content-Length: 20\r\nContent-Length: 0\r\n\r\n" + body,
		"two lengths in one header": "POST /v1/notes HTTP/1.1\r\n" + with + "Content-Length: 20, 0\r\n\r\n" + body,
		"a negative length":         "POST /v1/notes HTTP/1.1\r\n" + with + "Content-Length: -20\r\n\r\n" + body,
		"a length with a sign":      "POST /v1/notes HTTP/1.1\r\n" + with + "Content-Length: +20\r\n\r\n" + body,
		"a length in hexadecimal":   "POST /v1/notes HTTP/1.1\r\n" + with + "Content-Length: 0x14\r\n\r\n" + body,
		"an unknown encoding":       "POST /v1/notes HTTP/1.1\r\n" + with + "Transfer-Encoding: xchunked\r\n\r\n" + body,
		"two encodings":             "POST /v1/notes HTTP/1.1\r\n" + with + "Transfer-Encoding: gzip, chunked\r\n\r\n" + body,
		"the encoding twice": "POST /v1/notes HTTP/1.1\r\n" + with + "Transfer-Encoding: chunked\r\nTransfer-Encoding: " +
			"identity\r\n\r\n0\r\n\r\n",
		"a space before the colon":       "POST /v1/notes HTTP/1.1\r\n" + with + "Content-Length : 20\r\n\r\n" + body,
		"a header over two lines":        "GET /healthz HTTP/1.1\r\nHost: kith\r\n folded: yes\r\n\r\n",
		"a header without a colon":       "GET /healthz HTTP/1.1\r\nHost: kith\r\nnothing\r\n\r\n",
		"a line that ends in CR alone":   "GET /healthz HTTP/1.1\r\nHost: kith\r\nX: a\rTransfer-Encoding: chunked\r\n\r\n",
		"a NUL in a header":              "GET /healthz HTTP/1.1\r\nHost: kith\r\nX: a\x00b\r\n\r\n",
		"no host":                        "GET /healthz HTTP/1.1\r\n\r\n",
		"two hosts":                      "GET /healthz HTTP/1.1\r\nHost: kith\r\nHost: other\r\n\r\n",
		"a host with a slash":            "GET /healthz HTTP/1.1\r\nHost: kith/evil\r\n\r\n",
		"a version that there is not":    "GET /healthz HTTP/3.7\r\nHost: kith\r\n\r\n",
		"a request line in three spaces": "GET  /healthz  HTTP/1.1\r\nHost: kith\r\n\r\n",
		"a method that is none":          "GE\x01T /healthz HTTP/1.1\r\nHost: kith\r\n\r\n",
		"a chunk without an end": "POST /v1/notes HTTP/1.1\r\n" + with + "Transfer-Encoding: chunked\r\n\r\n14\r\n" + body +
			"XX0\r\n\r\n",
		"a chunk with a wrong length": "POST /v1/notes HTTP/1.1\r\n" + with + "Transfer-Encoding: chunked\r\n\r\n-14\r\n" + body +
			"\r\n0\r\n\r\n",
	} {
		got := v.answers(t, request+behind+behind)
		if len(got) > 1 || len(got) == 1 && got[0] < 400 {
			t.Errorf("%s: answered %v", name, got)
		}
	}
	// A length beside chunks: the chunks count (RFC 9112, 6.3), and the connection is not used again, so what a proxy may take for
	// the next request is none.
	both := v.answers(t, "POST /v1/notes HTTP/1.1\r\n"+with+"Content-Length: "+
		"4\r\nTransfer-Encoding: chunked\r\n\r\n14\r\n"+body+"\r\n0\r\n\r\n"+behind)
	if len(both) != 1 {
		t.Errorf("a length beside chunks: answered %v", both)
	}
	status, _, answer, err := v.ask(t.Context(), token, "POST /notes/search", `{}`)
	if err != nil || status != http.StatusOK || strings.Count(answer, "Smuggled") > 1 {
		t.Errorf("%d, %v: %s", status, err, answer)
	}
	// Lines that end in LF alone are read as the RFC allows, by everybody in the same way.
	if got := v.answers(t, "GET /healthz HTTP/1.1\nHost: kith\nConnection: close\n\n"); len(got) != 1 || got[0] != http.StatusOK {
		t.Errorf("lines that end in LF: %v", got)
	}
}

// Heads, addresses and tokens that are too large are refused before anybody looks at them.
func TestHugeHeadsAreRefused(t *testing.T) {
	db := missingSQLite(t)
	_, token := newBusiness(t, db)
	v := newVictim(t, db)
	before := v.memory()
	highest := v.watch()
	for name, tt := range map[string]struct {
		head   string
		status int
	}{
		"one header of 1 MB": {"GET /v1/me HTTP/1.1\r\nHost: kith\r\nX: " + strings.Repeat("a", 1<<20) + "\r\n\r\n", 431},
		"100,000 headers":    {"GET /v1/me HTTP/1.1\r\nHost: kith\r\n" + strings.Repeat("X: a\r\n", 100_000) + "\r\n", 431},
		"an address of 1 MB": {"GET /v1/me?" + strings.Repeat("a", 1<<20) + " HTTP/1.1\r\nHost: kith\r\n\r\n", 431},
		"a token of 20 KB": {"GET /v1/me HTTP/1.1\r\nHost: kith\r\nConnection: close\r\nVersion: v1\r\nAuthorization: Bearer " +
			"kith_pat_" + strings.Repeat("a", 20<<10) + "\r\n\r\n", 401},
		"as much as there may be": {"GET /v1/me HTTP/1.1\r\nHost: kith\r\nConnection: " +
			"close\r\nVersion: v1\r\nAuthorization: Bearer " + token + "\r\nX: " + strings.Repeat("a", 30<<10) + "\r\n\r\n", 200},
	} {
		for range 10 {
			// The server closes without having read it all, which may take the answer along.
			if got := v.answers(t, tt.head); len(got) > 1 || len(got) == 1 && got[0] != tt.status || len(got) == 0 && tt.status != 431 {
				t.Errorf("%s: answered %v, want %d", name, got, tt.status)
			}
		}
	}
	if grew := highest() - before; grew > 64<<20 {
		t.Errorf("the server grew by %d MB", grew>>20)
	} else {
		t.Logf("the server grew by %d MB", grew>>20)
	}
}

// Whoever tries tokens without end keeps nobody waiting, and is remembered nowhere.
func TestFloodsOfBadTokensCostNobody(t *testing.T) {
	onBoth(t, func(t *testing.T, db string) {
		_, token := newBusiness(t, db)
		v := newVictim(t, db, "--search-timeout", "10s") // other tests run beside this one
		v.client.Transport = &http.Transport{MaxIdleConnsPerHost: 64, IdleConnTimeout: time.Minute}
		v.others(t, token)
		before := v.memory()
		highest := v.watch()
		const floods, each = 16, 1000
		var all sync.WaitGroup
		for i := range floods {
			all.Go(func() {
				for n := range each {
					bad := fmt.Sprintf("kith_pat_%08d%040d", i, n)
					if n%2 == 0 {
						bad, _ = record.NewSecret(record.PersonalToken, schema.NewID(time.Now())) // which has to be looked up
					}
					if status, _, answer, err := v.ask(t.Context(), bad, "GET /me", ""); err != nil || status != http.StatusUnauthorized {
						t.Errorf("a bad token is answered %d, %v: %s", status, err, answer)
						return
					}
				}
			})
		}
		done := make(chan bool)
		go func() { all.Wait(); close(done) }()
		for served := 0; ; served++ {
			v.others(t, token)
			select {
			case <-done:
			default:
				continue
			}
			if grew := highest() - before; grew > 64<<20 {
				t.Errorf("the server grew by %d MB", grew>>20)
			} else {
				t.Logf("%d bad tokens; meanwhile %d rounds of others were served, and the server grew by %d MB", floods*each, served,
					grew>>20)
			}
			return
		}
	})
}

// Ten thousand clients connect and ask nothing more, and the server goes on for all others.
func TestTenThousandIdleConnections(t *testing.T) {
	clients := 10_000
	if files := mostFiles(); files < clients+clients/2 {
		clients = files / 2
		t.Logf("this machine lets a process open %d files, so only %d connections are tried (ulimit -n)", files, clients)
	}
	db := missingSQLite(t)
	_, token := newBusiness(t, db)
	v := newVictim(t, db, "--max-connections", fmt.Sprint(clients))
	v.others(t, token)
	before := v.memory()
	// They come from many addresses, as many networks would.
	conns := make([]net.Conn, clients)
	t.Cleanup(func() {
		for _, conn := range conns {
			if conn != nil {
				conn.Close()
			}
		}
	})
	var all sync.WaitGroup
	for part := range 20 {
		all.Go(func() {
			from := &net.Dialer{Timeout: long, LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 1, byte(part))}}
			for i := part; i < clients; i += 20 {
				conn, err := from.Dial("tcp", strings.TrimPrefix(v.url, "http://"))
				if err != nil {
					t.Errorf("the connection %d: %v", i, err)
					return
				}
				conns[i] = conn
				// Half of them have asked before, and would again.
				if i%2 == 0 {
					if _, err := io.WriteString(conn, "GET /healthz HTTP/1.1\r\nHost: kith\r\n\r\n"); err != nil {
						t.Error(err)
						return
					}
					if status := statusOf(t, conn); status != "200" {
						t.Errorf("the connection %d is answered %s", i, status)
					}
				}
			}
		})
	}
	all.Wait()
	if t.Failed() {
		return
	}
	v.client.CloseIdleConnections()
	grew := v.memory() - before
	if each := grew / clients; each > 60<<10 {
		t.Errorf("%d idle connections take %d MB, %d KB each", clients, grew>>20, each>>10)
	} else {
		t.Logf("%d idle connections take %d MB, %d KB each", clients, grew>>20, each>>10)
	}
	// There are as many as there may be, and still everybody gets in.
	for range 10 {
		v.client.CloseIdleConnections()
		v.others(t, token)
	}
}
