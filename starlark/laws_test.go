package script

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/generate/api"
	"github.com/smtlark/smtlark/engine/generate/gen"
	"github.com/smtlark/smtlark/engine/generate/mutate"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/ground/system"
	"github.com/smtlark/smtlark/engine/language/logic"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/search"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
	"github.com/smtlark/smtlark/engine/semantics/rewrite"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/process"
	"github.com/smtlark/smtlark/stdlib"
)

func simplifier(t testing.TB, a *smt.Arena) *rewrite.Simplifier {
	rules, err := StandardRules()
	require.NoError(t, err)
	return rewrite.New(a, rules)
}

// made collects what a generator makes.
type made struct {
	commands []smtlib.Command
	terms    []smt.Term
}

func (m *made) Command(c smtlib.Command) { m.commands = append(m.commands, c) }
func (m *made) Sort(smt.Sort)            {}
func (m *made) Term(t smt.Term)          { m.terms = append(m.terms, t) }

// sameValues requires that terms have the values of others in random models. If asked, none that is known gets lost
// where there is no quantifier, whose bounds evaluation has to see.
func sameValues(t testing.TB, script *smtlib.Script, seed uint64, models int, before, after []smt.Term, stayKnown bool) {
	a := script.Arena
	for k := range uint64(models) {
		ev := eval.New(a, search.RandomModel(script, rng.New(seed<<8+k)))
		for i := range before {
			v, w := ev.Value(before[i]), ev.Value(after[i])
			if before[i] == after[i] || !v.IsValue() {
				continue
			}
			if !w.IsValue() && (!stayKnown || logic.OfTerms(a, after[i:i+1])&logic.Quantifiers != 0) {
				continue
			}
			require.True(t, w.IsValue(), "seed %d: %s is known, %s is not: %v", seed, smtlib.TermText(a, before[i]), smtlib.TermText(a, after[i]), w.Err())
			require.NotEqual(t, value.False, value.Equal(v, w), "seed %d: %s is %s, %s is %s", seed,
				smtlib.TermText(a, before[i]), v.Text(a), smtlib.TermText(a, after[i]), w.Text(a))
		}
	}
}

// TestSimplifyKeepsValues: generated terms of all theories have the values that they had, and simplifying again changes
// nothing.
func TestSimplifyKeepsValues(t *testing.T) {
	used := map[string]bool{}
	n := 40
	if deep, _ := strconv.Atoi(os.Getenv("SMTLARK_DEEP")); deep > 0 {
		n = 4000
	}
	for seed := range uint64(n) {
		a, m := smt.NewArena(), &made{}
		g, err := gen.New(a, rng.New(seed), gen.Config{MaxWidth: 16, MaxDepth: 8, Quantifiers: seed%4 == 0, Rules: gen.Exclusions{Kinds: []string{"cvc5"}}}, m)
		require.NoError(t, err)
		for range 6 {
			g.NewSort()
		}
		for range 6 {
			g.NewConst()
			g.NewFun()
			g.NewSpecial()
		}
		for range 200 {
			g.NewTerm()
		}
		script := &smtlib.Script{Arena: a, Commands: m.commands}
		s, again := simplifier(t, a), simplifier(t, a)
		var after []smt.Term
		for _, x := range m.terms {
			y := s.Term(x)
			require.Equal(t, a.Sort(x), a.Sort(y))
			require.Equal(t, y, again.Term(y), "seed %d: %s", seed, smtlib.TermText(a, x))
			after = append(after, y)
		}
		require.NoError(t, s.Err())
		for name := range s.Stats().Applied {
			used[name] = true
		}
		sameValues(t, script, seed, 3, m.terms, after, true)
	}
	require.Greater(t, len(used), 100)
}

// someSeeds returns texts of seeds by name: those of the library, and a sample of the files below SMTLARK_SEEDS, or all
// of them with SMTLARK_DEEP.
func someSeeds(t testing.TB) map[string]string {
	out := map[string]string{}
	require.NoError(t, fs.WalkDir(stdlib.FS(), "seeds", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".smt2") {
			return err
		}
		text, err := fs.ReadFile(stdlib.FS(), path)
		out[path] = string(text)
		return err
	}))
	files, _ := filepath.Glob(filepath.Join(os.Getenv("SMTLARK_SEEDS"), "*", "*", "*.smt2"))
	for i, file := range files {
		if i%20 != 3 && os.Getenv("SMTLARK_DEEP") == "" {
			continue
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		out[file] = string(text)
	}
	return out
}

// askZ3 returns what asks z3 for two seconds; it answers nothing where there is none.
func askZ3(t *testing.T) func(*smtlib.Script) smtlib.Answer {
	ask := func(*smtlib.Script) smtlib.Answer { return smtlib.None }
	if found, err := Supply().Find("z3", ""); err == nil {
		target := process.New(found, process.TargetOptions{Limits: solvers.Limits{Wall: 2 * time.Second}})
		t.Cleanup(func() { _ = target.Close() })
		ask = func(s *smtlib.Script) smtlib.Answer {
			run := target.Run(context.Background(), solvers.FromScript(s), solvers.Limits{})
			return run.Answer()
		}
	} else if os.Getenv("CI") == "true" {
		t.Fatal("z3 is not installed: CI must have it")
	}
	return ask
}

// TestSimplifySeedsInContext: what seeds assert gets lighter by what they assert before, and all of it together has the
// same models: it has the value that it had in random models, and z3 finds no difference.
func TestSimplifySeedsInContext(t *testing.T) {
	ask := askZ3(t)
	alone, after, changed, asked, proven := 0, 0, 0, 0, 0
	seeds := someSeeds(t)
	// The bundled seeds have nothing that what stands before makes lighter.
	seeds["beyond the end"] = `(set-logic QF_SLIA)(declare-const s String)(declare-const i Int)(assert (<= (str.len s) i))(assert (= (str.at s i) s))(check-sat)`
	seeds["path"] = `(set-logic QF_LIA)(declare-const x Int)(declare-const y Int)(assert (< x y))(assert (or (>= x y) (= y 7)))(assert (not (= x y)))(check-sat)`
	for name, text := range seeds {
		script, err := smtlib.Parse(name, []byte(text), smt.NewArena())
		require.NoError(t, err)
		a := script.Arena
		s := simplifier(t, a)
		without, to := s.Script(script), s.ScriptInContext(script)
		require.NoError(t, s.Err(), name)
		_, err = smtlib.Parse(name, []byte(to.Text()), smt.NewArena())
		require.NoError(t, err, "%s: %s", name, to.Text())
		for check := range max(script.CheckSats(), 1) {
			x, w, y := script.AssertsAt(check), without.AssertsAt(check), to.AssertsAt(check)
			alone, after = alone+a.Size(w...), after+a.Size(y...)
			if slices.Equal(w, y) {
				continue
			}
			changed++
			sameValues(t, script, uint64(len(text)), 2, []smt.Term{a.And(x...)}, []smt.Term{a.And(y...)}, true)
			if asked >= 48 && os.Getenv("SMTLARK_DEEP") == "" {
				continue
			}
			q := scope.WithAsserts(script, []smt.Term{a.Not(a.Eq(a.And(x...), a.And(y...)))})
			asked++
			switch ask(q) {
			case smtlib.Sat:
				t.Errorf("%s: z3 finds a difference:\n%s", name, q.Text())
			case smtlib.Unsat:
				proven++
			}
		}
	}
	t.Logf("%d terms, %d without what is asserted before; %d checks changed, z3 proves %d of %d", after, alone, changed, proven, asked)
	require.Positive(t, changed)
	require.Positive(t, proven)
}

// TestSimplifySeeds: what seeds assert has the values that it had in random models, and a solver finds no difference.
func TestSimplifySeeds(t *testing.T) {
	ask := askZ3(t)
	before, after, asked, proven := 0, 0, 0, 0
	for name, text := range someSeeds(t) {
		script, err := smtlib.Parse(name, []byte(text), smt.NewArena())
		require.NoError(t, err)
		a := script.Arena
		s := simplifier(t, a)
		to := s.Script(script)
		require.NoError(t, s.Err(), name)
		_, err = smtlib.Parse(name, []byte(to.Text()), smt.NewArena())
		require.NoError(t, err, "%s: %s", name, to.Text())
		x, y := script.Asserts(), to.Asserts()
		before, after = before+a.Size(x...), after+a.Size(y...)
		sameValues(t, script, uint64(len(text)), 2, x, y, true)
		if asked < 24 || os.Getenv("SMTLARK_DEEP") != "" {
			q := scope.WithAsserts(script, []smt.Term{a.Not(a.Eq(a.And(x...), a.And(y...)))})
			asked++
			switch ask(q) {
			case smtlib.Sat:
				t.Errorf("%s: z3 finds a difference:\n%s", name, q.Text())
			case smtlib.Unsat:
				proven++
			}
		}
	}
	t.Logf("%d terms, %d before; z3 proves %d of %d", after, before, proven, asked)
	require.Less(t, after, before)
}

// TestRewriteKeepsValues: what seeds assert has, after some steps by laws in both directions, the values that it had in
// random models.
func TestRewriteKeepsValues(t *testing.T) {
	rules, err := StandardRules()
	require.NoError(t, err)
	used := map[string]bool{}
	rewritten := 0
	for name, text := range someSeeds(t) {
		script, err := smtlib.Parse(name, []byte(text), smt.NewArena())
		require.NoError(t, err)
		x, err := mutate.NewSubject(script)
		require.NoError(t, err)
		for seed := range uint64(4) {
			m, err := x.Rewrite(rng.New(seed), rules, 16, seed%2 == 0, false)
			require.NoError(t, err, name)
			if m == nil {
				continue
			}
			rewritten++
			for _, step := range m.Steps {
				used[step] = true
			}
			_, err = smtlib.Parse(name, []byte(m.Script.Text()), smt.NewArena())
			require.NoError(t, err, "%s: %s", name, m.Script.Text())
			before, err := scope.StripNames(script.Arena, script.Asserts())
			require.NoError(t, err)
			a := script.Arena
			sameValues(t, script, seed, 2, []smt.Term{a.And(before...)}, []smt.Term{a.And(m.Script.Asserts()...)}, false)
		}
	}
	t.Logf("%d mutants by %d laws", rewritten, len(used))
	require.Greater(t, len(used), 100)
}

// TestRewriteStaysInTheLogic: steps that are to stay in the logic of a seed bring nothing into it that the logic lacks,
// such as predicates over literals of bit vectors.
func TestRewriteStaysInTheLogic(t *testing.T) {
	rules, err := StandardRules()
	require.NoError(t, err)
	for name, text := range someSeeds(t) {
		script, err := smtlib.Parse(name, []byte(text), smt.NewArena())
		require.NoError(t, err)
		inLogic := func(s *smtlib.Script) bool {
			if named, _ := logic.Parse(script.Logic()); script.Logic() != "ALL" && named&(logic.BitVectors|logic.FloatingPoint|logic.Other) == 0 {
				literals := false
				s.Arena.PostOrder(s.Asserts(), func(t smt.Term) { literals = literals || s.Arena.Op(t) == smt.OpBVLit })
				if literals {
					return false
				}
			}
			return logic.Fit(script.Logic(), logic.OfTerms(s.Arena, s.Asserts())) == script.Logic()
		}
		if !inLogic(script) {
			continue
		}
		x, err := mutate.NewSubject(script)
		require.NoError(t, err)
		for seed := range uint64(20) {
			m, err := x.Rewrite(rng.New(seed), rules, 8, true, false)
			require.NoError(t, err, name)
			if m != nil {
				require.True(t, inLogic(m.Script), "%s: %s", name, m.Script.Text())
			}
		}
	}
}

// TestShiftIsAnImplication checks by evaluation that what satisfied a script satisfies its weaker form, and that what
// satisfies its stronger form satisfied it.
func TestShiftIsAnImplication(t *testing.T) {
	rules, err := StandardRules()
	require.NoError(t, err)
	used := map[string]bool{}
	for _, text := range []string{
		"(declare-const x Int)(declare-const y Int)(assert (=> (< x y 3) (and (distinct x y) (or (= x 1) (>= y x)))))(assert (xor (<= x 2) (not (> y 1)) true))(check-sat)",
		"(declare-const a (_ BitVec 3))(declare-const b (_ BitVec 3))(declare-const p Bool)(assert (ite p (bvult a b) (not (bvsge a b))))(assert (= p (= a b)))(check-sat)",
		"(declare-const s String)(declare-const u String)(assert (or (str.prefixof s u) (not (str.<= s u)) (str.contains s u)))(assert (not (str.suffixof u s)))(check-sat)",
		"(declare-const f (_ FloatingPoint 2 3))(declare-const g (_ FloatingPoint 2 3))(assert (not (and (fp.leq f g) (distinct f g))))(assert (or (fp.eq f g) (fp.lt f g g)))(check-sat)",
		"(declare-const a (_ BitVec 2))(assert (forall ((b (_ BitVec 2))) (or (bvule a b) (exists ((c (_ BitVec 2))) (and (bvult c b) (bvslt a c))))))(check-sat)",
	} {
		s, err := smtlib.Parse("test", []byte(text), smt.NewArena())
		require.NoError(t, err)
		x, err := mutate.NewSubject(s)
		require.NoError(t, err)
		for seed := range uint64(400) {
			r := rng.New(seed)
			weaken := seed%2 == 0
			m, err := x.Shift(r, rules, weaken, 1+int(seed%3), false)
			require.NoError(t, err)
			if m == nil {
				continue
			}
			for _, step := range m.Steps {
				used[step] = true
			}
			after, err := smtlib.Parse("after", []byte(m.Script.Text()), s.Arena)
			require.NoError(t, err)
			model := search.RandomModel(s, r)
			was, is := eval.CheckModel(s, model).Result, eval.CheckModel(after, model).Result
			if weaken {
				require.False(t, was == value.True && is == value.False, "%s\n%s\n%s", text, after.Text(), model.Text())
			} else {
				require.False(t, is == value.True && was == value.False, "%s\n%s\n%s", text, after.Text(), model.Text())
			}
		}
	}
	t.Logf("%d laws and directions", len(used))
	require.Greater(t, len(used), 60)
}

// TestStepsDoNotDependOnWhatCameBefore makes the same mutant by laws of a subject that is fresh and of one that made
// others.
func TestStepsDoNotDependOnWhatCameBefore(t *testing.T) {
	rules, err := StandardRules()
	require.NoError(t, err)
	const text = `(declare-const x Int)(declare-const a (Array Int Int))(define-fun f ((n Int)) Int (select (store a n x) (+ n 1)))
(assert (forall ((y Int)) (=> (< x y) (and (<= x (f y)) (distinct (select (store a 0 y) 1) 0)))))(assert (or (= x 1) (< x (f 2))))(check-sat)`
	subject := func() (*mutate.Subject, *smt.Arena) {
		script, err := smtlib.Parse("test", []byte(text), smt.NewArena())
		require.NoError(t, err)
		x, err := mutate.NewSubject(script)
		require.NoError(t, err)
		return x, script.Arena
	}
	mutants := func(x *mutate.Subject, a *smt.Arena, seed uint64) (out string) {
		mark := a.Mark()
		defer a.Release(mark)
		m, err := x.Rewrite(rng.New(seed), rules, 12, seed%2 == 0, true)
		require.NoError(t, err)
		w, err := x.Shift(rng.New(seed), rules, seed%3 == 0, 4, true)
		require.NoError(t, err)
		return m.Script.Text() + w.Script.Text()
	}
	used, arena := subject()
	for seed := range uint64(40) {
		fresh, a := subject()
		require.Equal(t, mutants(fresh, a, seed), mutants(used, arena, seed))
	}
}

// TestDisguises: planted cores of walks are disguised by laws of all theories, and stay refuted; with SMTLARK_DEEP,
// every operator that has a law occurs.
func TestDisguises(t *testing.T) {
	rules, err := StandardRules()
	require.NoError(t, err)
	machine, err := StandardMachine()
	require.NoError(t, err)
	walks := 600
	if deep, _ := strconv.Atoi(os.Getenv("SMTLARK_DEEP")); deep > 0 {
		walks = 20000
	}
	used, changed := map[string]bool{}, map[smt.Op]bool{}
	kinds := []string{"cvc5", "z3", "bitwuzla"} // some operators are those of one of them
	for seed := range uint64(walks) {
		cfg := &api.WalkConfig{Machine: machine.Clone(), Truth: api.ByBoth, Laws: rules, Gen: gen.Config{Quantifiers: seed%4 == 0, Rules: gen.Exclusions{Kinds: kinds[seed%3 : seed%3+1]}}}
		if seed%8 == 7 { // theories that are taken only when they are asked for
			cfg.Gen.Theories = []string{"Int", "Real", "Transcendental"}
		}
		w, err := api.NewWalk(smt.NewArena(), rng.New(seed), cfg)
		require.NoError(t, err)
		a := w.Gen.A
		for _, d := range w.Disguises() {
			used[d.Law] = true
			for _, x := range []smt.Term{d.From, d.To} {
				a.PostOrder([]smt.Term{x}, func(y smt.Term) { changed[a.Op(y)] = true })
			}
			v, x := w.Gen.Ev.Value(d.From), w.Gen.Ev.Value(d.To)
			if len(a.FreeVars(d.From)) == 0 && v.IsValue() && x.IsValue() {
				require.NotEqual(t, value.False, value.Equal(v, x), "%s: %s, %s", d.Law, smtlib.TermText(a, d.From), smtlib.TermText(a, d.To))
			}
		}
	}
	missing := []string{}
	for _, op := range rules.Operators() {
		if !changed[op] {
			missing = append(missing, op.String())
		}
	}
	t.Logf("%d laws in %d walks; %d operators have laws, these never occurred: %v", len(used), walks, len(rules.Operators()), missing)
	require.Greater(t, len(used), 300)
	if walks > 1000 {
		require.Empty(t, missing)
	}
}

// TestSimplifyTowers: shared terms cost once, however deep they are shared.
func TestSimplifyTowers(t *testing.T) {
	const depth = 10000
	for _, op := range []smt.Op{smt.OpAdd, smt.OpMul, smt.OpBVAdd, smt.OpAnd, smt.OpXor, smt.OpConcat, smt.OpStrConcat, smt.OpIte, smt.OpSub, smt.OpNot} {
		a := smt.NewArena()
		sort := map[smt.Op]smt.Sort{smt.OpAdd: smt.SortInt, smt.OpMul: smt.SortInt, smt.OpSub: smt.SortInt, smt.OpBVAdd: a.BitVec(8), smt.OpConcat: a.BitVec(1),
			smt.OpStrConcat: smt.SortString}[op]
		if sort == 0 {
			sort = smt.SortBool
		}
		x := a.Const(a.Declare("x", nil, sort))
		y := a.Const(a.Declare("y", nil, smt.SortBool))
		for range depth {
			switch op {
			case smt.OpIte:
				x = a.MustApp(op, y, x, a.Not(x))
			case smt.OpNot:
				x = a.Not(x)
			case smt.OpConcat:
				if a.Width(a.Sort(x)) < 1<<10 {
					x = a.MustApp(op, x, x)
				} else {
					x = a.MustApp(smt.OpBVAdd, x, x)
				}
			default:
				x = a.MustApp(op, x, x)
			}
		}
		s := simplifier(t, a)
		s.Term(x)
		require.Less(t, s.Stats().Terms, 60*depth, fmt.Sprint(op))
		require.Less(t, a.Len(), 60*depth, fmt.Sprint(op))
	}
}

// tree returns a random tree of 255 nodes.
func tree(a *smt.Arena, r *rng.Source, leaves []smt.Term, depth int) smt.Term {
	if depth == 0 {
		return leaves[r.Intn(len(leaves))]
	}
	ops := []smt.Op{smt.OpBVAdd, smt.OpBVAnd, smt.OpBVOr, smt.OpBVXor, smt.OpBVSub, smt.OpBVMul, smt.OpBVShl, smt.OpBVLshr, smt.OpBVUdiv, smt.OpBVUrem}
	return a.MustApp(ops[r.Intn(len(ops))], tree(a, r, leaves, depth-1), tree(a, r, leaves, depth-1))
}

func BenchmarkSimplify(b *testing.B) {
	const trees = 64
	a, r := smt.NewArena(), rng.New(1)
	var leaves []smt.Term
	for i := range 12 {
		leaves = append(leaves, a.Const(a.Declare(fmt.Sprintf("x%d", i), nil, a.BitVec(32))))
	}
	leaves = append(leaves, a.BVUint(32, 0), a.BVUint(32, 1), a.BVUint(32, 77), a.BVUint(32, 1<<32-1))
	var roots []smt.Term
	for range trees {
		roots = append(roots, tree(a, r, leaves, 7))
	}
	s := simplifier(b, a)
	n := 0
	report := processorTime(b)
	for b.Loop() {
		mark := a.Mark()
		for _, x := range roots {
			s.Term(x)
			n += 255
		}
		a.Release(mark)
	}
	b.ReportMetric(float64(n)/report().Seconds()/1e6, "Mnodes/CPU-s")
}

// processorTime begins to measure the processor time of the process, which a busy machine does not change.
func processorTime(b *testing.B) func() time.Duration {
	b.ResetTimer()
	start := system.CPUTime()
	return func() time.Duration { return system.CPUTime() - start }
}

// BenchmarkRewriteMutant makes and prints mutants of 8 steps of the library's seeds of a logic.
func BenchmarkRewriteMutant(b *testing.B) {
	rules, err := StandardRules()
	require.NoError(b, err)
	for _, logic := range []string{"QF_LIA", "QF_SLIA", "QF_BV"} {
		b.Run(logic, func(b *testing.B) {
			var subjects []*mutate.Subject
			var arenas []*smt.Arena
			for name, text := range someSeeds(b) {
				if !strings.Contains(text, "(set-logic "+logic+")") || !strings.HasPrefix(name, "seeds/") {
					continue
				}
				script, err := smtlib.Parse(name, []byte(text), smt.NewArena())
				require.NoError(b, err)
				x, err := mutate.NewSubject(script)
				require.NoError(b, err)
				subjects, arenas = append(subjects, x), append(arenas, script.Arena)
			}
			var out []byte
			n := 0
			spent := processorTime(b)
			for b.Loop() {
				k := n % len(subjects)
				mark := arenas[k].Mark()
				m, err := subjects[k].Rewrite(rng.New(uint64(n)), rules, 8, true, true)
				if err != nil {
					b.Fatal(err)
				}
				if m != nil {
					out = m.Script.AppendTo(out[:0])
				}
				arenas[k].Release(mark)
				n++
			}
			b.ReportMetric(float64(spent().Microseconds())/float64(n), "CPU-us/mutant")
		})
	}
}
