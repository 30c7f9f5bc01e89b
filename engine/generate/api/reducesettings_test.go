package api

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/reduce"
	"github.com/smtlark/smtlark/engine/reduce/weight"
	"github.com/smtlark/smtlark/internal/fakesolver"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/tracetext"
)

// TestReduceOptionValues checks that a needed option gets the value nearest to the default that still shows the
// failure, or nearest to 0 if no default is known, and that other options are removed.
func TestReduceOptionValues(t *testing.T) {
	refuse := "mode=c,mode=d,mode=e,flag=false"
	for n := 5; n <= 90; n++ {
		refuse += fmt.Sprintf(",level=%d,depth=%d,low=-%d", n, n+20, n)
	}
	complaints := func(text string) map[string]bool {
		var out, errs bytes.Buffer
		fakesolver.Main([]string{"--refuse=" + refuse}, strings.NewReader(text), &out, &errs)
		found := map[string]bool{}
		for _, name := range []string{"level", "depth", "low", "mode", "flag"} {
			found[name] = strings.Contains(out.String(), "unknown option "+name+"=")
		}
		return found
	}
	known := map[string]weight.KnownOption{
		"level": {Default: "2"}, "depth": {Default: "115"}, "mode": {Default: "a", Values: []string{"a", "b", "c", "d", "e"}}, "flag": {Default: "true"},
	}
	text := "# smtlark trace 1\n"
	for _, o := range []string{"level 88", "depth 26", "low -77", "mode e", "flag false", "other 9", "more true"} {
		name, value, _ := strings.Cut(o, " ")
		text += fmt.Sprintf("9 set-option \":%s\" \"%s\"\n", name, value)
	}
	trace, err := tracetext.Read([]byte(text+"7 check-sat\n"), nil)
	require.NoError(t, err)
	fails := func(c *testcase.Case) bool {
		for _, found := range complaints(string(c.Text())) {
			if !found {
				return false
			}
		}
		return true
	}
	c := testcase.FromTrace("case", trace)
	require.True(t, fails(c))
	for _, knows := range []bool{true, false} {
		want := []string{":level 5", ":depth 25", ":low -5", ":mode e", ":flag false"}
		opt := reduce.Options{}
		if knows {
			want[1], want[3] = ":depth 110", ":mode c"
			opt.Setting = func(name string) (weight.KnownOption, bool) { s, ok := known[name]; return s, ok }
		}
		res, err := Reduce(context.Background(), testcase.FromTrace("case", trace), fails, opt)
		require.NoError(t, err)
		require.True(t, fails(res.Case))
		var got []string
		for _, x := range traceOf(res.Case).Calls {
			got = append(got, x.Command.Name+" "+x.Command.Text)
		}
		require.Equal(t, want, got, "defaults known: %v", knows)
	}
}

// TestReduceCountsCalls: a trace of few calls is wanted, not a light script: an assertion and its check-sat are one
// call, a predicate of one term needs no second one, and terms that are there anyway are used again.
func TestReduceCountsCalls(t *testing.T) {
	script, err := smtlib.Parse("x", []byte(`(declare-const a Float16)(declare-const b Float16)(declare-const c Float32)(declare-const r RoundingMode)
(assert (fp.isNaN c))(push 1)(assert (or (fp.lt b a) (fp.leq ((_ to_fp 5 11) r c) (fp.add RTP (fp.mul RTZ a b) a))))(check-sat)(get-model)(pop 1)(check-sat)`), smt.NewArena())
	require.NoError(t, err)
	res, err := Reduce(context.Background(), testcase.FromTrace("case", solvers.TraceOf(script)), func(c *testcase.Case) bool {
		for i := range c.Script.CheckSats() {
			for _, x := range c.Script.AssertsAt(i) {
				if strings.Contains(smtlib.TermText(c.Script.Arena, x), "(fp.add ") {
					return true
				}
			}
		}
		return false
	}, reduce.Options{})
	require.NoError(t, err)
	text := tracetext.Text(traceOf(res.Case))
	require.LessOrEqual(t, tracetext.CountCalls([]byte(text)), 8, text)
	for _, want := range []string{"fp.isNaN", "check-sat-assuming"} {
		require.Contains(t, text, want)
	}
	require.NotContains(t, text, "assert")
}

// TestReduceToMadeTerm: an error of making a term needs no assertion of it, and no definition with it.
func TestReduceToMadeTerm(t *testing.T) {
	for _, text := range []string{
		"(declare-const x Int)(declare-const y Int)(assert (= (+ (* x y) 7) (- y (* 3 x))))(check-sat)",
		"(define-fun f ((x Int)) Bool (< (* x 7) 3))(assert (f 5))(check-sat)",
	} {
		script, err := smtlib.Parse("x", []byte(text), smt.NewArena())
		require.NoError(t, err)
		res, err := Reduce(context.Background(), testcase.FromTrace("case", solvers.TraceOf(script)), func(c *testcase.Case) bool {
			return strings.Contains(tracetext.Text(traceOf(c)), "mk-term * ")
		}, reduce.Options{})
		require.NoError(t, err)
		lines := units(tracetext.Text(traceOf(res.Case)))
		require.LessOrEqual(t, len(lines), 4, lines)
		require.Contains(t, lines[len(lines)-1], "mk-term * ")
	}
}
