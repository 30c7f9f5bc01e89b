package gen

import (
	"math/big"
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers/rule"
)

// StandardFormats are those of IEEE 754 that have names in SMT-LIB: bits of the exponent, and of the significand with
// the hidden one.
var StandardFormats = [][2]int{{5, 11}, {8, 24}, {11, 53}, {15, 113}}

// commonFormats are Float32 and Float64.
var commonFormats = StandardFormats[1:3]

// FormatLacks are the lacks of floating-point formats, with the formats that each is about.
var FormatLacks = []struct {
	Lack   rule.Lack
	Covers func(e, m int) bool
}{
	{rule.FpFormat.Of(rule.OtherFormats), func(e, m int) bool { return !slices.Contains(StandardFormats, [2]int{e, m}) }},
	{rule.FpFormat.Of(rule.RareFormats), func(e, m int) bool { return !slices.Contains(commonFormats, [2]int{e, m}) }},
	{rule.FpFormat.Of(rule.WideExponent), func(e, m int) bool { return e > m }},
}

// primes are sizes of finite fields: small ones, and those that proof systems use.
var primes = []string{"2", "3", "5", "7", "11", "13", "17", "41", "97", "257", "65537", "2147483647",
	"52435875175126190479447740508185965837690552500527637822603658699938581184513"}

// sortMaker makes sorts.
type sortMaker struct{ vocabulary }

// NewSort makes a sort and the sorts and declarations that it needs, and passes them to the sink. It returns false if
// no sort can be made now.
func (g *sortMaker) NewSort() bool {
	kinds := []smt.SortKind{smt.KindInt, smt.KindReal, smt.KindString, smt.KindRoundingMode, smt.KindBitVec, smt.KindFloat, smt.KindArray, smt.KindSeq, smt.KindSet,
		smt.KindBag, smt.KindFiniteField, smt.KindUser, smt.KindDatatype, smt.KindFunc}
	kinds = slices.DeleteFunc(kinds, func(k smt.SortKind) bool { return !g.kindOn(k) })
	if len(kinds) == 0 {
		return false
	}
	if len(g.Cfg.Sorts) > 0 && g.R.Chance(0.3) && g.extraSort() != 0 {
		return true
	}
	for range 10 {
		if s := g.sortOf(kinds[g.R.Intn(len(kinds))]); s != 0 {
			return true
		}
	}
	return false
}

// addSort makes a sort known and tells the sink.
func (g *sortMaker) addSort(s smt.Sort) smt.Sort {
	if s != 0 {
		g.DB.AddSort(s, g.scope)
		g.sink.Sort(s)
	}
	return s
}

// sortOf makes a sort of a kind; 0 if it cannot be made now.
func (g *sortMaker) sortOf(k smt.SortKind) smt.Sort {
	a := g.A
	switch k {
	case smt.KindInt:
		return g.addSort(smt.SortInt)
	case smt.KindReal:
		return g.addSort(smt.SortReal)
	case smt.KindString:
		return g.addSort(smt.SortString)
	case smt.KindRoundingMode:
		return g.addSort(smt.SortRoundingMode)
	case smt.KindBitVec:
		return g.addSort(a.BitVec(g.drawWidth()))
	case smt.KindFloat:
		e, m := g.drawFormat()
		return g.addSort(a.Float(e, m))
	case smt.KindFiniteField:
		return g.addSort(a.FiniteField(g.drawPrime()))
	case smt.KindUser:
		return g.userSort()
	case smt.KindDatatype:
		return g.declareDatatypes()
	case smt.KindFunc:
		return g.functionSort()
	case smt.KindArray:
		i, e := g.drawKnownSort("array-index"), g.drawKnownSort("array-element")
		if i == 0 || e == 0 {
			return 0
		}
		return g.addSort(a.Array(i, e))
	case smt.KindSeq, smt.KindSet, smt.KindBag:
		e := g.drawKnownSort(map[smt.SortKind]string{smt.KindSeq: "seq-element", smt.KindSet: "set-element", smt.KindBag: "bag-element"}[k])
		if e == 0 {
			return 0
		}
		return g.addSort(map[smt.SortKind]func(smt.Sort) smt.Sort{smt.KindSeq: a.Seq, smt.KindSet: a.Set, smt.KindBag: a.Bag}[k](e))
	}
	return 0
}

// drawWidth draws the width of a bit vector: small ones and powers of two with their neighbours come first.
func (g *sortMaker) drawWidth() int {
	m := g.Cfg.MaxWidth
	w := 1 + g.R.Intn(m)
	switch g.R.Intn(8) {
	case 0, 1, 2:
		w = 1 + g.R.Intn(8)
	case 3, 4:
		w = 1<<g.R.Intn(7) + g.R.Range(-1, 1)
	case 5:
		w = 1 + g.R.Intn(16)
	}
	return min(max(w, 1), m)
}

// drawFormat draws a floating-point format: any, small ones first.
func (g *sortMaker) drawFormat() (e, m int) {
	if g.Cfg.Rules.Lacks(rule.FpFormat.Of(rule.RareFormats)) {
		f := commonFormats[g.R.Intn(2)]
		return f[0], f[1]
	}
	k := g.R.Intn(8)
	if g.Cfg.Rules.Lacks(rule.FpFormat.Of(rule.OtherFormats)) && k > 2 {
		k = g.R.Intn(3)
	}
	switch k {
	case 0:
		f := StandardFormats[g.R.Intn(4)]
		return f[0], f[1]
	case 1, 2:
		f := StandardFormats[g.R.Intn(2)]
		return f[0], f[1]
	case 3:
		e, m = g.R.Range(3, 8), g.R.Range(3, 24)
	default:
		e, m = g.R.Range(2, 5), g.R.Range(3, 8)
	}
	if g.badFormat(e, m) { // of the formats other than IEEE's only those with more exponent bits are forbidden here
		m = max(m, e)
	}
	return e, m
}

func (g *sortMaker) drawPrime() *big.Int {
	n := len(primes)
	if g.R.Chance(0.8) {
		n = 8
	}
	p, _ := new(big.Int).SetString(primes[g.R.Intn(n)], 10)
	return p
}

// sortArgs picks arguments for a sort of that arity.
func (g *sortMaker) sortArgs(arity int) (args []smt.Sort) {
	for range arity {
		s := g.drawKnownSort("sort-param")
		if s == 0 {
			s = smt.SortBool
		}
		args = append(args, s)
	}
	return args
}

func (g *sortMaker) userSort() smt.Sort {
	arity := 0
	if g.R.Chance(0.1) && len(g.DB.Sorts()) > 1 && !g.Cfg.Rules.Lacks(rule.Sort.With("any", "sort-param")) {
		arity = g.R.Range(1, 2)
	}
	sym := g.A.DeclareSort(g.freshName("U"), arity)
	g.sink.Command(smtlib.Command{Kind: smtlib.CmdDeclareSort, Sorts: []smt.SortSymbol{sym}})
	s, err := g.A.SortApp(sym, g.sortArgs(arity)...)
	if err != nil {
		return 0
	}
	g.Model.SetUniverse(s, uint64(g.R.Range(1, 4)))
	return g.addSort(s)
}

// declareDatatypes declares one to three datatypes that may refer to one another. Each has a first constructor without
// fields of the group's own sorts, so all are well-founded.
func (g *sortMaker) declareDatatypes() smt.Sort {
	n := 1
	if g.R.Chance(0.3) {
		n = g.R.Range(2, 3)
	}
	names, params := make([]string, n), make([][]string, n)
	parametric := g.R.Chance(0.15) && !g.Cfg.Rules.Lacks(rule.Sort.With("any", "sort-param"))
	for i := range n {
		names[i] = g.freshName("D")
		if parametric {
			for range g.R.Range(1, 2) {
				params[i] = append(params[i], g.freshName("X"))
			}
		}
	}
	syms := g.A.NewDatatypes(names, params)
	for i, sym := range syms {
		var ctors []smt.ConstructorDecl
		for k := range g.R.Range(1, 4) {
			c := smt.ConstructorDecl{Name: g.freshName("c")}
			for range g.R.Intn(4) {
				c.Selectors = append(c.Selectors, smt.SelectorDecl{Name: g.freshName("f"), Sort: g.drawFieldSort(syms, i, k == 0)})
			}
			ctors = append(ctors, c)
		}
		if g.A.DefineDatatype(sym, ctors) != nil {
			return 0
		}
	}
	g.sink.Command(smtlib.Command{Kind: smtlib.CmdDeclareDatatypes, Sorts: syms})
	var last smt.Sort
	for _, sym := range syms {
		last = g.instantiateDatatype(sym)
	}
	return last
}

// instantiateDatatype makes a sort of a datatype, with arguments for its parameters.
func (g *sortMaker) instantiateDatatype(sym smt.SortSymbol) smt.Sort {
	dt := g.A.Datatype(sym)
	s, err := g.A.SortApp(sym, g.sortArgs(len(dt.Params))...)
	if err != nil {
		return 0
	}
	for _, c := range dt.Constructors {
		g.DB.AddSymbol(c.Symbol, g.scope)
		for _, f := range c.Selectors {
			g.DB.AddSymbol(f, g.scope)
		}
	}
	g.data = append(g.data, dataSort{s, dt, g.scope})
	return g.addSort(s)
}

// Instantiate makes another instance of a parametric datatype; false if there is none.
func (g *sortMaker) Instantiate() bool {
	var fit []smt.SortSymbol
	for _, d := range g.data {
		if len(d.dt.Params) > 0 {
			fit = append(fit, g.A.SortSymbolOf(d.sort))
		}
	}
	if len(fit) == 0 {
		return false
	}
	return g.instantiateDatatype(fit[g.R.Intn(len(fit))]) != 0
}

// drawFieldSort draws the sort of a selector. Fields of a base constructor are of sorts outside of the group.
func (g *sortMaker) drawFieldSort(group []smt.SortSymbol, own int, base bool) smt.Sort {
	dt := g.A.Datatype(group[own])
	switch {
	case len(dt.Params) > 0 && g.R.Chance(0.4):
		return dt.Params[g.R.Intn(len(dt.Params))]
	case !base && len(dt.Params) == 0 && g.R.Chance(0.4):
		for range 5 {
			other := g.A.Datatype(group[g.R.Intn(len(group))])
			if len(other.Params) == 0 {
				return other.Self
			}
		}
	case !base && g.R.Chance(0.3):
		return dt.Self
	}
	if s := g.drawKnownSort("datatype-field"); s != 0 {
		return s
	}
	return smt.SortBool
}

// functionSort makes a function sort of one to three arguments.
func (g *sortMaker) functionSort() smt.Sort {
	var sorts []smt.Sort
	n := g.R.Range(1, 3)
	if g.onlyUnaryFunctions() {
		n = 1
	}
	for range n {
		s := g.drawKnownSort("fun-domain")
		if s == 0 {
			return 0
		}
		sorts = append(sorts, s)
	}
	r := g.drawKnownSort("fun-codomain")
	if r == 0 {
		return 0
	}
	return g.addSort(g.A.Func(append(sorts, r)...))
}

// extraSort makes one of the sorts of the configuration; 0: none can be made now.
func (g *sortMaker) extraSort() smt.Sort {
	x := &g.Cfg.Sorts[g.R.Intn(len(g.Cfg.Sorts))]
	if x.Weight < 1 && !g.R.Chance(x.Weight) {
		return 0
	}
	s, err := smtlib.ParseSort(g.A, nil, x.Text)
	if err != nil {
		return 0
	}
	ok := true
	var visit func(s smt.Sort)
	visit = func(s smt.Sort) {
		ok = ok && g.sortOn(s)
		for _, p := range g.A.SortArgs(s) {
			visit(p)
		}
	}
	if visit(s); !ok || g.tooWide(s) {
		return 0
	}
	g.addPartSorts(s)
	return g.addSort(s)
}

// addPartSorts makes the sorts inside of a sort known.
func (g *sortMaker) addPartSorts(s smt.Sort) {
	for _, p := range g.A.SortArgs(s) {
		g.addPartSorts(p)
		if _, known := g.DB.sortAt[p]; !known {
			g.addSort(p)
		}
	}
}

// sortExists reports whether a sort can be used: bit vectors and regular languages need not have been made.
func (g *sortMaker) sortExists(s smt.Sort) bool {
	switch g.A.SortKind(s) {
	case smt.KindBitVec:
		return g.A.Width(s) <= g.Cfg.MaxWidth
	case smt.KindRegLan, smt.KindInt, smt.KindBool, smt.KindRoundingMode, smt.KindString, smt.KindReal:
		return true
	}
	_, ok := g.DB.sortAt[s]
	return ok
}
