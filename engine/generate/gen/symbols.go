package gen

import (
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/solvers/rule"
)

// symbolTerms makes terms of declared functions and of datatypes.
type symbolTerms struct{ *Gen }

// applyFunction applies a declared or defined function.
func (g symbolTerms) applyFunction() smt.Term {
	if len(g.funs) == 0 {
		return 0
	}
	f := g.funs[g.R.Intn(len(g.funs))].sym
	info := g.A.SymbolInfo(f)
	var args []smt.Term
	for i, s := range info.Params {
		t := smt.Term(0)
		if info.Recursive && i == 0 { // the number of calls
			t = g.A.Int64(int64(g.R.Intn(4)))
			g.addDeep(t)
		} else {
			t = g.pickTerm(s)
		}
		if t == 0 {
			return 0
		}
		args = append(args, t)
	}
	t, err := g.A.Apply(f, args...)
	if err != nil {
		return 0
	}
	return t
}

// datatypeTerm applies a constructor, selector, tester, updater, or matches.
func (g symbolTerms) datatypeTerm() smt.Term {
	if len(g.data) == 0 {
		return 0
	}
	d := g.data[g.R.Intn(len(g.data))]
	c := d.dt.Constructors[g.R.Intn(len(d.dt.Constructors))]
	m := map[smt.Sort]smt.Sort{}
	for i, p := range d.dt.Params {
		m[p] = g.A.SortArgs(d.sort)[i]
	}
	switch k := g.R.Intn(8); {
	case k < 3:
		return g.applyConstructor(d, c, m)
	case (k == 3 || k == 4 && g.allowsMatch()) && len(d.dt.Params) > 0 && g.excluded[rule.Sort.With("tester", "sort-param")]:
		return 0 // z3 cannot tell which sort is meant, of a pattern neither
	case k == 3:
		t, err := g.A.Is(c.Symbol, g.pickTerm(d.sort))
		if err != nil {
			return 0
		}
		return t
	case k == 4 && g.allowsMatch():
		return g.makeMatch(d, m)
	case len(c.Selectors) == 0:
		return 0
	case k == 5 && g.allowsUpdate():
		f := c.Selectors[g.R.Intn(len(c.Selectors))]
		v := g.pickTerm(g.A.SubstSort(g.A.SymbolInfo(f).Result, m))
		if v == 0 {
			return 0
		}
		t, err := g.A.Update(f, g.pickTerm(d.sort), v)
		if err != nil {
			return 0
		}
		return t
	}
	t, err := g.A.Apply(c.Selectors[g.R.Intn(len(c.Selectors))], g.pickTerm(d.sort))
	if err != nil {
		return 0
	}
	return t
}

func (g symbolTerms) applyConstructor(d dataSort, c smt.Constructor, m map[smt.Sort]smt.Sort) smt.Term {
	var args []smt.Term
	for _, p := range g.A.SymbolInfo(c.Symbol).Params {
		s := g.A.SubstSort(p, m)
		var t smt.Term
		if g.DB.Has(s, g.DB.Level()) {
			t = g.pickTerm(s)
		} else if t = g.valueOf(s); t == 0 && !g.Cfg.Rules.excludes(g.A, "const", s) {
			t = g.constOf(s)
		}
		if t == 0 {
			return 0
		}
		args = append(args, t)
	}
	var t smt.Term
	var err error
	if g.A.SymbolInfo(c.Symbol).Qualified {
		t, err = g.A.ApplyAs(c.Symbol, d.sort, args...)
	} else {
		t, err = g.A.Apply(c.Symbol, args...)
	}
	if err != nil || g.A.Sort(t) != d.sort {
		return 0
	}
	return t
}

// makeMatch makes a match with a case for each constructor, or a last one for the rest. Bodies are a variable of the
// pattern or a term that is there.
func (g symbolTerms) makeMatch(d dataSort, m map[smt.Sort]smt.Sort) smt.Term {
	result := g.anySort("const")
	n := len(d.dt.Constructors)
	if n > 1 && g.R.Chance(0.3) {
		n = 1 + g.R.Intn(n-1)
	}
	if g.excluded[rule.Feature.Of(rule.MatchRest)] {
		n = len(d.dt.Constructors)
	}
	body := func(vars []smt.Term) smt.Term {
		for _, v := range vars {
			// A body without variables of the pattern asks no more than testers and ite do.
			if g.A.Sort(v) == result && g.R.Chance(0.7) {
				return v
			}
		}
		return g.pickTerm(result)
	}
	var cases []smt.Term
	for _, c := range d.dt.Constructors[:n] {
		var vars []smt.Term
		for _, p := range g.A.SymbolInfo(c.Symbol).Params {
			vars = append(vars, g.A.Var(g.freshName("v"), g.A.SubstSort(p, m)))
		}
		x := body(vars)
		if x == 0 {
			return 0
		}
		t, err := g.A.Case(c.Symbol, vars, x)
		if err != nil {
			return 0
		}
		cases = append(cases, t)
	}
	if n < len(d.dt.Constructors) {
		v := g.A.Var(g.freshName("v"), d.sort)
		x := body([]smt.Term{v})
		if x == 0 {
			return 0
		}
		t, err := g.A.Case(0, []smt.Term{v}, x)
		if err != nil {
			return 0
		}
		cases = append(cases, t)
	}
	t, err := g.A.Match(g.pickTerm(d.sort), cases)
	if err != nil {
		return 0
	}
	return t
}
