package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kith-crm/kith/internal/agents"
	"github.com/kith-crm/kith/internal/httpapi"
)

// serveAgent speaks the Model Context Protocol on standard input and output, for programs that start their tools themselves. It
// asks a server, so what it does is limited, logged and mailed by that server, as anything that comes in there.
func serveAgent(ctx context.Context, c *invocation) error {
	c.needsNoDatabase = true
	at := c.text("url", "http://127.0.0.1:8080", "the address of the server", isOrigin)
	token := c.flags.String("token", "", "the personal access token to act with; better in the environment, where other users of the "+
		"machine do not see it")
	if err := c.parse("token"); err != nil {
		return err
	}
	base, err := url.Parse(*at)
	if err != nil {
		return err
	}
	api := remote{base: base, token: *token, client: &http.Client{Timeout: time.Minute}}
	if err := api.greet(ctx); err != nil {
		return err
	}
	server := agents.New(agents.Options{API: api, Version: thisBuild().Version, Failed: func(tool string, reason any, stack []byte) {
		fmt.Fprintf(c.errs, "kith mcp: %s: %v\n%s", tool, reason, stack)
	}})
	err = server.Serve(ctx, &mcp.IOTransport{Reader: os.Stdin, Writer: output{c.out}, MaxLineLength: httpapi.MaxBody})
	if errors.Is(err, context.Canceled) || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// output is where messages go; it is not ours to close.
type output struct{ io.Writer }

func (output) Close() error { return nil }

// remote asks the API of a server.
type remote struct {
	base   *url.URL
	token  string
	client *http.Client
}

// RoundTrip is that of http.RoundTripper.
func (a remote) RoundTrip(r *http.Request) (*http.Response, error) {
	r.URL.Scheme, r.URL.Host, r.Host = a.base.Scheme, a.base.Host, ""
	r.Header.Set("Authorization", "Bearer "+a.token)
	return a.client.Do(r)
}

// greet makes sure that the server is there and knows the token: a program that starts its tools says little of one that does not work.
func (a remote) greet(ctx context.Context) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, a.base.JoinPath("/v1/me").String(), nil)
	if err != nil {
		return err
	}
	r.Header.Set("Version", httpapi.Version)
	res, err := a.RoundTrip(r)
	if err != nil {
		return fmt.Errorf("no server answers at %s: %w", a.base, err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("the server at %s answers %s: is the token right?", a.base, res.Status)
	}
	return nil
}
