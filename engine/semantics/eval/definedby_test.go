package eval_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// definedBySolvers lists applications whose value SMT-LIB leaves open, or defines in a way that is easily misread, with
// their values in this package. The value is empty if a solver may choose any value, or documents another one than its
// peers. docs/semantics.md has the table.
var definedBySolvers = []struct{ term, value, solvers string }{
	{`(div 1 0)`, ``, "z3 cvc5"},
	{`(mod 5 0)`, ``, "z3 cvc5"},
	{`(/ 1.0 0.0)`, ``, "z3 cvc5"},
	{`(rem 5 (- 3))`, `(- 2)`, "z3"},
	{`(^ 2 (- 1))`, ``, "z3 cvc5"},
	{`(^ 0 0)`, ``, "z3 cvc5"},
	{`(^ 0.0 0.0)`, ``, "z3 cvc5"},
	{`(^ 4.0 0.5)`, ``, "z3 cvc5"},
	{`(int.pow2 (- 3))`, `0`, "cvc5"},
	{`(int.log2 0)`, `0`, "cvc5"},
	{`((_ iand 3) (- 1) 13)`, `5`, "cvc5"},
	{`(sqrt (- 4.0))`, ``, "cvc5"},
	{`(arcsin 2.0)`, ``, "cvc5"},
	{`(csc 0.0)`, ``, "cvc5"},
	{`(seq.nth (seq.unit 3) 5)`, ``, "z3 cvc5"},
	{`(seq.update (seq.unit 3) 5 (seq.unit 4))`, `(seq.unit 3)`, "cvc5"},
	{`(seq.extract (seq.unit 3) (- 1) 1)`, `(as seq.empty (Seq Int))`, "z3 cvc5"},
	{`(str.at "abc" 5)`, `""`, "z3 cvc5"},
	{`(str.update "abc" 5 "x")`, `"abc"`, "cvc5"},
	{`(str.from_code 200000)`, `""`, "z3 cvc5"},
	{`(str.to_int "")`, `(- 1)`, "z3 cvc5"},
	{`(str.replace_re "aab" (re.+ (str.to_re "a")) "x")`, `"xab"`, "cvc5"},
	{`(str.replace_all "aa" "" "x")`, `"aa"`, "z3 cvc5"},
	{`(str.indexof "" "" 0)`, `0`, "z3 cvc5"},
	{`(str.indexof "abc" "" 5)`, `(- 1)`, "z3 cvc5"},
	{`(fp.to_real (_ NaN 8 24))`, ``, "z3 cvc5"},
	{`((_ fp.to_ubv 4) RNE (_ NaN 8 24))`, ``, "z3 cvc5"},
	{`((_ fp.to_sbv 4) RNE (_ +oo 8 24))`, ``, "z3 cvc5"},
	{`((_ fp.to_ubv 4) RNE ((_ to_fp 8 24) RNE 99.0))`, ``, "z3 cvc5"},
	{`(fp.min (_ +zero 8 24) (_ -zero 8 24))`, ``, "z3 cvc5"},
	{`(fp.max (_ -zero 8 24) (_ +zero 8 24))`, ``, "z3 cvc5"},
	{`(fp.rem (_ +oo 8 24) ((_ to_fp 8 24) RNE 1.0))`, `(_ NaN 8 24)`, "z3 cvc5"},
	{`(bvudiv #x1 #x0)`, `#xf`, "z3 cvc5"},
	{`(bvurem #x1 #x0)`, `#x1`, "z3 cvc5"},
	{`(bvsdiv #x9 #x0)`, `#x1`, "z3 cvc5"},
	{`(bvsmod #x9 #x0)`, `#x9`, "z3 cvc5"},
	{`(bag.count 3 (bag 3 (- 2)))`, `0`, "cvc5"},
	{`(bag.choose (as bag.empty (Bag Int)))`, ``, "cvc5"},
	{`(set.choose (as set.empty (Set Int)))`, ``, "cvc5"},
	{`(bag.difference_remove (bag 1 3) (bag 1 1))`, `(as bag.empty (Bag Int))`, "cvc5"},
	{`(bag.setof (bag 1 3))`, `(bag 1 1)`, "cvc5"},
	{`(str.in_re "b" (re.range "b" "a"))`, `false`, "z3 cvc5"},
	{`(str.in_re "aaa" ((_ re.loop 3 1) (str.to_re "a")))`, `false`, "z3 cvc5"},
	{`(ff.bitsum (as ff1 (_ FiniteField 7)) (as ff2 (_ FiniteField 7)) (as ff3 (_ FiniteField 7)))`, `(as ff3 (_ FiniteField 7))`, "z3 cvc5"},
	{`(fp.to_ieee_bv (_ NaN 5 11))`, ``, "z3"},
	{`(default ((as const (Array Int Int)) 3))`, ``, "z3"},
	{`(seq.last_indexof (seq.unit 3) (as seq.empty (Seq Int)))`, `1`, "z3"},
	{`(bv2int #xf)`, `15`, "z3"},
}

func TestDefinedBySolvers(t *testing.T) {
	for _, c := range definedBySolvers {
		got := evalText(t, smt.NewArena(), nil, nil, c.term)
		if c.value == "" {
			require.True(t, strings.HasPrefix(got, "unknown"), "%s: %s", c.term, got)
			continue
		}
		require.Equal(t, c.value, got, c.term)
	}
}

// TestSolversAgree: where a value is claimed, the solvers that have the operator take no other.
func TestSolversAgree(t *testing.T) {
	for name, args := range map[string][]string{"z3-5.4.1": nil, "cvc5-1.3.2": {"--incremental", "--sets-exp"}} {
		kind, _, _ := strings.Cut(name, "-")
		script, asked := "(set-logic ALL)\n", 0
		if kind == "z3" {
			script = ""
		}
		for _, c := range definedBySolvers {
			if c.value != "" && strings.Contains(c.solvers, kind) {
				script += fmt.Sprintf("(push)(assert (not (= %s %s)))(check-sat)(pop)\n", c.term, c.value)
				asked++
			}
		}
		require.Equal(t, strings.Repeat("unsat\n", asked), askNamed(t, name, args, script), name)
	}
}

// askNamed asks the solver of a name, with more arguments.
func askNamed(t *testing.T, name string, args []string, script string) string {
	all := modelSolvers(t)
	at := slices.IndexFunc(all, func(s modelSolver) bool { return s.name == name })
	if at < 0 {
		require.NotEqual(t, "true", os.Getenv("CI"), "%s is not installed: CI must have it", name)
		t.Skip(name + " is not installed")
	}
	s := all[at]
	s.args = slices.Concat(s.args, args)
	return s.ask(t, "", script)
}
