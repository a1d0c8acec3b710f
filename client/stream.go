package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// FromNow begins a stream of changes with the next that is made.
const FromNow int64 = -1

// silence is how long the server may say nothing; it says something every 15 seconds.
const silence = 45 * time.Second

// longestEvent is more than any change takes.
const longestEvent = 16 << 20

// Listen walks through the changes of the business as they are made, in order: those behind the number after, where 0 is the
// beginning and [FromNow] none of those that there are already, and then what happens from now on. It does not end by itself, but
// when ctx does, or nobody wants more. A connection that breaks, and a server that stops, are come back to, and nothing is missed
// or told twice; only a client without retries gives up where no connection can be had. Who keeps the Seq of the last change begins
// after it the next time. An error, such as that of a token that was revoked, is the last that is told. Only changes of the named
// resources are told, such as "contact" and "deal", or where none is named of all that may be read.
func (c *Client) Listen(ctx context.Context, after int64, resources ...string) iter.Seq2[*Change, error] {
	return func(yield func(*Change, error) bool) {
		s := stream{core: c.core, seq: after, resources: resources}
		for failed := 0; ; failed++ {
			heard, wanted, err := s.listen(ctx, func(change *Change) bool { return yield(change, nil) })
			if !wanted {
				return
			}
			if heard {
				failed = 0
			}
			wait, again := c.core.again(err)
			if ctx.Err() != nil {
				yield(nil, ended(ctx, err))
				return
			}
			if err != nil && (!again || c.core.retries == 0) {
				yield(nil, err)
				return
			}
			if wait == 0 {
				wait = c.core.backoff(failed)
			}
			select {
			case <-ctx.Done():
				yield(nil, ended(ctx, err))
				return
			case <-time.After(wait):
			}
		}
	}
}

// stream is where somebody is who listens.
type stream struct {
	core      *core
	seq       int64
	resources []string
}

// listen listens on one connection, until that ends or nobody wants more. It tells whether anything was heard.
func (s *stream) listen(ctx context.Context, each func(*Change) bool) (heard, wanted bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	asked := url.Values{}
	if s.seq >= 0 {
		asked.Set("after", strconv.FormatInt(s.seq, 10))
	}
	if len(s.resources) > 0 {
		asked.Set("resources", strings.Join(s.resources, ","))
	}
	path := "/changes/stream"
	if len(asked) > 0 {
		path += "?" + asked.Encode()
	}
	req, err := s.core.request(ctx, http.MethodGet, path, nil, http.Header{"Accept": {"text/event-stream"}})
	if err != nil {
		return false, true, err
	}
	quiet := time.AfterFunc(silence, cancel)
	defer quiet.Stop()
	res, err := s.core.patient().http.Do(req)
	if err != nil {
		return false, true, fmt.Errorf("client: %w", err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(io.LimitReader(res.Body, 1<<20))
		return false, true, refusal(answer{res.StatusCode, res.Header, body})
	}
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, longestEvent)
	at := s.seq
	for lines.Scan() {
		quiet.Reset(silence)
		name, value, _ := bytes.Cut(lines.Bytes(), []byte(": "))
		switch string(name) {
		case "id":
			if seq, err := strconv.ParseInt(string(value), 10, 64); err == nil {
				at = seq
			}
		case "": // an event ends; one without data tells how far there was nothing to tell
			s.seq = max(s.seq, at)
		case "data":
			var change Change
			if err := json.Unmarshal(value, &change); err != nil {
				return heard, true, fmt.Errorf("client: read a change: %w", err)
			}
			if change.Seq <= s.seq { // what the server says of its end has none
				continue
			}
			heard, s.seq = true, change.Seq
			if !each(&change) {
				return true, false, nil
			}
		}
	}
	err = lines.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		return heard, true, &finalError{fmt.Errorf("client: %w", err)}
	}
	if err == nil {
		err = io.EOF
	}
	return heard, true, fmt.Errorf("client: the stream of changes broke off: %w", err)
}
