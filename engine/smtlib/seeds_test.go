package smtlib

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smtlark/smtlark/engine/smt"
)

// seeds returns the seed files by name; the test is skipped where there are none.
func seeds(t testing.TB) []string {
	dir := os.Getenv("SMTLARK_SEEDS")
	if dir == "" {
		t.Skip("SMTLARK_SEEDS names no folder of seeds")
	}
	var files []string
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".smt2") {
			files = append(files, path)
		}
		return nil
	})
	return files
}

func TestSeedsParse(t *testing.T) {
	for _, f := range seeds(t) {
		src, _ := os.ReadFile(f)
		s, err := Parse(f, src, smt.NewArena())
		if err != nil {
			t.Error(err)
			continue
		}
		for _, n := range s.Notes {
			t.Log(f, n)
		}
	}
}
