package acceptance_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/smtlark/smtlark/engine/generate/acceptance"
	"github.com/smtlark/smtlark/engine/generate/gen"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/internal/lacktest"
)

// BenchmarkDeclines holds the bundled seeds against rules of which few are about their operators, as most rules are.
func BenchmarkDeclines(b *testing.B) {
	files, _ := filepath.Glob("../../../stdlib/seeds/*.smt2")
	var list []*smtlib.Script
	for _, f := range files {
		text, _ := os.ReadFile(f)
		s, err := smtlib.Parse(f, text, smt.NewArena())
		if err == nil {
			list = append(list, s)
		}
	}
	r := acceptance.New(gen.Exclusions{Exclude: lacktest.Lacks("operator bvnego", "array-index Array", "logic QF_AX", "nary str.<")}, nil)
	b.ReportAllocs()
	for b.Loop() {
		for _, s := range list {
			r.Declines(s)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(list)), "us/script")
}
