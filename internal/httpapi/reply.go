package httpapi

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
)

// reply is an answer that has not been sent: what the handler of a route gives, so that it can be kept, be a part of another one,
// or be dropped.
type reply struct {
	status int
	// etag and location are headers, empty where there are none.
	etag, location string
	// problem tells that the text is an error.
	problem bool
	text    []byte
	// media is the type of a text that is no JSON, and is sent as it is.
	media string
	// gzip is the text compressed, where that was done beforehand.
	gzip []byte
	// kept is the text without what is shown only once, where it has such a thing.
	kept []byte
	// stream sends an answer that has no end of its own.
	stream func(context.Context, *http.ResponseController)
	// buffer is where the text lies, and goes back to its pool when it was sent.
	buffer *[]byte
	// file sends the answer by itself, where it is a file that is made while it is sent.
	file func() error
}

// rendered makes a reply of a text that is appended to a buffer.
func rendered(status int, text func(dst []byte) []byte) reply {
	buffer := buffers.Get().(*[]byte)
	*buffer = text((*buffer)[:0])
	return reply{status: status, text: *buffer, buffer: buffer}
}

// appended makes a reply of a text that is appended to a buffer while it is found out, which may fail.
func appended(text func(dst []byte) ([]byte, error)) (a reply, err error) {
	a = rendered(http.StatusOK, func(dst []byte) []byte {
		dst, err = text(dst)
		return dst
	})
	return a, err
}

// send writes the answer. Nothing else does.
func (r *request) send(a reply) {
	if a.file != nil {
		r.sendFile(a.file)
		return
	}
	if a.buffer != nil {
		defer putBuffer(a.buffer)
	}
	if err := r.holdAnswer(len(a.text)); err != nil {
		r.fail(err)
		return
	}
	r.status = a.status
	header := r.w.Header()
	if a.etag != "" {
		header.Set("ETag", a.etag)
	}
	if a.location != "" {
		header.Set("Location", a.location)
	}
	if a.stream != nil {
		header["Content-Type"], header["X-Accel-Buffering"] = asEvents, unbuffered
		r.w.WriteHeader(a.status)
		r.streamed = time.Now()
		a.stream(r.in.Context(), http.NewResponseController(r.w))
		return
	}
	text := a.text
	if text != nil {
		if a.media != "" {
			header.Set("Content-Type", a.media)
		} else if header.Get("Content-Type") == "" {
			header["Content-Type"] = asJSON
			if a.problem {
				header["Content-Type"] = asProblem
			}
		}
		if len(text) >= leastCompressed && a.media == "" {
			header["Vary"] = byEncoding
			if acceptsGzip(r.in.Header.Values("Accept-Encoding")) {
				header.Set("Content-Encoding", "gzip")
				if text = a.gzip; text == nil {
					buffer := buffers.Get().(*[]byte)
					defer putBuffer(buffer)
					*buffer = compress((*buffer)[:0], a.text)
					text = *buffer
				}
			}
		}
		header.Set("Content-Length", strconv.Itoa(len(text)))
	}
	r.w.WriteHeader(a.status)
	if len(text) > 0 {
		// The client may be gone; there is nobody left to tell.
		_, _ = r.w.Write(text)
	}
}

// fail answers with an error.
func (r *request) fail(err error) { r.send(r.failure(err)) }

func tagOf(rec *schema.Record) string { return `"` + strconv.FormatInt(rec.Version(), 10) + `"` }

// found is the reply to a reader of one record, with its version as the ETag.
func (r *request) found(rec *schema.Record) reply {
	tag := tagOf(rec)
	if r.unchanged(tag) && !ages(rec) {
		return reply{status: http.StatusNotModified, etag: tag}
	}
	a := rendered(http.StatusOK, func(dst []byte) []byte { return r.appendRecord(dst, rec) })
	a.etag = tag
	return a
}

// appendRecord renders a record for those who may read it, for others its id and version.
func (r *request) appendRecord(dst []byte, rec *schema.Record) []byte {
	if k := r.route.Kind; k != nil {
		return r.call.Answer(dst, k, rec)
	}
	return record.Render(dst, rec) // the business, which everybody may read
}

// done is the reply to a write.
func (r *request) done(out record.Outcome) reply {
	if out.Deleted {
		return reply{status: http.StatusNoContent}
	}
	a := rendered(http.StatusOK, func(dst []byte) []byte {
		if out.Beside == nil {
			return r.appendRecord(dst, out.Record)
		}
		dst = r.appendRecord(append(dst, `{"record":`...), out.Record)
		return append(r.call.AnswerBeside(dst, r.route.Kind, out), '}')
	})
	if a.etag = tagOf(out.Record); out.Made {
		a.status, a.location = http.StatusCreated, "/v1/"+r.route.Kind.Plural+"/"+schema.FormatID(r.route.Kind.Name, out.Record.ID())
	}
	if out.Record.Once != nil {
		a.kept = r.appendKept(nil, out.Record)
	}
	return a
}

// appendKept renders a record without what is shown only once, and says that it is left out.
func (r *request) appendKept(dst []byte, rec *schema.Record) []byte {
	without := *rec
	without.Once = nil
	dst = r.appendRecord(dst, &without)
	dst = append(dst[:len(dst)-1], `,"omitted":[`...)
	dst = schema.AppendString(dst, rec.Once.Name)
	return append(dst, "]}"...)
}

// list is the reply to a search.
func (r *request) list(bin bool) (reply, error) {
	return appended(func(dst []byte) ([]byte, error) {
		return AppendList(r.in.Context(), r.api.engine, r.call, r.route.Kind, bin, r.body, dst)
	})
}

// listBegins is how the envelope of a list begins: each of its items is appended to what nextItem gives.
const listBegins = `{"data":[`

// nextItem puts a comma before every item of a list but the first. No item ends as a list begins.
func nextItem(dst []byte) []byte {
	if dst[len(dst)-1] == '[' {
		return dst
	}
	return append(dst, ',')
}

// AppendList answers a search with the envelope of a list.
func AppendList(ctx context.Context, e *record.Engine, c record.Call, k *record.Kind, bin bool, n *body.Node, dst []byte) ([]byte, error) {
	dst = append(dst, listBegins...)
	page, err := e.Search(ctx, c, k, bin, n, func(q *query.Query, values []schema.Value) {
		dst = q.AppendRecord(nextItem(dst), values)
	})
	return appendPage(dst, page), err
}

// appendPage ends the envelope of a list.
func appendPage(dst []byte, page record.List) []byte {
	dst = append(dst, `],"meta":{"cursor":{"next":`...)
	if page.Next != "" {
		dst = append(dst, '"')
		dst = append(dst, page.Next...)
		dst = append(dst, `","has_more":true}`...)
	} else {
		dst = append(dst, `null,"has_more":false}`...)
	}
	if page.Total >= 0 {
		dst = append(dst, `,"total":`...)
		dst = strconv.AppendInt(dst, page.Total, 10)
	}
	return append(dst, "}}"...)
}

// aggregate is the reply to a question for figures.
func (r *request) aggregate() (reply, error) {
	return appended(func(dst []byte) ([]byte, error) {
		return AppendAggregate(r.in.Context(), r.api.engine, r.call, r.route.Kind, r.body, dst)
	})
}

// AppendAggregate answers a question for figures.
func AppendAggregate(ctx context.Context, e *record.Engine, c record.Call, k *record.Kind, n *body.Node, dst []byte) ([]byte, error) {
	asked, rows, more, err := c.Aggregate(ctx, k, n)
	dst = append(dst, listBegins...)
	for i := range rows {
		dst = asked.AppendRow(nextItem(dst), &rows[i])
	}
	return appendMore(dst, more), err
}

// appendMore ends the envelope of a list that has no pages.
func appendMore(dst []byte, more bool) []byte {
	dst = append(dst, `],"meta":{"has_more":`...)
	return append(strconv.AppendBool(dst, more), "}}"...)
}

// write does what was planned, unless that failed, and gives the reply to it.
func (r *request) write(step record.Step, planned error) (reply, error) {
	return r.commit(planned, func(tx *store.Tx) (reply, error) {
		out, err := step(tx)
		if err != nil {
			return reply{}, err
		}
		return r.done(out), nil
	})
}

// operation plans and does one operation on a record.
func (r *request) operation(name string) (reply, error) {
	step, err := r.api.engine.Plan(r.call.Principal,
		record.Operation{Kind: r.route.Kind, Name: name, ID: r.in.PathValue("id"), IfMatch: r.ifMatch(), Body: r.body})
	return r.write(step, err)
}
