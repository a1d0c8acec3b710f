package paper

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
	_ "image/jpeg" // which a logo may be
	"image/png"
)

// Bounds of a logo: what may be sent, and what becomes of it. The paper has room for 60 by 22 mm, at some 380 points to the inch.
const (
	LogoBytes  = 600 << 10
	logoPixels = 4 << 20
	logoSide   = 8192
	logoAcross = 900
	logoDown   = 330
)

// Logo makes a picture that was sent a PNG of no more points than can be seen on paper, with nothing else in it, or says what is wrong.
func Logo(sent []byte) (clean []byte, wrong string) {
	if len(sent) > LogoBytes {
		return nil, fmt.Sprintf("must be a picture of at most %d KB", LogoBytes>>10)
	}
	// How large it is stands at its beginning, and is known before anything is unpacked.
	config, format, err := image.DecodeConfig(bytes.NewReader(sent))
	if err != nil || format != "png" && format != "jpeg" || config.Width < 1 || config.Height < 1 {
		return nil, "must be a picture that can be read, as PNG or JPEG"
	}
	if config.Width > logoSide || config.Height > logoSide || config.Width*config.Height > logoPixels {
		return nil, fmt.Sprintf("must have at most %d million points, and %d on a side", logoPixels>>20, logoSide)
	}
	picture, _, err := image.Decode(bytes.NewReader(sent))
	if err != nil {
		return nil, "must be a picture that can be read to its end, as PNG or JPEG"
	}
	var out bytes.Buffer
	if err := png.Encode(&out, shrunk(picture)); err != nil {
		return nil, "must be a picture that can be read, as PNG or JPEG"
	}
	return out.Bytes(), ""
}

// shrunk is a picture within the bounds of a logo: each point is the mean of those that it stands for.
func shrunk(picture image.Image) *image.NRGBA {
	from := image.NewRGBA(image.Rect(0, 0, picture.Bounds().Dx(), picture.Bounds().Dy()))
	draw.Draw(from, from.Bounds(), picture, picture.Bounds().Min, draw.Src)
	wide, high := from.Rect.Dx(), from.Rect.Dy()
	across, down := wide, high
	if scale := min(float64(logoAcross)/float64(wide), float64(logoDown)/float64(high)); scale < 1 {
		across, down = max(1, int(float64(wide)*scale)), max(1, int(float64(high)*scale))
	}
	small := image.NewRGBA(image.Rect(0, 0, across, down))
	for y := range down {
		top, bottom := y*high/down, max((y+1)*high/down, y*high/down+1)
		for x := range across {
			left, right := x*wide/across, max((x+1)*wide/across, x*wide/across+1)
			var sum [4]int
			for v := top; v < bottom; v++ {
				for row := from.Pix[v*from.Stride+left*4 : v*from.Stride+right*4]; len(row) > 0; row = row[4:] {
					for i := range sum {
						sum[i] += int(row[i])
					}
				}
			}
			for i := range sum {
				small.Pix[y*small.Stride+x*4+i] = uint8(sum[i] / ((bottom - top) * (right - left)))
			}
		}
	}
	clean := image.NewNRGBA(small.Rect)
	draw.Draw(clean, clean.Rect, small, image.Point{}, draw.Src)
	return clean
}
