package eval_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// evalText evaluates a ground term under some declarations and returns its value as text, or why it has none.
func evalText(t testing.TB, a *smt.Arena, m *model.Model, scope *smtlib.Script, text string) string {
	t.Helper()
	term, err := smtlib.ParseTerm(a, scope, text)
	require.NoError(t, err, text)
	v, err := eval.New(a, m).Eval(term)
	if err != nil {
		require.ErrorIs(t, err, value.ErrUnknown)
		return "unknown: " + err.Error()
	}
	return v.Text(a)
}

// TestProbes are terms on which a published simplifier deviates from the standard; the values were confirmed with
// z3 4.8.12 and cvc5 1.0.3 where they are ground.
func TestProbes(t *testing.T) {
	for _, c := range []struct{ term, want string }{
		{"(bvudiv #x00 #x00)", "#xff"},
		{"(bvudiv #x00 #x05)", "#x00"},
		{"(bvsdiv #x00 #x00)", "#xff"},
		{"(bvsdiv #x80 #x00)", "#x01"},
		{"(bvshl #x01 #x09)", "#x00"},
		{"(bvlshr #xff #x08)", "#x00"},
		{"(bvashr #x80 #x09)", "#xff"},
		{"(bvshl #b00001 #b00101)", "#b00000"},
		{"((_ rotate_left 7) #b00011)", "#b01100"},
		{"((_ rotate_right 6) #b00011)", "#b10001"},
		{"(bvudiv #x07 #x00)", "#xff"},
		{"(bvurem #x07 #x00)", "#x07"},
		{"(bvsrem #x87 #x00)", "#x87"},
		{"(div 5 0)", "unknown: div: division by zero has no interpretation in the model"},
		{"(mod 5 0)", "unknown: mod: division by zero has no interpretation in the model"},
		{"(= (div 5 0) (div 5 0))", "true"},
		{"(div (- 7) 2)", "(- 4)"},
		{"(mod (- 7) 2)", "1"},
		{"(div 7 (- 2))", "(- 3)"},
		{"(mod (- 7) (- 2))", "1"},
		{"(+ 4611686018427387903 1)", "4611686018427387904"},
		{"(+ 9223372036854775807 1)", "9223372036854775808"},
		{"(= (+ 0.1 0.2) 0.3)", "true"},
		{"(= (* 49.0 (/ 1.0 49.0)) 1.0)", "true"},
		{"(= 3.0 (/ 1.0 0.0))", "unknown: /: division by zero has no interpretation in the model"},
		{"(to_int (- 1.5))", "(- 2)"},
		{`(str.prefixof "a" "")`, "false"},
		{`(str.prefixof "" "")`, "true"},
		{`(str.suffixof "a" "")`, "false"},
		{`(str.at "abc" 5)`, `""`},
		{`(str.at "abc" (- 1))`, `""`},
		{`(str.substr "abc" 1 100)`, `"bc"`},
		{`(str.substr "abc" 5 1)`, `""`},
		{`(str.to_int "abc")`, "(- 1)"},
		{`(str.to_int "-5")`, "(- 1)"},
		{`(str.to_int "0x1F")`, "(- 1)"},
		{`(str.from_int (- 5))`, `""`},
		{`(str.to_code "")`, "(- 1)"},
		{`(str.to_code "ab")`, "(- 1)"},
		{`(str.from_code 300)`, `"\u{12c}"`},
		{`(str.indexof "" "" 0)`, "0"},
		{`(str.indexof "abc" "a" (- 1))`, "(- 1)"},
		{`(str.len "\u{e9}")`, "1"},
		{`(str.from_code (str.to_code "ab"))`, `""`},
		{`(str.to_code (str.from_code 200000))`, "(- 1)"},
		{"(= ((_ to_fp 11 53) RNE ((_ to_fp 8 24) RNE ((_ to_fp 11 53) RNE 0.1))) ((_ to_fp 11 53) RNE 0.1))", "false"},
		{"(= ((_ sign_extend 7) (ite (distinct ((_ extract 0 0) #x02) #b0) #b1 #b0)) #x02)", "false"},
		{"((_ extract 63 32) (concat #x00000001 #x0000000200000003))", "#x00000002"},
		{"(= (_ +zero 8 24) (_ -zero 8 24))", "false"},
		{"(fp.eq (_ +zero 8 24) (_ -zero 8 24))", "true"},
		{"(= (fp.roundToIntegral RNE ((_ to_fp 8 24) RNE 2.5)) ((_ to_fp 8 24) RNE 2.0))", "true"},
		{"(= (fp.rem ((_ to_fp 8 24) RNE 5.0) ((_ to_fp 8 24) RNE 3.0)) ((_ to_fp 8 24) RNE (- 1.0)))", "true"},
		{"(= (fp.max ((_ to_fp 8 24) RNE 1.0) (_ NaN 8 24)) ((_ to_fp 8 24) RNE 1.0))", "true"},
		{"(fp.isNegative (_ -zero 8 24))", "true"},
		{"(fp.isPositive (_ -zero 8 24))", "false"},
		{"(fp.isSubnormal ((_ to_fp 8 24) RNE 0.0000000000000000000000000000000000000001))", "true"},
	} {
		t.Run(c.term, func(t *testing.T) {
			a := smt.NewArena()
			require.Equal(t, c.want, evalText(t, a, nil, nil, c.term))
		})
	}
}
