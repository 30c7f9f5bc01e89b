package model_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/modelreader"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

const names = `(declare-sort U 0)
(declare-const x Int)
(declare-const |a b| String)
(declare-const u U)
(declare-fun f (Int Bool) Int)
(declare-fun g (U) U)
(declare-fun h (Int) Int)
`

type example struct {
	t      *testing.T
	script *smtlib.Script
	arena  *smt.Arena
}

func read(t *testing.T, asserts string) *example {
	script, err := smtlib.Parse("model.smt2", []byte(names+asserts), smt.NewArena())
	require.NoError(t, err)
	return &example{t, script, script.Arena}
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

func (e *example) value(text string) value.Value {
	x, err := e.script.Scope().Term(text)
	require.NoError(e.t, err)
	v := eval.New(e.arena, nil).Value(x)
	require.True(e.t, v.IsValue(), text)
	return v
}

// model has a value of each kind: constants, a table, a function by a term, elements of a universe, a partial operator.
func (e *example) model() *model.Model {
	a, m := e.arena, model.New(e.arena)
	u := a.SymbolInfo(e.symbol("u")).Result
	m.Set(e.symbol("x"), e.value("(- 3)"))
	m.Set(e.symbol("a b"), e.value(`"p""q"`))
	m.Set(e.symbol("u"), value.Element(u, 1))
	m.SetUniverse(u, 2)
	f := model.NewFunc(a.SymbolInfo(e.symbol("f")).Params, e.value("9"))
	f.Set([]value.Value{e.value("2"), e.value("true")}, e.value("20"))
	f.Set([]value.Value{e.value("1"), e.value("false")}, e.value("10"))
	f.Set([]value.Value{e.value("2"), e.value("true")}, e.value("21"))
	m.SetFunc(e.symbol("f"), f)
	g := model.NewFunc([]smt.Sort{u}, value.Element(u, 0))
	g.Set([]value.Value{value.Element(u, 0)}, value.Element(u, 1))
	m.SetFunc(e.symbol("g"), g)
	plus, err := e.script.Scope().Commands("(define-fun plus ((k Int)) Int (+ k 5))")
	require.NoError(e.t, err)
	info := a.SymbolInfo(plus[0].Symbols[0])
	m.SetFunc(e.symbol("h"), model.DefinedFunc(a, info.Vars, info.Body))
	m.SetPartial(smt.OpIntDiv, model.NewFunc([]smt.Sort{smt.SortInt, smt.SortInt}, e.value("77")))
	return m
}

// TestReadAgain checks that the text of a model is read back as an equal model with the same meaning.
func TestReadAgain(t *testing.T) {
	e := read(t, `(assert (= (f 2 true) 21))(assert (= (f 1 false) 10))(assert (= (f 1 true) 9))(assert (= (h x) 2))(assert (= (g (g u)) u))
		(assert (= (str.len |a b|) 3))(assert (= (div 4 0) 77))(assert (forall ((v U)) (distinct (g v) v)))`)
	m := e.model()
	again, err := modelreader.Parse(e.script, m.Text())
	require.NoError(t, err, m.Text())
	require.Equal(t, m.Text(), again.Text())
	for _, m := range []*model.Model{m, again, m.Clone()} {
		for _, x := range e.script.Asserts() {
			holds, known := eval.New(e.arena, m).Holds(x)
			require.True(t, known && holds, "%s in %s", smtlib.TermText(e.arena, x), m.Text())
		}
	}
}

// TestTables: the latest value of a place counts, the default tells the rest, and where there is none nothing is known.
func TestTables(t *testing.T) {
	e := read(t, "")
	f := e.model().Func(e.symbol("f"))
	at := func(texts ...string) []value.Value {
		out := make([]value.Value, len(texts))
		for i, text := range texts {
			out[i] = e.value(text)
		}
		return out
	}
	require.Equal(t, "21", f.Get(at("2", "true")).Text(e.arena))
	require.Equal(t, "9", f.Get(at("2", "false")).Text(e.arena))
	require.Len(t, f.Unsorted(), 2)
	require.Equal(t, "2", f.Unsorted()[0].Args[0].Text(e.arena), "as they were set")
	require.Equal(t, "1", f.Rows()[0].Args[0].Text(e.arena), "by their arguments")

	open := model.NewFunc(f.Params(), value.Value{})
	open.Set(at("1", "true"), e.value("4"))
	require.False(t, open.Get(at("1", "false")).IsValue())
	m := model.New(e.arena)
	m.SetFunc(e.symbol("f"), open)
	require.Contains(t, m.Text(), "; f: nothing known beyond the places listed\n")
	m.SetFunc(e.symbol("f"), model.NewFunc(f.Params(), value.Value{}))
	require.Equal(t, "(\n  ; f: nothing known\n)\n", m.Text())
}

// TestCopies checks that a copy of a model, or of its entries, does not change with the original.
func TestCopies(t *testing.T) {
	e := read(t, "")
	m := e.model()
	before := m.Text()
	c := m.Clone()
	c.Set(e.symbol("x"), e.value("8"))
	c.Func(e.symbol("f")).Set([]value.Value{e.value("5"), e.value("true")}, e.value("50"))
	c.SetUniverse(e.arena.SymbolInfo(e.symbol("u")).Result, 7)
	c.Unset(e.symbol("h"))
	require.Equal(t, before, m.Text())
	require.Equal(t, m.Len()-1, c.Len())

	other := model.New(e.arena)
	require.True(t, other.HasOnlyConstants())
	other.Set(e.symbol("x"), e.value("1"))
	other.AddAll(m)
	require.Equal(t, before, other.Text())
	require.False(t, other.HasOnlyConstants())
	require.Equal(t, m.Symbols(), other.Symbols())
	require.True(t, slices.IsSorted(m.Symbols()))
}

// TestElements: a solver's names for elements of a universe are numbered in the order in which they come, ours have
// their own number, and a closed universe has those that were named.
func TestElements(t *testing.T) {
	e := read(t, "")
	m := model.New(e.arena)
	u := e.arena.SymbolInfo(e.symbol("u")).Result
	_, known := m.Universe(u)
	require.False(t, known)
	m.CloseUniverse(u)
	_, known = m.Universe(u)
	require.False(t, known, "nothing was named")

	number := func(name string) value.Value {
		v, ok := m.Element(m.NameElement(u, name))
		require.True(t, ok)
		return v
	}
	require.Equal(t, value.Element(u, 0), number("U!val!3"))
	require.Equal(t, value.Element(u, 1), number("U!val!0"))
	require.Equal(t, value.Element(u, 0), number("U!val!3"), "a name keeps its element")
	require.Len(t, slices.Collect(m.ElementNames()), 2)
	m.CloseUniverse(u)
	n, known := m.Universe(u)
	require.True(t, known)
	require.EqualValues(t, 2, n)

	ours := value.ElementName(e.arena, value.Element(u, 5))
	require.Equal(t, value.Element(u, 5), number(ours))
	require.Equal(t, value.Element(u, 6), number("later"))
}

// TestPartialOperators: names of partial operators lead back to them, and those that some solvers fix are found below
// definitions, too.
func TestPartialOperators(t *testing.T) {
	require.Equal(t, smt.OpIntDiv, model.PartialByName("div0"))
	require.Zero(t, model.PartialByName("+"))
	require.True(t, model.IsPartial(smt.OpMod))
	require.False(t, model.IsPartial(smt.OpAdd))

	e := read(t, "(declare-const r Float32)(define-fun m ((q Float32)) Float32 (fp.min q r))(assert (= (div x 0) 1))(assert (= r (m r)))")
	asserts := e.script.Asserts()
	require.False(t, model.AnyFixedBySome(e.arena, asserts[:1]), "what is divided by zero is for the model to say")
	require.True(t, model.AnyFixedBySome(e.arena, asserts[1:]))
}
