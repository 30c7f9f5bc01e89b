package meaning_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/meaning"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	_ "github.com/smtlark/smtlark/internal/rapidseed"
)

const (
	strings   = `(declare-const s String)(assert (= (str.to_code s) 300))`
	division  = `(declare-const a (_ BitVec 4))(assert (= (bvudiv a #x0) #x1))`
	integers  = `(declare-const x Int)(assert (= (div x 0) 1))`
	defined   = `(define-fun f ((x (_ BitVec 4))) Bool (= (bvurem x #x0) #x1))(declare-const a (_ BitVec 4))(assert (f a))`
	reals     = `(declare-const r Real)(assert (< 0.0 r 1.0))`
	trees     = `(declare-datatype T ((n) (c (t T))))(declare-const x T)(assert (= x (c x)))`
	variables = `(assert (exists ((x Real)) (= x x)))`
)

// Options change the meaning of the operators and sorts they touch, in each spelling and with each value that their
// solver takes; other options do not.
func TestOptions(t *testing.T) {
	for _, tc := range []struct {
		options, problem string
		changes          bool
	}{
		{`(set-option :encoding ascii)`, strings, true},
		{`(set-option :ENCODING "bmp")`, strings, true},
		{`(set-option :encoding |ascii|)`, strings, true},
		{`(set-option :encoding unicode)`, strings, false},
		{`(set-option :encoding ASCII)`, strings, false}, // z3 ignores it
		{`(set-option :encoding ascii)`, division, false},
		{`(set-info :encoding ascii)`, strings, false},
		{`(set-option :unicode false)`, strings, true},
		{`(set-option :strings-alpha-card 2)`, strings, true},
		{`(set-option :strings-alpha-card 196608)`, strings, false},
		{`(set-option :rewriter.hi_div0 false)`, division, true},
		{`(set-option :REWRITER.HI-DIV0 false)`, division, true},
		{`(set-option :rewriter.hi_div0 false)`, defined, true},
		{`(set-option :rewriter.hi_div0 true)`, division, false},
		{`(set-option :rewriter.hi_div0 false)`, integers, false},
		{`(set-option :hi_div0 false)`, division, false}, // z3 wants the module
		{`(check-sat-using (then (using-params simplify :hi_div0 false) smt))`, division, true},
		{`(check-sat-using (then (! simplify :hi_div0 false) smt))`, division, true},
		{`(set-option :tactic.default_tactic "(then (! simplify :hi_div0 false) smt)")`, integers, true},
		{`(set-option :arith-no-partial-fun true)`, integers, true},
		{`(set-option :solve-real-as-int true)`, reals, true},
		{`(set-option :solve-real-as-int true)`, variables, true},
		{`(set-option :solve-real-as-int true)`, integers, false},
		{`(set-option :dt-cyclic false)`, trees, true},
		{`(set-option :smt.string_solver none)`, strings, true},
		{`(set-option :smt.string_solver seq)`, strings, false},
		{`(set-option :fmf-mbqi trust)`, variables, true},
		{`(set-option :smt.random_seed 7)`, strings, false},
		{`(set-option :produce-models true)`, strings, false},
		{`(set-option :pp.decimal true)`, reals, false}, // the option does not change the answer
		{`(check-sat)(block-model-values (1))`, `(declare-const x Real)(assert (> x 1.0))`, true},
	} {
		s, err := smtlib.Parse("options", []byte(tc.options+tc.problem+"(check-sat)"), smt.NewArena())
		require.NoError(t, err)
		why := meaning.OfScript(s).Why(s.Arena, s.Asserts())
		require.Equal(t, tc.changes, why != "", "%s %s: %s", tc.options, tc.problem, why)
	}
}

// An option may truncate or round models without changing answers.
func TestModels(t *testing.T) {
	s, err := smtlib.Parse("models", []byte(`(set-option :pp.decimal true)`+reals), smt.NewArena())
	require.NoError(t, err)
	require.Equal(t, "the option :pp.decimal true changes what is printed of models", meaning.OfScript(s).WhyModel(s.Arena, s.Asserts()))
}

// Arguments of a command line are options, too.
func TestArguments(t *testing.T) {
	for arg, changes := range map[string]bool{
		"--strings-alpha-card=3": true, "rewriter.hi_div0=false": true, "--solve-real-as-int": true, "--no-dt-cyclic": true, "--dt-cyclic": false,
		"-in": false, "encoding=ascii": true, "smt.random_seed=3": false,
	} {
		var c meaning.Changes
		c.AddArgument(arg)
		require.Equal(t, changes, !c.None(), arg)
	}
}
