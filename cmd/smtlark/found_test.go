package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
)

// TestFound runs the command of each row of docs/found.md whose release is installed: each shows a mistake.
func TestFound(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/found/index.json")
	require.NoError(t, err)
	var causes []json.RawMessage
	require.NoError(t, json.Unmarshal(text, &causes))
	commands := 0
	page, err := os.ReadFile("../../docs/found.md")
	require.NoError(t, err)
	for line := range strings.Lines(string(page)) {
		file, ok := strings.CutPrefix(strings.TrimSpace(line), "smtlark check docs/found/")
		if !ok {
			continue
		}
		file, solver, ok := strings.Cut(file, " --solver ")
		require.True(t, ok, line)
		args := []string{"check", filepath.Join("../../docs/found", file)}
		for name := range strings.SplitSeq(solver, " --solver ") {
			args = append(args, "--solver", strings.Trim(name, `"`))
		}
		commands++
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			check := exec.Command(filepath.Join(programs, "smtlark"), args...)
			code, said := runCode(t, check)
			if code == command.ExitSolver {
				t.Skip("not installed: " + solver)
			}
			require.Equal(t, command.ExitFindings, code, said)
		})
	}
	require.Equal(t, len(causes), commands)
}
