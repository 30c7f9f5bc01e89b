package rewrite_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/rewrite"
)

// example is a script, with the terms and symbols that a test speaks of.
type example struct {
	t      *testing.T
	arena  *smt.Arena
	script *smtlib.Script
}

func read(t *testing.T, text string) *example {
	script, err := smtlib.Parse("test.smt2", []byte(text), smt.NewArena())
	require.NoError(t, err)
	return &example{t, script.Arena, script}
}

func (e *example) term(text string) smt.Term {
	x, err := e.script.Scope().Term(text)
	require.NoError(e.t, err)
	return x
}

func (e *example) symbol(name string) smt.Symbol {
	for i := range e.script.Commands {
		for _, f := range e.script.Commands[i].Symbols {
			if e.arena.SymbolName(f) == name {
				return f
			}
		}
	}
	e.t.Fatalf("no symbol %s", name)
	return 0
}

// text is the script with its commands rewritten, and whether they differ. It has to be a script again.
func (e *example) text(w *rewrite.Rewriter) (string, bool) {
	before := e.script.Text()
	commands, changed := w.Commands(e.script.Commands, false)
	require.Equal(e.t, before, e.script.Text(), "the commands that are given stay as they were")
	if commands == nil {
		return "", false
	}
	text := e.script.WithCommands(commands).Text()
	again, err := smtlib.Parse("rewritten.smt2", []byte(text), smt.NewArena())
	require.NoError(e.t, err, text)
	require.Equal(e.t, text, again.Text())
	return strings.TrimSpace(text), changed
}

const problem = `(declare-const x Int)
(declare-const y Int)
(define-fun twice ((k Int)) Int (+ k k))
(define-fun-rec down ((n Int)) Int (ite (> n 0) (down (- n x)) x))
(assert (! (> (+ x 1) 0) :named positive))
(assert (=> positive (= (twice x) (down y))))
(assert (exists ((k Int)) (= k (+ x 1))))`

// TestReplacedTerms checks that a term is replaced wherever it occurs: in assertions, bodies of definitions, also
// recursive ones, :named terms, and replacements of other terms.
func TestReplacedTerms(t *testing.T) {
	for _, c := range []struct{ name, from, to, want string }{
		{"a constant", "x", "y", strings.NewReplacer("(- n x)) x", "(- n y)) y", "(+ x 1)", "(+ y 1)", "(twice x)", "(twice y)").Replace(problem)},
		{"a term below a name and a binder", "(+ x 1)", "7", strings.ReplaceAll(problem, "(+ x 1)", "7")},
		{"what does not occur", "(* x 2)", "7", problem},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := read(t, problem)
			from, to := e.term(c.from), e.term(c.to)
			var w rewrite.Rewriter
			w.Reset(e.arena, map[smt.Term]smt.Term{from: to})
			text, changed := e.text(&w)
			require.Equal(t, c.want, text)
			require.Equal(t, c.want != problem, changed)
		})
	}
	e := read(t, problem)
	x, y, one := e.term("x"), e.term("y"), e.term("(+ x 1)")
	var w rewrite.Rewriter
	w.Reset(e.arena, map[smt.Term]smt.Term{one: x, x: y})
	text, changed := e.text(&w)
	require.True(t, changed)
	require.Contains(t, text, "(assert (exists ((k Int)) (= k y)))", "replacements are rewritten, too")
	require.Equal(t, y, w.To(one))
	require.Zero(t, w.To(smt.Term(e.arena.Len()+10)))
}

// TestRenamed: a declaration, its uses and the definitions that use it keep step; so do a definition and its variables.
func TestRenamed(t *testing.T) {
	e := read(t, problem)
	twice, x := e.symbol("twice"), e.symbol("x")
	k := e.arena.SymbolInfo(twice).Vars[0]
	var w rewrite.Rewriter
	w.Reset(e.arena, nil)
	w.Names = map[smt.Symbol]string{x: "a", twice: "double", e.symbol("down"): "fall"}
	w.Vars = map[smt.Term]smt.Term{k: e.arena.Var("z", smt.SortInt)}
	w.Grow()
	text, changed := e.text(&w)
	require.True(t, changed)
	want := strings.NewReplacer("const x", "const a", "(twice x)", "(double a)", "twice ((k Int)) Int (+ k k)", "double ((z Int)) Int (+ z z)",
		"(- n x)) x", "(- n a)) a", "(+ x 1)", "(+ a 1)", "down", "fall", "exists ((k Int)) (= k ", "exists ((z Int)) (= z ").Replace(problem)
	require.Equal(t, want, text)
}

// TestDatatypes: applications of another constructor, tester and selector stand for those that were.
func TestDatatypes(t *testing.T) {
	e := read(t, "(declare-datatypes ((L 0)) (((nil) (cons (head Int) (tail L)) (two (left Int) (right L)))))\n(declare-const l L)\n"+
		"(assert ((_ is cons) (cons (head l) ((_ update tail) l nil))))")
	constructors := e.arena.Datatype(e.script.Commands[0].Sorts[0]).Constructors
	cons, two := constructors[1], constructors[2]
	var w rewrite.Rewriter
	w.Reset(e.arena, nil)
	w.Symbols = map[smt.Symbol]smt.Symbol{cons.Symbol: two.Symbol, cons.Selectors[0]: two.Selectors[0], cons.Selectors[1]: two.Selectors[1]}
	text, changed := e.text(&w)
	require.True(t, changed)
	require.Contains(t, text, "(assert ((_ is two) (two (left l) ((_ update right) l nil))))")
}

// TestMisfit: a replacement of another sort changes nothing, for the terms above it have none then.
func TestMisfit(t *testing.T) {
	e := read(t, problem)
	var w rewrite.Rewriter
	x, truth := e.term("x"), e.term("true")
	w.Reset(e.arena, map[smt.Term]smt.Term{x: truth})
	_, err := w.Term(e.term("(+ x 1)"))
	require.Error(t, err)
	w.Reset(e.arena, map[smt.Term]smt.Term{x: truth})
	commands, changed := w.Commands(e.script.Commands, false)
	require.Nil(t, commands)
	require.False(t, changed)
}

// TestRoots checks that the roots of commands are their terms and the bodies of their definitions.
func TestRoots(t *testing.T) {
	e := read(t, problem)
	roots := rewrite.Roots(e.arena, e.script.Commands)
	require.Len(t, roots, 5)
	require.Contains(t, roots, e.arena.SymbolInfo(e.symbol("down")).Body)
}

// TestNameWithinItself checks that a :named term cannot be rewritten to contain its own name. That is an error, as is a
// wrong sort.
func TestNameWithinItself(t *testing.T) {
	e := read(t, "(declare-const x Int)\n(assert (! (> x 0) :named n))\n(assert (= x (ite n 1 2)))")
	scope := e.script.Scope()
	for i := range e.script.Commands {
		scope.Add(&e.script.Commands[i])
	}
	by, err := scope.Term("(ite n 1 2)")
	require.NoError(t, err)
	var w rewrite.Rewriter
	w.Reset(e.arena, map[smt.Term]smt.Term{e.term("x"): by})
	_, err = w.Term(by)
	require.EqualError(t, err, "what n stands for would have n in it")
	commands, changed := w.Commands(e.script.Commands, false)
	require.Nil(t, commands)
	require.False(t, changed)
}
