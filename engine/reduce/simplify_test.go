package reduce

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

const declarations = `(declare-const p Bool)(declare-const q Bool)(declare-const x Int)(declare-const y Int)(declare-const s String)
(declare-const a (_ BitVec 4))(declare-const b (_ BitVec 4))`

// asserted reads a term of the constants above.
func asserted(t *testing.T, text string) (*smt.Arena, smt.Term) {
	t.Helper()
	s, err := smtlib.Parse("test", []byte(declarations+"(assert "+text+")"), smt.NewArena())
	require.NoError(t, err)
	return s.Arena, s.Asserts()[0]
}

func texts(a *smt.Arena, ts []smt.Term) []string {
	var out []string
	for _, t := range ts {
		out = append(out, smtlib.TermText(a, t))
	}
	return out
}

func TestShortcuts(t *testing.T) {
	for text, want := range map[string]string{
		"(not (forall ((x Int)) (> x 0)))":               "",
		"(not (and p (not q) (not p)))":                  "(or (not p) q p)",
		"(bvult ((_ zero_extend 2) a) (bvnot #b000000))": "",
		"(bvult (bvnot a) (bvnot b))":                    "(bvult a b)",
		"(=> p q)":                                       "(not p)",
		"(distinct a b)":                                 "",
	} {
		a, term := asserted(t, text)
		got := texts(a, shortcuts(a, term))
		if want == "" {
			require.Empty(t, got, text)
			continue
		}
		require.Contains(t, got, want, text)
	}
}

func TestFold(t *testing.T) {
	a, term := asserted(t, "(< (+ 2 3) 4)")
	require.True(t, isGround(a, term))
	require.Equal(t, a.False(), foldGround(a, term))
	a, term = asserted(t, "(< (+ x 3) 4)")
	require.False(t, isGround(a, term))
}

func TestSmallerLiterals(t *testing.T) {
	a := smt.NewArena()
	require.Empty(t, smallerLiterals(a, a.Int64(1)))
	require.Contains(t, texts(a, smallerLiterals(a, a.Int64(1000))), "2")
	require.Equal(t, "#x1 #xa #x3 #xa", strings.Join(texts(a, smallerLiterals(a, a.BVUint(4, 11))), " "))
	require.Contains(t, texts(a, smallerLiterals(a, a.Str([]rune("xy")))), `"x"`)
}
