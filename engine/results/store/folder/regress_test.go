package folder

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// wrongAnswer is a finding whose reduced case has three check-sats: one with an obvious model, that of the verdict, and
// one of which only the runs tell.
func wrongAnswer(others ...string) *finding.Finding {
	f := &finding.Finding{Dir: "findings/0003-bad-1.0-sat-for-unsat-QF_LIA"}
	f.Verdict = oracle.Verdict{Kind: oracle.KindKnownAnswer, Targets: []string{"bad"}, Got: smtlib.Sat, Want: smtlib.Unsat, Check: 7}
	at := 1
	f.MinCheck = &at
	f.Case = &testcase.Wire{Script: "(check-sat)"}
	f.Min = &testcase.Wire{Expect: []string{"unsat", "unsat", "sat"}, Script: `(set-info :status sat)
(set-logic QF_NIA)
(declare-const x Int)
(check-sat)
(push 1)
(assert (distinct x x))
(check-sat)
(pop 1)
(assert (= (+ (* x x x) (* 3 x x) 17) 1000003))
(check-sat)
`}
	f.MinRuns = []finding.Run{{Target: "bad", Answers: []string{"sat", "sat", "sat"}, Argv: []string{"/opt/bad", "-q", "--lang=smt2", "--nl-cov", "min.smt2"}}}
	for _, a := range others {
		f.MinRuns = append(f.MinRuns, finding.Run{Target: "other", Answers: []string{"unknown", "unsat", a}})
	}
	return f
}

func TestWriteRegression(t *testing.T) {
	write := func(layout string, f *finding.Finding) (map[string]string, int) {
		dir := t.TempDir()
		test, err := WriteRegression(dir, layout, f)
		require.NoError(t, err)
		out := map[string]string{}
		for _, file := range test.Files {
			require.Equal(t, dir, filepath.Dir(file))
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			out[filepath.Base(file)] = string(text)
		}
		return out, test.Unknown
	}
	const name = "0003-bad-1.0-sat-for-unsat-QF_LIA"
	body := `(set-logic QF_NIA)
(declare-const x Int)
(set-info :status sat)
(check-sat)
(push 1)
(assert (distinct x x))
(set-info :status unsat)
(check-sat)
(pop 1)
(assert (= (+ (* x x x) (* 3 x x) 17) 1000003))
(set-info :status unsat)
(check-sat)
`
	files, unknown := write("cvc5", wrongAnswer("unsat", "unknown", "unsat"))
	require.Zero(t, unknown)
	require.Equal(t, map[string]string{name + ".smt2": "; COMMAND-LINE: --nl-cov\n; EXPECT: sat\n; EXPECT: unsat\n; EXPECT: unsat\n" + body}, files, "the reduction kept to what is known at the check of the verdict only")
	files, _ = write("z3", wrongAnswer("unsat"))
	require.Equal(t, map[string]string{name + ".smt2": body, name + ".expected.out": "sat\nunsat\nunsat\n"}, files)
	files, _ = write("yices2", wrongAnswer("unsat"))
	require.Equal(t, map[string]string{name + ".smt2": body, name + ".smt2.gold": "sat\nunsat\nunsat\n", name + ".smt2.options": "--nl-cov\n"}, files)
	files, _ = write("bitwuzla", wrongAnswer("unsat"))
	require.Equal(t, map[string]string{name + ".smt2": body}, files)

	for _, others := range [][]string{nil, {"unknown"}, {"unsat", "sat"}} {
		files, unknown = write("z3", wrongAnswer(others...))
		require.Equal(t, 1, unknown, "nobody knows the last answer")
		require.Len(t, files, 1)
		require.NotContains(t, files[name+".smt2"], "(set-info :status unsat)\n(check-sat)\n\n")
	}
}
