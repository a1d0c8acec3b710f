package sqlite

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"runtime"
	"sync"
	"time"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/kith-crm/kith/internal/store/engine"
	"github.com/kith-crm/kith/internal/store/internal/sqlitemem"
)

// SQLite gets functions of ours, in every connection that is opened:
//
//	has_text(text, part)   whether a text has a part in it. instr compares the part at every place, which takes the product of their
//	                       lengths where both consist of the same letter.
//	has_item(key, items)   whether a list's key has one of the items; both have a separator before, between and behind the items, and the
//	                       items are sorted, so that each of the key is found by halving and not by reading them all
//	starts_up_to(n, starts)  how many of some numbers, which are sorted and have eight bytes each, are not above n
//	guard(handle)          lets a guard stop the connection's statements
//
// They read their arguments where SQLite has them, without a copy. Only statements of ours can call them, not what a file has in it: views,
// triggers, indexes.

// addSQLiteFunctions must come before the first connection is opened, and after sqlitemem.Give.
var addFunctions = sync.OnceValue(func() error {
	tls := libc.NewTLS()
	defer tls.Close()
	if code := sqlite3.Xsqlite3_auto_extension(tls, sqlitemem.Function(registerSQLiteFunctions)); code != sqlite3.SQLITE_OK {
		return fmt.Errorf("SQLite does not take functions: error %d", code)
	}
	return nil
})

var sqliteFunctions = []struct {
	name string
	args int32
	run  func(tls *libc.TLS, call uintptr, n int32, args uintptr)
}{
	{"has_text", 2, hasText}, {"has_item", 2, hasItem}, {"starts_up_to", 2, startsUpTo}, {"guard", 1, guardConnection},
}

func registerSQLiteFunctions(tls *libc.TLS, db, _, _ uintptr) int32 {
	for _, f := range sqliteFunctions {
		name, err := libc.CString(f.name)
		if err != nil {
			return sqlite3.SQLITE_NOMEM
		}
		const flags = sqlite3.SQLITE_UTF8 | sqlite3.SQLITE_DETERMINISTIC | sqlite3.SQLITE_DIRECTONLY
		code := sqlite3.Xsqlite3_create_function_v2(tls, db, name, f.args, flags, 0, sqlitemem.Function(f.run), 0, 0, 0)
		libc.Xfree(tls, name)
		if code != sqlite3.SQLITE_OK {
			return code
		}
	}
	return holdPlans(tls, db)
}

// holdPlans has SQLite plan statements without a look at their arguments. Else it plans a kept one anew when an argument changes to or from
// 0 or 1, and when its arguments are cleared, and a business would get another plan than the one before it.
func holdPlans(tls *libc.TLS, db uintptr) int32 {
	args := libc.NewVaList(int32(1), uintptr(0))
	if args == 0 {
		return sqlite3.SQLITE_NOMEM
	}
	defer libc.Xfree(tls, args)
	return sqlite3.Xsqlite3_db_config(tls, db, sqlite3.SQLITE_DBCONFIG_ENABLE_QPSG, args)
}

// argument reads the text of an argument, which lasts until the function returns; nil is absent.
func argument(tls *libc.TLS, args uintptr, n int) []byte {
	value := *sqlitemem.At[uintptr](args + uintptr(n)*unsafe.Sizeof(args))
	if sqlite3.Xsqlite3_value_type(tls, value) == sqlite3.SQLITE_NULL {
		return nil
	}
	text := sqlite3.Xsqlite3_value_blob(tls, value)
	if text == 0 {
		return []byte{}
	}
	return unsafe.Slice(sqlitemem.At[byte](text), sqlite3.Xsqlite3_value_bytes(tls, value))
}

func answer(tls *libc.TLS, call uintptr, yes bool) {
	sqlite3.Xsqlite3_result_int(tls, call, libc.Bool32(yes))
}

func hasText(tls *libc.TLS, call uintptr, _ int32, args uintptr) {
	text, part := argument(tls, args, 0), argument(tls, args, 1)
	if text != nil && part != nil { // else the answer is absent, too
		answer(tls, call, bytes.Contains(text, part))
	}
}

func hasItem(tls *libc.TLS, call uintptr, _ int32, args uintptr) {
	key, items := argument(tls, args, 0), argument(tls, args, 1)
	if key == nil || items == nil {
		return
	}
	for len(key) > 1 {
		end := bytes.IndexByte(key[1:], engine.Separator[0])
		if end < 0 {
			break
		}
		if among(items, key[1:end+1]) {
			answer(tls, call, true)
			return
		}
		key = key[end+1:]
	}
	answer(tls, call, false)
}

// among tells whether sorted items, with a separator before, between and behind them, have one.
func among(items, one []byte) bool {
	low, high := 0, len(items)-1 // where there are separators
	for low < high {
		begin := low + bytes.LastIndexByte(items[low:low+(high-low+1)/2], engine.Separator[0])
		end := begin + 1 + bytes.IndexByte(items[begin+1:], engine.Separator[0])
		switch bytes.Compare(items[begin+1:end], one) {
		case 0:
			return true
		case -1:
			low = end
		default:
			high = begin
		}
	}
	return false
}

// guard stops the statements of a connection when their time is over, or when nobody waits for them any more. SQLite asks it every thousand
// steps, so short statements never do.
type guard struct {
	handle int64
	ctx    context.Context
	// limit is how long the statements may take, and until when; 0 is as long as it takes.
	limit time.Duration
	until time.Time
	// Work is for how long they have had a processor since they were first asked for, had what their thread had by then, and asked
	// when that was. They are held on one thread from then on, because what threads have had is all that the system tells.
	work, had time.Duration
	asked     time.Time
	held      bool
	// why is set when it has stopped a statement.
	why error
}

// guardSteps is after how many steps SQLite asks, which is a fraction of a millisecond, and with long texts some.
const guardSteps = 1000

// longestStep is how much of the time between two questions counts as work where the system does not tell: what takes longer was spent
// waiting for a processor.
const longestStep = 5 * time.Millisecond

// start begins the time of what comes next; nothing is stopped after end, which the same goroutine calls.
func (g *guard) start(ctx context.Context, limit time.Duration) {
	g.ctx, g.limit, g.why, g.work = ctx, limit, nil, 0
	if limit > 0 {
		g.asked = time.Now()
		g.until = g.asked.Add(limit)
	}
}

func (g *guard) end() {
	g.ctx, g.limit = nil, 0
	if g.held {
		g.held = false
		runtime.UnlockOSThread()
	}
}

// stopped gives the reason why statements were stopped, or else the error that they gave.
func (g *guard) stopped(err error) error {
	if err != nil && g.why != nil {
		return g.why
	}
	return err
}

// over tells whether to stop.
func (g *guard) over() bool {
	if g.ctx == nil {
		return false
	}
	if g.why = g.ctx.Err(); g.why == nil && g.limit > 0 {
		now := time.Now()
		g.count(now)
		switch {
		case now.After(g.until):
			g.why = engine.ErrTook(g.limit.String())
		case g.work > g.limit/engine.WorkShare:
			g.why = engine.ErrWorked(g.limit)
		}
	}
	return g.why != nil
}

// count adds what was done since the last question.
func (g *guard) count(now time.Time) {
	waited := now.Sub(g.asked)
	g.asked = now
	if !g.held {
		runtime.LockOSThread()
		g.held = true
		g.had, _ = threadTime()
		g.work += min(waited, longestStep)
		return
	}
	had, known := threadTime()
	if !known {
		g.work += min(waited, longestStep)
		return
	}
	g.work += had - g.had
	g.had = had
}

// guards are those of the open connections, by the handles that SQLite knows them by.
var guards = struct {
	sync.RWMutex
	byHandle map[int64]*guard
	last     int64
}{byHandle: map[int64]*guard{}}

// newGuard gives a guard and its handle, which drop forgets.
func newGuard() *guard {
	guards.Lock()
	defer guards.Unlock()
	guards.last++
	g := &guard{handle: guards.last}
	guards.byHandle[g.handle] = g
	return g
}

// drop comes after the connection is closed.
func (g *guard) drop() {
	guards.Lock()
	defer guards.Unlock()
	delete(guards.byHandle, g.handle)
}

func guardOf(handle int64) *guard {
	guards.RLock()
	defer guards.RUnlock()
	return guards.byHandle[handle]
}

func guardConnection(tls *libc.TLS, call uintptr, _ int32, args uintptr) {
	handle := sqlite3.Xsqlite3_value_int64(tls, *sqlitemem.At[uintptr](args))
	if guardOf(handle) == nil {
		sqlite3.Xsqlite3_result_error_code(tls, call, sqlite3.SQLITE_MISUSE)
		return
	}
	db := sqlite3.Xsqlite3_context_db_handle(tls, call)
	sqlite3.Xsqlite3_progress_handler(tls, db, guardSteps, sqlitemem.Function(askGuard), uintptr(handle))
}

func askGuard(_ *libc.TLS, handle uintptr) int32 {
	if g := guardOf(int64(handle)); g != nil && g.over() {
		return 1
	}
	return 0
}

func startsUpTo(tls *libc.TLS, call uintptr, _ int32, args uintptr) {
	starts := argument(tls, args, 1)
	value := *sqlitemem.At[uintptr](args)
	if starts == nil || sqlite3.Xsqlite3_value_type(tls, value) == sqlite3.SQLITE_NULL {
		return // the answer is absent, too
	}
	v := sqlite3.Xsqlite3_value_int64(tls, value)
	low, high := 0, len(starts)/8
	for low < high {
		if mid := int(uint(low+high) >> 1); int64(binary.LittleEndian.Uint64(starts[8*mid:])) <= v {
			low = mid + 1
		} else {
			high = mid
		}
	}
	sqlite3.Xsqlite3_result_int64(tls, call, int64(low))
}
