package gen

import (
	"math/big"

	"github.com/smtlark/smtlark/engine/language/literal"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// literalMaker makes literals and other values, and knows terms that are values.
type literalMaker struct{ sortMaker }

// drawLiteral draws a value: boundaries come often.
func (g *literalMaker) drawLiteral(s smt.Sort) smt.Term {
	a := g.A
	switch a.SortKind(s) {
	case smt.KindRegLan:
		return g.drawRegex()
	case smt.KindUser, smt.KindInvalid, smt.KindUnknown:
		return 0
	case smt.KindBitVec, smt.KindFloat:
		if t := literal.Boundary(a, g.R, s); t != 0 {
			return t
		}
	case smt.KindFunc:
		if len(g.higherNames("lambda")) == 0 || g.sortDepth(s) > 1 { // tables over functions are long to write
			return 0
		}
		if len(a.SortArgs(s)) > 2 && g.onlyUnaryFunctions() { // a lambda of several variables
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
	if err != nil || g.holdsExcluded(t) {
		return 0
	}
	return t
}

// Literal draws a literal of a sort that the targets take; 0: there is none.
func (g *literalMaker) Literal(s smt.Sort) smt.Term { return g.drawLiteral(s) }

func (g *literalMaker) drawRegex() smt.Term {
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

// valueOf makes a literal of a sort; 0 if the sort has none.
func (g *literalMaker) valueOf(s smt.Sort) smt.Term {
	t := g.drawLiteral(s)
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
func (g *literalMaker) addDeep(t smt.Term) {
	g.A.PostOrder([]smt.Term{t}, func(x smt.Term) {
		if g.DB.terms[x] != nil && x != t {
			return
		}
		g.sink.Term(x)
		g.DB.Add(x)
	})
}

// NewValue makes a literal.
func (g *literalMaker) NewValue() smt.Term { return g.valueOf(g.anySort("const")) }

// NewSpecial makes a value by its name: 0, 1 and -1 of numbers, special floating-point numbers, empty collections.
func (g *literalMaker) NewSpecial() smt.Term {
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
		t = literal.Boundary(a, g.R, s)
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
		// At the modulus, where solvers begin to reduce.
		t = a.FFVal(s, new(big.Int).Add(a.Modulus(s), big.NewInt(int64(g.R.Range(-1, 1)))))
	case smt.KindInt:
		t = a.Int64(int64(g.R.Intn(2)))
	case smt.KindReal:
		t = a.RealInt(int64(g.R.Intn(2)))
	case smt.KindString:
		t = a.Str(nil)
	}
	if err != nil || t == 0 || g.holdsExcluded(t) {
		return 0
	}
	g.addDeep(t)
	return t
}

// extraValue makes one of the special values of the configuration; 0: none can be made now.
func (g *literalMaker) extraValue() smt.Term {
	if len(g.Cfg.Values) == 0 {
		return 0
	}
	v := &g.Cfg.Values[g.R.Intn(len(g.Cfg.Values))]
	if v.Weight < 1 && !g.R.Chance(v.Weight) {
		return 0
	}
	s, err := smtlib.ParseSort(g.A, nil, v.Sort)
	if err != nil || !g.sortOn(s) {
		return 0
	}
	t, err := smtlib.ParseTerm(g.A, nil, v.Text)
	if err != nil {
		t = g.A.Opaque(v.Text, nil, s)
	}
	if g.A.Sort(t) != s {
		if s != smt.SortReal || g.A.Sort(t) != smt.SortInt { // 1 is read as an Int
			return 0
		}
		t = g.A.ToReal(t)
	}
	if g.holdsExcluded(t) {
		return 0
	}
	g.DB.AddSort(s, g.scope)
	return t
}

// RandomValue draws a value of a sort; boundaries and values that were drawn before come often.
func (g *literalMaker) RandomValue(s smt.Sort) value.Value { return g.values.Value(s) }

// AddTerm makes a term without free variables and its parts available, as terms that the run has made: of the parts
// below its binders those that do not depend on their variables.
func (g *literalMaker) AddTerm(t smt.Term) {
	closed := map[smt.Term]bool{t: true}
	for _, x := range g.A.ClosedTerms(t) {
		closed[x] = true
	}
	g.A.PostOrder([]smt.Term{t}, func(x smt.Term) {
		if g.DB.terms[x] != nil && x != t {
			return
		}
		g.sink.Term(x)
		if closed[x] {
			g.DB.Add(x)
		}
	})
	g.A.PostOrder([]smt.Term{t}, func(x smt.Term) {
		if s := g.A.Sort(x); s != smt.SortRegLan {
			g.DB.AddSort(s, g.DB.ownScope(x))
		}
	})
}

func (g *literalMaker) isZero(t smt.Term) bool {
	n, isInt := g.A.IntOf(t)
	r, isReal := g.A.RatOf(t)
	return isInt && n.Sign() == 0 || isReal && r.Sign() == 0
}

// isValue reports whether a term is a literal of its sort, such as (- 3), (/ 1.0 3.0) or a floating-point number.
func (g *literalMaker) isValue(t smt.Term) bool {
	ok := true
	g.A.PostOrder([]smt.Term{t}, func(x smt.Term) {
		switch op := g.A.Op(x); {
		case g.A.IsLiteral(x), op == smt.OpFP, op == smt.OpSub && g.A.NumArgs(x) == 1, op == smt.OpConstArray,
			op >= smt.OpFPPlusInf && op <= smt.OpFPNaN, op >= smt.OpRNE && op <= smt.OpRTZ:
		case op == smt.OpDiv && g.A.NumArgs(x) == 2: // of literals: how SMT-LIB writes a number that is no decimal
			ok = ok && g.A.Op(g.A.Arg(x, 0)) == smt.OpRealLit && g.A.Op(g.A.Arg(x, 1)) == smt.OpRealLit
		default:
			ok = false
		}
	})
	return ok && g.A.Depth(t) < 4
}

// literalsInPlace reports whether arguments are literals where they have to be.
func (g *literalMaker) literalsInPlace(op smt.Op, args []smt.Term) bool {
	for i, t := range args {
		if literal, nonzero := g.LiteralOnly(op, i); literal && (!g.isValue(t) || nonzero && g.isZero(t)) {
			return false
		}
	}
	return true
}

// hasZero reports whether the value of a number or a bit vector is known to be zero.
func (g *literalMaker) hasZero(t smt.Term) bool {
	v, err := g.Ev.Eval(t)
	if err != nil {
		return false
	}
	n, isInt := v.Int()
	r, isReal := v.Rat()
	b, isBV := v.BV()
	return isInt && n.Sign() == 0 || isReal && r.Sign() == 0 || isBV && b.Sign() == 0
}

// canConst reports whether constant arrays are known to all targets.
func (r *Exclusions) canConst() bool { return len(r.Kinds) > 0 }
