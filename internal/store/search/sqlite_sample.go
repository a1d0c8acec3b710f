package search

import (
	"cmp"
	"math/bits"
	"slices"
	"time"

	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store/internal/room"
)

// SQLite's text index intersects lists of the records that have a trigram, and a list takes time in proportion to its length. Of the
// trigrams of a search a few rare ones narrow as well as all; which are rare in a business, a sample of its records tells. A poor sample
// costs time and nothing else, because every candidate is tested against the whole condition. Looking for a part of an address is 2.4
// times as fast for it, for two words 1.2 times.
const (
	sampleSize = 256
	// sampleBuckets is how many trigrams are told apart; those that share a bucket count as more frequent than they are.
	sampleBuckets = 8192
	// sampleText is how much of a long document is looked at.
	sampleText = 2048
	// sampleAge is how long a sample serves.
	sampleAge = time.Hour
	// mostSamples bounds the memory, a quarter of a megabyte each; past it all are forgotten.
	mostSamples = 32
	// commonTrigram is how many records of a sample may have a trigram that is looked for without need.
	commonTrigram = sampleSize / 32
)

// recordSet marks records of a sample.
type recordSet [sampleSize / 64]uint64

// everyRecord has them all.
var everyRecord = func() (all recordSet) {
	for i := range all {
		all[i] = ^uint64(0)
	}
	return all
}()

func (s recordSet) and(o recordSet) recordSet {
	for i := range s {
		s[i] &= o[i]
	}
	return s
}

func (s recordSet) size() (n int) {
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// sample says which of some records have which trigrams.
type sample struct {
	have [sampleBuckets]recordSet
}

func trigramBucket(a, b, c rune) int {
	h := (uint32(a)*0x9e3779b1+uint32(b))*0x85ebca77 + uint32(c)
	return int((h ^ h>>15) * 0x9e3779b1 >> 19)
}

func (s *sample) add(record int, doc string) {
	var a, b rune
	seen := 0
	for at, c := range doc {
		if at > sampleText {
			return
		}
		if seen >= 2 {
			s.have[trigramBucket(a, b, c)][record/64] |= 1 << (record % 64)
		}
		a, b, seen = b, c, seen+1
	}
}

// narrow chooses the trigrams of needles to look for, the rarest first.
func (s *sample) narrow(needles []string) []string {
	type candidate struct {
		text string
		in   recordSet
		size int
	}
	var all []candidate
	for _, needle := range needles {
		runes := []rune(needle)
		for i := 0; i+3 <= len(runes); i++ {
			text := string(runes[i : i+3])
			if slices.ContainsFunc(all, func(c candidate) bool { return c.text == text }) {
				continue
			}
			in := s.have[trigramBucket(runes[i], runes[i+1], runes[i+2])]
			all = append(all, candidate{text, in, in.size()})
		}
	}
	left := everyRecord
	var chosen []string
	for len(all) > 0 && len(chosen) < maxNeedles {
		best := 0
		for i, c := range all {
			if cmp.Or(cmp.Compare(left.and(c.in).size(), left.and(all[best].in).size()), cmp.Compare(c.size, all[best].size)) < 0 {
				best = i
			}
		}
		narrowed := left.and(all[best].in)
		if len(chosen) > 0 && narrowed == left && (len(chosen) > 1 || all[best].size > commonTrigram) {
			break
		}
		left = narrowed
		chosen = append(chosen, all[best].text)
		all = slices.Delete(all, best, best+1)
	}
	return chosen
}

// share is the part of all records that have the trigrams, about: at least half of one of the sample, because what it does not have is rare
// and not impossible.
func (s *sample) share(trigrams []string) float64 {
	left := everyRecord
	for _, t := range trigrams {
		runes := []rune(t)
		left = left.and(s.have[trigramBucket(runes[0], runes[1], runes[2])])
	}
	return max(float64(left.size()), 0.5) / sampleSize
}

// found is what was found out by looking at some records of a business, and when and of how many.
type found[T any] struct {
	taken time.Time
	count int64
	what  T
}

// memory remembers what was found out of large businesses, up to a number of them.
type memory[T any] struct {
	room.Memory[sampleKey, found[T]]
}

func newMemory[T any](most int) memory[T] {
	return memory[T]{room.Memory[sampleKey, found[T]]{Most: most}}
}

type sampleKey struct {
	business schema.UUID
	table    string
}

// recall gives what is known, or what find finds out. It is found out anew after an hour, and when the business has twice as many records.
func (m *memory[T]) recall(key sampleKey, count int64, find func() (T, error)) (T, error) {
	if known, ok := m.Load(key); ok && time.Since(known.taken) < sampleAge && count < 2*known.count {
		return known.what, nil
	}
	what, err := find()
	if err == nil {
		m.Store(key, found[T]{time.Now(), count, what})
	}
	return what, err
}
