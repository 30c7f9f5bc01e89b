package eval_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/search"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// FuzzEval evaluates whatever can be parsed in random models: nothing panics, and a value made a term has that value.
func FuzzEval(f *testing.F) {
	files, _ := filepath.Glob("testdata/models/*.smt2")
	for _, file := range files {
		src, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(string(src), uint64(1))
	}
	for i, th := range theories {
		a := smt.NewArena()
		g := newTermGen(a, rng.New(uint64(i)), th.operatorsOf("z3"), th.sorts(a))
		for range 5 {
			f.Add("(assert (= "+g.term(smt.SortBool, 4)+" true))", uint64(i))
		}
	}
	f.Add(decls+"(assert (= (fact x) (fib y)))", uint64(3))
	f.Fuzz(func(t *testing.T, script string, seed uint64) {
		s, err := smtlib.Parse("fuzz", []byte(script), smt.NewArena())
		if err != nil || len(script) > 4000 {
			return
		}
		m := search.RandomModel(s, rng.New(seed))
		ev := eval.New(s.Arena, m)
		ev.Limits = eval.Limits{Steps: 10_000, Instances: 500, Calls: 1000, Bits: 10_000, Length: 10_000}
		for _, a := range s.Asserts() {
			for _, x := range append(s.Arena.CopyArgs(a), a) {
				if s.Arena.Op(x) == smt.OpVar || s.Arena.Op(x) == smt.OpCase {
					continue
				}
				v, err := ev.Eval(x)
				if err != nil {
					require.ErrorIs(t, err, value.ErrUnknown)
					continue
				}
				_ = v.Text(s.Arena)
				lit, err := value.ToTerm(s.Arena, v)
				if err != nil {
					continue
				}
				w, err := ev.Eval(lit)
				if err == nil {
					require.NotEqual(t, value.False, value.Equal(v, w), v.Text(s.Arena))
				}
			}
		}
		search.GuidedModel(s, rng.New(seed), 5)
	})
}
