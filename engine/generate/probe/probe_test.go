package probe

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/generate/gen"
	"github.com/smtlark/smtlark/engine/ground/cells"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/literal"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
	"github.com/smtlark/smtlark/internal/lacktest"
	"github.com/smtlark/smtlark/solvers/rule"
)

// configuration is that of a kind of solvers and some theories; none: all.
func configuration(t testing.TB, kind string, theories ...string) *ProbeConfig {
	cfg := &ProbeConfig{Gen: gen.Config{Theories: theories, MaxWidth: 200, Rules: gen.Exclusions{Kinds: []string{kind}}}, Probes: 24}
	var err error
	cfg.Table, err = NewTable(&cfg.Gen)
	require.NoError(t, err)
	return cfg
}

func makeCase(t testing.TB, cfg *ProbeConfig, turn uint64) *testcase.Case {
	c, err := Make(smt.NewArena(), rng.New(7).Split(turn), turn, cfg)
	require.NoError(t, err)
	return c
}

func TestTurnsVisitEveryCellOnce(t *testing.T) {
	table := configuration(t, "z3").Table
	require.Greater(t, table.Cells(), 10_000)
	seen := map[cell]bool{}
	for turn := range table.Blocks(4) {
		for _, c := range table.block(uint64(turn), 4) {
			require.False(t, seen[c], "%v", c)
			seen[c] = true
		}
	}
	require.Len(t, seen, table.Cells())
}

func TestEveryOperatorHasCells(t *testing.T) {
	cfg := configuration(t, "cvc5")
	g, err := gen.New(smt.NewArena(), rng.New(1), cfg.Gen, &maker{})
	require.NoError(t, err)
	for _, x := range g.Alternatives() {
		require.True(t, slices.ContainsFunc(cfg.Table.Rows, func(r cells.Row) bool { return r.Name == x.Op.Info().Name }), x.Op)
	}
}

// TestWhatIsKnownHolds evaluates, in the witness of a case, its assertions at each check that is expected to be sat.
func TestWhatIsKnownHolds(t *testing.T) {
	made := map[string]bool{}
	open, checked := 0, 0
	for _, kind := range []string{"z3", "cvc5", "bitwuzla"} {
		cfg := configuration(t, kind)
		for turn := range uint64(180) {
			c := makeCase(t, cfg, turn)
			if c == nil {
				continue
			}
			for _, step := range c.Origin.Steps {
				made[step] = true
			}
			ev := eval.New(c.Script.Arena, c.Witness)
			var levels [][]smt.Term
			levels = append(levels, nil)
			check := 0
			for i := range c.Script.Commands {
				switch cmd := &c.Script.Commands[i]; {
				case cmd.Kind == smtlib.CmdPush:
					levels = append(levels, nil)
				case cmd.Kind == smtlib.CmdPop:
					levels = levels[:len(levels)-1]
				case cmd.Kind == smtlib.CmdAssert:
					levels[len(levels)-1] = append(levels[len(levels)-1], cmd.Terms[0])
				case cmd.Kind.IsCheck():
					all := true
					for _, term := range slices.Concat(append(slices.Clone(levels), cmd.Terms)...) {
						holds, known := ev.Holds(term)
						if !known { // that an operator is a function where its values are left open
							open++
							holds = c.ExpectAt(check) == smtlib.Sat
						}
						checked++
						all = all && holds
					}
					require.Equal(t, c.ExpectAt(check) == smtlib.Sat, all, "%s turn %d check %d:\n%s", kind, turn, check, c.Script.Text())
					check++
				}
			}
			require.Equal(t, len(c.Expect), check)
			_, err := smtlib.Parse("probe", c.Text(), smt.NewArena())
			require.NoError(t, err, c.Script.Text())
		}
	}
	require.Less(t, open, checked/20)
	for _, name := range []string{"bvsmod", "repeat", "rotate_left", "fp.rem", "to_fp", "str.replace_re", "div", "select", "distinct"} {
		require.True(t, made[name], name)
	}
}

// TestConstructionsHold evaluates the claims about functions and arrays.
func TestConstructionsHold(t *testing.T) {
	cfg := configuration(t, "cvc5")
	made := 0
	for i, s := range cfg.Table.subjects {
		if s.construct == nil {
			continue
		}
		for seed := range uint64(60) {
			m := &maker{cfg: cfg, table: cfg.Table}
			g, err := gen.New(smt.NewArena(), rng.New(seed), cfg.Gen, m)
			require.NoError(t, err)
			m.g = g
			p, ok := m.probeCell(cell{row: i})
			if !ok {
				continue
			}
			made++
			for _, pin := range m.pins {
				holds, known := g.Ev.Holds(pin)
				require.True(t, known && holds, "%s: %s", cfg.Table.Rows[i].Name, smtlib.TermText(g.A, pin))
			}
			v, err := g.Ev.Eval(p.term)
			require.NoError(t, err)
			require.Equal(t, value.True, value.Equal(v, p.value), cfg.Table.Rows[i].Name)
		}
	}
	require.Greater(t, made, 150)
}

func TestTheSameTurnIsTheSameCase(t *testing.T) {
	cfg := configuration(t, "cvc5")
	for turn := range uint64(60) {
		a, b := makeCase(t, cfg, turn), makeCase(t, cfg, turn)
		require.Equal(t, a == nil, b == nil)
		if a != nil {
			require.Equal(t, a.Script.Text(), b.Script.Text())
		}
	}
}

func TestWithoutPushACaseHasOneCheck(t *testing.T) {
	cfg := configuration(t, "z3", "BV")
	cfg.NoPush, cfg.NoAssumptions = true, true
	for turn := range uint64(60) {
		if c := makeCase(t, cfg, turn); c != nil {
			require.Len(t, c.Expect, 1)
			require.NotContains(t, c.Script.Text(), "(push")
			require.NotContains(t, c.Script.Text(), "assuming")
		}
	}
}

func BenchmarkMake(b *testing.B) {
	cfg := configuration(b, "bitwuzla")
	a := smt.NewArena()
	mark := a.Mark()
	for turn := uint64(0); b.Loop(); turn++ {
		if c, err := Make(a, rng.New(7).Split(turn), turn, cfg); err != nil {
			b.Fatal(err)
		} else if c != nil {
			c.Text()
		}
		a.Release(mark)
	}
}

// TestEveryCellCanBeMade makes the cells of operators whose arguments or indices are seldom allowed as they are drawn.
func TestEveryCellCanBeMade(t *testing.T) {
	cfg := configuration(t, "z3")
	for n, row := range cfg.Table.Rows {
		if row.Name != "re.range" && row.Name != "divisible" {
			continue
		}
		made := map[int]bool{}
		for seed := range uint64(4) {
			for number := range cfg.Table.Classes.Cells(&row) {
				m := &maker{cfg: cfg, table: cfg.Table}
				atBoundaries := cfg.Gen
				atBoundaries.Boundaries = true
				g, err := gen.New(smt.NewArena(), rng.New(seed), atBoundaries, m)
				require.NoError(t, err)
				m.g = g
				_, ok := m.probeCell(cell{n, number, cfg.Table.Classes.Pair(&row, number)})
				made[number] = made[number] || ok
			}
		}
		for number, ok := range made {
			require.True(t, ok, "%s %v", row.Name, cfg.Table.Classes.Pair(&row, number))
		}
	}
}

// TestATermAndItself: each operator with two operands of one kind is applied to one term, of each class of it.
func TestATermAndItself(t *testing.T) {
	cfg := configuration(t, "bitwuzla")
	seen := map[string]int{}
	for i, s := range cfg.Table.subjects {
		if s.twice == 0 {
			continue
		}
		for number := range cfg.Table.Classes.Cells(&cfg.Table.Rows[i]) {
			a := smt.NewArena()
			m := &maker{cfg: cfg, table: cfg.Table}
			g, err := gen.New(a, rng.New(3), cfg.Gen, m)
			require.NoError(t, err)
			m.g = g
			p, ok := m.probeCell(cell{row: i, number: number, Pair: cfg.Table.Classes.Pair(&cfg.Table.Rows[i], number)})
			if !ok {
				continue
			}
			seen[cfg.Table.Rows[i].Name]++
			if a.Op(p.term) == s.alternative.Op {
				require.Equal(t, a.Arg(p.term, s.twice-1), a.Arg(p.term, s.twice), smtlib.TermText(a, p.term))
			}
		}
	}
	require.Equal(t, len(literal.Classes(smt.KindFloat)), seen["fp.leq of a term and itself"])
	require.Equal(t, len(literal.Classes(smt.KindFloat)), seen["fp.div of a term and itself"])
	require.Equal(t, 12, seen["bvcomp of a term and itself"])
	require.Greater(t, len(seen), 40)
}

// TestBranchesBelowOperators: each operator is applied to an ite, in each operand that need not be a literal, of each
// class of it.
func TestBranchesBelowOperators(t *testing.T) {
	cfg := configuration(t, "z3")
	seen := map[string]int{}
	sorts := map[smt.SortKind]bool{}
	for i, s := range cfg.Table.subjects {
		if s.branches == 0 {
			continue
		}
		for number := range cfg.Table.Classes.Cells(&cfg.Table.Rows[i]) {
			a := smt.NewArena()
			m := &maker{cfg: cfg, table: cfg.Table}
			g, err := gen.New(a, rng.New(uint64(number)), cfg.Gen, m)
			require.NoError(t, err)
			m.g = g
			p, ok := m.probeCell(cell{row: i, number: number, Pair: cfg.Table.Classes.Pair(&cfg.Table.Rows[i], number)})
			if !ok {
				continue
			}
			seen[cfg.Table.Rows[i].Name]++
			if a.Op(p.term) == s.alternative.Op {
				operand := a.Arg(p.term, s.branches-1)
				require.Equal(t, smt.OpIte, a.Op(operand), smtlib.TermText(a, p.term))
				sorts[a.SortKind(a.Sort(operand))] = true
			}
		}
	}
	require.Equal(t, 12, seen["bvnot of an ite"])
	require.Equal(t, 12, seen["bvudiv of an ite as operand 2"])
	require.Equal(t, 4, seen["select of an ite as operand 1"])
	require.Equal(t, len(literal.Classes(smt.KindFloat)), seen["fp.add of an ite as operand 3"])
	require.NotContains(t, seen, "fp of an ite as operand 1")
	for _, kind := range []smt.SortKind{smt.KindBool, smt.KindBitVec, smt.KindInt, smt.KindReal, smt.KindFloat, smt.KindRoundingMode, smt.KindString, smt.KindArray, smt.KindSeq} {
		require.True(t, sorts[kind], "%v", kind)
	}
}

// TestEveryCellCanBeMadeOfWhatTargetsTake checks that every counted cell is covered by some case, whatever features the
// targets lack.
func TestEveryCellCanBeMadeOfWhatTargetsTake(t *testing.T) {
	for name, lacks := range map[string][]rule.Lack{
		"bitwuzla": nil,
		"yices2":   lacktest.Lacks("linear arithmetic", "operator const"),
		"z3":       nil,
	} {
		cfg := &ProbeConfig{Gen: gen.Config{MaxWidth: 200, Rules: gen.Exclusions{Kinds: []string{name}, Exclude: lacks}}, Probes: 24}
		var err error
		cfg.Table, err = NewTable(&cfg.Gen)
		require.NoError(t, err)
		a := smt.NewArena()
		for n := range cfg.Table.Cells() {
			c := cfg.Table.at(n)
			made := false
			for seed := range uint64(12) { // its turn comes again, with other random numbers
				m := &maker{cfg: cfg, table: cfg.Table}
				atBoundaries := cfg.Gen
				atBoundaries.Boundaries = true
				g, err := gen.New(a, rng.New(seed), atBoundaries, m)
				require.NoError(t, err)
				m.g = g
				if _, made = m.probeCell(c); made {
					break
				}
			}
			require.True(t, made, "%s: %s, cell %d: %+v", name, cfg.Table.Rows[c.row].Key(), c.number, c.Pair)
		}
	}
}

// Some checks have several assumptions that are needed together, and ask which are: all but one hold in the witness,
// with all that is asserted.
func TestAssumptionsThatAreNeededTogether(t *testing.T) {
	cfg := configuration(t, "bitwuzla")
	asked := 0
	for turn := range uint64(400) {
		c := makeCase(t, cfg, turn)
		if c == nil {
			continue
		}
		for i := range c.Script.Commands {
			if c.Script.Commands[i].Kind != smtlib.CmdGetUnsatAssumptions {
				continue
			}
			asked++
			require.True(t, slices.ContainsFunc(c.Script.Commands, func(x smtlib.Command) bool { return x.Name == ":produce-unsat-assumptions" }))
			ev := eval.New(c.Script.Arena, c.Witness)
			wrong := 0
			for _, q := range c.Script.Commands[i-1].Terms {
				if holds, _ := ev.Holds(q); !holds {
					wrong++
				}
			}
			require.Equal(t, 1, wrong)
			require.Greater(t, len(c.Script.Commands[i-1].Terms), 1)
		}
	}
	require.Greater(t, asked, 5)
	cfg.NoNeeded = true
	for turn := range uint64(50) {
		if c := makeCase(t, cfg, turn); c != nil {
			require.NotContains(t, c.Text(), "get-unsat-assumptions")
		}
	}
}

// lean is a configuration of targets that have no constant arrays.
func lean(t testing.TB) *ProbeConfig {
	cfg := configuration(t, "yices2", "Int", "Real", "Array", "UF")
	cfg.Gen.Rules.Exclude = lacktest.Lacks("linear arithmetic", "operator const", "operator divisible")
	var err error
	cfg.Table, err = NewTable(&cfg.Gen)
	require.NoError(t, err)
	cfg.MinimalCores = true
	return cfg
}

// A real solver gives the claimed answers even if arrays and elements of declared sorts have no literals: the pins
// determine their values. Names, cores and lets that exchange names are among the cases.
func TestARealSolverAgreesWithoutLiterals(t *testing.T) {
	path, err := exec.LookPath("z3")
	if err != nil {
		require.NotEqual(t, "true", os.Getenv("CI"), "z3 is not installed")
		t.Skip("z3 is not installed")
	}
	cfg := lean(t)
	had := map[string]int{}
	for turn := range uint64(80) {
		c := makeCase(t, cfg, turn)
		if c == nil {
			continue
		}
		text := string(c.Text())
		for _, what := range []string{
			"declare-sort", "(store", "(let ((x", ":named", "get-unsat-core", ":minimal-unsat-cores", "get-assignment", "(distinct e",
		} {
			if strings.Contains(text, what) {
				had[what]++
			}
		}
		require.NotContains(t, text, "as const")
		// z3 has neither the option nor a reply that is worth looking at here.
		text = strings.ReplaceAll(text, "(set-option :minimal-unsat-cores true)\n", "")
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		cmd := exec.CommandContext(ctx, path, "-in", "-T:50")
		cmd.Stdin = strings.NewReader(text)
		out, _ := cmd.Output()
		cancel()
		var got []string
		for line := range strings.Lines(string(out)) {
			if answer, ok := smtlib.ParseAnswer(strings.TrimSpace(line)); ok {
				got = append(got, string(answer))
			}
		}
		var want []string
		for _, answer := range c.Expect {
			want = append(want, string(answer))
		}
		require.Equal(t, want, got, "turn %d:\n%s\n%s", turn, text, out)
	}
	require.Len(t, had, 8, "%v", had)
}
