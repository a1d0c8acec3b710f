// Package web is the app as browsers get it. It is made from the TypeScript in web/app by make web, and kept beside it, so that
// building kith needs Go alone.
package web

import "embed"

// Fonts and Tokens are the faces of the app's font, and the sizes, space and colours that its look is made of. The server's own
// pages have them, too.
var (
	//go:embed app/src/ui/fonts.css
	Fonts string
	//go:embed app/src/ui/tokens.css
	Tokens string
)

// Files are what the build made: dist/index.html, and dist/assets, whose names change with their content.
//
//go:embed dist
var Files embed.FS
