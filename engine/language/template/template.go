// Package template turns terms over parameters into programs that build them in any arena, with any sorts and numbers
// that the patterns of the parameters allow. Fusion operators and laws are made of templates.
package template

import (
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// Template is a term over parameters, as a program that builds it in any arena.
type Template struct {
	nodes []tnode
	root  int32
}

type tkind uint8

const (
	tArg   tkind = iota // argument n, from 0
	tZ                  // the result
	tApp                // an operator of the table
	tAs                 // a qualified operator, of the sort
	tLit                // a literal
	tFresh              // the fresh function n
	tCtor               // the constructor of the operator's datatype
	tField              // its selector n
	tIs                 // its tester
	tList               // the terms that list n stands for, as arguments of an operator
	tBind               // a quantifier over the variables that parameter n stands for
	tVar                // the one variable that parameter n stands for
	tBody               // the formula n, in which variables may occur; with arguments, with these terms in their place
)

type tnode struct {
	kind tkind
	op   smt.Op
	n    int32
	idx  []uint64
	args []int32
	sort smt.Pattern
	fix  smt.Sort // of a result without letters or widths, or of a qualified operator: the sort; else 0
	num  *big.Int // of a literal of Int, BV or a finite field
	n64  int64    // the same, if it is small; else -1
	rat  *big.Rat
	mod  *big.Int // of a literal of a finite field
	str  []rune
	w    int
	// splices says that a list is among the arguments.
	splices bool
	// may is a bit set of the parameters whose variables may occur in a formula, or are bound around a quantifier.
	may uint32
	// closed lists the parameters below a quantifier in which its variables must not occur.
	closed []int32
}

// Fresh is a function that is declared anew wherever a template is built.
type Fresh struct {
	Name   string
	Params []smt.Pattern
	Result smt.Pattern
}

// ArgName returns the name of argument i of an operator in the terms that Compile reads; ResultName is its result.
func ArgName(i int) string { return "arg!" + strconv.Itoa(i) }

// ListName returns the name of element j of the list of parameter i in the terms that Compile reads: there are
// ListElements of them, one behind the other among the arguments of an operator. They stand for any number of terms.
func ListName(i, j int) string { return ArgName(i) + "." + strconv.Itoa(j) }

// ListElements is the number of elements of lists in the terms that Compile reads.
const ListElements = 2

// ResultName is the constant that stands for the result in the terms that Compile reads.
const ResultName = "arg!z"

// Compile turns a term into a template. Constants named ArgName and ResultName are the arguments and the result; every
// other declared function is a fresh one, collected in fresh.
func Compile(a *smt.Arena, root smt.Term, fresh *[]Fresh) (*Template, error) {
	t := &Template{}
	at := map[smt.Term]int32{}
	var failed error
	a.PostOrder([]smt.Term{root}, func(x smt.Term) {
		if failed != nil {
			return
		}
		n, err := compileNode(a, x, fresh)
		if err != nil {
			failed = err
			return
		}
		args := a.Args(x)
		switch n.kind {
		case tBind:
			args = args[len(args)-1:]
		case tBody:
			args, failed = n.bodyArguments(a, args)
		}
		if failed == nil {
			failed = t.arguments(&n, args, at)
		}
		if failed != nil {
			return
		}
		at[x] = int32(len(t.nodes))
		t.nodes = append(t.nodes, n)
	})
	t.root = at[root]
	if failed == nil && t.nodes[t.root].kind == tList {
		failed = errList
	}
	if failed == nil {
		t.dropUnused()
		failed = t.bindVariables(t.root, 0)
	}
	return t, failed
}

// errList says that a list is used as if it were a term.
var errList = errors.New("a list stands only among the arguments of an operator, with all of its elements in their order")

// arguments sets the arguments of a node. The elements of a list become one argument.
func (t *Template) arguments(n *tnode, args []smt.Term, at map[smt.Term]int32) error {
	for i := 0; i < len(args); i++ {
		k := at[args[i]]
		n.args = append(n.args, k)
		x := &t.nodes[k]
		if x.kind != tList {
			continue
		}
		n.splices = true
		for j := range ListElements {
			if i+j >= len(args) {
				return errList
			}
			if y := &t.nodes[at[args[i+j]]]; y.kind != tList || y.n != x.n || y.w != j {
				return errList
			}
		}
		i += ListElements - 1
	}
	return nil
}

func compileNode(a *smt.Arena, x smt.Term, fresh *[]Fresh) (n tnode, err error) {
	op := a.Op(x)
	n.op = op
	switch op {
	case smt.OpIntLit:
		n.kind = tLit
		n.num, _ = a.IntOf(x)
		n.small()
		return n, nil
	case smt.OpBVLit:
		n.kind, n.w = tLit, a.Width(a.Sort(x))
		n.num, _ = a.BVOf(x)
		n.small()
		return n, nil
	case smt.OpFFLit:
		n.kind, n.mod = tLit, a.Modulus(a.Sort(x))
		n.num, _ = a.FFOf(x)
		n.small()
		return n, nil
	case smt.OpRealLit:
		n.kind = tLit
		n.rat, _ = a.RatOf(x)
		return n, nil
	case smt.OpStringLit:
		n.kind = tLit
		n.str, _ = a.StrOf(x)
		return n, nil
	case smt.OpApply:
		return compileApply(a, x, fresh)
	case smt.OpIs:
		n.kind = tIs
		if a.SymbolName(a.SymbolOf(x)) != dataCtor {
			err = fmt.Errorf("%s cannot occur in an operator", a.Brief(x))
		}
		return n, err
	}
	if op == smt.OpVar || op == smt.OpForall || op == smt.OpExists {
		return compileBinder(a, x, n)
	}
	if op.Structural() {
		return n, fmt.Errorf("%s cannot occur in an operator", op)
	}
	n.kind = tApp
	if n.sort, err = smt.PatternOf(a, a.Sort(x)); err != nil {
		return n, err
	}
	// Such a sort is the same in every arena, so it need not be built for each instance.
	if a.Sort(x) <= smt.SortRoundingMode {
		n.fix = a.Sort(x)
	}
	for _, i := range a.Indices(x) {
		u, ok := a.IndexUint(i)
		if !ok {
			return n, fmt.Errorf("an index of %s is too large", op)
		}
		n.idx = append(n.idx, u)
	}
	if op.Info().Qualified {
		n.kind = tAs
	}
	return n, nil
}

// small stores the value of a literal for the fast path without big numbers.
func (n *tnode) small() {
	if n.n64 = -1; n.num.IsInt64() {
		n.n64 = n.num.Int64()
	}
}

func compileApply(a *smt.Arena, x smt.Term, fresh *[]Fresh) (n tnode, err error) {
	info := a.SymbolInfo(a.SymbolOf(x))
	if info.Datatype != 0 && info.Ctor == 0 {
		n.kind = tCtor
		if info.Kind == smt.SymSelector {
			n.kind, n.n = tField, int32(info.Field)
		}
		return n, nil
	}
	if info.Kind != smt.SymDeclared {
		return n, fmt.Errorf("%s cannot occur in an operator: it is no declared function", info.Name)
	}
	if info.Name == ResultName {
		n.kind = tZ
		return n, nil
	}
	if num, ok := strings.CutPrefix(info.Name, "arg!"); ok {
		if k, may, isBody := readBodyName(num); isBody {
			n.kind, n.n, n.may = tBody, k, may
			return n, nil
		}
		num, element, isList := strings.Cut(num, ".")
		k, _ := strconv.Atoi(num)
		n.kind, n.n = tArg, int32(k)
		if isList {
			n.kind = tList
			n.w, _ = strconv.Atoi(element)
		}
		return n, nil
	}
	f := Fresh{Name: info.Name}
	if f.Result, err = smt.PatternOf(a, info.Result); err != nil {
		return n, err
	}
	for _, s := range info.Params {
		p, err := smt.PatternOf(a, s)
		if err != nil {
			return n, err
		}
		f.Params = append(f.Params, p)
	}
	n.kind, n.n = tFresh, -1
	// A fresh function occurs in the term and in its inverses, and is the same one in all of them.
	for i, g := range *fresh {
		if g.Name == f.Name {
			n.n = int32(i)
		}
	}
	if n.n < 0 {
		n.n = int32(len(*fresh))
		*fresh = append(*fresh, f)
	}
	return n, nil
}

// Hash writes the structure of the term, independent of how terms are printed.
func (t *Template) Hash(w io.Writer) {
	for k := range t.nodes {
		n := &t.nodes[k]
		sort := "" // of others it follows
		if n.kind == tAs {
			sort = n.sort.String()
		}
		if n.mod != nil {
			sort = n.mod.String()
		}
		fmt.Fprintf(w, "%d %s %d %v %v %s %v %v %q %d\n", n.kind, n.op, n.n, n.idx, n.args, sort, n.num, n.rat, string(n.str), n.w)
		if n.may != 0 {
			fmt.Fprintf(w, "may %d\n", n.may)
		}
	}
}

// Builder builds templates in one arena.
type Builder struct {
	Arena *smt.Arena
	Lists [][]smt.Term // by parameter: the terms of lists
	Vars  [][]smt.Term // by parameter: the variables that it stands for
	slots []smt.Term
	args  []smt.Term
	idx   []smt.Index
	free  smt.FreeVarSets
}

// Build returns the template's term: args are the arguments, z the result, fresh the fresh functions.
func (m *Builder) Build(t *Template, args []smt.Term, z smt.Term, fresh []smt.Symbol, b *smt.Bindings) (smt.Term, error) {
	m.slots = m.slots[:0]
	for i := range t.nodes {
		n := &t.nodes[i]
		x, err := m.node(t, n, args, z, fresh, b)
		if err != nil {
			return 0, err
		}
		m.slots = append(m.slots, x)
	}
	return m.slots[t.root], nil
}

func (m *Builder) node(t *Template, n *tnode, args []smt.Term, z smt.Term, fresh []smt.Symbol, b *smt.Bindings) (smt.Term, error) {
	switch n.kind {
	case tArg:
		return args[n.n], nil
	case tZ:
		return z, nil
	case tLit:
		return m.literal(n), nil
	case tList:
		return 0, nil // its elements are put where it is an argument
	case tBind:
		return m.quantifier(t, n, args)
	case tVar:
		if len(m.Vars[n.n]) != 1 {
			return 0, ErrNone
		}
		return m.Vars[n.n][0], nil
	case tBody:
		return m.body(n, args)
	}
	m.args = m.args[:0]
	for _, k := range n.args {
		if x := &t.nodes[k]; x.kind == tList {
			m.args = append(m.args, m.Lists[x.n]...)
		} else {
			m.args = append(m.args, m.slots[k])
		}
	}
	switch n.kind {
	case tFresh:
		return m.Arena.Apply(fresh[n.n], m.args...)
	case tCtor:
		return m.Arena.ApplyAs(b.Constructor, b.Data, m.args...)
	case tField:
		info := m.Arena.SymbolInfo(b.Constructor)
		return m.Arena.Apply(m.Arena.Datatype(info.Datatype).Constructors[info.Ctor].Selectors[n.n], m.args...)
	case tIs:
		return m.Arena.Is(b.Constructor, m.args[0])
	}
	m.idx = m.idx[:0]
	for _, u := range n.idx {
		m.idx = append(m.idx, m.Arena.NumIndex(u))
	}
	sort := n.fix
	if sort == 0 {
		if sort = n.sort.Build(m.Arena, b); sort == 0 {
			return 0, ErrNone
		}
	}
	if n.splices {
		return m.spliced(n.op, sort)
	}
	if n.kind == tAs {
		return m.Arena.AppAs(n.op, sort, m.idx, m.args...)
	}
	return m.Arena.Known(n.op, sort, m.idx, m.args), nil // compile has seen that the sorts fit
}

// spliced applies an operator to arguments, some of which came from lists. An associative operator of no arguments is
// its neutral element, and of one argument that argument.
func (m *Builder) spliced(op smt.Op, sort smt.Sort) (smt.Term, error) {
	switch {
	case op == smt.OpDistinct && len(m.args) < 2:
		return m.Arena.True(), nil
	case len(m.args) == 1 && Associative(op):
		return m.args[0], nil
	case len(m.args) == 0:
		return neutralElement(m.Arena, op, sort)
	}
	t, err := m.Arena.App(op, m.idx, m.args...)
	if err != nil {
		return 0, ErrNone
	}
	return t, nil
}

func (m *Builder) literal(n *tnode) smt.Term {
	switch n.op {
	case smt.OpIntLit:
		if n.n64 >= 0 {
			return m.Arena.Int64(n.n64)
		}
		return m.Arena.IntVal(n.num)
	case smt.OpBVLit:
		if n.n64 >= 0 {
			return m.Arena.BVUint(n.w, uint64(n.n64))
		}
		return m.Arena.BV(n.w, n.num)
	case smt.OpFFLit:
		return m.Arena.FFVal(m.Arena.FiniteField(n.mod), n.num)
	case smt.OpRealLit:
		return m.Arena.RealVal(n.rat)
	}
	return m.Arena.Str(n.str)
}

// Node is a node of a template as Nodes lists it.
type Node struct {
	Op        smt.Op
	Parameter int // of a parameter or a list; -1 for others
	List      bool
	Replaced  bool // other terms are put for the variables of the parameter
	Binds     int  // the parameter whose variables a quantifier binds; -1 for others
	Args      []int32
}

// Nodes lists the nodes that a template is made of, arguments first, and says which is the root.
func (t *Template) Nodes() (nodes []Node, root int) {
	for k := range t.nodes {
		n := &t.nodes[k]
		x := Node{Op: n.op, Parameter: -1, Binds: -1, List: n.kind == tList, Args: n.args}
		if n.kind == tBind {
			x.Binds = int(n.n)
		}
		if n.kind == tArg || n.kind == tList || n.kind == tBody {
			x.Parameter, x.Replaced = int(n.n), n.kind == tBody && len(n.args) > 0
		}
		nodes = append(nodes, x)
	}
	return nodes, int(t.root)
}

// Head returns the operator of the template's term, as Shape.Head does.
func (t *Template) Head() (smt.Op, bool) { return t.nodes[t.root].head() }

// Operators lists the operators of the table that the template applies, each once, in the order of their first
// occurrence.
func (t *Template) Operators() (ops []smt.Op) {
	for k := range t.nodes {
		if op := t.nodes[k].op; !op.Structural() && !slices.Contains(ops, op) {
			ops = append(ops, op)
		}
	}
	return ops
}
