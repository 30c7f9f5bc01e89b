package reduce_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/reduce"
	"github.com/smtlark/smtlark/engine/reduce/driver"
)

// union joins string seeds, their names made different, until the text has about size bytes, and plants one assertion.
func union(t testing.TB, size int, planted string) *testcase.Case {
	dir := os.Getenv("SMTLARK_SEEDS")
	if dir == "" {
		t.Skip("SMTLARK_SEEDS is not set")
	}
	files, err := filepath.Glob(filepath.Join(dir, "QF_SLIA", "*", "*.smt2"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	sort.Strings(files)
	files = slices.DeleteFunc(files, func(f string) bool { // as dense as the inputs that ddSMT was measured with
		text, err := os.ReadFile(f)
		return err != nil || strings.Count(string(text), "str.len")*250 < len(text)
	})
	var decls, asserts strings.Builder
	for n := 0; decls.Len()+asserts.Len() < size; n++ {
		text, err := os.ReadFile(files[n%len(files)])
		require.NoError(t, err)
		a := smt.NewArena()
		s, err := smtlib.Parse("seed", text, a)
		require.NoError(t, err)
		names := map[string]string{}
		for i := range s.Commands {
			for _, f := range s.Commands[i].Symbols {
				if info := a.SymbolInfo(f); len(info.Params) == 0 && info.Body == 0 {
					names[info.Name] = fmt.Sprintf("s%d_%d", n, len(names))
				}
			}
		}
		ren := map[smt.Term]smt.Term{}
		for i := range s.Commands {
			for _, f := range s.Commands[i].Symbols {
				if info := *a.SymbolInfo(f); names[info.Name] != "" && info.Body == 0 && len(info.Params) == 0 {
					ren[a.Const(f)] = a.Const(a.Declare(names[info.Name], nil, info.Result))
					fmt.Fprintf(&decls, "(declare-const %s %s)\n", names[info.Name], a.SortString(info.Result))
				}
			}
		}
		for _, x := range s.Asserts() {
			r, err := a.Subst(x, ren)
			require.NoError(t, err)
			fmt.Fprintf(&asserts, "(assert %s)\n", smtlib.TermText(a, r))
		}
	}
	c := parse(t, "(set-logic QF_SLIA)\n"+decls.String()+"(declare-const planted String)\n"+asserts.String()+planted+"\n(check-sat)\n")
	return c
}

const planted = `(assert (or (= planted (str.replace planted "abc" (str.++ planted "xyz"))) (and (> (str.len planted) 17) (= planted "foo"))))`

// localized holds if some `or` under an assertion contains str.replace and str.len.
func localized(c *testcase.Case) bool {
	a := c.Script.Arena
	for i := range c.Script.Commands {
		x := &c.Script.Commands[i]
		if x.Kind != smtlib.CmdAssert {
			continue
		}
		found := false
		a.PostOrder(x.Terms, func(t smt.Term) {
			if found || a.Op(t) != smt.OpOr {
				return
			}
			replace, length := false, false
			a.PostOrder([]smt.Term{t}, func(u smt.Term) {
				replace = replace || a.Op(u) == smt.OpStrReplace
				length = length || a.Op(u) == smt.OpStrLen
			})
			found = replace && length
		})
		if found {
			return true
		}
	}
	return false
}

// atLeast holds if the text has at least n occurrences of str.len, let-bound ones counted once.
func atLeast(n int) driver.Predicate {
	return func(c *testcase.Case) bool { return strings.Count(string(c.Text()), "(str.len ") >= n }
}

// BenchmarkReduce uses the inputs on which ddSMT 2.0.6 was measured; see docs/performance.md.
func BenchmarkReduce(b *testing.B) {
	for _, bc := range []struct {
		name string
		size int
		keep func(c *testcase.Case) driver.Predicate
	}{
		{"localized-5KB", 5_000, func(*testcase.Case) driver.Predicate { return localized }},
		{"localized-50KB", 50_000, func(*testcase.Case) driver.Predicate { return localized }},
		{"localized-500KB", 500_000, func(*testcase.Case) driver.Predicate { return localized }},
		{"core-60-50KB", 50_000, func(c *testcase.Case) driver.Predicate {
			return atLeast(60)
		}},
		{"core-400-500KB", 500_000, func(c *testcase.Case) driver.Predicate {
			return atLeast(400)
		}},
	} {
		b.Run(bc.name, func(b *testing.B) {
			for range b.N {
				b.StopTimer()
				c := union(b, bc.size, planted)
				keep := bc.keep(c)
				var asked time.Duration
				pred := func(c *testcase.Case) bool {
					begun := time.Now()
					defer func() { asked += time.Since(begun) }()
					return keep(c)
				}
				require.True(b, keep(c))
				b.StartTimer()
				r, err := reduce.Run(context.Background(), c, pred, reduce.Options{Laws: laws})
				require.NoError(b, err)
				b.ReportMetric(float64(strings.Count(string(c.Text()), "(str.len ")), "len-before")
				b.ReportMetric(float64(r.Stats.Tests), "tests")
				b.ReportMetric(float64(r.Stats.Repeated), "repeated")
				b.ReportMetric(float64(len(c.Text())), "bytes-before")
				b.ReportMetric(float64(len(r.Case.Text())), "bytes-after")
				b.ReportMetric(asked.Seconds(), "s-predicate")
				for _, p := range r.Stats.Passes {
					b.Logf("%-12s %5d tests %5d kept, gain %d", p.Name, p.Tests, p.Kept, p.Gain)
				}
				if len(r.Case.Text()) < 300 {
					b.Logf("%s", r.Case.Text())
				}
			}
		})
	}
}
