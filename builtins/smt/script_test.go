package smt_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/internal/scripttest"

	script "github.com/smtlark/smtlark/starlark"
)

// TestErrors checks the error messages for wrong arguments in scripts.
func TestErrors(t *testing.T) {
	const c = "c = smt.case(\"(declare-const x Int)(declare-const r Real)(declare-const b (_ BitVec 8))(declare-const a (Array Int Bool))(assert (> x 1))\")\nx, r, b, a = c.constants\n"
	for src, want := range map[string][]string{
		c + "smt.and_(x, True)":           {"smt.and_", "argument 1 has sort Int, expected Bool: x"},
		c + "smt.bvadd(b, smt.bv(1, 16))": {"smt.bvadd", "argument 2 has sort (_ BitVec 16), expected (_ BitVec 8)", "#x0001"},
		c + "smt.extract(8, 0, b)":        {"smt.extract", "index out of range"},
		c + "b / b":                       {"/ has no single meaning for sort (_ BitVec 8)", "smt.bvudiv(x, y) or smt.bvsdiv(x, y)"},
		c + "x / x":                       {"/ has no single meaning for sort Int", "x // y"},
		"s = [smt.Int]\nfor _ in range(60):\n  s[0] = smt.Array(s[0], s[0])": {"smt.Array", "written out, the sort has 131071 parts; at most 65536 are taken"},
		c + "x < 1":                 {"terms have no order"},
		c + "x < x":                 {"smt.lt(x, y)"},
		c + "x + \"1\"":             {"+ between a term and a string"},
		c + "b + 256":               {"256 does not fit 8 bits"},
		c + "b[0]":                  {"smt.extract(high, low, x)"},
		c + "x[0]":                  {"[] has no meaning for sort Int"},
		c + "smt.forall([x], True)": {"expected a variable: x"},
		c + "c.replace(x, r)":       {"case.replace", "the replacement of x", "want sort Int"},
		c + "c.with_asserts([x])":   {"case.with_asserts", "for parameter parts", "element 0", "want sort Bool"},
		c + "x.arg":                 {"term has no field or method 'arg' (did you mean 'args'?)"},
		c + "d = smt.case(\"(declare-const y Int)(assert (= y 0))\", \"d\")\nx + d.constants[0]": {"terms of two cases are mixed (case and d)", "case.adopt(term)"},
		"smt.case(\"(assert (> x 1))\", \"f.smt2\")":                                             {"f.smt2:1:12", "x"},
		"smt.read(\"../x.smt2\")":                                                                {"lies outside"},
		"smt.BitVec(0)":                                                                          {"smt.BitVec: for parameter width: 0 is not between 1"},
		"smt.real(\"1e999999999\")":                                                              {"exponent"},
		"smt.app(\"foo\", [1])":                                                                  {"the operator table does not know foo"},
		"smt.str(\"\\U00030000\")":                                                               {"U+30000"},
		"corpus.files(\"nowhere\")":                                                              {"nowhere"},
		"corpus.texts([]).pick(rng(1))":                                                          {"there are no seeds"},
		"corpus.texts([\"(assert\"]).pick(rng(1))":                                               {"text 0:1:1"},
	} {
		err := scripttest.Run(t, src)
		require.Error(t, err, src)
		for _, w := range want {
			require.Contains(t, err.Error(), w, src)
		}
	}
}

// TestScripts runs scripts whose expectations fail them.
func TestScripts(t *testing.T) {
	for name, src := range map[string]string{
		"operators of the language": `
c = smt.case("(declare-const x Int)(declare-const r Real)(declare-const b (_ BitVec 8))(declare-const a (Array Int Real))(declare-const s String)")
x, r, b, a, s = c.constants
for got, want in [
    (x + 1, "(+ x 1)"), (1 - x, "(- 1 x)"), (-x, "(- x)"), (x * x, "(* x x)"), (x // 2, "(div x 2)"), (x % 2, "(mod x 2)"),
    (r / 2, "(/ r 2.0)"), (2 * r, "(* 2.0 r)"), (x + r, "(+ (to_real x) r)"), (b + 1, "(bvadd b #x01)"), (-b, "(bvneg b)"),
    (b - 255, "(bvsub b #xff)"), (a[x], "(select a x)"), (a[3], "(select a 3)"), (s[0], "(str.at s 0)"),
    (smt.store(a, 0, 1), "(store a 0 1.0)"), (smt.ite(True, x, 2), "(ite true x 2)"), (smt.eq(s, "a"), "(= s \"a\")"),
    (smt.const_array(smt.Array(smt.Int, smt.Real), 0), "((as const (Array Int Real)) 0.0)"),
    (smt.re_loop(1, 2, smt.str_to_re("a")), "((_ re.loop 1 2) (str.to_re \"a\"))"), (smt.distinct(x, 1, 2), "(distinct x 1 2)"),
]:
    expect(str(got) == want, "%s, want %s" % (got, want))
`,
		"equality and dictionaries": `
c = smt.case("(declare-const x Int)(assert (> (+ x 1) 1))")
x = c.constants[0]
expect(x == smt.const("x", smt.Int))
expect(c.find(op = "+")[0] == smt.const("x", smt.Int) + 1)
expect(x != smt.const("x", smt.Real))
expect({x: 1}[smt.const("x", smt.Int)] == 1)
expect(x.sort == smt.Int and smt.BitVec(8) == smt.BitVec(8) and smt.BitVec(8) != smt.BitVec(9))
expect(smt.RNE in [smt.RNE], "constants of the module")
`,
		"declares what it uses": `
c = smt.case("(set-logic ALL)(declare-const x Int)(assert (> x 1))(check-sat)")
y = smt.const("y", smt.Sort("U"))
d = c.with_asserts([smt.eq(y, smt.apply("f", [c.constants[0]], smt.Sort("U")))])
expect("(declare-sort U 0)" in d.text and "(declare-const y U)" in d.text and "f (Int) U)" in d.text, d.text)
expect(d.replace(c.constants[0], smt.const("z", smt.Int)).text.count("(declare-const z Int)") == 1)
expect(smt.case(d.text).text == d.text)
`,
		"replaces under quantifiers": `
c = smt.case("(declare-const x Int)(assert (forall ((i Int)) (=> (> i x) (> (* i i) 0))))")
sq = c.find(op = "*")[0]
expect(sq.free_vars == (smt.var("i", smt.Int),))
d = c.replace(sq, sq.args[0] + 1)
expect(str(d.formula) == "(forall ((i Int)) (=> (> i x) (> (+ i 1) 0)))", str(d.formula))
expect(len(c.predicates()) == 1, "parts of the quantifier are open")
`,
		"names of terms": `
c = smt.case("(declare-const p Bool)(assert (! (or p (! (not p) :named n)) :named m))(assert n)(check-sat)")
expect([str(f) for f in c.predicates()] == ["p", "(not p)", "(or p (not p))"], str(c.predicates()))
d = c.with_asserts(c.predicates() + c.predicates())
expect(smt.case(d.text).asserts != None)
`,
		"statuses": `
c = smt.case("(set-info :status sat)(check-sat)(assert false)(set-info :status unsat)(check-sat)(check-sat)")
expect(c.expect == ("sat", "unsat", None) and c.status == None)
expect(smt.case("(set-info :status unknown)(check-sat)").expect == (None,))
`,
	} {
		t.Run(name, func(t *testing.T) { require.NoError(t, scripttest.Run(t, src)) })
	}
}

// TestGlobalsOfModules builds on terms and cases that are globals, from two threads.
func TestGlobalsOfModules(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "t.star")
	require.NoError(t, os.WriteFile(file, []byte(strings.TrimSpace(`
X = smt.const("x", smt.Int)
C = smt.case("(declare-const x Int)(assert (> x 1))(check-sat)")
S = smt.BitVec(12)

def f(n):
    big = X + n
    c = C.replace(C.constants[0], X + n)
    expect(str(c.formula) == "(> (+ x %d) 1)" % n, str(c.formula))
    expect(str(C.formula) == "(> x 1)" and C.find(op = ">")[0] == smt.gt(X, 1))
    expect(str(smt.and_(smt.gt(big, 0), C.formula)) == "(and (> (+ x %d) 0) (> x 1))" % n)
    expect(smt.holds(smt.eq(X, n), smt.model(C, {X: n})))
    return smt.const("y", S).sort.width
`)), 0o666))
	in := script.New(script.NewSources(testRegistry(t), library(), dir), script.InterpreterOptions{Setup: script.Slots})
	globals, err := in.Exec(t.Context(), script.Campaign, file)
	require.NoError(t, err)
	done := make(chan error)
	for k := range 4 {
		go func() {
			th := in.NewThread(script.Case, "case")
			defer th.Close()
			for i := range 50 {
				if _, err := th.Call(t.Context(), globals["f"].(starlark.Callable), starlark.Tuple{starlark.MakeInt(k*1000 + i)}, nil); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range 4 {
		require.NoError(t, <-done)
	}
}
