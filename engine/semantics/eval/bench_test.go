package eval_test

import (
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/ground/system"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/modelreader"
	"github.com/smtlark/smtlark/engine/semantics/eval/search"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// meter measures CPU time, as the machine may be busy with other things.
type meter struct {
	b     *testing.B
	start time.Duration
}

func startMeter(b *testing.B) meter {
	b.ResetTimer()
	return meter{b, system.CPUTime()}
}

// report gives the rate of n things for each second of CPU time.
func (m meter) report(n float64, unit string) {
	m.b.ReportMetric(n/(system.CPUTime()-m.start).Seconds(), unit+"/cpu-s")
}

// BenchmarkSeeds evaluates seeds under random models: their assertions as far as they must be, and all their terms.
func BenchmarkSeeds(b *testing.B) {
	dir := os.Getenv("SMTLARK_SEEDS")
	if dir == "" {
		b.Skip("SMTLARK_SEEDS is not set")
	}
	type seed struct {
		ev    *eval.Evaluator
		m     *model.Model
		terms []smt.Term
		nodes int
	}
	for _, logic := range []string{"QF_BV", "QF_LIA", "QF_LRA", "QF_FP", "QF_S", "QF_AX"} {
		for _, all := range []bool{false, true} {
			b.Run(logic+map[bool]string{false: "/asserts", true: "/terms"}[all], func(b *testing.B) {
				var seeds []seed
				files, _ := filepath.Glob(filepath.Join(dir, logic, "*", "*.smt2"))
				for i, f := range files {
					src, err := os.ReadFile(f)
					require.NoError(b, err)
					s, err := smtlib.Parse(f, src, smt.NewArena())
					require.NoError(b, err)
					x := seed{m: search.RandomModel(s, rng.New(uint64(i))), terms: s.Asserts()}
					x.ev = eval.New(s.Arena, x.m)
					if all {
						x.terms = nil
						s.Arena.PostOrder(s.Asserts(), func(t smt.Term) { x.terms = append(x.terms, t) })
					}
					for _, t := range x.terms {
						x.ev.Value(t)
					}
					x.nodes = x.ev.Evaluated()
					seeds = append(seeds, x)
				}
				require.NotEmpty(b, seeds)
				nodes := 0
				clock := startMeter(b)
				for i := range b.N {
					s := &seeds[i%len(seeds)]
					s.ev.Reset(s.m)
					for _, t := range s.terms {
						s.ev.Value(t)
					}
					nodes += s.nodes
				}
				clock.report(float64(nodes), "nodes")
				b.ReportMetric(float64(nodes)/float64(b.N), "nodes/op")
			})
		}
	}
}

// BenchmarkFloat evaluates sums, products, quotients, roots and fused multiplications of 64 bits.
func BenchmarkFloat(b *testing.B) {
	a := smt.NewArena()
	f64 := a.Float(11, 53)
	r := rng.New(1)
	m := model.New(a)
	g := search.NewGenerator(a, m, r)
	var terms []smt.Term
	for i := range 64 {
		c := a.Declare(fmt.Sprint("c", i), nil, f64)
		m.Set(c, g.Value(f64))
		terms = append(terms, a.Const(c))
	}
	rne := a.MustApp(smt.OpRNE)
	pick := func() smt.Term { return terms[r.Intn(len(terms))] }
	const ops = 2000
	for i := range ops {
		switch i % 5 {
		case 0:
			terms = append(terms, a.MustApp(smt.OpFPAdd, rne, pick(), pick()))
		case 1:
			terms = append(terms, a.MustApp(smt.OpFPMul, rne, pick(), pick()))
		case 2:
			terms = append(terms, a.MustApp(smt.OpFPDiv, rne, pick(), pick()))
		case 3:
			terms = append(terms, a.MustApp(smt.OpFPSqrt, rne, pick()))
		case 4:
			terms = append(terms, a.MustApp(smt.OpFPFma, rne, pick(), pick(), pick()))
		}
	}
	ev := eval.New(a, m)
	clock := startMeter(b)
	for range b.N {
		ev.Reset(m)
		for _, t := range terms {
			ev.Value(t)
		}
	}
	clock.report(float64(b.N)*ops, "ops")
}

// BenchmarkRegex decides the membership of strings of 30 characters in expressions of about 20 nodes.
func BenchmarkRegex(b *testing.B) {
	a := smt.NewArena()
	r := rng.New(3)
	ops := []*smt.OpInfo{}
	for _, op := range smt.Ops() {
		if op.Theory == "Strings" && (op.Op >= smt.OpReNone && op.Op <= smt.OpReLoop || op.Op == smt.OpStrToRe) {
			ops = append(ops, op)
		}
	}
	var terms []smt.Term
	for len(terms) < 200 {
		g := newTermGen(a, r, ops, []smt.Sort{smt.SortString})
		re, err := smtlib.ParseTerm(a, nil, g.term(smt.SortRegLan, 6))
		require.NoError(b, err)
		if n := a.TreeSize(re, 100); n < 15 || n > 25 {
			continue
		}
		s := make([]rune, 30)
		for i := range s {
			s[i] = g.values.Char()
		}
		terms = append(terms, a.MustApp(smt.OpStrInRe, a.Str(s), re))
	}
	ev := eval.New(a, nil)
	clock := startMeter(b)
	for i := range b.N {
		if i%len(terms) == 0 {
			ev = eval.New(a, nil)
		}
		ev.Value(terms[i%len(terms)])
	}
	clock.report(float64(b.N), "memberships")
}

// BenchmarkBig evaluates operators on bit vectors of 128 bits.
func BenchmarkBig(b *testing.B) {
	a := smt.NewArena()
	t := a.BV(128, new(big.Int).Lsh(value.BigOne, 100))
	x := t
	for i := range 1000 {
		x = a.MustApp([]smt.Op{smt.OpBVAdd, smt.OpBVMul, smt.OpBVXor}[i%3], x, t)
	}
	ev := eval.New(a, nil)
	clock := startMeter(b)
	for range b.N {
		ev.Reset(nil)
		ev.Value(x)
	}
	clock.report(float64(b.N)*1000, "ops")
}

// BenchmarkQuantifier tries all 16-bit vectors in a small formula.
func BenchmarkQuantifier(b *testing.B) {
	a := smt.NewArena()
	t, err := smtlib.ParseTerm(a, nil, "(forall ((c (_ BitVec 16))) (and (= (bvadd c c) (bvshl c #x0001)) (bvule (bvand c #x00ff) (bvor c #x0f0f))))")
	require.NoError(b, err)
	ev := eval.New(a, nil)
	clock := startMeter(b)
	for range b.N {
		ev.Reset(nil)
		value, known := ev.Holds(t)
		require.True(b, value && known)
	}
	clock.report(float64(b.N)*65536, "instances")
}

// BenchmarkCheckModel reads and checks a stored model.
func BenchmarkCheckModel(b *testing.B) {
	s := readScript(b, "testdata/models/functions.smt2")
	reply, err := os.ReadFile("testdata/models/functions.z3-4.13.3.reply")
	require.NoError(b, err)
	b.ReportAllocs()
	for range b.N {
		mark := s.Arena.Mark()
		m, err := modelreader.Parse(s, string(reply))
		require.NoError(b, err)
		require.Equal(b, value.True, eval.CheckModel(s, m).Result)
		s.Arena.Release(mark)
	}
}
