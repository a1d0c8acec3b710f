package httpapi

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/exchange"
	"github.com/kith-crm/kith/internal/openapi"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/query"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/queue"
	"github.com/kith-crm/kith/internal/tabular"
	"github.com/kith-crm/kith/internal/work"
)

// uploadRoom is what a file on its way in counts for among the large bodies: what is read of it at once, and what waits to be written.
const uploadRoom = 8 << 20

// A client that sends a file is waited for as long as it goes on sending, but not for ever.
const longestUpload = 30 * time.Minute

// drained is how much is read of a file that is refused already.
const drained = 8 << 20

// Query parameters of a file that is sent.
const (
	formatName    = "format"
	encodingName  = "encoding"
	delimiterName = "delimiter"
	rowsName      = "n"
)

// delimiters are what can stand between cells, by their names.
var delimiters = map[string]rune{"comma": ',', "semicolon": ';', "tab": '\t', "bar": '|'}

var delimiterNames = []string{"comma", "semicolon", "tab", "bar"}

// importRoutes are those of files that become records.
func importRoutes() []Route {
	const all, one = "/v1/imports", "/v1/imports/{id}"
	one201 := []int{http.StatusCreated}
	const tag = "imports"
	told := openapi.Ref(openapi.Import)
	return []Route{
		{Method: "POST", Pattern: all, run: (*request).newImport, Doc: openapi.Doc{
			ID: "createImport", Tag: tag, Summary: "Begin to import a file",
			About:   "Says what the rows of a file are. The file follows by putImportFile. Needs write on the resource.",
			Request: openapi.Ref(openapi.ImportCreation), Needed: true,
			Example: `{"resource":"contact","match":"email","policy":"upsert"}`, Reply: told, Statuses: one201,
		}},
		{Method: "POST", Pattern: all + "/search", Verb: record.Read, run: (*request).searchImports, Doc: openapi.Doc{
			ID: "searchImports", Tag: tag, Summary: "List imports",
			About:   "One's own, the newest first; those of all users for who manages settings.",
			Request: openapi.Ref(openapi.PageRequest), Reply: openapi.Ref(openapi.ImportsPage), Example: `{"limit":10}`,
		}},
		{Method: "GET", Pattern: one, run: (*request).getImport, Doc: openapi.Doc{
			ID: "getImport", Tag: tag, Summary: "How far an import has come",
			About: "What is known of the file, what its columns are, and what became of its rows.", Reply: told,
		}},
		{Method: "PATCH", Pattern: one, run: (*request).patchImport, Doc: openapi.Doc{
			ID: "patchImport", Tag: tag, Summary: "Decide how a file is imported",
			About:   "What its columns are, how rows find their records, and what becomes of them.",
			Request: openapi.Ref(openapi.ImportPatch), Example: `{"mapping":{"Firma":"company.name","*":"-"}}`, Reply: told,
		}},
		{Method: "DELETE", Pattern: one, run: (*request).deleteImport, Doc: openapi.Doc{
			ID: "deleteImport", Tag: tag, Summary: "Forget an import", About: "Its file goes. The records that it made stay.",
			Statuses: []int{http.StatusNoContent},
		}},
		{Method: "PUT", Pattern: one + "/file", run: (*request).putImportFile, Doc: openapi.Doc{
			ID: "putImportFile", Tag: tag, Summary: "Send the file of an import", Sends: importTypes,
			About: "Up to 100 MB and a million rows. How it is written is found out, unless parameters say so. The answer has its " +
				"columns, and what they are taken for. To send it twice does no harm, so no Idempotency-Key is needed.",
			Query: []openapi.Parameter{
				{Name: formatName, Schema: openapi.Enum(tabular.Formats...), About: "What sort of file it is; found out when not given."},
				{
					Name: encodingName, Schema: openapi.Enum(tabular.Encodings...),
					About: "How its text is encoded; found out when not given.",
				},
				{
					Name: delimiterName, Schema: openapi.Enum(delimiterNames...),
					About: "What stands between the cells; found out when not given.",
				},
			},
			Reply: told,
		}},
		{
			Method: "POST", Pattern: one + "/preview",
			run: func(r *request) (reply, error) { return r.startImport(queue.ImportPreviewJob) }, Doc: openapi.Doc{
				ID: "previewImport", Tag: tag, Summary: "Try an import",
				About: "A job does everything with every row, and undoes it. Its counts are in the import, and why rows would be " +
					"refused in searchRefusedOfJob and getImportErrors.",
				Request: openapi.Strict(nil), Reply: told, Statuses: []int{http.StatusAccepted},
			},
		},
		{
			Method: "POST", Pattern: one + "/run",
			run: func(r *request) (reply, error) { return r.startImport(queue.ImportJob) }, Doc: openapi.Doc{
				ID: "runImport", Tag: tag, Summary: "Run an import",
				About:   "A job makes the rows records, each once, whatever happens to the server meanwhile.",
				Request: openapi.Strict(nil), Reply: told, Statuses: []int{http.StatusAccepted},
			},
		},
		{Method: "POST", Pattern: one + "/cancel", run: (*request).cancelImport, Doc: openapi.Doc{
			ID: "cancelImport", Tag: tag, Summary: "End what is under way for an import",
			About:   "Between two of its steps. What was done stays done; undo takes it back.",
			Request: openapi.Strict(nil), Reply: told,
		}},
		{Method: "POST", Pattern: one + "/undo", run: (*request).undoImport, Doc: openapi.Doc{
			ID: "undoImport", Tag: tag, Summary: "Take back what an import did",
			About:   "As undo does: every change whose record nobody else changed since; the others are listed. Much is done by a job.",
			Request: openapi.Strict(nil), Reply: openapi.Any(openapi.Ref(openapi.UndoReply), openapi.Ref(openapi.Job)),
			Statuses: []int{http.StatusOK, http.StatusAccepted},
		}},
		{Method: "GET", Pattern: one + "/rows", run: (*request).importRows, Doc: openapi.Doc{
			ID: "getImportRows", Tag: tag, Summary: "Rows of the table of an import",
			About: "What is in the cells of some rows, in the order of the columns, to be corrected by patchImport. Rows that cannot be " +
				"read are left out.",
			Query: []openapi.Parameter{{
				Name: rowsName, Schema: openapi.Plain("string"),
				About: "Which rows, counted from 1 behind the head: up to 20 numbers with commas between them.",
			}},
			Reply: openapi.Ref(openapi.ImportRows),
		}},
		{Method: "POST", Pattern: one + "/refused/groups", Verb: record.Read, run: (*request).refusedGroups, Doc: openapi.Doc{
			ID: "groupRefusedOfImport", Tag: tag, Summary: "What the rows of an import were refused for",
			About: "By column and value, the most frequent first, with the values that the field takes where these are few: of the " +
				"run, or before that of the preview. patchImport corrects a value in all rows at once.",
			Request: openapi.Strict(nil), Reply: openapi.Ref(openapi.RefusedGroups),
		}},
		{Method: "GET", Pattern: one + "/errors", run: (*request).importErrors, Doc: openapi.Doc{
			ID: "getImportErrors", Tag: tag, Summary: "The rows of an import that were refused",
			About: "As a file that can be corrected and sent again, with a column that says why: of the run, or before that of the " +
				"preview.",
			Files: []string{plainType(mediaTypes[query.CSV]), mediaTypes[query.JSONL]},
		}},
	}
}

// importTypes are the media types by which a file may be sent. What it is, its beginning tells.
var importTypes = []string{
	"application/octet-stream", "text/csv", "text/tab-separated-values", mediaTypes[query.JSONL],
	mediaTypes[query.XLSX], "text/vcard", "application/zip",
}

func plainType(media string) string {
	plain, _, _ := strings.Cut(media, ";")
	return plain
}

// importReply is a reply that tells of an import.
func (r *request) importReply(status int, s *exchange.ImportState, first []tabular.Row) (reply, error) {
	a, err := appended(func(dst []byte) ([]byte, error) { return r.appendImport(dst, s, first) })
	if a.status = status; status == http.StatusCreated || status == http.StatusAccepted {
		a.location = "/v1/imports/" + schema.FormatID("import", s.ID)
	}
	return a, err
}

func (r *request) appendImport(dst []byte, s *exchange.ImportState, first []tabular.Row) ([]byte, error) {
	return exchange.AppendImport(r.api.engine, dst, r.call.Principal, s, first,
		func(dst []byte, job *queue.Job, p *problem.Problem) []byte {
			return append(dst, r.describeAs(p, job.Actor.RequestID)...)
		})
}

// changeImport does something to an import that was planned, and tells of it.
func (r *request) changeImport(status int, change func(*store.Tx) (*exchange.ImportState, error), planned error) (reply, error) {
	return r.commit(planned, func(tx *store.Tx) (reply, error) {
		s, err := change(tx)
		if err != nil {
			return reply{}, err
		}
		return r.importReply(status, s, nil)
	})
}

func (r *request) newImport() (reply, error) {
	change, err := exchange.PlanNewImport(r.api.engine, r.call, r.body)
	return r.changeImport(http.StatusCreated, change, err)
}

func (r *request) patchImport() (reply, error) {
	change, err := exchange.PlanImportPatch(r.api.engine, r.call, r.in.PathValue("id"), r.body)
	return r.changeImport(http.StatusOK, change, err)
}

// startImport begins a job for an import.
func (r *request) startImport(kind string) (reply, error) {
	return r.changeImport(http.StatusAccepted, func(tx *store.Tx) (*exchange.ImportState, error) {
		return exchange.StartImport(r.api.engine, tx, r.call, r.in.PathValue("id"), kind)
	}, record.NoFields(r.body))
}

func (r *request) cancelImport() (reply, error) {
	return r.changeImport(http.StatusOK, func(tx *store.Tx) (*exchange.ImportState, error) {
		return exchange.CancelImport(r.api.engine, tx, r.call, r.in.PathValue("id"))
	}, record.NoFields(r.body))
}

func (r *request) getImport() (reply, error) {
	s, err := exchange.FindImport(r.in.Context(), r.api.engine, r.call, r.in.PathValue("id"))
	if err != nil {
		return reply{}, err
	}
	first, err := exchange.FirstRows(r.in.Context(), r.api.engine, r.call, s)
	if err == nil {
		err = s.WhyLeft(r.in.Context(), r.call)
	}
	if err != nil {
		return reply{}, err
	}
	return r.importReply(http.StatusOK, s, first)
}

// searchImports is the reply to a search of imports.
func (r *request) searchImports() (reply, error) {
	return appended(func(dst []byte) ([]byte, error) {
		dst = append(dst, listBegins...)
		var failed error
		page, err := exchange.Imports(r.in.Context(), r.api.engine, r.call, r.body, func(s *exchange.ImportState) {
			var err error
			dst, err = r.appendImport(nextItem(dst), s, nil)
			failed = errors.Join(failed, err)
		})
		return appendPage(dst, page), errors.Join(err, failed)
	})
}

func (r *request) deleteImport() (reply, error) {
	if !r.dry {
		if err := exchange.DropImport(r.in.Context(), r.api.engine, r.call, r.in.PathValue("id")); err != nil {
			return reply{}, err
		}
	}
	return r.commit(nil, func(tx *store.Tx) (reply, error) {
		return reply{status: http.StatusNoContent}, exchange.ForgetImport(r.api.engine, tx, r.call, r.in.PathValue("id"))
	})
}

// undoImport takes back what an import did.
func (r *request) undoImport() (reply, error) {
	if err := record.NoFields(r.body); err != nil {
		return reply{}, err
	}
	give, err := r.api.batches.Take(r.in.Context(), r.call.Tenant.ID())
	if err != nil {
		return reply{}, err
	}
	defer give()
	id := r.in.PathValue("id")
	u, err := exchange.PlanImportUndo(r.in.Context(), r.api.engine, r.call, id)
	return r.takeBack(u, err, func(tx *store.Tx, job *queue.Job, done work.Undone) error {
		return exchange.NoteUndo(r.api.engine, tx, r.call, id, job, done, r.id)
	})
}

// dialect reads what the parameters say of a file.
func (r *request) dialect() (d tabular.Dialect, err error) {
	var wrong problem.Fields
	among := func(name string, allowed []string) string {
		value := r.query.Get(name)
		if value != "" && !slices.Contains(allowed, value) || value == "" && r.query.Has(name) {
			wrong.Add(name, "not_allowed", "must be one of "+strings.Join(allowed, ", "), allowed...)
		}
		return value
	}
	d.Format, d.Encoding = among(formatName, tabular.Formats), among(encodingName, tabular.Encodings)
	d.Delimiter = delimiters[among(delimiterName, delimiterNames)]
	return d, wrong.Err()
}

// putImportFile reads the file of an import.
func (r *request) putImportFile() (reply, error) {
	if encoding := r.in.Header.Get("Content-Encoding"); encoding != "" {
		return reply{}, problem.New(problem.UnsupportedMediaType, "A request body must not be compressed (Content-Encoding: %s).", encoding)
	}
	if _, err := r.key(); err != nil {
		return reply{}, err
	}
	d, err := r.dialect()
	if err != nil {
		return reply{}, err
	}
	tooLong := problem.New(problem.PayloadTooLarge, "The file is larger than %d bytes. Send it in parts.", exchange.MaxImportFile)
	if r.in.ContentLength > exchange.MaxImportFile {
		return reply{}, tooLong
	}
	business := r.call.Tenant.ID()
	if !r.api.uploads.take(business, 1) {
		r.w.Header().Set("Retry-After", "5")
		p := problem.New(problem.TooManyRequests, "%d files of this business, or %d of all, are being sent. Send this one when one of "+
			"them has ended.", MaxExportsByOne, MaxExports)
		p.RetryAfter = 5 * time.Second
		return reply{}, p
	}
	defer r.api.uploads.give(business, 1)
	if err := r.hold(uploadRoom); err != nil {
		return reply{}, err
	}
	control := http.NewResponseController(r.w)
	in := &patient{
		from: http.MaxBytesReader(r.w, r.in.Body, exchange.MaxImportFile), control: control,
		until: time.Now().Add(longestUpload),
	}
	s, first, err := exchange.Upload(r.in.Context(), r.api.engine, r.call, r.in.PathValue("id"), in, d, r.dry)
	if err != nil && in.failed == nil {
		// A client that is still sending would take the end of the connection for the answer.
		_, _ = io.CopyN(io.Discard, in, drained)
	}
	// A writer of answers that knows no deadlines has no client that could be slow.
	_ = control.SetWriteDeadline(time.Now().Add(chunkPatience))
	var large *http.MaxBytesError
	switch {
	case err != nil && errors.As(in.failed, &large):
		return reply{}, tooLong
	case err != nil && in.failed != nil && problem.As(err) == nil:
		return reply{}, problem.New(problem.MalformedJSON, "The file could not be read to its end.")
	case err != nil:
		return reply{}, err
	}
	if r.dry {
		r.w.Header().Set("Dry-Run", "true")
	}
	return r.importReply(http.StatusOK, s, first)
}

// patient reads what a client sends as long as it goes on sending: each chunk has to come in chunkPatience, and all of it before an end.
type patient struct {
	from    io.Reader
	control *http.ResponseController
	until   time.Time
	// left is how much of the chunk is still to come, and failed why no more does.
	left   int
	failed error
}

func (p *patient) Read(into []byte) (int, error) {
	if p.left <= 0 {
		p.left = chunk
		deadline := time.Now().Add(chunkPatience)
		if p.until.Before(deadline) {
			deadline = p.until
		}
		_ = p.control.SetReadDeadline(deadline)
	}
	n, err := p.from.Read(into[:min(len(into), p.left)])
	if p.left -= n; err != nil && !errors.Is(err, io.EOF) {
		p.failed = err
	}
	return n, err
}

// importRows is the reply to who asks what is in some rows.
func (r *request) importRows() (reply, error) {
	var numbers []int64
	for text := range strings.SplitSeq(r.query.Get(rowsName), ",") {
		n, err := strconv.ParseInt(text, 10, 64)
		if numbers = append(numbers, n); err != nil || n < 1 || len(numbers) > exchange.MaxToldRows {
			return reply{}, problem.Wrong(rowsName, "invalid_format",
				"must be 1 to "+strconv.Itoa(exchange.MaxToldRows)+" numbers of rows, with commas between them")
		}
	}
	rows, err := exchange.Rows(r.in.Context(), r.api.engine, r.call, r.in.PathValue("id"), numbers)
	if err != nil {
		return reply{}, err
	}
	return appended(func(dst []byte) ([]byte, error) {
		dst = append(dst, listBegins...)
		for _, row := range rows {
			cells, err := json.Marshal(append([]string{}, row.Cells...))
			if err != nil {
				return dst, err
			}
			dst = strconv.AppendInt(append(nextItem(dst), `{"n":`...), row.N, 10)
			dst = append(append(append(dst, `,"cells":`...), cells...), '}')
		}
		return append(dst, "]}"...), nil
	})
}

// refusedGroups is the reply to who asks what rows were refused for.
func (r *request) refusedGroups() (reply, error) {
	if err := record.NoFields(r.body); err != nil {
		return reply{}, err
	}
	groups, err := exchange.RefusedGroups(r.in.Context(), r.api.engine, r.call, r.in.PathValue("id"))
	if err != nil {
		return reply{}, err
	}
	return appended(func(dst []byte) ([]byte, error) {
		text, err := json.Marshal(groups)
		return append(dst, text...), err
	})
}

// importErrors is the reply to who asks for the rows that were refused.
func (r *request) importErrors() (reply, error) {
	x, err := exchange.PlanErrors(r.in.Context(), r.api.engine, r.call, r.in.PathValue("id"))
	if err != nil {
		return reply{}, err
	}
	format := query.JSONL
	if x.Table {
		format = query.CSV
	}
	return r.file("refused", string(format), mediaTypes[format], true, func(send func([]byte) error) error {
		return x.Run(r.in.Context(), send)
	})
}
