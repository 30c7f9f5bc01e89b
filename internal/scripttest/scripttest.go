// Package scripttest runs pieces of campaign files, for tests of what their authors read.
package scripttest

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	script "github.com/smtlark/smtlark/starlark"
	"github.com/smtlark/smtlark/stdlib"
)

// Run runs the text of a campaign file in a folder of its own, with the library and the solvers of this machine, and returns its
// error.
func Run(t testing.TB, text string) error {
	t.Helper()
	reg, err := script.Registry()
	require.NoError(t, err)
	dir := t.TempDir()
	file := filepath.Join(dir, "t.star")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	in := script.New(script.NewSources(reg, stdlib.FS(), dir), script.Options{Setup: script.Slots})
	_, err = in.Exec(t.Context(), script.Test, file)
	return err
}

// Errors runs texts that fail and looks for what their errors say.
func Errors(t *testing.T, want map[string]string) {
	t.Helper()
	for _, text := range slices.Sorted(maps.Keys(want)) {
		require.ErrorContains(t, Run(t, text), want[text], text)
	}
}
