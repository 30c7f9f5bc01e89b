package reduce

import (
	"errors"
	"slices"
	"strconv"

	"github.com/smtlark/smtlark/engine/language/literal"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
)

// retyping says how sorts and signatures of a script are to become smaller, or get other names.
type retyping struct {
	Sort         func(smt.Sort) smt.Sort // the image of a sort, 0 for no change; composite sorts follow from their parts
	Args         map[smt.Symbol][]int    // the arguments that functions and constructors keep; no entry for all
	Constructors map[smt.Symbol]bool     // constructors to drop
	Gone         map[smt.SortSymbol]bool // datatypes to drop from their group
	Names        map[string]string       // new names of sorts, constructors and selectors
}

// retypeMaker makes changes to scripts of an arena.
type retypeMaker struct {
	Arena *smt.Arena
	// Evaluator returns an evaluator for a model.
	Evaluator func(*model.Model) *eval.Evaluator

	recursions int // symbols made for recursive definitions
}

// retyper builds a script anew with changed sorts. The image of each term has the image of the term's sort. If an
// operator ties widths together, as concat does, terms that do not fit are extended, cut or converted.
type retyper struct {
	retyping
	a          *smt.Arena
	evaluator  func(*model.Model) *eval.Evaluator
	recursions *int
	old        *model.Model
	sorts      map[smt.Sort]smt.Sort
	users      map[smt.SortSymbol]smt.SortSymbol
	syms       map[smt.Symbol]smt.Symbol
	done       map[smt.Term]smt.Term
	err        error
}

var errRetype = errors.New("a term has no image")

// Commands returns the commands with a change made, and the rest of a witness; nil if the change cannot be made.
func (m *retypeMaker) Commands(cmds []smtlib.Command, witness *model.Model, c retyping) ([]smtlib.Command, *model.Model) {
	r := &retyper{retyping: c, a: m.Arena, evaluator: m.Evaluator, recursions: &m.recursions, old: witness, sorts: map[smt.Sort]smt.Sort{},
		users: map[smt.SortSymbol]smt.SortSymbol{}, syms: map[smt.Symbol]smt.Symbol{}, done: map[smt.Term]smt.Term{}}
	cmds = slices.Clone(cmds)
	for i := range cmds {
		if r.rewriteCommand(&cmds[i]); r.err != nil {
			return nil, nil
		}
	}
	return cmds, r.rewriteWitness()
}

func (r *retyper) fail() {
	if r.err == nil {
		r.err = errRetype
	}
}

// newName is the name that a sort, constructor or selector gets.
func (r *retyper) newName(old string) string {
	if n, ok := r.Names[old]; ok {
		return n
	}
	return old
}

// sortImage is the image of a sort.
func (r *retyper) sortImage(s smt.Sort) smt.Sort {
	if t, ok := r.sorts[s]; ok {
		return t
	}
	t := smt.Sort(0)
	if r.Sort != nil {
		t = r.Sort(s)
	}
	if t == 0 {
		t = r.compositeImage(s)
	}
	r.sorts[s] = t
	return t
}

func (r *retyper) compositeImage(s smt.Sort) smt.Sort {
	a := r.a
	args := slices.Clone(a.SortArgs(s))
	same := true
	for i, x := range args {
		args[i] = r.sortImage(x)
		same = same && args[i] == x
	}
	sym := a.SortSymbolOf(s)
	user, changed := r.users[sym]
	if same && (sym == 0 || !changed) {
		return s
	}
	switch a.SortKind(s) {
	case smt.KindArray:
		return a.Array(args[0], args[1])
	case smt.KindSeq:
		return a.Seq(args[0])
	case smt.KindSet:
		return a.Set(args[0])
	case smt.KindBag:
		return a.Bag(args[0])
	}
	if sym == 0 {
		r.fail()
		return s
	}
	if !changed {
		user = sym
	}
	t, err := a.SortApp(user, args...)
	if err != nil {
		r.fail()
		return s
	}
	return t
}

func (r *retyper) sortImages(ss []smt.Sort) []smt.Sort {
	out := make([]smt.Sort, len(ss))
	for i, s := range ss {
		out[i] = r.sortImage(s)
	}
	return out
}

// keptElements returns the elements of a list that a function keeps.
func keptElements[T any](r *retyper, f smt.Symbol, list []T) []T {
	keep, ok := r.Args[f]
	if !ok {
		return list
	}
	out := make([]T, len(keep))
	for i, k := range keep {
		out[i] = list[k]
	}
	return out
}

// rewriteCommand rewrites a command in place.
func (r *retyper) rewriteCommand(c *smtlib.Command) {
	switch {
	case c.Kind == smtlib.CmdDeclareSort:
		r.declareSort(c)
	case c.Kind == smtlib.CmdDefineSort:
		c.Sort = r.sortImage(c.Sort)
	case len(c.Sorts) > 0:
		r.rewriteDatatypes(c)
	case c.Kind.IsDefinition():
		r.rewriteDefinition(c)
	case len(c.Symbols) > 0:
		r.rewriteDeclaration(c)
	}
	if len(c.Terms) > 0 {
		c.Terms = slices.Clone(c.Terms)
		for i, t := range c.Terms {
			c.Terms[i] = r.termImage(t)
		}
	}
}

func (r *retyper) declareSort(c *smtlib.Command) {
	name, arity := r.a.SortSymbolName(c.Sorts[0])
	if n := r.newName(name); n != name {
		sym := r.a.DeclareSort(n, arity)
		r.users[c.Sorts[0]] = sym
		c.Sorts = []smt.SortSymbol{sym}
	}
}

func (r *retyper) rewriteDeclaration(c *smtlib.Command) {
	c.Symbols = slices.Clone(c.Symbols)
	for i, f := range c.Symbols {
		info := *r.a.SymbolInfo(f)
		params := r.sortImages(keptElements(r, f, info.Params))
		to := r.a.Declare(info.Name, params, r.sortImage(info.Result))
		r.syms[f], c.Symbols[i] = to, to
		if c.Kind == smtlib.CmdDeclareFun && len(params) == 0 && len(info.Params) > 0 {
			c.Kind = smtlib.CmdDeclareConst
		}
	}
}

func (r *retyper) rewriteDefinition(c *smtlib.Command) {
	a := r.a
	old := c.Symbols
	c.Symbols = make([]smt.Symbol, len(old))
	for i, f := range old {
		if !c.Kind.IsRecursive() {
			break
		}
		info := *a.SymbolInfo(f)
		*r.recursions++
		c.Symbols[i] = a.DeclareRecursive("retype "+strconv.Itoa(*r.recursions), info.Name, r.rewriteVars(keptElements(r, f, info.Vars)), r.sortImage(info.Result))
		r.syms[f] = c.Symbols[i]
	}
	for i, f := range old {
		info := *a.SymbolInfo(f)
		if info.Body == 0 {
			r.fail()
			return
		}
		body := r.termImage(r.closedBody(f, &info))
		if r.err != nil {
			return
		}
		var err error
		if c.Kind.IsRecursive() {
			err = a.DefineRecursive(c.Symbols[i], body)
		} else {
			c.Symbols[i], err = a.Define(info.Name, r.rewriteVars(keptElements(r, f, info.Vars)), r.sortImage(info.Result), body)
			r.syms[f] = c.Symbols[i]
		}
		if err != nil {
			r.fail()
		}
	}
}

// closedBody is the body of a definition with constants in the place of parameters that it does not keep.
func (r *retyper) closedBody(f smt.Symbol, info *smt.SymbolInfo) smt.Term {
	keep, fewer := r.Args[f]
	if !fewer {
		return info.Body
	}
	m := map[smt.Term]smt.Term{}
	for i, v := range info.Vars {
		if slices.Contains(keep, i) {
			continue
		}
		if cs := literal.Constants(r.a, r.a.Sort(v)); len(cs) > 0 {
			m[v] = cs[0]
		} else if slices.Contains(r.a.FreeVars(info.Body), v) {
			r.fail()
			return info.Body
		}
	}
	body, err := r.a.Subst(info.Body, m)
	if err != nil {
		r.fail()
	}
	return body
}

func (r *retyper) rewriteVars(vs []smt.Term) []smt.Term {
	out := make([]smt.Term, len(vs))
	for i, v := range vs {
		out[i] = r.a.Var(r.a.VarName(v), r.sortImage(r.a.Sort(v)))
	}
	return out
}

// rewriteDatatypes declares a group anew if anything in it changes.
func (r *retyper) rewriteDatatypes(c *smtlib.Command) {
	a := r.a
	changed := false
	for _, d := range c.Sorts {
		dt := a.Datatype(d)
		changed = changed || r.Gone[d] || r.newName(dt.Name) != dt.Name
		for _, k := range dt.Constructors {
			info := a.SymbolInfo(k.Symbol)
			_, fewer := r.Args[k.Symbol]
			changed = changed || r.Constructors[k.Symbol] || fewer || r.newName(k.Name) != k.Name
			for i, p := range info.Params {
				changed = changed || r.sortImage(p) != p || r.newName(a.SymbolName(k.Selectors[i])) != a.SymbolName(k.Selectors[i])
			}
		}
	}
	if !changed {
		return
	}
	clear(r.sorts) // images found so far may be those of the old group
	var kept []smt.SortSymbol
	var names []string
	var params [][]string
	for _, d := range c.Sorts {
		if r.Gone[d] {
			continue
		}
		dt := a.Datatype(d)
		kept, names = append(kept, d), append(names, r.newName(dt.Name))
		var ps []string
		for _, p := range dt.Params {
			ps = append(ps, a.SortString(p))
		}
		params = append(params, ps)
	}
	syms := a.NewDatatypes(names, params)
	for i, d := range kept {
		r.users[d] = syms[i]
	}
	for i, d := range kept {
		if !r.fillDatatype(d, syms[i]) {
			r.fail()
			return
		}
	}
	c.Sorts = syms
	if len(syms) == 0 {
		r.fail()
	}
}

// fillDatatype gives a new datatype its constructors; false if none is left or a field has a dropped sort.
func (r *retyper) fillDatatype(old, d smt.SortSymbol) bool {
	a := r.a
	var ctors []smt.ConstructorDecl
	var left []smt.Constructor
	for _, k := range a.Datatype(old).Constructors {
		if r.Constructors[k.Symbol] {
			continue
		}
		decl := smt.ConstructorDecl{Name: r.newName(k.Name)}
		params := keptElements(r, k.Symbol, a.SymbolInfo(k.Symbol).Params)
		for i, f := range keptElements(r, k.Symbol, k.Selectors) {
			if r.Gone[a.SortSymbolOf(params[i])] {
				return false
			}
			decl.Selectors = append(decl.Selectors, smt.SelectorDecl{Name: r.newName(a.SymbolName(f)), Sort: r.sortImage(params[i])})
		}
		ctors, left = append(ctors, decl), append(left, k)
	}
	if len(ctors) == 0 || a.DefineDatatype(d, ctors) != nil {
		return false
	}
	for i, k := range a.Datatype(d).Constructors {
		r.syms[left[i].Symbol] = k.Symbol
		for j, f := range keptElements(r, left[i].Symbol, left[i].Selectors) {
			r.syms[f] = k.Selectors[j]
		}
	}
	return true
}
