// Package web is the app as browsers get it. It is made from the TypeScript in web/app by make web, and kept beside it, so that
// building kith needs Go alone.
package web

import "embed"

// Files are what the build made: dist/index.html, and dist/assets, whose names change with their content.
//
//go:embed dist
var Files embed.FS
