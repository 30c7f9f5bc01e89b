package fusion

import (
	"fmt"
	"github.com/smtlark/smtlark/engine/language/template"

	"github.com/smtlark/smtlark/engine/generate/fusion/operator"
	"github.com/smtlark/smtlark/engine/language/logic"
	"github.com/smtlark/smtlark/engine/language/smt"
)

// Generator makes fusion functions of given inputs. A Table is one: it draws trees of its operators. ErrNoFunction says
// that it has no function for the sorts of these inputs.
type Generator interface {
	Generate(e *Env, inputs []smt.Term, size Size) (*Function, error)
}

// Tree says how a function is made: operators over inputs and constants. It is made with NewLeaf and NewTree, and its
// sorts fit.
type Tree struct {
	Sort smt.Sort

	term     smt.Term       // of a leaf
	rule     *operator.Rule // of an operator
	bindings smt.Bindings
	args     []*Tree
}

// NewLeaf returns the tree that is an input or a constant.
func NewLeaf(a *smt.Arena, t smt.Term) *Tree { return &Tree{term: t, Sort: a.Sort(t)} }

// NewTree returns the tree of an operator over others. result is the sort of the tree if it does not follow from the
// arguments, else 0. variant is the number of the choice of indices; variants 0 and 1 are the bounds.
func NewTree(env any, a *smt.Arena, op *operator.Operator, args []*Tree, result smt.Sort, variant int) (*Tree, error) {
	if len(args) != len(op.Args) {
		return nil, fmt.Errorf("operator %s (%s) takes %d arguments, got %d", op.Name, op.Signature(), len(op.Args), len(args))
	}
	t := &Tree{args: args}
	for i, x := range args {
		if !op.Args[i].Match(a, x.Sort, &t.bindings) {
			return nil, fmt.Errorf("argument %d of operator %s (%s) has sort %s", i+1, op.Name, op.Signature(), a.SortString(x.Sort))
		}
	}
	if result != 0 && !op.Result.Match(a, result, &t.bindings) {
		return nil, fmt.Errorf("operator %s (%s) does not give the sort %s", op.Name, op.Signature(), a.SortString(result))
	}
	if op.Datatype() != nil && t.bindings.Constructor == 0 {
		return nil, fmt.Errorf("which datatype operator %s (%s) makes does not follow from its arguments: give the result", op.Name, op.Signature())
	}
	var err error
	switch t.rule, err = op.Rule(env, &t.bindings, variant%operator.MaxVariants); {
	case err == template.ErrNone:
		return nil, fmt.Errorf("the sorts of operator %s (%s) do not follow from its arguments, or are too wide: give the result", op.Name, op.Signature())
	case err != nil:
		return nil, err
	}
	if t.Sort = op.Result.Build(a, &t.bindings); t.Sort == 0 {
		return nil, fmt.Errorf("the result of operator %s (%s) does not follow from its arguments: give the result", op.Name, op.Signature())
	}
	return t, nil
}

// Compose makes the function of a tree. Constants of the tree that are no inputs are declared anew, under names of the
// environment, and so are the functions of its operators.
func Compose(e *Env, inputs []smt.Term, root *Tree) (*Function, error) {
	g := &generator{e: e, f: new(memory).newFunction(e.Arena, inputs)}
	g.m.Arena = e.Arena
	c := &composer{g: g, number: map[smt.Term]int{}, consts: map[smt.Symbol]smt.Term{}}
	for i, x := range inputs {
		c.number[x] = i
	}
	node, err := c.composeNode(root)
	if err != nil {
		return nil, err
	}
	f, a := g.f, e.Arena
	f.Tree, f.F = node, node.Term
	f.Z = a.Const(a.Declare(e.Name("z"), nil, a.Sort(f.F)))
	f.Inverse = make([]smt.Term, len(inputs))
	if err := g.invertTree(); err != nil {
		return nil, err
	}
	for i, t := range f.Inverse {
		if t == 0 {
			return nil, fmt.Errorf("the input %s does not occur in the function", a.Brief(inputs[i]))
		}
	}
	f.Consts, f.Fresh, f.Side = f.mem.consts, f.mem.fresh, f.mem.side
	f.Needs |= logic.OfSort(a, a.Sort(f.F)) | logic.OfTerms(a, append(f.Inverse[:len(f.Inverse):len(f.Inverse)], f.F))
	return f, nil
}

// composer builds the nodes of a tree.
type composer struct {
	g      *generator
	number map[smt.Term]int // of the inputs
	consts map[smt.Symbol]smt.Term
}

func (c *composer) composeNode(t *Tree) (*Node, error) {
	n := &Node{Input: -1, Rule: t.rule, b: &t.bindings}
	if t.rule == nil {
		return n, c.composeLeaf(n, t.term)
	}
	for i, x := range t.args {
		y, err := c.composeNode(x)
		if err != nil {
			return nil, err
		}
		if y.inputs && t.rule.Inverse[i] == nil {
			return nil, fmt.Errorf("operator %s has no inverse for argument %d: no input may lie below it", t.rule.Op.Name, i+1)
		}
		n.Args, n.inputs = append(n.Args, y), n.inputs || y.inputs
	}
	return n, c.g.buildTerms(n)
}

// composeLeaf makes the term of a leaf: an input, a constant that is declared anew, or a term without symbols.
func (c *composer) composeLeaf(n *Node, t smt.Term) error {
	a := c.g.e.Arena
	n.Term = t
	if i, ok := c.number[t]; ok {
		n.Input, n.inputs = i, true
		return nil
	}
	symbols := a.Symbols(t)
	if len(symbols) == 0 {
		return nil
	}
	if a.Op(t) != smt.OpApply || a.NumArgs(t) > 0 || a.SymbolInfo(symbols[0]).Kind != smt.SymDeclared {
		return fmt.Errorf("%s is neither an input nor a constant nor a term without symbols", a.Brief(t))
	}
	fresh, ok := c.consts[symbols[0]]
	if !ok {
		s := a.Declare(c.g.e.Name("c"), nil, a.Sort(t))
		fresh = a.Const(s)
		c.consts[symbols[0]] = fresh
		c.g.f.mem.consts = append(c.g.f.mem.consts, s)
	}
	n.Term = fresh
	return nil
}
