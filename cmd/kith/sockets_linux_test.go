package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/httpapi"
)

// mostHeld is how much the server may grow while one business holds as many bytes as it may: a buffer is larger than what is in it,
// and the collector lets as much garbage lie as there is in use. mostMade comes to it for each page that is being made at the same
// time, as many as one business has readers, and for each processor once more: a page is counted when its reader is free for the next
// one already, and where something else has the processors the one waits while the other is made.
const (
	mostHeld = 3 * httpapi.MaxHeldByOne
	mostMade = 32 << 20
)

// readers is how many searches of one business run at once.
func readers(db string) int {
	if strings.HasPrefix(db, "sqlite:") {
		return runtime.NumCPU()
	}
	return 12
}

// rude is a client on a connection of its own that takes in as little as the system allows. It sends what it is told and never reads.
func (v *victim) rude(t *testing.T) net.Conn {
	t.Helper()
	small := net.Dialer{Control: func(_, _ string, c syscall.RawConn) (err error) {
		if failed := c.Control(func(fd uintptr) {
			err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF,
				1<<10)
		}); failed != nil {
			return failed
		}
		return err
	}}
	conn, err := small.DialContext(t.Context(), "tcp", strings.TrimPrefix(v.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// head begins a request with a body of some length.
func head(method, path, token string, length int) string {
	return fmt.Sprintf("%s /v1%s HTTP/1.1\r\nHost: kith\r\nAuthorization: Bearer %s\r\nVersion: v1\r\nContent-Type: "+
		"application/json\r\nContent-Length: %d\r\n\r\n", method, path, token, length)
}

// statusOf reads the status of an answer, and nothing more of it.
func statusOf(t *testing.T, conn net.Conn) string {
	t.Helper()
	begin := make([]byte, len("HTTP/1.1 200"))
	if err := conn.SetReadDeadline(time.Now().Add(long)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(conn, begin); err != nil {
		return err.Error()
	}
	return string(begin[len("HTTP/1.1 "):])
}

// connections counts the clients whose connections the server has open.
func (v *victim) connections(t *testing.T) (n int) {
	t.Helper()
	table, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/tcp", v.pid))
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := strings.Cut(strings.TrimPrefix(v.url, "http://"), ":")
	number, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	const listening, nobodys = "0A", "0"
	for line := range strings.Lines(string(table)) {
		of := strings.Fields(line) // number, own address, other address, state, ..., inode
		if strings.HasSuffix(of[1], fmt.Sprintf(":%04X", number)) && of[3] != listening && of[9] != nobodys {
			n++
		}
	}
	return n
}

// eventually waits until something is so.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(long); !so(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it never came to pass that %s", what)
		}
	}
}

// watch notes the most memory that the server has until it is asked.
func (v *victim) watch() (highest func() int) {
	ctx, stop := context.WithCancel(context.Background())
	most, stopped := 0, make(chan bool)
	go func() {
		defer close(stopped)
		for ctx.Err() == nil {
			most = max(most, v.memory())
			time.Sleep(5 * time.Millisecond)
		}
	}()
	return func() int {
		stop()
		<-stopped
		return most
	}
}

// others makes sure that another business, and the operator's checks, are served.
func (v *victim) others(t *testing.T, token string) {
	t.Helper()
	for _, do := range []string{"GET /me", "POST /contacts/search", "POST /notes"} {
		text := map[string]string{"POST /contacts/search": `{}`, "POST /notes": `{"title":"Here"}`}[do]
		begin := time.Now()
		if status, _, answer, err := v.ask(t.Context(), token, do, text); err != nil || status >= 300 {
			t.Errorf("%s of another business: status %d, %v: %s", do, status, err, answer)
		}
		if took := time.Since(begin); took > 10*time.Second {
			t.Errorf("%s of another business took %v", do, took)
		}
	}
	res, err := v.client.Get(v.url + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Errorf("health: %s", res.Status)
	}
}

const largestPage = `{"limit":100}`

// Dozens of clients ask for the largest pages that there are, and read nothing.
func TestClientsThatNeverReadAreBounded(t *testing.T) {
	onBoth(t, func(t *testing.T, db string) {
		_, greedy := newBusiness(t, db)
		other := object(t, "business_id user_id token", "business", "create", "--db", db, "--name", "Other", "--admin-email",
			"olga@other.example", "--admin-password", "correct horse")["token"]
		v := newVictim(t, db, "--write-timeout", "15s")
		v.fill(t, greedy)
		if status, size, answer, err := v.ask(t.Context(), greedy, "POST /deals/search", largestPage); err != nil || status != 200 ||
			size < 7<<20 {
			t.Fatalf("a largest page: status %d, %d bytes, %v: %s", status, size, err, answer)
		}
		v.client.CloseIdleConnections()
		before := v.memory()
		highest := v.watch()
		const clients = 64
		var asked []net.Conn
		for range clients {
			conn := v.rude(t)
			if _, err := io.WriteString(conn, head("POST", "/deals/search", greedy, len(largestPage))+largestPage); err != nil {
				t.Fatal(err)
			}
			asked = append(asked, conn)
		}
		v.others(t, other)
		held := 0
		for _, conn := range asked {
			switch status := statusOf(t, conn); status {
			case "200":
				held++
			case "503":
				conn.Close()
			default:
				t.Errorf("a client that reads nothing is answered %s", status)
			}
		}
		if most := httpapi.MaxHeldByOne / (7 << 20); held < 2 || held > most {
			t.Errorf("%d pages are held, want 2 to %d", held, most)
		}
		v.others(t, other)
		if now := v.connections(t); now < held {
			t.Errorf("%d connections are open, but %d pages held", now, held)
		}
		if grew := highest() - before; grew > mostHeld+(readers(db)+runtime.NumCPU())*mostMade {
			t.Errorf("the server grew by %d MB", grew>>20)
		} else {
			t.Logf("%d pages were held, and the server grew by %d MB", held, grew>>20)
		}
		v.client.CloseIdleConnections()
		eventually(t, "the connections are gone", func() bool { return v.connections(t) == 0 })
		if status, size, answer, err := v.ask(t.Context(), greedy, "POST /deals/search", largestPage); err != nil || status != 200 {
			t.Errorf("afterwards a page is answered %d, %d bytes, %v: %s", status, size, err, answer)
		}
	})
}

// Dozens of clients send the head of a request, or its body, byte by byte.
func TestClientsThatSendByteByByteAreBounded(t *testing.T) {
	db := missingSQLite(t)
	must(t, "migrate", "--db", db)
	_, greedy := newBusiness(t, db)
	other := object(t, "business_id user_id token", "business", "create", "--db", db, "--name", "Other", "--admin-email",
		"olga@other.example", "--admin-password", "correct horse")["token"]
	v := newVictim(t, db, "--read-timeout", "8s")
	before := v.memory()
	highest := v.watch()
	drip := func(begin string) net.Conn {
		conn := v.rude(t)
		if _, err := io.WriteString(conn, begin); err != nil {
			t.Error(err)
		}
		go func() {
			for { // until the connection is gone
				if _, err := io.WriteString(conn, "a"); err != nil {
					return
				}
				time.Sleep(100 * time.Millisecond)
			}
		}()
		return conn
	}
	const clients = 150
	var bodies []net.Conn
	for range clients {
		drip("POST /v1/notes HTTP/1.1\r\nHost: kith\r\nX-Long: ")
		bodies = append(bodies, drip(head("POST", "/notes", greedy, httpapi.MaxBody)+`{"title":"`+strings.Repeat("a",
			httpapi.MaxBody-1<<10)))
	}
	v.others(t, other)
	told := map[string]int{}
	for _, conn := range bodies {
		told[statusOf(t, conn)]++
	}
	v.others(t, other)
	if most := httpapi.MaxHeldByOne / httpapi.MaxBody; told["400"] == 0 || told["400"] > most || told["400"]+told["503"] != clients {
		t.Errorf("%v, want at most %d that were waited for (400), and the others refused (503)", told, most)
	}
	v.client.CloseIdleConnections()
	eventually(t, "the connections are gone", func() bool { return v.connections(t) == 0 })
	if grew := highest() - before; grew > mostHeld {
		t.Errorf("the server grew by %d MB", grew>>20)
	} else {
		t.Logf("%v, and the server grew by %d MB", told, grew>>20)
	}
	if status, _, answer, err := v.ask(t.Context(), greedy, "POST /notes",
		`{"title":"Large","body":"`+strings.Repeat("a", 65_536)+`"}`); err != nil || status != http.StatusCreated {
		t.Errorf("afterwards a large body is answered %d, %v: %s", status, err, answer)
	}
}
