package httpapi_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/testworld"

	. "github.com/kith-crm/kith/internal/apitest"
)

// raw asks without letting the client decompress by itself.
func raw(w *World, t *testing.T, method, path, body string, encodings ...string) (*http.Response, []byte) {
	t.Helper()
	req := testworld.Request(t, method, w.URL+"/v1"+path, w.Tokens["admin"], body)
	req.Header["Accept-Encoding"] = encodings
	if len(encodings) == 0 {
		req.Header.Set("Accept-Encoding", "identity")
	}
	return testworld.Send(t, w.Client, req)
}

func unzip(t *testing.T, text []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

func TestAnswersAreCompressedWhereAskedFor(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		t.Parallel()
		for i := range 10 {
			w.Create(t, "contacts", fmt.Sprintf(`{"name":"Ärger %d"}`, i), "")
		}
		const search = "/contacts/search"
		_, plain := raw(w, t, "POST", search, `{}`)
		if len(plain) < 2048 {
			t.Fatalf("the answer has only %d bytes", len(plain))
		}
		for _, c := range []struct {
			accept string
			zipped bool
		}{
			{"gzip", true},
			{"GZIP", true},
			{"x-gzip", true},
			{"*", true},
			{"gzip, deflate, br", true},
			{"br;q=1.0, gzip;q=0.8, *;q=0.1", true},
			{"deflate, gzip ; q=0.001", true},
			{"identity;q=0.5, gzip;q=0.5", true},
			{"identity, *;q=0", false},
			{"gzip;q=0", false},
			{"gzip;q=0.000, *", false},
			{"gzip;q=x", false},
			{"gzip;q=0.5, identity;q=0.9", false},
			{"br", false},
			{"gzipped", false},
		} {
			res, text := raw(w, t, "POST", search, `{}`, c.accept)
			zipped := res.Header.Get("Content-Encoding") == "gzip"
			if zipped != c.zipped {
				t.Errorf("Accept-Encoding: %s gives Content-Encoding: %s", c.accept, res.Header.Get("Content-Encoding"))
				continue
			}
			if got := res.Header.Get("Content-Length"); got != strconv.Itoa(len(text)) {
				t.Errorf("Accept-Encoding: %s: Content-Length is %s for %d bytes", c.accept, got, len(text))
			}
			if res.Header.Get("Vary") != "Accept-Encoding" || res.Header.Get("Content-Type") != "application/json" {
				t.Errorf("Accept-Encoding: %s: the header is %v", c.accept, res.Header)
			}
			if zipped {
				if len(text) >= len(plain) {
					t.Errorf("%d bytes became %d", len(plain), len(text))
				}
				text = unzip(t, text)
			}
			if !bytes.Equal(text, plain) {
				t.Errorf("Accept-Encoding: %s gives another answer:\n%s\nnot\n%s", c.accept, text, plain)
			}
		}
		if res, _ := raw(w, t, "POST", search, `{}`, "br", "gzip"); res.Header.Get("Content-Encoding") != "gzip" {
			t.Error("of several headers only the first counts")
		}

		// What is small stays as it is.
		res, text := raw(w, t, "POST", search, `{"limit":1}`, "gzip")
		if len(text) >= 2048 || res.Header.Get("Content-Encoding") != "" || res.Header.Get("Vary") != "" {
			t.Errorf("an answer of %d bytes has the header %v", len(text), res.Header)
		}
		// A large record keeps its tag, and HEAD tells of the same answer.
		id := w.Create(t, "contacts", `{"name":"x","tags":["`+strings.Repeat("a", 200)+`","`+strings.Repeat("b",
			200)+`","`+strings.Repeat("c", 200)+`","`+strings.Repeat("d", 200)+`","`+
			strings.Repeat("e", 200)+`","`+strings.Repeat("f", 200)+`","`+strings.Repeat("g", 200)+`","`+strings.Repeat("h", 200)+`"]}`, "")
		got, text := raw(w, t, "GET", "/contacts/"+id, "", "gzip")
		head, none := raw(w, t, "HEAD", "/contacts/"+id, "", "gzip")
		if got.Header.Get("Content-Encoding") != "gzip" || got.Header.Get("ETag") != `"1"` || got.ContentLength != int64(len(text)) {
			t.Errorf("a large record has the header %v", got.Header)
		}
		for _, name := range []string{"Content-Encoding", "Content-Length", "Content-Type", "ETag", "Vary"} {
			if head.Header.Get(name) != got.Header.Get(name) {
				t.Errorf("HEAD says %s: %q, GET %q", name, head.Header.Get(name), got.Header.Get(name))
			}
		}
		if len(none) != 0 {
			t.Errorf("HEAD has a body of %d bytes", len(none))
		}
		// So are long problems.
		res, text = raw(w, t, "POST", "/contacts", `{"a1":1,"a2":1,"a3":1,"a4":1,"a5":1,"a6":1,"a7":1,"a8":1}`, "gzip")
		if res.StatusCode != 422 || res.Header.Get("Content-Encoding") != "gzip" || !bytes.Contains(unzip(t, text), []byte(`"a8"`)) {
			t.Errorf("a long problem has the header %v", res.Header)
		}
	})
}

// Writers are used again and again by requests side by side; none gets another's answer.
func TestCompressedAnswersSideBySide(t *testing.T) {
	t.Parallel()
	w := NewWorld(t, DatabaseURL(t, "sqlite"), httpapi.Options{})
	var ids []string
	for i := range 4 {
		ids = append(ids, w.Create(t, "notes", fmt.Sprintf(`{"body":%q}`, strings.Repeat(fmt.Sprintf("note %d ", i), 4000+i)), ""))
	}
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range 20 {
				n := (worker + i) % len(ids)
				res, text := raw(w, t, "GET", "/notes/"+ids[n], "", "gzip")
				if res.StatusCode != 200 || !bytes.Contains(unzip(t, text), []byte(ids[n])) {
					t.Errorf("note %d: %d", n, res.StatusCode)
				}
			}
		}()
	}
	wg.Wait()
}
