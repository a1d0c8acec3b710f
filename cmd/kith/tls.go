package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"
)

// encryption is what the options say about TLS: files, or an authority that gives certificates by itself (ACME), or nothing.
type encryption struct {
	cert, key                            *string
	hosts, folder, email, directory, ask *string
}

func (c *invocation) encryption() *encryption {
	e := &encryption{
		cert: c.flags.String("tls-cert", "", "a file with the certificate and those above it (PEM), to speak https; read anew when "+
			"it changes, and on SIGHUP"),
		key: c.flags.String("tls-key", "", "the file with its private key (PEM)"),
		hosts: c.text("acme-hosts", "", "host names, separated by commas, for which certificates are had by ACME, as from Let's "+
			"Encrypt, whose terms you accept by it; needs port 443, or --redirect-addr on port 80", orEmpty(areHosts)),
		folder:    c.flags.String("acme-dir", "acme", "the folder in which they are kept with their keys"),
		email:     c.flags.String("acme-email", "", "where the authority writes to when something is wrong with them"),
		directory: c.text("acme-url", acme.LetsEncryptURL, "the authority's directory", isHTTPS),
		ask: c.text("redirect-addr", "", "an address for plain http, such as :80, that answers the authority and sends browsers to "+
			"https; off when empty", orEmpty(isAddress)),
	}
	c.rules["tls-cert"] = func() string {
		if (*e.cert == "") != (*e.key == "") {
			return "must be given together with --tls-key"
		}
		if *e.cert != "" && *e.hosts != "" {
			return "must be left out where --acme-hosts is given"
		}
		return ""
	}
	return e
}

func (e *encryption) on() bool { return *e.cert != "" || *e.hosts != "" }

// areHosts is the rule of host names that a certificate can be for.
func areHosts(text string) string {
	for _, host := range strings.Split(text, ",") {
		if !strings.Contains(host, ".") || strings.ContainsAny(host, " :/*[]") || net.ParseIP(host) != nil {
			return "must be host names separated by commas, such as crm.example.com,www.example.com"
		}
	}
	return ""
}

func isHTTPS(text string) string {
	if !strings.HasPrefix(text, "https://") || len(text) == len("https://") {
		return "must be an https:// address"
	}
	return ""
}

// config is how TLS is spoken, and plain what answers on --redirect-addr. end ends what watches over it.
func (e *encryption) config(origin string, log *slog.Logger) (config *tls.Config, plain http.Handler, end func(), err error) {
	plain, end = redirectTo(origin), func() {}
	if *e.hosts != "" {
		manager := &autocert.Manager{
			Prompt: autocert.AcceptTOS, HostPolicy: autocert.HostWhitelist(strings.Split(*e.hosts, ",")...),
			Cache: autocert.DirCache(*e.folder), Email: *e.email,
			Client: &acme.Client{DirectoryURL: *e.directory, UserAgent: "kith/" + thisBuild().Version},
		}
		config, plain = manager.TLSConfig(), manager.HTTPHandler(plain)
		get := config.GetCertificate
		config.GetCertificate = func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			cert, err := get(hello)
			if err != nil && hello.ServerName != "" {
				log.Warn("certificate", "host", hello.ServerName, "error", err)
			}
			return cert, err
		}
		config.MinVersion = tls.VersionTLS12
		return config, plain, end, nil
	}
	files := &certificate{cert: *e.cert, key: *e.key, log: log}
	if err := files.load(); err != nil {
		return nil, nil, nil, err
	}
	again := make(chan os.Signal, 1)
	signal.Notify(again, syscall.SIGHUP)
	go func() {
		for range again {
			files.reload()
		}
	}()
	end = func() {
		signal.Stop(again)
		close(again)
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: files.get}, plain, end, nil
}

// certificate is read from files, and anew when they change.
type certificate struct {
	cert, key string
	log       *slog.Logger

	mu     sync.Mutex
	loaded *tls.Certificate
	// as is what the files were like when they were read, and looked when that was last compared.
	as     [2]fileState
	looked time.Time
}

type fileState struct {
	changed time.Time
	size    int64
}

// lookEvery is how often, at most, it is looked whether the files have changed. Only handshakes make it look.
const lookEvery = time.Second

func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	due := time.Since(c.looked) >= lookEvery
	c.mu.Unlock()
	if due && c.state() != c.known() {
		c.reload()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.loaded, nil
}

func (c *certificate) known() [2]fileState {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.looked = time.Now()
	return c.as
}

func (c *certificate) state() (as [2]fileState) {
	for i, name := range []string{c.cert, c.key} {
		if info, err := os.Stat(name); err == nil {
			as[i] = fileState{info.ModTime(), info.Size()}
		}
	}
	return as
}

// load reads the files. Where they do not belong together, as while they are being replaced, the certificate from before stays.
func (c *certificate) load() error {
	as := c.state()
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.as, c.looked = as, time.Now()
	if err != nil {
		return fmt.Errorf("--tls-cert and --tls-key: %w", err)
	}
	c.loaded = &pair
	return nil
}

func (c *certificate) reload() {
	if err := c.load(); err != nil {
		c.log.Error("the certificate could not be read; the one from before stays", "error", err)
		return
	}
	c.mu.Lock()
	until := c.loaded.Leaf.NotAfter
	c.mu.Unlock()
	c.log.Info("certificate", "file", c.cert, "until", until)
}

// redirectTo sends browsers to the encrypted address. Whoever sends a secret or a form in plain text is refused, so that it is noticed.
func redirectTo(origin string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead || r.Header.Get("Authorization") != "" {
			http.Error(w, "This address is not encrypted: use "+origin, http.StatusForbidden)
			return
		}
		http.Redirect(w, r, origin+r.URL.RequestURI(), http.StatusMovedPermanently)
	})
}

// redirectAddress serves plain http beside the encrypted address.
func redirectAddress(addr string, plain http.Handler, log *slog.Logger) (end func(), err error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("--redirect-addr: %w", err)
	}
	server := &http.Server{
		Handler: plain, ReadHeaderTimeout: longestHead, ReadTimeout: longestHead, WriteTimeout: longestHead, IdleTimeout: longestHead,
		MaxHeaderBytes: mostHead,
		ErrorLog:       slog.NewLogLogger(log.Handler(), slog.LevelDebug), ConnState: newConnections(1000).note,
	}
	log.Info("redirecting", "address", "http://"+listener.Addr().String())
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			log.Error("--redirect-addr", "error", err)
		}
	}()
	return func() { _ = server.Close() }, nil
}
