package web

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A build that is older than its sources would be what people get. Building it takes Node; to see that it is old does not.
func TestTheBuildIsOfItsSources(t *testing.T) {
	var names []string
	err := filepath.WalkDir("app", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if !d.IsDir() {
			names = append(names, filepath.ToSlash(strings.TrimPrefix(name, "app"+string(filepath.Separator))))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	sum := sha256.New()
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join("app", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		sum.Write([]byte(name + "\x00"))
		sum.Write(text)
		sum.Write([]byte{0})
	}
	kept, err := Files.ReadFile("dist/sources.sha256")
	if err != nil {
		t.Fatal(err)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != strings.TrimSpace(string(kept)) {
		t.Errorf("web/dist was built from other sources than those in web/app: run make web\nsources %s\nbuild   %s", got, kept)
	}
}
