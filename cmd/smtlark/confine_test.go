package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/builtins/solving"
	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/confine"
	"github.com/smtlark/smtlark/solvers/process"
	"github.com/smtlark/smtlark/stdlib"
)

// attacks are settings with which solvers write files: %s is the file.
var attacks = []string{
	`(set-option :out "%s")`, `(set-option :err "%s")`, `(set-option :regular-output-channel "%s")`, `(set-option :diagnostic-output-channel "%s")`,
	`(set-option :trace true)(set-option :trace_file_name "%s")`, `(set-option :smtlib2_log "%s")`, `(set-option :sat.drat.file "%s")`,
	`(set-option :solver.proof.log "%s")`, `(set-option :dump-to "%s")`, `(set-option :write-cnf "%s")`, `(set-option :partitions-out "%s")`,
	`(|set-option| :trace true)(|set-option| :trace_file_name "%s")`, `(check-sat-using (using-params sat :drat.file |%s|))`,
	`(apply (then simplify (! sat :drat.file |%s|)))`, `(push 1)(check-sat)(set-option :regular-output-channel "%s")(pop 1)`,
}

const attackedProblem = "(set-logic QF_BV)(declare-const x (_ BitVec 4))(assert (bvult x #x3))(check-sat)"

// precious makes a folder with a file of the user, and returns a check that nothing was changed there.
func precious(t *testing.T) (file string, unharmed func(what string)) {
	t.Helper()
	dir := t.TempDir()
	file = filepath.Join(dir, "precious")
	require.NoError(t, os.WriteFile(file, []byte("KEEP ME"), 0o600))
	return file, func(what string) {
		t.Helper()
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, "KEEP ME", string(text), what)
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		for _, e := range entries {
			require.Equal(t, "precious", e.Name(), what)
		}
	}
}

// everySolver returns the programs of this machine.
func everySolver(t *testing.T) []*solvers.Solver {
	t.Helper()
	found, err := solving.NewSupply(stdlib.FS()).Installed()
	require.NoError(t, err)
	found = slices.DeleteFunc(found, func(s *solvers.Solver) bool { return s.Unusable != "" })
	if len(found) == 0 && os.Getenv("CI") == "true" {
		t.Fatal("no solver is here, and CI=true requires some")
	}
	return found
}

// attack sends an attack to a solver in a mode, past the rules: as what its profile sends ahead of a case.
func attack(t *testing.T, s *solvers.Solver, m solvers.Mode, text string) *solvers.Run {
	t.Helper()
	p, err := solvers.ProfileFromMap(map[string]any{"name": s.Profile.Name, "base": s.Profile.Name, "binaries": s.Profile.Binaries, "preamble": append(slices.Clone(s.Profile.Preamble), text)}, s.Profile)
	require.NoError(t, err)
	bad := &solvers.Solver{Profile: p, Name: s.Name, Path: s.Path, Version: s.Version, Exec: s.Exec, Args: s.Args}
	target := process.New(bad, process.TargetOptions{Mode: m})
	defer target.Close()
	q := &solvers.Query{Commands: []solvers.PrintedCommand{{Text: strings.TrimSuffix(attackedProblem, "(check-sat)")}, {Text: "(check-sat)", Reply: solvers.AnswerReply}}}
	return target.Run(context.Background(), q, solvers.Limits{})
}

// The kernel alone keeps every solver in every mode from writing; without it some of the attacks succeed, so that the
// test can fail.
func TestKernelKeepsSolversFromWriting(t *testing.T) {
	if !strings.HasPrefix(confine.Describe(), "confined: ") {
		t.Skip(confine.Describe())
	}
	all := everySolver(t)
	z3 := slices.IndexFunc(all, func(s *solvers.Solver) bool { return s.Profile.Name == "z3" })
	for i, s := range all {
		if testing.Short() && i != z3 {
			continue // one of all
		}
		for _, m := range s.Modes() {
			file, unharmed := precious(t)
			for _, text := range attacks {
				attack(t, s, m, fmt.Sprintf(text, file))
				unharmed(fmt.Sprintf("%s %s %s", s.Name, m, text))
			}
		}
	}
	if z3 < 0 {
		return
	}
	t.Setenv(confine.Env, string(confine.None))
	file := filepath.Join(t.TempDir(), "precious")
	for _, text := range attacks {
		attack(t, all[z3], solvers.Fresh, fmt.Sprintf(text, file))
	}
	require.FileExists(t, file)
}

// A campaign, the verb check and API walks over seeds that attack leave the user's files alone, with and without the
// help of the kernel, and solvers go on answering.
func TestSeedsWriteNoFiles(t *testing.T) {
	notInGate(t)
	project := fakeProject(t, "c.star", `
def same(seeds, rng):
    return seeds.pick(rng)
campaign(technique = same, seeds = corpus.files("seeds"), targets = solver.installed(modes = ["fresh", "reset", "incremental", "native"]))
`)
	file, unharmed := precious(t)
	require.NoError(t, os.Mkdir(filepath.Join(project, "seeds"), 0o700))
	whole := ""
	for i, text := range attacks {
		text = fmt.Sprintf(text, file) + "\n"
		whole += text
		require.NoError(t, os.WriteFile(filepath.Join(project, "seeds", fmt.Sprintf("%d.smt2", i)), []byte(text+attackedProblem), 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(project, "all.smt2"), []byte(whole+attackedProblem), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(project, "seeds", "include.smt2"), []byte("; a comment\n(include \""+file+"\")\n"+attackedProblem), 0o600))
	installed := everySolver(t)
	if len(installed) == 0 {
		t.Skip("no solver is here")
	}
	for _, protection := range []confine.Protection{confine.Kernel, confine.Rules} {
		smtlark := func(args ...string) (string, int) {
			cmd := smtlarkIn(project, args...)
			cmd.Env = append(cmd.Env, confine.Env+"="+string(protection),
				solvers.EnvSolvers+"="+strings.Join(append(solvers.Unpacked("bin"), solvers.Unpacked("lib")...), string(filepath.ListSeparator)))
			out, _ := cmd.CombinedOutput()
			return string(out), cmd.ProcessState.ExitCode()
		}
		out, code := smtlark("run", "c.star", "--seed", "3", "--cases", "8", "-q", "--fresh", "--out", "out")
		require.Equal(t, command.ExitOK, code, out)
		require.Contains(t, out, "seeds/include.smt2:2:1: include reads another file")
		require.Contains(t, out, "0 new")
		unharmed(string(protection))
		for _, kind := range []string{"z3", "cvc5"} {
			if !slices.ContainsFunc(installed, func(s *solvers.Solver) bool { return s.Profile.Name == kind }) {
				continue
			}
			out, code = smtlark("check", "all.smt2", "--solver", kind)
			require.Equal(t, command.ExitOK, code, out)
			require.Contains(t, out, "sat")
			unharmed("check " + kind)
			for _, given := range []string{`options = {"out": %q}`, `args = ["--out=%s"]`, `args = ["--regular-output-ch=%s"]`, `options = {"Trace_File_Name": %q}`} {
				text := fmt.Sprintf("campaign(technique = lambda seeds, rng: seeds.pick(rng), targets = [\n  solver(%q, "+given+")])", kind, file)
				require.NoError(t, os.WriteFile(filepath.Join(project, "given.star"), []byte(text), 0o600))
				out, code = smtlark("run", "given.star", "--cases", "1", "--out", "out2")
				require.Equal(t, command.ExitScript, code, out)
				require.Contains(t, out, "given.star:2:9: ")
				require.Contains(t, out, "--unsafe-solver lets them")
				unharmed(given)
			}
		}
	}
}

// Solvers of the user's own that are scripts, and that need a folder for temporary files, work.
func TestScriptsWorkConfined(t *testing.T) {
	bin := t.TempDir()
	for name, text := range map[string]string{
		"shell": "#!/bin/sh\nif [ \"$1\" = --version ]; then echo 1.0; exit; fi\nx=$(mktemp) && echo sat > \"$x\" && cat \"$x\" 2>/dev/null\n",
		"python": "#!/usr/bin/env python3\nimport sys, tempfile, subprocess\nif sys.argv[1] == '--version':\n    print('1.0')\nelse:\n" +
			"    with tempfile.NamedTemporaryFile('w') as f:\n        f.write('sat')\n        f.flush()\n        print(subprocess.run(['cat', f.name], capture_output = True, text = True).stdout)\n",
	} {
		path := filepath.Join(bin, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o755))
		p, err := solvers.ProfileFromMap(map[string]any{"name": name, "binaries": []string{path}, "version_args": []string{"--version"}, "version": "([0-9.]+)", "modes": []string{"fresh"}})
		require.NoError(t, err)
		found := solvers.Discover([]*solvers.Profile{p}, nil)
		require.Len(t, found, 1)
		if name == "python" && strings.Contains(found[0].Unusable, "python3") {
			continue
		}
		require.Empty(t, found[0].Unusable)
		target := process.New(found[0], process.TargetOptions{})
		q := &solvers.Query{Commands: []solvers.PrintedCommand{{Text: "(check-sat)", Reply: solvers.AnswerReply}}}
		run := target.Run(context.Background(), q, solvers.Limits{})
		require.NoError(t, target.Close())
		require.Equal(t, "sat", run.Answer().String(), "%s: %+v", name, run)
	}
}
