package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/judge/oracle"
)

// frontCampaign has a real solver behind a front that injects a fault of each kind, a case each, and the same solver
// without one beside it.
const frontCampaign = `
KIND = setting("kind", "")
FRONT = setting("front", "")
REAL = setting("real", "")
MODE = setting("mode", "")
ARGUMENT = setting("argument", "")
OPTION = setting("option", "")
CROSS = setting("cross", False)
CAN_CORES = MODE == "native" or KIND != "boolector"
CAN_PUSH = CAN_CORES

front = solver(KIND, path = FRONT, mode = MODE, name = "front", options = {OPTION: 7} if OPTION else {})
real = solver(KIND, path = REAL, mode = MODE, name = "real")

# The faults that a C library can have, by the width that asks for them: testdata/faulty.c.
WIDTHS = {
    "segv": 51, "abort/plain": 52, "wrong": 53, "model": 54, "values": 55, "core": 56, "unknown": 57,
    "armed": 58, "abort/history@armed": 59, "abort/second": 60,
}

def ask(fault):
    """Commands that ask for a fault at the next check."""
    if MODE == "native":
        return "(declare-const fault (_ BitVec %d))(assert (= fault fault))" % WIDTHS[fault]
    return "(set-info :source |armed|)" if fault == "armed" else "(set-info :fault %s)" % fault

def vectors(fault, asserted):
    """A case with a fault, None where a target in this mode cannot have it."""
    if MODE == "native" and fault not in WIDTHS:
        return None
    return smt.case("(set-logic QF_BV)(declare-const a (_ BitVec 8))(declare-const b (_ BitVec 8))%s%s(check-sat)" % (asserted, ask(fault)))

# The front dies at the third of these only where the first one went before it in the process.
HISTORY = [
    vectors("armed", "(assert (= a #x01))"),
    smt.case("(set-logic QF_BV)(declare-const a (_ BitVec 8))(assert (= a #x02))(check-sat)"),
    vectors("abort/history@armed", "(assert (= a (bvadd b #x03)))"),
]

SAT = "(assert (= a #x04))(assert (bvult b (bvmul a #x02)))"
UNSAT = "(assert (bvult a b))(assert (bvult b a))(assert (= (bvand a b) #x04))"

KNOWN = vectors("wrong", "(assert (= (bvudiv a #x02) b))(assert (= a #x04))")

CASES = [c for c in [
    vectors("abort/plain", SAT),
    vectors("abort/argument@%s" % ARGUMENT, "(assert (= (bvor a b) #x05))"),
    vectors("abort/option@%s" % OPTION, "(assert (= (bvxor a b) #x05))"),
    vectors("segv", "(assert (= (bvmul a b) #x05))"),
    vectors("fatal", "(assert (= (bvadd a b) #x05))"),
    vectors("exit139", "(assert (= (bvsub a b) #x05))"),
    vectors("abort-after", "(assert (= (bvshl a b) #x06))"),
    vectors("abort-at-reset/behind", "(assert (= (bvlshr a b) #x06))"),
    KNOWN.with_answer("sat", witness = smt.model(KNOWN, dict(zip(KNOWN.constants, [4, 2, 0])))),
    vectors("wrong", UNSAT).with_answer("unsat"),
    vectors("wrong", "(assert (= (bvurem a #x05) b))(assert (= a #x07))"),
    vectors("model", SAT),
    vectors("values", "(assert (= (bvnot a) #x04))"),
    vectors("unknown", SAT),
] if c]
CORES = [vectors("core", "(assert (= a #x04))(assert (= (bvnot a) b))(assert (= b #x04))")]
LATER = [smt.case("(set-logic QF_BV)(declare-const a (_ BitVec 8))(assert (= a #x01))(check-sat)(push 1)(assert (bvult a #x04))%s(check-sat)(pop 1)" % ask("abort/second"))]

def technique(_seeds, rng):
    if CROSS:
        return [CASES[0], CASES[8], CASES[10]][rng.turn % 3]
    history = HISTORY if MODE != "fresh" else []
    more = (CORES if CAN_CORES else []) + (LATER if CAN_PUSH else [])
    cases = history + CASES + more
    return cases[rng.turn % len(cases)]

def undecided(_case, runs):
    if runs[0].answer == "unknown":
        return oracle.bug("undecided", "%s does not know" % runs[0].target, target = runs[0], group = "g")
    return None

campaign(
    technique = technique, seeds = corpus.texts(["(check-sat)"]),
    targets = solver.cross([front, real, solver(KIND, path = REAL, mode = MODE, name = "another")]) if CROSS else [front, real],
    oracles = [oracle.crash(), oracle.known_answer(), oracle.agree(), oracle.model(), oracle.values(probability = 1), oracle.cores(probability = 1), undecided],
    reduce = False, confirm = 1, reduce_references = False, full_timeout = True,
)
`

// theirArguments are arguments that smtlark gives solvers in a mode: a fault shows only with them. Empty: there are
// none.
var theirArguments = map[string]map[string]string{
	"z3":     {"reset": "-in", "incremental": "-in"},
	"cvc4":   {"fresh": "--lang=smt2", "reset": "--lang=smt2", "incremental": "--incremental"},
	"cvc5":   {"fresh": "--strings-exp", "reset": "--strings-exp", "incremental": "--incremental"},
	"yices2": {"fresh": "--smt2-model-format", "reset": "--interactive", "incremental": "--incremental"},
}

// theirOptions are options that solvers have: a fault shows only with them.
var theirOptions = map[string]string{
	"z3": "smt.random_seed", "cvc5": "seed", "cvc4": "random-seed", "bitwuzla": "seed", "boolector": "seed", "yices2": "random-seed",
}

// front writes a program that starts a real solver behind a front, in the way of the start scripts of make solvers.
func front(t *testing.T, dir, name, real string) string {
	t.Helper()
	path := filepath.Join(dir, "fronts", name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	command := strconv.Quote(filepath.Join(dir, "bin", "fakesolver")) + " " + strconv.Quote("--front="+real)
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\nexec "+command+" \"$@\"\n"), 0o755))
	return path
}

// TestEveryKindReplaysBehindFronts provokes every kind of finding with every solver of this machine. The solver's own
// program, arguments and start script run; a front in between injects a fault into its output. Each finding is replayed
// by repro.sh, by the command of its page and by smtlark repro. Each solver takes its turn in one mode; SMTLARK_DEEP=1:
// in all of its modes.
func TestEveryKindReplaysBehindFronts(t *testing.T) {
	t.Parallel()
	dir := fakeProject(t, "fronts.star", frontCampaign)
	unpackedSolvers(t, dir)
	list := smtlarkIn(dir, "solvers", "--json")
	text, err := list.Output()
	require.NoError(t, err)
	var found []struct {
		Name, Kind, Version, Path, Unusable string
		Modes                               []string
	}
	require.NoError(t, json.Unmarshal(text, &found))
	solvers := 0
	for _, s := range found {
		if s.Unusable != "" || theirOptions[s.Kind] == "" || s.Modes[0] == "native" {
			continue
		}
		if solvers++; solvers > 1 && testing.Short() {
			break // one of all
		}
		crossed := solvers == 1 || os.Getenv("SMTLARK_DEEP") != ""
		program := front(t, dir, s.Name, s.Path)
		modes := s.Modes
		if os.Getenv("SMTLARK_DEEP") == "" {
			modes = modes[solvers%len(modes):][:1]
		}
		for _, mode := range modes {
			t.Run(s.Name+" "+mode, func(t *testing.T) {
				t.Parallel()
				out := filepath.Join(dir, "out "+s.Name+" "+mode)
				run := func(out string, more ...string) (int, string) {
					args := []string{"run", "fronts.star", "--seed", "1", "-j", "1", "-q", "--out", out}
					for name, value := range map[string]string{
						"kind": s.Kind, "front": program, "real": s.Path, "mode": mode, "argument": theirArguments[s.Kind][mode], "option": theirOptions[s.Kind],
					} {
						args = append(args, "--set", name+"="+value)
					}
					return runCode(t, smtlarkIn(dir, append(args, more...)...))
				}
				code, said := run(out, "--cases", "19")
				require.Equal(t, command.ExitFindings, code, said)
				kinds := replayAll(t, dir, out, 1)
				want := map[string]int{
					oracle.KindCrash: 7, oracle.KindKnownAnswer: 1, oracle.KindAssumedAnswer: 1, oracle.KindDisagreement: 1, oracle.KindInvalidModel: 1,
					oracle.KindInvalidValue: 1, "undecided": 1, "flaky": 0,
				}
				if mode != "fresh" { // one at the reset after a case, one that needs an earlier case
					want[oracle.KindCrash] += 2
				}
				if s.Kind != "boolector" { // one core, and one failure at the second check-sat
					want[oracle.KindInvalidCore] = 1
					want[oracle.KindCrash]++
				}
				require.Equal(t, want, kinds, said)
				t.Log(fmt.Sprint(kinds))
				for kind, says := range map[string]string{"-sat-vs-": "but the input is satisfiable", "-undecided-": s.Version + "; build id "} {
					pages, _ := filepath.Glob(filepath.Join(out, "findings", "*"+kind+"*", "README.md"))
					require.Len(t, pages, 1)
					page, err := os.ReadFile(pages[0])
					require.NoError(t, err)
					require.Contains(t, string(page), says)
				}
				if crossed {
					code, said = run(out+" cross", "--cases", "3", "--set", "cross=True")
					require.Equal(t, command.ExitFindings, code, said)
					kinds = replayEverything(t, dir, out+" cross")
					require.Positive(t, kinds[oracle.KindCrash], said)
					require.Positive(t, kinds[oracle.KindExpectation], said)
				}
			})
		}
	}
	if solvers == 0 {
		require.NotEqual(t, "true", os.Getenv("CI"), "solvers are required in CI")
		t.Skip("there is no solver on this machine")
	}
}

// numbers are those of processes and addresses.
var numbers = regexp.MustCompile(`==\d+==|0x[0-9a-f]+`)

// shownCommand runs the command shown on the page of a finding, and requires the output shown there.
func shownCommand(t *testing.T, dir, folder string) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(folder, "README.md"))
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(page), "\n$ ")
	if !ok { // smtlark alone can judge it
		return
	}
	shown, _, _ := strings.Cut(rest, "\n```")
	lines := strings.Split(shown, "\n")
	command := smtlarkIn(dir)
	command.Path, command.Args, command.Dir = "/bin/sh", []string{"sh", "-c", "timeout 20 " + lines[0]}, folder
	if strings.Contains(lines[0], "=") && !strings.HasPrefix(lines[0], "/") { // settings of the environment come before the program
		command.Args[2] = "timeout 20 env " + lines[0]
	}
	code, said := runCode(t, command)
	require.NotEqual(t, 127, code, said)
	said = numbers.ReplaceAllString(said, "*")
	for _, line := range lines[1:] {
		if line = strings.TrimSpace(line); line != "..." && line != "--- stderr" && !strings.HasPrefix(line, "[") {
			require.Contains(t, said, numbers.ReplaceAllString(line, "*"), "of %s in %s", lines[0], folder)
		}
	}
}
