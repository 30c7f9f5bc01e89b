package gen

import (
	"github.com/smtlark/smtlark/engine/language/logic"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/solvers/rule"
)

// support has the features that the targets accept: the theories of the run without those that rules exclude.
type support struct {
	A   *smt.Arena
	Cfg Config
	// On are the theories, as the operator table names them.
	On map[string]bool

	excluded   map[rule.Lack]bool // features that the rules exclude
	without    map[string]bool    // the operators among that
	kinds      []bool             // the kinds of sorts that can exist, once they were asked for
	positional bool               // there are rules about arguments of operators
	indexed    bool               // there are rules about indices
	// literalFactors: products and quotients take literals in all places but one.
	literalFactors bool
	everyLogic     bool // the logic is known, and it is ALL
}

// newSupport computes the features that a configuration supports. The error names the mistake in the configuration.
func newSupport(a *smt.Arena, cfg Config) (support, error) {
	on, err := cfg.Fill()
	if err != nil {
		return support{}, err
	}
	g := support{A: a, On: on, excluded: make(map[rule.Lack]bool, len(cfg.Rules.Exclude)), without: map[string]bool{}}
	for _, l := range cfg.Rules.Exclude {
		g.excluded[l] = true
		switch l.Kind {
		case rule.Operator:
			g.without[l.Of] = true
		case rule.Argument:
			g.positional = true
		case rule.Index:
			g.indexed = true
		}
	}
	g.literalFactors = g.excluded[rule.Feature.Of(rule.LinearArithmetic)]
	cfg.Linear = cfg.Linear || g.literalFactors || g.without["*"]
	g.Cfg = cfg
	return g, nil
}

func (g *support) excludedOp(info *smt.OpInfo) bool {
	for _, k := range g.Cfg.Rules.Kinds {
		if !info.SupportedBy(k) {
			return true
		}
	}
	if len(g.Cfg.Rules.Kinds) == 0 && !info.Standard() {
		return true
	}
	if g.without[info.Name] {
		return true
	}
	switch info.Op {
	case smt.OpMul, smt.OpDiv, smt.OpIntDiv, smt.OpMod:
		return g.Cfg.Linear && !g.literalFactors
	case smt.OpRem, smt.OpPow, smt.OpIand, smt.OpIntPow2, smt.OpIntLog2, smt.OpDivTotal, smt.OpModTotal, smt.OpRealDivTotal:
		return g.Cfg.Linear
	}
	return false
}

// neverDrawn reports whether an operator is not applied to terms that are drawn: exponents must be literals, and the
// old spelling of re.loop with numbers in place of indices is the parser's. Laws may bring both.
func neverDrawn(op smt.Op) bool { return op == smt.OpPow || op == smt.OpReLoopArgs }

func (g *support) kindOn(k smt.SortKind) bool {
	if g.kinds == nil {
		g.kinds = make([]bool, smt.KindParam+1)
		for kind, theory := range logic.TheoryOf {
			g.kinds[kind] = g.On[theory] && !g.excluded[rule.Sort.Of(kind.String())]
		}
	}
	return g.kinds[k]
}

func (g *support) sortOn(s smt.Sort) bool { return g.kindOn(g.A.SortKind(s)) }

// SortOn reports whether the run has a sort: its theories are on and no rule forbids it.
func (g *support) SortOn(s smt.Sort) bool {
	ok := g.sortOn(s) && !g.tooWide(s)
	for _, part := range g.A.SortArgs(s) {
		ok = ok && g.SortOn(part)
	}
	return ok
}

func (g *support) tooWide(s smt.Sort) bool {
	switch g.A.SortKind(s) {
	case smt.KindBitVec:
		return g.A.Width(s) > g.Cfg.MaxWidth
	case smt.KindArray, smt.KindSeq, smt.KindSet, smt.KindBag, smt.KindFunc:
		return g.sortDepth(s) > 3 || g.partsExcluded(s)
	case smt.KindFloat:
		e, m := g.A.FloatFormat(s)
		return e < 2 || m < 3 || e > 15 || m > 113 || g.badFormat(e, m)
	}
	return false
}

// badFormat reports whether a rule forbids a floating-point format.
func (g *support) badFormat(e, m int) bool {
	for i := range FormatLacks {
		if l := &FormatLacks[i]; g.excluded[l.Lack] && l.Covers(e, m) {
			return true
		}
	}
	return false
}

// partsExcluded reports whether a rule forbids a sort inside another.
func (g *support) partsExcluded(s smt.Sort) bool {
	args := g.A.SortArgs(s)
	r := &g.Cfg.Rules
	switch g.A.SortKind(s) {
	case smt.KindArray:
		return r.excludes(g.A, "array-index", args[0]) || r.excludes(g.A, "array-element", args[1])
	case smt.KindSeq:
		return r.excludes(g.A, "seq-element", args[0])
	case smt.KindSet:
		return r.excludes(g.A, "set-element", args[0])
	case smt.KindBag:
		return r.excludes(g.A, "bag-element", args[0])
	}
	return false
}

// holdsExcluded reports whether a literal holds an operator that the targets lack.
func (g *support) holdsExcluded(t smt.Term) bool {
	bad := false
	g.A.PostOrder([]smt.Term{t}, func(x smt.Term) {
		if op := g.A.Op(x); !op.Structural() && g.excludedOp(op.Info()) && op != smt.OpDiv {
			bad = true
		}
	})
	return bad
}

// Takes reports whether the targets have all operators of a literal.
func (g *support) Takes(lit smt.Term) bool { return !g.holdsExcluded(lit) }

func (g *support) tableExcluded() bool { return g.excludedOp(smt.OpConstArray.Info()) }

// allowsMatch reports whether no rule forbids match.
func (g *support) allowsMatch() bool {
	return !g.Cfg.Rules.Lacks(rule.Operator.Of("match"))
}

// allowsUpdate reports whether all targets have updaters: z3 and cvc5 do.
func (g *support) allowsUpdate() bool {
	for _, k := range g.Cfg.Rules.Kinds {
		if k != "cvc5" {
			return false // z3's are spelt otherwise
		}
	}
	return len(g.Cfg.Rules.Kinds) > 0
}

// badIndex reports whether a rule forbids the index of a term.
func (g *support) badIndex(t smt.Term) bool { return g.indexed && g.excluded[LackOfIndex(g.A, t)] }

// Excludes reports whether a rule forbids a sort in a place of rule.PlacesOfSorts.
func (g *support) Excludes(position string, s smt.Sort) bool {
	return g.Cfg.Rules.excludes(g.A, position, s)
}

// onlyUnaryFunctions reports whether targets have no partial application: functions that are applied have one argument.
func (g *support) onlyUnaryFunctions() bool { return g.excluded[rule.ManyArguments.Of("@")] }

// LiteralOnly reports whether an argument of an operator has to be a literal, for want of nonlinear arithmetic, and
// whether it must not be zero.
func (g *support) LiteralOnly(op smt.Op, argument int) (literal, nonzero bool) {
	if !g.literalFactors || argument == 0 {
		return false, false
	}
	return Nonlinear(op), Nonlinear(op) && op != smt.OpMul
}

func (g *support) sortDepth(s smt.Sort) int {
	d := 0
	for _, x := range g.A.SortArgs(s) {
		d = max(d, 1+g.sortDepth(x))
	}
	return d
}

// OnlyCore reports whether there are no sorts to make.
func (g *support) OnlyCore() bool {
	for t := range g.On {
		if t != "Core" && t != "Quantifiers" {
			return false
		}
	}
	return true
}

func (g *support) takesExtra(x Extra) bool { return x.Weight > 0 && !g.without[x.Name] }
