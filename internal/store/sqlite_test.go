package store_test

import (
	"testing"

	"kith/internal/store"
	"kith/internal/store/storetest"
)

func TestSQLite(t *testing.T)           { conformance(t, newSQLite(t)) }
func TestConcurrentSQLite(t *testing.T) { storetest.RunConcurrent(t, opener(newSQLite(t))) }

// conformance runs the suite twice on one database: as usual, and so that every business counts as large.
func conformance(t *testing.T, url string) {
	t.Run("usual", func(t *testing.T) { storetest.Run(t, opener(url)) })
	t.Run("large", func(t *testing.T) {
		storetest.Run(t, func(tb testing.TB) *store.Store {
			s := open(tb, url)
			s.SetWindow(1)
			return s
		})
	})
}

func opener(url string) storetest.Open {
	return func(tb testing.TB) *store.Store { return open(tb, url) }
}
