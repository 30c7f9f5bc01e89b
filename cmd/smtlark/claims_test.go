package main

import (
	"os"
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

# A case at depth 0, 1 or 2: with further assertions, which the lie has nothing to do with.
def padded(text, depth):
    n = [0, 12, 80][depth]
    if "synth-fun" in text:
        return text.replace("(check-synth)", "".join(["(constraint (=> (> x %d) (> (+ x %d) %d)))" % (i, i, i) for i in range(n)]) + "(check-synth)")
    pads = ["(=> (and (> z%d %d) p%d) (or (> (+ z%d 1) %d) (= z%d y)))" % (i, i, i, i, i, i) for i in range(n)]
    decl = "".join(["(declare-const z%d Int)(declare-const p%d Bool)" % (i, i) for i in range(n)])
    if "get-interpolants" in text and n:
        return text.replace(":named A))", ":named A))" + "(assert (! (and %s) :named P))" % " ".join(pads)).replace("get-interpolants A B", "get-interpolants (and A P) B").replace(DECLARED, DECLARED + decl)
    return text.replace(DECLARED, DECLARED + decl + "".join(["(assert %s)" % p for p in pads]))

def technique(_seeds, rng):
    names = sorted(LIES)
    n = len(names)
    return smt.case(padded(LIES[names[rng.turn % n]][0], (rng.turn // n) % 3))

campaign(
    technique = technique, targets = [solver(fake("liar"))], seeds = corpus.texts(["(check-sat)"]),
    oracles = [oracle.claims()], confirm = 1, reduce_for = "60s",
)
`

// TestFalseClaims: every kind of reply with a lie in it, at three depths, is one finding, which is small and replays.
func TestFalseClaims(t *testing.T) {
	t.Parallel()
	dir := fakeProject(t, "claims.star", claimsCampaign)
	out := filepath.Join(dir, "out")
	code, said := runCode(t, smtlarkIn(dir, "run", "claims.star", "--seed", "1", "--cases", "36", "-j", "1", "-q", "--out", out))
	require.Equal(t, command.ExitFindings, code, said)
	require.Equal(t, map[string]int{oracle.KindInvalidReply: 12, "flaky": 0}, replayEverything(t, dir, out), said)
	reduced, err := filepath.Glob(filepath.Join(out, "findings", "*", "min.smt2"))
	require.NoError(t, err)
	require.NotEmpty(t, reduced)
	for _, file := range reduced {
		info, err := os.Stat(file)
		require.NoError(t, err)
		require.Less(t, info.Size(), int64(300), file)
	}
}
