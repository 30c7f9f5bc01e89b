package normal

import (
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// graph is terms as a graph in which terms that differ in the order or in the nesting of arguments are one node.
type graph struct {
	a        *smt.Arena
	nodes    []node
	links    []int32 // arguments of all nodes
	sorts    []sortNode
	entities []entity

	nodeOf    map[smt.Term]int32 // of terms without free variables
	byHash    map[Key]int32
	sortOf    map[smt.Sort]int32
	symbolOf  map[smt.Symbol]int32
	userSorts map[smt.SortSymbol]int32
	free      map[smt.Term][]smt.Term // free variables, of terms that have some
	named     bool                    // names of symbols and sorts count
	frames    int
	roots     []root
	unwritten bool   // there is something that no text can say: variables that nothing binds, or two nodes with one hash
	recorded  bool   // the contents of nodes, sorts and entities are stored as text, too, not only as hashes
	text      []byte // their contents
}

// node is a term, or the definition of a symbol.
type node struct {
	form   form
	flat   smt.Op // of an operator that is commutative and associative: itself
	own    Key    // hash of the rest, without arguments, sort and symbol
	says   part   // the same in the text of the graph
	sort   int32  // -1 where the sort follows from the rest
	entity int32  // its symbol; -1 if it has none
	from   int32  // its arguments are links[from:to]
	to     int32
	hash   Key
	sum    Key // of arguments, if it is flat
}

type form uint8

const (
	ordered   form = iota // the order of arguments counts
	unordered             // it does not
	flattened             // nor does how they are nested
)

// sortNode is a sort.
type sortNode struct {
	own    Key
	says   part
	entity int32 // of a declared sort or datatype; -1 for others
	args   []int32
	hash   Key
}

// entity is a function, a sort or a datatype that has a name.
type entity struct {
	own       Key // the known facts about it at first
	says      part
	signature []int32
	colour    Key
}

// root is a root term of the graph, with a tag that distinguishes it from others.
type root struct {
	node int32
	tag  uint64
}

func newGraph(a *smt.Arena, named bool) *graph {
	return &graph{a: a, named: named, nodeOf: map[smt.Term]int32{}, byHash: map[Key]int32{}, sortOf: map[smt.Sort]int32{},
		symbolOf: map[smt.Symbol]int32{}, userSorts: map[smt.SortSymbol]int32{}, free: map[smt.Term][]smt.Term{}}
}

// frame is a quantifier whose body is being visited.
type frame struct {
	outer  *frame
	vars   []smt.Term
	level  uint64
	nodeOf map[smt.Term]int32 // of terms whose innermost variable is one of its own
}

// terms makes the nodes of terms without free variables, and of all their subterms.
func (g *graph) terms(ts []smt.Term) {
	g.a.PostOrder(ts, func(x smt.Term) {
		if !g.isOpen(x) {
			g.node(x, nil)
		}
	})
}

// isOpen notes the free variables of a term whose arguments have been looked at, and reports whether it has some.
func (g *graph) isOpen(t smt.Term) bool {
	if len(g.free[t]) > 0 {
		return true
	}
	if g.a.Op(t) == smt.OpVar {
		g.free[t] = []smt.Term{t}
		return true
	}
	if len(g.free) == 0 {
		return false
	}
	bound := g.a.BoundVars(t)
	var out []smt.Term
	for _, x := range g.a.Args(t)[len(bound):] {
		out = smt.UnionVars(out, g.free[x], bound)
	}
	if len(out) > 0 {
		g.free[t] = out
	}
	return len(out) > 0
}

// binds returns the frame and the place of a variable.
func (f *frame) binds(v smt.Term) (*frame, int) {
	for ; f != nil; f = f.outer {
		for i := len(f.vars) - 1; i >= 0; i-- {
			if f.vars[i] == v {
				return f, i
			}
		}
	}
	return nil, 0
}

// innermost returns the innermost frame whose variables occur in a term, or nil if there is none.
func (f *frame) innermost(free []smt.Term) *frame {
	var in *frame
	for _, v := range free {
		if b, _ := f.binds(v); b != nil && (in == nil || b.level > in.level) {
			in = b
		}
	}
	return in
}

// node returns the node of a term in a frame.
func (g *graph) node(t smt.Term, f *frame) int32 {
	in := f.innermost(g.free[t])
	memo := g.nodeOf
	if in != nil {
		memo = in.nodeOf
	}
	if n, ok := memo[t]; ok {
		return n
	}
	n := g.make(t, in)
	memo[t] = n
	return n
}

// maxFrames bounds the quantifiers that are visited. A quantifier counts once for each place that gives its free
// variables a different meaning.
const maxFrames = 1 << 14

func (g *graph) make(t smt.Term, f *frame) int32 {
	a := g.a
	op, args := a.Look(t)
	n := node{sort: -1, entity: -1}
	var own content
	own.begin(1, uint64(op))
	own.with(uint64(len(args)))
	if op == smt.OpVar {
		n.sort = g.sort(a.Sort(t))
		if b, i := f.binds(t); b != nil {
			own.with(b.level)
			own.with(uint64(i))
		} else {
			g.unwritten = true
			own.withText(a.VarName(t))
		}
		return g.add(n, &own, nil)
	}
	if op >= smt.OpIntLit && op <= smt.OpFFLit {
		g.literal(&own, t)
		n.sort = g.sort(a.Sort(t))
		return g.add(n, &own, nil)
	}
	if info := op.Info(); !op.Structural() {
		switch {
		case info.Commutative && info.Assoc == smt.AssocLeft:
			n.form, n.flat = flattened, op
			own.begin(1, uint64(op))
		case info.Commutative:
			n.form = unordered
		}
		if info.Qualified {
			n.sort = g.sort(a.Sort(t))
		}
	}
	bound := a.BoundVars(t)
	if len(bound) > 0 {
		f = &frame{outer: f, vars: bound, nodeOf: map[smt.Term]int32{}}
		if f.outer != nil {
			f.level = f.outer.level + 1
		}
		if g.frames++; g.frames > maxFrames { // names tell the variables apart then
			f = f.outer
		}
		args = args[len(bound):]
	}
	indices := a.Indices(t)
	if s := a.SymbolOf(t); s != 0 {
		n.entity, indices = g.symbol(s), indices[1:]
		if a.SymbolInfo(s).Qualified {
			n.sort = g.sort(a.Sort(t))
		}
	}
	switch op {
	case smt.OpAnnot:
		indices = nil
		for _, x := range a.Annotations(t) {
			own.withText(x.Keyword)
			if own.with(uint64(len(x.Terms))); x.Keyword != ":named" && x.Keyword != ":qid" && x.Keyword != ":skolemid" {
				own.withText(x.Value)
			}
		}
	case smt.OpOpaque, smt.OpLambda, smt.OpFunction, smt.OpMapArrays:
		n.sort = g.sort(a.Sort(t))
	}
	for _, i := range indices {
		if u, ok := a.IndexUint(i); ok {
			own.with(u)
		} else if name, ok := a.IndexName(i); ok {
			own.withText(name)
		} else {
			big, _ := a.IndexNum(i)
			own.withText(big.String())
		}
	}
	children := make([]int32, 0, len(bound)+len(args))
	for _, v := range bound {
		var place content
		place.begin(8, 8)
		children = append(children, g.add(node{sort: g.sort(a.Sort(v)), entity: -1}, &place, nil))
	}
	for _, x := range args {
		children = append(children, g.node(x, f))
	}
	if len(bound) > 0 && f != nil {
		own.note(f.level)
	}
	return g.add(n, &own, children)
}

// literal appends the value of a literal to the content.
func (g *graph) literal(own *content, t smt.Term) {
	a := g.a
	if s, ok := a.StrOf(t); ok {
		own.withText(string(s))
		return
	}
	if r, ok := a.RatOf(t); ok {
		own.withText(r.RatString())
		return
	}
	i := a.Indices(t)[0]
	if u, ok := a.IndexUint(i); ok {
		own.with(u)
		return
	}
	n, _ := a.IndexNum(i)
	own.withText(n.String())
}

// add returns the node with this content. At this stage, hashes use symbols and sorts only by their own content.
func (g *graph) add(n node, own *content, children []int32) int32 {
	n.own = own.key
	n.from = int32(len(g.links))
	g.links = append(g.links, children...)
	n.to = int32(len(g.links))
	g.hash(&n, func(i int32) Key { return Key{2, uint64(i)} }, func(i int32) Key { return Key{3, uint64(i)} })
	if at, ok := g.byHash[n.hash]; ok {
		g.unwritten = g.unwritten || g.recorded && !g.sameNode(&g.nodes[at], &n, own)
		g.links = g.links[:n.from]
		return at
	}
	at := int32(len(g.nodes))
	n.says = g.record(own)
	g.nodes = append(g.nodes, n)
	g.byHash[n.hash] = at
	return at
}

// sameNode reports whether two nodes with the same hash have the same content, as far as that can be seen without
// flattening. A query in which they differ has no text.
func (g *graph) sameNode(x, y *node, own *content) bool {
	return string(g.text[x.says.from:x.says.to]) == string(own.text) && x.sort == y.sort && x.entity == y.entity && x.form == y.form &&
		(x.form != ordered || slices.Equal(g.links[x.from:x.to], g.links[y.from:y.to]))
}

// hash sets the hash of a node from the hashes of its arguments, which exist already, and those of symbols and sorts.
func (g *graph) hash(n *node, entity, sort func(int32) Key) {
	k := n.own
	if n.sort >= 0 {
		k = k.With(1).WithKey(sort(n.sort))
	}
	if n.entity >= 0 {
		k = k.With(2).WithKey(entity(n.entity))
	}
	n.sum = Key{}
	for _, c := range g.links[n.from:n.to] {
		x := &g.nodes[c]
		switch {
		case n.form == ordered:
			k = k.WithKey(x.hash)
		case n.form == flattened && x.flat == n.flat:
			n.sum = n.sum.Plus(x.sum)
		default:
			n.sum = n.sum.Plus(x.hash.With(5))
		}
	}
	if n.form != ordered {
		k = k.With(3).WithKey(n.sum)
	}
	n.hash = k
}

// sort returns the node of a sort.
func (g *graph) sort(s smt.Sort) int32 {
	if at, ok := g.sortOf[s]; ok {
		return at
	}
	a := g.a
	n := sortNode{entity: -1}
	var own content
	own.begin(4, uint64(a.SortKind(s)))
	switch a.SortKind(s) {
	case smt.KindUser, smt.KindDatatype:
		n.entity = g.sortSymbol(a.SortSymbolOf(s))
	case smt.KindBitVec:
		own.with(uint64(a.Width(s)))
	case smt.KindFloat:
		eb, sb := a.FloatFormat(s)
		own.with(uint64(eb))
		own.with(uint64(sb))
	case smt.KindFiniteField:
		own.withText(a.Modulus(s).String())
	case smt.KindParam:
		own.withText(a.SortString(s))
	}
	n.own, n.says = own.key, g.record(&own)
	for _, x := range a.SortArgs(s) {
		n.args = append(n.args, g.sort(x))
	}
	at := int32(len(g.sorts))
	g.sorts = append(g.sorts, n)
	g.sortOf[s] = at
	return at
}

// sortSymbol returns the entity of a declared sort; those of a datatype's constructors and selectors come with it.
func (g *graph) sortSymbol(s smt.SortSymbol) int32 {
	if at, ok := g.userSorts[s]; ok {
		return at
	}
	name, arity := g.a.SortSymbolName(s)
	at := int32(len(g.entities))
	var own content
	own.begin(5, uint64(arity))
	if g.named {
		own.withText(name)
	}
	dt := g.a.Datatype(s)
	if dt != nil {
		own.with(uint64(len(dt.Constructors)))
	}
	g.entities = append(g.entities, entity{own: own.key, says: g.record(&own)})
	g.userSorts[s] = at
	if dt != nil {
		for i := range dt.Constructors {
			g.symbol(dt.Constructors[i].Symbol)
			for _, f := range dt.Constructors[i].Selectors {
				g.symbol(f)
			}
		}
	}
	return at
}

// symbol returns the entity of a function, with its definition as a root if it has one.
func (g *graph) symbol(f smt.Symbol) int32 {
	if at, ok := g.symbolOf[f]; ok {
		return at
	}
	info := g.a.SymbolInfo(f)
	kind := info.Kind
	if kind == smt.SymNamed {
		kind = smt.SymDefined
	}
	var own content
	own.begin(6, uint64(kind))
	own.with(uint64(len(info.Params)))
	if info.Datatype != 0 {
		own.with(uint64(info.Ctor))
		own.with(uint64(info.Field))
	}
	if g.named {
		own.withText(info.Name)
	}
	at := int32(len(g.entities))
	g.entities = append(g.entities, entity{own: own.key, says: g.record(&own)})
	g.symbolOf[f] = at
	var signature []int32
	for _, s := range append([]smt.Sort{info.Result}, info.Params...) {
		signature = append(signature, g.sort(s))
	}
	g.entities[at].signature = signature
	if info.Body != 0 {
		g.definition(at, info)
	}
	return at
}

// definition adds the definition of a symbol.
func (g *graph) definition(at int32, info *smt.SymbolInfo) {
	g.a.PostOrder([]smt.Term{info.Body}, func(x smt.Term) { g.isOpen(x) })
	f := &frame{vars: info.Vars, nodeOf: map[smt.Term]int32{}}
	body := g.node(info.Body, f)
	var own content
	own.begin(7, 7)
	n := g.add(node{sort: -1, entity: at}, &own, []int32{body})
	g.roots = append(g.roots, root{node: n, tag: definitionTag})
}

// Tags of roots.
const (
	assertTag     = 1
	definitionTag = 2
	commandTag    = 3 // and more
)

// hang adds terms as roots.
func (g *graph) hang(ts []smt.Term, tag uint64) {
	g.terms(ts)
	for _, t := range ts {
		g.roots = append(g.roots, root{node: g.node(t, nil), tag: tag})
	}
}

// Conjuncts returns the formulas that are asserted together, with "and" taken apart: each once, and none that is true.
func Conjuncts(a *smt.Arena, ts []smt.Term) (out []smt.Term) {
	seen := a.Stamps()
	defer seen.Free()
	stack := make([]smt.Term, 0, len(ts))
	for i := len(ts) - 1; i >= 0; i-- {
		stack = append(stack, ts[i])
	}
	for len(stack) > 0 {
		t := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch {
		case !seen.Add(t) || t == a.True():
		case a.Op(t) == smt.OpAnd:
			args := a.Args(t)
			for i := len(args) - 1; i >= 0; i-- {
				stack = append(stack, args[i])
			}
		case a.Op(t) == smt.OpAnnot && onlyNamed(a, t):
			stack = append(stack, a.Arg(t, 0))
		default:
			out = append(out, t)
		}
	}
	return out
}

// onlyNamed reports whether an annotation gives a name and nothing else.
func onlyNamed(a *smt.Arena, t smt.Term) bool {
	text, _ := a.IndexName(a.Indices(t)[0])
	return strings.HasPrefix(text, ":named\x01") && strings.Count(text, "\x02") == 1
}
