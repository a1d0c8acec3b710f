package main

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// halves kills the server while it sends files. Whoever reads one to its end without an error has the whole of it; whoever does not
// asks the next server again. A file that a command writes is there when it is whole.
func (j *jobs) halves(business string) {
	t := j.t
	// Few bytes are on their way, so that most of a file is still with the server.
	narrow := func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		if tcp, ok := conn.(*net.TCPConn); ok {
			err = tcp.SetReadBuffer(16 << 10)
		}
		return conn, err
	}
	client := &http.Client{Transport: &http.Transport{DisableCompression: true, DisableKeepAlives: true, DialContext: narrow}}
	broken := 0
	for _, of := range []struct {
		path, body string
		whole      func([]byte) bool
	}{
		{"/v1/contacts/export", `{"format":"csv"}`, func(text []byte) bool { return bytes.Count(text, []byte("\r\n")) == changedInBulk+1 }},
		{"/v1/contacts/export", `{"format":"jsonl"}`, func(text []byte) bool { return bytes.Count(text, []byte("\n")) == changedInBulk }},
		{"/v1/contacts/export", `{"format":"xlsx"}`, isZip},
		{"/v1/export", "", isZip},
	} {
		ask := func(after int, then func()) ([]byte, error) {
			req, err := http.NewRequest("POST", j.v.url+of.path, strings.NewReader(of.body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Version", "v1")
			req.Header.Set("Authorization", "Bearer "+j.token)
			req.Header.Set("Content-Type", "application/json")
			res, err := client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			if res.StatusCode != http.StatusOK {
				t.Fatalf("%s is answered %d", of.path, res.StatusCode)
			}
			begin := make([]byte, after)
			n, err := io.ReadFull(res.Body, begin)
			if err != nil {
				return begin[:n], err
			}
			then()
			rest, err := io.ReadAll(res.Body)
			return append(begin, rest...), err
		}
		text, err := ask(1, j.v.kill)
		switch {
		case err != nil:
			broken++
		case !of.whole(text):
			t.Errorf("%s %s has %d bytes, ends without an error, and is not whole", of.path, of.body, len(text))
		}
		j.v = newVictim(t, j.db)
		if text, err := ask(1, func() {}); err != nil || !of.whole(text) {
			t.Errorf("%s %s of the next server has %d bytes: %v", of.path, of.body, len(text), err)
		}
	}
	if broken == 0 {
		j.missed("every file was on its way before the server was killed")
	}
	path := filepath.Join(t.TempDir(), "contacts.csv")
	args := []string{"export", path, "--db", j.db, "--business", business, "--resource", "contact"}
	program, said := process(t, args...)
	killOnce(t, program, said, func() bool {
		begun, err := os.ReadDir(filepath.Dir(path))
		return err != nil || len(begun) > 0
	})
	if text, err := os.ReadFile(path); err == nil && bytes.Count(text, []byte("\r\n")) != changedInBulk+1 {
		t.Errorf("a killed export leaves half a file under its name: %d bytes", len(text))
	}
	_ = os.Remove(path)
	must(t, args...)
}

// isZip tells whether a packed file can be read to the end of all that is in it.
func isZip(text []byte) bool {
	z, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		return false
	}
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			return false
		}
		if _, err := io.Copy(io.Discard, in); err != nil {
			return false
		}
	}
	return true
}
