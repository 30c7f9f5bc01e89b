package optimise

import (
	"math/big"
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/linear"
)

const (
	// maxCells bounds the size of a linear program: variables times inequalities.
	maxCells = 200_000
	// maxProducts bounds the work of one linear program.
	maxProducts = 500_000
	// maxCoefficients bounds the number of coefficients of all linear terms together.
	maxCoefficients = 1_000_000
)

// polyhedron is a set of models around a given one, which differ from it only in constants of sort Int and Real and
// keep the truth values that make the assertions true. Each satisfies the assertions, except that Int constants may be
// fractions.
//
// All variables are differences from the given model, so the slack of each inequality is its slack in that model.
type polyhedron struct {
	a      *smt.Arena
	ev     *eval.Evaluator // of the one model
	system []constraint
	// pinned constants must keep their values, because something other than linear arithmetic depends on them.
	pinned map[smt.Symbol]bool
	held   map[smt.Term]bool
	forms  map[smt.Term]form
	unread map[smt.Term]bool // terms whose constants are pinned
	count  int               // coefficients of all forms
	broken bool              // something has no value, or a limit was exceeded
}

// form has the coefficients of the symbols in a linear term, without its constant part.
type form map[smt.Symbol]*big.Rat

// constraint says that a form is at most slack, or less than it.
type constraint struct {
	form   form
	slack  *big.Rat
	strict bool
}

// polyhedronOf returns the polyhedron around a model in which the assertions are true; nil if something has no value.
func polyhedronOf(a *smt.Arena, ev *eval.Evaluator, asserts []smt.Term) *polyhedron {
	p := &polyhedron{a: a, ev: ev, pinned: map[smt.Symbol]bool{}, held: map[smt.Term]bool{}, forms: map[smt.Term]form{},
		unread: map[smt.Term]bool{}}
	for _, t := range asserts {
		p.hold(t)
	}
	if p.broken {
		return nil
	}
	return p
}

// truth returns the truth value of a formula in the one model.
func (p *polyhedron) truth(t smt.Term) bool {
	b, ok := p.ev.Value(t).Bool()
	p.broken = p.broken || !ok
	return b
}

// number returns the value of a term of sort Int or Real.
func (p *polyhedron) number(t smt.Term) *big.Rat {
	r := numberOf(p.ev.Value(t))
	if r == nil {
		p.broken = true
		return new(big.Rat)
	}
	return r
}

// hold adds the constraints that keep the truth value of a formula. It uses as few of its arguments as possible.
func (p *polyhedron) hold(t smt.Term) {
	if p.broken || p.held[t] {
		return
	}
	p.held[t] = true
	op, args := p.a.Look(t)
	switch op {
	case smt.OpTrue, smt.OpFalse:
	case smt.OpAnnot, smt.OpNot:
		p.hold(args[0])
	case smt.OpAnd:
		p.holdDeciding(args, !p.truth(t), func(int) bool { return false })
	case smt.OpOr:
		p.holdDeciding(args, p.truth(t), func(int) bool { return true })
	case smt.OpImplies:
		p.holdDeciding(args, p.truth(t), func(i int) bool { return i == len(args)-1 })
	case smt.OpIte:
		p.hold(args[0])
		p.hold(p.branch(args))
	case smt.OpXor:
		p.holdAll(args)
	case smt.OpEq, smt.OpDistinct:
		switch {
		case p.a.Sort(args[0]) == smt.SortBool:
			p.holdAll(args)
		case !p.isNumeric(args[0]):
			p.pin(t)
		default:
			p.holdEquality(args, p.truth(t) == (op == smt.OpEq), op == smt.OpEq)
		}
	case smt.OpLe, smt.OpLt, smt.OpGe, smt.OpGt:
		p.holdComparison(op, args, p.truth(t))
	case smt.OpApply:
		if info := p.a.SymbolInfo(p.a.SymbolOf(t)); len(args) == 0 && info.Body != 0 {
			p.hold(info.Body)
		} else if len(args) > 0 {
			p.pin(t)
		}
	default:
		p.pin(t)
	}
}

func (p *polyhedron) isNumeric(t smt.Term) bool {
	s := p.a.Sort(t)
	return s == smt.SortInt || s == smt.SortReal
}

// branch returns the branch that an ite selects.
func (p *polyhedron) branch(args []smt.Term) smt.Term {
	if p.truth(args[0]) {
		return args[1]
	}
	return args[2]
}

func (p *polyhedron) holdAll(args []smt.Term) {
	for _, t := range args {
		p.hold(t)
	}
}

// holdDeciding holds one argument whose value decides the result, if there is one, else all arguments.
func (p *polyhedron) holdDeciding(args []smt.Term, decided bool, decides func(i int) bool) {
	if !decided {
		p.holdAll(args)
		return
	}
	for i, t := range args {
		if p.truth(t) == decides(i) {
			p.hold(t)
			return
		}
	}
	p.broken = true
}

// holdEquality keeps terms equal, or two of them different; all says that the negation of "all are equal" needs one
// pair only, and that of "all are distinct" all of them.
func (p *polyhedron) holdEquality(args []smt.Term, equal, all bool) {
	for i, x := range args {
		for _, y := range args[i+1:] {
			order := p.number(x).Cmp(p.number(y))
			switch {
			case p.broken:
				return
			case (order == 0) != equal: // a pair that does not decide
			case order == 0:
				p.bound(x, y, false)
				p.bound(y, x, false)
			case order < 0:
				p.bound(x, y, true)
			default:
				p.bound(y, x, true)
			}
			if all != equal && (order == 0) == equal {
				return
			}
		}
	}
}

// holdComparison keeps a chain of comparisons, or one link of it that does not hold.
func (p *polyhedron) holdComparison(op smt.Op, args []smt.Term, holds bool) {
	for i := range args[1:] {
		x, y := args[i], args[i+1]
		if op == smt.OpGe || op == smt.OpGt {
			x, y = y, x
		}
		strict := op == smt.OpLt || op == smt.OpGt
		order := p.number(x).Cmp(p.number(y))
		if holds {
			p.bound(x, y, strict)
		} else if order > 0 || strict && order == 0 {
			p.bound(y, x, !strict)
			return
		}
	}
}

// bound adds x <= y, or x < y, which holds in the one model.
func (p *polyhedron) bound(x, y smt.Term, strict bool) {
	f := form{}
	f.add(p.linear(x), one)
	f.add(p.linear(y), big.NewRat(-1, 1))
	slack := new(big.Rat).Sub(p.number(y), p.number(x))
	p.broken = p.broken || slack.Sign() < 0 || strict && slack.Sign() == 0
	p.system = append(p.system, constraint{f, slack, strict})
}

// add adds a form times a factor.
func (f form) add(g form, factor *big.Rat) {
	for s, c := range g {
		sum := new(big.Rat).Mul(c, factor)
		if old := f[s]; old != nil {
			sum.Add(sum, old)
		}
		if f[s] = sum; sum.Sign() == 0 {
			delete(f, s)
		}
	}
}

// linear returns the coefficients of a term of sort Int or Real. Constants on which it depends in another way are
// pinned.
func (p *polyhedron) linear(t smt.Term) form {
	if f, ok := p.forms[t]; ok || p.broken {
		return f
	}
	f := p.newForm(t)
	p.forms[t] = f
	if p.count += len(f); p.count > maxCoefficients {
		p.broken = true
	}
	return f
}

func (p *polyhedron) newForm(t smt.Term) form {
	minus := big.NewRat(-1, 1)
	op, args := p.a.Look(t)
	switch op {
	case smt.OpIntLit, smt.OpRealLit:
		return nil
	case smt.OpAnnot, smt.OpToReal:
		return p.linear(args[0])
	case smt.OpAdd, smt.OpSub:
		f := form{}
		for i, x := range args {
			factor := one
			if op == smt.OpSub && (i > 0 || len(args) == 1) {
				factor = minus
			}
			f.add(p.linear(x), factor)
		}
		return f
	case smt.OpMul:
		return p.productForm(args)
	case smt.OpDiv:
		factor := big.NewRat(1, 1)
		for _, x := range args[1:] {
			p.pin(x)
			divisor := p.number(x)
			if divisor.Sign() == 0 {
				p.pin(t)
				return nil
			}
			factor.Quo(factor, divisor)
		}
		f := form{}
		f.add(p.linear(args[0]), factor)
		return f
	case smt.OpIte:
		p.hold(args[0])
		return p.linear(p.branch(args))
	case smt.OpApply:
		f := p.a.SymbolOf(t)
		switch info := p.a.SymbolInfo(f); {
		case len(args) > 0:
		case info.Body != 0:
			return p.linear(info.Body)
		case info.Kind == smt.SymDeclared:
			return form{f: one}
		}
	}
	p.pin(t)
	return nil
}

// productForm returns the form of a product in which one factor may change; the others are pinned.
func (p *polyhedron) productForm(args []smt.Term) form {
	var changing form
	factor := big.NewRat(1, 1)
	for _, x := range args {
		f := p.linear(x)
		if len(f) > 0 && changing == nil {
			changing = f
			continue
		}
		p.pin(x)
		factor.Mul(factor, p.number(x))
	}
	out := form{}
	out.add(changing, factor)
	return out
}

// pin fixes the values of all constants on which a term may depend.
func (p *polyhedron) pin(t smt.Term) {
	if p.unread[t] {
		return
	}
	p.unread[t] = true
	for _, f := range p.a.Symbols(t) {
		p.pinned[f] = true
		if body := p.a.SymbolInfo(f).Body; body != 0 {
			p.pin(body)
		}
	}
}

// pinIntegers fixes the values of all constants of sort Int.
func (p *polyhedron) pinIntegers() {
	for _, c := range p.system {
		for f := range c.form {
			if p.a.SymbolInfo(f).Result == smt.SortInt {
				p.pinned[f] = true
			}
		}
	}
}

// direction is the direction of a goal in a polyhedron.
type direction struct {
	symbols []smt.Symbol
	ray     []*big.Rat // along it the goal grows without bound; nil: the goal is bounded
	gain    *big.Rat   // increase of the goal at its maximum
	// point returns the point of the maximum. If the goal does not reach its bound, it returns a point that is closer
	// to it the smaller the factor is.
	point func(factor *big.Rat) []*big.Rat
	// fractional says that an Int constant would also have to approach a value without reaching it.
	fractional bool
	reached    bool // the maximum is reached, not just approached
	leaning    bool // a constant that affects the goal was pinned
}

// maximize looks for the point at which a term is greatest, or least with sign -1; nil if the problem is too large. The
// differences are those of symbols from the one model.
func (p *polyhedron) maximize(t smt.Term, sign int) *direction {
	goal := form{}
	goal.add(p.linear(t), big.NewRat(int64(sign), 1))
	if p.broken {
		return nil
	}
	d := &direction{gain: new(big.Rat), reached: true}
	column := map[smt.Symbol]int{}
	enter := func(f form) {
		for s := range f {
			if p.pinned[s] {
				d.leaning = true
			} else if _, ok := column[s]; !ok {
				column[s] = -1
			}
		}
	}
	for _, f := range p.a.Symbols(t) {
		d.leaning = d.leaning || p.pinned[f]
	}
	enter(goal)
	// Only the inequalities that are connected with the goal matter.
	var system []constraint
	taken := make([]bool, len(p.system))
	for grown := true; grown; {
		grown = false
		for i, c := range p.system {
			if !taken[i] && touches(c.form, column) {
				taken[i], grown = true, true
				system = append(system, c)
				enter(c.form)
			}
		}
	}
	if len(column)*len(system) > maxCells {
		return nil
	}
	for s := range column {
		d.symbols = append(d.symbols, s)
	}
	slices.Sort(d.symbols)
	for i, s := range d.symbols {
		column[s] = i
	}
	return d.found(p, goal, system, column)
}

// found solves the linear program of a direction.
func (d *direction) found(p *polyhedron, goal form, system []constraint, column map[smt.Symbol]int) *direction {
	coefficients := func(f form) []*big.Rat {
		out := make([]*big.Rat, len(d.symbols))
		for s, c := range f {
			if !p.pinned[s] {
				out[column[s]] = c
			}
		}
		return out
	}
	aim := coefficients(goal)
	for i := range aim {
		if aim[i] == nil {
			aim[i] = new(big.Rat)
		}
	}
	inequalities := make([]linear.Inequality, len(system))
	for i, c := range system {
		inequalities[i] = p.tightened(linear.Inequality{Coefficients: coefficients(c.form), Slack: c.slack, Strict: c.strict},
			d.symbols)
	}
	x := linear.Program(aim, inequalities, maxProducts)
	ray, ok := x.Solve()
	switch {
	case ray != nil:
		d.ray = ray
	default:
		d.leaning = d.leaning || !ok // it goes on from there in the next round
		d.point, d.gain, d.reached = x.Point, x.Reached().Whole, !ok || x.Reached().Part.Sign() == 0
		for v, s := range d.symbols {
			d.fractional = d.fractional || p.a.SymbolInfo(s).Result == smt.SortInt && !x.IsExact(v)
		}
	}
	return d
}

// tightened rounds the slack of an inequality down to what integer values can reach, if all its symbols are integers.
func (p *polyhedron) tightened(x linear.Inequality, symbols []smt.Symbol) linear.Inequality {
	scale := big.NewInt(1)
	for i, c := range x.Coefficients {
		if c == nil {
			continue
		}
		if p.a.SymbolInfo(symbols[i]).Result != smt.SortInt {
			return x
		}
		scale = leastMultiple(scale, c.Denom())
	}
	whole := new(big.Rat).SetInt(scale)
	slack := new(big.Rat).Mul(x.Slack, whole)
	steps := new(big.Int).Div(slack.Num(), slack.Denom())
	if x.Strict && slack.IsInt() {
		steps.Sub(steps, big.NewInt(1))
	}
	return linear.Inequality{Coefficients: x.Coefficients, Slack: slack.Quo(new(big.Rat).SetInt(steps), whole)}
}

// leastMultiple returns the least common multiple of two positive numbers.
func leastMultiple(x, y *big.Int) *big.Int {
	out := new(big.Int).Div(y, new(big.Int).GCD(nil, nil, x, y))
	return out.Mul(out, x)
}

// touches reports whether a form has one of the columns.
func touches(f form, column map[smt.Symbol]int) bool {
	for s := range f {
		if _, ok := column[s]; ok {
			return true
		}
	}
	return false
}
