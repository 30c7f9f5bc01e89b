package template

import (
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// Shape is the common part of templates made for different numbers, as a pattern to look for in terms: literals and
// indices that differ between them are left open.
type Shape struct {
	nodes []shapeNode
	root  int32
	slots int // numbers of indices and literals
}

// shapeNode is a node of a template with the known facts about its numbers.
type shapeNode struct {
	*tnode
	at    int32 // the node of the templates
	args  []int32
	slot  int32       // number of the first slot: of an index, or of the literal
	fixed []int64     // values of the slots that all templates have in common; -1 where they differ
	same  bool        // the literal is that of all
	list  int         // position of the first list among the arguments; -1 if there is none
	lists int         // how many lists are among them
	sort  smt.Pattern // of a qualified operator
}

// NewShape returns the shape of templates that were made by one function for different numbers; nil if they are too
// different.
func NewShape(samples []*Template) *Shape {
	first := samples[0]
	for _, other := range samples[1:] {
		if !first.alike(other) {
			return nil
		}
	}
	s := &Shape{}
	s.root = s.expand(samples, first.root)
	return s
}

// expand adds a node with the terms below it. A term that occurs twice gets two nodes, because it is matched at two
// positions.
func (s *Shape) expand(samples []*Template, at int32) int32 {
	first := samples[0]
	n := &first.nodes[at]
	x := shapeNode{tnode: n, at: at, list: -1, same: n.kind == tLit, sort: n.sort}
	for i, arg := range n.args {
		x.args = append(x.args, s.expand(samples, arg))
		if first.nodes[arg].kind == tList {
			if x.lists == 0 {
				x.list = i
			}
			x.lists++
		}
	}
	for _, u := range n.idx {
		x.fixed = append(x.fixed, int64(u))
	}
	for _, other := range samples[1:] {
		m := &other.nodes[at]
		for i, u := range m.idx {
			if x.fixed[i] != int64(u) {
				x.fixed[i] = -1
			}
		}
		x.same = x.same && n.sameLiteral(m)
	}
	x.slot = int32(s.slots)
	s.slots += len(n.idx)
	if n.kind == tLit {
		s.slots++
	}
	s.nodes = append(s.nodes, x)
	return int32(len(s.nodes) - 1)
}

// alike reports whether two templates differ only in their numbers.
func (t *Template) alike(other *Template) bool {
	return t.root == other.root && slices.EqualFunc(t.nodes, other.nodes, func(n, m tnode) bool { return n.alike(&m) })
}

// alike reports whether two nodes differ in their numbers alone.
func (n *tnode) alike(m *tnode) bool {
	return n.kind == m.kind && n.op == m.op && n.n == m.n && len(n.idx) == len(m.idx) && slices.Equal(n.args, m.args)
}

// sameLiteral reports whether two literals of one kind have the same value.
func (n *tnode) sameLiteral(m *tnode) bool {
	switch n.op {
	case smt.OpIntLit, smt.OpBVLit, smt.OpFFLit:
		return n.num.Cmp(m.num) == 0
	case smt.OpRealLit:
		return n.rat.Cmp(m.rat) == 0
	}
	return slices.Equal(n.str, m.str)
}

// Head returns the operator of the terms that have the shape: OpApply for functions, constructors and selectors. It is
// false for shapes that any term may have.
func (s *Shape) Head() (smt.Op, bool) { return s.nodes[s.root].head() }

func (n *tnode) head() (smt.Op, bool) {
	switch n.kind {
	case tApp, tAs, tLit:
		return n.op, true
	case tCtor, tField:
		return smt.OpApply, true
	case tIs:
		return smt.OpIs, true
	case tBind:
		return n.op, true
	}
	return 0, false
}

// Arity returns how many arguments the head has at least, and whether it may have more.
func (s *Shape) Arity() (least int, more bool) {
	n := &s.nodes[s.root]
	return len(n.args) - n.lists, n.lists > 0 || n.kind == tBind // the variables are arguments, too
}

// Child describes an argument of the head.
type Child struct {
	Parameter int    // its number; -1 if it is none
	Op        smt.Op // the head of others; 0 if it is open
	Literal   bool
	Value     int64 // of a small literal that is the same for all numbers; -1 for others
	Below     []int // of an operator with one argument: the parameter that it is applied to
}

// Children returns the arguments of the head that are no lists.
func (s *Shape) Children() (out []Child) {
	for _, k := range s.nodes[s.root].args {
		n := &s.nodes[k]
		c := Child{Parameter: -1, Value: -1}
		switch n.kind {
		case tList:
			continue
		case tArg, tBody:
			c.Parameter = int(n.n)
		default:
			c.Op, _ = n.head()
		}
		if n.kind == tLit {
			c.Literal = true
			if n.same && n.num != nil {
				c.Value = n.n64
			}
		}
		if len(n.args) == 1 && s.nodes[n.args[0]].kind == tArg {
			c.Below = []int{int(s.nodes[n.args[0]].n)}
		}
		out = append(out, c)
	}
	return out
}

// maxVariants bounds the shapes that Variants makes of one.
const maxVariants = 8

// Variants returns the shape, and its variants with the two arguments of commutative operators swapped.
func (s *Shape) Variants() []*Shape {
	out := []*Shape{s}
	for k := range s.nodes {
		n := &s.nodes[k]
		if n.kind != tApp || !n.op.Info().Commutative || len(n.args) != 2 || n.lists > 0 {
			continue
		}
		if x, y := &s.nodes[n.args[0]], &s.nodes[n.args[1]]; x.kind == tArg && y.kind == tArg && x.n == y.n {
			continue
		}
		for _, v := range slices.Clone(out) {
			if len(out) == maxVariants {
				break
			}
			w := &Shape{nodes: slices.Clone(v.nodes), root: v.root, slots: v.slots}
			w.nodes[k].args = []int32{n.args[1], n.args[0]}
			out = append(out, w)
		}
	}
	return out
}

// Slots returns the numbers of a template that has the shape, in the order in which a Matcher finds them.
func (s *Shape) Slots(t *Template) (slots []Slot) {
	for k := range s.nodes {
		n := &t.nodes[s.nodes[k].at]
		for _, u := range n.idx {
			slots = append(slots, Slot{Value: u, Known: true})
		}
		if n.kind == tLit {
			x := Slot{Width: n.w}
			if n.num != nil && n.num.IsUint64() {
				x.Value, x.Known = n.num.Uint64(), true
			}
			slots = append(slots, x)
		}
	}
	return slots
}

// Slot is a number of a template or of a term that has its shape.
type Slot struct {
	Term  smt.Term // the literal where one was found; 0 for an index
	Width int      // of a literal that is a bit vector; 0 for others
	Value uint64   // the index, or the value of a literal that is an integer
	Known bool     // there is a value
}

// Matcher looks for shapes in the terms of an arena.
type Matcher struct {
	Arena       *smt.Arena
	Args        []smt.Term   // the term bound to each parameter; 0 while unbound
	Lists       [][]smt.Term // the terms bound to each list parameter
	Vars        [][]smt.Term // by parameter: the variables that it stands for
	Slots       []Slot
	Constructor smt.Symbol // of the datatype that the shape speaks of; 0 if there is none
	Data        smt.Sort
	Bindings    smt.Bindings // bindings of capital letters by the sorts of qualified operators

	shape  *Shape
	accept func() bool
	trail  []int32 // parameters that were bound, of lists their complement, of variables with boundVariables added
	scope  []int32 // parameters of the quantifiers around
	listed uint32  // lists that are bound below the head
	build  Builder
	joined []smt.Term
	free   smt.FreeVarSets
}

// boundVariables marks parameters on the trail that stand for variables.
const boundVariables = 1 << 16

// The maximum number of arguments of an operator when one argument is searched between lists, when several are, and
// when two are searched at any positions.
const (
	maxMatched = 4096
	maxPaired  = 128
	maxMoved   = 16
)

// Match tries the ways in which a term matches the shape until accept returns true for one. The results of a match are
// valid only while accept runs.
func (m *Matcher) Match(s *Shape, t smt.Term, parameters int, accept func() bool) bool {
	m.prepare(s, parameters, accept)
	n := &s.nodes[s.root]
	if n.lists < 2 {
		return m.node(s.root, t) && accept()
	}
	most := maxMatched
	if len(n.args)-n.lists > 1 {
		most = maxPaired
	}
	if n.kind != tApp || m.Arena.Op(t) != n.op || !m.indices(n, t) || m.Arena.NumArgs(t) > most {
		return false
	}
	return m.sequence(n, 0, m.Arena.Args(t), 0)
}

// MatchPair is Match for a shape of an associative and commutative operator with two arguments: it looks for these two
// among all arguments of the term, and passes the others to accept, with 0 at the position of the first of the two.
func (m *Matcher) MatchPair(s *Shape, t smt.Term, parameters int, accept func(rest []smt.Term) bool) bool {
	args := m.Arena.Args(t)
	n := &s.nodes[s.root]
	if len(args) > maxMoved {
		return false
	}
	for i, x := range args {
		if head, ok := s.nodes[n.args[0]].head(); ok && m.Arena.Op(x) != head {
			continue
		}
		for j, y := range args {
			if head, ok := s.nodes[n.args[1]].head(); i == j || ok && m.Arena.Op(y) != head {
				continue
			}
			m.prepare(s, parameters, nil)
			if !m.node(n.args[0], x) || !m.node(n.args[1], y) {
				continue
			}
			m.joined = m.joined[:0]
			for k, z := range args {
				switch {
				case k == min(i, j):
					m.joined = append(m.joined, 0)
				case k != max(i, j):
					m.joined = append(m.joined, z)
				}
			}
			if accept(m.joined) {
				return true
			}
		}
	}
	return false
}

func (m *Matcher) prepare(s *Shape, parameters int, accept func() bool) {
	m.shape, m.accept, m.Constructor, m.Data, m.listed = s, accept, 0, 0, 0
	if cap(m.Args) < parameters {
		m.Args, m.Lists, m.Vars = make([]smt.Term, parameters, 8), make([][]smt.Term, parameters, 8), make([][]smt.Term, parameters, 8)
	}
	m.Args, m.Lists, m.Vars = m.Args[:parameters], m.Lists[:parameters], m.Vars[:parameters]
	clear(m.Args)
	clear(m.Lists)
	clear(m.Vars)
	m.scope = m.scope[:0]
	if cap(m.Slots) < s.slots {
		m.Slots = make([]Slot, s.slots, s.slots+8)
	}
	m.Slots = m.Slots[:s.slots]
	m.trail = m.trail[:0]
	m.Bindings.Reset(0)
}

// sequence matches the arguments of a node from number i on with the remaining arguments of a term.
func (m *Matcher) sequence(n *shapeNode, i int, args []smt.Term, from int) bool {
	if i == len(n.args) {
		return from == len(args) && m.accept()
	}
	k := n.args[i]
	if x := &m.shape.nodes[k]; x.kind == tList {
		last := from
		if i == len(n.args)-1 {
			last = len(args) // nothing may be left
			from = min(from, last)
			m.Lists[x.n] = args[from:last:last]
			return m.sequence(n, i+1, args, last)
		}
		for to := from; to <= len(args); to++ {
			m.Lists[x.n] = args[from:to:to]
			if m.sequence(n, i+1, args, to) {
				return true
			}
		}
		return false
	}
	if from == len(args) {
		return false
	}
	mark := len(m.trail)
	if m.node(k, args[from]) && m.sequence(n, i+1, args, from+1) {
		return true
	}
	for _, p := range m.trail[mark:] {
		switch {
		case p >= boundVariables:
			m.Vars[p-boundVariables] = nil
		case p >= 0:
			m.Args[p] = 0
		default:
			m.listed &^= 1 << ^p
		}
	}
	m.trail = m.trail[:mark]
	return false
}

// node matches a node with a term.
func (m *Matcher) node(k int32, t smt.Term) bool {
	n := &m.shape.nodes[k]
	a := m.Arena
	switch n.kind {
	case tBind:
		return m.quantified(n, t)
	case tVar:
		return len(m.Vars[n.n]) == 1 && m.Vars[n.n][0] == t
	case tArg, tBody:
		if len(n.args) > 0 || len(m.scope) > 0 && !m.mayHave(t, n.may) { // what has been replaced cannot be found
			return false
		}
		if m.Args[n.n] == 0 {
			m.Args[n.n] = t
			m.trail = append(m.trail, n.n)
			return true
		}
		return m.Args[n.n] == t
	case tLit:
		return m.literal(n, t)
	case tApp:
		return a.Op(t) == n.op && m.indices(n, t) && m.arguments(n, t)
	case tAs:
		return a.Op(t) == n.op && n.sort.Match(a, a.Sort(t), &m.Bindings) && m.indices(n, t) && m.arguments(n, t)
	case tCtor, tField, tIs:
		return m.data(n, t) && m.arguments(n, t)
	}
	return false
}

// arguments matches the arguments of a node with those of a term; at most one of them is a list.
func (m *Matcher) arguments(n *shapeNode, t smt.Term) bool {
	args := m.Arena.Args(t)
	if n.lists == 0 {
		if len(args) != len(n.args) {
			return false
		}
		for i, k := range n.args {
			if !m.node(k, args[i]) {
				return false
			}
		}
		return true
	}
	// The list gets the arguments that the others leave over.
	more := len(args) - (len(n.args) - 1)
	if n.lists > 1 || more < 0 {
		return false
	}
	for i, k := range n.args {
		switch {
		case i < n.list:
			if !m.node(k, args[i]) {
				return false
			}
		case i == n.list:
			to, list := i+more, m.shape.nodes[k].n
			if m.listed&(1<<list) != 0 && !slices.Equal(m.Lists[list], args[i:to]) {
				return false
			}
			// Below a binder of the shape, a term of the list must not contain its variables: outside, they would be
			// different variables.
			if len(m.scope) > 0 && slices.ContainsFunc(args[i:to], func(x smt.Term) bool { return !m.mayHave(x, 0) }) {
				return false
			}
			m.Lists[list] = args[i:to:to]
			m.listed |= 1 << list
			m.trail = append(m.trail, ^list)
		default:
			if !m.node(k, args[i+more-1]) {
				return false
			}
		}
	}
	return true
}

// indices records the indices of a term and compares those that all templates share.
func (m *Matcher) indices(n *shapeNode, t smt.Term) bool {
	if len(n.idx) == 0 {
		return true
	}
	idx := m.Arena.Indices(t)
	if len(idx) != len(n.idx) {
		return false
	}
	for i, x := range idx {
		u, ok := m.Arena.IndexUint(x)
		if !ok || n.fixed[i] >= 0 && uint64(n.fixed[i]) != u {
			return false
		}
		m.Slots[int(n.slot)+i] = Slot{Value: u, Known: true}
	}
	return true
}

func (m *Matcher) literal(n *shapeNode, t smt.Term) bool {
	a := m.Arena
	if a.Op(t) != n.op {
		return false
	}
	slot := Slot{Term: t, Width: a.Width(a.Sort(t))}
	switch n.op {
	case smt.OpIntLit, smt.OpBVLit, smt.OpFFLit:
		index := a.Indices(t)[0]
		if slot.Value, slot.Known = a.IndexUint(index); n.same && n.n64 >= 0 {
			if !slot.Known || slot.Value != uint64(n.n64) {
				return false
			}
		} else if v, _ := a.IndexNum(index); n.same && v.Cmp(n.num) != 0 {
			return false
		}
	case smt.OpRealLit:
		if v, _ := a.RatOf(t); n.same && v.Cmp(n.rat) != 0 {
			return false
		}
	case smt.OpStringLit:
		if v, _ := a.StrOf(t); n.same && !slices.Equal(v, n.str) {
			return false
		}
	}
	m.Slots[n.slot] = slot
	return true
}

// data matches a constructor, a selector or a tester: all of them in a shape belong to one constructor.
func (m *Matcher) data(n *shapeNode, t smt.Term) bool {
	a := m.Arena
	f := a.SymbolOf(t)
	if f == 0 {
		return false
	}
	info := a.SymbolInfo(f)
	constructor, sort := f, smt.Sort(0)
	switch n.kind {
	case tCtor:
		if a.Op(t) != smt.OpApply || info.Kind != smt.SymConstructor {
			return false
		}
		sort = a.Sort(t)
	case tField:
		if a.Op(t) != smt.OpApply || info.Kind != smt.SymSelector || info.Field != int(n.n) {
			return false
		}
		constructor, sort = a.Datatype(info.Datatype).Constructors[info.Ctor].Symbol, a.Sort(a.Arg(t, 0))
	case tIs:
		if a.Op(t) != smt.OpIs {
			return false
		}
		sort = a.Sort(a.Arg(t, 0))
	}
	if m.Constructor != 0 {
		return m.Constructor == constructor && m.Data == sort
	}
	m.Constructor, m.Data = constructor, sort
	return true
}

// Has reports whether a template of the shape has the numbers that were found.
func (m *Matcher) Has(t *Template) bool {
	s := m.shape
	if len(s.nodes) == 0 || int(s.nodes[s.root].at) != int(t.root) {
		return false
	}
	m.build.Arena = m.Arena
	for k := range s.nodes {
		x := &s.nodes[k]
		if int(x.at) >= len(t.nodes) {
			return false
		}
		n, slot := &t.nodes[x.at], int(x.slot)
		if !x.alike(n) {
			return false
		}
		for i, u := range n.idx {
			if m.Slots[slot+i].Value != u {
				return false
			}
		}
		if n.kind != tLit {
			continue
		}
		found := m.Slots[slot].Term
		if n.op == smt.OpFFLit && m.Arena.Modulus(m.Arena.Sort(found)).Cmp(n.mod) != 0 || n.op == smt.OpBVLit && m.Arena.Width(m.Arena.Sort(found)) != n.w || !x.same && found != m.build.literal(n) {
			return false
		}
	}
	return true
}
