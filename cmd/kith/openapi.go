package main

import (
	"context"
	"fmt"

	"github.com/kith-crm/kith/internal/httpapi"
)

func printDocument(_ context.Context, c *invocation) error {
	c.needsNoDatabase = true
	origin := c.text("origin", "", "the address that clients reach the server as, such as https://crm.example.com; relative to the "+
		"document when empty", orEmpty(isOrigin))
	if err := c.parse(); err != nil {
		return err
	}
	text, err := httpapi.New(nil, httpapi.Options{}).Document(*origin, nil)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.out, "%s\n", text)
	return err
}
