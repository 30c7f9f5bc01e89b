package solvers

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

func TestTakes(t *testing.T) {
	p := &Profile{Name: "p", Program: Program{Binaries: []string{}}, Support: Support{Theories: []string{"Core", "FixedSizeBitVectors", "ArraysEx"}}}
	require.True(t, p.Takes("QF_ABV"))
	require.True(t, p.Takes("ALL"))
	require.False(t, p.Takes("ABV"), "quantifiers")
	require.False(t, p.Takes("QF_ABVFP"))
	require.True(t, (&Profile{}).Takes("QF_S"), "nothing is known about it")
}

func TestDeclines(t *testing.T) {
	p := &Profile{Name: "p", Program: Program{Binaries: []string{}}, Support: Support{Theories: []string{"Core", "FixedSizeBitVectors", "UF"}}}
	for text, why := range map[string]string{
		"(set-logic QF_LIA)": "it does not take the logic QF_LIA",
		"(set-logic ALL)(declare-fun f (Bool Int) Bool)(check-sat)":                              "it has no sort Int",
		"(declare-const a (Array Bool Bool))":                                                    "it has no sort (Array Bool Bool)",
		"(set-logic ALL)(declare-const x (_ BitVec 4))(declare-sort U 0)":                        "",
		"(set-logic QF_BV)(declare-const x (_ BitVec 4))":                                        "",
		"(set-logic ALL)(define-fun g ((x Bool)) (_ FloatingPoint 3 4) ((_ to_fp 3 4) RNE 1.0))": "it has no sort (_ FloatingPoint 3 4)",
	} {
		script, err := smtlib.Parse("x.smt2", []byte(text), smt.NewArena())
		require.NoError(t, err, text)
		require.Equal(t, why, p.Declines(FromScript(script)), text)
	}
}
