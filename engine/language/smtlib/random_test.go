package smtlib

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib/internal/termtext"
)

// maker builds random well-sorted terms over the whole operator table.
type maker struct {
	a      *smt.Arena
	r      *rand.Rand
	script *Script
	sorts  []smt.Sort
	pool   []smt.Term
	funs   []smt.Symbol
}

const makerDecls = `(declare-sort U 0)(declare-sort P 1)
(declare-datatypes ((List 1)) ((par (X) ((nil) (cons (head X) (tail (List X)))))))
(declare-datatypes ((T 0) (F 0)) (((leaf) (node (kids F) (mark Bool))) ((none) (some (first T) (rest F)))))
(declare-fun fi (Int Real) Int)(declare-fun fb (Bool U) (_ BitVec 8))(declare-fun |f u| (U (P U)) U)
(define-fun dmax ((n Int) (m Int)) Int (ite (< n m) m n))
(define-fun-rec drec ((n Int)) Int (ite (< n 0) 0 (drec (- n 1))))
`

var makerSorts = []string{"Bool", "Int", "Real", "String", "RegLan", "RoundingMode", "(_ BitVec 1)", "(_ BitVec 4)", "(_ BitVec 8)", "(_ BitVec 70)",
	"(_ FloatingPoint 3 5)", "(_ FloatingPoint 5 11)", "(Array Int Bool)", "(Array (_ BitVec 4) Real)", "(Array Int (Array Int Int))", "(Seq Int)",
	"(Seq Bool)", "(Set Int)", "(Bag Int)", "(_ FiniteField 17)", "U", "(P U)", "(List Int)", "(List (List Bool))", "T", "F"}

func newMaker(t require.TestingT, seed uint64) *maker {
	m := &maker{a: smt.NewArena(), r: rand.New(rand.NewPCG(seed, 1))}
	src := makerDecls
	for i, s := range makerSorts {
		src += fmt.Sprintf("(declare-fun c%d () %s)(declare-const |k %d| %s)\n", i, s, i, s)
	}
	var err error
	m.script, err = Parse("decls", []byte(src), m.a)
	require.NoError(t, err)
	for _, c := range m.script.Commands {
		for _, f := range c.Symbols {
			info := m.a.SymbolInfo(f)
			if len(info.Params) > 0 {
				m.funs = append(m.funs, f)
			} else {
				m.pool = append(m.pool, m.a.Const(f))
				m.sorts = append(m.sorts, info.Result)
			}
		}
		for _, s := range c.Sorts {
			if dt := m.a.Datatype(s); dt != nil {
				for _, k := range dt.Constructors {
					m.funs = append(append(m.funs, k.Symbol), k.Selectors...)
				}
			}
		}
	}
	a := m.a
	m.pool = append(m.pool, a.Int64(0), a.Int64(3), a.IntVal(new(big.Int).Lsh(big.NewInt(-3), 80)), a.RealVal(big.NewRat(1, 8)), a.RealVal(big.NewRat(-1, 3)),
		a.RealInt(2), a.Str([]rune("a\"b\\u{1}\x00")), a.Str([]rune{0x1F600}), a.Str(nil), a.Str([]rune(strings.Repeat("long ", 20))), a.BVUint(8, 200), a.BVUint(1, 1), a.BV(70, big.NewInt(-5)),
		a.FFVal(m.sorts[2*19], big.NewInt(5)), a.True(), a.False())
	return m
}

func (m *maker) pick(kind string) smt.Term {
	for range 60 {
		t := m.pool[m.r.IntN(len(m.pool))]
		s := strings.NewReplacer("(_ BitVec", "BV", "(_ FloatingPoint", "FP", "(_ FiniteField", "FF", "(", "").Replace(m.a.SortString(m.a.Sort(t)))
		if len(kind) == 1 || strings.HasPrefix(s, kind) {
			return t
		}
	}
	return m.pool[m.r.IntN(len(m.pool))]
}

// operator tries to apply an operator to terms of the pool.
func (m *maker) operator(info *smt.OpInfo) (smt.Term, bool) {
	sig := info.Signatures[m.r.IntN(len(info.Signatures))]
	left, result, _ := strings.Cut(sig, "->")
	left = strings.TrimSpace(left)
	var idx []smt.Index
	if strings.HasPrefix(left, "[") {
		names, rest, _ := strings.Cut(left[1:], "]")
		for range strings.Fields(names) {
			idx = append(idx, m.a.NumIndex(uint64(m.r.IntN(9))))
		}
		left = rest
	}
	kinds := strings.Fields(left)
	if info.Assoc != smt.AssocNone && len(kinds) == 2 {
		for m.r.IntN(3) == 0 {
			kinds = append(kinds, kinds[1])
		}
	}
	var args []smt.Term
	for _, k := range kinds {
		k, _, _ = strings.Cut(strings.TrimSuffix(k, "..."), "(")
		args = append(args, m.pick(k))
	}
	if info.Qualified {
		k, _, _ := strings.Cut(strings.TrimSpace(result), "(")
		sort := m.a.Sort(m.pick(k))
		t, err := m.a.AppAs(info.Op, sort, idx, args...)
		return t, err == nil && !strings.Contains(m.a.SortString(sort), "?")
	}
	t, err := m.a.App(info.Op, idx, args...)
	return t, err == nil
}

// structure tries to build something that is no operator of the table.
func (m *maker) structure() (smt.Term, bool) {
	a := m.a
	var t smt.Term
	var err error
	switch m.r.IntN(9) {
	case 0, 1, 2:
		f := m.funs[m.r.IntN(len(m.funs))]
		var args []smt.Term
		for _, s := range a.SymbolInfo(f).Params {
			for range 50 {
				x := m.pool[m.r.IntN(len(m.pool))]
				if a.Sort(x) == s || a.HasParams(s) && a.SortKind(a.Sort(x)) == smt.KindDatatype {
					args = append(args, x)
					break
				}
			}
		}
		if a.SymbolInfo(f).Qualified {
			t, err = a.ApplyAs(f, a.Sort(m.pick("List")), args...)
		} else {
			t, err = a.Apply(f, args...)
		}
	case 3, 4:
		op := []smt.Op{smt.OpForall, smt.OpExists}[m.r.IntN(2)]
		t, err = a.Quant(op, m.vars(), m.pick("Bool"))
	case 5:
		t, err = a.Lambda(m.vars(), m.pick("A"), true)
	case 6:
		t, err = m.match()
	case 7:
		x := m.pick("A")
		attrs := []smt.Attr{{Keyword: ":weight", Value: "3"}, {Keyword: ":pattern", Terms: []smt.Term{m.pick("A"), m.pick("A")}}, {Keyword: ":qid", Value: "|q 1|"}}
		t = a.Annotate(x, attrs[:1+m.r.IntN(3)])
	default:
		x := m.pick("A")
		if _, ok := m.a.DatatypeOf(a.Sort(x)); ok != nil || a.SortKind(a.Sort(x)) == smt.KindDatatype {
			dt, _ := a.DatatypeOf(a.Sort(x))
			t, err = a.Is(dt.Constructors[m.r.IntN(len(dt.Constructors))].Symbol, x)
		} else {
			t = a.Opaque("mystery", []smt.Index{a.NumIndex(3), a.NameIndex("x y")}, smt.SortUnknown, x, m.pick("A"))
		}
	}
	return t, err == nil && t != 0
}

// vars makes variables, puts them into the pool and returns them.
func (m *maker) vars() []smt.Term {
	var vs []smt.Term
	for i := range 1 + m.r.IntN(2) {
		v := m.a.Var(fmt.Sprintf("v%d", i+2*m.r.IntN(3)), m.sorts[m.r.IntN(len(m.sorts))])
		vs = append(vs, v)
		m.pool = append(m.pool, v)
	}
	return vs
}

func (m *maker) match() (smt.Term, error) {
	a := m.a
	x := m.pick("List")
	dt, actual := a.DatatypeOf(a.Sort(x))
	if dt == nil {
		return 0, fmt.Errorf("no datatype")
	}
	body := m.pick("A")
	var cases []smt.Term
	for i, k := range dt.Constructors {
		var vs []smt.Term
		for j, s := range a.SymbolInfo(k.Symbol).Params {
			vs = append(vs, a.Var(fmt.Sprintf("v%d", j), a.SubstSort(s, actual)))
		}
		c, err := a.Case(k.Symbol, vs, body)
		if i > 0 && m.r.IntN(3) == 0 {
			c, err = a.Case(0, []smt.Term{a.Var("v5", a.Sort(x))}, body)
		}
		if err != nil {
			return 0, err
		}
		cases = append(cases, c)
	}
	return a.Match(x, cases)
}

// TestRandomTermsRoundTrip prints random terms of all theories and reads them again: the same terms come back.
func TestRandomTermsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMaker(t, rapid.Uint64().Draw(t, "seed"))
		ops := smt.Ops()
		for range rapid.IntRange(1, 150).Draw(t, "steps") {
			var x smt.Term
			var ok bool
			if m.r.IntN(3) == 0 {
				x, ok = m.structure()
			} else {
				x, ok = m.operator(ops[m.r.IntN(len(ops))])
			}
			if ok {
				m.pool = append(m.pool, x)
			}
		}
		var closed []smt.Term
		for _, x := range m.pool[len(m.pool)/2:] {
			if len(m.a.FreeVars(x)) == 0 {
				closed = append(closed, x)
			}
		}
		s := m.script.WithCommands(append(append([]Command(nil), m.script.Commands...), Command{Kind: CmdGetValue, Terms: closed}))
		text := s.Text()
		again, err := Parse("printed", []byte(text), m.a)
		require.NoError(t, err, text)
		got := again.Commands[len(again.Commands)-1].Terms
		require.Len(t, got, len(closed))
		for i := range got {
			if written := TermText(m.a, closed[i]); strings.Contains(written, "!1") { // a variable would have captured another one
				require.Equal(t, written, TermText(m.a, got[i]))
				continue
			}
			require.Equal(t, m.a.Brief(closed[i]), m.a.Brief(got[i]), TermText(m.a, closed[i]))
			require.Equal(t, closed[i], got[i], TermText(m.a, closed[i])+"\n"+TermText(m.a, got[i]))
		}
		require.Equal(t, text, again.Text())

		s.unshared = true
		text = s.Text()
		again, err = Parse("printed without let", []byte(text), m.a)
		require.NoError(t, err, text)
		for i, x := range again.Commands[len(again.Commands)-1].Terms {
			if x != closed[i] {
				require.Contains(t, TermText(m.a, closed[i]), "!1", text)
			}
		}
	})
}

// TestSharedBindersRoundTrip prints formulas that share quantifiers, and terms below several of them, and reads them
// again.
func TestSharedBindersRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := smt.NewArena()
		s, err := Parse("t", []byte("(declare-fun a_predicate (Int Int) Bool)(declare-const c Int)"), a)
		require.NoError(t, err)
		predicate, c := s.Commands[0].Symbols[0], a.Const(s.Commands[1].Symbols[0])
		vars := []smt.Term{a.Var("x", smt.SortInt), a.Var("y", smt.SortInt), a.Var("z", smt.SortInt)}
		numbers := append([]smt.Term{c}, vars...)
		var pool []smt.Term
		draw := func(from []smt.Term, what string) smt.Term {
			return from[rapid.IntRange(max(0, len(from)-8), len(from)-1).Draw(t, what)]
		}
		for range 6 {
			f, err := a.Apply(predicate, draw(numbers, "first"), draw(numbers, "second"))
			require.NoError(t, err)
			pool = append(pool, f)
		}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			x := draw(pool, "formula")
			switch rapid.IntRange(0, 4).Draw(t, "kind") {
			case 0, 1:
				op := rapid.SampledFrom([]smt.Op{smt.OpForall, smt.OpExists}).Draw(t, "quantifier")
				x, err = a.Quant(op, []smt.Term{draw(vars, "variable")}, x)
			default:
				op := rapid.SampledFrom([]smt.Op{smt.OpAnd, smt.OpOr, smt.OpImplies}).Draw(t, "operator")
				x, err = a.App(op, nil, x, draw(pool, "beside"))
			}
			require.NoError(t, err)
			pool = append(pool, x)
		}
		root, err := a.Quant(smt.OpForall, vars, pool[len(pool)-1])
		require.NoError(t, err)
		text := TermText(a, root)
		again, err := ParseTerm(a, s, text)
		require.NoError(t, err, text)
		require.Equal(t, root, again, text)
	})
}

// TestEveryOperatorRoundTrips prints an application of every row of the operator table and reads it again.
func TestEveryOperatorRoundTrips(t *testing.T) {
	m := newMaker(t, 7)
	for _, info := range smt.Ops() {
		built := false
		for try := 0; try < 3000 && !built; try++ {
			x, ok := m.operator(info)
			if !ok {
				continue
			}
			built = true
			for _, standard := range []bool{false, true} {
				p := Printer{Terms: termtext.Terms{Standard: standard}}
				text := string(p.Term(nil, m.a, x))
				got, err := ParseTerm(m.a, m.script, text)
				require.NoError(t, err)
				require.Equal(t, x, got, text)
			}
		}
		require.True(t, built, "no application of %s was found", info.Name)
	}
}
