package fusion

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// Formats are those that Text and FunctionWriter know.
var Formats = []string{"yinyang", "smt2", "infix", "star", "dot"}

// FunctionWriter writes functions. Its zero value is ready.
type FunctionWriter struct {
	p   smtlib.Printer
	sym [1]smt.Symbol
}

// Text returns the function as text in a format of Formats. The name is for formats that name functions.
func (f *Function) Text(format, name string) (string, error) {
	var w FunctionWriter
	if format != "dot" { // the tree belongs to the function's own arena
		f = f.withCanonicalNames(format)
	}
	b, err := w.Append(nil, f, format, name)
	return string(b), err
}

// Append appends the function in a format. Constants keep their names: see Names for names that every format accepts.
func (w *FunctionWriter) Append(b []byte, f *Function, format, name string) ([]byte, error) {
	switch format {
	case "yinyang":
		if len(f.Side) > 0 {
			return b, fmt.Errorf("YinYang's configuration has no functions beside constants: leave out operators with assumed = True")
		}
		if len(f.Consts) == 1 && f.Arena.SymbolName(f.Consts[0]) != "c" { // the name went to a constant of an attempt that failed
			f = f.withCanonicalNames(format)
		}
		// YinYang replaces symbols in the text's tree, and does not look into bindings.
		w.p.Unshared = true
		defer func() { w.p.Unshared = false }()
		return append(w.appendEquations(append(b, "#begin\n"...), f), "#end\n"...), nil
	case "smt2":
		return append(w.appendEquations(b, f), "(check-sat)\n"...), nil
	case "infix":
		return f.appendInfix(b), nil
	case "star":
		return f.appendStarlark(b, name)
	case "dot":
		return f.appendGraph(b, name), nil
	}
	return b, fmt.Errorf("there is no format %q; want one of %s", format, strings.Join(Formats, ", "))
}

// MakePlain asks for functions of the inputs that YinYang's release 0.3 reads: z has the sort of the inputs, and there
// is one symbolic constant at most. Of inputs of several sorts it asks nothing.
func (e *Env) MakePlain(inputs []smt.Term) {
	if s := commonSort(e.Arena, inputs); s != 0 {
		e.Result, e.MaxConstants = s, 1
	}
}

// commonSort returns the sort of the terms, 0 if they have several.
func commonSort(a *smt.Arena, ts []smt.Term) smt.Sort {
	for _, t := range ts {
		if a.Sort(t) != a.Sort(ts[0]) {
			return 0
		}
	}
	return a.Sort(ts[0])
}

// Names returns an Env.Name for functions that are written in a format: z, c0, c1, … The first constant of YinYang's
// configurations is c, the only name that its release 0.3 knows.
func Names(format string) func(base string) string {
	var next [3]int // of c, of f, of all else
	return func(base string) string {
		if format == "yinyang" && base == "c" && next[0] == 0 {
			next[0] = 1
			return base
		}
		i := 2
		switch base {
		case "z":
			return base
		case "c":
			i = 0
		case "f":
			i = 1
		}
		next[i]++
		return numberedName(base, "", next[i]-1)
	}
}

// numberedNames are the first names of constants, of functions and of fusion variables: making them anew costs more
// than all else about them.
var numberedNames = func() map[string][]string {
	out := map[string][]string{}
	for _, base := range []string{"c", "f", "g", "h", "z", "c!", "f!", "g!", "h!", "z!"} {
		for i := range 64 {
			out[base] = append(out[base], base+strconv.Itoa(i))
		}
	}
	return out
}()

// numberedName returns base, sep and n as one name.
func numberedName(base, sep string, n int) string {
	if known := numberedNames[base+sep]; n < len(known) {
		return known[n]
	}
	return base + sep + strconv.Itoa(n)
}

// appendEquations appends declarations and equations.
func (w *FunctionWriter) appendEquations(b []byte, f *Function) []byte {
	a := f.Arena
	term := func(b []byte, t smt.Term) []byte { return w.p.Direct(b, a, t) }
	declare := func(s smt.Symbol) {
		w.sym[0] = s
		c := smtlib.Command{Kind: smtlib.CmdDeclareConst, Symbols: w.sym[:]}
		if len(a.SymbolInfo(s).Params) > 0 {
			c.Kind = smtlib.CmdDeclareFun
		}
		b = append(w.p.Command(b, a, &c), '\n')
	}
	for _, x := range f.Inputs {
		declare(a.SymbolOf(x))
	}
	declare(a.SymbolOf(f.Z))
	for _, c := range f.Consts {
		declare(c)
	}
	for _, c := range f.Fresh {
		declare(c)
	}
	assert := func(x, y smt.Term) {
		b = term(append(b, "(assert (= "...), x)
		b = append(term(append(b, ' '), y), "))\n"...)
	}
	assert(f.Z, f.F)
	for i, x := range f.Inputs {
		assert(x, f.Inverse[i])
	}
	for _, t := range f.Side {
		b = append(term(append(b, "(assert "...), t), ")\n"...)
	}
	return b
}

// withCanonicalNames returns the function with z and the constants named as Names does, in an arena of its own; the
// function itself where its terms cannot be copied, as over sorts that a script declares.
func (f *Function) withCanonicalNames(format string) *Function {
	to := smt.NewArena()
	taken := map[string]bool{}
	for _, x := range f.Inputs {
		// Inputs keep their names, so none of the new names may be one of them.
		taken[f.Arena.SymbolName(f.Arena.SymbolOf(x))] = true
	}
	names := Names(format)
	name := func(base string) string {
		for {
			if n := names(base); !taken[n] {
				taken[n] = true
				return n
			}
			base += "_"
		}
	}
	c := newCopier(f.Arena, to, func(n string) string { return n }, "")
	defer c.free()
	out := &Function{Arena: to, Tree: f.Tree, Proven: f.Proven}
	rename := func(s smt.Symbol, base string) (smt.Symbol, bool) {
		info := *f.Arena.SymbolInfo(s)
		result, err := c.Sort(info.Result)
		var params []smt.Sort
		for _, p := range info.Params {
			q, err2 := c.Sort(p)
			if err2 != nil {
				err = err2
			}
			params = append(params, q)
		}
		if base != "" {
			info.Name = name(base)
		}
		n := to.Declare(info.Name, params, result)
		c.BindSymbol(s, n)
		return n, err == nil
	}
	ok := true
	for _, x := range f.Inputs {
		n, fine := rename(f.Arena.SymbolOf(x), "")
		ok = ok && fine
		out.Inputs = append(out.Inputs, to.Const(n))
	}
	z, fine := rename(f.Arena.SymbolOf(f.Z), "z")
	ok = ok && fine
	out.Z = to.Const(z)
	for _, s := range f.Consts {
		n, fine := rename(s, "c")
		ok = ok && fine
		out.Consts = append(out.Consts, n)
	}
	for _, s := range f.Fresh {
		n, fine := rename(s, "f")
		ok = ok && fine
		out.Fresh = append(out.Fresh, n)
	}
	if !ok || c.copyBody(f, out) != nil {
		return f
	}
	for _, t := range f.Side {
		x, err := c.Term(t)
		if err != nil {
			return f
		}
		out.Side = append(out.Side, x)
	}
	return out
}

// nameShared names the compound terms below the roots that occur more than once, so that the text stays linear in the
// size of the terms. It calls step for each, arguments first.
func nameShared(a *smt.Arena, roots []smt.Term, step func(t smt.Term, name string)) {
	refs := map[smt.Term]int{}
	var order []smt.Term
	a.PostOrder(roots, func(t smt.Term) {
		order = append(order, t)
		for _, x := range a.Args(t) {
			refs[x]++
		}
	})
	for _, r := range roots {
		refs[r]++
	}
	n := 0
	for _, t := range order {
		if refs[t] > 1 && a.NumArgs(t) > 0 {
			n++
			step(t, "t"+strconv.Itoa(n))
		}
	}
}

var infixSigns = map[smt.Op]string{
	smt.OpAdd: "+", smt.OpSub: "-", smt.OpMul: "*", smt.OpDiv: "/", smt.OpIntDiv: "div", smt.OpMod: "mod", smt.OpEq: "=", smt.OpAnd: "and", smt.OpOr: "or",
	smt.OpXor: "xor", smt.OpLe: "<=", smt.OpLt: "<", smt.OpGe: ">=", smt.OpGt: ">", smt.OpStrConcat: "++", smt.OpConcat: "∘", smt.OpBVAdd: "+", smt.OpBVSub: "-",
	smt.OpBVMul: "*", smt.OpBVXor: "^", smt.OpBVAnd: "&", smt.OpBVOr: "|", smt.OpDistinct: "≠", smt.OpSeqConcat: "++",
}

// appendInfix appends the function in infix notation, one equation per line; a term that occurs more than once has its
// own line.
func (f *Function) appendInfix(b []byte) []byte {
	a := f.Arena
	var names map[smt.Term]string
	var write func(t smt.Term, top bool) string
	write = func(t smt.Term, top bool) string {
		if n := names[t]; n != "" && !top {
			return n
		}
		if a.NumArgs(t) == 0 || a.IsLiteral(t) {
			return a.Brief(t)
		}
		var parts []string
		for _, x := range a.CopyArgs(t) {
			parts = append(parts, write(x, false))
		}
		op := a.Op(t)
		if op == smt.OpIte {
			return fmt.Sprintf("(if %s then %s else %s)", parts[0], parts[1], parts[2])
		}
		if sign := infixSigns[op]; sign != "" && len(parts) > 1 {
			s := strings.Join(parts, " "+sign+" ")
			if top {
				return s
			}
			return "(" + s + ")"
		}
		head := op.String()
		if op == smt.OpApply {
			head = a.SymbolName(a.SymbolOf(t))
		}
		for _, i := range a.Indices(t) {
			if n, ok := a.IndexUint(i); ok && op != smt.OpApply {
				head += "." + strconv.FormatUint(n, 10)
			}
		}
		return head + "(" + strings.Join(parts, ", ") + ")"
	}
	names = map[smt.Term]string{}
	roots := append([]smt.Term{f.F}, f.Inverse...)
	var lines []string
	// Arguments first, so that a line uses only names of the lines above it.
	nameShared(a, roots, func(t smt.Term, n string) {
		lines = append(lines, n+" = "+write(t, true))
		names[t] = n
	})
	lines = append(lines, a.Brief(f.Z)+" = "+write(f.F, names[f.F] == ""))
	for i, x := range f.Inputs {
		lines = append(lines, a.Brief(x)+" = "+write(f.Inverse[i], names[f.Inverse[i]] == ""))
	}
	for _, l := range lines {
		b = append(append(b, l...), '\n')
	}
	return b
}

// appendStarlark appends the function as an operator of a campaign file. Its constants become arguments without an
// inverse.
func (f *Function) appendStarlark(b []byte, name string) ([]byte, error) {
	a := f.Arena
	id := strings.NewReplacer(".", "_", "-", "_").Replace(name)
	args := map[smt.Term]string{f.Z: "z"}
	var params, sorts []string
	add := func(t smt.Term, name string) error {
		p, err := patternText(a, a.Sort(t))
		args[t] = name
		params, sorts = append(params, name), append(sorts, strconv.Quote(p))
		return err
	}
	var err error
	for i, x := range f.Inputs {
		if e := add(x, fmt.Sprintf("x%d", i+1)); e != nil {
			err = e
		}
	}
	for i, c := range f.Consts {
		if e := add(a.Const(c), fmt.Sprintf("c%d", i)); e != nil {
			err = e
		}
	}
	result, e := patternText(a, a.Sort(f.F))
	if err != nil || e != nil || len(f.Side) > 0 || len(params) > 6 {
		return b, fmt.Errorf("function %s cannot be written as one operator: it has more than 6 arguments, sorts that a script declares or functions of its own", name)
	}
	b = f.appendDefinition(b, id+"_apply", params, f.F, args)
	var inverses []string
	for i := range f.Inputs {
		n := fmt.Sprintf("%s_inverse%d", id, i+1)
		b = f.appendDefinition(b, n, append([]string{"z"}, params...), f.Inverse[i], args)
		inverses = append(inverses, n)
	}
	for range f.Consts {
		inverses = append(inverses, "None")
	}
	return fmt.Appendf(b, "%s = fusion.operator(\n    %q,\n    sorts = [%s],\n    result = %q,\n    apply = %s_apply,\n    inverse = [%s],\n)\n\n",
		id, name, strings.Join(sorts, ", "), result, id, strings.Join(inverses, ", ")), nil
}

// appendDefinition appends a function of Starlark that returns a term.
func (f *Function) appendDefinition(b []byte, name string, params []string, t smt.Term, args map[smt.Term]string) []byte {
	a := f.Arena
	names := map[smt.Term]string{}
	var write func(t smt.Term, top bool) string
	write = func(t smt.Term, top bool) string {
		if n := args[t]; n != "" {
			return n
		}
		if n := names[t]; n != "" && !top {
			return n
		}
		if a.NumArgs(t) == 0 {
			return fmt.Sprintf("smt.parse(%s)", strconv.Quote(smtlib.TermText(a, t)))
		}
		var parts, idx []string
		for _, x := range a.CopyArgs(t) {
			parts = append(parts, write(x, false))
		}
		for _, i := range a.Indices(t) {
			n, _ := a.IndexNum(i)
			idx = append(idx, n.String())
		}
		s := fmt.Sprintf("smt.app(%q, [%s]", a.Op(t).String(), strings.Join(parts, ", "))
		if len(idx) > 0 {
			s += ", [" + strings.Join(idx, ", ") + "]"
		}
		if a.Op(t).Info().Qualified {
			s += fmt.Sprintf(", result = smt.Sort(%q)", a.SortString(a.Sort(t)))
		}
		return s + ")"
	}
	b = fmt.Appendf(b, "def %s(%s):\n", name, strings.Join(params, ", "))
	nameShared(a, []smt.Term{t}, func(t smt.Term, n string) {
		b = fmt.Appendf(b, "    %s = %s\n", n, write(t, true))
		names[t] = n
	})
	return fmt.Appendf(b, "    return %s\n\n", write(t, false))
}

// patternText writes a sort as operators of campaign files do.
func patternText(a *smt.Arena, s smt.Sort) (string, error) {
	args := a.SortArgs(s)
	var parts []string
	switch a.SortKind(s) {
	case smt.KindBitVec:
		return fmt.Sprintf("BV(%d)", a.Width(s)), nil
	case smt.KindFloat:
		eb, sb := a.FloatFormat(s)
		return fmt.Sprintf("FP(%d,%d)", eb, sb), nil
	case smt.KindArray, smt.KindSeq, smt.KindSet, smt.KindBag:
		for _, x := range args {
			p, err := patternText(a, x)
			if err != nil {
				return "", err
			}
			parts = append(parts, p)
		}
		return a.SortKind(s).String() + "(" + strings.Join(parts, ",") + ")", nil
	case smt.KindBool, smt.KindInt, smt.KindReal, smt.KindString, smt.KindRoundingMode:
		return a.SortString(s), nil
	}
	return "", fmt.Errorf("the sort %s is declared by a script", a.SortString(s))
}

// appendGraph appends the tree of the function as a graph for Graphviz.
func (f *Function) appendGraph(b []byte, name string) []byte {
	a := f.Arena
	b = fmt.Appendf(b, "digraph %s {\n  node [shape=box, fontname=\"monospace\"];\n  n0 [label=%s];\n  n1 [label=%s];\n  n0 -> n1;\n",
		strconv.Quote(name), strconv.Quote("="), strconv.Quote(a.Brief(f.Z)))
	next := 2
	var walk func(n *Node, parent int)
	walk = func(n *Node, parent int) {
		id := next
		next++
		label, style := "", ""
		switch {
		case n.Rule != nil:
			label = n.Rule.Op.Name
			if n.Rule.Numbers != "" {
				label += " " + n.Rule.Numbers
			}
		case n.Input >= 0:
			label, style = a.Brief(f.Inputs[n.Input]), ", style=bold"
		default:
			label = "constant"
			if f.Arena.Valid(n.Term) {
				label = f.Arena.Brief(n.Term)
			}
		}
		b = fmt.Appendf(b, "  n%d [label=%s%s];\n  n%d -> n%d;\n", id, strconv.Quote(label), style, parent, id)
		for _, x := range n.Args {
			walk(x, id)
		}
	}
	if f.Tree != nil {
		walk(f.Tree, 0)
	}
	return append(b, "}\n"...)
}
