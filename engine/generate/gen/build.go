package gen

import (
	"slices"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/logic"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// buildTries bounds the operators that are tried for one place of a built term.
const buildTries = 12

// builder makes one term from its root to its leaves.
type builder struct{ g *Gen }

// applied is the share of the places of a built term at which a function of the run is applied, where there is one.
const applied = 0.15

func (b *builder) buildTerm(s smt.Sort, depth int) smt.Term {
	g := b.g
	if depth <= 0 {
		return b.pickLeaf(s)
	}
	if t := b.applyFunction(s, depth); t != 0 {
		return t
	}
	all := g.Results(s)
	for range min(buildTries, 2*len(all)) {
		x := &all[g.R.Intn(len(all))]
		in, ok := g.Bind(x, s, b)
		if !ok || in.Result != 0 && in.Result != s {
			continue
		}
		args := make([]smt.Term, len(in.Args))
		for i, sort := range in.Args {
			if args[i] = b.buildTerm(sort, depth-1); args[i] == 0 {
				break
			}
		}
		if slices.Contains(args, 0) {
			continue
		}
		if t, ok := g.Make(x, &in, args); ok && g.A.Sort(t) == s {
			if t = g.keepTerm(t); t != 0 {
				return t
			}
		}
	}
	return b.pickLeaf(s)
}

// applyFunction applies a function of the run, or a constructor; 0: there is none, or it is not its turn.
func (b *builder) applyFunction(s smt.Sort, depth int) smt.Term {
	g := b.g
	if dt, params := g.A.DatatypeOf(s); dt != nil && g.R.Bool() {
		c := dt.Constructors[g.R.Intn(len(dt.Constructors))]
		return g.keepTerm(symbolTerms{g}.applyConstructor(dataSort{sort: s, dt: dt}, c, params))
	}
	var fit []smt.Symbol
	for _, f := range g.funs {
		if g.A.SymbolInfo(f.sym).Result == s {
			fit = append(fit, f.sym)
		}
	}
	if len(fit) == 0 || !g.R.Chance(applied) {
		return 0
	}
	f := fit[g.R.Intn(len(fit))]
	var args []smt.Term
	for _, p := range g.A.SymbolInfo(f).Params {
		x := b.buildTerm(p, depth-1)
		if x == 0 {
			return 0
		}
		args = append(args, x)
	}
	t, err := g.A.Apply(f, args...)
	if err != nil {
		return 0
	}
	return g.keepTerm(t)
}

// pickLeaf returns a term that is there, seldom a literal.
func (b *builder) pickLeaf(s smt.Sort) smt.Term {
	g := b.g
	if !g.R.Chance(0.25) {
		if t := g.DB.Pick(g.R, s, 0, 0); t != 0 {
			g.DB.Use(t)
			return t
		}
	}
	if t := g.drawLiteral(s); t != 0 {
		g.addDeep(t)
		return t
	}
	return g.DB.Pick(g.R, s, 0, 0)
}

// sortsOf returns the sorts of a kind that are there; of smt.KindInvalid: all.
func (b *builder) sortsOf(kind smt.SortKind) (fit []smt.Sort) {
	for _, s := range b.g.DB.Sorts() {
		if k := b.g.A.SortKind(s); k == kind || kind == smt.KindInvalid && k != smt.KindRegLan && k != smt.KindFunc {
			fit = append(fit, s)
		}
	}
	return fit
}

// Sort implements Chooser.
func (b *builder) Sort(kind smt.SortKind) smt.Sort {
	if fit := b.sortsOf(kind); len(fit) > 0 {
		return fit[b.g.R.Intn(len(fit))]
	}
	return 0
}

// Width implements Chooser.
func (b *builder) Width() int {
	if s := b.Sort(smt.KindBitVec); s != 0 && b.g.R.Chance(0.9) {
		return b.g.A.Width(s)
	}
	return b.g.drawWidth()
}

// Format implements Chooser.
func (b *builder) Format() (exponent, bits int) {
	if s := b.Sort(smt.KindFloat); s != 0 {
		return b.g.A.FloatFormat(s)
	}
	return b.g.drawFormat()
}

// Index implements Chooser.
func (b *builder) Index(_, limit, width int) int {
	return BoundaryIndex(b.g.R, b.g.R.Intn(IndexClasses), limit, width)
}

// Over makes a generator for terms over a script: it starts with the script's closed terms, sorts and functions. The
// operators are those of the script's theories, or of the theories that cfg names.
func Over(a *smt.Arena, roots []smt.Term, functions []smt.Symbol, r *rng.Source, cfg Config, sink Sink) (*Gen, error) {
	closed := a.ClosedTerms(roots...)
	theories := map[string]bool{}
	sort := func(s smt.Sort) {
		if name := logic.TheoryOf[a.SortKind(s)]; name != "" {
			theories[name] = true
		}
	}
	a.PostOrder(roots, func(t smt.Term) {
		if op := a.Op(t); op == smt.OpCase || op == smt.OpAnnot || a.SortKind(a.Sort(t)) == smt.KindInvalid {
			return
		} else if !op.Structural() {
			theories[op.Info().Theory] = true
		}
		sort(a.Sort(t))
	})
	for _, f := range functions {
		for _, s := range a.SymbolInfo(f).Params {
			sort(s)
		}
		sort(a.SymbolInfo(f).Result)
	}
	if len(cfg.Theories) == 0 {
		// The arithmetic that integers and reals share is a theory of its own in the table, and no sort stands for it.
		if theories["Ints"] || theories["Reals"] {
			theories["Arith"] = true
		}
		delete(theories, "Quantifiers")
		for name := range theories {
			if slices.Contains(TableTheories(), name) {
				cfg.Theories = append(cfg.Theories, name)
			}
		}
		// The order of a map must not reach the case.
		slices.Sort(cfg.Theories)
	}
	for _, t := range closed {
		if a.SortKind(a.Sort(t)) == smt.KindBitVec {
			cfg.MaxWidth = max(cfg.MaxWidth, a.Width(a.Sort(t)), 64)
		}
	}
	g, err := New(a, r, cfg, sink)
	if err != nil {
		return nil, err
	}
	// The case has names of its own. In a run from scratch all names are the generator's, and none is taken.
	g.taken = map[string]bool{}
	for _, f := range functions {
		g.taken[a.SymbolName(f)] = true
		if len(a.SymbolInfo(f).Params) > 0 {
			g.AddFunction(f)
		} else {
			g.DB.AddSymbol(f, 0)
			g.AddTerm(a.Const(f))
		}
	}
	for _, t := range closed {
		g.AddTerm(t)
	}
	return g, nil
}

// Discard is the sink for terms whose declarations are found where they are used.
var Discard Sink = discard{}

type discard struct{}

func (discard) Command(smtlib.Command) {}
func (discard) Sort(smt.Sort)          {}
func (discard) Term(smt.Term)          {}

// Build makes a new term of a sort: operators up to a depth, and below them terms that are there or literals. It is 0
// where nothing of that sort can be made.
func (g *Gen) Build(s smt.Sort, depth int) smt.Term {
	b := builder{g}
	return b.buildTerm(s, depth)
}
