package main

import "context"

func demo(ctx context.Context, c *invocation) error { return nil }
