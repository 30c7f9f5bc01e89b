// Package scripttest runs pieces of campaign files, for tests of the messages that their authors read.
package scripttest

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"

	script "github.com/smtlark/smtlark/starlark"
	"github.com/smtlark/smtlark/stdlib"
)

// Run runs the text of a campaign file in a folder of its own, with the library and the solvers of this machine, and
// returns its error.
func Run(t testing.TB, text string) error {
	t.Helper()
	reg, err := script.Registry()
	require.NoError(t, err)
	dir := t.TempDir()
	file := filepath.Join(dir, "t.star")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	in := script.New(script.NewSources(reg, stdlib.FS(), dir), script.InterpreterOptions{Setup: script.Slots})
	_, err = in.Exec(t.Context(), script.Test, file)
	return err
}

// Message is an expression that fails, and what its error says.
type Message = [2]string

// Messages runs failing expressions after a common beginning, all in one file, and checks their error messages. Each
// problem must be reported once, and the error of a file must name the place of the call.
func Messages(t *testing.T, beginning string, rows []Message) {
	t.Helper()
	text := beginning + "\nwrong = []\ndef look(expr, says, message):\n    if not message or says not in message:\n        wrong.append(\"%s: %s, want %s\" % (expr, message, says))\n"
	for _, row := range rows {
		require.NotEmpty(t, row[1], row[0])
		text += fmt.Sprintf("look(%s, %s, error_of(lambda: %s))\n", starlark.String(row[0]), starlark.String(row[1]), row[0])
	}
	if _, err := exec.LookPath("z3"); err != nil && strings.Contains(text, `solver("z3")`) {
		require.Empty(t, os.Getenv("CI"), "%v", err)
		t.Skip(err)
	}
	require.NoError(t, Run(t, text+"expect(wrong == [], \"\\n\".join(wrong))\n"))
	place := fmt.Sprintf("t.star:%d:", strings.Count(beginning, "\n")+2)
	for _, row := range rows[:1] {
		err := Run(t, beginning+"\n"+row[0]+"\n")
		require.ErrorContains(t, err, row[1])
		require.ErrorContains(t, err, place)
		require.Equal(t, 1, strings.Count(err.Error(), row[1]), "%v", err)
	}
}

// Errors runs failing texts and checks their error messages.
func Errors(t *testing.T, want map[string]string) {
	t.Helper()
	for _, text := range slices.Sorted(maps.Keys(want)) {
		require.ErrorContains(t, Run(t, text), want[text], text)
	}
}

// Files runs the test_* functions of all campaign files in the folder testdata, each on modules that ran afresh.
func Files(t *testing.T) {
	t.Helper()
	reg, err := script.Registry()
	require.NoError(t, err)
	dir, err := filepath.Abs("testdata")
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(dir, "*.star"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		ran := 0
		err := script.RunTests(t.Context(), script.NewSources(reg, stdlib.FS(), dir), script.InterpreterOptions{Setup: script.Slots}, file, nil, func(r script.TestResult) {
			ran++
			t.Run(strings.TrimSuffix(filepath.Base(file), ".star")+"/"+r.Name, func(t *testing.T) {
				require.NoError(t, r.Err)
				if r.IsSkip {
					require.Empty(t, os.Getenv("CI"), r.Skipped)
					t.Skip(r.Skipped)
				}
			})
		})
		require.NoError(t, err)
		require.Positive(t, ran, file)
	}
}
