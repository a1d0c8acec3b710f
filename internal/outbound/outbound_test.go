package outbound_test

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/kith-crm/kith/internal/outbound"
)

func TestPublicAddresses(t *testing.T) {
	for address, public := range map[string]bool{
		"93.184.215.14": true, "2606:2800:21f:cb07::1": true, "::ffff:93.184.215.14": true,
		"127.0.0.1": false, "127.8.8.8": false, "0.0.0.0": false, "0.1.2.3": false, "10.1.2.3": false, "172.16.0.1": false,
		"172.31.255.255": false, "192.168.1.1": false,
		"169.254.169.254": false, "100.64.0.1": false, "192.0.0.8": false, "192.0.2.1": false, "198.18.0.1": false, "198.51.100.1": false,
		"203.0.113.9": false,
		"224.0.0.1":   false, "240.0.0.1": false, "255.255.255.255": false,
		"::": false, "::1": false, "::127.0.0.1": false, "::ffff:127.0.0.1": false, "::ffff:10.0.0.1": false, "fe80::1": false,
		"fe80::1%eth0": false, "fc00::1": false, "fd12::1": false,
		"ff02::1": false, "64:ff9b::7f00:1": false, "2002:7f00:1::": false, "2001:db8::1": false, "2001::1": false, "fec0::1": false,
	} {
		if got := outbound.Public(netip.MustParseAddr(address)); got != public {
			t.Errorf("%s: public %v, want %v", address, got, public)
		}
	}
}

// However a private address is spelled, or hidden behind a name, nothing is connected to.
func TestCallsToPrivateAddressesAreRefused(t *testing.T) {
	asked := 0
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer inside.Close()
	_, port, _ := net.SplitHostPort(inside.Listener.Addr().String())
	client := outbound.Client(outbound.Options{Timeout: 10 * time.Second})
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0.0.0.0"} {
		answer, err := client.Get("http://" + host + ":" + port + "/")
		if err == nil {
			answer.Body.Close()
		}
		if !errors.Is(err, outbound.ErrPrivate) && host != "localhost" || err == nil {
			t.Errorf("%s: %v, want it refused", host, err)
		}
	}
	if asked > 0 {
		t.Errorf("the server inside was asked %d times", asked)
	}
	answer, err := outbound.Client(outbound.Options{Private: true, Timeout: 10 * time.Second}).Get(inside.URL)
	if err != nil || asked != 1 {
		t.Fatalf("where the operator allows it: %v, asked %d times", err, asked)
	}
	answer.Body.Close()
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		http.Redirect(w, r, "/elsewhere", http.StatusFound)
	}))
	defer server.Close()
	answer, err := outbound.Client(outbound.Options{Private: true, Timeout: 10 * time.Second}).Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusFound || asked != 1 {
		t.Errorf("answered %d after %d requests", answer.StatusCode, asked)
	}
}

func TestReadStopsAtTheBound(t *testing.T) {
	if text, err := outbound.Read(strings.NewReader("12345"), 5); err != nil || string(text) != "12345" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := outbound.Read(strings.NewReader("123456"), 5); !errors.Is(err, outbound.ErrTooLarge) {
		t.Errorf("%v, want ErrTooLarge", err)
	}
}
