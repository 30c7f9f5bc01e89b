package gen

import (
	"fmt"
	"slices"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/search"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// vocabulary has the sorts, terms, functions and datatypes to build with, and an interpretation of those that were
// declared.
type vocabulary struct {
	operators
	DB    *DB
	Model *model.Model
	Ev    *eval.Evaluator

	sink    Sink
	values  *search.Generator
	funs    []fun
	data    []dataSort
	scope   int // the assertion level
	counter int
	taken   map[string]bool // names of the script that a generator is over
}

type fun struct {
	sym   smt.Symbol
	scope int
}

type dataSort struct {
	sort  smt.Sort
	dt    *smt.Datatype
	scope int
}

// maxVars bounds the variables that are open at once.
const maxVars = 6

func (g *vocabulary) freshName(prefix string) string {
	for {
		g.counter++
		if name := fmt.Sprintf("%s%d", prefix, g.counter); !g.taken[name] {
			return name
		}
	}
}

// Name returns a name that is new.
func (g *vocabulary) Name(prefix string) string { return g.freshName(prefix) }

// Scope returns the assertion level.
func (g *vocabulary) Scope() int { return g.scope }

// Push opens n assertion levels.
func (g *vocabulary) Push(n int) { g.scope += n }

// Pop closes n assertion levels, with the declarations in them.
func (g *vocabulary) Pop(n int) {
	g.scope -= n
	g.DB.CloseScope(g.scope)
	g.funs = slices.DeleteFunc(g.funs, func(f fun) bool { return f.scope > g.scope })
	g.data = slices.DeleteFunc(g.data, func(d dataSort) bool { return d.scope > g.scope })
}

// Declares reports whether the run has declared a symbol that can still be used.
func (g *vocabulary) Declares(f smt.Symbol) bool {
	_, ok := g.DB.scopes[f]
	return ok
}

// AddFunction makes a declared or defined function available.
func (g *vocabulary) AddFunction(f smt.Symbol) {
	if !slices.ContainsFunc(g.funs, func(x fun) bool { return x.sym == f }) {
		g.DB.AddSymbol(f, g.scope)
		g.funs = append(g.funs, fun{f, g.scope})
	}
}

// Reset forgets all sorts, terms and assignments, as (reset) does. Names go on.
func (g *vocabulary) Reset() {
	g.DB = newDB(g.A)
	if g.Model == nil {
		g.Model = model.New(g.A)
		g.Ev = eval.New(g.A, g.Model)
		g.Ev.Limits.Steps, g.Ev.Limits.Instances, g.Ev.Limits.Bits, g.Ev.Limits.Length = 20000, 300, 1<<14, 1<<14
		g.values = search.NewGenerator(g.A, g.Model, g.R.SplitString("values"))
	}
	g.funs, g.data, g.scope = nil, nil, 0
	g.DB.AddSort(smt.SortBool, 0)
	for _, b := range []bool{true, false} {
		g.DB.Add(g.A.BoolVal(b))
	}
}

// DrawFrom makes all that g chooses come from another stream, until restore is called. Values that were drawn before
// stay known.
func (g *vocabulary) DrawFrom(r *rng.Source) (restore func()) {
	own, values := g.R, g.values
	g.R, g.values = r, values.WithSource(r)
	return func() { g.R, g.values = own, values }
}

// anySort draws a known sort for a constant, a variable or a value; Bool seldom. 0: there is none.
func (g *vocabulary) anySort(position string) smt.Sort {
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

// drawKnownSort draws a known sort for a position; 0 if there is none.
func (g *vocabulary) drawKnownSort(position string) smt.Sort {
	var fit []smt.Sort
	for _, s := range g.DB.Sorts() {
		if s != smt.SortRegLan && !g.Cfg.Rules.excludes(g.A, position, s) && g.sortDepth(s) < 3 {
			fit = append(fit, s)
		}
	}
	if len(fit) == 0 {
		return 0
	}
	s := fit[g.R.Intn(len(fit))]
	if s == smt.SortBool && len(fit) > 1 && g.R.Chance(0.7) {
		s = fit[g.R.Intn(len(fit))]
	}
	return s
}

func (g *vocabulary) constOf(s smt.Sort) smt.Term {
	f := g.A.Declare(g.freshName("x"), nil, s)
	g.interpretSymbol(f)
	g.DB.AddSymbol(f, g.scope)
	t := g.A.Const(f)
	g.sink.Command(smtlib.Command{Kind: smtlib.CmdDeclareConst, Symbols: []smt.Symbol{f}})
	g.DB.Add(t)
	return t
}

// ConstOf declares a constant of a sort.
func (g *vocabulary) ConstOf(s smt.Sort) smt.Term { return g.constOf(s) }

// NewConst declares a constant.
func (g *vocabulary) NewConst() smt.Term { return g.constOf(g.anySort("const")) }

// interpretSymbol gives a symbol its interpretation.
func (g *vocabulary) interpretSymbol(f smt.Symbol) {
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
func (g *vocabulary) NewFun() bool {
	if !g.On["UF"] {
		return false
	}
	var params []smt.Sort
	for range g.R.Range(1, 4) {
		s := g.drawKnownSort("fun-domain")
		if s == 0 {
			return false
		}
		params = append(params, s)
	}
	result := g.drawKnownSort("fun-codomain")
	if result == 0 {
		return false
	}
	f := g.A.Declare(g.freshName("f"), params, result)
	g.interpretSymbol(f)
	g.DB.AddSymbol(f, g.scope)
	g.funs = append(g.funs, fun{f, g.scope})
	g.sink.Command(smtlib.Command{Kind: smtlib.CmdDeclareFun, Symbols: []smt.Symbol{f}})
	return true
}

// DefineFun defines a function whose body is a term that is there, over variables put in the place of some of its
// subterms. With rec, it is a recursive one that ends after a few calls.
func (g *vocabulary) DefineFun(rec bool) bool {
	// Definitions are commands, which cannot stand inside a binder.
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
		s := g.drawKnownSort("fun-domain")
		if s == 0 || !g.DB.Has(s, 0) {
			continue
		}
		v := g.A.Var(g.freshName("v"), s)
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
	if rec && g.defineRecursive(vars, body) {
		return true
	}
	f, err := g.A.Define(g.freshName("g"), vars, g.A.Sort(body), body)
	if err != nil {
		return false
	}
	return g.addDefinition(f, smtlib.CmdDefineFun)
}

func (g *vocabulary) addDefinition(f smt.Symbol, kind smtlib.Kind) bool {
	scope := g.scope
	g.DB.AddSymbol(f, scope)
	g.funs = append(g.funs, fun{f, scope})
	g.sink.Command(smtlib.Command{Kind: kind, Symbols: []smt.Symbol{f}})
	return true
}

// defineRecursive defines f(n, vars) = ite(n <= 0, body, ite(c, body, f(n - 1, vars))), which terminates for all
// arguments.
func (g *vocabulary) defineRecursive(vars []smt.Term, body smt.Term) bool {
	if !g.sortOn(smt.SortInt) || !g.On["Quantifiers"] {
		return false
	}
	n := g.A.Var(g.freshName("v"), smt.SortInt)
	all := append([]smt.Term{n}, vars...)
	name := g.freshName("g")
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
	return g.addDefinition(f, smtlib.CmdDefineFunRec)
}

// NewVar opens a variable; false where there are no quantifiers.
func (g *vocabulary) NewVar() bool {
	if !g.On["Quantifiers"] || g.DB.Level() >= maxVars {
		return false
	}
	s := g.anySort("var")
	v := g.A.Var(g.freshName("v"), s)
	g.DB.AddVar(v)
	g.sink.Term(v)
	return true
}

// DeclareWith declares a constant with a value.
func (g *vocabulary) DeclareWith(prefix string, s smt.Sort, v value.Value) smt.Term {
	f := g.A.Declare(g.freshName(prefix), nil, s)
	g.Model.Set(f, v)
	g.sink.Command(smtlib.Command{Kind: smtlib.CmdDeclareConst, Symbols: []smt.Symbol{f}})
	return g.A.Const(f)
}

// DeclareFunctionWith declares a function with its interpretation.
func (g *vocabulary) DeclareFunctionWith(prefix string, params []smt.Sort, result smt.Sort, fn *model.Func) smt.Symbol {
	f := g.A.Declare(g.freshName(prefix), params, result)
	g.Model.SetFunc(f, fn)
	g.sink.Command(smtlib.Command{Kind: smtlib.CmdDeclareFun, Symbols: []smt.Symbol{f}})
	return f
}

// DefineAs defines a constant by a term.
func (g *vocabulary) DefineAs(prefix string, t smt.Term) (smt.Term, bool) {
	f, ok := g.DefineFunction(prefix, nil, t)
	if !ok {
		return 0, false
	}
	out, err := g.A.Apply(f)
	return out, err == nil
}

// DefineFunction defines a function by a body over variables.
func (g *vocabulary) DefineFunction(prefix string, vars []smt.Term, body smt.Term) (smt.Symbol, bool) {
	f, err := g.A.Define(g.freshName(prefix), vars, g.A.Sort(body), body)
	if err != nil {
		return 0, false
	}
	g.sink.Command(smtlib.Command{Kind: smtlib.CmdDefineFun, Symbols: []smt.Symbol{f}})
	return f, true
}

// DeclareRecord declares a datatype with one constructor that has fields of some sorts; ok is false where the run has
// no datatypes, or none with such fields.
func (g *vocabulary) DeclareRecord(fields ...smt.Sort) (constructor smt.Symbol, selectors []smt.Symbol, ok bool) {
	if !g.On["Datatypes"] || slices.ContainsFunc(fields, func(s smt.Sort) bool { return g.Excludes("datatype-field", s) }) {
		return 0, nil, false
	}
	name := g.freshName("D")
	syms := g.A.NewDatatypes([]string{name}, [][]string{nil})
	c := smt.ConstructorDecl{Name: g.freshName("c")}
	for _, s := range fields {
		c.Selectors = append(c.Selectors, smt.SelectorDecl{Name: g.freshName("f"), Sort: s})
	}
	if g.A.DefineDatatype(syms[0], []smt.ConstructorDecl{c}) != nil {
		return 0, nil, false
	}
	g.sink.Command(smtlib.Command{Kind: smtlib.CmdDeclareDatatypes, Sorts: syms})
	made := g.A.Datatype(syms[0]).Constructors[0]
	return made.Symbol, made.Selectors, true
}

// someFun draws a function that can be a value: of those declared, and of those defined without recursion where defined
// says so; 0: there is none. The condition may be nil.
func (g *vocabulary) someFun(defined bool, ok func(info *smt.SymbolInfo) bool) smt.Symbol {
	var fit []smt.Symbol
	for _, f := range g.funs {
		info := g.A.SymbolInfo(f.sym)
		if (info.Kind == smt.SymDeclared || defined && !info.Recursive) && (ok == nil || ok(info)) {
			fit = append(fit, f.sym)
		}
	}
	if len(fit) == 0 {
		return 0
	}
	return fit[g.R.Intn(len(fit))]
}
