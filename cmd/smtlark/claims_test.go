package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/judge/oracle"
)

// claimsCampaign has a solver that gives a wrong reply to each question of a case.
const claimsCampaign = `
PROGRAM = setting("program", "fakesolver")
DECLARED = "(declare-const x Int)(declare-const y Int)(declare-const p Bool)"

NAMED = DECLARED + "(assert (! (> x y) :named A))(assert (! (< x y) :named B))(assert (! p :named C))(set-info :status unsat)"

# For each question: the case around it, and the lie.
LIES = {
    "get-interpolant": (DECLARED + "(assert (> x (+ y 2)))(get-interpolant I (> x y))", "(define-fun I () Bool (> x (+ y 5)))"),
    "get-interpolants": (DECLARED + "(assert (! (> x y) :named A))(assert (! (< x y) :named B))(set-info :status unsat)(check-sat)(get-interpolants A B)", "((> x (+ y 1)))"),
    "get-abduct": (DECLARED + "(assert (> x y))(check-sat)(get-abduct A (> x 7))", "(define-fun A () Bool (> y 5))"),
    "get-qe": (DECLARED + "(get-qe (exists ((q Bool)) (and q (< x y))))", "(<= x y)"),
    "get-learned-literals": (DECLARED + "(assert (> x 3))(check-sat)(get-learned-literals)", "((> x 9))"),
    "get-objectives": (DECLARED + "(assert (> x 3))(minimize x)(check-sat)(get-objectives)", "(objectives (x 5))"),
    "get-timeout-core": (NAMED + "(get-timeout-core)", "unsat (A C)"),
    "get-consequences": (DECLARED + "(assert (=> p (> x y)))(get-consequences (p) (p))", "sat ((=> p (> x 3)))"),
    "simplify": (DECLARED + "(simplify (+ x x y))", "(* 2 x)"),
    "get-proof": (NAMED + "(check-sat)(get-proof)", "((proof (mp (asserted (> x y)) (rewrite (= (> x y) (< y 7))) false)))"),
    "check-synth": ("(synth-fun f ((x Int)) Int)(declare-var x Int)(constraint (> (f x) x))(check-synth)", "((define-fun f ((x Int)) Int (* 2 x)))"),
    "apply": (DECLARED + "(assert (> x y))(apply simplify)", "(goals (goal (> x 3) :precision precise :depth 1))"),
}

def fake(name):
    return solver.profile(
        name = name, binaries = [PROGRAM], version_args = ["--version"], version = "version (\\S+)", modes = ["fresh"],
        args = ["--reply=%s:" % command for command in ("minimize", "synth-fun", "declare-var", "constraint")] + ["--reply=%s:%s" % (command, lie) for command, (_, lie) in LIES.items()], continues_after_error = True, multiline_tokens = True,
    )

def technique(_seeds, rng):
    names = sorted(LIES)
    return smt.case(LIES[names[rng.turn % len(names)]][0])

campaign(
    technique = technique, targets = [solver(fake("liar"))], seeds = corpus.texts(["(check-sat)"]),
    oracles = [oracle.claims()], reduce = False, confirm = 1,
)
`

// TestFalseClaims: every kind of reply with a lie in it is a finding of its own, which replays.
func TestFalseClaims(t *testing.T) {
	t.Parallel()
	dir := fakeProject(t, "claims.star", claimsCampaign)
	out := filepath.Join(dir, "out")
	code, said := runCode(t, smtlarkIn(dir, "run", "claims.star", "--seed", "1", "--cases", "24", "-j", "1", "-q", "--out", out))
	require.Equal(t, command.ExitFindings, code, said)
	require.Equal(t, map[string]int{oracle.KindInvalidReply: 12, "flaky": 0}, replayEverything(t, dir, out), said)
}
