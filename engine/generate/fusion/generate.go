package fusion

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/smtlark/smtlark/engine/generate/fusion/operator"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/literal"
	"github.com/smtlark/smtlark/engine/language/logic"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/template"
)

// Table is a set of operators, prepared for choosing among them.
type Table struct {
	ops     []*operator.Operator
	arities []int // of operators with an inverse, ascending
	unary   int   // 1 if the first of them is 1
	// arg lists operators by arity, by position of an argument, and by the kind of its sort: the operators that accept
	// an input of that kind there. Kind 0 has the operators that accept any sort.
	arg    [7][6][smt.KindParam + 1][]*operator.Operator
	result [smt.KindParam + 1][]*operator.Operator
	// data is arg of kind 0 for operators that make datatypes of any sorts: only where there are datatypes.
	data [7][6][]*operator.Operator
	// steps has the least number of operators between an input of one kind and a result of another.
	steps distances
}

// NewTable returns a table of operators, with a rule of each operator compiled. The makers of the operators get env.
func NewTable(env any, ops []*operator.Operator) (*Table, error) {
	t := &Table{ops: ops}
	for _, o := range ops {
		if err := o.Prepare(env); err != nil {
			return nil, err
		}
		if !slices.Contains(t.arities, len(o.Args)) && o.HasInverses() {
			t.arities = append(t.arities, len(o.Args))
		}
		for range min(o.Weight, 16) {
			for i := range o.Args {
				if o.HasInverse(i) {
					k := o.Args[i].Kind()
					if k == smt.KindInvalid && o.Datatype() != nil {
						t.data[len(o.Args)][i] = append(t.data[len(o.Args)][i], o)
						continue
					}
					t.arg[len(o.Args)][i][k] = append(t.arg[len(o.Args)][i][k], o)
				}
			}
			t.result[o.Result.Kind()] = append(t.result[o.Result.Kind()], o)
		}
	}
	if len(t.arities) == 0 {
		return nil, errors.New("a table without operators that have inverses generates nothing")
	}
	slices.Sort(t.arities)
	if t.arities[0] == 1 {
		t.unary = 1
	}
	t.steps = distancesOf(ops)
	return t, nil
}

// Operators returns the operators, not to be modified.
func (t *Table) Operators() []*operator.Operator { return t.ops }

// Env is the environment of a generation.
type Env struct {
	Arena *smt.Arena
	Rng   *rng.Source
	// Make is passed on to the makers of operators.
	Make any
	// Name returns an unused name that is derived from the given one.
	Name func(base string) string
	// Allowed limits the logic features that the function may need; 0 allows all.
	Allowed logic.Features
	// Literal is the probability that a constant is a literal and not a symbol.
	Literal float64
	// MaxConstants bounds the symbols used as constants; beyond it only sorts that have neither a literal nor a symbol
	// yet get one. 0 is no bound.
	MaxConstants int
	// Result is the sort that the function has; 0 allows any.
	Result smt.Sort

	looked    bool // for datatypes
	datatypes []smt.Sort
}

// ErrNoFunction says that the table has no operators that join the inputs.
var ErrNoFunction = errors.New("no operator of the table joins these sorts")

// generator is one generation. Generators are kept for their memory.
type generator struct {
	t       *Table
	e       *Env
	m       template.Builder
	f       *Function
	scratch smt.Bindings // of the operator that is tried
	shape   []int
	open    []int
	places  []int
	stack   []*Node
	todo    []inversion
	buf     []smt.Term
	params  []smt.Sort
}

// inversion is a node with the term that equals it.
type inversion struct {
	n *Node
	z smt.Term
}

var generators = sync.Pool{New: func() any { return new(generator) }}

// noBindings are those of operators without letters.
var noBindings smt.Bindings

// Generate makes a function of the inputs, which are different terms without bound variables.
func (t *Table) Generate(e *Env, inputs []smt.Term, size Size) (*Function, error) {
	const tries = 30
	g := generators.Get().(*generator)
	g.t, g.e, g.m.Arena = t, e, e.Arena
	defer func() {
		g.t, g.e, g.f, g.m.Arena = nil, nil, nil, nil
		clear(g.stack[:cap(g.stack)])
		clear(g.todo[:cap(g.todo)])
		generators.Put(g)
	}()
	mem := memories.Get().(*memory)
	for range tries {
		g.f = mem.newFunction(e.Arena, inputs)
		err := g.generateFunction(inputs, size)
		if err == nil {
			g.f.Consts, g.f.Fresh, g.f.Side = slices.Clip(mem.consts), slices.Clip(mem.fresh), slices.Clip(mem.side)
			return g.f, nil
		}
		if err != ErrNoFunction && !errors.Is(err, ErrNoFunction) {
			return nil, err
		}
	}
	return nil, ErrNoFunction
}

func (g *generator) generateFunction(inputs []smt.Term, size Size) error {
	g.shape = arityTree(g.shape[:0], g.e.Rng, size, len(inputs), g.t)
	leaves := 0
	for _, k := range g.shape {
		if k == 0 {
			leaves++
		}
	}
	g.drawPlaces(leaves, len(inputs))
	root, err := g.chooseOperators(g.shape, g.places)
	if err != nil {
		return err
	}
	f := g.f
	f.Tree, f.F = root, root.Term
	a := g.e.Arena
	f.Z = a.Const(a.Declare(g.e.Name("z"), nil, a.Sort(f.F)))
	f.mem.inverse = slices.Grow(f.mem.inverse, len(inputs))[:len(inputs)]
	f.Inverse = f.mem.inverse
	clear(f.Inverse)
	if err := g.invertTree(); err != nil {
		return err
	}
	f.Needs |= logic.OfSort(a, a.Sort(f.F))
	if g.e.Allowed != 0 {
		if f.Needs |= logic.OfTerms(a, append(f.Inverse[:len(f.Inverse):len(f.Inverse)], f.F)); f.Needs&^g.e.Allowed != 0 {
			return ErrNoFunction
		}
	}
	return nil
}

// drawPlaces draws for each leaf the number of its input, or -1 for a constant: shuffled.
func (g *generator) drawPlaces(leaves, inputs int) {
	out := g.places[:0]
	for i := range leaves {
		if i >= inputs {
			i = -1
		}
		out = append(out, i)
	}
	g.e.Rng.Shuffle(leaves, func(i, j int) { out[i], out[j] = out[j], out[i] })
	g.places = out
}

// arityTree draws a tree of about the given number of nodes (two less than the equation's) with at least so many
// leaves, as the arities of its nodes in preorder, appended to out; they are among those of the table. How many nodes
// have one argument differs from tree to tree; given the arities, all orders that are a tree are equally likely
// (Dvoretzky and Motzkin's cycle lemma).
func arityTree(out []int, r *rng.Source, size Size, inputs int, t *Table) []int {
	leaves := max(size.Leaves, inputs, 1)
	many := t.arities[t.unary:]
	unary := t.unary > 0
	if len(many) == 0 { // chains alone
		for range max(size.Nodes-2, 2) - 1 {
			out = append(out, 1)
		}
		return append(out, 0)
	}
	n := max(size.Nodes-2, leaves+1)
	share := 0.0
	if unary {
		share = 0.7 * r.Float()
	}
	have := 1
	for edges := n - 1; edges > 0 || have < leaves; {
		k := 1
		if !unary || have < leaves && edges <= leaves-have+1 || !r.Chance(share) {
			if k = many[r.Intn(len(many))]; k > 2 && r.Bool() {
				k = many[r.Intn(len(many))]
			}
			if k > edges && edges > 0 && unary && have >= leaves {
				k = 1
			}
		}
		out = append(out, k)
		edges -= k
		have += k - 1
	}
	for range have {
		out = append(out, 0)
	}
	n = len(out)
	r.Shuffle(n, func(i, j int) { out[i], out[j] = out[j], out[i] })
	// Rotate to where the sum of (arity - 1) first reaches its least value.
	least, at, sum := 0, 0, 0
	for i, k := range out {
		if sum += k - 1; sum < least {
			least, at = sum, i+1
		}
	}
	// In place: reversing both pieces and then the whole rotates.
	slices.Reverse(out[:at%n])
	slices.Reverse(out[at%n:])
	slices.Reverse(out)
	return out
}

// chooseOperators chooses the operators of the tree from the leaves up: the sorts of subtrees with inputs are known
// when an operator is chosen, and constants take the sort that their place requires.
func (g *generator) chooseOperators(shape, places []int) (*Node, error) {
	nodes, children := g.f.mem.newNodes(len(shape))
	stack := g.stack[:0]
	leaf := len(places)
	g.measureDepths(shape, nodes)
	for i := len(shape) - 1; i >= 0; i-- {
		k := shape[i]
		n := &nodes[i]
		n.Input, n.shape = -1, int32(k)
		if k == 0 {
			leaf--
			n.free = true
			if p := places[leaf]; p >= 0 {
				n.Input, n.Term, n.free, n.inputs = p, g.f.Inputs[p], false, true
			}
			stack = append(stack, n)
			continue
		}
		n.Args, children = children[:k:k], children[k:]
		for j := range k { // preorder backwards: the first argument is on top
			n.Args[j] = stack[len(stack)-1-j]
			n.inputs = n.inputs || n.Args[j].inputs
		}
		stack = append(stack[:len(stack)-k], n)
		n.free = !n.inputs
		if !n.free {
			if err := g.chooseOperator(n, 3); err != nil {
				return nil, err
			}
		}
	}
	g.stack = stack
	return stack[0], nil
}

// measureDepths tells each node of a tree in preorder how many lie above it.
func (g *generator) measureDepths(shape []int, nodes []Node) {
	open := g.open[:0] // of the nodes whose arguments follow: how many are still to come
	for i, k := range shape {
		nodes[i].depth = int32(len(open))
		for len(open) > 0 && k == 0 { // a leaf may be the last argument of several nodes
			if open[len(open)-1]--; open[len(open)-1] > 0 {
				break
			}
			open = open[:len(open)-1]
		}
		if k > 0 {
			open = append(open, k)
		}
	}
	g.open = open
}

// leadsToResult reports whether a node may have a sort: the operators above the node must be able to turn the sort into
// the sort of the function.
func (g *generator) leadsToResult(n *Node, s smt.Sort) bool {
	want := g.e.Result
	if want == 0 || s == want {
		return true
	}
	a := g.e.Arena
	// Operators with inverses lose no information, so a widened value or one in a larger format never becomes narrow
	// again.
	from, to := a.SortKind(s), a.SortKind(want)
	return n.depth > 0 && from != to && int(from) < len(g.t.steps) && int(to) < len(g.t.steps) && int32(g.t.steps[from][to]) <= n.depth
}

// chooseOperator draws an operator for a node whose arguments with inputs are settled. If none fits, their order is
// changed up to so many times.
func (g *generator) chooseOperator(n *Node, places int) error {
	k := len(n.Args)
	at := slices.IndexFunc(n.Args, func(x *Node) bool { return x.inputs })
	a := g.e.Arena
	kind := a.SortKind(a.Sort(n.Args[at].Term))
	if int(kind) >= len(g.t.result) || k >= len(g.t.arg) {
		return ErrNoFunction
	}
	exact, any := g.t.arg[k][at][kind], g.t.arg[k][at][smt.KindInvalid]
	data := g.t.data[k][at]
	if len(data) > 0 && len(g.e.constructorSorts()) == 0 {
		data = nil
	}
	total := len(exact) + len(any) + len(data)
	for try := 0; total > 0 && try < 24; try++ {
		var o *operator.Operator
		// Operators of the theory come first, as long as they fit.
		if i := g.e.Rng.Intn(len(exact) + (len(any)+3)/4 + 1 + len(data)); i < len(exact) && try < 16 {
			o = exact[i]
		} else if i < len(exact)+len(data) && i >= len(exact) {
			o = data[i-len(exact)]
		} else if len(any) > 0 {
			o = any[g.e.Rng.Intn(len(any))]
		} else {
			continue
		}
		ok, err := g.fitOperator(n, o)
		if err != nil {
			return err
		}
		if ok {
			return nil
		}
	}
	if k > 1 && places > 0 { // try the arguments in another order
		g.e.Rng.Shuffle(k, func(i, j int) { n.Args[i], n.Args[j] = n.Args[j], n.Args[i] })
		return g.chooseOperator(n, places-1)
	}
	return ErrNoFunction
}

// fitOperator makes the operator that of the node, if the sorts allow it.
func (g *generator) fitOperator(n *Node, o *operator.Operator) (bool, error) {
	a := g.e.Arena
	if g.e.Allowed != 0 && o.Needs()&^g.e.Allowed != 0 {
		return false, nil
	}
	b := g.emptyBindings(o)
	for j, x := range n.Args {
		if x.inputs && (!o.HasInverse(j) || !o.Args[j].Match(a, a.Sort(x.Term), b)) {
			return false, nil
		}
	}
	if !g.settleData(o, b) {
		return false, nil
	}
	g.bindRemaining(o, b)
	// This comes before the rule is made, which is expensive for new widths; if an index decides the sort, it comes
	// after.
	result := o.Result.Build(a, b)
	if result != 0 && !g.leadsToResult(n, result) {
		return false, nil
	}
	r, err := o.Rule(g.e.Make, b, g.e.Rng.Intn(operator.MaxVariants))
	if err == template.ErrNone {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if result == 0 && !g.leadsToResult(n, o.Result.Build(a, b)) {
		return false, nil
	}
	// The operator's Needs come from its first rule alone; the rule for these numbers may need more.
	if g.e.Allowed != 0 && r.Needs&^g.e.Allowed != 0 {
		return false, nil
	}
	g.keepBindings(n, o, b)
	var sorts [6]smt.Sort
	for j := range o.Args {
		if sorts[j] = o.Args[j].Build(a, b); sorts[j] == 0 {
			return false, nil
		}
	}
	n.Rule = r
	for j, x := range n.Args {
		// Constants come last: their sorts may depend on letters that the arguments with inputs have bound.
		if x.free {
			if err := g.settleConstant(x, sorts[j]); err != nil {
				return false, err
			}
		}
	}
	return true, g.buildTerms(n)
}

// emptyBindings returns empty bindings for the letters of an operator, good until the next call.
func (g *generator) emptyBindings(o *operator.Operator) *smt.Bindings {
	if !o.HasVariables() && len(o.Index) == 0 {
		return &noBindings
	}
	choice := 0
	if o.Datatype() != nil {
		choice = g.e.Rng.Intn(64)
	}
	g.scratch.Reset(choice)
	return &g.scratch
}

// keepBindings gives a node bindings of its own.
func (g *generator) keepBindings(n *Node, o *operator.Operator, b *smt.Bindings) {
	if n.b = &noBindings; o.HasSortVariables() {
		m := g.f.mem
		m.bindings = append(m.bindings, *b) // where this grows, those before stay where they are
		n.b = &m.bindings[len(m.bindings)-1]
	}
}

// bindRemaining binds the variables that no argument has settled.
func (g *generator) bindRemaining(o *operator.Operator, b *smt.Bindings) {
	if !o.HasVariables() {
		return
	}
	r := g.e.Rng
	num := func(v byte) {
		if _, bound := b.Number(v); !bound {
			for i := range o.Index {
				if o.Index[i].Letter == v {
					return
				}
			}
			widths := [...]int64{1, 2, 8, 8, 16, 32}
			b.BindNumber(v, widths[r.Intn(len(widths))])
			if v == 'e' || v == 's' { // of floating-point formats
				b.BindNumber(v, int64(3+r.Intn(3)))
			}
		}
	}
	sort := func(v byte) {
		if b.SortOf(v) == 0 {
			s := [...]smt.Sort{smt.SortInt, smt.SortInt, smt.SortBool, smt.SortReal}[r.Intn(4)]
			for letter := byte('A'); letter <= 'Z'; letter++ { // a sort that is there already needs nothing new of the logic
				if known := b.SortOf(letter); known != 0 && (g.e.Allowed != 0 || r.Bool()) {
					s = known
				}
			}
			b.BindSort(v, s)
		}
	}
	for i := range o.Args {
		o.Args[i].Variables(num, sort)
	}
	o.Result.Variables(num, sort)
}

// buildTerms makes the terms of a node whose arguments are there.
func (g *generator) buildTerms(n *Node) error {
	a := g.e.Arena
	r := n.Rule
	m := g.f.mem
	from := len(m.fresh)
	for i := range r.Fresh {
		x := &r.Fresh[i]
		g.params = g.params[:0]
		for j := range x.Params {
			g.params = append(g.params, x.Params[j].Build(a, n.b))
		}
		m.fresh = append(m.fresh, a.Declare(g.e.Name(x.Name), g.params, x.Result.Build(a, n.b)))
	}
	fresh := m.fresh[from:]
	g.buf = g.buf[:0]
	for _, x := range n.Args {
		g.buf = append(g.buf, x.Term)
	}
	var err error
	if n.Term, err = g.m.Build(r.Apply, g.buf, 0, fresh, n.b); err != nil {
		return fmt.Errorf("operator %s: %w", r.Op.Name, err)
	}
	n.fresh = fresh
	g.f.Needs |= r.Needs
	return nil
}

// settleConstant settles a subtree without inputs to a sort: its operators are chosen from the root down, where there
// are any; a sort that no operator makes turns the subtree into a leaf.
func (g *generator) settleConstant(n *Node, s smt.Sort) error {
	a := g.e.Arena
	if k := int(n.shape); k > 0 && int(a.SortKind(s)) < len(g.t.result) {
		ops := g.t.result[a.SortKind(s)]
		for try := 0; len(ops) > 0 && try < 6; try++ {
			o := ops[g.e.Rng.Intn(len(ops))]
			b := g.emptyBindings(o)
			if len(o.Args) != k || o.Assumed || len(o.Index) > 0 || !o.Result.Match(a, s, b) || g.e.Allowed != 0 && o.Needs()&^g.e.Allowed != 0 {
				continue
			}
			g.bindRemaining(o, b)
			r, err := o.Rule(g.e.Make, b, 0)
			if err == template.ErrNone {
				continue
			} else if err != nil {
				return err
			}
			n.Rule = r
			g.keepBindings(n, o, b)
			var want [6]smt.Sort // all of them first: constants below are bound in the same memory
			for j := range n.Args {
				if want[j] = o.Args[j].Build(a, b); want[j] == 0 {
					return ErrNoFunction
				}
			}
			for j, x := range n.Args {
				if err := g.settleConstant(x, want[j]); err != nil {
					return err
				}
			}
			n.free = false
			return g.buildTerms(n)
		}
	}
	n.Args, n.Rule, n.free = nil, nil, false
	n.Term = g.makeLeaf(s)
	return nil
}

// makeLeaf returns a literal or a symbolic constant of the sort.
func (g *generator) makeLeaf(s smt.Sort) smt.Term {
	a := g.e.Arena
	enough := g.e.MaxConstants > 0 && len(g.f.mem.consts) >= g.e.MaxConstants
	if g.e.Rng.Chance(g.e.Literal) || enough {
		if t := literal.Random(a, g.e.Rng, s); t != 0 {
			return t
		}
	}
	if enough { // a sort without literals
		for _, c := range g.f.mem.consts {
			if a.SymbolInfo(c).Result == s {
				return a.Const(c)
			}
		}
	}
	c := a.Declare(g.e.Name("c"), nil, s)
	g.f.mem.consts = append(g.f.mem.consts, c)
	g.f.Needs |= logic.OfSort(a, s)
	return a.Const(c)
}

// invertTree walks down from z = F with the term that each node equals, and collects the side conditions.
func (g *generator) invertTree() error {
	a := g.e.Arena
	stack := append(g.todo[:0], inversion{g.f.Tree, g.f.Z})
	var few [6]smt.Term
	args := few[:]
	for len(stack) > 0 {
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if x.n.Input >= 0 {
			g.f.Inverse[x.n.Input] = x.z
			continue
		}
		r := x.n.Rule
		if len(x.n.Args) > len(args) { // of functions that scripts make
			args = make([]smt.Term, len(x.n.Args))
		}
		for j, y := range x.n.Args {
			args[j] = y.Term
		}
		for j, y := range x.n.Args {
			if !y.inputs {
				continue
			}
			t, err := g.m.Build(r.Inverse[j], args[:len(x.n.Args)], x.z, x.n.fresh, x.n.b)
			if err != nil {
				return fmt.Errorf("operator %s: inverse %d: %w", r.Op.Name, j+1, err)
			}
			stack = append(stack, inversion{y, t})
			if r.Op.Assumed {
				back, err := g.m.Build(r.Inverse[j], args[:len(x.n.Args)], x.n.Term, x.n.fresh, x.n.b)
				if err != nil {
					return fmt.Errorf("operator %s: inverse %d: %w", r.Op.Name, j+1, err)
				}
				g.f.mem.side = append(g.f.mem.side, a.Eq(back, y.Term))
			}
		}
	}
	g.todo = stack
	return nil
}

// Namer returns an Env.Name that counts, and avoids the names for which taken is true.
func Namer(taken func(string) bool) func(base string) string {
	next := map[string]int{}
	return func(base string) string {
		for {
			n := next[base]
			next[base] = n + 1
			name := numberedName(base, "!", n)
			if taken == nil || !taken(name) {
				return name
			}
		}
	}
}
