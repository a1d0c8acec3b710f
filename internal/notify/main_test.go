package notify_test

import (
	"os"
	"testing"

	"github.com/kith-crm/kith/internal/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }
