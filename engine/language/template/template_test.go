package template_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/template"
)

// reader reads terms over some declarations.
type reader struct {
	t      *testing.T
	arena  *smt.Arena
	script *smtlib.Script
}

func declare(t *testing.T, declarations string) *reader {
	script, err := smtlib.Parse("declarations.smt2", []byte(declarations), smt.NewArena())
	require.NoError(t, err)
	return &reader{t, script.Arena, script}
}

func (r *reader) term(text string) smt.Term {
	x, err := r.script.Scope().Term(text)
	require.NoError(r.t, err)
	return x
}

func (r *reader) terms(texts ...string) (out []smt.Term) {
	for _, text := range texts {
		out = append(out, r.term(text))
	}
	return out
}

func (r *reader) compile(text string) *template.Template {
	var fresh []template.Fresh
	t, err := template.Compile(r.arena, r.term(text), &fresh)
	require.NoError(r.t, err)
	require.Empty(r.t, fresh)
	return t
}

const parameters = `(declare-const arg!0 Int)(declare-const arg!1 Int)(declare-const arg!z Int)(declare-const arg!2 (_ BitVec 8))(declare-const arg!3 String)
	(declare-const arg!4.0 Bool)(declare-const arg!4.1 Bool)(declare-const arg!5.0 Int)(declare-const arg!5.1 Int)(declare-fun helper (Int) Int)`

const variables = `(declare-const x Int)(declare-const y Int)(declare-const b (_ BitVec 8))(declare-const s String)
	(declare-const p Bool)(declare-const q Bool)(declare-const r Bool)(declare-const result Int)`

// TestBuild checks that building a template in any arena gives its term with arguments for parameters.
func TestBuild(t *testing.T) {
	for _, c := range []struct{ template, want string }{
		{"(+ arg!0 (* 3 arg!1) arg!0)", "(+ x (* 3 (+ y 1)) x)"},
		{"(= arg!z (- arg!0))", "(= result (- x))"},
		{"(bvadd arg!2 ((_ rotate_left 3) #x0f))", "(bvadd b ((_ rotate_left 3) #x0f))"},
		{`(str.++ arg!3 "a" (str.from_int 123456789012345678901234567890))`, `(str.++ s "a" (str.from_int 123456789012345678901234567890))`},
		{"(ite (> arg!0 0) 1.5 (to_real arg!1))", "(ite (> x 0) 1.5 (to_real (+ y 1)))"},
		{"(select ((as const (Array Int Int)) arg!0) arg!1)", "(select ((as const (Array Int Int)) x) (+ y 1))"},
		{"arg!1", "(+ y 1)"},
	} {
		at := declare(t, parameters).compile(c.template)
		to := declare(t, variables)
		m := template.Builder{Arena: to.arena}
		built, err := m.Build(at, to.terms("x", "(+ y 1)", "b", "s"), to.term("result"), nil, &smt.Bindings{})
		require.NoError(t, err, c.template)
		require.Equal(t, to.term(c.want), built, smtlib.TermText(to.arena, built))
	}
}

// TestLists checks that a list stands for any number of arguments, and that an operator left with none or one is
// replaced by its value for that number.
func TestLists(t *testing.T) {
	for _, c := range []struct {
		template string
		formulas []string
		want     string
	}{
		{"(and arg!4.0 arg!4.1)", []string{"p", "q", "r"}, "(and p q r)"},
		{"(and arg!4.0 arg!4.1)", []string{"p"}, "p"},
		{"(and arg!4.0 arg!4.1)", nil, "true"},
		{"(or arg!4.0 arg!4.1)", nil, "false"},
		{"(or (not (and arg!4.0 arg!4.1)) arg!4.0 arg!4.1)", []string{"p", "q"}, "(or (not (and p q)) p q)"},
		{"(distinct arg!4.0 arg!4.1)", []string{"p"}, "true"},
	} {
		at := declare(t, parameters).compile(c.template)
		to := declare(t, variables)
		m := template.Builder{Arena: to.arena, Lists: make([][]smt.Term, 6)}
		m.Lists[4] = to.terms(c.formulas...)
		built, err := m.Build(at, make([]smt.Term, 6), 0, nil, &smt.Bindings{})
		require.NoError(t, err, c.template)
		require.Equal(t, to.term(c.want), built, "%s: %s", c.template, smtlib.TermText(to.arena, built))
	}
	at := declare(t, parameters).compile("(- arg!5.0 arg!5.1)")
	to := declare(t, variables)
	m := template.Builder{Arena: to.arena, Lists: make([][]smt.Term, 6)}
	_, err := m.Build(at, make([]smt.Term, 6), 0, nil, &smt.Bindings{})
	require.Error(t, err, "nothing is what - leaves as it is")
}

// TestFreshFunctions checks that declared functions other than parameters become fresh functions.
func TestFreshFunctions(t *testing.T) {
	from := declare(t, parameters)
	var fresh []template.Fresh
	at, err := template.Compile(from.arena, from.term("(helper (helper arg!0))"), &fresh)
	require.NoError(t, err)
	require.Len(t, fresh, 1)
	require.Equal(t, "helper", fresh[0].Name)
	to := declare(t, variables+"(declare-fun g (Int) Int)")
	g := to.script.Commands[len(to.script.Commands)-1].Symbols[0]
	m := template.Builder{Arena: to.arena}
	built, err := m.Build(at, to.terms("x"), 0, []smt.Symbol{g}, &smt.Bindings{})
	require.NoError(t, err)
	require.Equal(t, to.term("(g (g x))"), built)
}

// TestShapes: templates that differ in numbers alone have one shape. A term that has it tells its numbers, and which of
// the templates it is of.
func TestShapes(t *testing.T) {
	from := declare(t, parameters)
	first, second := from.compile("(bvadd ((_ rotate_left 1) arg!2) #x01)"), from.compile("(bvadd ((_ rotate_left 2) arg!2) #x02)")
	shape := template.NewShape([]*template.Template{first, second})
	require.NotNil(t, shape)
	require.Nil(t, template.NewShape([]*template.Template{first, from.compile("(bvadd #x01 ((_ rotate_left 1) arg!2))")}))
	require.Nil(t, template.NewShape([]*template.Template{first, from.compile("(bvmul ((_ rotate_left 1) arg!2) #x01)")}))
	head, ok := shape.Head()
	require.True(t, ok)
	require.Equal(t, smt.OpBVAdd, head)
	least, more := shape.Arity()
	require.Equal(t, 2, least)
	require.False(t, more)

	to := declare(t, variables)
	m := template.Matcher{Arena: to.arena}
	matches := func(text string) (found []string) {
		m.Match(shape, to.term(text), 3, func() bool {
			of := "neither"
			if m.Has(first) {
				of = "first"
			} else if m.Has(second) {
				of = "second"
			}
			found = append(found, smtlib.TermText(to.arena, m.Args[2])+" "+of)
			return false
		})
		return found
	}
	require.Equal(t, []string{"b first"}, matches("(bvadd ((_ rotate_left 1) b) #x01)"))
	require.Equal(t, []string{"(bvnot b) second"}, matches("(bvadd ((_ rotate_left 2) (bvnot b)) #x02)"))
	require.Equal(t, []string{"b neither"}, matches("(bvadd ((_ rotate_left 1) b) #x02)"))
	require.Empty(t, matches("(bvadd b #x01)"))
	require.Empty(t, matches("(bvmul ((_ rotate_left 1) b) #x01)"))
	require.Empty(t, matches("(bvadd ((_ rotate_right 1) b) #x01)"))
}

// TestParametersTwice: a parameter stands for one term, wherever it is.
func TestParametersTwice(t *testing.T) {
	from := declare(t, parameters)
	shape := template.NewShape([]*template.Template{from.compile("(- arg!0 (* arg!0 arg!1))")})
	to := declare(t, variables)
	m := template.Matcher{Arena: to.arena}
	accept := func() bool { return true }
	require.True(t, m.Match(shape, to.term("(- x (* x y))"), 2, accept))
	require.Equal(t, to.terms("x", "y"), m.Args[:2])
	require.True(t, m.Match(shape, to.term("(- x (* x x))"), 2, accept))
	require.False(t, m.Match(shape, to.term("(- x (* y y))"), 2, accept))
}

// TestListsAreFound checks that one list among the arguments takes the remaining ones, wherever the others are.
func TestListsAreFound(t *testing.T) {
	from := declare(t, parameters+"(declare-const arg!6.0 Bool)(declare-const arg!6.1 Bool)(declare-const arg!7 Bool)")
	shape := template.NewShape([]*template.Template{from.compile("(or arg!4.0 arg!4.1 (not arg!7) arg!6.0 arg!6.1)")})
	to := declare(t, variables)
	m := template.Matcher{Arena: to.arena}
	var found [][3]int
	m.Match(shape, to.term("(or p (not q) r (not p))"), 8, func() bool {
		found = append(found, [3]int{len(m.Lists[4]), len(m.Lists[6]), int(m.Args[7])})
		return false
	})
	require.Equal(t, [][3]int{{1, 2, int(to.term("q"))}, {3, 0, int(to.term("p"))}}, found)
}
