package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kith-crm/kith/client"
	"github.com/kith-crm/kith/internal/testworld"
)

// long is how long anything may take before a test gives up on it.
const long = 2 * time.Minute

// logged collects what a server writes, and lets a test wait for a message.
type logged struct{ *testworld.Log }

func newLogged() *logged { return &logged{testworld.NewLog()} }

// entry waits for a log entry with a message.
func (l *logged) entry(t *testing.T, message string) map[string]any {
	t.Helper()
	deadline := time.After(long)
	for {
		for line := range strings.Lines(l.String()) {
			var e map[string]any
			if json.Unmarshal([]byte(line), &e) == nil && e["msg"] == message {
				return e
			}
		}
		select {
		case <-l.Fresh():
		case <-deadline:
			t.Fatalf("the server never logged %q, but: %s", message, l)
		}
	}
}

// until waits for a whole line that begins with some text, and gives all that was written.
func (l *logged) until(t *testing.T, begin string) string {
	t.Helper()
	deadline := time.After(long)
	for {
		text := l.String()
		if _, after, found := strings.Cut("\n"+text, "\n"+begin); found && strings.Contains(after, "\n") {
			return text
		}
		select {
		case <-l.Fresh():
		case <-deadline:
			t.Fatalf("nothing was written that begins with %q, but: %s", begin, text)
		}
	}
}

// running is a server under test.
type running struct {
	url  string
	log  *logged
	stop context.CancelFunc
	code chan int
}

// start runs kith serve on a free port until the test ends or stop is called.
func start(t *testing.T, args ...string) *running {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	r := &running{log: newLogged(), stop: stop, code: make(chan int, 1)}
	go func() {
		r.code <- run(ctx, append([]string{"serve", "--addr", "127.0.0.1:0"}, args...), io.Discard, r.log)
	}()
	t.Cleanup(func() {
		stop()
		r.ended(t)
	})
	r.url = r.log.entry(t, "serving")["address"].(string)
	return r
}

// ended waits for the server to stop and gives its exit code.
func (r *running) ended(t *testing.T) int {
	t.Helper()
	select {
	case code := <-r.code:
		r.code <- code
		return code
	case <-time.After(long):
		t.Fatalf("the server does not stop: %s", r.log)
		return -1
	}
}

// post makes an API request and gives the status and the answer.
func (r *running) post(t *testing.T, token, path, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, r.url+"/v1"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Version", "v1")
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(answer)
}

// search gives the status of a search for contacts.
func (r *running) search(t *testing.T, token string) int {
	t.Helper()
	status, _ := r.post(t, token, "/contacts/search", "{}")
	return status
}

func TestServeMakesWhatIsMissing(t *testing.T) {
	onEmpty(t, func(t *testing.T, db string) {
		r := start(t, "--db", db)
		res, err := http.Get(r.url + "/healthz")
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if res.StatusCode != http.StatusOK {
			t.Errorf("the server says it is not healthy: %s", res.Status)
		}
		for _, step := range list(t, "migrate", "--db", db, "--status") {
			if step["applied"] != true {
				t.Errorf("the server did not apply %v", step)
			}
		}
	})
}

// as gives a client of the server that acts with a token.
func (r *running) as(t *testing.T, token string) *client.Client {
	t.Helper()
	c, err := client.New(r.url, client.StaticToken(token))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// An operator works on the database of a running server with the same commands as ever, and the server knows at once.
func TestCommandsTakeEffectOnARunningServer(t *testing.T) {
	onBoth(t, func(t *testing.T, db string) {
		ctx := t.Context()
		r := start(t, "--db", db)
		business, token := newBusiness(t, db)
		admin := r.as(t, token)
		if _, err := admin.Contacts.SearchPage(ctx, client.Query{}); err != nil {
			t.Errorf("the first token of a new business: %v", err)
		}
		at := []string{"--db", db, "--business", business}
		must(t, append([]string{"user", "create", "--email", "vera@acme.example", "--role", "viewer", "--password", "battery staple"},
			at...)...)
		made := object(t, "id token", append([]string{"token", "create", "--user", "vera@acme.example", "--scopes", "contact.all"},
			at...)...)
		vera := r.as(t, made["token"])
		if me, err := vera.Me(ctx); err != nil || me.User.Email != "vera@acme.example" || me.Role != "viewer" {
			t.Errorf("a new token is that of %+v, %v", me, err)
		}
		if _, err := vera.Contacts.Create(ctx, client.ContactInput{Name: client.Set("Ben")}); !errors.Is(err, client.ErrForbiddenByRole) {
			t.Errorf("a viewer with the scope contact.all may write: %v", err)
		}
		if _, err := vera.Deals.SearchPage(ctx, client.Query{}); !errors.Is(err, client.ErrInsufficientScope) {
			t.Errorf("a token for contacts reads deals: %v", err)
		}
		must(t, append([]string{"token", "revoke", "--id", made["id"]}, at...)...)
		// Another process may remember a token for five seconds.
		_, err := vera.Me(ctx)
		for deadline := time.Now().Add(15 * time.Second); err == nil && time.Now().Before(deadline); _, err = vera.Me(ctx) {
			time.Sleep(100 * time.Millisecond)
		}
		if !errors.Is(err, client.ErrInvalidToken) {
			t.Errorf("a revoked token: %v", err)
		}
		if _, err := admin.Me(ctx); err != nil {
			t.Errorf("revoking one token ended another: %v", err)
		}
		every := object(t, "id token", append([]string{"token", "create", "--user", "ANNA@acme.example", "--scopes", "*"}, at...)...)
		if roles, err := r.as(t, every["token"]).Roles.SearchPage(ctx, client.Query{}); err != nil || len(roles.Records) != 4 {
			t.Errorf("a token with all scopes: %+v, %v", roles, err)
		}
		demo := object(t, "business_id email password token", "demo", "--db", db)
		found := 0
		for contact, err := range r.as(t, demo["token"]).Contacts.Search(ctx, client.Query{Text: "krüger"}) {
			if found++; err != nil || !strings.Contains(strings.ToLower(contact.Name+contact.Email), "kr") {
				t.Fatalf("a search in the demo business: %+v, %v", contact, err)
			}
		}
		if found == 0 {
			t.Error("a search in the demo business finds nothing")
		}
		for _, secret := range []string{token, made["token"], demo["token"]} {
			if strings.Contains(r.log.String(), secret) {
				t.Error("a secret is in the server's log")
			}
		}
	})
}

func TestServeKeepsToTheRateLimit(t *testing.T) {
	db := missingSQLite(t)
	_, token := newBusiness(t, db)
	t.Setenv("KITH_RATE_LIMIT", "1")
	r := start(t, "--db", db, "--rate-burst", "2")
	for i := range 100 {
		switch status := r.search(t, token); {
		case status == http.StatusTooManyRequests && i >= 2:
			return
		case status != http.StatusOK:
			t.Fatalf("request %d gives %d", i+1, status)
		}
	}
	t.Error("a hundred requests pass a limit of one a second")
}

// Where any port will do, the log tells which it is.
func TestDebugAddressIsTold(t *testing.T) {
	r := start(t, "--db", missingSQLite(t), "--debug-addr", "127.0.0.1:0")
	answer, err := http.Get(r.log.entry(t, "debugging")["address"].(string) + "/debug/vars")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK || r.url == "" {
		t.Errorf("status %d", answer.StatusCode)
	}
}

func TestAddressThatIsTaken(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	db := missingSQLite(t)
	for _, option := range []string{"--log-level=info", "--demo"} {
		code, out, errs := kith(t, "serve", option, "--db", db, "--addr", listener.Addr().String())
		if code != 1 || out != "" || !strings.Contains(errs, "another program listens on "+listener.Addr().String()+" already") {
			t.Errorf("%s: exit code %d, %s, %s", option, code, out, errs)
		}
	}
	if code, _, errs := kith(t, "serve", "--db", db, "--addr", "127.0.0.1:0", "--debug-addr", listener.Addr().String()); code != 1 ||
		!strings.Contains(errs, "--debug-addr: listen tcp "+listener.Addr().String()) {
		t.Errorf("debug: exit code %d, %s", code, errs)
	}
	if folder := filepath.Dir(strings.TrimPrefix(db, "sqlite:")); exists(folder) {
		t.Errorf("a server that could not start made %s", folder)
	}
}

// A request that is under way when the order to stop comes is answered and kept, and no new one is let in.
func TestServeFinishesWhatIsUnderWay(t *testing.T) {
	onBoth(t, func(t *testing.T, db string) {
		_, token := newBusiness(t, db)
		r := start(t, "--db", db)
		address := strings.TrimPrefix(r.url, "http://")
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if err := conn.SetDeadline(time.Now().Add(long)); err != nil {
			t.Fatal(err)
		}
		const body = `{"name":"Last One"}`
		fmt.Fprintf(conn, "POST /v1/contacts HTTP/1.1\r\nHost: kith\r\nAuthorization: Bearer %s\r\nVersion: v1\r\nContent-Type: "+
			"application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", token, len(body))
		in := bufio.NewReader(conn)
		// The server asks for the body as soon as it wants to read it: from here on the request is under way.
		if line, err := in.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
			t.Fatalf("the server answers %q, %v", line, err)
		}
		if _, err := in.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		r.stop()
		r.log.entry(t, "stopping")
		for deadline := time.Now().Add(long); ; {
			late, err := net.Dial("tcp", address)
			if err != nil {
				break
			}
			late.Close()
			if time.Now().After(deadline) {
				t.Fatal("the server goes on to take connections")
			}
			time.Sleep(time.Millisecond)
		}
		select {
		case code := <-r.code:
			t.Fatalf("the server ended with %d before it had answered", code)
		default:
		}
		if _, err := io.WriteString(conn, body); err != nil {
			t.Fatal(err)
		}
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if res.StatusCode != http.StatusCreated {
			t.Errorf("the last request is answered with %s", res.Status)
		}
		if code := r.ended(t); code != 0 {
			t.Errorf("the server ends with %d: %s", code, r.log)
		}
		r.log.entry(t, "stopped")

		next := start(t, "--db", db)
		if status, answer := next.post(t, token, "/contacts/search", `{"search_text":"last one"}`); status != http.StatusOK ||
			!strings.Contains(answer, `"total":1`) {
			t.Errorf("the next server finds %d %s", status, answer)
		}
	})
}

// The signals that a shell, an init system or a container sends stop the program cleanly.
func TestSignalsStopTheProgram(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(signal.String(), func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), long)
			defer cancel()
			program := exec.CommandContext(ctx, os.Args[0], "serve", "--db", missingSQLite(t), "--addr", "127.0.0.1:0")
			program.Env = append(os.Environ(), asProgram+"=yes")
			log := newLogged()
			program.Stderr = log
			if err := program.Start(); err != nil {
				t.Fatal(err)
			}
			log.entry(t, "serving")
			if err := program.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			if err := program.Wait(); err != nil {
				t.Errorf("the program ends with %v: %s", err, log)
			}
			log.entry(t, "stopped")
		})
	}
}
