package literal_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/literal"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

func TestConstants(t *testing.T) {
	a := smt.NewArena()
	s, err := smtlib.Parse("test", []byte(`(declare-sort U 0)(declare-datatypes ((List 1) (Tree 0)) ((par (X) ((cons (head X) (tail (List X))) (nil))) ((node (children (List Tree))))))
(declare-const t Tree)(declare-const l (List Int))(declare-const u U)(declare-const f Float32)(declare-const ar (Array Int U))`), a)
	require.NoError(t, err)
	var got []string
	for _, c := range s.Commands {
		for _, f := range c.Symbols {
			var texts []string
			for _, k := range literal.Constants(a, a.SymbolInfo(f).Result) {
				require.Equal(t, a.SymbolInfo(f).Result, a.Sort(k))
				texts = append(texts, smtlib.TermText(a, k))
			}
			got = append(got, strings.Join(texts, " "))
		}
	}
	require.Equal(t, []string{"(node (as nil (List Tree)))", "(as nil (List Int))", "", "(_ +zero 8 24) (_ NaN 8 24) (_ +oo 8 24)", ""}, got)
}
