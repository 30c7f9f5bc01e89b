package oracle_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/judge/claim"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// TestOpenValuesAreNoDisagreement checks that solvers may choose values that the standard leaves open, but must not
// contradict themselves.
func TestOpenValuesAreNoDisagreement(t *testing.T) {
	for _, tc := range []struct {
		assert string
		open   bool
	}{
		{"(= ((_ fp.to_ubv 4) RNE (_ NaN 5 11)) #b0000)", true},
		{"(= ((_ fp.to_sbv 4) RNE x) #b0111)", true},
		{"(= (fp.to_real (_ +oo 5 11)) 1.0)", true},
		{"(= (fp.min (_ +zero 5 11) (_ -zero 5 11)) (_ -zero 5 11))", true},
		{"(= (fp.max x (_ -zero 5 11)) (_ -zero 5 11))", true},
		{"(f x)", true},
		{"(= (fp.add RNE x x) (_ -zero 5 11))", false},
		{"(= (fp.rem x x) (_ NaN 5 11))", false},
		{"(= (bvudiv v #x00) #x01)", false},
		{"(= (^ 0 0) 5)", true},
		{"(= (set.choose (as set.empty (Set Int))) 5)", true},
		{"(= (bag.choose (as bag.empty (Bag Int))) 5)", true},
		{"(= (sqrt (- 1.0)) 5.0)", true},
		{"(= (div 1 0) 5)", false}, // any function will do, says the standard: who fixes one is wrong
		{"(= (seq.nth (as seq.empty (Seq Int)) 0) 5)", false},
	} {
		script, err := smtlib.Parse("case", []byte("(declare-const x (_ FloatingPoint 5 11))\n(declare-const v (_ BitVec 8))\n(define-fun f ((y (_ FloatingPoint 5 11))) Bool (= ((_ fp.to_ubv 4) RNE y) #b0000))\n(assert "+tc.assert+")\n(check-sat)\n"), smt.NewArena())
		require.NoError(t, err)
		if tc.assert != "(f x)" { // the definition counts as well
			script = script.WithCommands(append(script.Commands[:2:2], script.Commands[3:]...))
		}
		c := &testcase.Case{Script: script}
		two := []*solvers.Run{run("z3", "5", "fresh", sat), run("bitwuzla", "0.8", "fresh", unsat)}
		one := []*solvers.Run{run("z3", "5", "fresh", sat), run("z3", "5", "incremental", unsat)}
		require.Len(t, oracle.Disagreement().Judge(c, two), map[bool]int{true: 0, false: 1}[tc.open], tc.assert)
		require.Len(t, oracle.Disagreement().Judge(c, one), 1, tc.assert)
	}
}

// openHead declares the symbols and sorts of the terms below.
const openHead = "(declare-datatypes ((L 0)) (((nl) (cs (hd Int) (tl L)))))(declare-const a (Array Int Int))"

// openTerms may have any value of their sort; the field value is one of these.
var openTerms = []struct{ term, value string }{
	{"((_ fp.to_ubv 4) RNE (_ NaN 5 11))", "#b0011"},
	{"((_ fp.to_ubv 4) RNE (_ -oo 5 11))", "#b0011"},
	{"((_ fp.to_sbv 4) RNE (fp #b0 #b11000 #b0000000000))", "#b0111"},
	{"(fp.to_real (_ +oo 5 11))", "3.0"},
	{"(fp.to_ieee_bv (_ NaN 5 11))", "#x7e01"},
	{"(fp.min (_ +zero 5 11) (_ -zero 5 11))", "(_ -zero 5 11)"},
	{"(fp.min (_ -zero 5 11) (_ +zero 5 11))", "(_ +zero 5 11)"},
	{"(fp.max (_ +zero 5 11) (_ -zero 5 11))", "(_ -zero 5 11)"},
	{"(div 1 0)", "5"},
	{"(mod 1 0)", "5"},
	{"(rem 1 0)", "5"},
	{"(/ 1.0 0.0)", "5.0"},
	{"(^ 0 0)", "5"},
	{"(sqrt (- 1.0))", "5.0"},
	{"(seq.nth (as seq.empty (Seq Int)) 0)", "5"},
	{"(seq.nth (seq.unit 1) (- 1))", "5"},
	{"(seq.nth (seq.unit 1) 1)", "5"},
	{"(hd nl)", "5"},
	{"(set.choose (as set.empty (Set Int)))", "5"},
	{"(set.choose (set.union (set.singleton 1) (set.singleton 5)))", "5"},
	{"(bag.choose (as bag.empty (Bag Int)))", "5"},
	{"(select a 3)", "5"},
}

// closedTerms are at the same boundaries, and have a value; the one given is wrong.
var closedTerms = []struct{ term, value string }{
	{"(bvudiv #x05 #x00)", "#x00"},
	{"(bvurem #x05 #x00)", "#x00"},
	{"(bvsdiv #x05 #x00)", "#x00"},
	{"(bvsmod #x05 #x00)", "#x00"},
	{"(bvshl #x05 #x09)", "#x01"},
	{"(str.at \"a\" 1)", "\"a\""},
	{"(str.substr \"a\" (- 1) 1)", "\"a\""},
	{"(str.indexof \"a\" \"b\" 5)", "0"},
	{"(str.from_code (- 1))", "\"a\""},
	{"(str.to_int \"-1\")", "1"},
	{"(str.to_code \"\")", "0"},
	{"(seq.at (seq.unit 1) 1)", "(seq.unit 1)"},
	{"(seq.nth (seq.unit 1) 0)", "5"},
	{"(hd (cs 1 nl))", "5"},
	{"(select (store ((as const (Array Int Int)) 0) 3 1) 3)", "5"},
	{"(set.choose (set.singleton 1))", "5"},
	{"(fp.to_real (_ -zero 5 11))", "3.0"},
	{"((_ fp.to_ubv 4) RNE (_ -zero 5 11))", "#b0011"},
	{"(^ 2 3)", "9"},
}

// TestOpenValuesAreNoFinding checks that oracles that compare solvers with the evaluator accept any value that the
// standard leaves open, and still report a wrong value next to it.
func TestOpenValuesAreNoFinding(t *testing.T) {
	judge := func(term, value string) map[string]bool {
		parse := func(commands string) *testcase.Case {
			s, err := smtlib.Parse("case", []byte(openHead+commands), smt.NewArena())
			require.NoError(t, err, term)
			return &testcase.Case{Script: s}
		}
		say := func(values ...string) []*solvers.Run {
			r := run("z3", "5", "fresh", sat)
			r.Values = values
			return []*solvers.Run{r}
		}
		pair := "((" + term + " " + value + "))"
		asserted := parse("(assert (= " + term + " " + value + "))(check-sat)")
		again := func(string, *solvers.Query, solvers.Limits) *solvers.Run {
			return &solvers.Run{Class: solvers.OK, Answers: []smtlib.Answer{sat}, Values: []string{"()", pair}}
		}
		asks := parse("(assert (= " + term + " " + value + "))(check-sat)(get-value (" + term + "))")
		return map[string]bool{
			"model":           len(oracle.Model().Judge(asserted, say("()"))) > 0,
			"values":          len(oracle.Values(again, 1).Judge(asserted, say())) > 0,
			"known value":     len(oracle.KnownValue().Judge(asks, say(pair))) > 0,
			"claim of unsat":  (&claim.Claim{Script: asserted.Script, Want: unsat}).Proven(),
			"claim of denial": (&claim.Claim{Script: parse("(assert (distinct " + term + " " + value + "))(check-sat)").Script, Want: unsat}).Proven(),
		}
	}
	for _, x := range openTerms {
		for name, found := range judge(x.term, x.value) {
			require.False(t, found, "%s: %s is %s", name, x.term, x.value)
		}
	}
	for _, x := range closedTerms {
		for name, found := range judge(x.term, x.value) {
			require.Equal(t, name != "claim of denial", found, "%s: %s is %s", name, x.term, x.value)
		}
	}
}
