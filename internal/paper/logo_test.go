package paper_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/paper"
)

// painted is a picture: red on the left, clear on the right.
func painted(wide, high int) *image.NRGBA {
	p := image.NewNRGBA(image.Rect(0, 0, wide, high))
	for y := range high {
		for x := range wide / 2 {
			p.Set(x, y, color.NRGBA{200, 30, 40, 255})
		}
	}
	return p
}

func asPNG(t testing.TB, p image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, p); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestLogosAreMadeAnew(t *testing.T) {
	var photo bytes.Buffer
	if err := jpeg.Encode(&photo, painted(1200, 600), nil); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		sent       []byte
		wide, high int
	}{
		"small": {asPNG(t, painted(40, 20)), 40, 20}, "one point": {asPNG(t, painted(1, 1)), 1, 1},
		"wide": {asPNG(t, painted(3600, 100)), 900, 25}, "high": {asPNG(t, painted(100, 3300)), 10, 330},
		"grey": {asPNG(t, image.NewGray16(image.Rect(0, 0, 500, 400))), 412, 330}, "JPEG": {photo.Bytes(), 660, 330},
		"thin":                 {asPNG(t, painted(8000, 2)), 900, 1},
		"with words behind it": {append(asPNG(t, painted(40, 20)), "<script>alert(1)</script>"...), 40, 20},
	} {
		clean, wrong := paper.Logo(c.sent)
		if wrong != "" {
			t.Errorf("%s %s", name, wrong)
			continue
		}
		p, err := png.Decode(bytes.NewReader(clean))
		if err != nil || p.Bounds().Dx() != c.wide || p.Bounds().Dy() != c.high || bytes.Contains(clean, []byte("script")) {
			t.Errorf("%s is %v, %v", name, p.Bounds(), err)
			continue
		}
		if name == "wide" {
			r, _, _, a := p.At(10, 10).RGBA()
			if _, _, _, clear := p.At(890, 10).RGBA(); r>>8 != 200 || a>>8 != 255 || clear != 0 {
				t.Errorf("its colours are others: %d %d %d", r>>8, a>>8, clear)
			}
		}
		q := sample("en", 1)
		q.Logo = clean
		draw(t, q)
	}
}

// header is the beginning of a PNG that claims a size.
func header(wide, high uint32) []byte {
	chunk := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32([]byte("IHDR"), wide), high)
	chunk = append(chunk, 8, 6, 0, 0, 0)
	out := binary.BigEndian.AppendUint32([]byte("\x89PNG\r\n\x1a\n"), 13)
	return binary.BigEndian.AppendUint32(append(out, chunk...), crc32.ChecksumIEEE(chunk))
}

func TestHostileLogosAreRefused(t *testing.T) {
	var moving bytes.Buffer
	if err := gif.Encode(&moving, painted(10, 10), nil); err != nil {
		t.Fatal(err)
	}
	good := asPNG(t, painted(40, 20))
	for name, sent := range map[string][]byte{
		"nothing": nil, "text": []byte("hello"), "SVG": []byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`), "GIF": moving.Bytes(),
		"half a picture": good[:len(good)-20], "a claim of much": header(1<<31-1, 1<<31-1),
		"many points": header(4096, 4096), "a long side": header(100_000, 1), "no points": header(0, 10),
		"only a beginning": header(10, 10), "many bytes": append(good, make([]byte, paper.LogoBytes)...),
	} {
		if clean, wrong := paper.Logo(sent); wrong == "" || clean != nil || !strings.HasPrefix(wrong, "must ") {
			t.Errorf("%s is taken: %q", name, wrong)
		}
	}
	// Whatever is broken in a picture, it is refused or made anew.
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		sent := bytes.Clone(good)
		for range 1 + random.IntN(4) {
			sent[random.IntN(len(sent))] ^= byte(1 << random.IntN(8))
		}
		if clean, wrong := paper.Logo(sent); wrong == "" {
			if _, err := png.Decode(bytes.NewReader(clean)); err != nil {
				t.Fatal(err)
			}
		}
	}
}
