package eval

import (
	"fmt"
	"math/big"
	"os"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/eval/internal/ground"
	"github.com/smtlark/smtlark/engine/rng"
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
)

// theory is a set of operators that are tested together.
type theory struct {
	name    string
	names   []string // of the theories in the operator table
	solvers []string
	result  func(g *termGen) smt.Sort
	sorts   func(a *smt.Arena) []smt.Sort
	skip    string // operators left out, as their values are not rational or not specified
	prelude string
}

func oneOf(g *termGen, sorts ...smt.Sort) smt.Sort { return sorts[g.r.Intn(len(sorts))] }

var theories = []theory{
	{name: "BV", names: []string{"FixedSizeBitVectors", "BitVectorExtensions", "Core"}, solvers: []string{"z3", "cvc5", "bitwuzla"},
		result: func(g *termGen) smt.Sort { return oneOf(g, smt.SortBool, g.a.BitVec(g.width()), g.a.BitVec(g.width())) },
		sorts:  func(a *smt.Arena) []smt.Sort { return []smt.Sort{a.BitVec(8), a.BitVec(3), a.BitVec(65), smt.SortBool} }, skip: "ubv_to_int sbv_to_int int_to_bv"},
	{name: "Ints", names: []string{"Ints", "Arith", "Core"}, solvers: []string{"z3", "cvc5"},
		result: func(g *termGen) smt.Sort { return oneOf(g, smt.SortInt, smt.SortBool) },
		sorts:  func(a *smt.Arena) []smt.Sort { return []smt.Sort{smt.SortInt, smt.SortBool} }, skip: "^ int.pow2"},
	{name: "Reals", names: []string{"Ints", "Reals", "Reals_Ints", "Core"}, solvers: []string{"z3", "cvc5"},
		result: func(g *termGen) smt.Sort { return oneOf(g, smt.SortInt, smt.SortReal, smt.SortBool) },
		sorts:  func(a *smt.Arena) []smt.Sort { return []smt.Sort{smt.SortInt, smt.SortReal} }},
	{name: "BVInt", names: []string{"FixedSizeBitVectors", "Ints", "Core"}, solvers: []string{"z3", "cvc5"},
		result: func(g *termGen) smt.Sort { return oneOf(g, smt.SortInt, g.a.BitVec(g.width())) },
		sorts:  func(a *smt.Arena) []smt.Sort { return []smt.Sort{smt.SortInt, a.BitVec(9)} }},
	{name: "FP", names: []string{"FloatingPoint", "Core"}, solvers: []string{"z3", "cvc5", "bitwuzla"},
		result: func(g *termGen) smt.Sort {
			eb, sb := g.format()
			return oneOf(g, smt.SortBool, g.a.Float(eb, sb), g.a.Float(eb, sb), g.a.BitVec(1+g.r.Intn(70)), smt.SortReal)
		},
		sorts: func(a *smt.Arena) []smt.Sort { return []smt.Sort{a.Float(5, 11), a.Float(8, 24), a.Float(3, 5)} }},
	{name: "Strings", names: []string{"Strings", "StringExtensions"}, solvers: []string{"z3", "cvc5"},
		result: func(g *termGen) smt.Sort { return oneOf(g, smt.SortString, smt.SortInt, smt.SortBool) },
		sorts:  func(a *smt.Arena) []smt.Sort { return []smt.Sort{smt.SortString, smt.SortInt} }, skip: "str.from_ubv str.from_sbv"},
	{name: "Arrays", names: []string{"ArraysEx", "Core", "Ints"}, solvers: []string{"z3", "cvc5"},
		result: func(g *termGen) smt.Sort { return oneOf(g, g.sort(), smt.SortBool) },
		sorts: func(a *smt.Arena) []smt.Sort {
			i := a.Array(smt.SortInt, smt.SortInt)
			return []smt.Sort{i, a.Array(smt.SortInt, i), a.Array(a.BitVec(2), smt.SortBool), a.Array(smt.SortBool, a.BitVec(2)), a.Array(a.Array(smt.SortBool, smt.SortBool), smt.SortInt)}
		}, skip: "default eqrange div mod"},
	{name: "Seqs", names: []string{"Sequences"}, solvers: []string{"z3", "cvc5"},
		result: func(g *termGen) smt.Sort { return oneOf(g, g.sort(), smt.SortBool) },
		sorts: func(a *smt.Arena) []smt.Sort {
			return []smt.Sort{smt.SortInt, a.Seq(smt.SortInt), a.Seq(a.Seq(smt.SortInt)), a.Seq(smt.SortBool)}
		}},
	{name: "Sets", names: []string{"Sets", "Core"}, solvers: []string{"cvc5"},
		result: func(g *termGen) smt.Sort { return oneOf(g, g.sort(), smt.SortBool, smt.SortInt) },
		sorts: func(a *smt.Arena) []smt.Sort {
			return []smt.Sort{smt.SortInt, a.Set(smt.SortInt), a.Set(a.Set(smt.SortInt))}
		}, skip: "set.choose set.universe set.complement"},
	{name: "Bags", names: []string{"Bags", "Core"}, solvers: []string{"cvc5"},
		result: func(g *termGen) smt.Sort { return oneOf(g, g.sort(), smt.SortBool, smt.SortInt) },
		sorts:  func(a *smt.Arena) []smt.Sort { return []smt.Sort{smt.SortInt, a.Bag(smt.SortInt), smt.SortBool} }, skip: "bag.choose"},
	{name: "Fields", names: []string{"FiniteFields", "Core"}, solvers: []string{"cvc5"},
		result: func(g *termGen) smt.Sort { return oneOf(g, g.sort(), smt.SortBool) },
		sorts:  func(a *smt.Arena) []smt.Sort { return []smt.Sort{a.FiniteField(big.NewInt(17))} }},
}

// operatorsOf returns the rows of a theory that a solver has.
func (th *theory) operatorsOf(solver string) []*smt.OpInfo {
	var ops []*smt.OpInfo
	for _, op := range smt.Ops() {
		if slices.Contains(th.names, op.Theory) && op.SupportedBy(solver) && !slices.Contains(strings.Fields(th.skip), op.Name) {
			ops = append(ops, op)
		}
	}
	return ops
}

func agreeCount() int {
	if os.Getenv("SMTLARK_DEEP") != "" {
		return 200_000
	}
	return 600
}

// TestAgreement compares values of random ground terms with what solvers say.
func TestAgreement(t *testing.T) {
	for _, th := range theories {
		for _, s := range ground.Solvers(t, th.solvers...) {
			t.Run(th.name+"/"+s.String(), func(t *testing.T) { compareTheory(t, &th, s) })
		}
	}
}

func compareTheory(t *testing.T, th *theory, s ground.Solver) {
	const batch = 500
	n, unknown, compared := agreeCount(), 0, 0
	refused := map[string]int{}
	explained := map[string]int{}
	r := rng.New(1).SplitString(th.name).SplitString(s.Name)
	for done := 0; done < n; {
		a := smt.NewArena()
		g := newTermGen(a, r, th.operatorsOf(s.Name), th.sorts(a))
		var terms, equalities, values []string
		for tries := 0; len(terms) < min(batch, n-done) && tries < 20*batch; tries++ {
			text := g.term(th.result(g), 1+r.Intn(4))
			term, err := smtlib.ParseTerm(a, nil, text)
			require.NoError(t, err, text)
			v, err := New(a, nil).Eval(term)
			if err != nil {
				unknown++
				continue
			}
			if len(text) > 4000 || v.kind == kRegex {
				continue
			}
			terms = append(terms, text)
			values = append(values, v.Text(a))
			equalities = append(equalities, fmt.Sprintf("(= %s %s)", text, v.Text(a)))
		}
		require.NotEmpty(t, terms)
		done += len(terms)
		for i, answer := range s.Values(t, equalities, 20*time.Second) {
			switch answer {
			case "true":
				compared++
			case "false":
				if why := knownDifference(s, terms[i]); why != "" {
					explained[why]++
					continue
				}
				t.Errorf("%s\n  we say %s", terms[i], values[i])
			default:
				first, _, _ := strings.Cut(answer, "\n")
				refused[cut(first, 150)]++
			}
		}
	}
	t.Logf("%d agree, %d not known to us and left out", compared, unknown)
	for _, m := range []map[string]int{explained, refused} {
		var lines []string
		for what, k := range m {
			lines = append(lines, fmt.Sprintf("%6d %s", k, what))
		}
		sort.Sort(sort.Reverse(sort.StringSlice(lines)))
		t.Logf("%d not compared or explained:\n%s", len(m), strings.Join(lines[:min(len(lines), 12)], "\n"))
	}
}

// knownDifference explains an answer of a solver that the standard contradicts; "" if nothing does.
func knownDifference(s ground.Solver, term string) string { return "" }
