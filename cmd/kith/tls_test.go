package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// writeCertificate makes a certificate for localhost with a serial number, and trusts it.
func writeCertificate(t *testing.T, folder string, serial int64, trust *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	what := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore:   time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, what, what, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{
		"cert.pem": {Type: "CERTIFICATE", Bytes: der},
		"key.pem":  {Type: "PRIVATE KEY", Bytes: private},
	} {
		// Replaced at once, as those who renew certificates do.
		fresh := filepath.Join(folder, name+".new")
		if err := os.WriteFile(fresh, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(fresh, filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	trust.AddCert(parsed)
}

// serialOf is the number of the certificate that a new connection is shown.
func serialOf(t *testing.T, url string, trust *x509.CertPool) int64 {
	t.Helper()
	conn, err := tls.Dial("tcp", strings.TrimPrefix(url, "https://"), &tls.Config{RootCAs: trust, ServerName: "localhost"})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	return conn.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
}

func TestCertificatesAreReadAnew(t *testing.T) {
	folder, trust := t.TempDir(), x509.NewCertPool()
	writeCertificate(t, folder, 1, trust)
	cert, key := filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	db := missingSQLite(t)
	_, token := newBusiness(t, db)
	program, log := process(t, "serve", "--addr", "127.0.0.1:0", "--db", db, "--tls-cert", cert, "--tls-key", key, "--origin",
		"https://crm.example", "--redirect-addr", "127.0.0.1:0")
	t.Cleanup(func() {
		_ = program.Process.Kill()
		_ = program.Wait()
	})
	url := log.entry(t, "serving")["address"].(string)
	plain := log.entry(t, "redirecting")["address"].(string)
	if !strings.HasPrefix(url, "https://") {
		t.Fatalf("the server is at %s", url)
	}
	client := &http.Client{
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trust}, ForceAttemptHTTP2: true},
		Timeout:   long, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	ask := func(url, token string) *http.Response {
		t.Helper()
		req, err := http.NewRequest(http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Version", "v1")
		if token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
		res, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, res.Body); err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		return res
	}
	if res := ask(url+"/v1/me", token); res.StatusCode != http.StatusOK || res.Proto != "HTTP/2.0" {
		t.Errorf("a request is answered %s, by %s", res.Status, res.Proto)
	}
	if res := ask(plain+"/login?next=x", ""); res.StatusCode != http.StatusMovedPermanently ||
		res.Header.Get("Location") != "https://crm.example/login?next=x" {
		t.Errorf("a browser is sent to %q with %s", res.Header.Get("Location"), res.Status)
	}
	if res := ask(plain+"/v1/me", token); res.StatusCode != http.StatusForbidden {
		t.Errorf("a token in plain text is answered %s", res.Status)
	}
	if n := serialOf(t, url, trust); n != 1 {
		t.Errorf("the first certificate has the number %d", n)
	}

	// A file that changed is noticed by itself.
	writeCertificate(t, folder, 2, trust)
	eventuallyTrue(t, "the second certificate is shown", func() bool { return serialOf(t, url, trust) == 2 })

	// What cannot be read changes nothing, and a signal has the next one read.
	if err := os.WriteFile(key, []byte("nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := program.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	log.entry(t, "the certificate could not be read; the one from before stays")
	if n := serialOf(t, url, trust); n != 2 {
		t.Errorf("with a broken file the certificate %d is shown", n)
	}
	writeCertificate(t, folder, 3, trust)
	if err := program.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	eventuallyTrue(t, "the third certificate is shown", func() bool { return serialOf(t, url, trust) == 3 })
	if err := program.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := program.Wait(); err != nil {
		t.Errorf("the server ends with %v: %s", err, log)
	}
}

// eventuallyTrue asks again and again until something is so.
func eventuallyTrue(t *testing.T, what string, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(long); !so(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it never came to pass that %s", what)
		}
	}
}

func TestEncryptionThatMakesNoSenseIsRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	for args, says := range map[string]string{
		"--tls-cert c.pem": "--tls-cert must be given together with --tls-key",
		"--tls-key k.pem":  "--tls-cert must be given together with --tls-key",
		"--tls-cert c.pem --tls-key k.pem --acme-hosts crm.example.com": "must be left out where --acme-hosts is given",
		"--acme-hosts 192.0.2.1":                                              "must be host names",
		"--acme-hosts *.example.com":                                          "must be host names",
		"--redirect-addr :80":                                                 "--redirect-addr needs --origin",
		"--redirect-addr :80 --origin http://x.example":                       "--redirect-addr needs --origin",
		"--redirect-addr :80 --origin https://x.example":                      "--redirect-addr needs --origin",
		"--acme-url http://ca.example/dir --acme-hosts crm.example.com":       "must be an https:// address",
		"--tls-cert c.pem --tls-key k.pem --redirect-addr x --origin https:/": "must be",
	} {
		if code, out, errs := kith(t, append([]string{"serve"}, strings.Fields(args)...)...); code != 2 || out != "" ||
			!strings.Contains(errs, says) {
			t.Errorf("%s: exit code %d, %s", args, code, errs)
		}
	}
	if code, _, errs := kith(t, "serve", "--addr", "127.0.0.1:0", "--tls-cert", "c.pem", "--tls-key", "k.pem"); code != 1 ||
		!strings.Contains(errs, "c.pem") {
		t.Errorf("files that are not there: exit code %d, %s", code, errs)
	}
	if left, err := os.ReadDir("."); err != nil || len(left) > 0 {
		t.Errorf("nonsense left files behind: %v, %v", left, err)
	}
}
