package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/oauth"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
)

// request is one request on its way through the steps.
type request struct {
	api   *API
	w     http.ResponseWriter
	in    *http.Request
	id    string
	start time.Time
	route *Route
	call  record.Call
	body  *body.Node
	// text is the body as it came.
	text []byte
	// token is what the caller presents, and query what the route's own parameters say.
	token string
	query url.Values
	// dry tells that the write is only rehearsed.
	dry    bool
	status int
	// streamed is when the answer began, where it has no end of its own.
	streamed time.Time
	// held is how many bytes it is counted for.
	held int
}

func newRequest(a *API, w http.ResponseWriter, in *http.Request) *request {
	start := time.Now()
	r := &request{api: a, w: w, in: in, id: schema.FormatID("req", schema.NewID(start)), start: start}
	header := w.Header()
	header.Set("X-Request-Id", r.id)
	header["X-Content-Type-Options"] = noSniff
	header["Cache-Control"] = noStore
	openToBrowsers(header, in)
	return r
}

// Headers that every answer has.
var noSniff, noStore = []string{"nosniff"}, []string{"no-store"}

// Headers of a stream: proxies are to pass on what comes, and not to gather it.
var asEvents, unbuffered = []string{"text/event-stream"}, []string{"no"}

// Headers that most answers have.
var asJSON, asProblem, byEncoding = []string{"application/json"}, []string{"application/problem+json"}, []string{"Accept-Encoding"}

// buffers are used again, which makes getting one record 1.1 to 1.2 times as fast.
var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 16<<10); return &b }}

// largestBuffer is how large a buffer may be to be used again; a larger one would stay in memory for the sake of one answer.
const largestBuffer = 64 << 10

func putBuffer(b *[]byte) {
	if cap(*b) <= largestBuffer {
		buffers.Put(b)
	}
}

// readBody reads and parses the body: 415, 413 or 400 where it is not a JSON text of ours to read.
func (r *request) readBody() error {
	text, err := r.readText()
	if err != nil || len(text) == 0 {
		return err
	}
	if kind := r.in.Header.Get("Content-Type"); kind != "application/json" && !r.isJSON(kind) {
		return &problem.Problem{
			Code: problem.UnsupportedMediaType, Detail: "A body must be sent as Content-Type: application/json.",
			Allowed: []string{"application/json"},
		}
	}
	r.text = text
	r.body, err = body.Parse(text)
	return err
}

// readText reads the bytes of the body.
func (r *request) readText() ([]byte, error) {
	if encoding := r.in.Header.Get("Content-Encoding"); encoding != "" {
		return nil, problem.New(problem.UnsupportedMediaType, "A request body must not be compressed (Content-Encoding: %s).", encoding)
	}
	if r.in.ContentLength > MaxBody {
		return nil, tooLarge()
	}
	in := http.MaxBytesReader(r.w, r.in.Body, MaxBody)
	text, err := io.ReadAll(io.LimitReader(in, leastHeld))
	if err == nil && len(text) == leastHeld {
		// The rest comes when the client likes. One that does not say how much there is may send as much as there can be.
		if err := r.hold(cmp.Or(int(max(r.in.ContentLength, 0)), MaxBody)); err != nil {
			return nil, err
		}
		var rest []byte
		rest, err = io.ReadAll(in)
		text = append(text, rest...)
	}
	if err != nil {
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			return nil, tooLarge()
		}
		return nil, problem.New(problem.MalformedJSON, "The body could not be read to its end.")
	}
	return text, nil
}

// isJSON tells whether a content type is one that a body can be sent as.
func (r *request) isJSON(kind string) bool {
	media, parameters, err := mime.ParseMediaType(kind)
	charset, hasCharset := parameters["charset"]
	merge := media == "application/merge-patch+json" && r.in.Method == http.MethodPatch
	return err == nil && (media == "application/json" || merge) && (!hasCharset || strings.EqualFold(charset, "utf-8"))
}

func tooLarge() error {
	return problem.New(problem.PayloadTooLarge, "The body is larger than %d bytes.", MaxBody)
}

// ifMatch reads the versions that the caller knows. A tag that is not one of ours matches no version.
func (r *request) ifMatch() record.IfMatch {
	values := r.in.Header.Values("If-Match")
	if len(values) == 0 {
		return nil
	}
	match := record.IfMatch{}
	for _, value := range values {
		for _, tag := range strings.Split(value, ",") {
			tag = strings.TrimSpace(tag)
			if tag == "*" {
				return nil
			}
			if version, err := strconv.ParseInt(strings.Trim(tag, `"`), 10, 64); err == nil {
				match = append(match, version)
			}
		}
	}
	return match
}

// unchanged tells whether a reader already has what the tag names. The comparison is the weak one (RFC 9110, 13.1.2).
func (r *request) unchanged(tag string) bool {
	if r.in.Method != http.MethodGet && r.in.Method != http.MethodHead {
		return false
	}
	for _, value := range r.in.Header.Values("If-None-Match") {
		for _, known := range strings.Split(value, ",") {
			if known = strings.TrimSpace(known); known == "*" || strings.TrimPrefix(known, "W/") == tag {
				return true
			}
		}
	}
	return false
}

// ages tells whether a record can look different now from when its version was made: by what is noted without raising the version, or by a
// state that the day has moved on. Then the version does not tell what a reader already has.
func ages(rec *schema.Record) bool {
	return slices.ContainsFunc(rec.Leaves, func(l *schema.Leaf) bool {
		return l.Writing.Silent || l.Lapse != nil && rec.Text(l) == l.Lapse.To
	})
}

// finish logs and counts the request, and turns a panic into an answer. Nothing of the body, the query or the token is logged.
func (r *request) finish() {
	defer r.letGo()
	p := recover()
	if p == http.ErrAbortHandler {
		defer panic(p)
	} else if p != nil {
		r.api.log.Error("panic", "request_id", r.id, "error", fmt.Sprint(p), "stack", string(debug.Stack()))
		if r.status == 0 {
			r.fail(problem.New(problem.Internal, "Something went wrong on our side."))
		}
	}
	now := time.Now()
	took := now.Sub(r.start)
	if !r.streamed.IsZero() {
		took = r.streamed.Sub(r.start) // how long somebody listens is no sign of anything
	}
	r.api.metrics.Count(r.in.Method, r.in.Pattern, r.status, took)
	if r.api.requests != nil {
		r.logLine(now)
	}
}

// logLine writes the line of the request. It looks as the other lines of the log do, and is written by hand because every request
// pays for it: through slog getting one record would take a tenth longer.
func (r *request) logLine(now time.Time) {
	buffer := buffers.Get().(*[]byte)
	defer putBuffer(buffer)
	line := append((*buffer)[:0], `{"time":"`...)
	line = now.AppendFormat(line, time.RFC3339Nano)
	line = append(line, `","level":"INFO","msg":"request","request_id":"`...)
	line = append(line, r.id...)
	line = append(line, `","method":`...)
	line = schema.AppendString(line, r.in.Method)
	line = append(line, `,"route":"`...)
	if r.route != nil {
		line = append(line, r.route.Pattern...)
	}
	line = append(line, `","status":`...)
	line = strconv.AppendInt(line, int64(r.status), 10)
	line = append(line, `,"ms":`...)
	line = strconv.AppendFloat(line, float64(now.Sub(r.start).Microseconds())/1000, 'f', -1, 64)
	line = append(line, `,"address":`...)
	line = schema.AppendString(line, oauth.RemoteAddress(r.in))
	if who := r.call.Principal; who != nil {
		line = appendLogID(line, "business", who.Tenant.ID())
		line = appendLogID(line, "user", who.User)
		if app := who.Actor("").AppID(); app != "" {
			line = append(line, `,"app":`...)
			line = schema.AppendString(line, app)
		} else if who.Token == (schema.UUID{}) {
			line = appendLogID(line, "session", who.Connection)
		} else {
			line = appendLogID(line, "token", who.Token)
		}
	}
	*buffer = append(line, "}\n"...)
	// A log that cannot be written is nothing that could be told anywhere.
	_, _ = r.api.requests.Write(*buffer)
}

// appendLogID appends a member with an id; resources are called what their ids begin with.
func appendLogID(line []byte, name string, id schema.UUID) []byte {
	line = append(line, `,"`...)
	line = append(line, name...)
	line = append(line, `":"`...)
	line = schema.AppendID(line, name, string(id[:]))
	return append(line, '"')
}

// titles and statuses of the problems, by code.
var statuses = map[problem.Code]struct {
	status int
	title  string
}{
	problem.MalformedJSON:        {400, "The body is not valid JSON"},
	problem.VersionRequired:      {400, "The Version header is missing"},
	problem.VersionUnsupported:   {400, "The version is not supported"},
	problem.Unauthorized:         {401, "Authentication is needed"},
	problem.InvalidToken:         {401, "The access token is not valid"},
	problem.InsufficientScope:    {403, "The token lacks a scope"},
	problem.ForbiddenByRole:      {403, "The role does not allow this"},
	problem.SessionRequired:      {403, "This is for people who are logged in"},
	problem.ConfirmationRequired: {403, "It must be confirmed who asks"},
	problem.SecondFactorRequired: {403, "A second factor must be set up first"},
	problem.NotFound:             {404, "Not found"},
	problem.MethodNotAllowed:     {405, "The method is not allowed"},
	problem.Conflict:             {409, "Conflict with what is there"},
	problem.AmbiguousMatch:       {409, "Several records match"},
	problem.KeyInProgress:        {409, "The request is under way"},
	problem.InvalidTransition:    {409, "The state does not allow this"},
	problem.PreconditionFailed:   {412, "The record has changed"},
	problem.PayloadTooLarge:      {413, "The body is too large"},
	problem.UnsupportedMediaType: {415, "The media type is not supported"},
	problem.ValidationFailed:     {422, "The input is not valid"},
	problem.KeyReused:            {422, "The key was used for another request"},
	problem.TooManyRequests:      {429, "Too many requests"},
	problem.Internal:             {500, "Internal error"},
	problem.ServiceUnavailable:   {503, "Not available"},
	problem.Timeout:              {503, "It took too long"},
	problem.DatabaseUnavailable:  {503, "The database is not available"},
}

// failure renders an error. What is not a problem of the caller's is logged and kept from them.
func (r *request) failure(err error) reply {
	p := problem.As(err)
	switch {
	case p != nil && p.Code == problem.DatabaseUnavailable:
		r.api.log.Error("database", "request_id", r.id, "error", err)
	case p != nil:
	case errors.Is(err, context.Canceled):
		p = problem.New(problem.ServiceUnavailable, "The request was cancelled.")
	default:
		r.api.log.Error("internal", "request_id", r.id, "error", err)
		p = problem.New(problem.Internal, "Something went wrong on our side. The request id helps us to find out what.")
	}
	if p.Code.WorthRetrying() {
		r.w.Header().Set("Retry-After", "2")
	}
	if (p.Code.WorthRetrying() || p.Code == problem.KeyInProgress) && p.RetryAfter > 0 {
		r.w.Header().Set("Retry-After", strconv.Itoa(int(p.RetryAfter.Seconds())))
	}
	if p.Code == problem.InsufficientScope {
		r.challenge(`error="insufficient_scope", scope="` + p.Scope + `"`)
	}
	status, text := r.describe(p)
	return reply{status: status, problem: true, text: text}
}

// describe renders a problem of this request.
func (r *request) describe(p *problem.Problem) (status int, text []byte) {
	return statuses[p.Code].status, r.describeAs(p, r.id)
}

// describeAs renders a problem of a request.
func (r *request) describeAs(p *problem.Problem, requestID string) []byte {
	s := statuses[p.Code]
	text, err := json.Marshal(struct {
		Type           string            `json:"type"`
		Title          string            `json:"title"`
		Status         int               `json:"status"`
		Detail         string            `json:"detail"`
		Code           problem.Code      `json:"code"`
		RequestID      string            `json:"request_id"`
		Errors         []problem.Field   `json:"errors,omitempty"`
		Omitted        int               `json:"errors_omitted,omitempty"`
		Allowed        []string          `json:"allowed,omitempty"`
		Scope          string            `json:"scope,omitempty"`
		ExistingID     string            `json:"existing_id,omitempty"`
		ExistingIDs    []string          `json:"existing_ids,omitempty"`
		MergedInto     string            `json:"merged_into,omitempty"`
		CurrentVersion int64             `json:"current_version,omitempty"`
		Changes        []problem.Changed `json:"changes,omitempty"`
		ChangesOmitted int64             `json:"changes_omitted,omitempty"`
		RetryAfter     int64             `json:"retry_after_ms,omitempty"`
	}{
		"urn:kith:problem:" + string(p.Code), s.title, s.status, p.Detail, p.Code, requestID, p.Fields, p.Omitted, p.Allowed, p.Scope,
		p.ExistingID, p.ExistingIDs, p.MergedInto, p.CurrentVersion, p.Changes, p.ChangesOmitted, p.RetryAfter.Milliseconds(),
	})
	if err != nil {
		text = []byte(`{}`)
	}
	return text
}
