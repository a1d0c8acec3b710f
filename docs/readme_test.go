// Package docs_test holds the documentation to what the program does: the examples are run, and the lists compared.
package docs_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/pgtest"
)

// curlLog names the file in which the stand-in for curl notes each request. The test sets it for the shell that runs the examples.
const curlLog = "README_CURL_LOG"

// The examples are run by a real shell, but a test must not need curl, and must see every status. So the test program stands in for it:
// called by the name curl it makes the request and notes the answer.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "curl" {
		if err := curl(os.Args[1:], os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "curl:", err)
			os.Exit(1)
		}
		return
	}
	code := pgtest.Main(m)
	if built.dir != "" {
		if err := os.RemoveAll(built.dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	os.Exit(code)
}

// call is one request of an example and its answer.
type call struct {
	Method, URL string
	Status      int
	Body        string
}

// curl understands the options that the examples use, and refuses all others.
func curl(args []string, out io.Writer) error {
	var headers [][2]string
	var method, url, body, after string
	showHeaders := false
	for i := 0; i < len(args); i++ {
		operand := func() string {
			if i++; i < len(args) {
				return args[i]
			}
			return ""
		}
		switch arg := args[i]; {
		case arg == "-s":
		case arg == "-w":
			after = strings.ReplaceAll(operand(), `\n`, "\n")
		case arg == "-i":
			showHeaders = true
		case arg == "-X":
			method = operand()
		case arg == "-H":
			name, value, _ := strings.Cut(operand(), ": ")
			headers = append(headers, [2]string{name, value})
		case arg == "-d":
			body = operand()
		case strings.HasPrefix(arg, "-") || url != "":
			return fmt.Errorf("the examples should not need %q", arg)
		default:
			url = arg
		}
	}
	if method == "" {
		method = http.MethodGet
		if body != "" {
			method = http.MethodPost
		}
	}
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		return err
	}
	for _, h := range headers {
		req.Header.Add(h[0], h[1])
	}
	client := &http.Client{Transport: &http.Transport{}, Timeout: 30 * time.Second}
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if showHeaders {
		fmt.Fprintf(out, "HTTP/1.1 %s\r\n", res.Status)
		if err := res.Header.Write(out); err != nil {
			return err
		}
		fmt.Fprint(out, "\r\n")
	}
	if _, err := fmt.Fprintf(out, "%s%s", answer, after); err != nil {
		return err
	}
	line, err := json.Marshal(call{method, url, res.StatusCode, string(answer)})
	if err != nil {
		return err
	}
	log, err := os.OpenFile(os.Getenv(curlLog), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	_, err = log.Write(append(line, '\n'))
	return err
}

// example is one block of shell commands, with the comment above it.
type example struct {
	heading, comment, script string
}

var shellBlock = regexp.MustCompile("(?m)^(?:<!-- (.*) -->\n)?```sh\n((?s:.*?))^```$")

// examples reads the shell blocks of a Markdown text in their order.
func examples(text string) []example {
	var found []example
	for _, at := range shellBlock.FindAllStringSubmatchIndex(text, -1) {
		e := example{script: text[at[4]:at[5]]}
		if at[2] >= 0 {
			e.comment = text[at[2]:at[3]]
		}
		for _, line := range strings.Split(text[:at[0]], "\n") {
			if strings.HasPrefix(line, "#") {
				e.heading = strings.TrimLeft(line, "# ")
			}
		}
		found = append(found, e)
	}
	return found
}

func TestReadmeExamplesOnSQLite(t *testing.T) {
	runExamples(t, "sqlite:"+filepath.Join(t.TempDir(), "kith.db"))
}

func TestReadmeExamplesOnPostgreSQL(t *testing.T) {
	// The program is to make its tables itself, so the database is left empty.
	runExamples(t, pgtest.NewDatabase(t, func(string) error { return nil }))
}

func runExamples(t *testing.T, database string) {
	text := read(t, "../README.md")
	blocks := examples(text)
	if len(blocks) < 12 {
		t.Fatalf("README.md has %d shell blocks; ten examples and what they need were expected", len(blocks))
	}
	printed := startServer(t, database)

	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(dir, "curl")); err != nil {
		t.Fatal(err)
	}
	// All blocks run in one shell, as they would when pasted. A line between them tells whose request is whose.
	log := filepath.Join(dir, "log")
	script := &strings.Builder{}
	for line := range strings.Lines(printed) {
		if strings.HasPrefix(line, "URL=") || strings.HasPrefix(line, "TOKEN=") {
			script.WriteString(line)
		}
	}
	for i, e := range blocks {
		if !strings.HasPrefix(e.comment, "not run") {
			fmt.Fprintf(script, "echo %d >>\"$%s\"\n%s\n", i, curlLog, e.script)
		}
	}
	shell := exec.Command("bash", "-u", "-o", "pipefail", "-c", script.String())
	shell.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"), curlLog+"="+log)
	if out, err := shell.CombinedOutput(); err != nil {
		t.Fatalf("the examples failed: %v\n%s", err, out)
	}

	made := map[int]int{}
	at := -1
	for _, line := range strings.Split(strings.TrimSpace(read(t, log)), "\n") {
		if _, err := fmt.Sscanf(line, "%d", &at); err == nil {
			continue
		}
		var c call
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatalf("read the log: %v: %s", err, line)
		}
		made[at]++
		checkCall(t, blocks[at], c)
	}
	for i, e := range blocks {
		if n := strings.Count(e.script, "curl "); n != made[i] && !strings.HasPrefix(e.comment, "not run") {
			t.Errorf("%s: %d of its %d requests were made", e.heading, made[i], n)
		}
	}
}

func checkCall(t *testing.T, e example, c call) {
	t.Helper()
	var want int
	if _, err := fmt.Sscanf(e.comment, "answers %d", &want); err != nil {
		if c.Status < 200 || c.Status > 299 {
			t.Errorf("%s: %s %s answers %d: %s", e.heading, c.Method, c.URL, c.Status, c.Body)
		}
	} else if c.Status != want {
		t.Errorf("%s: %s %s answers %d, not %d: %s", e.heading, c.Method, c.URL, c.Status, want, c.Body)
	}
	if c.Status == http.StatusOK && strings.HasSuffix(c.URL, "/search") && strings.Contains(c.Body, `"data":[]`) {
		t.Errorf("%s: %s finds nothing", e.heading, c.URL)
	}
	if strings.HasSuffix(c.URL, "/send") && !strings.Contains(c.Body, `"total":"5140.80"`) {
		t.Errorf("%s: the total is not the promised one: %s", e.heading, c.Body)
	}
}

// built is the program, made once for all tests.
var built struct{ dir, program string }

// program builds kith as it is shipped.
func program(t *testing.T) string {
	t.Helper()
	if built.program != "" {
		return built.program
	}
	dir, err := os.MkdirTemp("", "kith-docs")
	if err != nil {
		t.Fatal(err)
	}
	built.dir = dir
	file := filepath.Join(dir, "kith")
	build := exec.Command("go", "build", "-buildvcs=false", "-o", file, "github.com/kith-crm/kith/cmd/kith")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build kith: %v\n%s", err, out)
	}
	built.program = file
	return file
}

// startServer starts what make run starts, and gives what it prints up to the line with the token.
func startServer(t *testing.T, database string) (printed string) {
	t.Helper()
	serve := exec.Command(program(t), "serve", "--demo", "--db", database, "--addr", "127.0.0.1:0", "--log-level", "warn")
	serve.Stderr = os.Stderr
	pipe, err := serve.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := serve.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
		if err := serve.Wait(); err != nil {
			t.Errorf("kith serve: %v", err)
		}
	})
	lines := bufio.NewScanner(pipe)
	for lines.Scan() {
		printed += lines.Text() + "\n"
		if strings.HasPrefix(lines.Text(), "TOKEN=") {
			return printed
		}
	}
	t.Fatalf("kith serve ended before it printed a token, but: %s", printed)
	return ""
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
