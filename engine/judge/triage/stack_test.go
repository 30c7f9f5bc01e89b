package triage_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/triage"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/backtrace"
)

func stackOf(names ...string) *backtrace.CallStack {
	s := &backtrace.CallStack{Signal: "SIGSEGV"}
	for _, n := range names {
		f := backtrace.Frame{Function: n, Module: "libcvc5.so.1"}
		if n == "memcpy" || n == "qsort" || n == "raise" || n == "abort" || n == "_int_malloc" || n == "malloc_consolidate.part.0" {
			f.Module = "libc.so.6"
		}
		if n == "signal" {
			f = backtrace.Frame{Signal: true}
		}
		s.Frames = append(s.Frames, f)
	}
	return s
}

// The stack of cvc5 1.4.2 when it is asked a second time after (int.pow2 512).
var pow2 = stackOf("cvc5::internal::prop::CnfStream::getLiteral(cvc5::internal::NodeTemplate<false>)",
	"cvc5::internal::decision::JustifyCache::lookupValue(cvc5::internal::NodeTemplate<false>)",
	"cvc5::internal::decision::JustificationStrategy::getNextJustifyNode(cvc5::internal::decision::JustifyInfo*, cvc5::internal::prop::SatValue&)",
	"cvc5::internal::decision::JustificationStrategy::getNextInternal(bool&)")

func TestStacksAreTrimmed(t *testing.T) {
	for _, c := range []struct {
		stack *backtrace.CallStack
		want  []string
	}{
		{nil, nil},
		{pow2, []string{"cvc5::internal::prop::CnfStream::getLiteral", "cvc5::internal::decision::JustifyCache::lookupValue", "cvc5::internal::decision::JustificationStrategy::getNextJustifyNode"}},
		{stackOf("raise", "abort", "std::terminate()", "f(int)", "main"), []string{"f", "main"}},
		{stackOf("abort", "handler(int)", "signal", "memcpy", "inner", "outer"), []string{"inner", "outer"}},
		{stackOf("compare(void const*, void const*)", "qsort", "sorted()"), []string{"compare", "sorted"}},
		{stackOf("raise", "abort"), nil},
		{stackOf("__gmpn_copyi", "__gmpz_init_set", "Pow2Solver::check()"), []string{"Pow2Solver::check"}},
	} {
		require.Equal(t, c.want, triage.FramesOf(c.stack))
	}
	deep := &backtrace.CallStack{Signal: "SIGSEGV", More: true}
	shifted := &backtrace.CallStack{Signal: "SIGSEGV", More: true}
	for i := range 256 {
		deep.Frames = append(deep.Frames, backtrace.Frame{Function: []string{"b()", "a()", "c()"}[i%3]})
		shifted.Frames = append(shifted.Frames, backtrace.Frame{Function: []string{"b()", "a()", "c()"}[(i+1)%3]})
	}
	require.Equal(t, []string{"stack overflow", "a", "b", "c"}, triage.FramesOf(deep))
	require.Equal(t, triage.FramesOf(deep), triage.FramesOf(shifted), "where in the round it ended is chance")
}

// The stack identifies a crash with a bare signal: in a program or a library, whichever call crashed.
func TestSignatureOfAStack(t *testing.T) {
	in := triage.Info{Reduces: true, Solvers: map[string]triage.TargetInfo{
		"a": {Name: "cvc5-1.4.2", Version: "1.4.2"}, "b": {Name: "libcvc5-1.4.2", Version: "1.4.2"},
	}}
	v, w := crash("a", "SIGSEGV", solvers.Crash), crash("b", "SIGSEGV in cvc5_check_sat", solvers.Crash)
	one, two := triage.Of(&v, in), triage.Of(&w, in)
	require.NotEqual(t, one.Key, two.Key)
	x, y := one.At(&v, in, pow2), two.At(&w, in, pow2)
	require.Equal(t, x.Key, y.Key)
	require.Equal(t, "crash | cvc5 | crash | SIGSEGV at cvc5::internal::prop::CnfStream::getLiteral < cvc5::internal::decision::JustifyCache::lookupValue < "+
		"cvc5::internal::decision::JustificationStrategy::getNextJustifyNode", x.Text)
	require.Equal(t, one.Key, x.BucketKey())
	require.Equal(t, two.Key, y.BucketKey())
	require.NotEqual(t, x.Key, one.At(&v, in, stackOf("f", "g", "h")).Key)
	require.Equal(t, one, one.At(&v, in, nil), "nothing is known")
	require.Equal(t, "cvc5-crash-SIGSEGV-CnfStream-getLiteral", triage.PlacedSlug("x", &x))
	refined := x.Refine([]string{"int.pow2"})
	require.Equal(t, x.Key, refined.Key)
	require.Equal(t, []string{"int.pow2"}, refined.Skeleton)
	broken := one.At(&v, in, stackOf("_int_malloc", "f", "g"))
	require.Equal(t, "crash | cvc5 | crash | heap corruption", broken.Text, "who happens to ask the allocator is no cause")
	require.Equal(t, broken.Key, two.At(&w, in, stackOf("abort", "signal", "malloc_consolidate.part.0", "h")).Key)
	require.NotEqual(t, broken.Key, one.At(&v, in, stackOf("f", "_int_malloc")).Key)
	caught := crash("a", "SIGABRT: [btor>main] CAUGHT SIGNAL 6", solvers.Crash)
	s := triage.Of(&caught, in)
	require.True(t, s.Vague, "a program that catches its signals says no more")
	placed := s.At(&caught, in, pow2)
	require.True(t, placed.Placed())
	null := crash("a", "cvc5 suffered a segfault. Offending address is 0x18 Looks like a NULL pointer was dereferenced.", solvers.Crash)
	freed := crash("a", "cvc5 suffered a segfault. Offending address is 0x*", solvers.Crash)
	s = triage.Of(&null, in)
	require.True(t, s.Vague)
	require.Equal(t, s.Key, triage.Of(&freed, in).Key, "the address is chance")
	require.Equal(t, x.Key, s.At(&null, in, pow2).Key)
	told := crash("a", "Assertion `x` failed at a.cpp:3", solvers.Assertion)
	s = triage.Of(&told, in)
	require.Equal(t, s, s.At(&told, in, pow2), "a message says enough")
	helper := crash("a", "cvc5: w.cpp:5: void fp::traits::precondition(const bool&): Assertion `p' failed.", solvers.Assertion)
	s = triage.Of(&helper, in)
	require.True(t, s.Vague, "a function for checks is called from everywhere")
	divide := s.At(&helper, in, stackOf("abort", "fp::traits::precondition(bool const&)", "symfpu::divide(int)", "solve()"))
	require.Equal(t, "crash | cvc5 | assertion | w.cpp: fp::traits::precondition: p at symfpu::divide < solve", divide.Text)
	require.Equal(t, s.Key, divide.BucketKey())
	require.NotEqual(t, divide.Key, s.At(&helper, in, stackOf("abort", "w.so@1234+0x77", "symfpu::round(int)", "solve()")).Key)
	require.Equal(t, divide.Key, s.At(&helper, in, stackOf("abort", "w.so@1234+0x77", "symfpu::divide(int)", "solve()")).Key, "the part that fails was moved out")
}

// A program and its library are one, and so are operators that come to each other.
func TestLibrariesAreTheirPrograms(t *testing.T) {
	v := wrong(0, 0, "x", "y")
	s := triage.Of(&v, triage.Info{Reduces: true, Solvers: map[string]triage.TargetInfo{"x": {Name: "libz3-4.13.3"}, "y": {Name: "z3-4.8.12"}}})
	require.Contains(t, s.Text, "| z3-4.13.3,z3-4.8.12 |")
}

func TestOneCause(t *testing.T) {
	rare := func(op string) float64 {
		return map[string]float64{"+": 0.9, "bvadd": 0.9, "fp.to_sbv": 0.01, "bvslt": 0.2, "bvurem": 0.02}[op] + 0.01
	}
	bare := func(n uint64, call string, frames []string, skeleton ...string) *triage.Reduced {
		return &triage.Reduced{Verdict: &oracle.Verdict{Kind: oracle.KindCrash}, Case: n, Solvers: []string{"cvc5-1.4.2"},
			Signature: &triage.Signature{Key: call, Vague: frames == nil, Frames: frames, Skeleton: skeleton}}
	}
	said := func(n uint64, kind, key string, skeleton ...string) *triage.Reduced {
		return &triage.Reduced{Verdict: &oracle.Verdict{Kind: kind}, Case: n, Solvers: []string{"cvc5-1.4.2"}, Signature: &triage.Signature{Key: key, Vague: true, Skeleton: skeleton}}
	}
	one := func(a, b *triage.Reduced) {
		t.Helper()
		require.NotEmpty(t, triage.OneCause(a, b, rare))
		require.NotEmpty(t, triage.OneCause(b, a, rare))
	}
	two := func(a, b *triage.Reduced) {
		t.Helper()
		require.Empty(t, triage.OneCause(a, b, rare))
		require.Empty(t, triage.OneCause(b, a, rare))
	}
	one(bare(1, "check", nil, "(check-sat-assuming)", "div", "int.pow2"), bare(2, "assume", nil, "int.log2", "int.pow2"))
	two(bare(1, "check", nil, "+", "int.pow2"), bare(2, "assume", nil, "+", "div"))
	two(bare(1, "check", nil, "a", "b", "c", "d", "int.pow2"), bare(2, "assume", nil, "int.pow2"))
	one(bare(1, "x", []string{"f", "g", "h"}, "+", "int.pow2"), bare(2, "y", []string{"f", "g", "i"}, "+"))
	two(bare(1, "x", []string{"f", "g", "h"}, "int.pow2"), bare(2, "y", []string{"f", "i", "j"}, "int.pow2"))
	two(bare(1, "x", []string{"f", "g", "h"}, "int.pow2"), bare(2, "y", []string{"f", "g", "h"}, "div"))

	model, wrongly := oracle.KindInvalidModel, oracle.KindKnownAnswer
	one(said(1, model, "m", "(get-model)", "bvadd"), said(2, wrongly, "w", "bvadd"))
	one(said(1, model, "m", "(get-model)", "bvadd", "bvsmod"), said(2, wrongly, "w", "bvsmod"))
	two(said(1, model, "m", "(get-model)", "bvadd", "bvsmod"), said(2, wrongly, "w", "bvadd"))
	one(said(1, model, "m", "(get-model)", "bvadd", "bvsmod"), said(1, wrongly, "w", "bvadd"))
	two(said(1, model, "m", "and", "sort Int"), said(1, wrongly, "w", "and", "sort Int"))
	two(said(1, model, "m", "bvsmod"), bare(1, "check", nil, "bvsmod"))
	// Reduced cases that are the same: a crash and a wrong answer, but not crashes in different functions.
	form := func(r *triage.Reduced) *triage.Reduced {
		r.Form = "0123"
		return r
	}
	one(form(said(1, model, "m", "bvsmod")), form(bare(2, "check", nil, "bvsmod")))
	two(form(bare(1, "x", []string{"f", "g", "h"}, "a")), form(bare(2, "y", []string{"i", "j", "k"}, "a")))
	// A defect of fp.to_sbv of Bitwuzla, by probes.
	one(said(1, model, "m", "RNE", "bvadd", "fp", "fp.to_sbv"), said(2, wrongly, "w", "RNE", "bvslt", "fp", "fp.to_sbv"))
	one(said(1, wrongly, "w", "+zero", "RNE", "bvslt", "fp", "fp.to_sbv"), said(2, wrongly, "w", "RNE", "bvadd", "fp", "fp.to_sbv"))
	two(said(1, wrongly, "w", "bvslt", "bvsmod"), said(2, wrongly, "w", "bvslt", "bvudiv"))
	// Comparisons of concats: solvers write zero_extend and repeat with concat, so reducers end with any of them.
	one(said(1, wrongly, "w", "bvslt", "concat"), said(2, wrongly, "w", "bvslt", "zero_extend"))
	one(said(1, wrongly, "w", "bvslt", "concat", "extract"), said(2, model, "m", "bvslt", "repeat"))
	two(said(1, wrongly, "w", "bvadd", "concat"), said(2, wrongly, "w", "bvadd", "zero_extend"))
	two(said(1, wrongly, "w", "bvslt", "concat"), said(2, wrongly, "w", "bvslt", "rotate_left"))
	two(said(1, wrongly, "w", "concat"), said(2, wrongly, "w", "zero_extend"))
	one(said(1, wrongly, "w", "bvslt", "concat"), said(2, wrongly, "w", "bvadd", "bvslt", "zero_extend"))
	two(said(1, wrongly, "w", "bvadd", "bvslt", "concat"), said(2, wrongly, "w", "bvslt", "bvurem", "zero_extend"))
	unreduced := said(1, wrongly, "w")
	unreduced.Signature.Skeleton = nil
	one(unreduced, said(1, model, "m", "bvsmod"))
	two(unreduced, said(2, model, "m", "bvsmod"))
	unreduced.Operators = []string{"bvadd", "bvmul", "bvslt", "bvsmod", "sort BitVec"}
	one(unreduced, said(2, model, "m", "(get-model)", "bvsmod"))
	two(unreduced, said(2, model, "m", "bvadd"))
	two(unreduced, said(2, model, "m", "bvurem"))
	two(unreduced, bare(2, "check", nil, "bvsmod"))
	other := said(2, wrongly, "w", "bvsmod")
	other.Solvers = []string{"z3-4.13.3"}
	two(said(1, model, "m", "bvsmod"), other)
}
