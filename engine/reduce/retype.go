package reduce

import (
	"errors"
	"math/big"
	"slices"
	"strconv"

	"github.com/smtlark/smtlark/engine/eval"
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
)

// change says how sorts and signatures of a case are to become smaller, or get other names.
type change struct {
	sort  func(smt.Sort) smt.Sort // the image of a sort, 0 for no change; composite sorts follow from their parts
	args  map[smt.Symbol][]int    // the arguments that functions and constructors keep; no entry for all
	ctors map[smt.Symbol]bool     // constructors to drop
	gone  map[smt.SortSymbol]bool // datatypes to drop from their group
	names map[string]string       // new names of sorts, constructors and selectors
}

// retyper builds a case anew with changed sorts. Every term gets an image of the image of its sort: where an operator
// ties widths together, as concat does, what does not fit is extended, cut or converted.
type retyper struct {
	change
	s     *session
	a     *smt.Arena
	sorts map[smt.Sort]smt.Sort
	users map[smt.SortSymbol]smt.SortSymbol
	syms  map[smt.Symbol]smt.Symbol
	done  map[smt.Term]smt.Term
	err   error
}

var errRetype = errors.New("a term has no image")

// retyped is the candidate with a change made, nil if it cannot be.
func (s *session) retyped(c change) *state {
	r := &retyper{change: c, s: s, a: s.a, sorts: map[smt.Sort]smt.Sort{}, users: map[smt.SortSymbol]smt.SortSymbol{},
		syms: map[smt.Symbol]smt.Symbol{}, done: map[smt.Term]smt.Term{}}
	cmds := slices.Clone(s.cur.cmds)
	for i := range cmds {
		if r.command(&cmds[i]); r.err != nil {
			return nil
		}
	}
	return &state{cmds: cmds, expect: s.cur.expect, witness: r.witness()}
}

func (r *retyper) fail() {
	if r.err == nil {
		r.err = errRetype
	}
}

// name is the name that a sort, constructor or selector gets.
func (r *retyper) name(old string) string {
	if n, ok := r.names[old]; ok {
		return n
	}
	return old
}

// to is the image of a sort.
func (r *retyper) to(s smt.Sort) smt.Sort {
	if t, ok := r.sorts[s]; ok {
		return t
	}
	t := smt.Sort(0)
	if r.sort != nil {
		t = r.sort(s)
	}
	if t == 0 {
		t = r.composite(s)
	}
	r.sorts[s] = t
	return t
}

func (r *retyper) composite(s smt.Sort) smt.Sort {
	a := r.a
	args := slices.Clone(a.SortArgs(s))
	same := true
	for i, x := range args {
		args[i] = r.to(x)
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

func (r *retyper) list(ss []smt.Sort) []smt.Sort {
	out := make([]smt.Sort, len(ss))
	for i, s := range ss {
		out[i] = r.to(s)
	}
	return out
}

// pick returns the elements of a list that a function keeps.
func pick[T any](r *retyper, f smt.Symbol, list []T) []T {
	keep, ok := r.args[f]
	if !ok {
		return list
	}
	out := make([]T, len(keep))
	for i, k := range keep {
		out[i] = list[k]
	}
	return out
}

// command rewrites a command in place.
func (r *retyper) command(c *smtlib.Command) {
	switch {
	case c.Kind == smtlib.CmdDeclareSort:
		r.declareSort(c)
	case c.Kind == smtlib.CmdDefineSort:
		c.Sort = r.to(c.Sort)
	case len(c.Sorts) > 0:
		r.datatypes(c)
	case defines(c):
		r.definition(c)
	case len(c.Symbols) > 0:
		r.declaration(c)
	}
	if len(c.Terms) > 0 {
		c.Terms = slices.Clone(c.Terms)
		for i, t := range c.Terms {
			c.Terms[i] = r.term(t)
		}
	}
}

func (r *retyper) declareSort(c *smtlib.Command) {
	name, arity := r.a.SortSymbolName(c.Sorts[0])
	if n := r.name(name); n != name {
		sym := r.a.DeclareSort(n, arity)
		r.users[c.Sorts[0]] = sym
		c.Sorts = []smt.SortSymbol{sym}
	}
}

func (r *retyper) declaration(c *smtlib.Command) {
	c.Symbols = slices.Clone(c.Symbols)
	for i, f := range c.Symbols {
		info := *r.a.SymbolInfo(f)
		params := r.list(pick(r, f, info.Params))
		to := r.a.Declare(info.Name, params, r.to(info.Result))
		r.syms[f], c.Symbols[i] = to, to
		if c.Kind == smtlib.CmdDeclareFun && len(params) == 0 && len(info.Params) > 0 {
			c.Kind = smtlib.CmdDeclareConst
		}
	}
}

func (r *retyper) definition(c *smtlib.Command) {
	a := r.a
	old := c.Symbols
	c.Symbols = make([]smt.Symbol, len(old))
	for i, f := range old {
		if !isRecursive(c) {
			break
		}
		info := *a.SymbolInfo(f)
		r.s.recursions++
		c.Symbols[i] = a.DeclareRecursive("retype "+strconv.Itoa(r.s.recursions), info.Name, r.vars(pick(r, f, info.Vars)), r.to(info.Result))
		r.syms[f] = c.Symbols[i]
	}
	for i, f := range old {
		info := *a.SymbolInfo(f)
		if info.Body == 0 {
			r.fail()
			return
		}
		body := r.term(r.closedBody(f, &info))
		if r.err != nil {
			return
		}
		var err error
		if isRecursive(c) {
			err = a.DefineRecursive(c.Symbols[i], body)
		} else {
			c.Symbols[i], err = a.Define(info.Name, r.vars(pick(r, f, info.Vars)), r.to(info.Result), body)
			r.syms[f] = c.Symbols[i]
		}
		if err != nil {
			r.fail()
		}
	}
}

// closedBody is the body of a definition with constants in the place of parameters that it does not keep.
func (r *retyper) closedBody(f smt.Symbol, info *smt.SymbolInfo) smt.Term {
	keep, fewer := r.args[f]
	if !fewer {
		return info.Body
	}
	m := map[smt.Term]smt.Term{}
	for i, v := range info.Vars {
		if slices.Contains(keep, i) {
			continue
		}
		if cs := constants(r.a, r.a.Sort(v)); len(cs) > 0 {
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

func (r *retyper) vars(vs []smt.Term) []smt.Term {
	out := make([]smt.Term, len(vs))
	for i, v := range vs {
		out[i] = r.a.Var(r.a.VarName(v), r.to(r.a.Sort(v)))
	}
	return out
}

// datatypes declares a group anew if anything in it changes.
func (r *retyper) datatypes(c *smtlib.Command) {
	a := r.a
	changed := false
	for _, d := range c.Sorts {
		dt := a.Datatype(d)
		changed = changed || r.gone[d] || r.name(dt.Name) != dt.Name
		for _, k := range dt.Constructors {
			info := a.SymbolInfo(k.Symbol)
			_, fewer := r.args[k.Symbol]
			changed = changed || r.ctors[k.Symbol] || fewer || r.name(k.Name) != k.Name
			for i, p := range info.Params {
				changed = changed || r.to(p) != p || r.name(a.SymbolName(k.Selectors[i])) != a.SymbolName(k.Selectors[i])
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
		if r.gone[d] {
			continue
		}
		dt := a.Datatype(d)
		kept, names = append(kept, d), append(names, r.name(dt.Name))
		var ps []string
		for _, p := range dt.Params {
			ps = append(ps, a.SortString(p))
		}
		params = append(params, ps)
	}
	r.s.recursions++
	syms, _ := a.BeginDatatypes("retype "+strconv.Itoa(r.s.recursions), names, params)
	for i, d := range kept {
		r.users[d] = syms[i]
	}
	for i, d := range kept {
		if !r.datatype(d, syms[i]) {
			r.fail()
			return
		}
	}
	c.Sorts = syms
	if len(syms) == 0 {
		r.fail()
	}
}

// datatype gives a new datatype its constructors; false if none is left or a field has a dropped sort.
func (r *retyper) datatype(old, d smt.SortSymbol) bool {
	a := r.a
	var ctors []smt.ConstructorDecl
	var left []smt.Constructor
	for _, k := range a.Datatype(old).Constructors {
		if r.ctors[k.Symbol] {
			continue
		}
		decl := smt.ConstructorDecl{Name: r.name(k.Name)}
		params := pick(r, k.Symbol, a.SymbolInfo(k.Symbol).Params)
		for i, f := range pick(r, k.Symbol, k.Selectors) {
			if r.gone[a.SortSymbolOf(params[i])] {
				return false
			}
			decl.Selectors = append(decl.Selectors, smt.SelectorDecl{Name: r.name(a.SymbolName(f)), Sort: r.to(params[i])})
		}
		ctors, left = append(ctors, decl), append(left, k)
	}
	if len(ctors) == 0 || a.DefineDatatype(d, ctors) != nil {
		return false
	}
	for i, k := range a.Datatype(d).Constructors {
		r.syms[left[i].Symbol] = k.Symbol
		for j, f := range pick(r, left[i].Symbol, left[i].Selectors) {
			r.syms[f] = k.Selectors[j]
		}
	}
	return true
}

// term is the image of a term.
func (r *retyper) term(root smt.Term) smt.Term {
	if r.err == nil {
		r.a.PostOrder([]smt.Term{root}, func(t smt.Term) {
			if r.err == nil && r.done[t] == 0 {
				r.done[t] = r.build(t)
			}
		})
	}
	return r.done[root]
}

// symbol is the image of a symbol.
func (r *retyper) symbol(f smt.Symbol) smt.Symbol {
	if to, ok := r.syms[f]; ok {
		return to
	}
	if info := r.a.SymbolInfo(f); info.Kind == smt.SymNamed {
		name, body := info.Name, info.Body
		r.syms[f] = r.a.Name(name, r.term(body))
		return r.syms[f]
	}
	return f
}

// build makes the image of a term from those of its arguments.
func (r *retyper) build(t smt.Term) smt.Term {
	a := r.a
	want := r.to(a.Sort(t))
	args := make([]smt.Term, a.NumArgs(t))
	for i, x := range a.CopyArgs(t) {
		args[i] = r.done[x]
	}
	if r.err != nil {
		return 0
	}
	by, err := r.apply(t, args, want)
	if err != nil || by == 0 {
		r.fail()
		return 0
	}
	if a.Op(t) == smt.OpCase {
		return by
	}
	return r.coerce(by, want)
}

func (r *retyper) apply(t smt.Term, args []smt.Term, want smt.Sort) (smt.Term, error) {
	a := r.a
	switch op := a.Op(t); op {
	case smt.OpVar:
		return a.Var(a.VarName(t), want), nil
	case smt.OpBVLit, smt.OpIntLit, smt.OpRealLit:
		return r.coerce(t, want), r.err
	case smt.OpApply:
		return r.call(t, args, want)
	case smt.OpIs:
		return a.Is(r.symbol(a.SymbolOf(t)), args[0])
	case smt.OpUpdate:
		return a.Update(r.symbol(a.SymbolOf(t)), args[0], args[1])
	case smt.OpCase:
		if r.ctors[a.SymbolOf(t)] {
			return 0, errRetype
		}
		n := len(args) - 1
		return a.Case(r.symbol(a.SymbolOf(t)), pick(r, a.SymbolOf(t), args[:n]), args[n])
	case smt.OpOpaque:
		head, idx := a.OpaqueHead(t)
		return a.Opaque(head, slices.Clone(idx), want, args...), nil
	}
	if by, special, err := r.sized(t, args, want); special {
		return by, err
	}
	if op := a.Op(t); !op.Structural() && op.Info().Qualified {
		return a.AppAs(op, want, slices.Clone(a.Indices(t)), args...)
	}
	return a.Rebuild(t, args)
}

// call applies the image of a function. A selector or constructor that is gone leaves a constant.
func (r *retyper) call(t smt.Term, args []smt.Term, want smt.Sort) (smt.Term, error) {
	a := r.a
	f := a.SymbolOf(t)
	info := a.SymbolInfo(f)
	dropped := r.ctors[f]
	if info.Kind == smt.SymSelector {
		k := a.Datatype(info.Datatype).Constructors[info.Ctor].Symbol
		keep, fewer := r.args[k]
		dropped = r.ctors[k] || fewer && !slices.Contains(keep, info.Field)
	}
	if dropped {
		cs := constants(a, want)
		if len(cs) == 0 {
			return 0, errRetype
		}
		return cs[0], nil
	}
	to := r.symbol(f)
	if info.Kind == smt.SymConstructor {
		return a.ApplyAs(to, want, pick(r, f, args)...)
	}
	return a.Apply(to, pick(r, f, args)...)
}

// sized applies the operators whose indices or arguments depend on widths and formats.
func (r *retyper) sized(t smt.Term, args []smt.Term, want smt.Sort) (by smt.Term, special bool, err error) {
	a := r.a
	switch op := a.Op(t); op {
	case smt.OpExtract:
		by, err = r.extract(t, args[0], a.Width(want))
	case smt.OpZeroExtend, smt.OpSignExtend:
		k := a.Width(want) - a.Width(a.Sort(args[0]))
		if k <= 0 {
			return r.coerce(args[0], want), true, r.err
		}
		by, err = a.App(op, []smt.Index{a.NumIndex(uint64(k))}, args[0])
	case smt.OpFP:
		by, err = r.float(t, args, want)
	case smt.OpFPPlusInf, smt.OpFPMinusInf, smt.OpFPPlusZero, smt.OpFPMinusZero, smt.OpFPNaN:
		by, err = a.App(op, r.format(want))
	case smt.OpToFP, smt.OpToFPUnsigned, smt.OpToFPFromBV, smt.OpToFPFromFP, smt.OpToFPFromReal, smt.OpToFPFromSbv:
		if len(args) == 1 {
			eb, sb := a.FloatFormat(want)
			args[0] = r.coerce(args[0], a.BitVec(eb+sb))
		}
		by, err = a.App(op, r.format(want), args...)
	case smt.OpFPToUbv, smt.OpFPToSbv, smt.OpIntToBV, smt.OpFPToUbvTotal, smt.OpFPToSbvTotal:
		by, err = a.App(op, []smt.Index{a.NumIndex(uint64(a.Width(want)))}, args...)
	case smt.OpBit2Bool:
		n, _ := a.IndexUint(a.Indices(t)[0])
		by, err = a.App(op, []smt.Index{a.NumIndex(min(n, uint64(a.Width(a.Sort(args[0])))-1))}, args...)
	default:
		return 0, false, nil
	}
	return by, true, err
}

func (r *retyper) format(s smt.Sort) []smt.Index {
	eb, sb := r.a.FloatFormat(s)
	return []smt.Index{r.a.NumIndex(uint64(eb)), r.a.NumIndex(uint64(sb))}
}

// extract takes w bits of a narrower term, from where the old one took them if that is possible.
func (r *retyper) extract(t, x smt.Term, w int) (smt.Term, error) {
	a := r.a
	have := a.Width(a.Sort(x))
	if w >= have {
		return r.coerce(x, a.BitVec(w)), r.err
	}
	lo, _ := a.IndexUint(a.Indices(t)[1])
	lo = min(lo, uint64(have-w))
	return a.App(smt.OpExtract, []smt.Index{a.NumIndex(lo + uint64(w) - 1), a.NumIndex(lo)}, x)
}

// float is (fp s e m) of another format: a literal is rounded, else the parts are cut.
func (r *retyper) float(t smt.Term, args []smt.Term, want smt.Sort) (smt.Term, error) {
	a := r.a
	eb, sb := a.FloatFormat(want)
	if oe, os := a.FloatFormat(a.Sort(t)); oe == eb && os == sb && !slices.ContainsFunc(a.CopyArgs(t), func(x smt.Term) bool { return !a.IsLiteral(x) }) {
		return t, nil
	}
	if !slices.ContainsFunc(a.CopyArgs(t), func(x smt.Term) bool { return a.Op(x) != smt.OpBVLit }) {
		conv, err := a.App(smt.OpToFP, r.format(want), a.MustApp(smt.OpRNE), t)
		if err != nil {
			return 0, err
		}
		return r.s.folded(conv), nil
	}
	return a.App(smt.OpFP, nil, r.coerce(args[0], a.BitVec(1)), r.coerce(args[1], a.BitVec(eb)), r.coerce(args[2], a.BitVec(sb-1)))
}

// coerce turns a term into one of another sort.
func (r *retyper) coerce(t smt.Term, want smt.Sort) smt.Term {
	a := r.a
	have := a.Sort(t)
	if have == want || r.err != nil {
		return t
	}
	from, to := a.SortKind(have), a.SortKind(want)
	switch {
	case from == smt.KindBitVec && to == smt.KindBitVec:
		return r.resize(t, a.Width(want))
	case from == smt.KindFloat && to == smt.KindFloat:
		by, err := a.App(smt.OpToFP, r.format(want), a.MustApp(smt.OpRNE), t)
		if err != nil {
			r.fail()
		}
		return by
	case a.IsLiteral(t):
		if cs := constants(a, want); len(cs) > 0 {
			return cs[0]
		}
	}
	r.fail()
	return 0
}

func (r *retyper) resize(t smt.Term, w int) smt.Term {
	a := r.a
	have := a.Width(a.Sort(t))
	if n, ok := a.BVOf(t); ok && a.Op(t) == smt.OpBVLit {
		mask := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(w)), big.NewInt(1))
		return a.BV(w, new(big.Int).And(n, mask))
	}
	if w < have {
		return r.low(t, w)
	}
	by, err := a.App(smt.OpZeroExtend, []smt.Index{a.NumIndex(uint64(w - have))}, t)
	if err != nil {
		r.fail()
	}
	return by
}

// low is the term for the lowest w bits of a wider term.
func (r *retyper) low(t smt.Term, w int) smt.Term {
	a := r.a
	by, err := smt.Term(0), error(nil)
	switch a.Op(t) {
	case smt.OpConcat:
		args := a.CopyArgs(t)
		at, have := len(args), 0
		for have < w {
			at--
			have += a.Width(a.Sort(args[at]))
		}
		args = args[at:]
		if over := have - w; over > 0 {
			args[0] = r.resize(args[0], a.Width(a.Sort(args[0]))-over)
		}
		if len(args) == 1 {
			return args[0]
		}
		by, err = a.App(smt.OpConcat, nil, args...)
	case smt.OpZeroExtend, smt.OpSignExtend:
		x := a.Arg(t, 0)
		k := w - a.Width(a.Sort(x))
		if k <= 0 {
			return r.resize(x, w)
		}
		by, err = a.App(a.Op(t), []smt.Index{a.NumIndex(uint64(k))}, x)
	default:
		lo := uint64(0)
		if a.Op(t) == smt.OpExtract {
			lo, _ = a.IndexUint(a.Indices(t)[1])
			t = a.Arg(t, 0)
		}
		by, err = a.App(smt.OpExtract, []smt.Index{a.NumIndex(lo + uint64(w) - 1), a.NumIndex(lo)}, t)
	}
	if err != nil {
		r.fail()
	}
	return by
}

// witness interprets the new constants as the old ones, cut or rounded, and functions with fewer arguments by the first
// row of their table that fits. Whether it still is a witness is found out by evaluation.
func (r *retyper) witness() *eval.Model {
	w := r.s.cur.witness
	if w == nil {
		return nil
	}
	out := w.Clone()
	ev := r.s.evaluator(w)
	for _, f := range w.Symbols() {
		to, ok := r.syms[f]
		if !ok || to == f {
			continue
		}
		out.Unset(f)
		info := r.a.SymbolInfo(f)
		if len(info.Params) > 0 {
			if fn := w.Func(f); fn != nil {
				if fewer := r.table(f, fn); fewer != nil {
					out.SetFunc(to, fewer)
				}
			}
			continue
		}
		v, err := ev.Eval(r.coerce(r.a.Const(f), r.to(info.Result)))
		if r.err != nil || err != nil {
			r.err = nil
			continue
		}
		out.Set(to, v)
	}
	return out
}

// table is the table of a function without some arguments; nil if it has none or a sort in it changes.
func (r *retyper) table(f smt.Symbol, fn *eval.Func) *eval.Func {
	info := r.a.SymbolInfo(f)
	if fn.Body != 0 || r.to(info.Result) != info.Result {
		return nil
	}
	params := pick(r, f, info.Params)
	for _, p := range params {
		if r.to(p) != p {
			return nil
		}
	}
	out := eval.NewFunc(params, fn.Default)
	rows := fn.Rows()
	for i := len(rows) - 1; i >= 0; i-- {
		out.Set(pick(r, f, rows[i].Args), rows[i].Value)
	}
	return out
}
