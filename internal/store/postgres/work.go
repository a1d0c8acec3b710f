package postgres

import (
	"context"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kith-crm/kith/internal/store/engine"
)

// The work of a statement is done by a process of the PostgreSQL server. Where that runs on this machine, the operating system tells
// how long it had a processor; elsewhere nobody does, and what cannot be measured is not refused for: then there is the limit of time
// alone. See ADR 0074.

// limited is the context of a request that has a limit of time and one of work. It is handed to the connections as it is.
type limited struct {
	context.Context
	stop  context.CancelCauseFunc
	limit time.Duration
	began time.Time
	// conn is what its statements run on; nil is none yet.
	conn atomic.Pointer[pgconn.PgConn]

	mu    sync.Mutex
	ended bool
	// next is when the request is looked at again.
	next *time.Timer
	// of is the connection whose process was looked at last, had the processor time that it had used by then, and worked what of that
	// was the request's.
	of          *pgconn.PgConn
	had, worked time.Duration
}

// firstLook is after what part of its time a request is looked at, and how much of it lies between two looks at least. What was done
// before the first is not counted.
const firstLook = 100

func (l *limited) end() {
	l.mu.Lock()
	l.ended = true
	l.next.Stop()
	l.mu.Unlock()
	l.stop(nil)
}

// look stops a request that has used up its time, or its work.
func (l *limited) look() {
	l.mu.Lock()
	defer l.mu.Unlock()
	left := l.limit - time.Since(l.began)
	switch conn := l.conn.Load(); {
	case l.ended:
		return
	case left <= 0:
		l.stop(engine.ErrTook(l.limit.String()))
		return
	case conn == nil: // it waits for one
		left = min(left, l.limit/firstLook)
	default:
		used, known := processorTime(conn)
		if !known {
			break
		}
		if conn == l.of {
			l.worked += counted(l.had, used, l.limit)
		}
		l.of, l.had = conn, used
		mayWork := l.limit/engine.WorkShare - l.worked
		if mayWork <= 0 {
			l.stop(engine.ErrWorked(l.limit))
			return
		}
		left = min(left, max(mayWork, l.limit/firstLook)) // it works no faster than time goes by
	}
	l.next.Reset(left)
}

// counted is what of the processor time of a process is work of the request. A new process of the server has yet to learn of the tables
// that it is asked for, with their partitions and indexes, which can take longer than a request may work; so in its life what it uses
// at first, up to what a request may work, is nobody's.
func counted(before, now, limit time.Duration) time.Duration {
	return max(0, now-max(before, limit/engine.WorkShare))
}

// processorTime is how long the process behind a connection has had a processor, where that is a process of this machine.
func processorTime(conn *pgconn.PgConn) (used time.Duration, known bool) {
	process := fmt.Sprintf("/proc/%d/", conn.PID())
	title, err := os.ReadFile(process + "cmdline")
	if err != nil || !isBackend(string(title), conn.Conn().LocalAddr()) {
		return 0, false
	}
	stat, err := os.ReadFile(process + "stat")
	if err != nil {
		return 0, false
	}
	// The name of the program, in brackets, may have anything in it; 14 and 15 are the time in the program and in the kernel, in
	// hundredths of a second.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(fields) < 13 {
		return 0, false
	}
	user, err := strconv.ParseInt(fields[11], 10, 64)
	system, failed := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * 10 * time.Millisecond, err == nil && failed == nil
}

// isBackend tells whether the title of a process is that of the one that serves a connection from an address. In a container, or
// behind a proxy, the number of the process may be that of another one here. The title names the client: postgres: USER DATABASE
// HOST(PORT) WHAT, or [local] for a socket.
func isBackend(title string, from net.Addr) bool {
	client := " [local] "
	if tcp, ok := from.(*net.TCPAddr); ok {
		client = "(" + strconv.Itoa(tcp.Port) + ") "
	}
	return strings.HasPrefix(title, "postgres: ") && strings.Contains(title, client)
}
