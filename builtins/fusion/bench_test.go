package fusion_test

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	engine "github.com/smtlark/smtlark/engine/generate/fusion"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/ground/system"
	"github.com/smtlark/smtlark/engine/language/logic"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// cpu returns the CPU time of this process in nanoseconds: the machine may be busy with other things.
func cpu() int64 { return system.CPUTime().Nanoseconds() }

// BenchmarkCalibrate sorts 10,000 pseudorandom numbers. It is the baseline for the other figures on another machine, or
// on a busy one.
func BenchmarkCalibrate(b *testing.B) {
	nums := make([]int, 10000)
	start := cpu()
	for range b.N {
		x := uint64(1)
		for i := range nums {
			x = x*6364136223846793005 + 1442695040888963407
			nums[i] = int(x >> 1)
		}
		slices.Sort(nums)
	}
	b.ReportMetric(float64(cpu()-start)/float64(b.N), "cpu-ns/op")
}

// benchGenerate generates, inverts and prints functions over two inputs of a sort, b.N of them.
func benchGenerate(b *testing.B, sort func(a *smt.Arena) smt.Sort, size int, format string) {
	table, env := library(b)
	a := smt.NewArena()
	x := a.Const(a.Declare("x", nil, sort(a)))
	y := a.Const(a.Declare("y", nil, sort(a)))
	var w engine.FunctionWriter
	var buf []byte
	mark := a.Mark()
	r := rng.New(1)
	bytes := 0
	one := func() {
		e := engine.Env{Arena: a, Rng: r, Make: env, Name: engine.Names(format), Literal: 0.5}
		if format == "yinyang" {
			e.MakePlain([]smt.Term{x, y})
			e.Allowed = ^logic.Functions // the format declares no functions
		}
		f, err := table.Generate(&e, []smt.Term{x, y}, engine.Size{Nodes: size})
		if err == nil {
			buf, err = w.Append(buf[:0], f, format, "f")
		}
		if err != nil {
			b.Fatal(err)
		}
		bytes += len(buf)
		f.Free()
		a.Release(mark)
	}
	for range 3000 { // makes the rules, once
		one()
	}
	bytes = 0
	b.ResetTimer()
	start := cpu()
	for range b.N {
		one()
	}
	b.ReportMetric(float64(cpu()-start)/float64(b.N), "cpu-ns/op")
	b.ReportMetric(float64(bytes)/float64(b.N), "bytes/function")
}

func BenchmarkGenerate(b *testing.B) {
	sorts := map[string]func(a *smt.Arena) smt.Sort{
		"Int": func(*smt.Arena) smt.Sort { return smt.SortInt }, "String": func(*smt.Arena) smt.Sort { return smt.SortString },
		"BV32": func(a *smt.Arena) smt.Sort { return a.BitVec(32) },
	}
	for _, name := range []string{"Int", "String", "BV32"} {
		for _, size := range []int{10, 50} {
			for _, format := range []string{"smt2", "yinyang"} {
				b.Run(fmt.Sprintf("%s/%d/%s", name, size, format), func(b *testing.B) { benchGenerate(b, sorts[name], size, format) })
			}
		}
	}
}

// BenchmarkFuse makes fused scripts as text of two seeds of a logic, of the size that YinYang's measurements have: all
// of a mutant but the parsing of seeds, which happens once for each.
func BenchmarkFuse(b *testing.B) {
	dir := os.Getenv("SMTLARK_SEEDS")
	if dir == "" {
		b.Skip("set SMTLARK_SEEDS")
	}
	table, env := library(b)
	for _, tc := range []struct {
		logic string
		bytes int
	}{{"QF_LIA", 6600}, {"QF_SLIA", 2000}} {
		b.Run(tc.logic, func(b *testing.B) {
			one, two := pairOf(b, dir, tc.logic, tc.bytes)
			mark := one.Script.Arena.Mark()
			r := rng.New(1)
			var buf []byte
			bytes := 0
			b.ResetTimer()
			start := cpu()
			for range b.N {
				j, err := engine.Join([]engine.Part{one, two})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := j.Fuse(table, j.Env(r, env, false, 0.5), 2, 0.8, engine.Size{Nodes: 8}); err != nil {
					b.Fatal(err)
				}
				c, err := j.Case(r, engine.How{Answer: smtlib.Sat, Share: 0.5})
				if err != nil {
					b.Fatal(err)
				}
				buf = c.Script.AppendTo(buf[:0])
				bytes += len(buf)
				one.Script.Arena.Release(mark)
			}
			b.ReportMetric(float64(cpu()-start)/float64(b.N), "cpu-ns/op")
			b.ReportMetric(float64(bytes)/float64(b.N), "bytes/case")
		})
	}
}

// pairOf finds two seeds of a logic whose texts together have about so many bytes.
func pairOf(b *testing.B, dir, logic string, bytes int) (one, two engine.Part) {
	b.Helper()
	best := 1 << 30
	files := seedFiles(b, dir)[logic]
	sizes := make([]int, len(files))
	parts := make([]engine.Part, len(files))
	for i, f := range files {
		parts[i] = readPart(b, f)
		parts[i].Answer = smtlib.Sat
		sizes[i] = len(parts[i].Script.WithCommands(parts[i].Script.Commands).AppendTo(nil))
	}
	for i := range files {
		for k := range i {
			if d := sizes[i] + sizes[k] - bytes; d*d < best {
				best, one, two = d*d, parts[i], parts[k]
			}
		}
	}
	require.NotNil(b, one.Script)
	return one, two
}
