package main

import (
	"context"
	"runtime"
	"runtime/debug"
)

// build is which program this is.
type build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// thisBuild reads what the go command noted in the program when it was built.
func thisBuild() build {
	b := build{Version: "(unknown)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

func version(_ context.Context, c *invocation) error {
	c.needsNoDatabase = true
	c.jsonFlag()
	if err := c.parse(); err != nil {
		return err
	}
	b := thisBuild()
	lines := []string{"kith " + b.Version + ", " + b.Go + ", " + b.Platform}
	if b.Commit != "" {
		commit := "commit " + b.Commit
		if b.Modified {
			commit += ", with changes"
		}
		lines = append(lines, commit)
	}
	return c.print(b, lines...)
}
