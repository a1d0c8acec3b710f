package httpapi

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/kith-crm/kith/internal/body"
	"github.com/kith-crm/kith/internal/exchange"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
)

// Bounds of the exports that are under way at once, in all and for one business. Each takes one connection to the database in turns
// with its client, and some memory.
const (
	MaxExports      = 16
	MaxExportsByOne = 2
)

// exportRoom is what an export counts for among the large answers that are on their way: the most that one step of it has.
const exportRoom = 8 << 20

// A client that reads a file is waited for as long as it goes on reading: each chunk has to be taken in chunkPatience.
const (
	chunk         = 64 << 10
	chunkPatience = 30 * time.Second
)

// mediaTypes are those of files.
var mediaTypes = map[query.Format]string{
	query.CSV:   "text/csv; charset=utf-8; header=present",
	query.JSONL: "application/jsonl",
	query.XLSX:  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}

// export is the reply to who asks for a file of records.
func (r *request) export() (reply, error) {
	x, err := exchange.PlanExport(r.in.Context(), r.api.engine, r.call, r.route.Kind, r.body)
	if err != nil {
		return reply{}, err
	}
	x.Still = r.still
	return r.file(r.route.Kind.Plural, string(x.Format), mediaTypes[x.Format], x.Format != query.XLSX, func(send func([]byte) error) error {
		_, err := x.Run(r.in.Context(), send)
		return err
	})
}

const archiveType = "application/zip"

// archive is the reply to who asks for the whole business.
func (r *request) archive() (reply, error) {
	object, err := r.body.Object()
	if err != nil {
		return reply{}, err
	}
	var wrong problem.Fields
	body.Decode(object, exchange.ArchiveBody, true, "", &wrong)
	if err := wrong.Err(); err != nil {
		return reply{}, err
	}
	return r.file("business", "zip", archiveType, false, func(send func([]byte) error) error {
		return exchange.WriteArchive(r.in.Context(), r.api.engine, r.call, r.still, send)
	})
}

// still tells who asks by now.
func (r *request) still() (*record.Principal, error) {
	return r.principal(r.in.Context())
}

// file is the reply that is a file, which is sent while it is made.
func (r *request) file(name, ending, mediaType string, compressible bool, run func(send func([]byte) error) error) (reply, error) {
	business := r.call.Tenant.ID()
	if !r.api.exports.take(business, 1) {
		r.w.Header().Set("Retry-After", "5")
		p := problem.New(problem.TooManyRequests, "%d exports of this business, or %d of all, are under way. Ask again when one of them "+
			"has ended.", MaxExportsByOne, MaxExports)
		p.RetryAfter = 5 * time.Second
		return reply{}, p
	}
	if err := r.hold(exportRoom); err != nil {
		r.api.exports.give(business, 1)
		return reply{}, err
	}
	return reply{status: http.StatusOK, file: func() error {
		defer r.api.exports.give(business, 1)
		d := &download{r: r}
		header := r.w.Header()
		header["Vary"] = byEncoding
		compressed := compressible && acceptsGzip(r.in.Header.Values("Accept-Encoding"))
		d.begin = func() {
			header.Set("Content-Type", mediaType)
			header.Set("Content-Disposition", `attachment; filename="`+name+"-"+r.start.UTC().Format("2006-01-02")+"."+ending+`"`)
			if compressed {
				header.Set("Content-Encoding", "gzip")
			}
			r.status = http.StatusOK
			r.w.WriteHeader(r.status)
		}
		var to io.Writer = d
		finish := func() error { return nil }
		if compressed {
			// The client may read for long, so that it has a writer of its own.
			z, err := gzip.NewWriterLevel(d, gzip.BestSpeed)
			if err != nil {
				return err
			}
			to, finish = z, z.Close
		}
		err := run(func(text []byte) error {
			_, err := to.Write(text)
			return err
		})
		if err == nil {
			err = finish()
		}
		if err != nil && d.begun {
			return &brokenOff{err}
		}
		return err
	}}, nil
}

// sendFile sends a file. One that breaks off ends the connection, so that nobody takes what came for the whole.
func (r *request) sendFile(make func() error) {
	err := make()
	var broken *brokenOff
	switch {
	case err == nil:
	case !errors.As(err, &broken):
		r.fail(err)
	default:
		if r.in.Context().Err() == nil {
			r.api.log.Warn("export broke off", "request_id", r.id, "error", err)
		}
		panic(http.ErrAbortHandler)
	}
}

// brokenOff is the error of a file of which something is on its way already: all that can be told is that it is not whole.
type brokenOff struct{ error }

func (b *brokenOff) Unwrap() error { return b.error }

// download sends a file in chunks, each of which the client has to take in time.
type download struct {
	r     *request
	begin func()
	begun bool
}

func (d *download) Write(text []byte) (n int, err error) {
	control := http.NewResponseController(d.r.w)
	if !d.begun {
		d.begun = true
		// The whole may take longer than a request has otherwise. A writer of answers that knows no deadlines has no client that
		// could be slow.
		_ = control.SetReadDeadline(time.Time{})
		d.begin()
	}
	for len(text) > 0 {
		part := text[:min(len(text), chunk)]
		_ = control.SetWriteDeadline(time.Now().Add(chunkPatience))
		sent, err := d.r.w.Write(part)
		if n += sent; err != nil {
			return n, err
		}
		text = text[len(part):]
	}
	return n, nil
}
