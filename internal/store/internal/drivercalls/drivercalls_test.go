package drivercalls_test

import (
	"os"
	"strings"
	"testing"

	"github.com/kith-crm/kith/internal/store/internal/drivercalls"
)

// The translation of SQLite works with the one release of its C library that it was made with, which the driver's go.mod names. Another
// module may ask for a newer one.
func TestTheLibraryIsTheDriversOwn(t *testing.T) {
	module, err := os.ReadFile(drivercalls.GoList(t, "-m", "-f", "{{.GoMod}}", "modernc.org/sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	const library = "modernc.org/libc"
	has := drivercalls.GoList(t, "-m", "-f", "{{.Version}}", library)
	if !strings.Contains(string(module), "\t"+library+" "+has+"\n") {
		t.Errorf("go.mod has %s %s, and the driver was made with another:\n%s", library, has, module)
	}
}
