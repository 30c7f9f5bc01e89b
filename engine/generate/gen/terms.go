package gen

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers/rule"
)

// tries bounds the attempts to apply operators until one can be applied.
const tries = 24

// maxExponentBits bounds the exponent of int.pow2, where its value is known.
const maxExponentBits = 16

// greatestExponent is the greatest one where a rule forbids those beyond it.
const greatestExponent = 256

// zeroDivisors is the chance that a zero divisor is kept. SMT-LIB leaves such a quotient open or fixes it whatever is
// divided, so the terms above it show little.
const zeroDivisors = 0.1

// Nonlinear reports whether an operator is linear only where all of its arguments but the first are literals.
func Nonlinear(op smt.Op) bool {
	return op == smt.OpMul || op == smt.OpDiv || op == smt.OpIntDiv || op == smt.OpMod
}

// numberOf returns the number that a letter of a signature stands for.
func numberOf(b *smt.Bindings, letter byte) (n int, bound bool) {
	wide, bound := b.Number(letter)
	return int(wide), bound
}

// NewTerm applies an operator to terms that are there, making literals where an argument lacks; 0: nothing could be
// made.
func (g *Gen) NewTerm() smt.Term {
	g.listOperators()
	if len(g.favoured) > 0 && g.R.Chance(0.3) {
		if t := g.tryChoice(g.favoured[g.R.Intn(len(g.favoured))]); t != 0 {
			return t
		}
	}
	for range tries {
		name := g.names[g.R.Intn(len(g.names))]
		if name == "Core" && len(g.names) > 1 && g.R.Chance(0.7) {
			continue
		}
		if t := g.termOf(name); t != 0 {
			return t
		}
	}
	return 0
}

// termOf applies an operator of a theory.
func (g *Gen) termOf(theory string) smt.Term {
	switch theory {
	case "UF":
		return g.keepTerm(symbolTerms{g}.applyFunction())
	case "Datatypes":
		return g.keepTerm(symbolTerms{g}.datatypeTerm())
	case "Quantifiers":
		if g.inside {
			return 0
		}
		return g.keepTerm(g.makeQuantifier())
	case HigherOrder:
		return functionTerms{g}.makeTerm()
	case ArrayFunctions:
		return functionTerms{g}.arrayTerm()
	case "extra":
		return g.applyExtra()
	}
	list := g.byName[theory]
	c := &list[g.R.Intn(len(list))]
	// Of two, the one that came up less often in this run.
	if other := &list[g.R.Intn(len(list))]; g.Made[other.op.Info().Name] < g.Made[c.op.Info().Name] {
		c = other
	}
	return g.tryChoice(c)
}

// tryChoice applies an operator. If its weight is below 1, that is the chance that it is tried.
func (g *Gen) tryChoice(c *choice) smt.Term {
	if c.weight < 1 && !g.R.Chance(c.weight) {
		return 0
	}
	g.Tried[c.op.Info().Name]++
	return g.keepTerm(g.apply1(c))
}

// keepTerm adds a term that was made.
func (g *Gen) keepTerm(t smt.Term) smt.Term {
	if t == 0 || g.Cfg.MaxDepth > 0 && g.A.Depth(t) > g.Cfg.MaxDepth || g.tooWide(g.A.Sort(t)) {
		return 0
	}
	g.Made[OperatorName(g.A, t)]++
	g.sink.Term(t)
	g.DB.Add(t)
	if s := g.A.Sort(t); g.DB.sortAt[s] == 0 {
		if _, known := g.DB.sortAt[s]; !known && s != smt.SortRegLan {
			g.DB.AddSort(s, g.DB.terms[t].scope)
		}
	}
	return t
}

// pickTerm draws a term of a sort, and makes a literal (or a constant) where there is none.
func (g *Gen) pickTerm(s smt.Sort) smt.Term {
	if t := g.DB.Pick(g.R, s, 0, g.DB.Level()); t != 0 && !(s != smt.SortBool && g.R.Chance(0.06)) {
		return t
	}
	if t := g.valueOf(s); t != 0 {
		return t
	}
	if t := g.DB.Pick(g.R, s, 0, g.DB.Level()); t != 0 || s == smt.SortRegLan || g.Cfg.Rules.excludes(g.A, "const", s) {
		return t
	}
	return g.constOf(s)
}

// apply1 applies an operator in one of its alternatives; 0 if that cannot be done now.
func (g *Gen) apply1(c *choice) smt.Term {
	b, s := &smt.Bindings{}, c.sig
	if !g.bindAhead(c, b) {
		return 0
	}
	var args []smt.Term
	for i := range s.Args {
		t := g.drawArgument(&s.Args[i], b)
		if t == 0 {
			return 0
		}
		args = append(args, t)
		if i == s.Repeat {
			for range g.R.Intn(g.Cfg.MaxArgs - 1) {
				args = append(args, g.pickTerm(g.A.Sort(t)))
			}
		}
	}
	info := c.op.Info()
	more := info.Assoc != smt.AssocNone && len(args) == 2 && g.R.Chance(0.25)
	if more && !g.Cfg.Rules.Lacks(rule.ManyArguments.Of(info.Name)) {
		more := g.R.Range(1, max(1, g.Cfg.MaxArgs-2))
		// Around the number of values that the sort has, distinct turns from true to false by counting.
		if n := g.MoreThanValues(c.op, g.A.Sort(args[1])); n > 0 && g.R.Bool() {
			more = n - 2
		}
		for range more {
			last := &s.Args[1]
			if t := g.drawArgument(last, b); t != 0 {
				args = append(args, t)
			}
		}
	}
	g.avoidZeroDivisors(c.op, args)
	if g.literalFactors {
		g.makeLinear(c.op, args)
	}
	if c.op == smt.OpIntPow2 {
		// The power of a large exponent fits neither a solver's memory nor the evaluator's limits.
		args[0] = g.smallExponent(args[0])
	}
	if slices.Contains(args, 0) || !g.isAllowed(c.op, args) {
		return 0
	}
	idx, ok := g.drawIndices(s, b)
	if !ok {
		return 0
	}
	var t smt.Term
	var err error
	if info.Qualified {
		t, err = g.A.AppAs(c.op, s.Result.Build(g.A, b), idx, args...)
	} else {
		t, err = g.A.App(c.op, idx, args...)
	}
	if err != nil || g.badIndex(t) {
		return 0
	}
	return t
}

// MoreThanValues returns the number of arguments at which distinct becomes false by counting, because the sort has few
// values, or one less. It returns 0 if the sort has many values or the operator is another one.
func (g *Gen) MoreThanValues(op smt.Op, s smt.Sort) int {
	values := 0
	switch {
	case op != smt.OpDistinct:
	case g.A.SortKind(s) == smt.KindBitVec && g.A.Width(s) <= 3:
		values = 1 << g.A.Width(s)
	case s == smt.SortRoundingMode:
		values = 5
	case s == smt.SortBool:
		values = 2
	}
	if values == 0 {
		return 0
	}
	return values + g.R.Intn(2)
}

// smallExponent returns the remainder of an exponent by a small number, most of the time: while solvers search they try
// numbers that no model needs, and give up on powers of them.
func (g *Gen) smallExponent(t smt.Term) smt.Term {
	if t == 0 || g.isValue(t) || g.without["mod"] || g.R.Chance(0.1) {
		return t
	}
	small, err := g.A.App(smt.OpMod, nil, t, g.A.Int64(int64(g.R.Range(2, 40))))
	if err != nil {
		return t
	}
	g.keepTerm(g.A.Arg(small, 1))
	if small = g.keepTerm(small); small == 0 {
		return t
	}
	return small
}

// isAllowed keeps linear arithmetic linear, and rejects equality on sorts that targets cannot compare.
func (g *Gen) isAllowed(op smt.Op, args []smt.Term) bool {
	if g.positional {
		for _, t := range args {
			if g.excluded[rule.Argument.With(op.Info().Name, g.A.SortKind(g.A.Sort(t)).String())] {
				return false
			}
		}
	}
	switch op {
	case smt.OpMul, smt.OpDiv, smt.OpIntDiv, smt.OpMod:
		return g.literalsInPlace(op, args)
	case smt.OpIntPow2: // numbers of millions of digits tell nothing, and cvc5 refuses them
		v, err := g.Ev.Eval(args[0])
		n, isInt := v.Int()
		if isInt && g.excluded[rule.Index.With("int.pow2", "beyond")] && n.Cmp(big.NewInt(greatestExponent)) > 0 {
			return false
		}
		return err != nil || !isInt || n.BitLen() <= maxExponentBits
	case smt.OpEq, smt.OpDistinct, smt.OpIte:
		return !slices.ContainsFunc(args, func(t smt.Term) bool { return g.A.Sort(t) == smt.SortRegLan })
	case smt.OpReRange: // of strings that are not one character it is empty: rarely of use
		for _, t := range args {
			if s, ok := g.A.StrOf(t); (!ok || len(s) != 1) && !g.Cfg.Boundaries && g.R.Chance(0.9) {
				return false
			}
		}
	case smt.OpStrToRe:
		_, ok := g.A.StrOf(args[0])
		return ok || g.R.Chance(0.2)
	case smt.OpConstArray: // solvers want a value
		return g.A.NumArgs(args[0]) == 0 && g.A.IsLiteral(args[0]) || g.isValue(args[0])
	}
	return true
}

// TakesNode reports whether the run may use a term made elsewhere, without regard to its subterms: the targets must
// accept its sort and its operator at the sorts of its arguments, and the run must not exclude them.
func (g *Gen) TakesNode(t smt.Term) bool {
	op := g.A.Op(t)
	if !g.SortOn(g.A.Sort(t)) {
		return false
	}
	if g.A.IsLiteral(t) || op == smt.OpApply || op == smt.OpVar {
		return true
	}
	if op.Structural() {
		return false
	}
	info := op.Info()
	if !g.On[info.Theory] || info.ModelOnly || g.excludedOp(info) || g.operatorWeight(info.Name) <= 0 || g.badIndex(t) {
		return false
	}
	if neverDrawn(op) && !g.literalsBehind(op, g.A.Args(t)) {
		return false
	}
	if g.excluded[rule.ManyArguments.Of(info.Name)] && g.A.NumArgs(t) > 2 {
		return false
	}
	some := slices.ContainsFunc(g.Cfg.Rules.Exclude, func(l rule.Lack) bool {
		return l.Kind == rule.Signature && l.Of == info.Name
	})
	return !some && g.isAllowed(op, g.A.Args(t))
}

// literalsBehind reports whether all arguments but the first are literals. Powers are z3's in the logic ALL alone.
func (g *Gen) literalsBehind(op smt.Op, args []smt.Term) bool {
	return (op != smt.OpPow || g.everyLogic) && !slices.ContainsFunc(args[1:], func(t smt.Term) bool { return !g.A.IsLiteral(t) })
}

// avoidZeroDivisors puts other terms in the place of most divisors whose value is zero.
func (g *Gen) avoidZeroDivisors(op smt.Op, args []smt.Term) {
	switch op {
	case smt.OpDiv, smt.OpIntDiv, smt.OpMod, smt.OpRem, smt.OpBVUdiv, smt.OpBVUrem, smt.OpBVSdiv, smt.OpBVSrem, smt.OpBVSmod:
	default:
		return
	}
	for i := 1; i < len(args); i++ {
		for range 3 {
			if args[i] == 0 || !g.hasZero(args[i]) || g.R.Chance(zeroDivisors) {
				break
			}
			if t := g.pickTerm(g.A.Sort(args[i])); t != 0 {
				args[i] = t
			}
		}
	}
}

// makeLinear puts literals in the place of arguments that have to be; 0 where none was found.
func (g *Gen) makeLinear(op smt.Op, args []smt.Term) {
	for i, t := range args {
		literal, nonzero := g.LiteralOnly(op, i)
		if !literal {
			continue
		}
		for range tries {
			if t = g.drawLiteral(g.A.Sort(t)); t == 0 || !nonzero || !g.isZero(t) {
				break
			}
		}
		if args[i] = t; t != 0 {
			g.addDeep(t)
		}
	}
}

// drawArgument draws a term for a sort of a signature, binding its variables.
func (g *Gen) drawArgument(p *smt.Pattern, b *smt.Bindings) smt.Term {
	if sort := p.Build(g.A, b); sort != 0 {
		if !g.sortExists(sort) {
			return 0
		}
		return g.pickTerm(sort)
	}
	var fit []smt.Sort
	for _, x := range g.DB.Sorts() {
		if try := *b; p.Match(g.A, x, &try) && (x != smt.SortBool || g.R.Chance(0.3)) {
			fit = append(fit, x)
		}
	}
	if len(fit) == 0 {
		return 0
	}
	x := fit[g.R.Intn(len(fit))]
	if !p.Match(g.A, x, b) {
		return 0
	}
	return g.pickTerm(x)
}

// bindAhead binds the parameters that must be chosen before the arguments: formats, and the sorts of qualified
// operators.
func (g *Gen) bindAhead(c *choice, b *smt.Bindings) bool {
	s := c.sig
	switch {
	case c.op.Info().Qualified:
		var fit []smt.Sort
		for _, x := range g.DB.Sorts() {
			if g.A.SortKind(x) == s.Result.Kind() {
				fit = append(fit, x)
			}
		}
		return len(fit) > 0 && s.Result.Match(g.A, fit[g.R.Intn(len(fit))], b)
	case s.Result.Kind() == smt.KindFloat && (len(s.Indices) > 0 || c.op == smt.OpFP):
		var fit []smt.Sort
		for _, x := range g.DB.Sorts() {
			if g.A.SortKind(x) == smt.KindFloat {
				fit = append(fit, x)
			}
		}
		return len(fit) > 0 && s.Result.Match(g.A, fit[g.R.Intn(len(fit))], b)
	case slices.Contains(s.Indices, 'm') && s.Result.Kind() == smt.KindBitVec:
		b.BindNumber('m', int64(g.drawWidth()))
	}
	return true
}

// drawIndices draws the indices that the arguments leave open.
func (g *Gen) drawIndices(s *smt.Signature, b *smt.Bindings) ([]smt.Index, bool) {
	width, hasWidth := numberOf(b, 'm')
	for n, v := range s.Indices {
		if _, bound := b.Number(v); bound {
			continue
		}
		switch {
		case v == 'i' && len(s.Indices) == 2 && hasWidth: // extract
			i := g.R.Intn(width)
			if g.R.Chance(0.3) {
				i = width - 1
			}
			j := g.R.Intn(i + 1)
			if g.R.Chance(0.3) {
				j = 0
			}
			b.BindNumber('i', int64(i))
			b.BindNumber('j', int64(j))
		case v == 'i' && hasWidth: // bit2bool
			b.BindNumber('i', int64(g.R.Intn(width)))
		case v == 'k' && hasWidth:
			limit := -1
			switch s.Result.Numeral(0).String() {
			case "k*m":
				limit = max(1, min(maxRepeats-1, g.Cfg.MaxWidth/width))
			case "m+k":
				limit = max(0, g.Cfg.MaxWidth-width)
			}
			k := g.smallNumber()
			if g.R.Bool() { // around the width, where rotations begin anew
				k = BoundaryIndex(g.R, g.R.Intn(IndexClasses), limit, width)
			}
			if limit >= 0 {
				k = min(k, limit)
			}
			if s.Result.Numeral(0).String() == "k*m" {
				k = max(1, k)
			}
			b.BindNumber('k', int64(k))
		case v == 'n' && n == 0 && s.Conditional(): // divisible, iand
			b.BindNumber('n', int64(1+g.smallNumber()%16))
		default: // powers and loops
			b.BindNumber(v, int64(g.R.Intn(4)))
		}
	}
	var idx []smt.Index
	for _, v := range s.Indices {
		n, _ := b.Number(v)
		if n < 0 {
			return nil, false
		}
		idx = append(idx, g.A.NumIndex(uint64(n)))
	}
	return idx, true
}

// smallNumber draws a small number, now and then a bigger one.
func (g *Gen) smallNumber() int {
	switch g.R.Intn(8) {
	case 0:
		return 0
	case 1:
		return 1
	case 2:
		return 1 << g.R.Intn(7)
	case 3:
		return g.R.Intn(100)
	}
	return g.R.Intn(9)
}

// applyExtra applies an operator that the table lacks.
func (g *Gen) applyExtra() smt.Term {
	x := g.Cfg.Extra[g.R.Intn(len(g.Cfg.Extra))]
	if !g.takesExtra(x) || x.Weight < 1 && !g.R.Chance(x.Weight) {
		return 0
	}
	result, err := smtlib.ParseSort(g.A, nil, x.Result)
	if err != nil {
		return 0
	}
	var args []smt.Term
	for _, want := range x.Args {
		var fit []smt.Sort
		for _, s := range g.DB.Sorts() {
			if g.A.SortKind(s).String() == want || g.A.SortString(s) == want {
				fit = append(fit, s)
			}
		}
		if len(fit) == 0 {
			return 0
		}
		t := g.pickTerm(fit[g.R.Intn(len(fit))])
		if t == 0 {
			return 0
		}
		args = append(args, t)
	}
	return g.keepTerm(g.A.Opaque(x.Name, nil, result, args...))
}

// makeQuantifier binds the last variables, at least one and any number of the rest; all terms that contain them are
// gone.
func (g *Gen) makeQuantifier() smt.Term {
	level := g.DB.Level()
	if level == 0 {
		return 0
	}
	body := g.DB.Pick(g.R, smt.SortBool, level, level)
	if body == 0 {
		return 0
	}
	n := 1 + g.R.Intn(level)
	if g.R.Bool() {
		n = 1
	}
	vars := slices.Clone(g.DB.vars[level-n:])
	op := smt.OpForall
	if g.R.Bool() {
		op = smt.OpExists
	}
	t, err := g.A.Quant(op, vars, body)
	if err != nil {
		return 0
	}
	g.DB.CloseVars(n)
	return t
}

// CloseAll binds the variables that are open, or drops them where there is no formula over them. It returns the
// quantified formula, 0 if there is none.
func (g *Gen) CloseAll() smt.Term {
	t := smt.Term(0)
	for g.DB.Level() > 0 {
		if q := g.makeQuantifier(); q != 0 {
			t = g.keepTerm(q)
		} else {
			g.DB.CloseVars(1)
		}
	}
	return t
}

// Bool draws a Bool term without open variables.
func (g *Gen) Bool() smt.Term { return g.DB.Pick(g.R, smt.SortBool, 0, 0) }

// TermFor draws a term of any sort without open variables for get-value; 0: none.
func (g *Gen) TermFor() smt.Term {
	s := g.anySort("get-value")
	if g.Cfg.Rules.excludes(g.A, "get-value", s) {
		return 0
	}
	if t := g.DB.Pick(g.R, s, 0, 0); t != 0 && g.HasValue(t) {
		return t
	}
	return 0
}

// HasValue reports whether targets tell the value of a term: to compute it, they compute those of the terms below it.
func (g *Gen) HasValue(t smt.Term) bool {
	if !slices.ContainsFunc(g.Cfg.Rules.Exclude, func(l rule.Lack) bool { return l.Kind == rule.Sort && l.With == "get-value" }) {
		return true
	}
	has := true
	g.A.PostOrder([]smt.Term{t}, func(x smt.Term) {
		has = has && !g.Cfg.Rules.excludes(g.A, "get-value", g.A.Sort(x))
	})
	return has
}

// Adopt adds a term that was made elsewhere in the arena, and the terms below it. The error says why the term cannot be
// used: it has free variables or, where all symbols have to be declared, one that is not.
func (g *Gen) Adopt(t smt.Term, declared bool) error {
	if free := g.A.FreeVars(t); len(free) > 0 {
		return fmt.Errorf("%s is free in it", g.A.Brief(free[0]))
	}
	var unknown smt.Symbol
	if declared {
		g.A.PostOrder([]smt.Term{t}, func(x smt.Term) {
			if f := g.A.SymbolOf(x); f != 0 && unknown == 0 && !g.Declares(f) {
				unknown = f
			}
		})
	}
	if unknown != 0 {
		return fmt.Errorf("the walk does not declare %s: walk.manager.constant(rng, sort) does for constants", g.A.SymbolName(unknown))
	}
	g.AddTerm(t)
	return nil
}
