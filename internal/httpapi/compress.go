package httpapi

import (
	"bytes"
	"compress/gzip"
	"strconv"
	"strings"
	"sync"
)

// leastCompressed is how large an answer must be to be compressed for those who ask for it. A smaller one fits into one or two
// packets anyway.
const leastCompressed = 2 << 10

// compressors are gzip writers. Each is some hundred kilobytes large, so they are used again, and nobody keeps one while a client reads.
var compressors = sync.Pool{New: func() any {
	w, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	if err != nil {
		panic(err) // it fails only for a level that does not exist
	}
	return w
}}

// compress appends the gzip form of an answer to dst.
func compress(dst, text []byte) []byte {
	w := compressors.Get().(*gzip.Writer)
	defer compressors.Put(w)
	out := bytes.NewBuffer(dst)
	w.Reset(out)
	// Writing to a buffer does not fail.
	_, _ = w.Write(text)
	_ = w.Close()
	w.Reset(nil)
	return out.Bytes()
}

// acceptsGzip reads Accept-Encoding: whether gzip is named, by itself or by a star, and not refused nor liked less than the plain form.
func acceptsGzip(values []string) bool {
	if len(values) == 1 && values[0] == "gzip" {
		return true
	}
	gzipped, star, plain := -1.0, -1.0, 0.0
	for _, value := range values {
		for _, item := range strings.Split(value, ",") {
			name, parameters, _ := strings.Cut(item, ";")
			weight := weightOf(parameters)
			switch strings.ToLower(strings.TrimSpace(name)) {
			case "gzip", "x-gzip":
				gzipped = max(gzipped, weight)
			case "*":
				star = weight
			case "identity":
				plain = weight
			}
		}
	}
	if gzipped < 0 {
		gzipped = star
	}
	return gzipped > 0 && gzipped >= plain
}

// weightOf reads the q of a list item: 1 where there is none, 0 where it cannot be read.
func weightOf(parameters string) float64 {
	for _, p := range strings.Split(parameters, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(p), "=")
		if strings.EqualFold(strings.TrimSpace(name), "q") {
			weight, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil || weight < 0 || weight > 1 {
				return 0
			}
			return weight
		}
	}
	return 1
}
