package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/solvers/trust"
)

const identityCampaign = `
def fake(name):
    return solver.profile(
        name = name, binaries = ["fakesolver"], version_args = ["--version"], version = "version (\\S+)", modes = ["fresh"],
        has_reset = True, continues_after_error = True, multiline_tokens = True,
    )

def technique(seeds, rng):
    """Depends on nothing but the model of the seed."""
    model = seeds.pick(rng).model()
    n = len(model.text) if model else 0
    return smt.case("(set-logic QF_LIA)(declare-const x Int)(assert (> x %d))(check-sat)" % n)

def odd(case, runs):
    """Everything is."""
    return oracle.bug("odd", "everything is odd", target = runs[0].target)

campaign(technique = technique, seeds = corpus.files("seeds"), targets = solver(fake("fake")), oracles = [odd], reduce = False)
`

// A case that was made with a model of its seed is made with it again, on a machine whose solver finds another one;
// without it that is an error and not another case.
func TestACaseIsTheSameElsewhere(t *testing.T) {
	dir := fakeProject(t, "identity.star", identityCampaign)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "seeds"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "seeds", "s.smt2"), []byte("(set-logic QF_LIA)\n(declare-const x Int)\n(assert (> x 3))\n(check-sat)\n"), 0o644))
	here, elsewhere := t.TempDir(), t.TempDir()
	call := func(cache string, args ...string) (code int, out string) {
		cmd := smtlarkIn(dir, args...)
		cmd.Env = append(cmd.Env, "XDG_CACHE_HOME="+cache, trust.Env+"="+dir)
		text, _ := cmd.CombinedOutput()
		return cmd.ProcessState.ExitCode(), string(text)
	}
	code, out := call(here, "run", "identity.star", "--seed", "5", "--cases", "3", "-q")
	require.Equal(t, command.ExitFindings, code, out)
	folders, err := filepath.Glob(filepath.Join(dir, "findings", "0*"))
	require.NoError(t, err)
	require.Len(t, folders, 1, out)
	page, err := os.ReadFile(filepath.Join(folders[0], "README.md"))
	require.NoError(t, err)
	line := regexp.MustCompile("`smtlark (run identity.star --seed 0x5 --case \\d+ --expect [0-9a-f.]+)` makes the case again").FindStringSubmatch(string(page))
	require.NotNil(t, line, string(page))
	answers := regexp.MustCompile("elsewhere, `(--answers \\S*answers.json)`").FindStringSubmatch(string(page))
	require.NotNil(t, answers, string(page))
	again := append(strings.Fields(line[1]), "--print")

	code, first := call(here, again...)
	require.Equal(t, command.ExitOK, code, first)
	require.Contains(t, first, "; made with the model of seeds/s.smt2 by fake-1.2.3")

	// The other machine's solver says something else.
	models, err := filepath.Glob(filepath.Join(here, "smtlark", "found", "*"))
	require.NoError(t, err)
	require.NotEmpty(t, models)
	other := filepath.Join(elsewhere, "smtlark", "found")
	require.NoError(t, os.MkdirAll(other, 0o755))
	for _, m := range models {
		require.NoError(t, os.WriteFile(filepath.Join(other, filepath.Base(m)), []byte("((define-fun x () Int 4711))\n"), 0o644))
	}
	code, out = call(elsewhere, again...)
	require.Equal(t, command.ExitUsage, code, out)
	require.Contains(t, out, "is not the case that was recorded")
	require.Contains(t, out, "it was made with another model: here there is the model of seeds/s.smt2 by fake-1.2.3; --answers FILE takes those that were recorded")
	code, out = call(elsewhere, strings.Fields(line[1])...)
	require.Equal(t, command.ExitUsage, code, "so it is where the case is run")
	require.Contains(t, out, "is not the case that was recorded")
	plain := strings.Fields(regexp.MustCompile(` --expect \S+`).ReplaceAllString(line[1], ""))
	code, out = call(elsewhere, append(plain, "--print")...)
	require.Equal(t, command.ExitUsage, code, "and where nothing is expected, but the case is a finding here")
	require.Contains(t, out, "is a finding here that was made with another model of seeds/s.smt2 by fake-1.2.3; --answers FILE")
	code, out = call(elsewhere, append(plain, "--out", t.TempDir(), "-q")...) // where nothing is recorded
	require.Equal(t, command.ExitUsage, code, out)
	code, printed := call(elsewhere, append(plain, "--out", t.TempDir(), "--print")...)
	require.Equal(t, command.ExitOK, code, printed)
	require.Regexp(t, `note: this case rests on the model of seeds/s.smt2 by fake-1.2.3, so another machine may make another one; --expect [0-9a-f.]+ names it`, printed)
	mine := regexp.MustCompile(`rests on the model of seeds/s.smt2 by fake-1.2.3: other solvers make another case of it, so say which one is meant. (--expect [0-9a-f.]+) is`).FindStringSubmatch(out)
	require.NotNil(t, mine, out)
	code, out = call(elsewhere, append(plain, strings.Fields(mine[1])...)...)
	require.NotEqual(t, command.ExitUsage, code, out)
	code, out = call(here, append(plain, "--print")...)
	require.Equal(t, command.ExitOK, code, "the folder has a record of it: "+out)
	code, out = call(elsewhere, append(again, strings.Fields(answers[1])...)...)
	require.Equal(t, command.ExitOK, code, out)
	require.Equal(t, first, out)

	// An error about such a case names it.
	failing := strings.Replace(identityCampaign, `return oracle.bug("odd", "everything is odd", target = runs[0].target)`, "fail(\"no\")", 1)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "failing.star"), []byte(failing), 0o644))
	code, out = call(here, "run", "failing.star", "--seed", "5", "--cases", "3", "-q", "--out", t.TempDir())
	require.Equal(t, command.ExitScript, code, out)
	line = regexp.MustCompile(`replay: smtlark (run failing.star --seed 0x5 --case \d+ --expect [0-9a-f.]+)\n`).FindStringSubmatch(out)
	require.NotNil(t, line, out)
	code, out = call(here, append(strings.Fields(line[1]), "--out", t.TempDir())...)
	require.Equal(t, command.ExitScript, code, "the same error: "+out)

	// Where the campaign file was edited, answers do not help.
	text := strings.Replace(identityCampaign, "(> x %d)", "(< x %d)", 1)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "identity.star"), []byte(text), 0o644))
	code, out = call(here, again...)
	require.Equal(t, command.ExitUsage, code, out)
	require.Contains(t, out, "the campaign file, a module that it loads, a seed, a setting or smtlark itself is another one")
}

// A module that was edited makes another campaign, as an edited campaign file does.
func TestAnEditedModuleIsAnotherCampaign(t *testing.T) {
	dir := fakeProject(t, "c.star", `
load("lib/part.star", "text")

def technique(_seeds, _rng):
    return smt.case(text())

campaign(technique = technique, targets = solver(solver.profile(name = "fake", binaries = ["fakesolver"], version_args = ["--version"], version = "version (\\S+)", modes = ["fresh"])))
`)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "lib"), 0o755))
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "lib", name), []byte(text), 0o644))
	}
	write("part.star", "load(\"deep.star\", \"TEXT\")\n\ndef text():\n    return TEXT\n")
	write("deep.star", "TEXT = \"(assert true)(check-sat)\"\n")
	run := func(cases string) string {
		cmd := smtlarkIn(dir, "run", "c.star", "--cases", cases, "-q")
		cmd.Env = append(cmd.Env, trust.Env+"="+dir)
		out, _ := cmd.CombinedOutput()
		return string(out)
	}
	require.NotContains(t, run("3"), "goes on")
	require.Contains(t, run("5"), "goes on at case 3 of seed")
	write("deep.star", "TEXT = \"(assert false)(check-sat)\"\n")
	out := run("4")
	require.Regexp(t, `//lib/deep.star changed since the last run, which had come to case 5 of seed 0x[0-9a-f]+: this is another campaign, and begins with case 0`, out)
	require.Contains(t, out, "c: 4 cases")
	write("deep.star", "TEXT = \"(assert true)(check-sat)\"\n")
	require.Contains(t, run("6"), "goes on at case 5 of seed", "back to what it was")
}
