package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
)

// TestFound checks each case of docs/found with the solvers of its row, if they are installed: each shows a mistake.
func TestFound(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/found/index.json")
	require.NoError(t, err)
	var causes []struct {
		Number  int
		Solvers []string
	}
	require.NoError(t, json.Unmarshal(text, &causes))
	for _, cause := range causes {
		file := fmt.Sprintf("%03d.smt2", cause.Number)
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			args := []string{"check", filepath.Join("../../docs/found", file)}
			for _, name := range cause.Solvers {
				args = append(args, "--solver", name)
			}
			code, said := runCode(t, exec.Command(filepath.Join(programs, "smtlark"), args...))
			if code == command.ExitSolver {
				t.Skipf("not installed: %q", cause.Solvers)
			}
			require.Equal(t, command.ExitFindings, code, said)
		})
	}
}
