package gen

import (
	"math/big"
	"slices"

	"github.com/smtlark/smtlark/engine/eval/model"
	"github.com/smtlark/smtlark/engine/eval/value"
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
)

// anySort draws a known sort for a constant, a variable or a value; Bool seldom. 0: there is none.
func (g *Gen) anySort(position string) smt.Sort {
	var fit []smt.Sort
	for _, s := range g.DB.Sorts() {
		if s != smt.SortBool && s != smt.SortRegLan && !g.Cfg.Rules.excludes(g.A, position, s) {
			fit = append(fit, s)
		}
	}
	if len(fit) == 0 || g.R.Chance(0.1) {
		return smt.SortBool
	}
	return fit[g.R.Intn(len(fit))]
}

// NewConst declares a constant.
func (g *Gen) NewConst() smt.Term { return g.constOf(g.anySort("const")) }

func (g *Gen) constOf(s smt.Sort) smt.Term {
	f := g.A.Declare(g.name("x"), nil, s)
	g.assign(f)
	g.DB.AddSymbol(f, g.scope)
	t := g.A.Const(f)
	g.sink.Command(smtlib.Command{Kind: smtlib.CmdDeclareConst, Symbols: []smt.Symbol{f}})
	g.DB.Add(t)
	return t
}

// assign gives a symbol its interpretation.
func (g *Gen) assign(f smt.Symbol) {
	info := g.A.SymbolInfo(f)
	if len(info.Params) == 0 {
		g.Model.Set(f, g.values.Value(info.Result))
		return
	}
	fn := model.NewFunc(info.Params, g.values.Value(info.Result))
	for range g.R.Intn(4) {
		args := make([]value.Value, len(info.Params))
		for i, s := range info.Params {
			args[i] = g.values.Value(s)
		}
		v := g.values.Value(info.Result)
		if v.IsValue() && !slices.ContainsFunc(args, func(x value.Value) bool { return !x.IsValue() }) {
			fn.Set(args, v)
		}
	}
	g.Model.SetFunc(f, fn)
}

// NewFun declares a function of one to four arguments; false if theories or sorts forbid it.
func (g *Gen) NewFun() bool {
	if !g.On["UF"] {
		return false
	}
	var params []smt.Sort
	for range g.R.Range(1, 4) {
		s := g.part("fun-domain")
		if s == 0 {
			return false
		}
		params = append(params, s)
	}
	result := g.part("fun-codomain")
	if result == 0 {
		return false
	}
	f := g.A.Declare(g.name("f"), params, result)
	g.assign(f)
	g.DB.AddSymbol(f, g.scope)
	g.funs = append(g.funs, fun{f, g.scope})
	g.sink.Command(smtlib.Command{Kind: smtlib.CmdDeclareFun, Symbols: []smt.Symbol{f}})
	return true
}

// DefineFun defines a function whose body is a term that is there, over variables put in the place of some of its
// subterms. With rec, it is a recursive one that ends after a few calls.
func (g *Gen) DefineFun(rec bool) bool {
	if g.DB.Level() > 0 {
		return false
	}
	var bodies []smt.Sort
	for _, s := range g.DB.Sorts() {
		if s != smt.SortRegLan && !g.Cfg.Rules.excludes(g.A, "fun-codomain", s) && g.DB.Has(s, 0) {
			bodies = append(bodies, s)
		}
	}
	if len(bodies) == 0 {
		return false
	}
	body := g.DB.Pick(g.R, bodies[g.R.Intn(len(bodies))], 0, 0)
	subst := map[smt.Term]smt.Term{}
	var vars []smt.Term
	for range g.R.Range(1, 4) {
		s := g.part("fun-domain")
		if s == 0 || !g.DB.Has(s, 0) {
			continue
		}
		v := g.A.Var(g.name("v"), s)
		vars = append(vars, v)
		if t := g.DB.Pick(g.R, s, 0, 0); subst[t] == 0 {
			subst[t] = v
		}
	}
	if len(vars) == 0 {
		return false
	}
	body, err := g.A.Subst(body, subst)
	if err != nil {
		return false
	}
	if rec && g.recursive(vars, body) {
		return true
	}
	f, err := g.A.Define(g.name("g"), vars, g.A.Sort(body), body)
	if err != nil {
		return false
	}
	return g.defined(f, smtlib.CmdDefineFun)
}

func (g *Gen) defined(f smt.Symbol, kind smtlib.Kind) bool {
	scope := g.scope
	g.DB.AddSymbol(f, scope)
	g.funs = append(g.funs, fun{f, scope})
	g.sink.Command(smtlib.Command{Kind: kind, Symbols: []smt.Symbol{f}})
	return true
}

// recursive defines f(n, vars) = ite(n <= 0, body, ite(c, body, f(n - 1, vars))): total, whatever it is given.
func (g *Gen) recursive(vars []smt.Term, body smt.Term) bool {
	if !g.sortOn(smt.SortInt) || !g.On["Quantifiers"] {
		return false
	}
	n := g.A.Var(g.name("v"), smt.SortInt)
	all := append([]smt.Term{n}, vars...)
	name := g.name("g")
	f := g.A.DeclareRecursive(name, name, all, g.A.Sort(body))
	args := append([]smt.Term{g.A.MustApp(smt.OpSub, n, g.A.Int64(1))}, vars...)
	call, err := g.A.Apply(f, args...)
	if err != nil {
		return false
	}
	cond := g.A.MustApp(smt.OpLe, n, g.A.Int64(0))
	if g.A.DefineRecursive(f, g.A.MustApp(smt.OpIte, cond, body, call)) != nil {
		return false
	}
	return g.defined(f, smtlib.CmdDefineFunRec)
}

// maxVars bounds the variables that are open at once.
const maxVars = 6

// NewVar opens a variable; false where there are no quantifiers.
func (g *Gen) NewVar() bool {
	if !g.On["Quantifiers"] || g.DB.Level() >= maxVars {
		return false
	}
	s := g.anySort("var")
	v := g.A.Var(g.name("v"), s)
	g.DB.AddVar(v)
	g.sink.Term(v)
	return true
}

// NewValue makes a literal.
func (g *Gen) NewValue() smt.Term { return g.valueOf(g.anySort("const")) }

// valueOf makes a literal of a sort; 0 if the sort has none.
func (g *Gen) valueOf(s smt.Sort) smt.Term {
	t := g.literal(s)
	if t == 0 {
		return 0
	}
	if g.A.SortKind(s) == smt.KindFunc { // a lambda: its parts have variables
		g.sink.Term(t)
		g.DB.Add(t)
		return t
	}
	g.addDeep(t)
	return t
}

// addDeep adds a term with those of its parts that are new.
func (g *Gen) addDeep(t smt.Term) {
	g.A.PostOrder([]smt.Term{t}, func(x smt.Term) {
		if g.DB.terms[x] != nil && x != t {
			return
		}
		g.sink.Term(x)
		g.DB.Add(x)
	})
}

// literal draws a value: boundaries come often.
func (g *Gen) literal(s smt.Sort) smt.Term {
	a := g.A
	switch a.SortKind(s) {
	case smt.KindRegLan:
		return g.regex()
	case smt.KindUser, smt.KindInvalid, smt.KindUnknown:
		return 0
	case smt.KindBitVec:
		w := a.Width(s)
		one := big.NewInt(1)
		top := new(big.Int).Lsh(one, uint(w-1))
		switch g.R.Intn(12) {
		case 0:
			return a.BV(w, new(big.Int))
		case 1:
			return a.BV(w, one)
		case 2:
			return a.BV(w, new(big.Int).Sub(new(big.Int).Lsh(top, 1), one))
		case 3:
			return a.BV(w, top)
		case 4:
			return a.BV(w, new(big.Int).Sub(top, one))
		}
	case smt.KindFloat:
		if t := g.float(s); t != 0 {
			return t
		}
	case smt.KindFunc:
		if len(g.higherNames("lambda")) == 0 || g.depth(s) > 1 { // tables over functions are long to write
			return 0
		}
	case smt.KindArray:
		if !g.Cfg.Rules.canConst() || g.tableExcluded() {
			return 0
		}
	}
	v := g.values.Value(s)
	if !v.IsValue() {
		return 0
	}
	t, err := value.ToTerm(a, v)
	if err != nil || g.beyond(t) {
		return 0
	}
	return t
}

// beyond reports whether a literal holds an operator that the targets lack.
func (g *Gen) beyond(t smt.Term) bool {
	bad := false
	g.A.PostOrder([]smt.Term{t}, func(x smt.Term) {
		if op := g.A.Op(x); !op.Structural() && g.excludedOp(op.Info()) && op != smt.OpDiv {
			bad = true
		}
	})
	return bad
}

func (g *Gen) tableExcluded() bool { return g.excludedOp(smt.OpConstArray.Info()) }

// canConst reports whether constant arrays are known to all targets.
func (r *Rules) canConst() bool { return len(r.Kinds) > 0 }

// float draws special floating-point values, NaNs with payloads among them; 0: take another way.
func (g *Gen) float(s smt.Sort) smt.Term {
	a := g.A
	e, m := a.FloatFormat(s)
	idx := []smt.Index{a.NumIndex(uint64(e)), a.NumIndex(uint64(m))}
	special := []smt.Op{smt.OpFPPlusInf, smt.OpFPMinusInf, smt.OpFPPlusZero, smt.OpFPMinusZero, smt.OpFPNaN}
	switch g.R.Intn(4) {
	case 0:
		t, err := a.App(special[g.R.Intn(len(special))], idx)
		if err == nil {
			return t
		}
	case 1: // by its bits: all exponents and significands at their boundaries, NaNs with any payload
		bits := func(w int) smt.Term {
			n := new(big.Int).Lsh(big.NewInt(1), uint(w))
			switch g.R.Intn(4) {
			case 0:
				return a.BV(w, n.Sub(n, big.NewInt(1)))
			case 1:
				return a.BV(w, new(big.Int))
			case 2:
				return a.BV(w, big.NewInt(1))
			}
			return a.BV(w, n.SetUint64(g.R.Uint64()))
		}
		return a.MustApp(smt.OpFP, bits(1), bits(e), bits(m-1))
	}
	return 0
}

func (g *Gen) regex() smt.Term {
	a := g.A
	switch g.R.Intn(6) {
	case 0:
		return a.MustApp(smt.OpReAllChar)
	case 1:
		return a.MustApp(smt.OpReAll)
	case 2:
		return a.MustApp(smt.OpReNone)
	case 3:
		lo := rune('a' + g.R.Intn(5))
		return a.MustApp(smt.OpReRange, a.Str([]rune{lo}), a.Str([]rune{lo + rune(g.R.Intn(6))}))
	}
	s := g.values.Value(smt.SortString)
	runes, _ := s.Runes()
	return a.MustApp(smt.OpStrToRe, a.Str(runes[:min(len(runes), 4)]))
}

// NewSpecial makes a value by its name: 0, 1 and -1 of numbers, special floating-point numbers, empty collections.
func (g *Gen) NewSpecial() smt.Term {
	a := g.A
	if t := g.extraValue(); t != 0 && g.R.Bool() {
		g.addDeep(t)
		return t
	}
	s := g.anySort("const")
	var t smt.Term
	var err error
	switch a.SortKind(s) {
	case smt.KindFloat:
		t = g.float(s)
	case smt.KindSeq:
		t, err = a.AppAs(smt.OpSeqEmpty, s, nil)
	case smt.KindSet:
		op := smt.OpSetEmpty
		if g.R.Chance(0.2) {
			op = smt.OpSetUniverse
		}
		if !g.excludedOp(op.Info()) {
			t, err = a.AppAs(op, s, nil)
		}
	case smt.KindBag:
		t, err = a.AppAs(smt.OpBagEmpty, s, nil)
	case smt.KindRoundingMode:
		t, err = a.App(smt.OpRNE+smt.Op(g.R.Intn(5)), nil)
	case smt.KindBitVec:
		w := a.Width(s)
		n := new(big.Int).Lsh(big.NewInt(1), uint(w))
		switch g.R.Intn(3) {
		case 0:
			n.Sub(n, big.NewInt(1))
		case 1:
			n.Rsh(n, 1)
		default:
			n.SetInt64(int64(g.R.Intn(2)))
		}
		t = a.BV(w, n)
	case smt.KindFiniteField:
		t = a.FFVal(s, new(big.Int).Add(a.Modulus(s), big.NewInt(int64(g.R.Range(-1, 1)))))
	case smt.KindInt:
		t = a.Int64(int64(g.R.Intn(2)))
	case smt.KindReal:
		t = a.RealInt(int64(g.R.Intn(2)))
	case smt.KindString:
		t = a.Str(nil)
	}
	if err != nil || t == 0 || g.beyond(t) {
		return 0
	}
	g.addDeep(t)
	return t
}

// ConstOf declares a constant of a sort.
func (g *Gen) ConstOf(s smt.Sort) smt.Term { return g.constOf(s) }

// Name returns a name that is new.
func (g *Gen) Name(prefix string) string { return g.name(prefix) }

// Takes reports whether the targets have all operators of a literal.
func (g *Gen) Takes(lit smt.Term) bool { return !g.beyond(lit) }

// OnlyCore reports whether there are no sorts to make.
func (g *Gen) OnlyCore() bool {
	for t := range g.On {
		if t != "Core" && t != "Quantifiers" {
			return false
		}
	}
	return true
}
