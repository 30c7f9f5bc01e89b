package smtlib

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/smtlark/smtlark/engine/ground/system"
	"github.com/smtlark/smtlark/engine/language/smt"
)

func seedTexts(b *testing.B) (texts [][]byte, bytes int64) {
	for _, f := range seeds(b) {
		src, err := os.ReadFile(f)
		if err != nil {
			b.Fatal(err)
		}
		texts = append(texts, src)
		bytes += int64(len(src))
	}
	return texts, bytes
}

// perCPU reports megabytes per second of processor time, which other work on the machine does not change much.
func perCPU(b *testing.B, bytes int64, used time.Duration) {
	b.ReportMetric(float64(bytes)*float64(b.N)/1e6/used.Seconds(), "MB/cpu-s")
}

// BenchmarkZ3ParsesSeeds lets z3 read all seeds without solving, for comparison with BenchmarkParseSeeds. One process
// per logic reads its seeds several times, each between push and pop. That costs z3 a tenth of a reset, so that mainly
// reading is measured.
func BenchmarkZ3ParsesSeeds(b *testing.B) {
	const times = 10
	z3, err := exec.LookPath("z3")
	if err != nil {
		b.Skip("no z3")
	}
	skip := regexp.MustCompile(`\((check-sat|exit|get-model)\)|\(set-(logic|option)[^)]*\)`)
	inputs := map[string]*strings.Builder{}
	var bytes int64
	for _, f := range seeds(b) {
		src, err := os.ReadFile(f)
		if err != nil {
			b.Fatal(err)
		}
		logic := filepath.Base(filepath.Dir(filepath.Dir(f)))
		in := inputs[logic]
		if in == nil {
			in = &strings.Builder{}
			fmt.Fprintf(in, "(set-logic %s)\n", logic)
			inputs[logic] = in
		}
		fmt.Fprintf(in, "(push 1)\n%s\n(pop 1)\n", skip.ReplaceAllString(string(src), ""))
		bytes += int64(len(src))
	}
	b.SetBytes(bytes * times)
	var used time.Duration
	for range b.N {
		for logic, in := range inputs {
			head, text, _ := strings.Cut(in.String(), "\n")
			cmd := exec.Command(z3, "-in")
			cmd.Stdin = strings.NewReader(head + strings.Repeat(text, times))
			if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "error") {
				b.Fatalf("%s: %v %.300s", logic, err, out)
			}
			used += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		}
	}
	perCPU(b, bytes*times, used)
}

// BenchmarkParseSeeds reads, sort-checks and hash-conses all seeds, one arena for all with a release behind each.
func BenchmarkParseSeeds(b *testing.B) {
	texts, bytes := seedTexts(b)
	a := smt.NewArena()
	b.SetBytes(bytes)
	b.ReportAllocs()
	b.ResetTimer()
	from := system.CPUTime()
	for range b.N {
		for _, src := range texts {
			m := a.Mark()
			if _, err := Parse("seed", src, a); err != nil {
				b.Fatal(err)
			}
			a.Release(m)
		}
	}
	perCPU(b, bytes, system.CPUTime()-from)
}

// BenchmarkParseSeedsKept is the same without release: terms of all seeds stay.
func BenchmarkParseSeedsKept(b *testing.B) {
	texts, bytes := seedTexts(b)
	b.SetBytes(bytes)
	b.ResetTimer()
	for range b.N {
		a := smt.NewArena()
		for _, src := range texts {
			if _, err := Parse("seed", src, a); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkParseSeedsNewArena gives every seed an arena of its own.
func BenchmarkParseSeedsNewArena(b *testing.B) {
	texts, bytes := seedTexts(b)
	b.SetBytes(bytes)
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		for _, src := range texts {
			if _, err := Parse("seed", src, smt.NewArena()); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkPrintSeeds prints all seeds.
func BenchmarkPrintSeeds(b *testing.B) {
	texts, _ := seedTexts(b)
	a := smt.NewArena()
	var scripts []*Script
	var bytes int64
	var p Printer
	for _, src := range texts {
		s, err := Parse("seed", src, a)
		if err != nil {
			b.Fatal(err)
		}
		scripts = append(scripts, s)
		bytes += int64(len(p.Script(nil, s)))
	}
	b.SetBytes(bytes)
	b.ReportAllocs()
	b.ResetTimer()
	var buf []byte
	from := system.CPUTime()
	for range b.N {
		for _, s := range scripts {
			buf = p.Script(buf[:0], s)
		}
	}
	perCPU(b, bytes, system.CPUTime()-from)
}
