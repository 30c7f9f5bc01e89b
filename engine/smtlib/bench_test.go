package smtlib

import (
	"os"
	"testing"

	"github.com/smtlark/smtlark/engine/smt"
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

// BenchmarkParseSeeds reads, sort-checks and hash-conses all seeds, one arena for all with a release behind each.
func BenchmarkParseSeeds(b *testing.B) {
	texts, bytes := seedTexts(b)
	a := smt.NewArena()
	b.SetBytes(bytes)
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		for _, src := range texts {
			m := a.Mark()
			if _, err := Parse("seed", src, a); err != nil {
				b.Fatal(err)
			}
			a.Release(m)
		}
	}
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
	for range b.N {
		for _, s := range scripts {
			buf = p.Script(buf[:0], s)
		}
	}
}
