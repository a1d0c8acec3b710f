package exchange_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/exchange"
	"github.com/kith-crm/kith/internal/operator"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/queue"
	"github.com/kith-crm/kith/internal/tabular"
	"github.com/kith-crm/kith/internal/testworld"

	. "github.com/kith-crm/kith/internal/apitest"
)

// sharing is a workbook of one column, whose rows all refer to one text. Each stands so far to the right, with empty cells before it.
func sharing(t *testing.T, text string, rows int, column string) string {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	var sheet strings.Builder
	sheet.WriteString(`<worksheet><sheetData><row><c t="inlineStr"><is><t>name</t></is></c>`)
	if column != "A" {
		fmt.Fprintf(&sheet, `<c r="%s1" t="inlineStr"><is><t>phone</t></is></c>`, column)
	}
	sheet.WriteString("</row>")
	for range rows {
		fmt.Fprintf(&sheet, `<row><c r="%s1" t="s"><v>0</v></c></row>`, column)
	}
	sheet.WriteString("</sheetData></worksheet>")
	for name, part := range map[string]string{
		"xl/sharedStrings.xml":     "<sst><si><t>" + text + "</t></si></sst>",
		"xl/worksheets/sheet1.xml": sheet.String(),
	} {
		w, err := z.Create(name)
		if err == nil {
			_, err = io.WriteString(w, part)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// nothingKept fails where rows of a file are left that the import does not have.
func nothingKept(w *World, t *testing.T, id string) {
	t.Helper()
	uuid, err := schema.ParseID("import", id)
	if err != nil {
		t.Fatal(err)
	}
	err = w.Tenant.Keep(t.Context(), store.Actor{}, func(tx *store.Tx) error {
		coming, err := queue.ComingBytes(tx)
		if err != nil {
			return err
		}
		done, err := queue.ForgetImportRows(tx, uuid, 1)
		if !done || coming > 0 {
			t.Errorf("rows of a file are left that nobody waits for; %d bytes are said to be coming", coming)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// What a file refers to more than once counts each time, so no small workbook becomes large in the database. Others go on meanwhile.
func TestWorkbooksThatRepeatTheirTexts(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		long, short := noise(1<<20-100), strings.Repeat("x", 1<<20-100)
		for rule, c := range map[string]struct {
			file   string
			status int
		}{
			"a long text":                          {sharing(t, long, 400, "A"), 422},
			"a long text that is packed to little": {sharing(t, short, 20_000, "A"), 422},
			"empty cells":                          {sharing(t, "x", 150_000, "SF"), 422},
			"a short text":                         {sharing(t, "Hamburg", 20_000, "A"), 200},
		} {
			if len(c.file) > 2<<20 {
				t.Fatalf("%s: the file has %d bytes", rule, len(c.file))
			}
			a := w.Send(t, Step{Do: "POST /imports", Body: `{"resource":"contact"}`})
			id := fmt.Sprint(At(a.JSON, "id"))
			ended := make(chan *Answer)
			go func() { ended <- put(w, t, "/imports/"+id+"/file", c.file) }()
			beside := 0
			for a = nil; a == nil; {
				select {
				case a = <-ended:
				default:
					if beside++; beside > 20 {
						a = <-ended
						break
					}
					w.Check(t, Step{
						Rule: "another business goes on", As: "stranger", Do: "POST /contacts", Body: `{"name":"Anna"}`, Status: 201,
					})
				}
			}
			if a.Status != c.status {
				t.Errorf("%s: %d %.300s", rule, a.Status, a.Text)
			}
			nothingKept(w, t, id)
		}
	})
}

// put sends a file as it is.
func put(w *World, t *testing.T, path, file string) *Answer {
	t.Helper()
	res, text := testworld.Send(t, w.Client, testworld.Request(t, "PUT", w.URL+"/v1"+path, w.Tokens["admin"], file))
	return &Answer{Status: res.StatusCode, Text: text}
}

// counting counts what is read of a body.
type counting struct {
	from io.Reader
	n    int
	end  func()
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	if c.n += n; errors.Is(err, io.EOF) && c.end != nil {
		c.end()
	}
	return n, err
}

// What is kept of a file counts against the room of its business while it is written, together with other files that are coming, and
// not when all of it has come.
func TestRoomIsTakenWhileAFileIsWritten(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		w.Engine.ImportRoom = 3 << 20
		admin, err := operator.Acting(t.Context(), w.Engine, w.Tenant, w.Users["admin"])
		if err != nil {
			t.Fatal(err)
		}
		call := record.Call{Principal: admin}
		var ids []string
		for range 2 {
			ids = append(ids, fmt.Sprint(At(w.Send(t, Step{Do: "POST /imports", Body: `{"resource":"contact"}`}).JSON, "id")))
		}
		row := noise(1000) + "\n"
		table := "name\n" + strings.Repeat(row, 100)
		for _, dry := range []bool{false, true} {
			in := &counting{from: io.MultiReader(strings.NewReader(table), endless(row))}
			_, _, err := exchange.Upload(t.Context(), w.Engine, call, ids[0], in, tabular.Dialect{}, dry)
			if err == nil || !strings.Contains(err.Error(), "would take more than") {
				t.Errorf("a file without an end: %v", err)
			}
			if in.n > 64<<20 {
				t.Errorf("%d bytes are read before there is no room", in.n)
			}
			nothingKept(w, t, ids[0])
		}
		// Two that come at once share it: as long as one holds its rows, the other finds no room.
		var both sync.WaitGroup
		errs := make([]error, 2)
		for i, id := range ids {
			both.Go(func() {
				_, _, errs[i] = exchange.Upload(t.Context(), w.Engine, call, id, endless("name\n"+row), tabular.Dialect{}, false)
			})
		}
		both.Wait()
		for i, err := range errs {
			if err == nil || !strings.Contains(err.Error(), "would take more than") {
				t.Errorf("one of two files without an end: %v", err)
			}
			nothingKept(w, t, ids[i])
		}
		w.Check(t, Step{Rule: "then there is room again", Do: "PUT /imports/" + ids[0] + "/file", Body: "name\nAnna\n", Status: 200})
	})
}

// Corrections take room like the rows that they correct, and what is written at once because of them is bounded.
func TestCorrectionsTakeRoom(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		w.Engine.ImportRoom = 1 << 20
		w.Upload(t, `{"resource":"contact","mapping":{"*":"-"}}`, "name,first_name\n"+strings.Repeat("A,\n", 1000))
		correct := func(row int, value string, status int, code string) bool {
			a := w.Send(t, Step{
				Do:   "PATCH /imports/$import",
				Body: fmt.Sprintf(`{"corrections":[{"row":%d,"column":"first_name","value":%q}]}`, row, value),
			})
			if a.Status != 200 && (a.Status != status || At(a.JSON, "code") != code) {
				t.Fatalf("row %d: %d %s", row, a.Status, a.Text)
			}
			return a.Status == 200
		}
		taken := 0
		for row := 10; row <= 1000 && correct(row, noise(60_000), 409, "conflict"); row += 15 {
			taken += 60_000
		}
		if taken == 0 || taken > 2<<20 { // noise is packed to three quarters
			t.Errorf("%d bytes are kept in a room of %d", taken, w.Engine.ImportRoom)
		}
		// What is packed well takes little room, and is written all the same.
		w.Engine.ImportRoom = exchange.MaxImportFiles
		w.Upload(t, `{"resource":"contact","mapping":{"*":"-"}}`, "name,first_name\n"+strings.Repeat("A,\n", 1000))
		written := 0
		for row := 1; row <= 100 && correct(row, strings.Repeat("a", 60_000), 413, "payload_too_large"); row++ {
			written += 60_000
		}
		if written == 0 || written > 5<<20 {
			t.Errorf("%d bytes are written at once", written)
		}
	})
}

// endless repeats a text, a different way each time, so that it is not packed to nothing.
func endless(text string) io.Reader {
	n := 0
	return readerFunc(func(p []byte) (int, error) {
		n++
		line := []byte(text)
		if at := bytes.IndexByte(line, '\n'); at < len(line)-1 && n > 1 {
			line = line[at+1:]
		}
		for i := range line {
			if line[i] != '\n' && n > 1 {
				line[i] = 'a' + (line[i]+byte(n*(i+7)))%26
			}
		}
		return copy(p, line), nil
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// Whoever leaves while their file is read has it read no further, also where nothing is written, and nothing of it is left.
func TestAbandonedFilesEnd(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		admin, err := operator.Acting(t.Context(), w.Engine, w.Tenant, w.Users["admin"])
		if err != nil {
			t.Fatal(err)
		}
		row := "{\"name\":\"Anna\"}\n"
		files := map[string]string{
			"csv":   "name\n" + strings.Repeat("Anna\n", 100_000),
			"jsonl": strings.Repeat(row, 100_000),
			"vcard": strings.Repeat("BEGIN:VCARD\nVERSION:4.0\nFN:Anna\nEND:VCARD\n", 30_000),
			"xlsx":  sharing(t, strings.Repeat("x", 1000), 20_000, "A"),
		}
		for name, file := range files {
			for _, dry := range []bool{true, false} {
				id := fmt.Sprint(At(w.Send(t, Step{Do: "POST /imports", Body: `{"resource":"contact"}`}).JSON, "id"))
				ctx, cancel := context.WithCancel(t.Context())
				in := &counting{from: strings.NewReader(file), end: cancel}
				if name != "xlsx" { // which is read when all of it has come
					in.from = io.MultiReader(strings.NewReader(file[:len(file)/2]), readerFunc(func([]byte) (int, error) {
						cancel()
						return 0, nil
					}))
				}
				_, _, err := exchange.Upload(ctx, w.Engine, record.Call{Principal: admin}, id, in, tabular.Dialect{}, dry)
				if !errors.Is(err, context.Canceled) {
					t.Errorf("%s is read on: %v", name, err)
				}
				nothingKept(w, t, id)
				w.Check(t, Step{Rule: "no file has come", Do: "GET /imports/" + id, Status: 200, Want: `{"file":null}`})
			}
		}
	})
}

// By HTTP, their places are given back.
func TestAbandonedFilesGiveTheirPlacesBack(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		id := fmt.Sprint(At(w.Send(t, Step{Do: "POST /imports", Body: `{"resource":"contact"}`}).JSON, "id"))
		for range 3 { // a business has two places
			ctx, cancel := context.WithCancel(t.Context())
			begun := &counting{from: strings.NewReader("name\n" + strings.Repeat("Anna\n", 50_000))}
			var once sync.Once
			body := io.MultiReader(begun, readerFunc(func([]byte) (int, error) {
				once.Do(cancel)
				<-ctx.Done()
				return 0, ctx.Err()
			}))
			req, err := http.NewRequestWithContext(ctx, "PUT", w.URL+"/v1/imports/"+id+"/file", body)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer "+w.Tokens["admin"])
			req.Header.Set("Version", "v1")
			if res, err := w.Client.Do(req); err == nil {
				res.Body.Close()
				if res.StatusCode != http.StatusTooManyRequests {
					t.Errorf("a file that did not come is answered with %d", res.StatusCode)
				}
			}
			cancel()
		}
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
			a := put(w, t, "/imports/"+id+"/file", "name\nAnna\n")
			if a.Status == http.StatusOK {
				break
			}
			// One of those that were abandoned may begin only now: what it says of itself by then is that another file is on its way.
			begins := a.Status == http.StatusTooManyRequests || a.Status == http.StatusConflict
			if !begins || time.Now().After(deadline) {
				t.Fatalf("the places are not given back: %d %s", a.Status, a.Text)
			}
		}
		nothingKept(w, t, id)
	})
}

// What came of a file whose server died is swept, and a file that is still coming is not.
func TestFilesOfDeadServersAreSwept(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		id := fmt.Sprint(At(w.Send(t, Step{Do: "POST /imports", Body: `{"resource":"contact"}`}).JSON, "id"))
		uuid, err := schema.ParseID("import", id)
		if err != nil {
			t.Fatal(err)
		}
		file := schema.NewID(time.Now())
		coming := func() (n int64) {
			t.Helper()
			err := w.Tenant.Keep(t.Context(), store.Actor{}, func(tx *store.Tx) (err error) {
				n, err = queue.ComingBytes(tx)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		err = w.Tenant.Keep(t.Context(), store.Actor{}, func(tx *store.Tx) error {
			if err := queue.BeginFile(tx, uuid, file); err != nil {
				return err
			}
			_, err := queue.PutImportRows(tx, uuid, file,
				[]queue.ImportRows{{First: 1, Data: []byte("abc")}, {First: 2, Data: []byte("de")}})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		for hours, want := range []int64{5, 5, 5, 0} {
			if err := exchange.SweepImports(t.Context(), w.Engine, time.Now().Add(time.Duration(hours)*time.Hour-time.Minute)); err != nil {
				t.Fatal(err)
			}
			if got := coming(); got != want {
				t.Errorf("after %d hours %d bytes are coming, want %d", hours, got, want)
			}
		}
		nothingKept(w, t, id)
		w.Check(t, Step{Rule: "the import is still there", Do: "GET /imports/" + id, Status: 200, Want: `{"status":"new"}`})
	})
}
