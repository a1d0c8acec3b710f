package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"path"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/kith-crm/kith/internal/agents"
	"github.com/kith-crm/kith/internal/bench"
	"github.com/kith-crm/kith/internal/demo"
	"github.com/kith-crm/kith/internal/exchange"
	"github.com/kith-crm/kith/internal/httpapi"
	"github.com/kith-crm/kith/internal/metrics"
	"github.com/kith-crm/kith/internal/notify"
	"github.com/kith-crm/kith/internal/oauth"
	"github.com/kith-crm/kith/internal/openapi/viewer"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
	"github.com/kith-crm/kith/internal/stream"
	"github.com/kith-crm/kith/internal/tracing"
	"github.com/kith-crm/kith/internal/web"
	"github.com/kith-crm/kith/internal/webhook"
	"github.com/kith-crm/kith/internal/wiring"
	"github.com/kith-crm/kith/internal/work"
)

const defaultAddress = "127.0.0.1:8080"

func serve(ctx context.Context, c *invocation) error {
	addr := c.text("addr", defaultAddress, "the address to listen on", isAddress)
	withDemo := c.flags.Bool("demo", false, "make the demo business first, and print how to use it; without --addr on the first free "+
		"port from 8080 on")
	rate := c.number("rate-limit", 0, 0, 1_000_000, "requests per second that a token may make; 0 is no limit")
	burst := c.number("rate-burst", 100, 1, 1_000_000, "requests that a token may make at once under --rate-limit")
	timeout := c.flags.Duration("search-timeout", 2*time.Second,
		"how long a search, another read or a write may take before it is stopped (503 timeout); 0 is no limit")
	c.atLeast("search-timeout", timeout, 0)
	var limits patienceWithClients
	c.duration(&limits.read, "read-timeout", time.Minute, time.Second, time.Hour,
		"how long a client may take to send a request; for its head, 10s at most")
	c.duration(&limits.write, "write-timeout", time.Minute, time.Second, time.Hour,
		"how long an answer may take, until the client has read it; longer than --search-timeout")
	most := c.number("max-connections", 20_000, 10, 1_000_000,
		"how many clients may be connected; beyond it, connections without a request are dropped, and there are never more than three "+
			"quarters of the files that the system lets a process open")
	streams := c.number("max-streams", stream.DefaultStreams, 1, 1_000_000,
		"how many clients may listen to changes (GET /v1/changes/stream) at once; half of them to one business")
	secretKey := c.text("secret-key", "", "the file with the key under which secrets in the database are sealed, or the key itself; "+
		"beside an SQLite database it is made when empty", isKey)
	delay := c.flags.Duration("stop-delay", 5*time.Second,
		"how long to go on serving after the order to stop, while /readyz says 503, so that a load balancer can turn away; "+
			"where nobody has asked /readyz, only if it is given")
	c.atLeast("stop-delay", delay, 0)
	observed := c.text("metrics-addr", "", "an address for metrics (/metrics, for Prometheus); only for the operator, off when empty",
		orEmpty(isAddress))
	secure := c.encryption()
	debug := c.text("debug-addr", "", "an address for profiles and counters (pprof, expvar); only for the operator, off when empty",
		orEmpty(isAddress))
	origin := c.text("origin", "", "the address that clients reach the server as, such as https://crm.example.com; taken from each "+
		"request when empty", orEmpty(isOrigin))
	forwarded := c.flags.Bool("trust-forwarded", false, "believe X-Forwarded-For and X-Forwarded-Proto; only behind a proxy that sets them")
	mailFrom := c.flags.String("mail-from", "kith@localhost", "the sender of mail")
	ownNetwork := c.flags.Bool("private-providers", false,
		"let identity providers of businesses, and documents of OAuth clients, be in the own network, and on the own machine without "+
			"https; whoever administers a business can then have this server ask any address there")
	privateHooks := c.flags.Bool("private-webhooks", false,
		"let webhooks send into the own network, and by plain http; whoever may make webhooks can then have this server send to any "+
			"address there")
	smtpURL := c.flags.String("smtp", "", "the mail server for invitations, resets and notifications: smtp://USER:PASSWORD@HOST:PORT "+
		"(STARTTLS), smtps:// (TLS from the start) or smtp+insecure:// (no TLS at all); links are logged when empty")
	c.rules["smtp"], c.rules["mail-from"] = mailRules(smtpURL, mailFrom)
	var level slog.Level
	c.text("log-level", "info", "debug, info, warn or error; info logs every request", func(text string) string {
		if level.UnmarshalText([]byte(text)) != nil {
			return "must be debug, info, warn or error"
		}
		return ""
	})
	within := c.rules["write-timeout"]
	c.rules["write-timeout"] = func() string {
		if says := within(); says != "" || limits.write > *timeout {
			return says
		}
		return fmt.Sprintf("must be longer than %s, which is %v", c.calls("search-timeout"), *timeout)
	}
	if err := c.parse(); err != nil {
		return err
	}
	if *secure.ask != "" && (!secure.on() || !strings.HasPrefix(*origin, "https://")) {
		return c.misused("%s needs --origin with https://, and --tls-cert or --acme-hosts", c.calls("redirect-addr"))
	}
	defer runtime.KeepAlive(newBallast())
	lines := newGathered(c.errs)
	defer lines.flush()
	log := slog.New(slog.NewJSONHandler(promptly{lines}, &slog.HandlerOptions{Level: level}))
	// The address first: where it is taken, nothing has been made or changed yet.
	listener, err := listen(*addr, *withDemo && c.given["addr"] == "")
	if err != nil {
		return err
	}
	defer listener.Close()
	if *debug != "" {
		debugging, err := net.Listen("tcp", *debug)
		if err != nil {
			return fmt.Errorf("--debug-addr: %w", err)
		}
		defer debugging.Close()
		log.Info(bench.Debugging, "address", "http://"+debugging.Addr().String())
		go func() { log.Debug("the debug address is closed", "error", http.Serve(debugging, debugRoutes())) }()
	}
	front := front{listener: listener, limits: limits, connections: newConnections(min(*most, mostFiles()/4*3)), delay: *delay, log: log}
	if secure.on() {
		config, plain, end, err := secure.config(*origin, log)
		if err != nil {
			return err
		}
		defer end()
		front.tls = config
		if *secure.ask != "" {
			end, err := redirectAddress(*secure.ask, plain, log)
			if err != nil {
				return err
			}
			defer end()
		}
	}
	engine, end, err := c.openToServe(ctx, log, front.reachable())
	if err != nil {
		return err
	}
	defer end()
	if err := c.useKeys(ctx, engine.Store(), *secretKey, log); err != nil {
		return err
	}
	tracer, err := tracing.FromEnvironment(ctx, thisBuild().Version, engine.Store().Engine(), log)
	if err != nil {
		return err
	}
	if tracer != nil {
		engine.Store().Observe(tracer.Observe)
		defer func() {
			rest, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			if err := tracer.Close(rest); err != nil {
				log.Error("traces", "error", err)
			}
		}()
	}
	// Before the handler, which sends invitations: those of the demo lead nowhere.
	var account demo.Account
	if *withDemo {
		if account, _, err = demo.Make(ctx, engine, time.Now()); err != nil {
			return err
		}
	}
	// The demo is made in large transactions, which is the operator's affair.
	engine.Store().LimitTime(*timeout)
	var requests io.Writer
	if level <= slog.LevelInfo {
		requests = lines
	}
	house, err := handler(ctx, engine, log, settings{
		origin: *origin, trustForwarded: *forwarded, smtp: *smtpURL, mailFrom: *mailFrom, address: front.address(), rate: *rate,
		burst: *burst, streams: *streams, requests: requests,
		ownNetwork: *ownNetwork,
	})
	if err != nil {
		return err
	}
	house.connections = front.connections
	front.watched = func() bool { return c.given["stop-delay"] != "" || house.api.Watched() }
	engine.PrivateReceivers = *privateHooks
	house.hooks = webhook.NewDeliverer(engine, webhook.NewSender(*privateHooks).Send, steadily(log, "webhooks"))
	if tracer != nil {
		house.Handler = tracer.Handler(house.Handler)
	}
	if *observed != "" {
		end, err := house.operatorAddress(*observed, log)
		if err != nil {
			return err
		}
		defer end()
	}
	go engine.Store().Heed(ctx)
	go complete(ctx, engine, log)
	go purge(ctx, engine, log)
	go workOff(ctx, engine, log)
	go measure(ctx, engine, log)
	if house.mailer != nil {
		go sendNotifications(ctx, nil, "mail of notifications", house.mailer.Mail, log)
	}
	go sendNotifications(ctx, engine.PushesDue, "push of notifications", notify.NewPusher(engine, house.origin, log).Push, log)
	go emptyBins(ctx, engine, log)
	go work.EndLeases(ctx, engine, steadily(log, "leases of other servers"))
	defer beside(ctx, house.hooks.Work, func(ctx context.Context) { sweep(ctx, engine, log) }, func(ctx context.Context) {
		work.NewWorker(engine, wiring.JobKinds()).Work(ctx, steadily(log, "jobs"))
	})()
	go work.KeepIndexes(ctx, engine, steadily(log, "indexes of added fields"))
	if err := c.greet(ctx, engine, log, &front, *origin); err != nil {
		return err
	}
	if *withDemo {
		if err := c.showDemo(account, front.reachable()); err != nil {
			return err
		}
	}
	defer house.people.TellFailures()
	return front.serve(ctx, house)
}

// settings are the parts of the options that the handler needs. The address is that which is listened on, with its scheme.
type settings struct {
	origin, smtp, mailFrom, address string
	trustForwarded, ownNetwork      bool
	rate, burst, streams            int
	// requests is where the lines of requests go.
	requests io.Writer
}

// house is what answers requests, and what the operator sees of it.
type house struct {
	http.Handler
	api         *httpapi.API
	people      *oauth.People
	auth        *oauth.Authenticator
	store       *store.Store
	requests    *metrics.Requests
	connections *connections
	// hooks deliver to webhooks, or are nil.
	hooks *webhook.Deliverer
	// mailer mails notifications, or is nil.
	mailer *notify.Mailer
	// origin is where links lead.
	origin string
}

// handler puts the rooms of the house together: the API, the authorization server and the pages.
func handler(ctx context.Context, engine *record.Engine, log *slog.Logger, o settings) (*house, error) {
	auth := oauth.NewAuthenticator(engine, o.origin)
	authServer := oauth.NewServer(engine, auth, log)
	var mail *oauth.Mail
	if o.smtp != "" {
		var err error
		if mail, err = oauth.NewMail(o.smtp, o.mailFrom); err != nil {
			return nil, err
		}
	}
	if o.ownNetwork {
		authServer.AllowOwnNetwork()
	}
	origin := o.origin
	if origin == "" {
		origin = o.address
	}
	people, err := oauth.NewPeople(ctx, engine, oauth.PeopleOptions{Mail: mail, Log: log, Origin: origin, OwnNetwork: o.ownNetwork})
	if err != nil {
		return nil, err
	}
	engine.Accounts = people
	if mail != nil && o.origin == "" {
		log.Warn("mailed links lead to the address that is listened on; --origin says where people reach the server", "origin", origin)
	}
	site, err := web.New(ctx, engine, web.Options{Auth: auth, Server: authServer, People: people, Log: log, Origin: origin})
	if err != nil {
		return nil, err
	}
	h := &house{
		auth: auth, people: people, store: engine.Store(), requests: metrics.NewRequests(),
		connections: newConnections(0), origin: origin,
	}
	authServer.Metrics = h.requests
	if mail != nil {
		send := func(l notify.Letter) error { return mail.SendBoth(l.To, l.Subject, l.Text, l.HTML) }
		h.mailer = &notify.Mailer{Engine: engine, Send: send, Origin: origin, Log: log}
	}
	mux := http.NewServeMux()
	authServer.Routes(mux)
	site.Routes(mux)
	viewer.Routes(mux)
	h.api = httpapi.New(engine, httpapi.Options{
		Log: log, Requests: o.requests, Auth: auth, People: people,
		RateLimit: o.rate, RateBurst: o.burst, Metrics: h.requests, Serving: ctx, Streams: o.streams,
	})
	mux.Handle(httpapi.MCP, h.api.Authenticate(agentsOf(h.api, log).Handler()))
	// Under these nothing is for people, so what is not there is told to programs too.
	for _, path := range []string{"/v1", "/v1/", "/healthz", "/readyz", "/oauth/", "/.well-known/"} {
		mux.Handle(path, h.api)
	}
	all := withoutDetours(mux, h.api)
	if strings.HasPrefix(o.origin, "https://") {
		all = httpsOnly(all)
	}
	if o.trustForwarded {
		all = forwarded(all)
	}
	h.Handler = all
	return h, nil
}

// agentsOf lets agents use an API of the same process.
func agentsOf(api http.Handler, log *slog.Logger) *agents.Server {
	return agents.New(agents.Options{
		API: agents.Within{Handler: api}, Version: thisBuild().Version,
		Failed: func(tool string, reason any, stack []byte) {
			log.Error("panic", "tool", tool, "error", fmt.Sprint(reason), "stack", string(stack))
		},
	})
}

// withoutDetours keeps the mux from redirecting programs to another spelling of a path: a redirect is nothing that they expect, and
// lacks what every answer of the API has. The API says that there is nothing at such a path.
func withoutDetours(mux *http.ServeMux, api http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if clean := path.Clean(r.URL.Path); clean != r.URL.Path &&
			(strings.HasPrefix(clean, "/v1/") || strings.HasPrefix(clean, "/oauth/") || strings.HasPrefix(clean, "/.well-known/")) {
			api.ServeHTTP(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// httpsOnly tells browsers to come by https from now on, for a year. It does not speak for other hosts under the same domain.
func httpsOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Strict-Transport-Security"] = httpsForAYear
		next.ServeHTTP(w, r)
	})
}

var httpsForAYear = []string{"max-age=31536000"}

// forwarded takes the client's address and scheme from the headers that the proxy in front sets. An entry that is no address is not
// believed: the request then counts as the proxy's own.
func forwarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",") // some proxies add a header instead of appending
		if client, ok := hopAddress(hops[len(hops)-1]); ok {
			r.RemoteAddr = net.JoinHostPort(client.String(), "0")
		}
		if r.Header.Get("X-Forwarded-Proto") == "https" && r.TLS == nil {
			r.TLS = &tls.ConnectionState{}
		}
		next.ServeHTTP(w, r)
	})
}

// hopAddress reads an entry of X-Forwarded-For: an address, which some proxies write with the port of the connection. The port is
// not part of who the client is: it is another with every connection, and throttles go by the address.
func hopAddress(entry string) (netip.Addr, bool) {
	entry = strings.TrimSpace(entry)
	if withPort, err := netip.ParseAddrPort(entry); err == nil {
		return withPort.Addr().Unmap().WithZone(""), true
	}
	if inner, ok := strings.CutPrefix(entry, "["); ok {
		entry = strings.TrimSuffix(inner, "]")
	}
	client, err := netip.ParseAddr(entry)
	return client.Unmap().WithZone(""), err == nil
}

// again does something now and again until the server stops: after the rest that it asks for, or sooner where it is woken.
func again(ctx context.Context, wake <-chan struct{}, do func() (rest time.Duration)) {
	for ctx.Err() == nil {
		rest := do()
		select {
		case <-ctx.Done():
		case <-wake:
		case <-time.After(rest):
		}
	}
}

// complain logs what failed in the background, unless it is that the server stops.
func complain(ctx context.Context, log *slog.Logger, what string, err error) {
	if err != nil && ctx.Err() == nil {
		log.Error(what, "error", err)
	}
}

// purge removes what expired, now and every hour.
func purge(ctx context.Context, engine *record.Engine, log *slog.Logger) {
	again(ctx, nil, func() time.Duration {
		now := time.Now()
		complain(ctx, log, "purge", keep.Purge(ctx, engine.Store(), now.Add(-24*time.Hour), now.Add(-oauth.UnusedLife)))
		return time.Hour
	})
}

// complete makes anew what servers of other releases leave behind, which may run beside this one while they are replaced.
func complete(ctx context.Context, engine *record.Engine, log *slog.Logger) {
	again(ctx, nil, func() time.Duration {
		mended := map[schema.UUID]int{}
		left, err := engine.Store().Complete(ctx, record.CheckRules(), func(f store.Fault) { mended[f.Business]++ })
		for business, n := range mended {
			log.Warn("a server of another release left something behind, which was made anew",
				"business", schema.FormatID("business", business), "rows", n)
		}
		complain(ctx, log, "completing", err)
		if left > 0 && err == nil {
			return time.Minute
		}
		return 10 * time.Minute
	})
}

// measure has the database learn how full its tables are while they are filled: a page is searched by that.
func measure(ctx context.Context, engine *record.Engine, log *slog.Logger) {
	failed := steadily(log, "measuring of tables")
	again(ctx, nil, func() time.Duration {
		if err := engine.Store().Measure(ctx); err != nil && ctx.Err() == nil {
			failed(err)
		}
		return 2 * time.Second
	})
}

// asLongAs is a rest as long as the work since its beginning took.
func asLongAs(begin time.Time) time.Duration { return max(10*time.Millisecond, time.Since(begin)) }

// workOff does what is left to do about records that were removed for good, in small steps between which it rests as long as they
// took. What another server left behind is found within a minute.
func workOff(ctx context.Context, engine *record.Engine, log *slog.Logger) {
	again(ctx, engine.RemovalsDue, func() time.Duration {
		begin := time.Now()
		more, err := work.WorkOff(ctx, engine)
		complain(ctx, log, "erasure", err)
		if more {
			return asLongAs(begin)
		}
		return time.Minute
	})
}

// emptyBins takes records out of the bins for good that have been there for too long, now and every hour, in small steps between
// which it rests as long as they took.
func emptyBins(ctx context.Context, engine *record.Engine, log *slog.Logger) {
	again(ctx, nil, func() time.Duration {
		begin := time.Now()
		purged, err := work.EmptyBins(ctx, engine, begin)
		complain(ctx, log, "bins", err)
		for _, p := range purged {
			log.Info("deleted records were removed for good", "business", schema.FormatID("business", p.Business), "records", p.Records)
		}
		if len(purged) > 0 {
			return asLongAs(begin)
		}
		return time.Hour
	})
}

// sendNotifications sends what is due, now, when somebody wakes it, and every few seconds, in turns between the businesses.
func sendNotifications(ctx context.Context, wake <-chan struct{}, what string, send func(context.Context, time.Time) (bool, error),
	log *slog.Logger,
) {
	again(ctx, wake, func() time.Duration {
		more, err := send(ctx, time.Now())
		complain(ctx, log, what, err)
		if more {
			return 10 * time.Millisecond
		}
		return 10 * time.Second
	})
}

// sweep removes jobs, imports and deliveries that ended long ago, now and every hour.
func sweep(ctx context.Context, engine *record.Engine, log *slog.Logger) {
	again(ctx, nil, func() time.Duration {
		complain(ctx, log, "sweep of jobs", work.SweepJobs(ctx, engine, time.Now()))
		complain(ctx, log, "sweep of imports", exchange.SweepImports(ctx, engine, time.Now()))
		complain(ctx, log, "sweep of deliveries", webhook.SweepDeliveries(ctx, engine, time.Now()))
		return time.Hour
	})
}

// beside does some work beside the requests, until the function that it gives is called, which waits until what is under way is given
// back.
func beside(ctx context.Context, all ...func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var working sync.WaitGroup
	for _, do := range all {
		working.Go(func() { do(ctx) })
	}
	return func() {
		cancel()
		working.Wait()
	}
}

// newBallast makes the garbage collector wait until some megabytes of garbage have gathered. A server lives on a few megabytes, and the
// collector, which goes by their proportion, would run many times a second. Nobody touches these bytes, so they take no memory, and beside
// a large heap they make no difference. Getting one record is 1.1 times as fast for it and a page 1.2 times, for 25 MB of garbage more.
func newBallast() []byte { return make([]byte, 24<<20) }
