package gen

import (
	"slices"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
)

// operators are those of the theories of the run, to choose from.
type operators struct {
	support
	R *rng.Source

	byName  map[string][]choice        // by theory
	names   []string                   // of the theories in byName, in order; nil before the survey
	results map[smt.Sort][]Alternative // of Results, as far as they were asked for
	// favoured are choices that this run makes often: each run has its own (Swarm).
	favoured []*choice
}

// choice is an alternative of an operator that can be made here.
type choice struct {
	op     smt.Op
	sig    *smt.Signature
	weight float64
}

// swarmSize is the number of operators that a run favours.
const swarmSize = 6

// dropConflicting leaves out theories that the targets do not take together. Murxla tries such a combination anyway in
// one run of ten; here, a refused run is a lost run. Quantifiers stay if they were requested.
func (g *operators) dropConflicting() {
	for _, conflict := range g.Cfg.Rules.Conflicts {
		var all []string
		for _, t := range conflict {
			if g.On[t] {
				all = append(all, t)
			}
		}
		if len(all) < len(conflict) || len(all) == 0 {
			continue
		}
		if others := slices.DeleteFunc(slices.Clone(all), func(t string) bool { return t == "Quantifiers" }); g.Cfg.Quantifiers && len(others) > 0 {
			all = others
		}
		delete(g.On, all[g.R.Intn(len(all))])
	}
}

// listOperators lists the operators that can be made, when the theories are settled.
func (g *operators) listOperators() {
	if g.names != nil {
		return
	}
	g.byName, g.names, g.results = map[string][]choice{}, nil, map[smt.Sort][]Alternative{}
	for _, info := range smt.Ops() {
		if !g.On[info.Theory] || info.ModelOnly || neverDrawn(info.Op) || g.excludedOp(info) {
			continue
		}
		w := g.operatorWeight(info.Name)
		if w <= 0 {
			continue
		}
		for i := range info.Signatures {
			if s := info.Signature(i); g.takesSignature(info, i, s) && !g.excluded[LackOfSignature(info.Op, s.Text)] {
				g.byName[info.Theory] = append(g.byName[info.Theory], choice{info.Op, s, w})
			}
		}
		if len(g.byName[info.Theory]) > 0 && !slices.Contains(g.names, info.Theory) {
			g.names = append(g.names, info.Theory)
		}
	}
	for _, t := range []string{"UF", "Datatypes", "Quantifiers", HigherOrder, HigherOrder, ArrayFunctions, ArrayFunctions} {
		if g.On[t] {
			g.names = append(g.names, t)
		}
	}
	if slices.ContainsFunc(g.Cfg.Extra, g.takesExtra) {
		g.names = append(g.names, "extra")
	}
	g.favoured = nil
}

// operatorWeight returns the weight of an operator in the configuration.
func (g *operators) operatorWeight(name string) float64 {
	if w, ok := g.Cfg.Weights[name]; ok {
		return w
	}
	return 1
}

// takesSignature reports whether the sorts of a signature can exist here.
func (g *operators) takesSignature(info *smt.OpInfo, number int, s *smt.Signature) bool {
	if number > 0 && len(s.Args) == 1 && info.Assoc != smt.AssocNone && info.Op != smt.OpSub {
		return false // the one-argument forms that solvers print
	}
	if number > 0 && (info.Op == smt.OpAbs || info.Op == smt.OpStrIndexOf || info.Op == smt.OpSeqIndexOf || info.Op == smt.OpReLoop) {
		return false // z3's own
	}
	if info.Op == smt.OpToFP && slices.ContainsFunc(s.Args, func(x smt.Pattern) bool { return x.Fixed() == smt.SortInt }) {
		return false // z3's own, too
	}
	for i := range s.Args {
		if !g.patternOn(&s.Args[i]) {
			return false
		}
	}
	return g.patternOn(&s.Result)
}

// patternOn reports whether the run has the sorts that a pattern is made of.
func (g *operators) patternOn(p *smt.Pattern) bool {
	if p.Kind() != smt.KindInvalid && !g.kindOn(p.Kind()) {
		return false
	}
	parts := p.Parts()
	for i := range parts {
		if !g.patternOn(&parts[i]) {
			return false
		}
	}
	return true
}

// Alternatives lists the operators that can be made for the targets, each with each of its signatures, in the order of
// the operator table. The theories of the run must be settled.
func (g *operators) Alternatives() []Alternative {
	g.listOperators()
	var out []Alternative
	for _, info := range smt.Ops() {
		for _, c := range g.byName[info.Theory] {
			if c.op == info.Op {
				out = append(out, Alternative{c.op, c})
			}
		}
	}
	return out
}

// Results lists the alternatives of Alternatives whose result can be of a sort.
func (g *operators) Results(s smt.Sort) []Alternative {
	g.listOperators()
	out, known := g.results[s]
	if known {
		return out
	}
	for _, x := range g.Alternatives() {
		if x.choice.sig.Result.Match(g.A, s, &smt.Bindings{}) {
			out = append(out, x)
		}
	}
	g.results[s] = out
	return out
}

// Claimed returns the names of the operators that the configuration can make, as OperatorName says them.
func (g *operators) Claimed() []string {
	var out []string
	add := func(names ...string) {
		for _, n := range names {
			if !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	g.listOperators()
	for _, t := range g.names {
		switch t {
		case "UF":
			add("apply")
		case "Datatypes":
			add("constructor", "selector", smt.OpIs.Info().Name)
			if g.allowsUpdate() {
				add(smt.OpUpdate.Info().Name)
			}
			if g.allowsMatch() {
				add(smt.OpMatch.Info().Name)
			}
		case "Quantifiers":
			add(smt.OpForall.Info().Name, smt.OpExists.Info().Name)
		case HigherOrder:
			add(g.higherNames("@", "function", "lambda")...)
		case ArrayFunctions:
			add(g.higherNames("as-array", "map", "lambda-array")...)
		case "extra":
			for _, x := range g.Cfg.Extra {
				if g.takesExtra(x) {
					add(x.Name)
				}
			}
		}
		for _, c := range g.byName[t] {
			add(c.op.Info().Name)
		}
	}
	return out
}

// higherNames drops the names that rules or weights forbid.
func (g *operators) higherNames(names ...string) []string {
	return slices.DeleteFunc(names, func(n string) bool { return g.without[n] || g.operatorWeight(n) <= 0 })
}

// Disable leaves a theory out of this run.
func (g *operators) Disable(theory string) {
	g.kinds = nil
	delete(g.On, theory)
	if theory == "ArraysEx" {
		delete(g.On, ArrayFunctions)
	}
	if theory == "Ints" || theory == "Reals" {
		delete(g.On, "Reals_Ints")
	}
	g.names = nil // surveyed when it is needed
}

// Swarm chooses a few operators that this run applies often, so that over many runs each operator gets runs of its own,
// in which it meets others of the few (Groce et al., "Swarm Testing", ISSTA 2012). The theories of the run must be
// settled.
func (g *operators) Swarm() {
	g.listOperators()
	g.favoured = nil
	total := 0
	for _, t := range g.names {
		total += len(g.byName[t])
	}
	for range min(swarmSize, total) {
		i := g.R.Intn(total)
		for _, t := range g.names {
			if list := g.byName[t]; i < len(list) {
				if list[i].weight > 0 {
					g.favoured = append(g.favoured, &list[i])
				}
				break
			} else {
				i -= len(list)
			}
		}
	}
}
