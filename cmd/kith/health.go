package main

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"
)

// healthTime is how long a server may take to say how it is. Whoever asks in turns, such as a container, has given up by then.
const healthTime = 5 * time.Second

// isFile is the rule of files that are there.
func isFile(path string) string {
	if info, err := os.Stat(path); err != nil || info.IsDir() {
		return "must be a file that is there"
	}
	return ""
}

// health asks the server of this machine how it is: a container has no other program that could.
func health(ctx context.Context, c *invocation) error {
	c.needsNoDatabase = true
	addr := c.text("addr", defaultAddress, "the address that the server listens on", isAddress)
	cert := c.text("tls-cert", "", "as kith serve has it: where it is given, the server is asked by https", orEmpty(isFile))
	hosts := c.text("acme-hosts", "", "as kith serve has it: where it is given, the server is asked by https", orEmpty(areHosts))
	live := c.flags.Bool("live", false, "ask only whether the server runs (/healthz), not whether it can work (/readyz)")
	c.jsonFlag()
	if err := c.parse(); err != nil {
		return err
	}
	scheme := "http://"
	name := ""
	if *cert != "" || *hosts != "" {
		scheme = "https://"
		name, _, _ = strings.Cut(*hosts, ",")
	}
	path := "/readyz"
	if *live {
		path = "/healthz"
	}
	ctx, cancel := context.WithTimeout(ctx, healthTime)
	defer cancel()
	ask, err := http.NewRequestWithContext(ctx, http.MethodGet, scheme+callable(*addr)+path, nil)
	if err != nil {
		return err
	}
	// It is this machine that is asked, by its number: the certificate is for others, and no proxy is in between.
	asker := http.Client{Transport: &http.Transport{
		DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true, ServerName: name},
	}}
	answer, err := asker.Do(ask)
	if err != nil {
		return fmt.Errorf("the server does not answer: %w", err)
	}
	defer answer.Body.Close()
	var told struct {
		Status json.RawMessage `json:"status"`
		Detail string          `json:"detail"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(nil, answer.Body, 1<<16)).Decode(&told); err != nil {
		return fmt.Errorf("%s%s is not answered as kith does: status %d", callable(*addr), path, answer.StatusCode)
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d: %s", answer.StatusCode, told.Detail)
	}
	return c.print(map[string]string{"status": "ok"}, "ok")
}
