package main

import "context"

// scrub writes the database anew. What was erased is out of reach already, but bytes of it may lie in parts of the files that nothing uses.
func scrub(ctx context.Context, c *invocation) error {
	c.jsonFlag()
	if err := c.parse(); err != nil {
		return err
	}
	engine, err := c.open(ctx)
	if err != nil {
		return err
	}
	s := engine.Store()
	if err := s.Tidy(ctx); err != nil {
		return err
	}
	if err := s.Scrub(ctx); err != nil {
		return err
	}
	return c.print(map[string]bool{"scrubbed": true}, "The database was written anew.")
}
