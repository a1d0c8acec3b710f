package notify_test

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/notify"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"

	. "github.com/kith-crm/kith/internal/apitest"
)

// pushService is that of a browser's maker, with the browsers behind it, which read what comes for them.
type pushService struct {
	*httptest.Server
	t *testing.T

	mu sync.Mutex
	// keys are those of the browsers by their path, came what was pushed to each, and answers what else than 201 is answered to it.
	keys    map[string]*ecdh.PrivateKey
	came    map[string][]string
	answers map[string]int
	// signed is the key that the server signs with, in base64url.
	signed string
}

var auth = []byte("sixteen bytes...")

func newPushService(t *testing.T, signed string) *pushService {
	t.Helper()
	s := &pushService{t: t, keys: map[string]*ecdh.PrivateKey{}, came: map[string][]string{}, answers: map[string]int{}, signed: signed}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *pushService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.checkSignature(r)
	if r.Method != http.MethodPost || r.Header.Get("Content-Encoding") != "aes128gcm" || r.Header.Get("TTL") == "" {
		s.t.Errorf("%s with %v", r.Method, r.Header)
	}
	sealed, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Error(err)
	}
	if status := s.answers[r.URL.Path]; status != 0 {
		w.WriteHeader(status)
		return
	}
	s.came[r.URL.Path] = append(s.came[r.URL.Path], s.read(s.keys[r.URL.Path], sealed))
	w.WriteHeader(http.StatusCreated)
}

// read decrypts a message as a browser does, by RFC 8291.
func (s *pushService) read(key *ecdh.PrivateKey, sealed []byte) string {
	salt, size, rest := sealed[:16], int(sealed[20]), sealed[21:]
	theirs, err := ecdh.P256().NewPublicKey(rest[:size])
	if err != nil {
		s.t.Error(err)
		return ""
	}
	shared, err := key.ECDH(theirs)
	if err != nil {
		s.t.Error(err)
	}
	expand := func(secret, salt []byte, info string, n int) []byte {
		out, err := hkdf.Key(sha256.New, secret, salt, info, n)
		if err != nil {
			s.t.Error(err)
		}
		return out
	}
	secret := expand(shared, auth, "WebPush: info\x00"+string(key.PublicKey().Bytes())+string(rest[:size]), 32)
	block, err := aes.NewCipher(expand(secret, salt, "Content-Encoding: aes128gcm\x00", 16))
	if err != nil {
		s.t.Error(err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		s.t.Error(err)
	}
	plain, err := aead.Open(nil, expand(secret, salt, "Content-Encoding: nonce\x00", 12), rest[size:], nil)
	if err != nil || plain[len(plain)-1] != 2 {
		s.t.Error("what came cannot be read:", err)
		return ""
	}
	return string(plain[:len(plain)-1])
}

// checkSignature holds the signature to RFC 8292: made for this service, with the key that browsers subscribed by.
func (s *pushService) checkSignature(r *http.Request) {
	given, key, _ := strings.Cut(strings.TrimPrefix(r.Header.Get("Authorization"), "vapid t="), ", k=")
	parts := strings.Split(given, ".")
	if key != s.signed || len(parts) != 3 {
		s.t.Errorf("signed by %q: %q", key, given)
		return
	}
	raw, signature, claims := decode(s.t, key), decode(s.t, parts[2]), map[string]any{}
	public, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), raw)
	if err != nil {
		s.t.Error(err)
		return
	}
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	number := func(b []byte) *big.Int { return new(big.Int).SetBytes(b) }
	if !ecdsa.Verify(public, sum[:], number(signature[:32]), number(signature[32:])) {
		s.t.Error("the signature is wrong")
	}
	if err := json.Unmarshal(decode(s.t, parts[1]), &claims); err != nil {
		s.t.Error(err)
	}
	until := time.Until(time.Unix(int64(claims["exp"].(float64)), 0))
	if claims["aud"] != s.URL || claims["sub"] != "https://crm.example" || until <= 0 || until > 24*time.Hour {
		s.t.Errorf("the claims are %v", claims)
	}
}

func decode(t *testing.T, text string) []byte {
	t.Helper()
	out, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		t.Error(err)
	}
	return out
}

// browser makes a browser behind the service, and gives what it shows of itself.
func (s *pushService) browser(name string) map[string]string {
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		s.t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys["/"+name] = key
	return map[string]string{
		"endpoint": s.URL + "/" + name, "p256dh": base64.RawURLEncoding.EncodeToString(key.PublicKey().Bytes()),
		"auth": base64.RawURLEncoding.EncodeToString(auth),
	}
}

// answer says what is answered to what is pushed to a browser; 0 is that it is taken.
func (s *pushService) answer(name string, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers["/"+name] = status
}

// taken gives what came to a browser since this was last asked.
func (s *pushService) taken(name string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer delete(s.came, "/"+name)
	return s.came["/"+name]
}

// pushing is a world with a server that pushes.
type pushing struct {
	*World
	pusher  *notify.Pusher
	service *pushService
}

func startPushing(t *testing.T, w *World) pushing {
	t.Helper()
	w.Engine.PrivateReceivers = true
	for _, who := range []string{"manager", "member", "viewer"} {
		w.Check(t, Step{Do: "PATCH /users/$" + who, Body: `{"status":"active"}`, Status: 200})
	}
	log := slog.New(slog.NewJSONHandler(w.Log, nil))
	p := pushing{w, notify.NewPusher(w.Engine, "https://crm.example", log), nil}
	key, subscribed, err := notify.Subscription(t.Context(), w.Engine, p.logIn(t, "member"))
	if err != nil || subscribed {
		t.Fatal(subscribed, err)
	}
	p.service = newPushService(t, key)
	return p
}

// logIn begins a session of somebody.
func (p pushing) logIn(t *testing.T, as string) *record.Principal {
	t.Helper()
	who := account.SystemPrincipal(p.Tenant, p.Users[as])
	_, hash := record.NewSecret(record.SessionCookie, p.Tenant.ID())
	if err := p.Tenant.Keep(t.Context(), store.Actor{}, func(tx *store.Tx) error {
		who.Connection = schema.NewID(tx.Now)
		if err := keep.PutSession(tx, keep.Session{ID: who.Connection, User: who.User}); err != nil {
			return err
		}
		return keep.PutCredential(tx, hash, keep.Credential{
			Kind: record.SessionCookie, User: who.User, Parent: who.Connection, ExpiresAt: tx.Now.Add(time.Hour),
		})
	}); err != nil {
		t.Fatal(err)
	}
	return who
}

func (p pushing) subscribe(t *testing.T, as, name string) *record.Principal {
	t.Helper()
	who := p.logIn(t, as)
	if err := notify.Subscribe(t.Context(), p.Engine, who, p.service.browser(name)); err != nil {
		t.Fatal(err)
	}
	return who
}

// push pushes what is due after a time.
func (p pushing) push(t *testing.T, wait time.Duration) {
	t.Helper()
	for more, now := true, time.Now().Add(wait); more; {
		var err error
		if more, err = p.pusher.Push(t.Context(), now); err != nil {
			t.Fatal(err)
		}
	}
}

func TestNotificationsArePushed(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		p := startPushing(t, w)
		desk, phone := p.subscribe(t, "member", "desk"), p.subscribe(t, "member", "phone")
		if _, is, err := notify.Subscription(t.Context(), w.Engine, desk); err != nil || !is {
			t.Error("a browser that is subscribed is said not to be:", err)
		}
		w.Create(t, "deals", `{"name":"Boat","owner_id":"$member"}`, "deal")
		p.push(t, time.Second)
		want := `{"title":"admin gave this to you","body":"Boat","path":"/app/deals/` + w.Vars["deal"] + `","tag":"notification_`
		for _, name := range []string{"desk", "phone"} {
			if got := p.service.taken(name); len(got) != 1 || !strings.HasPrefix(got[0], want) {
				t.Errorf("to %s is pushed %v", name, got)
			}
		}
		p.push(t, time.Hour)
		if got := p.service.taken("desk"); got != nil {
			t.Errorf("again is pushed %v", got)
		}

		w.Check(t, Step{Do: "PATCH /users/$member", Body: `{"muted_notifications":["assigned"]}`, Status: 200})
		w.Create(t, "deals", `{"name":"Muted","owner_id":"$member"}`, "")
		w.Check(t, Step{Do: "PATCH /users/$member", Body: `{"muted_notifications":[]}`, Status: 200})
		w.Create(t, "deals", `{"name":"Read","owner_id":"$member"}`, "")
		w.Check(t, Step{As: "member", Do: "POST /notifications/read_all", Status: 200})
		p.push(t, time.Second)
		if got := p.service.taken("desk"); got != nil {
			t.Errorf("what is muted or was read is pushed: %v", got)
		}
		for i := range 5 {
			w.Create(t, "deals", fmt.Sprintf(`{"name":"Boat %d","owner_id":"$member"}`, i), "")
		}
		p.push(t, time.Second)
		several := `"title":"5 notifications from Harbour","path":"/app/inbox"`
		if got := p.service.taken("desk"); len(got) != 1 || !strings.Contains(got[0], several) {
			t.Errorf("of many is pushed %v", got)
		}

		if err := notify.Unsubscribe(t.Context(), phone); err != nil {
			t.Fatal(err)
		}
		w.Create(t, "roles", `{"name":"None","permissions":{"notification":{"read":"all"}}}`, "none")
		p.service.taken("phone")
		w.Create(t, "deals", `{"name":"Last","owner_id":"$member"}`, "")
		p.push(t, time.Second)
		if got := p.service.taken("desk"); len(got) != 1 || p.service.taken("phone") != nil {
			t.Errorf("after the phone was unsubscribed is pushed %v", got)
		}
		w.Create(t, "deals", `{"name":"Hidden","owner_id":"$member"}`, "")
		w.Check(t, Step{Do: "PATCH /users/$member", Body: `{"role_id":"$none"}`, Status: 200})
		p.push(t, time.Second)
		if got := p.service.taken("desk"); got != nil {
			t.Errorf("what may not be read is pushed: %v", got)
		}
	})
}

func TestBrowsersThatAreGoneAreForgotten(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		p := startPushing(t, w)
		told := func(who string) {
			t.Helper()
			w.Create(t, "deals", `{"name":"Boat","owner_id":"$`+who+`"}`, "")
			p.push(t, time.Second)
		}
		gone, late := p.subscribe(t, "member", "gone"), p.subscribe(t, "manager", "late")
		p.service.answer("gone", http.StatusGone)
		told("member")
		if _, is, err := notify.Subscription(t.Context(), w.Engine, gone); err != nil || is {
			t.Error("a browser that is gone is kept:", err)
		}
		p.service.answer("late", http.StatusServiceUnavailable)
		w.Create(t, "deals", `{"name":"Boat","owner_id":"$manager"}`, "")
		p.push(t, time.Second)
		p.service.answer("late", 0)
		p.push(t, time.Minute)
		if p.service.taken("late") != nil {
			t.Error("what a push service did not take is sent again at once")
		}
		p.push(t, time.Hour)
		if len(p.service.taken("late")) != 1 {
			t.Error("what a push service did not take is lost")
		}

		// Another log-in in the same browser takes the place of the one before.
		next := p.logIn(t, "viewer")
		given := p.service.browser("late")
		if err := notify.Subscribe(t.Context(), w.Engine, late, given); err != nil {
			t.Fatal(err)
		}
		if err := notify.Subscribe(t.Context(), w.Engine, next, given); err != nil {
			t.Fatal(err)
		}
		told("manager")
		if got := p.service.taken("late"); got != nil {
			t.Errorf("who was logged in before is told %v", got)
		}
		told("viewer")
		if len(p.service.taken("late")) != 1 {
			t.Error("who is logged in now is not told")
		}
		w.Check(t, Step{Do: "PATCH /users/$viewer", Body: `{"status":"suspended"}`, Status: 200})
		w.Check(t, Step{Do: "PATCH /users/$viewer", Body: `{"status":"active"}`, Status: 200})
		if _, is, err := notify.Subscription(t.Context(), w.Engine, next); err != nil || is {
			t.Error("the browser of a log-in that has ended is kept:", err)
		}
		told("viewer")
		if p.service.taken("late") != nil {
			t.Error("the browser of a log-in that has ended is pushed to")
		}
	})
}

func TestWhichBrowsersMaySubscribe(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		p := startPushing(t, w)
		who := p.logIn(t, "member")
		w.Engine.PrivateReceivers = false
		for name, change := range map[string]map[string]string{
			"http":      {"endpoint": "http://push.example/1"},
			"private":   {"endpoint": "https://10.0.0.1/1"},
			"long":      {"endpoint": "https://push.example/" + strings.Repeat("x", 3000)},
			"no key":    {"p256dh": "AAAA"},
			"no secret": {"auth": "AAAA"},
		} {
			given := p.service.browser("x")
			given["endpoint"] = "https://push.example/1"
			for field, value := range change {
				given[field] = value
			}
			if err := notify.Subscribe(t.Context(), w.Engine, who, given); err == nil {
				t.Errorf("%s: a browser subscribes that cannot be pushed to", name)
			}
		}
		// What leads inside is not connected to either, whatever it is called.
		given := p.service.browser("inside")
		w.Engine.PrivateReceivers = true
		if err := notify.Subscribe(t.Context(), w.Engine, who, given); err != nil {
			t.Fatal(err)
		}
		w.Engine.PrivateReceivers = false
		p.pusher = notify.NewPusher(w.Engine, "https://crm.example", slog.New(slog.NewJSONHandler(w.Log, nil)))
		w.Create(t, "deals", `{"name":"Boat","owner_id":"$member"}`, "")
		p.push(t, time.Second)
		if got := p.service.taken("inside"); got != nil || !strings.Contains(w.Log.String(), "not a public one") {
			t.Errorf("into the own network is pushed %v", got)
		}
		w.Engine.PrivateReceivers = true
		var refused []int
		for i := range 22 {
			if err := notify.Subscribe(t.Context(), w.Engine, p.logIn(t, "manager"), p.service.browser(fmt.Sprint(i))); err != nil {
				refused = append(refused, i)
			}
		}
		if !slices.Equal(refused, []int{20, 21}) {
			t.Errorf("of 22 browsers these are refused: %v", refused)
		}
	})
}
