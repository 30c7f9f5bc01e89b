package coordinator

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/campaign/ledger"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/judge/triage"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// joining is a store that remembers which findings were joined.
type joining struct {
	saved  int
	joined []string
}

func (s *joining) Known() ([]*finding.Finding, error) { return nil, nil }

func (s *joining) Update(*finding.Finding) error { return nil }

func (s *joining) Save(f *finding.Finding) error {
	s.saved++
	f.Number, f.Dir = s.saved, fmt.Sprint(s.saved)
	return nil
}

func (s *joining) Join(to, from *finding.Finding, reason string) (bool, error) {
	s.joined = append(s.joined, fmt.Sprintf("%d into %d: %s", from.Number, to.Number, reason))
	return true, nil
}

// findingsOf are the parts of a campaign with findings of one symptom that were reduced to some cases. Most cases of
// the campaign have the common operators.
func findingsOf(t *testing.T, symptom string, store *joining, common ...string) (p *parts, add func(reduced string) *ledger.Group) {
	p = newParts(&finding.Plan{Reduces: true}, store)
	l := p.s.ledger
	l.Tally = metrics.Tally{Cases: 100, With: map[string]float64{}}
	for _, op := range common {
		l.Tally.With[op] = 90
	}
	add = func(reduced string) *ledger.Group {
		script, err := smtlib.Parse("min", []byte(reduced+"(check-sat)"), smt.NewArena())
		require.NoError(t, err)
		small := (&testcase.Case{Script: script}).Wire()
		f := &finding.Finding{SignedVerdict: finding.SignedVerdict{Verdict: oracle.Verdict{Kind: "known-answer"}, Signature: triage.Signature{Key: "k", Text: symptom, Vague: true}},
			Case: small, Smaller: finding.Smaller{Min: small}, Reproduction: finding.Reproduction{Hits: 3, Tries: 3}, Sightings: finding.Sightings{Count: 1}}
		g := &ledger.Group{Finding: f, State: ledger.Confirmed, Reduced: true, Bucket: l.Bucket("k")}
		if g.Bucket != nil {
			p.s.candidateDone(g)
			return g
		}
		l.Add(g)
		p.s.storeConfirmed(g)
		p.s.refineSignature(g)
		return g
	}
	return p, add
}

// Wrong answers of z3 4.13.3 as campaigns found and reduced them: str.from_sbv and str.from_ubv are two causes,
// whatever else a reduced case has.
func TestSupersetsOfOneCauseAreJoined(t *testing.T) {
	store := &joining{}
	p, add := findingsOf(t, "known-answer | z3-4.13.3 | unsat for sat", store, "str.<")
	const v = "(declare-const v (_ BitVec 1))"
	first := add(v + `(assert (str.< (str.from_sbv v) "a"))`)
	add(v + `(assert (str.< (str.from_ubv v) "a"))`)
	require.Equal(t, 2, p.s.stats.Findings.New)
	plain := add(v + `(assert (distinct "" (str.from_sbv v)))`)
	require.Equal(t, []string{"1 into 3: it was reduced to str.< str.from_sbv, which has all of the other one: str.from_sbv"}, store.joined)
	require.Equal(t, plain, first.Joined)
	require.Equal(t, 2, plain.Finding.Count)
	add(v + `(assert (distinct "" (str.from_ubv v)))`)
	require.Len(t, store.joined, 2)
	add(v + `(assert (str.< "b" (str.++ (str.from_ubv v) "a")))`)
	require.Equal(t, 4, store.saved, "it is counted at the one that explains it")
	require.Equal(t, 2, p.s.stats.Findings.New)

	add(`(declare-const s String)(assert (str.< s "a"))`) // what nearly every case has explains nothing
	require.Equal(t, 3, p.s.stats.Findings.New)
	require.Len(t, store.joined, 2)
	add(`(declare-const s String)(assert (str.< s (str.replace s s s)))`)
	require.Equal(t, 4, p.s.stats.Findings.New)
}

// Crashes of Boolector 3.2.4 that print only a signal. Their cause is get-value of an array.
func TestCrashesWithoutAMessage(t *testing.T) {
	store := &joining{}
	p, add := findingsOf(t, "crash | boolector | crash | SIGSEGV", store, "bvult")
	const a = "(declare-const a (Array (_ BitVec 1) (_ BitVec 1)))"
	add(a + "(check-sat-assuming ((bvugt (select a #b1) #b0)))(get-value (a))")
	require.Equal(t, "(check-sat-assuming) asked Array bvult select", strings.Join(p.s.ledger.Groups()[0].Finding.Signature.Skeleton, " "))
	add(a + "(check-sat)(get-value ((store a #b0 #b0)))")
	add(a + "(check-sat)(get-value (a #b0))")
	require.Equal(t, 1, p.s.stats.Findings.New)
	require.Len(t, store.joined, 1)
	add("(declare-const x (_ BitVec 8))(assert (bvugt x (bvmul x x)))")
	require.Equal(t, 2, p.s.stats.Findings.New, "another cause")
}

// Without a store that can join, and before enough cases were counted, findings stay as they are.
func TestNothingIsJoinedInTheDark(t *testing.T) {
	store := &joining{}
	p, add := findingsOf(t, "known-answer | z3-4.13.3 | unsat for sat", store)
	p.s.ledger.Tally = metrics.Tally{Cases: metrics.EnoughCases - 1, With: map[string]float64{}}
	const v = "(declare-const v (_ BitVec 1))"
	add(v + `(assert (str.< (str.from_sbv v) "a"))`)
	add(v + `(assert (distinct "" (str.from_sbv v)))`)
	require.Equal(t, 2, p.s.stats.Findings.New)
	require.Empty(t, store.joined)
}

// A call beside the checks tells causes apart as a place does, so that a case without any operator explains the others.
func TestACallOfALibraryTells(t *testing.T) {
	for call, findings := range map[string]int{"Z3_model_eval": 1, "Z3_solver_check": 2} {
		store := &joining{}
		p, add := findingsOf(t, "crash | libz3 | crash | SIGSEGV in "+call, store)
		add("(declare-const x (_ BitVec 8))(assert (= x (bvmul x x)))")
		add("")
		require.Equal(t, findings, p.s.stats.Findings.New, call)
	}
}

func TestTally(t *testing.T) {
	script, err := smtlib.Parse("c", []byte("(declare-const x (_ BitVec 8))(assert (= x (bvmul x x)))(check-sat)"), smt.NewArena())
	require.NoError(t, err)
	c := &testcase.Case{Script: script}
	var w, all metrics.Tally
	for n := range uint64(metrics.FirstTallied + 2*metrics.TallyEvery) {
		w.Add(c, n)
	}
	all.Join(w.Take())
	require.Nil(t, w.Take())
	all.Join(nil)
	require.Equal(t, float64(all.Cases), all.With["bvmul"], "it is the only operator of each case")
	require.InDelta(t, metrics.FirstTallied+2, all.Cases, 1)
	require.False(t, all.Rare("bvmul"))
	require.True(t, all.Rare("bvudiv"))
}

// In a campaign of probes nearly every case has an operator, and it is rare all the same: each case has most of those
// there are.
func TestTallyOfCasesWithManyOperators(t *testing.T) {
	const many = "(assert (bvult (bvadd x (bvmul x (bvudiv x x))) (bvurem (bvor x (bvand x x)) (bvxor x (bvsub (bvshl x x) (bvlshr x (bvashr x (bvneg (bvsrem x (bvsmod x (bvsdiv x x)))))))))))"
	script, err := smtlib.Parse("c", []byte("(declare-const x (_ BitVec 8))"+many+"(check-sat)"), smt.NewArena())
	require.NoError(t, err)
	var tally metrics.Tally
	for n := range uint64(metrics.FirstTallied) {
		tally.Add(&testcase.Case{Script: script}, n)
	}
	require.True(t, tally.Rare("bvult"))
	require.InDelta(t, triage.FewOperators/16.0, tally.Frequency("bvult"), 0.001)
}

// A disagreement of which a model shows who is wrong is a wrong answer: it is looked at beside those that are known by
// construction, and no finding of its own before it was reduced.
func TestASettledDisagreementIsAWrongAnswer(t *testing.T) {
	x := newCrashes(t)
	const script = "(declare-const x (_ BitVec 3))(assert (bvult (concat x #b1) (concat x #b0)))"
	parsed, err := smtlib.Parse("case", []byte(script+"(check-sat)"), smt.NewArena())
	require.NoError(t, err)
	see := func(first, confirmed oracle.Verdict) *ledger.Group {
		x.n++
		text := (&testcase.Case{Script: parsed, Origin: testcase.Origin{Number: x.n}}).Wire()
		x.s.takeVerdict(&finding.SignedVerdict{Verdict: first, Signature: triage.Of(&first, x.s.plan.Signed()), Operators: triage.Operators(parsed)}, &wire.CaseResult{N: x.n, Case: text})
		g := x.s.queue.nextConfirm(always)
		x.s.takeConfirmation(g, &wire.Confirmed{Repetitions: wire.Repetitions{Hits: 3, Tries: 3, Said: &confirmed}}, "")
		return g
	}
	wrong := oracle.Verdict{Oracle: "known-answer", Kind: oracle.KindKnownAnswer, Target: "a", Targets: []string{"a"}, Got: smtlib.Unsat, Want: smtlib.Sat}
	first := see(wrong, wrong)
	require.Equal(t, 1, x.s.stats.Findings.New)
	open := oracle.Verdict{Oracle: "disagreement", Kind: oracle.KindDisagreement, Targets: []string{"a"}, Against: []string{"z3"}, Got: smtlib.Unsat, Want: smtlib.Sat}
	settled := open
	settled.Target, settled.Settled = "a", true
	other := see(open, settled)
	require.Equal(t, 1, x.s.stats.Findings.New)
	require.Equal(t, first.Finding.Signature.BucketKey(), other.Finding.Signature.BucketKey())
	require.Equal(t, 1, x.s.ledger.BucketOf(first).Waiting())
	require.NotContains(t, x.s.ledger.Groups(), other)
	require.Equal(t, first, x.s.ledger.Group(triage.Of(&open, x.s.plan.Signed()).Key), "what disagrees in the same way is counted there")
}
