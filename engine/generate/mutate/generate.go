package mutate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/logic"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// Signatures says which operators generation may use, as in generative type-aware mutation (Park, Winterer, Zhang and
// Su, "Generative Type-Aware Mutation for Testing SMT Solvers", OOPSLA 2021).
type Signatures struct {
	all   bool
	funcs bool // declared functions, constructors and selectors too
	copy  bool // a term may stand for another one as it is
	only  map[smt.Op][][]string
	n     int // signatures
}

// AnySignature allows every operator of the table that is portable or whose theory's extensions the seed uses, the
// functions that the seed declares, and copies of its terms.
func AnySignature() *Signatures { return &Signatures{all: true, funcs: true, copy: true} }

// ParseSignatures reads signatures in the format of YinYang's typefuzz, which is that of SMT-LIB's theory declarations:
// one a line, "(name sorts of arguments, sort of result :attribute)"; "(par (A) (id A A))" allows copies of terms. With
// :left-assoc, :right-assoc, :chainable or :pairwise an operator takes more arguments; it is given the listed number.
// Text after a semicolon is a comment. The error names the line.
func ParseSignatures(text string) (*Signatures, error) {
	s := &Signatures{only: map[smt.Op][][]string{}}
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, ";")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if err := s.parseLine(line); err != nil {
			return nil, fmt.Errorf("line %d, %q: %w", i+1, line, err)
		}
	}
	if len(s.only) == 0 && !s.copy {
		return nil, fmt.Errorf("no signature; want lines such as (bvadd (_ BitVec 8) (_ BitVec 8) (_ BitVec 8))")
	}
	return s, nil
}

// Len returns the number of signatures; 0 for AnySignature.
func (s *Signatures) Len() int { return s.n }

func (s *Signatures) parseLine(line string) error {
	exprs, err := smtlib.ParseSExprs(line)
	if err != nil {
		return err
	}
	if len(exprs) != 1 || !exprs[0].IsList() {
		return fmt.Errorf("want (name sorts... sort)")
	}
	e := exprs[0]
	if e.Head() == "par" && len(e.List) == 3 {
		e = e.List[2]
	}
	name := e.Head()
	var sorts []string
	for _, x := range e.List[1:] {
		if !x.IsList() && strings.HasPrefix(x.Atom, ":") {
			continue
		}
		sorts = append(sorts, x.String())
	}
	if name == "id" {
		s.copy = true
		return nil
	}
	op, ok := smt.LookupOp(name)
	switch {
	case !ok:
		return fmt.Errorf("%q is no operator", name)
	case len(sorts) == 0:
		return fmt.Errorf("%s has no sort of its result", name)
	}
	s.only[op] = append(s.only[op], sorts)
	s.n++
	return nil
}

// allowsProduction reports whether a production is one of the signatures. Names of sorts are compared as written; a
// name that is no sort of the arena stands for any sort.
func (s *Signatures) allowsProduction(a *smt.Arena, p *smt.Production) bool {
	if s.all {
		return true
	}
	for _, sig := range s.only[p.Op] {
		if len(sig) != len(p.Args)+1 {
			continue
		}
		ok := true
		for i, name := range sig {
			sort := p.Result
			if i < len(p.Args) {
				sort = p.Args[i]
			}
			ok = ok && (len(name) == 1 || a.SortString(sort) == name)
		}
		if ok {
			return true
		}
	}
	return false
}

// supply has the ingredients of generation: the terms of the script by sort, and the ways to make more.
type supply struct {
	sigs  *Signatures
	sorts smt.SortSet
	of    map[smt.Sort]*sortSupply
	spots []int32 // nodes that may be replaced
}

// sortSupply has the ingredients of one sort. Ways are grouped by operator, so that one with many instances is not more
// likely than others.
type sortSupply struct {
	terms []smt.Term
	ways  [][]way
}

// way is a production of the operator table, or the application of a symbol of the script.
type way struct {
	prod   smt.Production
	symbol smt.Symbol
	tester bool
	args   []smt.Sort
}

// supplyFor computes the terms and sorts that generation needs, once per script.
func (x *Subject) supplyFor(sigs *Signatures) *supply {
	if x.supply != nil && x.supply.sigs == sigs {
		return x.supply
	}
	a := x.a
	s := &supply{sigs: sigs, of: map[smt.Sort]*sortSupply{}}
	x.supply = s
	for i, t := range x.nodes {
		sort := a.Sort(t)
		if sort == smt.SortUnknown {
			continue
		}
		s.sorts.Add(sort)
		if s.of[sort] == nil {
			s.of[sort] = &sortSupply{}
		}
		switch a.Op(t) {
		case smt.OpCase:
		case smt.OpAnnot: // patterns name variables; the annotated term is supplied on its own
			s.spots = append(s.spots, int32(i))
		default:
			s.of[sort].terms = append(s.of[sort].terms, t)
			s.spots = append(s.spots, int32(i))
		}
	}
	extra := x.allowedExtensions()
	var ps []smt.Production
	for _, info := range smt.Ops() {
		op := info.Op
		if info.ModelOnly || !s.sigs.all && s.sigs.only[op] == nil || s.sigs.all && !isPortable(op) && !extra[op] || unwanted[op] {
			continue
		}
		ps = a.Productions(ps[:0], op, &s.sorts)
		s.addOp(a, ps)
	}
	if sigs.funcs {
		s.addSymbols(x)
	}
	return s
}

// unwanted operators make trivial terms, or take arguments that only some solvers accept.
var unwanted = map[smt.Op]bool{
	smt.OpTrue: true, smt.OpFalse: true, smt.OpConstArray: true, smt.OpReRange: true, smt.OpReLoopArgs: true,
}

// allowedExtensions returns the operators beyond the standard that may come in: those of theories from which the script
// has an operator already, as far as the same solvers have them.
func (x *Subject) allowedExtensions() map[smt.Op]bool {
	var have []smt.Op
	for _, t := range x.nodes {
		if op := x.a.Op(t); !op.Structural() && !op.Info().Standard() && !containsItem(have, op) {
			have = append(have, op)
		}
	}
	if len(have) == 0 {
		return nil
	}
	out := map[smt.Op]bool{}
	for _, i := range smt.Ops() {
		ok := !i.Standard() && !younger[i.Op]
		near := false
		for _, h := range have {
			near = near || h.Info().Theory == i.Theory
			for _, solver := range h.Info().Solvers {
				ok = ok && i.SupportedBy(solver)
			}
		}
		if ok && near {
			out[i.Op] = true
		}
	}
	return out
}

// isNonStandard reports whether a production is an addition of one solver to an operator of the standard, or of what
// some solvers refuse.
func isNonStandard(p *smt.Production) bool {
	switch p.Op {
	case smt.OpEq, smt.OpDistinct:
		return p.Args[0] == smt.SortRegLan
	case smt.OpIte:
		return p.Result == smt.SortRegLan
	case smt.OpStrIndexOf, smt.OpSeqIndexOf:
		return len(p.Args) < 3
	case smt.OpToFP:
		return len(p.Args) == 2 && p.Args[1] == smt.SortInt
	case smt.OpAbs:
		return p.Args[0] == smt.SortReal
	}
	return len(p.Args) == 1 && needsTwoArguments(p.Op)
}

// addOp adds the productions of one operator.
func (s *supply) addOp(a *smt.Arena, ps []smt.Production) {
	groups := map[smt.Sort][]way{}
	var order []smt.Sort
	for i := range ps {
		p := ps[i]
		if !s.sigs.allowsProduction(a, &p) || isNonStandard(&p) {
			continue
		}
		if groups[p.Result] == nil {
			order = append(order, p.Result)
		}
		groups[p.Result] = append(groups[p.Result], way{prod: p, args: p.Args})
	}
	for _, r := range order {
		s.of[r].ways = append(s.of[r].ways, groups[r])
	}
}

// addSymbols adds the functions that the script declares, and constructors, selectors and testers of its datatypes.
func (s *supply) addSymbols(x *Subject) {
	a := x.a
	add := func(f smt.Symbol, tester bool) {
		info := a.SymbolInfo(f)
		result, args := info.Result, info.Params
		if tester {
			result, args = smt.SortBool, []smt.Sort{info.Result}
		}
		if len(args) == 0 || info.Qualified || a.HasParams(result) || s.of[result] == nil || slices.ContainsFunc(args, func(p smt.Sort) bool { return !s.sorts.Has(p) }) {
			return
		}
		s.of[result].ways = append(s.of[result].ways, []way{{symbol: f, tester: tester, args: args}})
	}
	for i := range x.cmds {
		c := &x.cmds[i]
		if !c.Kind.IsDeclaration() {
			continue
		}
		for _, f := range c.Symbols {
			if !a.SymbolInfo(f).Recursive {
				add(f, false)
			}
		}
		for _, sym := range c.Sorts {
			dt := a.Datatype(sym)
			if dt == nil || len(dt.Params) > 0 {
				continue
			}
			for _, k := range dt.Constructors {
				add(k.Symbol, false)
				add(k.Symbol, true)
				for _, sel := range k.Selectors {
					add(sel, false)
				}
			}
		}
	}
}

// headOf names the head of a term, for the list of mutation steps.
func headOf(a *smt.Arena, t smt.Term) string {
	if a.Op(t) == smt.OpApply {
		return a.SymbolName(a.SymbolOf(t))
	}
	return a.Op(t).String()
}

// generator makes terms for one spot.
type generator struct {
	e     *edit
	r     *rng.Source
	s     *supply
	scope []smt.Term
}

// replaceAt replaces the term at the spot by one that is nested up to depth operators.
func (g *generator) replaceAt(depth int) (bool, error) {
	e := g.e
	a := e.x.a
	if a.Op(e.at) == smt.OpCase || !e.takesAnyTerm() || !e.allowsAnyTerm() || g.s.of[a.Sort(e.at)] == nil {
		return false, nil
	}
	g.scope = e.boundVariables()
	t, err := g.makeTerm(a.Sort(e.at), depth)
	if err != nil || t == 0 || t == e.at {
		return false, err
	}
	e.did = append(e.did, "generate: "+headOf(a, t))
	return true, e.replaceTerm(t)
}

// makeTerm returns a term of the sort, 0 if none was found.
func (g *generator) makeTerm(sort smt.Sort, depth int) (smt.Term, error) {
	of := g.s.of[sort]
	n := len(of.ways)
	if n == 0 && !g.s.sigs.copy {
		return 0, nil
	}
	if n == 0 || g.s.sigs.copy && g.r.Intn(n+1) == n {
		return g.copyOf(sort), nil
	}
	for range 4 {
		group := of.ways[g.r.Intn(n)]
		w := &group[0]
		if len(group) > 1 {
			w = &group[g.r.Intn(len(group))]
		}
		if !g.mayUse(w.symbol) {
			continue
		}
		t, err := g.applyWay(w, depth)
		if t != 0 || err != nil {
			return t, err
		}
	}
	return 0, nil
}

// mayUse reports whether the spot may use a symbol: inside a definition, those that are defined later may not be.
func (g *generator) mayUse(f smt.Symbol) bool {
	r := &g.e.x.roots[g.e.root]
	return f == 0 || r.sym == 0 || !r.hides && g.e.x.defined[f] < r.rank
}

// applyWay applies an operator or function to terms of the script or, up to the depth, to made ones.
func (g *generator) applyWay(w *way, depth int) (smt.Term, error) {
	a := g.e.x.a
	args := make([]smt.Term, len(w.args))
	for i, sort := range w.args {
		var err error
		if depth > 1 && g.r.Chance(0.5) {
			args[i], err = g.makeTerm(sort, depth-1)
		}
		if err != nil {
			return 0, err
		}
		if args[i] == 0 {
			// Terms of the case: one that is made only of new symbols would say nothing about its assertions.
			args[i] = g.copyOf(sort)
		}
		if args[i] == 0 {
			return 0, nil
		}
	}
	var t smt.Term
	var err error
	switch {
	case w.tester:
		t, err = a.Is(w.symbol, args[0])
	case w.symbol != 0:
		t, err = a.Apply(w.symbol, args...)
	default:
		idx, ok := w.prod.Draw(a, g.r.Intn)
		if !ok {
			return 0, nil
		}
		if w.prod.Op.Info().Qualified {
			t, err = a.AppAs(w.prod.Op, w.prod.Result, idx, args...)
		} else {
			t, err = a.App(w.prod.Op, idx, args...)
		}
	}
	if err != nil {
		return 0, fmt.Errorf("mutate: generating: %w", err)
	}
	g.e.need |= logic.OfNode(a, t) // with its sort: that of a literal in the script does not mean that the logic has its operators
	return t, nil
}

// copyOf returns a random term of the script that is in scope here, 0 if there is none.
func (g *generator) copyOf(sort smt.Sort) smt.Term {
	terms := g.s.of[sort].terms
	if len(terms) == 0 {
		return 0
	}
	from := 0
	for range 4 {
		from = g.r.Intn(len(terms))
		if g.inScope(terms[from]) {
			return terms[from]
		}
	}
	for i := range terms {
		if t := terms[(from+i)%len(terms)]; g.inScope(t) {
			return t
		}
	}
	return 0
}

// inScope reports whether every free variable of the term is bound at the spot, and by no binder further in to a
// variable of its name and another sort.
func (g *generator) inScope(t smt.Term) bool {
	a := g.e.x.a
	if r := &g.e.x.roots[g.e.root]; r.sym != 0 && (r.hides || g.e.x.rank[t] >= r.rank) {
		return false
	}
next:
	for _, v := range g.e.x.open[t] {
		for i := len(g.scope) - 1; i >= 0; i-- {
			if g.scope[i] == v {
				continue next
			}
			if a.Indices(g.scope[i])[0] == a.Indices(v)[0] {
				return false
			}
		}
		return false
	}
	return true
}
