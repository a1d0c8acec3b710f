package bench

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/store"
)

// Peer is another product that is measured beside kith in the same run: it holds the same records and is asked the same questions.
type Peer interface {
	// Load copies the contacts of all businesses out of kith's database, and the companies and deals with them.
	Load(ctx context.Context, from *store.Store) error
	// Serve gives the command of the server on what was loaded, which takes --addr and --debug-addr, and a path at which it answers.
	Serve() (path, program string, args []string)
	// Ways name the ways in which the peer can be asked. Each is measured for itself.
	Ways() []string
	// Ask puts a request to kith as requests to the peer, in the order of its ways: fewer where a way makes no difference. Where
	// the request has a cursor, before is the record that the page follows, as kith wrote it.
	Ask(asked *http.Request, before []byte) ([]Question, error)
	// Same fails unless the peer's answer to a question holds the same records as kith's.
	Same(q Question, answer, theirs []byte) error
}

// Question is a request to a peer.
type Question struct {
	Method, Path, Token string
	Body                []byte
}

// PeerRow is how an operation went with a peer, asked in one way.
type PeerRow struct {
	Way       string  `json:"way"`
	PerSecond float64 `json:"requests_per_second"`
	P50Ms     float64 `json:"p50_ms"`
	P99Ms     float64 `json:"p99_ms"`
	// Times is how many requests kith answers for each of the peer's.
	Times float64 `json:"kith_times"`
}

// startPeer loads the peer from kith's database and starts it.
func (o Options) startPeer(ctx context.Context, url string, result *Result) (*process, error) {
	from, err := store.Open(ctx, url, record.Registry)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	o.progress("loading %s", o.Peer.Ways()[0])
	begin := time.Now()
	if err := o.Peer.Load(ctx, from); err != nil {
		return nil, err
	}
	result.PeerLoadedIn = time.Since(begin).Seconds()
	path, program, args := o.Peer.Serve()
	return start(ctx, path, program, args...)
}

// compared bounds how many answers of an operation are compared before it is measured.
const compared = 64

// comparePeer gives what asks the peer for the same as an operation asks kith, for each of its ways, after seeing that both answer
// alike. The questions that were compared are not asked again.
func (r *run) comparePeer(op *operation, kith *asker) (ways []*asker, err error) {
	if r.peer == nil {
		return nil, nil
	}
	some := compared
	if op.count > 0 {
		some = min(some, max(1, op.count/4))
	}
	first, err := r.askPeer(op, 0)
	if err != nil {
		return nil, err
	}
	for way := range first {
		ways = append(ways, &asker{addr: r.peer.addr, count: op.count, again: op.again, request: func(n int) (request, error) {
			questions, err := r.askPeer(op, n)
			if err != nil {
				return nil, err
			}
			return questions[way].request(r.peer.addr), nil
		}})
	}
	if op.writes {
		return ways, nil
	}
	for n := range some {
		answer, err := once(kith.addr, op.question(n).request)
		if err != nil {
			return nil, err
		}
		questions, err := r.askPeer(op, n)
		if err != nil {
			return nil, err
		}
		for way, q := range questions {
			theirs, err := once(r.peer.addr, q.request(r.peer.addr))
			if err == nil {
				err = r.Peer.Same(q, answer, theirs)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", r.Peer.Ways()[way], q.Path, err)
			}
		}
	}
	for _, asker := range append(ways, kith) {
		asker.asked.Store(int64(some))
	}
	return ways, nil
}

// askPeer puts the n-th question of an operation to the peer.
func (r *run) askPeer(op *operation, n int) ([]Question, error) {
	q := op.question(n)
	asked, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(q.request)))
	if err != nil {
		return nil, err
	}
	return r.Peer.Ask(asked, q.before)
}

func (q Question) request(addr string) request {
	return newRequest(q.Method, addr, q.Path, q.Token, string(q.Body))
}
