package reduce

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
)

func commandsOf(t *testing.T, text string) (*smt.Arena, []smtlib.Command) {
	t.Helper()
	a := smt.NewArena()
	s, err := smtlib.Parse("test", []byte(text), a)
	require.NoError(t, err)
	return a, s.Commands
}

func TestScopes(t *testing.T) {
	_, cmds := commandsOf(t, "(push 2)(push 1)(pop 1)(check-sat)(pop 2)(push 1)(check-sat)")
	require.Equal(t, []level{{0, 4}, {0, 4}, {5, 7}, {1, 2}}, scopes(cmds))
}

func TestConstants(t *testing.T) {
	a, cmds := commandsOf(t, `(declare-sort U 0)(declare-datatypes ((List 1) (Tree 0)) ((par (X) ((cons (head X) (tail (List X))) (nil))) ((node (children (List Tree))))))
(declare-const t Tree)(declare-const l (List Int))(declare-const u U)(declare-const f Float32)(declare-const ar (Array Int U))`)
	var got []string
	for _, c := range cmds {
		for _, f := range c.Symbols {
			var texts []string
			for _, k := range constants(a, a.SymbolInfo(f).Result) {
				require.Equal(t, a.SymbolInfo(f).Result, a.Sort(k))
				texts = append(texts, smtlib.TermText(a, k))
			}
			got = append(got, strings.Join(texts, " "))
		}
	}
	require.Equal(t, []string{"(node (as nil (List Tree)))", "(as nil (List Int))", "", "(_ +zero 8 24) (_ NaN 8 24) (_ +oo 8 24)", ""}, got)
}
