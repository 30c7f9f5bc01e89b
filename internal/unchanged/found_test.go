package unchanged_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/coordinator"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/testcase"
)

// maxReduced bounds how many cases of a technique are reduced.
const maxReduced = 6

// operators are those with planted defects: a case fails if it applies one of them before its last check-sat.
var operators = []string{"bvmul", "bvlshr", "+", "div", "*", "str.++", "str.indexof", "fp.add", "fp.lt", "select", "store", "ite", "match", "<"}

// planted returns the first operator that a case applies.
func planted(c *testcase.Case) string {
	text := string(c.Text())
	last := strings.LastIndex(text, "(check-sat")
	if last < 0 {
		return ""
	}
	for i := range operators {
		op := operators[(i+int(c.Origin.Number))%len(operators)]
		if strings.Contains(text[:last], "("+op+" ") {
			return op
		}
	}
	return ""
}

// TestReducedCasesAreWhatTheyWere reduces cases with a planted defect by the reducer that campaigns use by default.
func TestReducedCasesAreWhatTheyWere(t *testing.T) {
	head, dir := isolate(t), folder(t)
	var file hashes
	for _, tech := range techniques {
		if !slices.Contains([]string{"storm", "fusion", "opfuzz", "typefuzz", "walk", "probe", "walk of one theory"}, tech.name) {
			continue
		}
		plan := load(t, dir, tech.load+head+fmt.Sprintf("\ncampaign(technique = %s, seeds = corpus.files(\"seeds\"), targets = [solver(fake(\"like_generic\"), mode = \"reset\")])\n", tech.expr))
		file.begin(tech.name)
		for n := uint64(0); file.count < maxReduced; n++ {
			c, err := plan.Technique.Make(context.Background(), n, rng.New(1).Split(n))
			if errors.Is(err, campaign.ErrSkip) {
				continue
			}
			require.NoError(t, err)
			c.Origin.Number = n
			op := planted(c)
			if op == "" || len(c.Text()) > 6000 {
				continue
			}
			fails := func(c *testcase.Case) bool {
				text := string(c.Text())
				last := strings.LastIndex(text, "(check-sat")
				return last >= 0 && strings.Contains(text[:last], "("+op+" ")
			}
			small, err := plan.Reducer.Reduce(context.Background(), c, fails, nil)
			require.NoError(t, err)
			require.True(t, fails(small))
			require.Less(t, len(small.Text()), len(c.Text()))
			file.add(fmt.Sprintf("%d:%s:%s", n, op, hashOf(small)))
		}
	}
	file.check(t, "reduced.txt")
}

// memory is a store of findings that keeps the latest state of each.
type memory struct{ found []*finding.Finding }

func (m *memory) Known() ([]*finding.Finding, error) { return nil, nil }

func (m *memory) Save(f *finding.Finding) error {
	m.found = append(m.found, f)
	f.Number, f.Dir = len(m.found), fmt.Sprint(len(m.found))
	return nil
}

func (m *memory) Update(*finding.Finding) error { return nil }

// recorded is a campaign with two targets that answer wrongly or die on demand, and one correct target. Their answers
// depend on the text of the case.
const recorded = `
PLANTS = {
    "bvmul": "wrong", "bvudiv": "wrong", "bvor": "wrong",
    "bvurem": "assert/rewriter.cpp:120: void rewriter::mk_urem(expr*)", "bvand": "assert/rewriter.cpp:210: void rewriter::mk_and(expr*)",
    "bvlshr": "trace/get_sort<mk_lshr<simplify<check", "bvneg": "glibc/free():_invalid_pointer",
}
bad = fake("bad", args = ["--plant=" + ",".join([op + ":" + what for op, what in PLANTS.items()])])
good = fake("good")

def technique(seeds, rng):
    op = list(PLANTS)[rng.turn % len(PLANTS)] if rng.turn % 4 else None
    noise = ["(bvult x y)", "(= (bvadd x y) z)", "(bvsle z (bvsub y x))", "(or (= x y) (bvugt y z))", "(distinct x y z)"]
    asserts = [rng.pick(noise) for _ in range(rng.int(1, 4))]
    if op:
        asserts.append("(bvuge (bvadd %s z) x)" % ("(bvneg (bvsub x y))" if op == "bvneg" else "(%s (bvsub x y) y)" % op))
    text = "(set-logic QF_BV)" + "".join(["(declare-const %s (_ BitVec 8))" % v for v in ("x", "y", "z")])
    for f in rng.shuffle(asserts):
        text += "(assert %s)" % f
    return smt.case(text + "(set-info :status sat)(check-sat)")

campaign(technique = technique, targets = [solver(bad, mode = "fresh"), solver(bad, mode = "reset"), solver(good, mode = "reset")], reduce_for = 600, confirm = 2, full_timeout = True, limits = {"timeout": 120})
`

// TestVerdictsAreWhatTheyWere runs a campaign and checks which verdicts become findings, with their signatures and
// reduced cases.
func TestVerdictsAreWhatTheyWere(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("processes do not die by signals there, so the planted crashes have other signatures")
	}
	head, dir := isolate(t), folder(t)
	executable, err := os.Executable()
	require.NoError(t, err)
	var store memory
	stats, err := coordinator.Run(context.Background(), coordinator.Config{
		File: "unchanged.star", Options: finding.Inputs{Seed: 1, Text: head + recorded, Dir: dir}, Workers: 1, Stop: finding.Stop{Cases: 84},
		Command: []string{executable}, Env: []string{workerEnv + "=1"}, Store: &store, Drain: 5 * time.Minute,
	})
	require.NoError(t, err)
	require.EqualValues(t, 84, stats.Cases)
	slices.SortFunc(store.found, func(a, b *finding.Finding) int { return strings.Compare(a.Signature.Key, b.Signature.Key) })
	var file hashes
	for _, f := range store.found {
		require.NotNil(t, f.Min, "%s: %s", f.Verdict.Summary, f.Reduced.Reason)
		fmt.Fprintf(&file.text, "\n%s %s\n %v\n %d verdicts, first in case %v; mode %s, %d of %d; needs %q; check %d\n %v\n", f.Slug, f.Signature.Key, f.Verdict.Targets, f.Count, f.Examples[0], f.Mode, f.Hits, f.Tries, f.Needs, f.SmallestCheck(), f.Verdict.Summary)
		for _, line := range strings.Split(strings.TrimSpace(f.Min.Script), "\n") {
			fmt.Fprintf(&file.text, " | %s\n", line)
		}
	}
	fmt.Fprintf(&file.text, "\n%d cases, %d findings, %d flaky\n", stats.Cases, stats.Findings.New, stats.Findings.Flaky)
	file.check(t, "verdicts.txt")
}
