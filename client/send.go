package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	random "math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// longestAnswer is more than any answer of the server has; what goes beyond is not read.
const longestAnswer = 64 << 20

// core is what all calls of a client share.
type core struct {
	base    string
	http    *http.Client
	source  TokenSource
	agent   string
	retries int
	// first and longest are how long to wait before a request is sent again.
	first, longest time.Duration
	// take is given the body of an answer that is a file, which it closes; nil where answers are read at once.
	take func(io.ReadCloser)
}

// call is one request, which may be sent several times.
type call struct {
	method, path string
	header       http.Header
	body         []byte
	// file is sent in place of a body; such a request is sent once.
	file        io.Reader
	writes, dry bool
	key         string
}

// answer is a response read to its end.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// newKey makes an idempotency key.
func newKey() string { return rand.Text() }

// do sends a request, again and again where that may help, and gives the answer or the server's refusal as an error. Nothing is done twice
// by this: reads and dry runs change nothing, and writes have their key.
func (c *core) do(ctx context.Context, r call) (answer, error) {
	for sent := 1; ; sent++ {
		a, err := c.send(ctx, r)
		wait, again := c.again(err)
		if !again || sent > c.retries {
			return a, err
		}
		if ctx.Err() != nil {
			return a, ended(ctx, err)
		}
		if wait == 0 {
			wait = c.backoff(sent - 1)
		} else {
			wait += random.N(wait/8 + 1)
		}
		deadline, bounded := ctx.Deadline()
		if wait > c.longest || bounded && time.Until(deadline) < wait {
			return a, err // there will be no time for another try, so the caller need not wait for it
		}
		select {
		case <-ctx.Done():
			return a, ended(ctx, err)
		case <-time.After(wait):
		}
	}
}

// backoff is how long to wait after so many attempts, where the server does not say: a part of it is chance, so that clients that failed
// together do not come back together.
func (c *core) backoff(failed int) time.Duration {
	wait := min(c.first<<min(failed, 20), c.longest)
	return wait - random.N(wait/2+1)
}

// ended is the error of a request that would have been sent again, had its caller not gone: it says so, whenever that happened.
func ended(ctx context.Context, err error) error {
	if errors.Is(err, ctx.Err()) {
		return err
	}
	return errors.Join(ctx.Err(), err)
}

// again tells whether a request that failed is worth another try, and how long to wait if the server said so.
func (c *core) again(err error) (wait time.Duration, again bool) {
	var refused *Error
	var untrusted *tls.CertificateVerificationError
	var final *finalError
	switch {
	case err == nil, errors.As(err, &untrusted), errors.As(err, &final):
		return 0, false
	case !errors.As(err, &refused):
		return 0, true // no connection, or it broke: whether the request was done is not known
	}
	switch refused.Status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return refused.RetryAfter, true
	}
	// What was sent before is still being done: its answer comes soon.
	return refused.RetryAfter, refused.Code == ErrIdempotencyInProgress
}

// finalError is one that another try would not mend.
type finalError struct{ error }

func (e *finalError) Unwrap() error { return e.error }

// request makes a request with what all of them have.
func (c *core) request(ctx context.Context, method, path string, body io.Reader, header http.Header) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+"/"+apiVersion+path, body)
	if err != nil {
		return nil, &finalError{fmt.Errorf("client: %w", err)}
	}
	req.Header = header
	req.Header.Set("Version", apiVersion)
	req.Header.Set("User-Agent", c.agent)
	if c.source != nil {
		if err := c.source.Authorize(req); err != nil {
			return nil, &finalError{fmt.Errorf("client: no token: %w", err)}
		}
	}
	return req, nil
}

// send sends a request once.
func (c *core) send(ctx context.Context, r call) (answer, error) {
	path := r.path
	if r.dry {
		path += "?dry_run=true"
	}
	var body io.Reader = bytes.NewReader(r.body)
	if r.file != nil {
		body = r.file
	}
	header := r.header.Clone()
	if c.take == nil {
		header.Set("Accept", "application/json")
	}
	if len(r.body) > 0 {
		header.Set("Content-Type", "application/json")
	}
	if r.file != nil {
		header.Set("Content-Type", "application/octet-stream")
	}
	req, err := c.request(ctx, r.method, path, body, header)
	if err != nil {
		return answer{}, err
	}
	res, err := c.http.Do(req)
	if err != nil {
		return answer{}, fmt.Errorf("client: %w", err)
	}
	if c.take != nil && res.StatusCode == http.StatusOK {
		c.take(res.Body)
		return answer{status: res.StatusCode, header: res.Header}, nil
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, longestAnswer+1))
	switch {
	case err != nil:
		return answer{}, fmt.Errorf("client: the answer to %s %s broke off: %w", r.method, r.path, err)
	case len(text) > longestAnswer:
		return answer{}, &finalError{fmt.Errorf("client: the answer to %s %s has more than %d bytes", r.method, r.path, longestAnswer)}
	}
	a := answer{res.StatusCode, res.Header, text}
	if a.status < 200 || a.status > 299 {
		return a, refusal(a)
	}
	return a, nil
}

// refusal reads an error of the server, or of something in between that does not speak as the server does.
func refusal(a answer) *Error {
	e := &Error{}
	if json.Unmarshal(a.body, e) != nil || e.Code == "" {
		*e = Error{Title: http.StatusText(a.status), Detail: string(a.body[:min(len(a.body), 300)])}
	}
	e.Status = a.status
	if e.RequestID == "" {
		e.RequestID = a.header.Get("X-Request-Id")
	}
	if e.RetryAfter == 0 {
		e.RetryAfter = retryAfter(a.header.Get("Retry-After"))
	}
	return e
}

// retryAfter reads the header: seconds, or the time itself.
func retryAfter(value string) time.Duration {
	if seconds, err := strconv.Atoi(value); err == nil && seconds > 0 && seconds < 1<<30 {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(time.Until(at), 0)
	}
	return 0
}
