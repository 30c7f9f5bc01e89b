package gen

import (
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// FunctionOperators are the names of constructs that make or apply functions as values; they are not in the operator
// table. A Config weighs them as it does operators.
var FunctionOperators = []string{"@", "function", "lambda", "as-array", "map", "lambda-array"}

// functionTerms makes functions that are values, arrays that are functions, and applications of them.
type functionTerms struct{ *Gen }

// drawOperator returns one of the names by weight; "" if none is left.
func (g functionTerms) drawOperator(names ...string) string {
	names = g.higherNames(names...)
	total := 0.0
	for _, n := range names {
		total += g.operatorWeight(n)
	}
	x := g.R.Float() * total
	for i, n := range names {
		if x -= g.operatorWeight(n); x < 0 || i == len(names)-1 {
			g.Tried[n]++
			return n
		}
	}
	return ""
}

// makeTerm makes a term of HigherOrder: an application, a function symbol as a value, or a lambda.
func (g functionTerms) makeTerm() smt.Term {
	switch g.drawOperator("@", "@", "@", "function", "lambda") {
	case "@":
		return g.applyTerm()
	case "function":
		return g.keepTerm(g.functionValue())
	case "lambda":
		return g.keepTerm(g.makeLambda(false))
	}
	return 0
}

// arrayTerm makes a term of ArrayFunctions.
func (g functionTerms) arrayTerm() smt.Term {
	switch g.drawOperator("as-array", "map", "lambda-array") {
	case "as-array":
		return g.keepTerm(g.asArray())
	case "map":
		return g.keepTerm(g.mapArrays())
	case "lambda-array":
		return g.keepTerm(g.makeLambda(true))
	}
	return 0
}

// applyTerm applies a term of a function sort to one argument or, half of the time, to all.
func (g functionTerms) applyTerm() smt.Term {
	var fit []smt.Sort
	for _, s := range g.DB.Sorts() {
		if g.A.SortKind(s) == smt.KindFunc && (len(g.A.SortArgs(s)) == 2 || !g.onlyUnaryFunctions()) {
			fit = append(fit, s)
		}
	}
	if len(fit) == 0 {
		return 0
	}
	t := g.pickTerm(fit[g.R.Intn(len(fit))])
	for all := g.R.Bool(); t != 0; {
		x := g.pickTerm(g.A.SortArgs(g.A.Sort(t))[0])
		if x == 0 {
			return 0
		}
		app, err := g.A.HOApply(t, x)
		if err != nil {
			return 0
		}
		if t = g.keepTerm(app); !all || t == 0 || g.A.SortKind(g.A.Sort(t)) != smt.KindFunc {
			break
		}
	}
	return t
}

// functionValue takes a function symbol as a value.
func (g functionTerms) functionValue() smt.Term {
	f := g.someFun(true, nil)
	if f == 0 {
		return 0
	}
	t, err := g.A.Function(f, g.A.FuncSort(f))
	if err != nil {
		return 0
	}
	return t
}

// asArray takes a function of one argument as an array.
func (g functionTerms) asArray() smt.Term {
	r := &g.Cfg.Rules
	f := g.someFun(false, func(info *smt.SymbolInfo) bool {
		return len(info.Params) == 1 && !r.excludes(g.A, "array-index", info.Params[0]) && !r.excludes(g.A, "array-element", info.Result)
	})
	if f == 0 {
		return 0
	}
	info := g.A.SymbolInfo(f)
	t, err := g.A.Function(f, g.A.Array(info.Params[0], info.Result))
	if err != nil {
		return 0
	}
	return t
}

// mapArrays applies a function to the elements of arrays with one sort of index. Arrays that lack are made.
func (g functionTerms) mapArrays() smt.Term {
	f := g.someFun(false, nil)
	if f == 0 {
		return 0
	}
	info := *g.A.SymbolInfo(f)
	var index []smt.Sort
	for _, s := range g.DB.Sorts() {
		if g.A.SortKind(s) == smt.KindArray && !slices.Contains(index, g.A.SortArgs(s)[0]) {
			index = append(index, g.A.SortArgs(s)[0])
		}
	}
	if len(index) == 0 {
		return 0
	}
	i := index[g.R.Intn(len(index))]
	var args []smt.Term
	for _, p := range info.Params {
		s := g.A.Array(i, p)
		if g.tooWide(s) {
			return 0
		}
		if _, known := g.DB.sortAt[s]; !known {
			g.addSort(s)
		}
		t := g.pickTerm(s)
		if t == 0 {
			return 0
		}
		args = append(args, t)
	}
	t, err := g.A.MapArrays(f, args...)
	if err != nil {
		return 0
	}
	return t
}

// makeLambda opens variables, makes some terms over them and binds the variables over one of these.
func (g functionTerms) makeLambda(array bool) smt.Term {
	n, position := g.R.Range(1, 3), "fun-domain"
	switch {
	case array:
		n, position = 1, "array-index"
	case g.onlyUnaryFunctions():
		n = 1
	}
	if g.inside || g.DB.Level()+n > maxVars {
		return 0
	}
	var sorts []smt.Sort
	for range n {
		s := g.drawKnownSort(position)
		if s == 0 || g.Cfg.Rules.excludes(g.A, "var", s) {
			return 0
		}
		sorts = append(sorts, s)
	}
	var vars []smt.Term
	for _, s := range sorts {
		v := g.A.Var(g.freshName("v"), s)
		g.DB.AddVar(v)
		g.sink.Term(v)
		vars = append(vars, v)
	}
	g.inside = true
	for range g.R.Range(1, 4) {
		g.overVars(vars)
	}
	g.inside = false
	body := g.lambdaBody(array)
	// Also where there is no body: terms over these variables have no meaning outside.
	g.DB.CloseVars(n)
	if body == 0 {
		return 0
	}
	t, err := g.A.Lambda(vars, body, array)
	if err != nil {
		return 0
	}
	return t
}

// overVars makes a term that is likely to have one of the variables in it: an operator whose arguments are drawn, again
// and again, until it has one.
func (g functionTerms) overVars(vars []smt.Term) {
	for range 4 {
		if t := g.NewTerm(); t != 0 && slices.ContainsFunc(g.A.FreeVars(t), func(v smt.Term) bool { return slices.Contains(vars, v) }) {
			return
		}
	}
}

// lambdaBody draws the body of a lambda: now and then any term, else one with the innermost variable in it.
func (g functionTerms) lambdaBody(array bool) smt.Term {
	position := "fun-codomain"
	if array {
		position = "array-element"
	}
	level := g.DB.Level()
	lo := level
	if g.R.Chance(0.1) {
		lo = 0
	}
	var fit []smt.Sort
	for _, s := range g.DB.Sorts() {
		if s == smt.SortRegLan || g.Cfg.Rules.excludes(g.A, position, s) || array && g.sortDepth(s) > 2 || !g.hasFrom(s, lo, level) {
			continue
		}
		fit = append(fit, s)
	}
	if len(fit) == 0 {
		return 0
	}
	s := fit[g.R.Intn(len(fit))]
	t := g.DB.Pick(g.R, s, lo, level)
	if g.A.Op(t) == smt.OpVar { // rather than the variable itself something over it
		t = g.DB.Pick(g.R, s, lo, level)
	}
	return t
}

// hasFrom reports whether there is a term of the sort at a level of a range.
func (g functionTerms) hasFrom(s smt.Sort, lo, hi int) bool {
	for l := lo; l <= hi; l++ {
		if b := g.DB.buckets[bucketKey{s, l}]; b != nil && b.totalWeight() > 0 {
			return true
		}
	}
	return false
}
