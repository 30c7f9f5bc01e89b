package reduce

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

func changed(t *testing.T, text string, c func(s *smtlib.Script) retyping) string {
	t.Helper()
	a := smt.NewArena()
	s, err := smtlib.Parse("test", []byte(text), a)
	require.NoError(t, err)
	m := &retypeMaker{Arena: a, Evaluator: func(m *model.Model) *eval.Evaluator { return eval.New(a, m) }}
	cmds, _ := m.Commands(s.Commands, nil, c(s))
	if cmds == nil {
		return ""
	}
	out := s.WithCommands(cmds).Text()
	_, err = smtlib.Parse("again", []byte(out), smt.NewArena())
	require.NoError(t, err, out)
	return out
}

// Narrowing a bit vector narrows all terms whose widths an operator ties to it.
func TestWidths(t *testing.T) {
	got := changed(t, `(declare-const x (_ BitVec 8))(declare-const y (_ BitVec 16))(assert (= y (concat x #x0f)))(assert (bvult x ((_ extract 11 4) y)))`,
		func(s *smtlib.Script) retyping {
			return retyping{Sort: func(x smt.Sort) smt.Sort {
				if s.Arena.SortKind(x) != smt.KindBitVec {
					return 0
				}
				return s.Arena.BitVec(max(1, s.Arena.Width(x)/4))
			}}
		})
	require.Contains(t, got, "(declare-const x (_ BitVec 2))")
	require.Contains(t, got, "(declare-const y (_ BitVec 4))")
}

// Parameters and fields go with the arguments for them; a constructor that a match needs stays.
func TestArguments(t *testing.T) {
	got := changed(t, `(declare-fun f (Int Bool) Int)(assert (= (f 1 true) (f 2 false)))`, func(s *smtlib.Script) retyping {
		return retyping{Args: map[smt.Symbol][]int{s.Commands[0].Symbols[0]: {0}}}
	})
	require.Equal(t, "(declare-fun f (Int) Int)\n(assert (= (f 1) (f 2)))\n", got)
	got = changed(t, `(declare-datatype T ((a (n Int)) (b)))(declare-const x T)(assert (match x (((a i) (> i 0)) (b false))))`, func(s *smtlib.Script) retyping {
		return retyping{Constructors: map[smt.Symbol]bool{s.Arena.Datatype(s.Commands[0].Sorts[0]).Constructors[1].Symbol: true}}
	})
	require.Empty(t, got)
}

// A witness goes along, cut where its values are too wide.
func TestWitness(t *testing.T) {
	a := smt.NewArena()
	s, err := smtlib.Parse("test", []byte("(declare-const x (_ BitVec 8))(assert (= x #x03))"), a)
	require.NoError(t, err)
	f := s.Commands[0].Symbols[0]
	w := model.New(a)
	w.Set(f, value.Word(a.BitVec(8), 3))
	m := &retypeMaker{Arena: a, Evaluator: func(m *model.Model) *eval.Evaluator { return eval.New(a, m) }}
	cmds, narrow := m.Commands(s.Commands, w, retyping{Sort: func(x smt.Sort) smt.Sort {
		if a.SortKind(x) == smt.KindBitVec {
			return a.BitVec(4)
		}
		return 0
	}})
	v, ok := narrow.Value(cmds[0].Symbols[0])
	require.True(t, ok)
	lit, err := value.ToTerm(a, v)
	require.NoError(t, err)
	require.Equal(t, "#x3", smtlib.TermText(a, lit))
	_, ok = narrow.Value(f)
	require.False(t, ok)
}
