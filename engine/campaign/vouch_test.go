package campaign_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/campaign/coordinator"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// honest answers unsat if something is below 5 and above 10 in a plain script, unless it is to lie or to know nothing.
type honest struct {
	solver *solvers.Solver
	says   smtlib.Answer // in the place of the truth
	knows  string        // it says unknown to cases without this; "" knows all
}

func (h *honest) Name() string            { return h.solver.Name }
func (h *honest) Solver() *solvers.Solver { return h.solver }
func (h *honest) Mode() solvers.Mode      { return solvers.Fresh }
func (h *honest) Close() error            { return nil }

func (h *honest) Run(_ context.Context, q *solvers.Query, _ solvers.Limits) *solvers.Run {
	text := q.Text()
	answer := smtlib.Sat
	if strings.Contains(text, "(< x 5)") && strings.Contains(text, "(> x 10)") {
		answer = smtlib.Unsat
	}
	if h.says != smtlib.None {
		answer = h.says
	}
	if !strings.Contains(text, h.knows) || strings.Contains(text, "get-info") {
		answer = smtlib.Unknown
	}
	return &solvers.Run{Target: h.Name(), Solver: h.solver.Name, Version: h.solver.Version, Mode: solvers.Fresh, Class: solvers.OK,
		Answers: []smtlib.Answer{answer}, Argv: []string{h.solver.Path, "case.smt2"}}
}

// vouchers are those that the setting names.
func (f *fake) vouchers() (out []solvers.Target) {
	profile := &solvers.Profile{Name: "honest"}
	named := func(name, version string) *solvers.Solver {
		return &solvers.Solver{Name: name + "-" + version, Version: version, Path: "/bin/" + name, Profile: profile}
	}
	for _, w := range strings.Fields(f.set["vouch"]) {
		switch w {
		case "honest":
			out = append(out, &honest{solver: named("honest", "3.0")})
		case "early": // until an assertion goes that it needs
			out = append(out, &honest{solver: named("early", "4.0"), knows: "(not (= x"})
		case "liar":
			out = append(out, &honest{solver: named("liar", "5.0"), says: smtlib.Sat})
		case "believer": // in everything being unsat
			out = append(out, &honest{solver: named("believer", "6.0"), says: smtlib.Unsat})
		}
	}
	return out
}

// A wrong sat is made smaller while a reference solver confirms that the smaller case is unsat, and nobody trusted
// denies it.
func TestVouchers(t *testing.T) {
	for _, x := range []struct {
		vouchers string
		asserts  int // that are left; 0: it is not reduced
		by       []string
		reason   string
	}{
		{"honest", 3, []string{"honest-3.0"}, ""},
		{"liar early honest", 3, []string{"early-4.0", "honest-3.0"}, ""},
		{"believer honest", 3, []string{"believer-6.0", "honest-3.0"}, ""},
		{"liar", 0, nil, "no other solver gives the right answer, so nothing can tell that a smaller case is still unsat; the same answer comes from liar-5.0"},
	} {
		t.Run(x.vouchers, func(t *testing.T) {
			cfg := config(t, 1, map[string]string{"vouch": x.vouchers, "reduce": "yes"})
			store := cfg.Store.(*memStore)
			_, err := coordinator.Run(t.Context(), cfg)
			require.NoError(t, err)
			require.Len(t, store.saved, 1)
			f := store.final()[1]
			require.Equal(t, smtlib.Unsat, f.Verdict.Want)
			require.Equal(t, x.reason, f.Reduced.Reason)
			require.Equal(t, x.by, f.Reduced.ConfirmedBy)
			if x.asserts == 0 {
				require.Nil(t, f.Min)
				return
			}
			c, err := f.Min.Case(smt.NewArena())
			require.NoError(t, err)
			require.Len(t, c.Script.Asserts(), x.asserts, f.Min.Script)
			require.Contains(t, f.Min.Script, "(< x 5)")
			require.Contains(t, f.Min.Script, "(> x 10)")
			var who []string
			for _, r := range f.MinRuns {
				who = append(who, r.Solver)
			}
			require.Subset(t, who, append([]string{"bad-2.0"}, x.by...))
		})
	}
}

// If a target fails only with the model queries of the campaign's oracles, the stored case includes these queries, so
// that it can be replayed by itself.
func TestStoredCaseShowsItByItself(t *testing.T) {
	for _, asked := range []string{"asked", "wrong"} {
		cfg := config(t, 11, map[string]string{asked: "10", "asked": "10", "reduce": "yes"})
		if asked == "wrong" {
			cfg.Options.Set["asked"] = "1000"
		}
		store := cfg.Store.(*memStore)
		_, err := coordinator.Run(t.Context(), cfg)
		require.NoError(t, err)
		require.NotEmpty(t, store.saved)
		f := store.final()[1]
		require.Equal(t, []int{3, 3}, []int{f.Hits, f.Tries})
		require.Equal(t, asked == "asked", strings.Contains(f.Case.Script, "(get-model)"), f.Case.Script)
		require.Empty(t, f.Reduced.Reason, "it was not lost on the way")
	}
}

// Repetitions that say other things are told apart: what shows the verdict now and then depends on more than its input.
func TestRepetitionsThatDiffer(t *testing.T) {
	cfg := config(t, 11, map[string]string{"first": "10"})
	_, err := coordinator.Run(t.Context(), cfg)
	require.NoError(t, err)
	f := cfg.Store.(*memStore).final()[1]
	require.Equal(t, []int{1, 3}, []int{f.Hits, f.Tries})
	require.Equal(t, []string{"bad-2.0/reset: check-sat 1 is unsat in one run, sat in another"}, f.Varies)
	cfg = config(t, 11, map[string]string{"wrong": "10"})
	_, err = coordinator.Run(t.Context(), cfg)
	require.NoError(t, err)
	require.Empty(t, cfg.Store.(*memStore).final()[1].Varies)
}
