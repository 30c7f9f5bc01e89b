package unchanged_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/process"
	"github.com/smtlark/smtlark/engine/campaign/worker"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/internal/fakesolver"
	"github.com/smtlark/smtlark/solvers/tracetext"
	"github.com/smtlark/smtlark/starlark/host"
)

var update = flag.Bool("update", false, "write the hashes as they are now to testdata: cases, reduced cases or verdicts are meant to change")

// workerEnv makes the test binary a worker of a campaign.
const workerEnv = "SMTLARK_TEST_WORKER"

// TestMain lets the test binary serve as the solver, as a worker, and as the test.
func TestMain(m *testing.M) {
	fakesolver.MaybeRun()
	if os.Getenv(workerEnv) == "" {
		os.Exit(m.Run())
	}
	if err := worker.Work(context.Background(), os.Stdin, os.Stdout, host.Load, process.InheritedNumber(), func() { os.Exit(70) }); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(70)
	}
	os.Exit(0)
}

// isolate hides the solvers and the caches of the machine, and returns what defines solver profiles in a campaign file
// whose program is the test binary.
func isolate(t *testing.T) (head string) {
	t.Helper()
	executable, err := os.Executable()
	require.NoError(t, err)
	t.Setenv("PATH", t.TempDir())
	t.Setenv("SMTLARK_SOLVERS", "")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	return fmt.Sprintf(`
# It is newer than all releases, so that rules about old ones leave nothing out.
def fake(name, base = "generic", args = []):
    return solver.profile(
        name = name, base = base, binaries = [%q], version_args = ["--version=99.0"], version = "version (\\S+)", args = args, env = [%q],
        modes = ["fresh", "reset"], has_reset = True, continues_after_error = True, multiline_tokens = True, session_args = [], build_args = [],
    )
`, executable, fakesolver.EnvRun+"=1")
}

// folder returns a folder with the seeds that a campaign file given as text may read.
func folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(dir, "seeds"), os.DirFS(filepath.Join("testdata", "seeds"))))
	return dir
}

// load runs a campaign file given as text.
func load(t *testing.T, dir, text string) *campaign.Plan {
	t.Helper()
	plan, err := host.Load(context.Background(), "unchanged.star", finding.Inputs{Seed: 1, Text: text, Dir: dir}, func(string) {})
	require.NoError(t, err)
	t.Cleanup(func() {
		for _, target := range plan.Targets {
			_ = target.Close()
		}
		if plan.Close != nil {
			_ = plan.Close()
		}
	})
	return plan
}

// hashOf is a short hash of everything of a case that solvers, oracles and reducers see.
func hashOf(c *testcase.Case) string {
	h := fnv.New32a()
	fmt.Fprintln(h, c.Identity(), c.Expect, c.Origin.Steps, c.Origin.Seeds)
	if trace := c.LiveTrace(); trace != nil {
		h.Write([]byte(tracetext.Text(trace)))
	}
	sum := h.Sum32()
	return fmt.Sprintf("%04x", uint16(sum>>16)^uint16(sum))
}

// perLine is how many hashes stand in a line of the files.
const perLine = 20

// hashes is a file of testdata: lines of a name, the number of the first case of the line, and a hash for each case.
type hashes struct {
	text  bytes.Buffer
	count int
}

// begin starts a series.
func (f *hashes) begin(name string) {
	f.count = 0
	if f.text.Len() > 0 {
		f.text.WriteByte('\n')
	}
	fmt.Fprintf(&f.text, "\n%s", name)
}

// add adds the hash of the next case of the series.
func (f *hashes) add(hash string) {
	if f.count%perLine == 0 {
		fmt.Fprintf(&f.text, "\n%6d:", f.count)
	}
	f.count++
	f.text.WriteString(" " + hash)
}

// check compares the added lines with a file of testdata; with -update, it writes the file.
func (f *hashes) check(t *testing.T, file string) {
	t.Helper()
	file = filepath.Join("testdata", file)
	got := strings.TrimPrefix(f.text.String(), "\n") + "\n"
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
		return
	}
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	want := strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
	series := ""
	for i, line := range strings.Split(got, "\n") {
		if line != "" && line[0] != ' ' {
			series = line
		}
		if i >= len(want) || line != want[i] {
			old := "nothing"
			if i < len(want) {
				old = want[i]
			}
			t.Fatalf("%s is not what it was. First in this line:\n now %s\nwas %s\nIf this is meant, go test ./internal/unchanged -update takes the new hashes, and the commit says why they changed.", series, line, old)
		}
	}
	require.Equal(t, string(text), got)
}

// technique is the technique that makes the cases.
type technique struct {
	name  string
	expr  string // of a campaign file
	load  string // the modules that it needs
	cases int
}

var techniques = []technique{
	{"storm", "storm()", `load("@std//storm.star", "storm")`, 240},
	{"storm_tool", "storm_tool()", `load("@std//storm.star", "storm_tool")`, 120},
	{"fusion", "semantic_fusion()", `load("@std//fusion.star", "semantic_fusion")`, 240},
	{"fusion without proofs", "semantic_fusion(verify = False)", `load("@std//fusion.star", "semantic_fusion")`, 120},
	{"opfuzz", "opfuzz()", `load("@std//opfuzz.star", "opfuzz")`, 240},
	{"typefuzz", "typefuzz()", `load("@std//typefuzz.star", "typefuzz")`, 240},
	{"weaken", "weaken()", `load("@std//weaken.star", "weaken")`, 240},
	{"rewrite", "rewrite()", `load("@std//rewrite.star", "rewrite")`, 240},
	{"skeleton", "skeleton()", `load("@std//skeleton.star", "skeleton")`, 240},
	{"reassembly", "reassembly()", `load("@std//reassembly.star", "reassembly")`, 240},
	{"octopus", "octopus()", `load("@std//octopus.star", "octopus")`, 120},
	{"once4all", "once4all()", `load("@std//once4all.star", "once4all")`, 120},
	{"horn", "horn()", `load("@std//horn.star", "horn")`, 60},
	{"ask", "ask()", `load("@std//ask.star", "ask")`, 120},
	{"grammar", "grammar()", `load("@std//grammar.star", "grammar")`, 240},
	{"options of z3", "options(by = solver(fake(\"z3_like\", base = \"z3\")))", `load("@std//options.star", "options")`, 100},
	{"probe", "probe()", `load("@std//probe.star", "probe")`, 200},
	{"walk", "api.fuzz(smtlib_api())", `load("@std//smtlib_api.star", "smtlib_api")`, 300},
	{"walk with quantifiers", "api.fuzz(smtlib_api(quantifiers = True, higher_order = True))", `load("@std//smtlib_api.star", "smtlib_api")`, 100},
	{"walk of one theory", "api.fuzz(smtlib_api(theories = [\"BV\", \"Array\", \"UF\"], max_width = 200), truth = \"sat\")", `load("@std//smtlib_api.star", "smtlib_api")`, 100},
	{"mix", "mix({storm(): 2, opfuzz(): 1, semantic_fusion(): 1}, adapt = True)", `load("@std//storm.star", "storm")
load("@std//opfuzz.star", "opfuzz")
load("@std//fusion.star", "semantic_fusion")`, 60},
}

// profiles are the kinds of solvers whose rules cases of API fuzzing keep to.
var profiles = []string{"z3", "cvc5", "bitwuzla", "boolector", "yices2"}

func TestCasesAreWhatTheyWere(t *testing.T) {
	head, dir := isolate(t), folder(t)
	all := techniques
	for _, kind := range profiles {
		all = append(all, technique{"walk for " + kind, "api.fuzz(smtlib_api(), options = True, expert = True)", `load("@std//smtlib_api.star", "smtlib_api")`, 100},
			technique{"probe for " + kind, "probe()", `load("@std//probe.star", "probe")`, 60})
	}
	var file hashes
	for _, tech := range all {
		base := "generic"
		if _, kind, ok := strings.Cut(tech.name, " for "); ok {
			base = kind
		}
		text := tech.load + head + fmt.Sprintf(`
campaign(technique = %s, seeds = corpus.files("seeds"), targets = [solver(fake("like_%s", base = %q), mode = "reset")])
`, tech.expr, base, base)
		plan := load(t, dir, text)
		file.begin(tech.name)
		made := 0
		for n := range uint64(tech.cases) {
			c, err := plan.Technique.Make(context.Background(), n, rng.New(1).Split(n))
			if errors.Is(err, campaign.ErrSkip) {
				file.add("skip")
				continue
			}
			require.NoError(t, err, "%s, case %d", tech.name, n)
			made++
			file.add(hashOf(c))
		}
		require.Greater(t, made, tech.cases/3, "%s: most cases are skipped", tech.name)
	}
	file.check(t, "cases.txt")
}
