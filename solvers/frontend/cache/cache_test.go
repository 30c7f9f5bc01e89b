package cache_test

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/modelreader"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
	"github.com/smtlark/smtlark/internal/leaktest"
	"github.com/smtlark/smtlark/solvers/frontend/cache"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// query is a random query in text, before names and orders are chosen: $i stands for constant i, and the arguments of
// what commutes are apart.
type query struct {
	sorts     []string // of the constants
	conjuncts []expr
	model     string
	unsat     bool
}

type expr struct {
	head     string // or the whole text, without arguments
	args     []expr
	commutes bool
}

// text writes an expression; shuffle puts arguments that commute in another order.
func (e *expr) text(b *strings.Builder, names []string, r *rand.Rand) {
	head := e.head
	for i, name := range names {
		head = strings.ReplaceAll(head, fmt.Sprintf("$%d.", i), name)
	}
	if len(e.args) == 0 {
		b.WriteString(head)
		return
	}
	order := make([]int, len(e.args))
	for i := range order {
		order[i] = i
	}
	if e.commutes && r != nil {
		order = r.Perm(len(e.args))
	}
	b.WriteString("(" + head)
	for _, i := range order {
		b.WriteByte(' ')
		e.args[i].text(b, names, r)
	}
	b.WriteByte(')')
}

// script writes the query with names and, if r is given, with everything in another order.
func (q *query) script(prefix string, r *rand.Rand) string {
	numbers, order := make([]int, len(q.sorts)), make([]int, len(q.conjuncts))
	for i := range numbers {
		numbers[i] = i
	}
	for i := range order {
		order[i] = i
	}
	if r != nil {
		numbers, order = r.Perm(len(numbers)), r.Perm(len(order))
	}
	names := make([]string, len(numbers))
	for i, n := range numbers {
		names[i] = fmt.Sprintf("%s%d", prefix, n)
	}
	var b strings.Builder
	b.WriteString("(declare-sort " + prefix + "A 0)(declare-fun " + prefix + "f (Int) Int)(declare-fun " + prefix + "g (" + prefix + "A) " + prefix + "A)\n")
	names = append(names, prefix+"f", prefix+"g", prefix+"A")
	declarations := make([]string, len(q.sorts))
	for i, s := range q.sorts {
		if s == "A" {
			s = prefix + "A"
		}
		declarations[numbers[i]] = "(declare-const " + names[i] + " " + s + ")"
	}
	b.WriteString(strings.Join(declarations, ""))
	for _, i := range order {
		b.WriteString("\n(assert ")
		q.conjuncts[i].text(&b, names, r)
		b.WriteString(")")
	}
	return b.String() + "\n(check-sat)\n"
}

// newQuery makes a query whose conjuncts are true in a random model, and that one more makes unsatisfiable if that is
// wanted.
func newQuery(t require.TestingT, r *rand.Rand, unsat bool) *query {
	q := &query{unsat: unsat}
	for range 2 + r.IntN(5) {
		q.sorts = append(q.sorts, []string{"Int", "Int", "(_ BitVec 8)", "(Array Int Int)", "A", "Bool"}[r.IntN(6)])
	}
	f, g := fmt.Sprintf("$%d.", len(q.sorts)), fmt.Sprintf("$%d.", len(q.sorts)+1)
	var of func(sort string, depth int) expr
	of = func(sort string, depth int) expr {
		var have []expr
		for i, s := range q.sorts {
			if s == sort {
				have = append(have, expr{head: fmt.Sprintf("$%d.", i)})
			}
		}
		if depth == 0 || r.IntN(3) == 0 {
			switch {
			case len(have) > 0 && r.IntN(4) > 0:
				return have[r.IntN(len(have))]
			case sort == "Int":
				return expr{head: fmt.Sprint(r.IntN(20))}
			case sort == "(_ BitVec 8)":
				return expr{head: fmt.Sprintf("#x%02x", r.IntN(256))}
			case sort == "Bool":
				return expr{head: "true"}
			case sort == "(Array Int Int)":
				return expr{head: "((as const (Array Int Int)) 3)"}
			case len(have) > 0:
				return have[0]
			}
		}
		two := func(head, of1 string) expr { return expr{head: head, args: []expr{of(of1, depth-1), of(of1, depth-1)}} }
		sum := func(head, of1 string) expr {
			return expr{head: head, commutes: true, args: []expr{of(of1, depth-1), of(of1, depth-1), of(of1, depth-1)}}
		}
		switch sort {
		case "Int":
			return []func() expr{func() expr { return sum("+", "Int") }, func() expr { return two("-", "Int") },
				func() expr { return expr{head: f, args: []expr{of("Int", depth-1)}} },
				func() expr {
					return expr{head: "select", args: []expr{of("(Array Int Int)", depth-1), of("Int", depth-1)}}
				}}[r.IntN(4)]()
		case "(_ BitVec 8)":
			return []func() expr{func() expr { return sum("bvadd", sort) }, func() expr { return two("bvsub", sort) }, func() expr { return sum("bvxor", sort) }}[r.IntN(3)]()
		case "(Array Int Int)":
			return expr{head: "store", args: []expr{of(sort, depth-1), of("Int", depth-1), of("Int", depth-1)}}
		case "A":
			if len(have) == 0 {
				return expr{} // no element has a name
			}
			return expr{head: g, args: []expr{of("A", depth-1)}}
		}
		pick := q.sorts[r.IntN(len(q.sorts))]
		equal := expr{head: "=", commutes: true, args: []expr{of(pick, depth-1), of(pick, depth-1)}}
		return []func() expr{func() expr { return equal }, func() expr { return two("<", "Int") }, func() expr { return two("bvult", "(_ BitVec 8)") },
			func() expr { return expr{head: "not", args: []expr{of("Bool", depth-1)}} },
			func() expr {
				return expr{head: "or", commutes: true, args: []expr{of("Bool", depth-1), of("Bool", depth-1)}}
			}}[r.IntN(5)]()
	}
	for range 2 + r.IntN(5) {
		q.conjuncts = append(q.conjuncts, of("Bool", 3))
	}
	var b strings.Builder
	for i, s := range q.sorts {
		values := map[string]string{"Int": fmt.Sprint(r.IntN(20)), "(_ BitVec 8)": fmt.Sprintf("#x%02x", r.IntN(256)), "Bool": fmt.Sprint(r.IntN(2) == 0),
			"(Array Int Int)": fmt.Sprintf("(store ((as const (Array Int Int)) %d) %d %d)", r.IntN(9), r.IntN(9), r.IntN(9)), "A": fmt.Sprintf("(as @xA!%d xA)", r.IntN(2))}
		name := s
		if s == "A" {
			name = "xA"
		}
		fmt.Fprintf(&b, "(define-fun x%d () %s %s)\n", i, name, values[s])
	}
	fmt.Fprintf(&b, "(define-fun xf ((n Int)) Int (ite (= n 3) 5 %d))\n(define-fun xg ((n xA)) xA n)\n", r.IntN(5))
	q.model = b.String()
	s, m := parse(t, q.script("x", nil), q.model)
	ev := eval.New(s.Arena, m)
	for i, a := range s.Asserts() {
		truth := ev.Truth(a)
		require.NotEqual(t, value.Unknown, truth, s.Text())
		if truth == value.False {
			q.conjuncts[i] = expr{head: "not", args: []expr{q.conjuncts[i]}}
		}
	}
	if unsat {
		q.conjuncts = append(q.conjuncts, expr{head: "not", args: []expr{{head: "and", args: q.conjuncts[:2:2], commutes: true}}})
	}
	return q
}

func parse(t require.TestingT, text, reply string) (*smtlib.Script, *model.Model) {
	s, err := smtlib.Parse("query", []byte(text), smt.NewArena())
	require.NoError(t, err, text)
	if reply == "" {
		return s, nil
	}
	m, err := modelreader.Parse(s, reply)
	require.NoError(t, err, reply)
	return s, m
}

func open(t require.TestingT, o cache.Storage) *cache.Cache {
	c, err := cache.Open(o)
	require.NoError(t, err)
	return c
}

// stats returns the statistics of a cache.
func stats(t require.TestingT, c *cache.Cache) cache.Usage {
	s, err := c.Stats()
	require.NoError(t, err)
	return s
}

// check asks whether a client knows the answer to a script, and that it is the right one.
func check(t require.TestingT, c *cache.Client, s *smtlib.Script, unsat bool) cache.Entry {
	e, ok := c.Look(&cache.Question{Logic: "ALL", Asserts: s.Asserts()})
	require.True(t, ok, s.Text())
	if unsat {
		require.Equal(t, smtlib.Unsat, e.Answer)
		require.NotEmpty(t, e.Core)
		return e
	}
	require.Equal(t, smtlib.Sat, e.Answer)
	require.Equal(t, value.True, eval.CheckModel(s, e.Model).Result, s.Text())
	return e
}

// TestSameUpToNames: 2,000 of 2,000 queries are found again with other names, declared and asserted in another order,
// with arguments that commute in another order, by another process.
func TestSameUpToNames(t *testing.T) {
	folder := t.TempDir()
	r := rand.New(rand.NewPCG(1, 2))
	var queries []*query
	c := open(t, cache.Storage{Folder: folder})
	for i := range 2000 {
		q := newQuery(t, r, i%4 == 0)
		queries = append(queries, q)
		s, m := parse(t, q.script("x", nil), q.model)
		ask := &cache.Question{Logic: "ALL", Asserts: s.Asserts()}
		if q.unsat {
			c.Client(s.Arena).Keep(ask, smtlib.Unsat, nil, nil)
		} else {
			c.Client(s.Arena).Keep(ask, smtlib.Sat, m, nil)
		}
	}
	require.Equal(t, int64(2000), stats(t, c).Kept)
	for _, q := range queries {
		s, _ := parse(t, q.script("new_name", r), "")
		check(t, c.Client(s.Arena), s, q.unsat)
	}
	require.Equal(t, int64(2000), stats(t, c).Memory)
	require.NoError(t, c.Close())

	other := open(t, cache.Storage{Folder: folder})
	for _, q := range queries {
		s, _ := parse(t, q.script("y", r), "")
		check(t, other.Client(s.Arena), s, q.unsat)
	}
	got := stats(t, other)
	require.Equal(t, int64(2000), got.Hits())
	require.Positive(t, got.Disk)
	require.Zero(t, got.Misses())
	require.Equal(t, int64(2000), got.Database.Counts.Memory, "the first process closed the database")
	require.NoError(t, other.Clear())
	got = stats(t, other)
	require.Zero(t, got.Entries)
	require.Zero(t, got.Database.Entries)
	require.NoError(t, other.Close())
}

// valueOf returns the value of a constant of a script in a model.
func valueOf(t *testing.T, m *model.Model, s *smtlib.Script, name string) string {
	t.Helper()
	x, err := s.Scope().Term(name)
	require.NoError(t, err)
	v, err := eval.New(s.Arena, m).Eval(x)
	require.NoError(t, err)
	return v.Text(s.Arena)
}

// TestWhatFollows: answers that follow from earlier ones of the same session, and those that do not.
func TestWhatFollows(t *testing.T) {
	s, m := parse(t, `(declare-const x Int)(declare-const y Int)(assert (< x 5))(assert (> x 3))(assert (= y x))(assert (or (< x 0) (< x (- 1))))(assert (> y 7))`,
		`(define-fun x () Int 4)(define-fun y () Int 4)`)
	a := s.Asserts()
	c := open(t, cache.Storage{})
	client := c.Client(s.Arena)
	ask := func(ts ...smt.Term) (cache.Entry, bool) { return client.Look(&cache.Question{Asserts: ts}) }
	_, ok := ask(a[0])
	require.False(t, ok)
	client.Keep(&cache.Question{Asserts: a[:3]}, smtlib.Sat, m, nil)
	client.Keep(&cache.Question{Asserts: []smt.Term{a[0], a[1], a[3]}}, smtlib.Unsat, nil, []smt.Term{a[1], a[3]})
	client.Keep(&cache.Question{Asserts: a[4:]}, smtlib.Unknown, nil, nil)
	client.Keep(&cache.Question{Asserts: a[4:]}, smtlib.Sat, m, nil) // it is none
	client.Keep(&cache.Question{Asserts: a[4:]}, smtlib.Sat, nil, nil)

	for _, want := range []struct {
		kind   cache.HitKind
		answer smtlib.Answer
		ts     []smt.Term
	}{
		{cache.Repeated, smtlib.Sat, []smt.Term{a[2], a[1], a[0], a[1]}},
		{cache.Repeated, smtlib.Sat, []smt.Term{s.Arena.And(a[0], a[2]), a[1]}},
		{cache.Model, smtlib.Sat, []smt.Term{a[1], a[2]}},
		{cache.Repeated, smtlib.Unsat, []smt.Term{a[3], a[1], a[0]}},
		{cache.Core, smtlib.Unsat, []smt.Term{a[4], a[3], a[1]}},
		{cache.Model, smtlib.Sat, []smt.Term{s.Arena.Not(a[3])}},
	} {
		e, ok := ask(want.ts...)
		require.True(t, ok)
		require.Equal(t, want.answer, e.Answer)
		require.Equal(t, want.kind, e.Kind)
		if e.Answer == smtlib.Unsat {
			require.ElementsMatch(t, []smt.Term{a[1], a[3]}, e.Core)
		}
	}
	for _, ts := range [][]smt.Term{a[4:], {a[3]}, {a[0], a[3]}} {
		e, ok := ask(ts...)
		require.True(t, ok)
		require.Contains(t, []cache.HitKind{cache.Repaired, cache.Model}, e.Kind)
		require.Equal(t, value.True, eval.CheckTerms(eval.New(s.Arena, e.Model), ts).Result)
		require.Equal(t, "4", valueOf(t, m, s, "x"), "the earlier model stays as it was")
	}
	require.Positive(t, stats(t, c).Repaired)
	_, ok = ask(a[2], a[3], a[4])
	require.False(t, ok, "nothing satisfies this")
	_, ok = client.Look(&cache.Question{Logic: "QF_LIA", Asserts: []smt.Term{a[1], a[3]}})
	require.False(t, ok, "unsat under another logic says nothing")
	_, ok = client.Look(&cache.Question{Options: []string{"solver z3"}, Asserts: []smt.Term{a[1], a[3]}})
	require.False(t, ok)
	require.Equal(t, int64(3), stats(t, c).Refused)
	_, ok = ask()
	require.True(t, ok, "nothing is asserted")
}

// TestLinearContradictions: comparisons that contradict each other by linear arithmetic are a core, which no solver is
// asked for.
func TestLinearContradictions(t *testing.T) {
	s, _ := parse(t, `(declare-const x Int)(declare-const y Int)(declare-const p Bool)(assert (< x y))(assert p)(assert (< y (+ x 1)))(assert (> x 40))`, "")
	a := s.Asserts()
	c := open(t, cache.Storage{})
	client := c.Client(s.Arena)
	for _, ts := range [][]smt.Term{a[:3], a} {
		e, ok := client.Look(&cache.Question{Asserts: ts})
		require.True(t, ok)
		require.Equal(t, smtlib.Unsat, e.Answer)
		require.Equal(t, cache.Core, e.Kind)
		require.ElementsMatch(t, []smt.Term{a[0], a[2]}, e.Core)
	}
	require.Equal(t, int64(2), stats(t, c).Core)
	_, ok := client.Look(&cache.Question{Asserts: a[:2]})
	require.False(t, ok, "it has values, which are not known")
}

// TestFalseInEveryInterpretation: a conjunct that is computed without any model is a core. What the standard leaves
// open is none.
func TestFalseInEveryInterpretation(t *testing.T) {
	s, _ := parse(t, `(declare-const p Bool)(declare-const x Real)(assert (and (distinct 0 (* 2 3) 7) (bvult #x3e (bvadd #x00 #x00))))(assert (and p (= (/ 1.0 0.0) 2.0)))(assert (or p (< 3 2)))(assert (and p (< 3 2)))`, "")
	a := s.Asserts()
	client := open(t, cache.Storage{}).Client(s.Arena)
	ask := func(ts ...smt.Term) (cache.Entry, bool) { return client.Look(&cache.Question{Asserts: ts}) }
	e, ok := ask(a[2], a[0])
	require.True(t, ok)
	require.Equal(t, smtlib.Unsat, e.Answer)
	e, ok = ask(a[2], a[3])
	require.True(t, ok)
	require.Equal(t, smtlib.Unsat, e.Answer)
	for _, open := range []smt.Term{a[1], a[2]} {
		if e, ok := ask(open); ok {
			require.Equal(t, smtlib.Sat, e.Answer)
		}
	}
}

// TestAWrongCoreIsNotKept: a model satisfies it, one that is known or one that is made of a known one.
func TestAWrongCoreIsNotKept(t *testing.T) {
	for _, core := range []int{1, 3} {
		s, m := parse(t, `(declare-const x Int)(declare-const y Int)(assert (< x 5))(assert (> x 3))(assert (> y 7))(assert (< x 0))(assert (> y 8))`,
			`(define-fun x () Int 4)(define-fun y () Int 4)`)
		a := s.Asserts()
		client := open(t, cache.Storage{}).Client(s.Arena)
		client.Keep(&cache.Question{Asserts: a[:2]}, smtlib.Sat, m, nil)
		client.Keep(&cache.Question{Asserts: a[1:4]}, smtlib.Unsat, nil, a[core:core+1])
		e, ok := client.Look(&cache.Question{Asserts: []smt.Term{a[core], a[4]}})
		require.True(t, !ok || e.Answer == smtlib.Sat)
		e, ok = client.Look(&cache.Question{Asserts: a[1:]})
		require.True(t, ok)
		require.Equal(t, smtlib.Unsat, e.Answer)
	}
}

// TestSlices: answers of parts answer the whole, but for what operators share that the standard leaves open.
func TestSlices(t *testing.T) {
	c := open(t, cache.Storage{})
	keep := func(text, reply string, answer smtlib.Answer) {
		s, m := parse(t, text, reply)
		c.Client(s.Arena).Keep(&cache.Question{Asserts: s.Asserts()}, answer, m, nil)
	}
	look := func(text string) (cache.Entry, *smtlib.Script, bool) {
		s, _ := parse(t, text, "")
		e, ok := c.Client(s.Arena).Look(&cache.Question{Asserts: s.Asserts()})
		return e, s, ok
	}
	keep(`(declare-const x Int)(assert (< x 5))(assert (> x 3))`, `(define-fun x () Int 4)`, smtlib.Sat)
	keep(`(declare-const x Int)(assert (< x 5))(assert (> x 9))`, "", smtlib.Unsat)
	keep(`(declare-sort A 0)(declare-const x A)(declare-const y A)(assert (not (= x y)))`, "(define-fun x () A (as @A!0 A))(define-fun y () A (as @A!1 A))", smtlib.Sat)
	_, _, ok := look(`(declare-const p Int)(declare-const q Int)(declare-sort B 0)(declare-const u B)(declare-const v B)(assert (< p 5))(assert (> q 3))(assert (> p 3))(assert (distinct v u))(assert (< q 5))`)
	require.False(t, ok, "distinct is not the negation of an equation")
	e, s, ok := look(`(declare-const p Int)(declare-const q Int)(declare-sort B 0)(declare-const u B)(declare-const v B)(assert (< p 5))(assert (> q 3))(assert (> p 3))(assert (not (= v u)))(assert (< q 5))`)
	require.True(t, ok)
	require.Equal(t, value.True, eval.CheckModel(s, e.Model).Result)
	e, s, ok = look(`(declare-const p Int)(declare-const q Int)(assert (< p 5))(assert (< q 100))(assert (> p 9))`)
	require.True(t, ok)
	require.Equal(t, []smt.Term{s.Asserts()[0], s.Asserts()[2]}, e.Core)

	// Each of them has a model, but division by zero is one function.
	keep(`(declare-const x Int)(assert (= (div x 0) 1))(assert (= x 1))`, `(define-fun x () Int 1)(define-fun div0 ((a Int) (b Int)) Int 1)`, smtlib.Sat)
	keep(`(declare-const x Int)(assert (= (div x 0) 2))(assert (= x 1))`, `(define-fun x () Int 1)(define-fun div0 ((a Int) (b Int)) Int 2)`, smtlib.Sat)
	before := stats(t, c)
	_, _, ok = look(`(declare-const x Int)(declare-const y Int)(assert (= (div x 0) 1))(assert (= x 1))(assert (= (div y 0) 2))(assert (= y 1))`)
	require.False(t, ok)
	require.Equal(t, before.Unproven+1, stats(t, c).Unproven)
}

// TestRelease checks that data about terms is dropped with the terms.
func TestRelease(t *testing.T) {
	c := open(t, cache.Storage{})
	a := smt.NewArena()
	client := c.Client(a)
	x := a.Const(a.Declare("x", nil, smt.SortInt))
	mark := a.Mark()
	client.Keep(&cache.Question{Asserts: []smt.Term{a.MustApp(smt.OpLt, x, x)}}, smtlib.Unsat, nil, nil)
	a.Release(mark)
	_, ok := client.Look(&cache.Question{Asserts: []smt.Term{a.MustApp(smt.OpLe, x, x)}}) // it has the number of the other
	require.False(t, ok)
	e, ok := client.Look(&cache.Question{Asserts: []smt.Term{a.MustApp(smt.OpLt, x, x)}})
	require.True(t, ok)
	require.Equal(t, cache.Memory, e.Kind)
}

// TestBounded checks that memory keeps the most recently used answers, within its bound.
func TestBounded(t *testing.T) {
	c := open(t, cache.Storage{Memory: 20_000})
	ask := func(n int, keep bool) bool {
		s, _ := parse(t, fmt.Sprintf("(declare-const x Int)(assert (= (* x x) %d))", n), "")
		q := &cache.Question{Asserts: s.Asserts()}
		client := c.Client(s.Arena)
		if keep {
			client.Keep(q, smtlib.Unsat, nil, nil)
		}
		_, ok := client.Look(q)
		return ok
	}
	for n := range 500 {
		require.True(t, ask(n, true))
		got := stats(t, c)
		require.LessOrEqual(t, got.Bytes, int64(20_000))
		if n > 0 {
			require.True(t, ask(0, false), "it is used all the time")
		}
	}
	require.False(t, ask(1, false))
	require.Less(t, stats(t, c).Entries, 100)
}

// TestTogether: clients of many goroutines and caches on one folder.
func TestTogether(t *testing.T) {
	folder := t.TempDir()
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			c := open(t, cache.Storage{Folder: folder})
			var own sync.WaitGroup
			for h := range 3 {
				own.Go(func() {
					r := rand.New(rand.NewPCG(uint64(h), 5))
					for i := range 60 {
						q := newQuery(t, r, i%2 == 0)
						s, m := parse(t, q.script("x", nil), q.model)
						client := c.Client(s.Arena)
						if q.unsat {
							client.Keep(&cache.Question{Logic: "ALL", Asserts: s.Asserts()}, smtlib.Unsat, nil, nil)
						} else {
							client.Keep(&cache.Question{Logic: "ALL", Asserts: s.Asserts()}, smtlib.Sat, m, nil)
						}
						s, _ = parse(t, q.script(fmt.Sprint("n", g), r), "")
						check(t, c.Client(s.Arena), s, q.unsat)
					}
				})
			}
			own.Wait()
			require.NoError(t, c.Close())
		})
	}
	all.Wait()
	c := open(t, cache.Storage{Folder: folder})
	require.Positive(t, stats(t, c).Database.Entries)
	require.Equal(t, int64(4*3*60), stats(t, c).Database.Counts.Hits())
	require.NoError(t, c.Close())
}

// TestDamaged: a database that is none is moved away, and rows that are not as they were written are not believed.
func TestDamaged(t *testing.T) {
	folder := t.TempDir()
	c := open(t, cache.Storage{Folder: folder})
	path := stats(t, c).Database.Path
	require.NoError(t, c.Close())
	require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("no database", 1000)), 0o600))
	c = open(t, cache.Storage{Folder: folder})
	require.Zero(t, stats(t, c).Database.Entries)
	require.FileExists(t, path+".damaged")

	s, _ := parse(t, `(declare-const unusual Int)(assert (= (* unusual unusual) 5))`, "")
	q := &cache.Question{Logic: "LOGIC", Asserts: s.Asserts()}
	c.Client(s.Arena).Keep(q, smtlib.Unsat, nil, nil)
	require.NoError(t, c.Close())
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	changed := strings.ReplaceAll(string(text), "LOGIC", "logic")
	require.NotEqual(t, string(text), changed)
	require.NoError(t, os.WriteFile(path, []byte(changed), 0o600))
	c = open(t, cache.Storage{Folder: folder})
	for _, logic := range []string{"LOGIC", "logic"} {
		q.Logic = logic
		_, ok := c.Client(s.Arena).Look(q)
		require.False(t, ok, logic)
	}
	require.NoError(t, c.Close())

	require.NoError(t, os.WriteFile(filepath.Join(folder, "file"), nil, 0o600))
	_, err = cache.Open(cache.Storage{Folder: filepath.Join(folder, "file")})
	require.ErrorContains(t, err, "cannot be made")
}

// TestWrittenAsItComes checks that answers are in the database before it is closed, and that statistics and Close
// report write errors.
func TestWrittenAsItComes(t *testing.T) {
	folder := t.TempDir()
	keep := func(c *cache.Cache, n int) {
		s, _ := parse(t, fmt.Sprintf("(declare-const x Int)(assert (= (* x x) %d))", n), "")
		c.Client(s.Arena).Keep(&cache.Question{Asserts: s.Asserts()}, smtlib.Unsat, nil, nil)
	}
	c := open(t, cache.Storage{Folder: folder})
	keep(c, 5)
	require.Eventually(t, func() bool { return stats(t, c).Database.Entries == 1 }, time.Minute, time.Millisecond)
	require.Empty(t, stats(t, c).Database.Fault)

	db, err := sql.Open("sqlite", stats(t, c).Database.Path)
	require.NoError(t, err)
	_, err = db.Exec("DROP TABLE answers")
	require.NoError(t, err)
	require.NoError(t, db.Close())
	keep(c, 6)
	require.ErrorContains(t, c.Close(), "answers")
}

// TestFolder: answers are kept in the user's cache folder, and where there is none, the error says what to set.
func TestFolder(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	folder, err := cache.Folder()
	require.NoError(t, err)
	require.Equal(t, filepath.Join(os.Getenv("XDG_CACHE_HOME"), "smtlark", "answers"), folder)
	if runtime.GOOS == "linux" {
		t.Setenv("XDG_CACHE_HOME", "")
		t.Setenv("HOME", "")
		_, err = cache.Folder()
		require.ErrorContains(t, err, "set XDG_CACHE_HOME or HOME")
	}
}
