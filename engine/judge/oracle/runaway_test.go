package oracle

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

func TestRunaway(t *testing.T) {
	const hard = "(declare-const x (_ BitVec 64))(declare-const y (_ BitVec 64))"
	out := func(class solvers.Class, cpu time.Duration) *solvers.Run {
		return &solvers.Run{Class: class, Answers: []smtlib.Answer{smtlib.None}, CPU: cpu}
	}
	for name, tc := range map[string]struct {
		text  string
		class solvers.Class
		again *solvers.Run // nil: it must not be asked
		found bool
	}{
		"pinned":        {hard + "(assert (= x #x00000000000000ff))(assert (= (bvredor x) #b1))(check-sat)", solvers.Timeout, out(solvers.Timeout, 2*time.Second), true},
		"refuted":       {hard + "(assert (= x #x00000000000000ff))(assert (= (bvredor x) #b0))(check-sat)", solvers.OutOfMemory, out(solvers.OutOfMemory, 0), true},
		"busy":          {hard + "(assert (= x #x00000000000000ff))(check-sat)", solvers.Timeout, out(solvers.Timeout, time.Second/2), false},
		"answered":      {hard + "(assert (= x #x00000000000000ff))(check-sat)", solvers.Timeout, reply(smtlib.Sat), false},
		"defined":       {hard + "(define-fun f ((z (_ BitVec 64))) (_ BitVec 64) (bvnot z))(assert (= x #x00000000000000ff))(assert (= y (f x)))(check-sat)", solvers.Timeout, out(solvers.Timeout, 2*time.Second), true},
		"ended well":    {hard + "(assert (= x #x00000000000000ff))(check-sat)", solvers.OK, nil, false},
		"open":          {hard + "(assert (bvult x y))(check-sat)", solvers.Timeout, nil, false},
		"large":         {hard + "(assert (= x #x00000000000000ff))(assert (= (bvmul x x) x))(check-sat)", solvers.Timeout, nil, false},
		"a part":        {hard + "(assert (= x #x00000000000000ff))(assert (and (= (bvredor x) #b1) (= (bvmul x y) x)))(check-sat)", solvers.Timeout, out(solvers.Timeout, 2*time.Second), true},
		"parts denied":  {hard + "(assert (= x #x00000000000000ff))(assert (not (and (= (bvredor x) #b1) (= (bvmul x y) x))))(check-sat)", solvers.Timeout, out(solvers.Timeout, 2*time.Second), true},
		"one of parts":  {hard + "(assert (= x #x00000000000000ff))(assert (or (= (bvredor x) #b0) (= (bvmul x y) x)))(check-sat)", solvers.Timeout, out(solvers.Timeout, 2*time.Second), true},
		"no circuit":    {"(declare-const i Int)(assert (= i 3))(check-sat)", solvers.Timeout, nil, false},
		"quantified":    {"(assert (forall ((p Bool)) (or p (not p))))(check-sat)", solvers.Timeout, nil, false},
		"taken back":    {hard + "(push 1)(assert (= (bvmul x y) x))(pop 1)(assert (= x #x00000000000000ff))(check-sat)", solvers.Timeout, out(solvers.Timeout, 2*time.Second), true},
		"under options": {"(set-option :o true)" + hard + "(assert (= x #x00000000000000ff))(check-sat)", solvers.Timeout, reply(smtlib.Sat), false},
	} {
		t.Run(name, func(t *testing.T) {
			var asked []string
			ask := func(_ string, q *solvers.Query, lim solvers.Limits) *solvers.Run {
				require.Equal(t, RunawayLimits, lim)
				asked = append(asked, q.Text())
				return tc.again
			}
			run := modelRun("t", "z-1", []smtlib.Answer{smtlib.None})
			run.Class = tc.class
			vs := Runaway(ask).Judge(modelCase(t, tc.text), []*solvers.Run{run})
			require.Equal(t, tc.found, len(vs) == 1, "%v", vs)
			require.Equal(t, tc.again != nil, len(asked) == 1, "%v", asked)
			for _, text := range asked {
				require.NotContains(t, text, "bvmul x y")
				require.NotContains(t, text, "set-option")
			}
		})
	}
}
