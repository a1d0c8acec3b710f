package bench

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"kith/internal/crm"
	"kith/internal/store"
)

// Peer is another product that is measured beside kith in the same run: it holds the same contacts and is asked the same questions.
type Peer interface {
	// Load copies the contacts of all businesses out of kith's database.
	Load(ctx context.Context, from *store.Store) error
	// Serve gives the command of the server on what was loaded, which takes --addr and --debug-addr, and a path at which it answers.
	Serve() (path, program string, args []string)
	// Ways name the ways in which the peer can be asked. Each is measured for itself.
	Ways() []string
	// Ask puts a request to kith as requests to the peer, in the order of its ways: fewer where a way makes no difference, and none where the
	// peer would answer on other terms. The answer is kith's, or nil where the request was not sent.
	Ask(asked *http.Request, answer []byte) ([]Question, error)
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
	from, err := store.Open(ctx, url, crm.Registry)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	fmt.Fprintf(o.Out, "\r\033[Kloading %s", o.Peer.Ways()[0])
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

// peerLoads gives the loads that ask the peer for the same as an operation asks kith, after seeing that both answer alike. What the peer is
// not asked is taken out of the operation.
func (o Options) peerLoads(kith, peer *process, op *operation) ([]load, error) {
	if peer == nil {
		return nil, nil
	}
	ways := make([][]request, len(o.Peer.Ways()))
	var kept []request
	for i, r := range op.requests {
		asked, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(r)))
		if err != nil {
			return nil, err
		}
		var answer []byte
		if !op.writes && i < compared {
			if answer, err = once(kith.addr, r); err != nil {
				return nil, err
			}
		}
		questions, err := o.Peer.Ask(asked, answer)
		if err != nil {
			return nil, err
		}
		for way, q := range questions {
			theirs := newRequest(q.Method, peer.addr, q.Path, q.Token, q.Body)
			ways[way] = append(ways[way], theirs)
			if answer == nil {
				continue
			}
			body, err := once(peer.addr, theirs)
			if err == nil {
				err = o.Peer.Same(q, answer, body)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", o.Peer.Ways()[way], q.Path, err)
			}
		}
		if len(questions) > 0 {
			kept = append(kept, r)
		}
	}
	if len(kept) == 0 {
		return nil, errors.New("nothing to compare: the set is too small for any request to find something")
	}
	op.requests = kept
	var loads []load
	for _, requests := range ways {
		if len(requests) > 0 {
			loads = append(loads, load{addr: peer.addr, connections: o.Connections, next: inTurn(requests)})
		}
	}
	return loads, nil
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
	if _, err := c.Write(r); err != nil {
		return nil, err
	}
	status, body, err := readResponse(bufio.NewReader(c), nil)
	if err == nil && status/100 != 2 {
		err = fmt.Errorf("status %d: %s", status, body)
	}
	return body, err
}
