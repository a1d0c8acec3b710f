package store_test

import (
	"testing"

	"kith/internal/crm"
	"kith/internal/store"
)

// Whoever adds a table decides where it lies in a cluster: with its business, or where everybody asks first.
func TestEveryTableHasAPlaceInACluster(t *testing.T) {
	for _, wrong := range store.Misplaced(crm.Registry) {
		t.Error(wrong)
	}
}
