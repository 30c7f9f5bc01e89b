package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
)

// TestStubs runs pyright, if installed, on our campaign files with the stubs. It must find no errors in them, and the
// errors in another file.
func TestStubs(t *testing.T) {
	dir := t.TempDir()
	for name, src := range shippedScripts(t) {
		if filepath.Base(filepath.Dir(name)) == "scripts" {
			require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.Base(name)), src, 0o644))
		}
	}
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	write("helper.star", "def helper(case):\n    return case\n")
	write("good.star", `load("@std//oracles.star", slow = "slower")
load("@std//storm.star", "storm")
load("helper.star", "helper")

def flip(case, rng):
    # type: (Case, Rng) -> Case
    t = rng.pick(case.find(op = "ite")) or skip("no ite")
    c, a, b = t.args
    return helper(case).replace(t, smt.ite(smt.not_(c), b, a))

campaign(technique = mix({storm(max_depth = 3): 1, mutate.rounds(flip): 1}), targets = solver.installed(), stop = stop.after("8h"))
`)
	write("bad.star", `load("@std//storm.star", "storm")

def flip(case, rng):
    # type: (Case, Rng) -> Case
    t = rng.pick(case.find(op = "ite")) or skip("no ite")
    return case.replace(t, rng.choice(t.agrs))

campaign(technique = storm(dept = 3), targets = solver.installed())
`)
	code, _, errs := runVerb("stubs", dir)
	require.Equal(t, command.ExitOK, code, errs)
	stubs, err := os.ReadFile(filepath.Join(dir, "__builtins__.pyi"))
	require.NoError(t, err)
	require.Contains(t, string(stubs), `helper: Any  # load("helper.star", "helper")`)
	require.Contains(t, string(stubs), "def skip(reason: str = \"\") -> NoReturn:")
	require.Contains(t, string(stubs), "args: tuple[Term, ...]")
	require.Contains(t, string(stubs), `ORACLES: Any  # load("@std//everything.star", "ORACLES")`, "values of the library, too")
	require.Regexp(t, `def ddmin\(case: _T, .*fails: Callable\[\[_T\], bool\].* -> _T:`, string(stubs))
	if _, err := exec.LookPath("pyright"); err != nil {
		t.Skip("pyright is not installed: pip install pyright")
	}
	pyright := exec.Command("pyright", "flip_ite.star", "quickstart.star", "slow_oracle.star", "custom_reducer.star", "custom_solver.star", "good.star", "bad.star")
	pyright.Dir = dir
	out, _ := pyright.CombinedOutput()
	for _, want := range []string{`bad.star:6:32 - error: Cannot access attribute "choice" for class "Rng"`, `"agrs" for class "Term"`, `bad.star:8:28 - error: No parameter named "dept"`, "3 errors"} {
		require.Contains(t, string(out), want)
	}
}
