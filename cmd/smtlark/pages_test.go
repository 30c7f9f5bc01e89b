package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/stdlib"
)

// shownLine is a command line that a page shows; block is false for one inside a sentence, which may leave arguments
// out.
type shownLine struct {
	page, text string
	block      bool
}

var (
	inSentence = regexp.MustCompile("`((?:bin/)?smtlark\\s[^`]*)`")
	fences     = regexp.MustCompile("(?s)```.*?```")
	columns    = regexp.MustCompile(`\s{3,}`)
	comment    = regexp.MustCompile(`\s+#.*`)
	quoted     = regexp.MustCompile(`"[^"]*"`)
	ofSmtlark  = regexp.MustCompile(`^(bin/)?smtlark [a-z<]`)
)

// shownLines returns the command lines of smtlark that our pages show.
func shownLines(t *testing.T) (out []shownLine) {
	t.Helper()
	pages, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	for _, page := range append([]string{"../../README.md", "../../CONTRIBUTING.md"}, pages...) {
		name := filepath.Base(page)
		if name == "reference.md" {
			continue
		}
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		fence, fenced := "", false
		joined := strings.ReplaceAll(string(text), "\\\n", " ") // a command that goes on in the next line
		for _, line := range strings.Split(joined, "\n") {
			if rest, ok := strings.CutPrefix(line, "```"); ok {
				fence, fenced = rest, !fenced
				continue
			}
			if fenced && fence != "sh" && fence != "" || !fenced && !strings.HasPrefix(line, "    ") {
				continue
			}
			for _, part := range columns.Split(strings.TrimSpace(line), -1) {
				if part = comment.ReplaceAllString(part, ""); ofSmtlark.MatchString(part) {
					out = append(out, shownLine{name, strings.TrimPrefix(part, "bin/"), true})
				}
			}
		}
		for _, m := range inSentence.FindAllStringSubmatch(fences.ReplaceAllString(string(text), ""), -1) {
			line := strings.Join(strings.Fields(m[1]), " ")
			out = append(out, shownLine{name, strings.TrimPrefix(line, "bin/"), false})
		}
	}
	return out
}

// TestShownCommandsExist holds the verbs, words and flags of each command line that a page shows against what there is.
func TestShownCommandsExist(t *testing.T) {
	flag := regexp.MustCompile(`^-{1,2}[a-z][a-z-]*`)
	lines := shownLines(t)
	require.Greater(t, len(lines), 150)
	for _, l := range lines {
		words := strings.Fields(quoted.ReplaceAllString(l.text, "QUOTED"))[1:]
		if words[0] == "version" || words[0] == "help" {
			continue
		}
		ask := []string{words[0]}
		if words[0] == "fuzz" && len(words) > 1 && regexp.MustCompile(`^[a-z_]+$`).MatchString(words[1]) {
			ask = append(ask, words[1])
		}
		code, help, said := runVerb(append(ask, "--help")...)
		require.Equal(t, command.ExitOK, code, "%s: %s\n%s", l.page, l.text, said)
		for _, w := range words[1:] {
			if w == "--" { // the words of another program
				break
			}
			if f := flag.FindString(strings.Trim(w, "[]")); f != "" && f != "--help" {
				require.Regexp(t, `(^|[\s,])`+regexp.QuoteMeta(f)+`[\s,\]=]`, help, "%s: %s", l.page, l.text)
			}
		}
	}
}

// stoodFor is what stands for the names in command lines of a page, and for times that would be long.
var stoodFor = []struct{ shown, given string }{
	{`--for \d+[smh]`, `--cases 2 -j 1`}, {`IN\.trace OUT\.trace`, `walk.trace less.trace`}, {`\[-j N\] \[--cases 2 -j 1\]`, `--for 2s`},
	{`trace (\w+) FILE`, `trace $1 walk.trace`}, {`\bFILE --trust`, `campaign.star --trust --cases 2 -j 1`}, {`/NAME/TIME[12]`, `/campaign/latest`},
	{`my/benchmarks|path/to/benchmarks`, `seeds`}, {`~/fuzzing`, `more`}, {`z3 --solver cvc5$`, `z3 --solver cvc5 --cases 2 -j 1`}, {`cvc5-1\.3\.2`, `z3`}, {`z3=/builds/debug/z3`, `z3:reset`},
	{`( reduce .*) --cases 2 -j 1`, `$1`}, {`( settle.*) --cases 2 -j 1`, `$1 --for 2s -j 1`}, {` > findings\.sarif`, ``}, {`findings --out found`, `findings --out out`}, {`report out/runs/storm/latest`, `report out/runs/kinds/latest`}, {`--count 5`, `--count 1`},
	{`eval FILE .*`, `eval formula.smt2 --model model.smt2 -t x`}, {`check FILE --solver NAME`, `check formula.smt2 --solver z3`},
	{`\.star --cases 2`, `.star --cases 3`}, {`-- \./solver --flag`, `-- ./predicate`}, {`completion bash.*`, `completion bash`},
	{`(law discover .*?) --cases 2 -j 1.*`, `$1 --for 2s`}, {`law check found\.star`, `law check my_laws.star`}, {`law check$`, `law check --law bv.xor_self`}, {`law check --theory core`, `law check --theory core --law core.not_not`},
}

// notRun are command lines of blocks that are not run here, and why.
var notRun = map[string]string{
	"found.md":   "TestFound runs them",
	"cluster.md": "they speak of other machines; the scripts cluster, cluster_restart and cluster_status run these verbs",
	"smtlark run my.star --cluster=192.0.2.7:4222": "it listens at an address of the reader's",
	"performance.md": "they measure for minutes, with seeds and peers that are not there",
	"coverage.md":    "they need a solver built with AFL++; the script coverage runs these verbs",
	"smtlark fuzz api --solver bitwuzla --native --options --for 1h":            "learning what a library takes is a test of its own",
	"smtlark run mix.star --seed 0x5 --case 300 --weights 131,403,466,64,64,64": "the mixture is no file of ours",
}

// inCI are the kinds of solvers that make setup installs. Commands of pages that name others are run where these are.
var inCI = []string{"z3", "cvc5"}

// missingSolver matches the error of a command that names a solver, or its library, that is missing on this machine.
var missingSolver = regexp.MustCompile(`no usable (?:C library of )?([a-z0-9]+) on this machine`)

// TestShownCommands runs each command line in the code blocks of the pages, with short times, in a folder with the
// files that it needs, as a reader would type it.
func TestShownCommands(t *testing.T) {
	t.Parallel()
	dir := fakeProject(t, "kinds.star", kindsCampaign)
	unpackedSolvers(t, dir)
	write := func(name, text string, mode os.FileMode) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), mode))
	}
	for _, name := range []string{"qf_lia_ite_chain", "qf_ax_store", "qf_s_concat", "qf_uf_adder"} {
		seed, err := fs.ReadFile(stdlib.FS(), "seeds/"+name+".smt2")
		require.NoError(t, err)
		write("seeds/"+name+".smt2", string(seed), 0o644)
	}
	quick, err := os.ReadFile("../../scripts/quickstart.star")
	require.NoError(t, err)
	write("scripts/quickstart.star", string(quick), 0o644)
	write("campaign.star", strings.Replace(string(quick), "solver.installed()", "solver(\"z3\")", 1), 0o644)
	const formula = "(set-logic QF_LIA)\n(declare-const x Int)\n(declare-const y Int)\n(assert (> x 3))\n(assert (< y x))\n(check-sat)\n"
	for _, name := range []string{"formula", "big", "in"} {
		write(name+".smt2", formula, 0o644)
	}
	for _, name := range []string{"query", "queries/one"} {
		write(name+".smtml", "(let-const x int)\n(assert (int.gt x 3))\n(check-sat)\n", 0o644)
	}
	write("model.json", `{"model": {"x": {"ty": "int", "value": 4}}}`, 0o644)
	write("my_passes.star", "fewer = reduce.new_pass(\"fewer\", lambda case: [case.with_asserts(case.asserts[:1])])\n", 0o644)
	write("model.smt2", "((define-fun x () Int 4) (define-fun y () Int 0))", 0o644)
	write("mine.star", "def holds(case, runs):\n    return runs[0].answer == \"sat\"\n", 0o644)
	write("predicate", "#!/bin/sh\necho bug\ngrep -q '> x 3' \"$1\"\n", 0o755)
	page, err := os.ReadFile("../../docs/fusion.md")
	require.NoError(t, err)
	write("my_operators.star", pythonBlock.FindStringSubmatch(string(page))[1], 0o644)
	page, err = os.ReadFile("../../docs/laws.md")
	require.NoError(t, err)
	write("my_laws.star", pythonBlock.FindStringSubmatch(string(page))[1], 0o644)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "more"), 0o755))
	run := func(line string) (int, string) {
		cmd := smtlarkIn(dir)
		cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", "exec " + filepath.Join(dir, "smtlark") + strings.TrimPrefix(line, "smtlark")}
		cmd.Env = append(cmd.Env, "XDG_CONFIG_HOME="+filepath.Join(dir, ".config"), "HOME="+dir)
		return runCode(t, cmd)
	}
	if _, err := exec.LookPath("z3"); err != nil {
		require.NotEqual(t, "true", os.Getenv("CI"), "solvers are required in CI")
		t.Skip(err)
	}
	for _, setup := range []string{
		"smtlark run kinds.star --seed 1 --cases 14 -q -j 1", "smtlark run kinds.star --seed 1 --cases 2 -q -j 1 --out out",
		"smtlark trace print seeds/qf_lia_ite_chain.smt2 > walk.trace",
	} {
		code, said := run(setup)
		require.True(t, code == command.ExitOK || code == command.ExitFindings, said)
	}
	for _, l := range shownLines(t) {
		if testing.Short() && l.page != "README.md" {
			continue // one of all pages
		}
		if !l.block || notRun[l.page] != "" || notRun[l.text] != "" || strings.HasPrefix(l.text, "smtlark serve") || strings.Contains(l.text, "--fetch") { // which needs the network
			continue
		}
		if strings.Contains(l.text, "--on-finding") || strings.Contains(l.text, "$SMTLARK_") { // scripts of a reader: they send mail
			continue
		}
		line := l.text
		for _, s := range stoodFor {
			line = regexp.MustCompile(s.shown).ReplaceAllString(line, s.given)
		}
		code, said := run(line)
		missing := missingSolver.FindStringSubmatch(said)
		required := os.Getenv("CI") == "true" && (missing == nil || slices.Contains(inCI, missing[1]))
		if (code == command.ExitSolver || missing != nil) && !required {
			continue
		}
		require.True(t, slices.Contains([]int{command.ExitOK, command.ExitFindings, command.ExitFlaky}, code), "%s: %s\nas %s ends with %d\n%s", l.page, l.text, line, code, said)
	}
}
