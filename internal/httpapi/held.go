package httpapi

import (
	"net/http"
	"sync"
	"time"

	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/schema"
)

// quota counts what is under way, and bounds it in all and for one business.
type quota struct {
	most, mostByOne int
	mu              sync.Mutex
	all             int
	by              map[schema.UUID]int
}

// Bounds of what is held: the bytes of large bodies and answers that are on their way. A client that asks and does not read makes the
// server keep its answer, and one that sends its body byte by byte what has come of it; many such clients would use up the memory.
const (
	MaxHeld      = 256 << 20
	MaxHeldByOne = 64 << 20
)

// leastHeld is how large a body or an answer must be to count. It is as large as the buffers that are kept anyway.
const leastHeld = largestBuffer

// hurry is how long a client may take to read an answer that is held beyond the bounds.
const hurry = 5 * time.Second

var errHeld = problem.New(problem.ServiceUnavailable,
	"Too many large requests and answers of this business are still on their way. Read the answers first, send less at once, or ask for "+
		"smaller pages.")

// fits tells whether more can be taken.
func (q *quota) fits(business schema.UUID, n int) bool {
	return q.all+n <= q.most && q.by[business]+n <= q.mostByOne
}

// take notes what begins, or reports false; give must follow where it is true.
func (q *quota) take(business schema.UUID, n int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.fits(business, n) {
		return false
	}
	q.add(business, n)
	return true
}

// takeAnyway notes what cannot be refused, and tells whether it is within the bounds.
func (q *quota) takeAnyway(business schema.UUID, n int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	defer q.add(business, n)
	return q.fits(business, n)
}

// hasRoom tells whether so much fits.
func (q *quota) hasRoom(business schema.UUID, n int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.fits(business, n)
}

func (q *quota) add(business schema.UUID, n int) {
	if q.by == nil {
		q.by = map[schema.UUID]int{}
	}
	q.all += n
	q.by[business] += n
}

// Held is how many bytes of large bodies and answers are on their way.
func (a *API) Held() int {
	a.held.mu.Lock()
	defer a.held.mu.Unlock()
	return a.held.all
}

func (q *quota) give(business schema.UUID, n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.all -= n
	if q.by[business] -= n; q.by[business] == 0 {
		delete(q.by, business)
	}
}

// hold counts what the request keeps in memory, until it has been answered.
func (r *request) hold(bytes int) error {
	if !r.api.held.take(r.call.Tenant.ID(), bytes) {
		return errHeld
	}
	r.held += bytes
	return nil
}

// holdAnswer counts an answer. That to a write is not refused any more, because whoever is refused would take it for not written:
// it is refused before it begins, while there is no room for its answer. Those that began before that have little time to be read.
func (r *request) holdAnswer(bytes int) error {
	if bytes <= leastHeld || r.call.Principal == nil || r.route == nil {
		return nil
	}
	if r.route.reads() {
		return r.hold(bytes)
	}
	r.held += bytes
	if !r.api.held.takeAnyway(r.call.Tenant.ID(), bytes) {
		// A writer of answers that knows no deadlines has no client that could be slow.
		_ = http.NewResponseController(r.w).SetWriteDeadline(time.Now().Add(hurry))
	}
	return nil
}

// letGo ends what hold began.
func (r *request) letGo() {
	if r.held > 0 {
		r.api.held.give(r.call.Tenant.ID(), r.held)
		r.held = 0
	}
}
