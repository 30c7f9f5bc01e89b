package fusion

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/modelreader"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// partOf reads a script; its model is given by values of constants, as "x 1 y 2", or is "" for none.
func partOf(t testing.TB, text, model string) Part {
	t.Helper()
	s, err := smtlib.Parse("seed.smt2", []byte(text), smt.NewArena())
	require.NoError(t, err)
	asserts, err := scope.StripNames(s.Arena, s.Asserts())
	require.NoError(t, err)
	p := Part{Script: s, Asserts: asserts, Answer: s.Status()}
	if model != "" {
		m, err := modelreader.Parse(s, model)
		require.NoError(t, err)
		require.Equal(t, value.True, eval.CheckTerms(eval.New(s.Arena, m), asserts).Result, "the test's own model")
		p.Model = m
	}
	return p
}

// fuseAll joins the parts and applies up to n functions of the table.
func fuseAll(t testing.TB, table *Table, seed uint64, n int, parts ...Part) *Joint {
	t.Helper()
	j, err := Join(parts)
	require.NoError(t, err)
	r := rng.New(seed)
	done := 0
	for range n {
		f, err := j.Fuse(table, j.Env(r, nil, false, 0.5), 2, 1, Size{Nodes: r.Range(5, 14)})
		require.NoError(t, err)
		if f != nil {
			done++
		}
	}
	require.NotZero(t, done)
	return j
}

// z3Says asks z3, where it is installed.
func z3Says(t testing.TB, c *testcase.Case) string {
	t.Helper()
	z3, err := exec.LookPath("z3")
	if err != nil {
		t.Skip("z3 is not installed")
	}
	file := filepath.Join(t.TempDir(), "case.smt2")
	require.NoError(t, os.WriteFile(file, c.Text(), 0o644))
	out, _ := exec.Command(z3, "rlimit=1000000", file).CombinedOutput() // it may be "unknown", whatever the machine
	return strings.TrimSpace(string(out))
}

func head(logic, status string) string {
	return "(set-logic " + logic + ")(set-info :status " + status + ")"
}

// Known causes of false alarms in fusion, each with two small seeds: the known answer must be that of a solver, or
// unknown.
func TestNoFalseAlarms(t *testing.T) {
	unaryF := func(value string) string {
		return head("QF_UFLIA", "sat") + "(declare-fun f (Int) Int)(declare-const x Int)(assert (= (f 0) " + value + "))(assert (> x 1))(check-sat)"
	}
	for name, tc := range map[string]struct {
		seeds  [2]string
		table  *Table
		answer smtlib.Answer
	}{
		"functions are shared": {seeds: [2]string{unaryF("0"), unaryF("1")}, answer: smtlib.Sat},
		"sorts are shared": {seeds: [2]string{
			head("UF", "sat") + "(declare-sort U 0)(declare-const u U)(declare-const p Bool)(assert (and p (forall ((v U)) (= v u))))(check-sat)",
			head("UF", "sat") + "(declare-sort U 0)(declare-const u U)(declare-const v U)(declare-const p Bool)(assert (and p (distinct u v)))(check-sat)",
		}, answer: smtlib.Sat},
		"bound variables are renamed with globals": {seeds: [2]string{
			head("LIA", "sat") + "(declare-const x Int)(assert (and (> x 0) (exists ((x Int)) (< x 0))))(check-sat)",
			head("LIA", "sat") + "(declare-const x Int)(assert (and (> x 0) (forall ((y Int)) (exists ((x Int)) (> x y)))))(check-sat)",
		}, answer: smtlib.Sat},
		"definitions of one name": {seeds: [2]string{
			head("QF_LIA", "unsat") + "(declare-const x Int)(define-fun bad ((y Int)) Bool (= y 0))(assert (and (bad x) (= x 1)))(check-sat)",
			head("QF_LIA", "unsat") + "(declare-const x Int)(define-fun bad ((y Int)) Bool (= y 1))(assert (and (bad x) (= x 0)))(check-sat)",
		}, answer: smtlib.Unsat},
		"assertions with words of commands": {seeds: [2]string{
			head("QF_LIA", "unsat") + "(declare-const echo_x Int)(declare-const y Int)(assert (> echo_x 0))(assert (< (+ echo_x y) y))(check-sat)",
			head("QF_LIA", "unsat") + "(declare-const simplify Int)(assert (> simplify 0))(assert (< simplify 0))(check-sat)",
		}, answer: smtlib.Unsat},
		"a product with zero under a cast": {seeds: [2]string{
			head("QF_NRA", "unsat") + "(declare-const x Real)(declare-const y Real)(assert (= y 0.0))(assert (distinct y 0.0))(assert (> x 1.0))(check-sat)",
			head("QF_NRA", "unsat") + "(declare-const y Real)(assert (= y 0.0))(assert (distinct (* y y) 0.0))(check-sat)",
		}, answer: smtlib.Unsat},
		"division by zero means two things": {seeds: [2]string{
			head("QF_NRA", "sat") + "(declare-const x Real)(declare-const y Real)(assert (= y 0.0))(assert (= (/ x y) 1.0))(assert (= x 0.0))(check-sat)",
			head("QF_NRA", "sat") + "(declare-const x Real)(declare-const y Real)(assert (= y 0.0))(assert (= (/ x y) 2.0))(assert (= x 0.0))(check-sat)",
		}, answer: smtlib.Sat},
	} {
		t.Run(name, func(t *testing.T) {
			table := testTable(t)
			known := 0
			for seed := range uint64(12) {
				j := fuseAll(t, table, seed, 2, partOf(t, tc.seeds[0], ""), partOf(t, tc.seeds[1], ""))
				c, err := j.Case(rng.New(seed), How{Answer: tc.answer, Share: 0.7})
				require.NoError(t, err)
				requireRoundTrip(t, c)
				if len(c.Expect) == 0 {
					continue
				}
				known++
				require.Equal(t, tc.answer, c.Expect[0])
				if seed < 2 {
					wrong := map[smtlib.Answer]string{smtlib.Sat: "unsat", smtlib.Unsat: "sat"}[tc.answer]
					require.NotEqual(t, wrong, z3Says(t, c), "%s", c.Text())
				}
			}
			if name == "division by zero means two things" {
				require.Zero(t, known, "nothing is known of it")
			} else {
				require.Equal(t, 12, known)
			}
		})
	}
}

// requireRoundTrip checks that the script reads as it was meant: all names declared once, nothing captured.
func requireRoundTrip(t *testing.T, c *testcase.Case) {
	t.Helper()
	s, err := smtlib.Parse("fused.smt2", c.Text(), smt.NewArena())
	require.NoError(t, err, "%s", c.Text())
	require.Equal(t, string(c.Text()), s.Text())
	seen := map[string]bool{}
	for _, x := range s.Commands {
		for _, f := range x.Symbols {
			name := s.Arena.SymbolName(f)
			require.False(t, seen[name], "%s is declared twice: %s", name, c.Text())
			seen[name] = true
		}
	}
}

// A wrong table, as YinYang ships it: the witness shows it.
func TestWitnessDropsWrongCases(t *testing.T) {
	a := smt.NewArena()
	fs, err := ReadConfig(a, "#begin\n(declare-const x Int)\n(declare-const y Int)\n(declare-const z Int)\n(assert (= z (* x y)))\n(assert (= x (div z y)))\n(assert (= y (div z x)))\n#end\n")
	require.NoError(t, err)
	require.Len(t, fs, 1)
	one := partOf(t, head("QF_NIA", "sat")+"(declare-const a Int)(assert (= a 5))(check-sat)", "((define-fun a () Int 5))")
	zero := partOf(t, head("QF_NIA", "sat")+"(declare-const a Int)(assert (= a 0))(check-sat)", "((define-fun a () Int 0))")
	two := partOf(t, head("QF_NIA", "sat")+"(declare-const a Int)(assert (= a 2))(check-sat)", "((define-fun a () Int 2))")
	for seed := range uint64(8) {
		try := func(parts ...Part) (*testcase.Case, error) {
			j, err := Join(parts)
			require.NoError(t, err)
			r := rng.New(seed)
			f, err := j.Place(j.Env(r, nil, false, 1), fs[0])
			require.NoError(t, err)
			require.False(t, f.Proven)
			require.NoError(t, j.Apply(f))
			return j.Case(r, How{Answer: smtlib.Sat, Share: 1, Verify: true})
		}
		c, err := try(one, two)
		require.NoError(t, err)
		require.NotNil(t, c.Witness)
		require.Equal(t, []smtlib.Answer{smtlib.Sat}, c.Expect)
		c, err = try(one, zero)
		if err == nil { // 5 * 0 = 0, and (div 0 0) may be 5: nothing is known
			require.Empty(t, c.Expect, "%s", c.Text())
		} else {
			require.ErrorIs(t, err, ErrWitness)
		}
	}
}

// Models are combined, and the witness satisfies the fused script.
func TestWitness(t *testing.T) {
	table := testTable(t)
	one := head("QF_AUFLIA", "sat") + "(declare-sort U 0)(declare-const u U)(declare-const v U)(declare-fun f (U Int) Int)(declare-const a (Array Int Int))(declare-const x Int)(declare-const |a b| Int)" +
		"(assert (distinct u v))(assert (= (f u x) (+ (f v x) 1)))(assert (= (select a x) |a b|))(check-sat)"
	for seed := range uint64(40) {
		p1 := partOf(t, one, "(\n(define-fun u () U (as @U_0 U))(define-fun v () U (as @U_1 U))(define-fun f ((y U) (z Int)) Int (ite (= y (as @U_0 U)) 8 7))(define-fun x () Int 3)(define-fun |a b| () Int 4)(define-fun a () (Array Int Int) (store ((as const (Array Int Int)) 0) 3 4)))")
		p2 := partOf(t, one, "(\n(define-fun u () U (as @U_1 U))(define-fun v () U (as @U_0 U))(define-fun f ((y U) (z Int)) Int (ite (= y (as @U_0 U)) 0 1))(define-fun x () Int (- 3))(define-fun |a b| () Int 9)(define-fun a () (Array Int Int) ((as const (Array Int Int)) 9)))")
		j := fuseAll(t, table, seed, 3, p1, p2)
		c, err := j.Case(rng.New(seed), How{Answer: smtlib.Sat, Share: 0.5, Verify: true})
		require.NoError(t, err)
		require.NotNil(t, c.Witness, "%s", c.Text())
		require.Equal(t, value.True, eval.CheckModel(c.Script, c.Witness).Result)
		requireRoundTrip(t, c)
		wire, err := c.Wire().Case(nil)
		require.NoError(t, err)
		require.Equal(t, value.True, eval.CheckModel(wire.Script, wire.Witness).Result, "as it travels")
	}
}

// All kinds of declarations and commands are copied: datatypes, recursive functions, quoted names, scopes, assumptions.
func TestScriptsWithAnyCommands(t *testing.T) {
	text := head("ALL", "sat") + `(declare-datatypes ((L 1) (T 0)) ((par (X) ((nil) (cons (hd X) (tl (L X))))) ((leaf) (node (kids (L T)) (n Int)))))
(declare-sort S 1)(declare-const s (S Int))(declare-const t T)(declare-const |x y| Int)(declare-const p Bool)
(define-fun-rec len ((l (L T))) Int (match l ((nil 0) ((cons h r) (+ 1 (len r))))))
(define-funs-rec ((ev ((k Int)) Bool) (od ((k Int)) Bool)) ((or (= k 0) (od (- k 1))) (and (distinct k 0) (ev (- k 1)))))
(define-const c0 Int 7)(define-sort I () Int)
(push 2)(declare-const inner I)(assert (! (and (ev 4) (> (len (kids t)) 0) ((_ is node) t)) :named n1))(assert (or n1 (= inner c0)))
(check-sat)(pop 1)(assert (= (n t) |x y|))(check-sat-assuming (p))(exit)`
	other := head("QF_DT", "sat") + "(declare-datatype L ((nil) (cons (hd Int) (tl L))))(declare-const t L)(declare-const p Bool)(declare-const |x y| Int)(assert (and p ((_ is cons) t) (= (hd t) |x y|)))(check-sat)"
	table := testTable(t)
	for seed := range uint64(20) {
		parts := []Part{partOf(t, text, ""), partOf(t, other, ""), partOf(t, text, "")}
		if seed%2 == 1 {
			parts[0], parts[1] = parts[1], parts[0]
		}
		j := fuseAll(t, table, seed, 3, parts...)
		c, err := j.Case(rng.New(seed), How{Answer: smtlib.Sat, Share: 0.5})
		require.NoError(t, err)
		requireRoundTrip(t, c)
		if seed < 2 {
			require.NotContains(t, z3Says(t, c), "error", "%s", c.Text())
		}
	}
}

// A fused case follows from the numbers alone.
func TestDeterminism(t *testing.T) {
	text := func() string {
		table := testTable(t)
		j := fuseAll(t, table, 5, 3,
			partOf(t, head("QF_LIA", "sat")+"(declare-const x Int)(declare-const y Int)(assert (> (+ x y) x))(check-sat)", ""),
			partOf(t, head("QF_LIA", "sat")+"(declare-const x Int)(declare-const y Int)(assert (< (* 2 x) y))(check-sat)", ""))
		c, err := j.Case(rng.New(5), How{Answer: smtlib.Sat, Share: 0.5})
		require.NoError(t, err)
		return string(c.Text())
	}
	first := text()
	require.Contains(t, first, "z!")
	for range 3 {
		require.Equal(t, first, text())
	}
}

// Mixed parts: a part that is unsat makes the conjunction unsat, a part that is sat the disjunction sat.
func TestMixedParts(t *testing.T) {
	sat := head("QF_LIA", "sat") + "(declare-const x Int)(assert (> x 0))(check-sat)"
	unsat := head("QF_LIA", "unsat") + "(declare-const x Int)(assert (and (> x 0) (< x 0)))(check-sat)"
	for seed := range uint64(10) {
		for answer, wrong := range map[smtlib.Answer]string{smtlib.Sat: "unsat", smtlib.Unsat: "sat"} {
			j := fuseAll(t, testTable(t), seed, 1, partOf(t, sat, ""), partOf(t, unsat, ""))
			c, err := j.Case(rng.New(seed), How{Answer: answer, Share: 0.5})
			require.NoError(t, err)
			require.Equal(t, []smtlib.Answer{answer}, c.Expect)
			if seed < 1 {
				require.NotEqual(t, wrong, z3Says(t, c), "%s", c.Text())
			}
		}
	}
	j := fuseAll(t, testTable(t), 1, 1, partOf(t, sat, ""), partOf(t, sat, ""))
	_, err := j.Case(rng.New(1), How{Answer: smtlib.Unsat})
	require.ErrorIs(t, err, ErrParts)
}
