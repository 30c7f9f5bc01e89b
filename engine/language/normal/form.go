package normal

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// Form is a slice of a query as a text that determines it up to names. Two slices with the same text differ only in the
// names of functions, sorts and variables and in the order in which things are written: no hash stands for any part of
// it. (Terms of one slice are identified by 128-bit hashes, which is checked where the order of arguments matters.)
// Slices that are the same in this sense have the same text, within the limits that the package documentation names,
// and if no sum has more than maxFlat arguments.
type Form struct {
	Asserts []smt.Term // conjuncts, in their order
	Key     Key        // of the slice, as in Slice
	Text    []byte
	// Symbols and Sorts list the symbols and sorts that the text refers to by number. Number i in one slice corresponds
	// to number i in any other slice with the same text. If number i is a sort, the symbol is 0, and vice versa.
	Symbols []smt.Symbol
	Sorts   []smt.SortSymbol
}

// formVersion is the first byte of texts. It changes with the format.
const formVersion = 1

// Bounds of a text: a sum or other operator that is written flattened has at most maxFlat arguments. All arguments
// together number at most maxLinks, and at most maxLinksPerNode for each node.
const (
	maxFlat         = 1 << 12
	maxLinks        = 1 << 16
	maxLinksPerNode = 16
)

// FormOf returns the form of formulas that are asserted together, without taking them apart; ok is false if they have
// free variables, or if they have so many quantifiers or so deeply shared terms that the text would be too long.
func FormOf(a *smt.Arena, asserts []smt.Term) (f Form, ok bool) {
	g := newGraph(a, false)
	g.recorded = true
	g.hang(asserts, assertTag)
	if g.unwritten || g.frames > maxFrames {
		return Form{}, false
	}
	r := refinement{graph: g}
	r.run()
	f = Form{Asserts: asserts, Key: r.key()}
	w := formWriter{refinement: &r}
	if f.Text, ok = w.write(); !ok {
		return Form{}, false
	}
	f.Symbols, f.Sorts = make([]smt.Symbol, len(g.entities)), make([]smt.SortSymbol, len(g.entities))
	for s, i := range g.symbolOf {
		f.Symbols[w.entity[i]] = s
	}
	for s, i := range g.userSorts {
		f.Sorts[w.entity[i]] = s
	}
	return f, true
}

// formWriter writes a graph whose entities have colours of their own. Everything is numbered in the order of hashes and
// written as its content with the numbers of its references, so the graph can be rebuilt from the text. Only the order
// depends on hashes: if two hashes were equal by chance, the text would still describe the same query.
type formWriter struct {
	*refinement
	entity, sort, node []int32 // numbers, -1 for items not written yet
	links              []int32 // arguments of written nodes
	first              []int32 // by node: where its arguments begin in links
	flat               []int32 // by node: arguments it has when nothing is nested, up to maxFlat+1
	text               []byte
}

// write returns the text; ok is false if it would be too long.
func (w *formWriter) write() (text []byte, ok bool) {
	w.entity = ranks(len(w.entities), func(i int32) Key { return w.entities[i].colour }, nil)
	w.sort = ranks(len(w.sorts), func(i int32) Key { return w.sorts[i].hash }, nil)
	used, ok := w.expand()
	if !ok {
		return nil, false
	}
	w.node = ranks(len(w.nodes), func(i int32) Key { return w.nodes[i].hash }, used)
	w.text = make([]byte, 0, len(w.graph.text)+4*len(w.links)+8*len(w.nodes))
	w.text = append(w.text, formVersion)
	w.number(len(w.entities))
	for _, i := range inOrder(w.entity) {
		e := &w.entities[i]
		w.part(e.says)
		w.number(len(e.signature))
		for _, s := range e.signature {
			w.number(int(w.sort[s]))
		}
	}
	w.number(len(w.sorts))
	for _, i := range inOrder(w.sort) {
		s := &w.sorts[i]
		w.part(s.says)
		w.reference(s.entity, w.entity)
		w.number(len(s.args))
		for _, x := range s.args {
			w.number(int(w.sort[x]))
		}
	}
	w.writeNodes()
	return w.text, true
}

// writeNodes writes the nodes, then the roots.
func (w *formWriter) writeNodes() {
	order := inOrder(w.node)
	w.number(len(order))
	var numbers []int32
	for _, i := range order {
		n := &w.nodes[i]
		w.part(n.says)
		w.reference(n.sort, w.sort)
		w.reference(n.entity, w.entity)
		numbers = numbers[:0]
		for _, c := range w.links[w.first[i]:w.end(i)] {
			numbers = append(numbers, w.node[c])
		}
		if n.form != ordered {
			slices.Sort(numbers)
		}
		w.number(len(numbers))
		for _, c := range numbers {
			w.number(int(c))
		}
	}
	roots := slices.Clone(w.roots)
	slices.SortFunc(roots, func(x, y root) int {
		return cmp.Or(cmp.Compare(x.tag, y.tag), cmp.Compare(w.node[x.node], w.node[y.node]))
	})
	w.number(len(roots))
	for _, x := range roots {
		w.number(int(x.tag))
		w.number(int(w.node[x.node]))
	}
}

func (w *formWriter) number(n int) { w.text = binary.AppendUvarint(w.text, uint64(n)) }

func (w *formWriter) part(p part) {
	w.number(int(p.to - p.from))
	w.text = append(w.text, w.graph.text[p.from:p.to]...)
}

// reference writes the number of something that may be missing.
func (w *formWriter) reference(i int32, numbers []int32) {
	if i < 0 {
		w.number(0)
		return
	}
	w.number(int(numbers[i]) + 1)
}

// expand finds the nodes to write and their arguments, with nested associative operators flattened. It starts from the
// roots, because the arguments of a node have lower numbers than the node.
func (w *formWriter) expand() (used []bool, ok bool) {
	w.measureFlat()
	used = make([]bool, len(w.nodes))
	w.first = make([]int32, len(w.nodes)+1)
	for _, x := range w.roots {
		used[x.node] = true
	}
	limit := max(maxLinks, maxLinksPerNode*len(w.nodes))
	var stack []int32
	for i := len(w.nodes) - 1; i >= 0; i-- {
		w.first[i] = int32(len(w.links))
		if !used[i] {
			continue
		}
		n := &w.nodes[i]
		nested := n.form == flattened && w.flat[i] <= maxFlat
		stack = append(stack[:0], w.graph.links[n.from:n.to]...)
		for len(stack) > 0 {
			c := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if x := &w.nodes[c]; nested && x.form == flattened && x.flat == n.flat {
				stack = append(stack, w.graph.links[x.from:x.to]...)
				continue
			}
			used[c] = true
			w.links = append(w.links, c)
		}
		// The stack yields them in reverse order.
		slices.Reverse(w.links[w.first[i]:])
		if len(w.links) > limit {
			return nil, false
		}
	}
	return used, true
}

// end returns the end of the arguments of a node: nodes were expanded from the last one on.
func (w *formWriter) end(i int32) int32 {
	if i == 0 {
		return int32(len(w.links))
	}
	return w.first[i-1]
}

// measureFlat counts the arguments of flattened operators. Operators with too many stay nested.
func (w *formWriter) measureFlat() {
	w.flat = make([]int32, len(w.nodes))
	for i := range w.nodes {
		n := &w.nodes[i]
		if n.form != flattened {
			continue
		}
		for _, c := range w.graph.links[n.from:n.to] {
			if x := &w.nodes[c]; x.form == flattened && x.flat == n.flat {
				w.flat[i] += w.flat[c]
			} else {
				w.flat[i]++
			}
			w.flat[i] = min(w.flat[i], maxFlat+1)
		}
	}
}

// ranks numbers n items in the order of their keys; unused items get -1.
func ranks(n int, key func(int32) Key, used []bool) []int32 {
	order := make([]int32, 0, n)
	for i := range n {
		if used == nil || used[i] {
			order = append(order, int32(i))
		}
	}
	slices.SortStableFunc(order, func(i, j int32) int {
		x, y := key(i), key(j)
		return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1]))
	})
	out := make([]int32, n)
	for i := range out {
		out[i] = -1
	}
	for k, i := range order {
		out[i] = int32(k)
	}
	return out
}

// inOrder returns the numbered items in the order of their numbers.
func inOrder(numbers []int32) []int32 {
	n := 0
	for _, k := range numbers {
		if k >= 0 {
			n++
		}
	}
	out := make([]int32, n)
	for i, k := range numbers {
		if k >= 0 {
			out[k] = int32(i)
		}
	}
	return out
}
