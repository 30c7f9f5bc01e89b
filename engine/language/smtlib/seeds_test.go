package smtlib

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/stretchr/testify/require"
)

// seeds returns the seed files by name; the test is skipped where there are none.
func seeds(t testing.TB) []string {
	dir := os.Getenv("SMTLARK_SEEDS")
	if dir == "" {
		t.Skip("SMTLARK_SEEDS names no folder of seeds")
	}
	var files []string
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".smt2") {
			files = append(files, path)
		}
		return err
	})
	require.NoError(t, err)
	require.NotEmpty(t, files)
	if testing.Short() { // a sample of each folder, since they are sorted
		var sample []string
		for i := 0; i < len(files); i += 10 {
			sample = append(sample, files[i])
		}
		files = sample
	}
	return files
}

// sameScript requires that two scripts of one arena have the same commands over the same terms.
func sameScript(t require.TestingT, a *smt.Arena, want, got *Script, text string) {
	require.Len(t, got.Commands, len(want.Commands), text)
	for i := range want.Commands {
		w, g := want.Commands[i], got.Commands[i]
		w.Pos, g.Pos = Pos{}, Pos{}
		require.Equal(t, w, g, text)
		for _, f := range w.Symbols {
			require.NotZero(t, a.SymbolInfo(f).Result)
		}
	}
}

// TestSeedsRoundTrip reads every seed, prints it, and reads that again in the same arena: commands and terms are
// identical.
func TestSeedsRoundTrip(t *testing.T) {
	for _, f := range seeds(t) {
		src, err := os.ReadFile(f)
		require.NoError(t, err)
		a := smt.NewArena()
		s, err := Parse(f, src, a)
		if err != nil {
			t.Error(err)
			continue
		}
		require.Empty(t, s.Notes, f)
		require.NoError(t, s.Legal())
		text := s.Text()
		again, err := Parse("printed", []byte(text), a)
		if err != nil {
			t.Errorf("%s: %v", f, err)
			continue
		}
		require.NoError(t, again.Legal())
		sameScript(t, a, s, again, text)
		require.Equal(t, text, again.Text())
	}
}
