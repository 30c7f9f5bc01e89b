package eval_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// Sixty definitions, each of which applies the one before twice, are unknown within a bounded time and memory, also
// where the values themselves are large.
func TestTowers(t *testing.T) {
	for _, tc := range []struct{ sort, body, arg string }{
		{"Int", "(+ x 1)", "3"},
		{"Int", "(+ x x)", "1"},
		{"Int", "(* x x)", "3"},
		{"Int", "(+ x x)", "free"},
		{"String", `(str.++ x "a")`, `"b"`},
		{"(_ BitVec 4096)", "(bvmul x (bvadd x (_ bv3 4096)))", "(_ bv5 4096)"},
		{"(Seq Int)", "(seq.++ x (seq.unit 1))", "(seq.unit 2)"},
	} {
		var b strings.Builder
		fmt.Fprintf(&b, "(declare-const free Int)(define-fun f0 ((x %s)) %s %s)\n", tc.sort, tc.sort, tc.body)
		for k := 1; k <= 60; k++ {
			fmt.Fprintf(&b, "(define-fun f%d ((x %s)) %s (f%d (f%d x)))\n", k, tc.sort, tc.sort, k-1, k-1)
		}
		fmt.Fprintf(&b, "(assert (= (f60 %s) %s))(check-sat)", tc.arg, tc.arg)
		s, err := smtlib.Parse("tower", []byte(b.String()), smt.NewArena())
		require.NoError(t, err)
		ev := eval.New(s.Arena, model.New(s.Arena))
		ev.Limits.Steps = 1 << 20
		v := eval.CheckTerms(ev, s.Asserts())
		require.Equal(t, value.Unknown, v.Result, b.String())
		require.Contains(t, v.Reason, "too large", b.String())
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		require.Less(t, m.HeapAlloc, uint64(200<<20), b.String())
		runtime.KeepAlive(ev)
	}
}

// Many long strings that are all remembered at once are too large, too.
func TestManyLargeValues(t *testing.T) {
	var b strings.Builder
	b.WriteString(`(define-fun s0 () String "abcdefgh")` + "\n")
	for k := 1; k < 18; k++ {
		fmt.Fprintf(&b, "(define-fun s%d () String (str.++ s%d s%d))\n", k, k-1, k-1)
	}
	b.WriteString("(assert (and true")
	for k := range 300 {
		fmt.Fprintf(&b, ` (= (str.len (str.++ s17 "%d" s17)) 2097153)`, k%10)
		fmt.Fprintf(&b, ` (= (str.len (str.++ "%d" s17 s17)) %d)`, k, 2097152+len(fmt.Sprint(k)))
	}
	b.WriteString("))(check-sat)")
	s, err := smtlib.Parse("strings", []byte(b.String()), smt.NewArena())
	require.NoError(t, err)
	v := eval.CheckModel(s, model.New(s.Arena))
	require.Equal(t, value.Unknown, v.Result)
	require.Contains(t, v.Reason, "need more memory than the limit")
}
