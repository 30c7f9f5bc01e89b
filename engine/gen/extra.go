package gen

import (
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
)

func (g *Gen) takesExtra(x Extra) bool { return x.Weight > 0 && !g.without[x.Name] }

// extra applies an operator that the table lacks.
func (g *Gen) extra() smt.Term {
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
		t := g.pick(fit[g.R.Intn(len(fit))])
		if t == 0 {
			return 0
		}
		args = append(args, t)
	}
	return g.keep(g.A.Opaque(x.Name, nil, result, args...))
}

// extraValue makes one of the special values of the configuration; 0: none can be made now.
func (g *Gen) extraValue() smt.Term {
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
	if g.beyond(t) {
		return 0
	}
	g.DB.AddSort(s, g.scope)
	return t
}

// extraSort makes one of the sorts of the configuration; 0: none can be made now.
func (g *Gen) extraSort() smt.Sort {
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
	g.parts(s)
	return g.add(s)
}

// parts makes the sorts inside of a sort known.
func (g *Gen) parts(s smt.Sort) {
	for _, p := range g.A.SortArgs(s) {
		g.parts(p)
		if _, known := g.DB.sortAt[p]; !known {
			g.add(p)
		}
	}
}
