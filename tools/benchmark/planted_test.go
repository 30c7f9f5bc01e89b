package benchmark

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// defectsOfTools are the defects that tools/planted.sh builds.
const defectsOfTools = "../planted"

func TestEachSolverHasItsDefects(t *testing.T) {
	defects, err := ReadDefects(defectsOfTools)
	require.NoError(t, err)
	count := map[string]int{}
	for _, d := range defects {
		count[d.Solver]++
		require.Equal(t, count[d.Solver], d.Number, "numbers go up by one")
		switches := 0
		for _, e := range d.Edits {
			switches += strings.Count(strings.ReplaceAll(e.New, " ", ""), fmt.Sprintf("planted(%d)", d.Number))
			require.NotContains(t, e.Old, "planted", d.Name())
		}
		require.NotZero(t, switches, "%s has no switch of its number", d.Name())
	}
	require.Equal(t, map[string]int{"boolector": 20, "bitwuzla": 20, "opensmt": 12}, count)
}

// TestWitnessesExpectTheRightAnswers asks another solver about the witnesses whose theories it supports.
func TestWitnessesExpectTheRightAnswers(t *testing.T) {
	z3, err := exec.LookPath("z3")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("z3 is missing")
		}
		t.Skip("z3 is missing")
	}
	defects, err := ReadDefects(defectsOfTools)
	require.NoError(t, err)
	answers := func(text string) (found []string) {
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line == "sat" || line == "unsat" {
				found = append(found, line)
			}
		}
		return found
	}
	asked := 0
	for _, d := range defects {
		cmd := exec.Command(z3, "-in", "-T:20")
		cmd.Stdin = strings.NewReader(strings.ReplaceAll(d.Witness, "(set-option :incremental true)", ""))
		output, _ := cmd.CombinedOutput()
		if strings.Contains(string(output), "(error") { // an operator that it does not have
			continue
		}
		asked++
		require.Equal(t, answers(d.Expected), answers(string(output)), d.Name())
	}
	require.Greater(t, asked, 30)
}

func TestAnEditMustFit(t *testing.T) {
	sources := t.TempDir()
	file := filepath.Join(sources, "a.c")
	d := &Defect{Solver: "s", Number: 3, Edits: []sourceEdit{{File: "a.c", Old: "x = 1;\n", New: "x = planted (3) ? 2 : 1;\n"}}}
	require.NoError(t, os.WriteFile(file, []byte("y = 1;\nx = 1;\n"), 0o600))
	require.NoError(t, d.Plant(sources))
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "y = 1;\nx = planted (3) ? 2 : 1;\n", string(text))

	require.ErrorContains(t, d.Plant(sources), "s-03: "+file+" has what the edit replaces 0 times, want once")
	require.NoError(t, os.WriteFile(file, []byte("x = 1;\nx = 1;\n"), 0o600))
	require.ErrorContains(t, d.Plant(sources), "2 times")
}

// TestPatchOfADefect: the lines that an edit changes, without those that it leaves.
func TestPatchOfADefect(t *testing.T) {
	sources := t.TempDir()
	source, file := filepath.Join(sources, "a.c"), filepath.Join(sources, "patch")
	d := &Defect{Solver: "s", Number: 3, Edits: []sourceEdit{{File: "a.c", Old: "x = 1;\ny = 1;\nz = 1;\n", New: "x = 1;\nif (planted (3))\n  y = 2;\nz = 1;\n"}}}
	require.NoError(t, os.WriteFile(source, []byte("w = 1;\nx = 1;\ny = 1;\nz = 1;\n"), 0o600))
	require.ErrorContains(t, d.writePatch(sources, file), "a.c does not have the edit")
	require.NoError(t, d.Plant(sources))
	require.NoError(t, d.writePatch(sources, file))
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "diff --git a/a.c b/a.c\n--- a/a.c\n+++ b/a.c\n@@ -3,1 +3,2 @@\n-y = 1;\n+if (planted (3))\n+  y = 2;\n", string(text))
}

func TestDefectFilesWithMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"no kind":                              "KIND: SUMMARY",
		"crash: x\n-- other --\n":              "part other",
		"crash: x\n-- edit a.c --\nx\n":        "the edit of a.c",
		"crash: x\n-- witness.smt2 --\n(exit)": "want at least one edit",
	} {
		_, err := readDefect([]byte(text))
		require.ErrorContains(t, err, want, text)
	}
	_, err := ReadDefects(t.TempDir())
	require.ErrorContains(t, err, "tools/planted.sh")
}

// TestCPUOfFamily checks the CPU time of a process and its children, including those that have ended.
func TestCPUOfFamily(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("no /proc here")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", `sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'; while :; do :; done`)
	require.NoError(t, cmd.Start())
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	f := &family{leader: cmd.Process.Pid, sessions: map[int]bool{}}
	require.Eventually(t, func() bool { return f.look() > 0.3 }, time.Minute, 10*time.Millisecond)
}
