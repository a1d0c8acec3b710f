package store_test

import (
	"testing"

	"github.com/kith-crm/kith/internal/store/storetest"
)

func TestPostgres(t *testing.T)           { conformance(t, newWholePostgres(t)) }
func TestConcurrentPostgres(t *testing.T) { storetest.RunConcurrent(t, opener(newPostgres(t))) }
