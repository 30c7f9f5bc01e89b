package triage_test

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/triage"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	_ "github.com/smtlark/smtlark/internal/rapidseed"
	"github.com/smtlark/smtlark/solvers"
)

func info(logic string) triage.Info {
	return triage.Info{Logic: logic, Reduces: logic != "not reduced", Solvers: map[string]triage.TargetInfo{
		"z3/fresh": {Name: "z3-4.8.12", Version: "4.8.12"}, "z3/reset": {Name: "z3-4.8.12", Version: "4.8.12"},
		"z3new/fresh": {Name: "z3-4.13.3", Version: "4.13.3"}, "cvc5/fresh": {Name: "cvc5-1.0.3", Version: "1.0.3"},
	}}
}

func crash(target, message string, class solvers.Class) oracle.Verdict {
	return oracle.Verdict{Oracle: "crash", Kind: oracle.KindCrash, Target: target, Targets: []string{target}, Class: class, Message: message, Check: -1}
}

func wrong(got, want smtlib.Answer, targets ...string) oracle.Verdict {
	return oracle.Verdict{Oracle: "known-answer", Kind: oracle.KindKnownAnswer, Target: targets[0], Targets: targets, Got: got, Want: want}
}

func disagree(got, want smtlib.Answer, blamed bool, targets, against []string) oracle.Verdict {
	v := oracle.Verdict{Oracle: "disagreement", Kind: oracle.KindDisagreement, Targets: targets, Against: against, Got: got, Want: want}
	if blamed {
		v.Target = targets[0]
	}
	return v
}

func key(v oracle.Verdict, logic string) string { return triage.Of(&v, info(logic)).Key }

func TestSignatures(t *testing.T) {
	sat, unsat := smtlib.Sat, smtlib.Unsat
	same := func(why string, a, b string) { t.Helper(); require.Equal(t, a, b, why) }
	differ := func(why string, a, b string) { t.Helper(); require.NotEqual(t, a, b, why) }

	x := key(crash("z3/fresh", "ASSERTION VIOLATION File: a.cpp Line: 3", solvers.Assertion), "QF_LIA")
	same("modes", x, key(crash("z3/reset", "ASSERTION VIOLATION File: a.cpp Line: 3", solvers.Assertion), "QF_LIA"))
	same("versions", x, key(crash("z3new/fresh", "ASSERTION VIOLATION File: a.cpp Line: 3", solvers.Assertion), "QF_LIA"))
	same("logic of a telling message", x, key(crash("z3/fresh", "ASSERTION VIOLATION File: a.cpp Line: 3", solvers.Assertion), "QF_BV"))
	differ("place", x, key(crash("z3/fresh", "ASSERTION VIOLATION File: a.cpp Line: 4", solvers.Assertion), "QF_LIA"))
	differ("solver", x, key(crash("cvc5/fresh", "ASSERTION VIOLATION File: a.cpp Line: 3", solvers.Assertion), "QF_LIA"))
	s := key(crash("z3/fresh", "SIGSEGV", solvers.Crash), "QF_LIA")
	same("logic of a bare signal", s, key(crash("z3/fresh", "SIGSEGV", solvers.Crash), "QF_BV"))
	same("mode of a bare signal", s, key(crash("z3/reset", "SIGSEGV", solvers.Crash), "QF_LIA"))
	differ("what nothing else will tell apart", s, key(crash("z3/fresh", "SIGSEGV", solvers.Crash), "not reduced"))
	differ("signal", s, key(crash("z3/fresh", "SIGABRT", solvers.Crash), "QF_LIA"))
	v := crash("z3/fresh", "SIGSEGV", solvers.Crash)
	in := info("QF_LIA")
	v.Message = "SIGSEGV in Z3_model_eval"
	require.Equal(t, "crash | z3 | crash | SIGSEGV in Z3_model_eval", triage.Of(&v, in).Text)
	differ("the call it died in", s, triage.Of(&v, in).Key)
	require.True(t, triage.Of(&v, in).Vague, "a function of a library has many causes")

	k := key(wrong(unsat, sat, "z3/fresh"), "QF_S")
	same("modes", k, key(wrong(unsat, sat, "z3/fresh", "z3/reset"), "QF_S"))
	differ("another version", k, key(wrong(unsat, sat, "z3new/fresh"), "QF_S"))
	differ("one more version", k, key(wrong(unsat, sat, "z3/fresh", "z3new/fresh"), "QF_S"))
	differ("answers", k, key(wrong(sat, unsat, "z3/fresh"), "QF_S"))
	same("logic", k, key(wrong(unsat, sat, "z3/fresh"), "QF_SLIA"))

	one, two := []string{"z3/fresh"}, []string{"cvc5/fresh"}
	d := key(disagree(unsat, sat, false, one, two), "QF_S")
	same("no side is blamed, so the order does not matter", d, key(disagree(sat, unsat, false, two, one), "QF_S"))
	differ("answers", d, key(disagree(sat, unsat, false, one, two), "QF_S"))
	differ("blame", d, key(disagree(unsat, sat, true, one, two), "QF_S"))

	c := oracle.Verdict{Oracle: "mine", Kind: "performance", Target: "z3/fresh", Targets: one, Summary: "z3: 21.5 times slower"}
	e := c
	e.Summary = "z3: 300 times slower"
	same("numbers", key(c, ""), key(e, ""))
	e.Group = "my own"
	differ("own group", key(c, ""), key(e, ""))
	require.Equal(t, "performance | my own", triage.Of(&e, info("")).Text)
}

// TestHeapCorruptionIsOneCause checks that the allocator's message and function do not distinguish causes.
func TestHeapCorruptionIsOneCause(t *testing.T) {
	in := triage.Info{Solvers: map[string]triage.TargetInfo{"y/reset": {Name: "yices2-2.6.5", Version: "2.6.5"}, "z/reset": {Name: "z3-4.8", Version: "4.8"}}}
	key := func(v oracle.Verdict) string { s := triage.Of(&v, in); require.False(t, s.Vague); return s.Text }
	want := "crash | yices2 | crash | heap corruption"
	for _, message := range []string{
		"free(): invalid pointer", "free(): double free detected in tcache 2", "double free or corruption (out)", "malloc(): corrupted top size", "malloc(): unsorted double linked list corrupted",
		"realloc(): invalid next size", "munmap_chunk(): invalid pointer", "corrupted size vs. prev_size", "corrupted double-linked list", "yices: malloc.c:2379: sysmalloc: Assertion `x' failed.",
	} {
		require.Equal(t, want, key(crash("y/reset", message, solvers.Crash)), message)
		require.Equal(t, want, key(crash("y/reset", message, solvers.Assertion)), message)
	}
	require.NotEqual(t, want, key(crash("z/reset", "free(): invalid pointer", solvers.Crash)), "another solver")
	require.NotEqual(t, want, key(crash("y/reset", "free_term: no such term", solvers.Crash)))
}

func TestSame(t *testing.T) {
	sat, unsat := smtlib.Sat, smtlib.Unsat
	same := func(v, w oracle.Verdict) bool { return triage.Same(&v, &w) }
	require.True(t, same(wrong(unsat, sat, "z3/fresh", "z3/reset"), wrong(unsat, sat, "z3/reset")))
	require.False(t, same(wrong(unsat, sat, "z3/fresh"), wrong(unsat, sat, "cvc5/fresh")))
	require.False(t, same(wrong(unsat, sat, "z3/fresh"), wrong(sat, unsat, "z3/fresh")))
	require.False(t, same(crash("z3/fresh", "a", solvers.Crash), crash("z3/fresh", "b", solvers.Crash)))
	require.False(t, same(crash("z3/fresh", "a", solvers.Crash), crash("z3/fresh", "a", solvers.Assertion)))
	freed, consolidated := crash("z3/fresh", "free(): invalid pointer", solvers.Crash), crash("z3/fresh", "malloc_consolidate(): unaligned fastbin chunk detected", solvers.Assertion)
	require.True(t, same(freed, consolidated), "the allocator notices it anywhere")
	require.False(t, same(freed, crash("z3/fresh", "SIGSEGV", solvers.Crash)), "which may have any cause")
	require.False(t, same(freed, crash("z3/fresh", "SIGSEGV: a check failed", solvers.Crash)))
	require.False(t, same(freed, crash("cvc5/fresh", "free(): invalid pointer", solvers.Crash)))
	one, two := []string{"z3/fresh", "z3new/fresh"}, []string{"cvc5/fresh"}
	d := disagree(unsat, sat, true, two, one)
	require.True(t, same(d, disagree(sat, unsat, false, one[:1], two)), "with fewer targets the sides may swap")
	require.False(t, same(d, disagree(unsat, sat, false, one[:1], two)), "that is the opposite")
	core := oracle.Verdict{Oracle: "cores", Kind: oracle.KindInvalidCore, Target: "x", Targets: []string{"x"}, Got: unsat, Summary: "x: its unsat assumptions are sat"}
	twice := core
	twice.Summary = "x: " + oracle.AssumptionTwice
	require.True(t, same(core, core))
	require.True(t, same(twice, twice))
	require.False(t, same(core, twice), "one leaves an assumption out, the other mixes them up")
}

func TestSlug(t *testing.T) {
	slug := func(v oracle.Verdict, logic string) string { return triage.Slug(&v, info(logic)) }
	require.Equal(t, "z3-4.8.12-unsat-for-sat-QF_LIA", slug(wrong(smtlib.Unsat, smtlib.Sat, "z3/fresh", "z3/reset"), "QF_LIA"))
	require.Equal(t, "z3-crash-SIGSEGV-QF_LIA", slug(crash("z3/fresh", "SIGSEGV", solvers.Crash), "QF_LIA"))
	require.Equal(t, "z3-assertion-a.cpp-3", slug(crash("z3/fresh", "ASSERTION VIOLATION File: ../a.cpp Line: 3", solvers.Assertion), "QF_LIA"))
	ok := regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,59}$`)
	rapid.Check(t, func(t *rapid.T) {
		v := oracle.Verdict{Kind: rapid.SampledFrom([]string{oracle.KindCrash, oracle.KindKnownAnswer, oracle.KindDisagreement, "x/../y"}).Draw(t, "kind"), Message: rapid.String().Draw(t, "message"), Targets: rapid.SliceOf(rapid.String()).Draw(t, "targets"), Class: solvers.Crash}
		require.Regexp(t, ok, slug(v, rapid.String().Draw(t, "logic")))
	})
}
