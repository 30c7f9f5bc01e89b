package triage_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/judge/triage"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

const asan = `=================================================================
==4711==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc 0x55d bp 0x7ffd sp 0x7ffc
READ of size 8 at 0x602000000010 thread T0
    #0 0x7f12a0 in __interceptor_memcpy (/usr/lib/libasan.so.6+0x3a)
    #1 0x55d3f1a2b3c4 in smt::theory_arith<smt::i_ext>::mk_var(smt::enode*) /home/u/z3/src/smt/theory_arith.h:123:7
    #2 0x55d3f1a2b3c5 in (anonymous namespace)::solver::add(expr*) /home/u/z3/src/solver.cpp:9:1
    #3 0x55d3f1a2b3c6 in std::vector<int, std::allocator<int> > smt::context::check(unsigned int) const /home/u/z3/src/smt/context.cpp:1

freed by thread T0 here:
    #0 0x55d3f1a2b3c6 in other() /x.cpp:1
`

func TestFaults(t *testing.T) {
	for name, c := range map[string]struct {
		output string
		want   triage.Fault
	}{
		"glibc assert": {"z3: ../src/math/lp/lar_solver.cpp:1203: bool lp::lar_solver::term_is_int(const lar_term&) const: Assertion `x != 0x7ffd1234abcd' failed.\nAborted\n",
			triage.Fault{Place: "lar_solver.cpp: lp::lar_solver::term_is_int: x != 0x*"}},
		"z3": {"ASSERTION VIOLATION\nFile: ../src/ast/rewriter/rewriter_def.h\nLine: 388\nm().get_sort(t) == s\n(C)ontinue, (A)bort, (S)top\n",
			triage.Fault{Place: "rewriter_def.h: m().get_sort(t) == s"}},
		"z3 unreachable": {"ASSERTION VIOLATION\nFile: ../src/smt/seq.cpp\nLine: 12\n",
			triage.Fault{Place: "seq.cpp:12"}},
		"z3 normalised": {"ASSERTION VIOLATION File: seq.cpp Line: 12 a < b", triage.Fault{Place: "seq.cpp: a < b"}},
		"cvc5": {"Fatal failure within virtual cvc5::internal::Node cvc5::internal::theory::strings::CoreSolver::mk(const Node&, bool) at /b/src/theory/strings/core_solver.cpp:77\nCheck failure\n\n  !n.isNull()\n",
			triage.Fault{Place: "core_solver.cpp: cvc5::internal::theory::strings::CoreSolver::mk: !n.isNull()"}},
		"a function for checks": {"bitwuzla: /b/src/solver/fp/symfpu_wrapper.cpp:501: static void bzla::fp::SymFpuTraits::precondition(const bzla::fp::SymFpuTraits::prop&): Assertion `p' failed.\nAborted\n",
			triage.Fault{Place: "symfpu_wrapper.cpp: bzla::fp::SymFpuTraits::precondition: p", HandedOver: true}},
		"a check that tells": {"boolector: btorcore.c:2300: BtorAIGVec* exp_to_aig(Btor*): Assertion `av' failed.\n", triage.Fault{Place: "btorcore.c: exp_to_aig: av"}},
		"rust":               {"thread 'main' panicked at src/core/bv.rs:12:5:\nindex out of bounds\n", triage.Fault{Place: "bv.rs: index out of bounds"}},
		"sanitizer": {asan, triage.Fault{Kind: "heap-use-after-free",
			Frames: []string{"smt::theory_arith::mk_var", "anon::solver::add", "smt::context::check"}}},
		"gdb": {"Program received signal SIGSEGV, Segmentation fault.\n#0  0x00007ffff7e4fa2c in raise () from /lib/libc.so.6\n#1  0x0000555555a in bzla::Node::sort (this=0x0) at ../src/node.cpp:31\n#2  0x00005555 in main (argc=1, argv=0x7ffe) at main.cpp:3\n",
			triage.Fault{Frames: []string{"bzla::Node::sort", "main"}}},
		"backtrace_symbols": {"/usr/lib/libcvc4.so.7(_ZN4CVC46theory2bv+0x1f) [0x7f2aa11]\n/lib/libc.so.6(abort+0x12) [0x7f2aa12]\n./cvc4(_ZN4CVC44mainE+0x2) [0x55]\n",
			triage.Fault{Frames: []string{"_ZN4CVC46theory2bv", "_ZN4CVC44mainE"}}},
		"allocator":             {"free(): invalid pointer\nAborted\n", triage.Fault{Kind: triage.HeapCorruption}},
		"allocator's assertion": {"yices: malloc.c:2617: sysmalloc: Assertion `(old_top == initial_top (av) && old_size == 0)' failed.\n", triage.Fault{Kind: triage.HeapCorruption}},
		"java":                  {"Exception in thread \"main\" java.lang.StackOverflowError\n\tat ap.parser.SMTParser.parse(SMTParser.java:12)\n\tat ap.Main.main(Main.scala)\n", triage.Fault{Frames: []string{"ap.parser.SMTParser.parse", "ap.Main.main"}}},
		"nothing":               {"sat\n", triage.Fault{}},
		"a model":               {"(\n  (define-fun x () Int 3)\n)\n", triage.Fault{}},
		"file and line":         {"internal error at sls_engine.cpp:41 while solving", triage.Fault{Place: "sls_engine.cpp:41"}},
	} {
		require.Equal(t, c.want, triage.FaultOf(c.output), name)
	}
}

// Loose drops parts of a message that vary from case to case, and keeps parts that distinguish causes.
func TestLooseMessages(t *testing.T) {
	same := func(a, b string) { t.Helper(); require.Equal(t, triage.Loose(a), triage.Loose(b)) }
	same("unexpected sort of '(bvadd x_12 #b01)' in node 17", "unexpected sort of '(bvmul y #b1 z)' in node 3")
	same("cannot rewrite (bvadd x (f y)): width 8", "cannot rewrite (g x): width 16")
	require.NotEqual(t, triage.Loose("unexpected kind BITVECTOR_ADD"), triage.Loose("unexpected kind BITVECTOR_MULT"))
	require.NotEqual(t, triage.Loose("in f1"), triage.Loose("in f2"))
}

func parse(t *testing.T, text string) *smtlib.Script {
	s, err := smtlib.Parse("t", []byte(text), smt.NewArena())
	require.NoError(t, err)
	return s
}

func TestSkeletons(t *testing.T) {
	skeleton := func(text string) []string { return triage.Skeleton(parse(t, text), "QF_UF") }
	const x8, x16 = "(declare-const x (_ BitVec 8))", "(declare-const longer (_ BitVec 16))"
	one := skeleton(x8 + "(assert (= (bvmul x #x03) #x01))(check-sat)")
	require.Equal(t, []string{"bvmul"}, one)
	require.Equal(t, one, skeleton(x16+"(assert (not (= #x0101 (bvmul longer longer))))(check-sat)"), "names, widths, literals and connectives do not count")
	require.NotEqual(t, one, skeleton(x8+"(assert (= (bvudiv x #x03) #x01))(check-sat)"))
	require.NotEqual(t, one, skeleton(x8+"(push 1)(assert (= (bvmul x #x03) #x01))(check-sat)(pop 1)"), "commands count")
	bare := skeleton("(declare-const p Bool)(assert (and p (not p)))(check-sat)")
	require.Equal(t, []string{"and", "logic QF_UF", "not"}, bare, "connectives, where there is nothing else")
	require.NotEqual(t, skeleton("(declare-const a Int)(assert (= a a))(check-sat)"), skeleton("(declare-const a Real)(assert (= a a))(check-sat)"))

	require.Equal(t, []string{triage.Nothing}, skeleton("(set-logic QF_BV)(check-sat)"), "logics go with connectives only")
	require.Equal(t, []string{"asked Array"}, skeleton("(declare-const a (Array Int Int))(check-sat)(get-value (a))"), "what is asked for counts")
	require.Equal(t, []string{"(get-model)", "bvmul"}, skeleton(x8+"(assert (= (bvmul x #x03) #x01))(check-sat)(get-model)"))

	ops := triage.Operators(parse(t, x8+"(assert (and (= (bvmul x #x03) #x01) (bvult x #x07)))(check-sat)"))
	require.True(t, triage.Within(one, ops))
	require.False(t, triage.Within([]string{"bvudiv"}, ops))
	require.True(t, triage.Within(nil, ops))
}

func TestRefine(t *testing.T) {
	v := wrong(smtlib.Unsat, smtlib.Sat, "z3/fresh")
	s := triage.Of(&v, info("QF_BV"))
	require.True(t, s.Vague)
	a, b := s.Refine([]string{"bvmul"}), s.Refine([]string{"bvudiv"})
	require.NotEqual(t, a.Key, b.Key)
	require.Equal(t, s.Key, a.Bucket)
	require.Equal(t, b, a.Refine([]string{"bvudiv"}), "the last skeleton counts")
	c := crash("z3/fresh", "ASSERTION VIOLATION File: a.cpp Line: 3 x", 0)
	exact := triage.Of(&c, info("QF_BV"))
	require.Equal(t, exact, exact.Refine([]string{"bvmul"}), "a place needs no skeleton")
}

// These are skeletons of findings of campaigns: wrong answers of z3 4.13.3 and crashes of Boolector 3.2.4 have few
// causes, the planted ones have one each.
func TestExplains(t *testing.T) {
	among := func(common ...string) func(string) bool {
		return func(op string) bool { return !slices.Contains(common, op) }
	}
	fields := strings.Fields
	require.True(t, triage.Explains(fields("str.from_ubv"), fields("str.< str.from_ubv"), among("str.<")))
	require.True(t, triage.Explains(fields("str.from_sbv"), fields("str.from_sbv"), among("str.from_sbv")), "the same")
	require.False(t, triage.Explains(fields("str.from_sbv"), fields("str.< str.from_ubv"), among("str.<")))
	require.False(t, triage.Explains(fields("str.<"), fields("str.< str.from_ubv"), among("str.<")), "nearly every case has it")
	require.False(t, triage.Explains(fields("bvadd bvsub bvuge"), fields("bvadd bvmul bvsub bvuge"), among("bvadd", "bvsub", "bvuge")))
	require.False(t, triage.Explains(fields("bvadd bvsub bvudiv bvuge"), fields("bvadd bvsub bvuge bvxor"), among("bvadd", "bvsub", "bvuge")))

	require.True(t, triage.DiedInACall("crash | libz3 | crash | SIGSEGV in Z3_model_eval | reduced to nothing"))
	require.False(t, triage.DiedInACall("crash | libcvc5 | crash | SIGSEGV in cvc5_check_sat_assuming"))
	require.False(t, triage.DiedInACall("crash | z3 | crash | SIGSEGV"))
	require.False(t, triage.DiedInACall("crash | z3 | assertion | a.cpp: f: in x"))
}
