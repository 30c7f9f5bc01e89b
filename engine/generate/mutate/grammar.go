package mutate

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// Grammar enumerates the texts of a context-free grammar by size: the number of rules used. So ET enumerates small
// formulas exhaustively (Winterer and Su, "Validating SMT Solvers for Correctness and Performance via Grammar-Based
// Enumeration", OOPSLA 2024). Texts are found by their number without making those before it, by counting derivations
// (Flajolet, Zimmermann and Van Cutsem, "A Calculus for the Random Generation of Labelled Combinatorial Structures",
// 1994).
type Grammar struct {
	names []string
	rules [][]grammarRule // by nonterminal
	start int
	count [][]uint64 // by nonterminal and size
	open  []int      // nonterminals without rules
	least []int      // by nonterminal: the least size of a text; 0 for none
}

// grammarRule is text with holes for nonterminals: text[0] hole[0] text[1] ... text[n].
type grammarRule struct {
	text  []string
	holes []int
	ways  map[[2]int]uint64 // by first hole and size: ways to fill the holes from there on
}

// NewGrammar compiles a grammar: names are the nonterminals, rules their alternatives: S-expressions in which names
// stand for nonterminals. The first name is the start.
func NewGrammar(names []string, rules [][]string) (*Grammar, error) {
	g := &Grammar{names: names, rules: make([][]grammarRule, len(names)), count: make([][]uint64, len(names))}
	number := map[string]int{}
	for i, n := range names {
		number[n] = i
	}
	for i := range names {
		if len(rules[i]) == 0 {
			return nil, fmt.Errorf("%s has no alternatives", names[i])
		}
		for _, text := range rules[i] {
			r, err := compileRule(text, number)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", names[i], err)
			}
			g.rules[i] = append(g.rules[i], r)
		}
	}
	g.findLeast()
	return g, nil
}

func compileRule(text string, number map[string]int) (grammarRule, error) {
	exprs, err := smtlib.ParseSExprs(text)
	if err != nil || len(exprs) != 1 {
		return grammarRule{}, fmt.Errorf("alternative %q is not one S-expression", text)
	}
	r := grammarRule{ways: map[[2]int]uint64{}}
	var b strings.Builder
	var walk func(e *smtlib.SExpr)
	walk = func(e *smtlib.SExpr) {
		if !e.IsList() {
			if n, ok := number[e.Atom]; ok {
				r.text, r.holes = append(r.text, b.String()), append(r.holes, n)
				b.Reset()
				return
			}
			b.WriteString(e.Atom)
			return
		}
		b.WriteByte('(')
		for i := range e.List {
			if i > 0 {
				b.WriteByte(' ')
			}
			walk(&e.List[i])
		}
		b.WriteByte(')')
	}
	walk(&exprs[0])
	r.text = append(r.text, b.String())
	return r, nil
}

// saturated stands for every count that does not fit: no index is that great.
const saturated = 1 << 63

func addCount(x, y uint64) uint64 { return min(x+y, saturated) }

func mulCount(x, y uint64) uint64 {
	hi, lo := bits.Mul64(x, y)
	if hi != 0 || lo > saturated {
		return saturated
	}
	return lo
}

// Count returns how many derivations of the size there are, at most 2^63.
func (g *Grammar) Count(size int) uint64 { return g.countDerivations(g.start, size) }

func (g *Grammar) countDerivations(nt, size int) uint64 {
	for k := len(g.count[nt]); k <= size; k++ {
		sum := uint64(0)
		if k > 0 {
			for i := range g.rules[nt] {
				sum = addCount(sum, g.countFillings(&g.rules[nt][i], 0, k-1))
			}
		}
		if len(g.count[nt]) == k { // a recursion may have been here
			g.count[nt] = append(g.count[nt], sum)
		}
	}
	return g.count[nt][size]
}

// countFillings counts how the holes of a rule from number i on can be filled with derivations of size in all.
func (g *Grammar) countFillings(r *grammarRule, i, size int) uint64 {
	if i == len(r.holes) {
		if size == 0 {
			return 1
		}
		return 0
	}
	if len(r.holes)-i > size {
		return 0
	}
	key := [2]int{i, size}
	if n, ok := r.ways[key]; ok {
		return n
	}
	sum := uint64(0)
	for k := 1; k <= size; k++ {
		if c := g.countDerivations(r.holes[i], k); c > 0 {
			sum = addCount(sum, mulCount(c, g.countFillings(r, i+1, size-k)))
		}
	}
	r.ways[key] = sum
	return sum
}

// maxEmpty bounds the sizes in a row without any text before a grammar counts as finite, maxSize the size of any text.
const (
	maxEmpty = 256
	maxSize  = 4096
)

// At returns text number n, from 0, in the order of sizes; and its size. ok is false when the grammar has no more.
func (g *Grammar) At(n uint64) (text string, size int, ok bool) {
	empty := 0
	for k := 1; k <= maxSize && empty < maxEmpty; k++ {
		c := g.Count(k)
		if empty++; c > 0 {
			empty = 0
		}
		if n < c {
			var b strings.Builder
			g.writeDerivation(&b, g.start, k, n)
			return spaced(b.String()), k, true
		}
		n -= c
	}
	return "", 0, false
}

// writeDerivation appends derivation n of a nonterminal and a size.
func (g *Grammar) writeDerivation(b *strings.Builder, nt, size int, n uint64) {
	for i := range g.rules[nt] {
		r := &g.rules[nt][i]
		w := g.countFillings(r, 0, size-1)
		if n >= w {
			n -= w
			continue
		}
		rest := size - 1
		for h, hole := range r.holes {
			b.WriteString(r.text[h])
			k, others := 1, uint64(0)
			for ; ; k++ {
				others = g.countFillings(r, h+1, rest-k)
				c := mulCount(g.countDerivations(hole, k), others)
				if n < c {
					break
				}
				n -= c
			}
			g.writeDerivation(b, hole, k, n/others)
			n, rest = n%others, rest-k
		}
		b.WriteString(r.text[len(r.holes)])
		return
	}
	panic("mutate: grammar: number beyond the count")
}
