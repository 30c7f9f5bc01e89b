package smt

// Term names a term of one Arena; 0 is no term.
type Term uint32

// Arena owns sorts, symbols and terms. The zero value is not usable: call NewArena.
//
// It consists of layers, each of which uses those before it: tables of sorts (sortTable), of functions and datatypes
// (symbolTable), of indices (indexPool) and of terms (termTable); literals, which need them all; access to terms
// (reader), sorts of applications (typer), and application of operators and symbols (builder). Binders, substitution
// and definitions are methods of the arena itself. All layers are embedded in one struct, so that a term is found
// without following pointers.
type Arena struct {
	builder
}

// NewArena returns an arena that holds the parameterless standard sorts and the two truth values.
func NewArena() *Arena {
	a := &Arena{}
	a.nodes, a.slab, a.table = make([]node, 1, 256), make([]uint32, 0, 1024), make([]uint64, 512)
	a.sortIDs, a.sortSyms = make(map[string]Sort), make([]sortSymbol, 1)
	a.symbols, a.symbolIDs, a.dtKeys = make([]SymbolInfo, 1), make(map[string]Symbol), make(map[string][]SortSymbol)
	a.poolIDs = make(map[string]uint32)
	a.initSorts()
	a.trueTerm = a.internNode(OpTrue, SortBool, nil, nil)
	a.falseTerm = a.internNode(OpFalse, SortBool, nil, nil)
	return a
}

// Mark is a state of an arena to which Release goes back.
type Mark struct {
	nodes, slab, sorts, sortSyms, symbols, pool, dts int
}

// Mark remembers how far the arena is filled now.
func (a *Arena) Mark() Mark {
	return Mark{len(a.nodes), len(a.slab), len(a.sorts), len(a.sortSyms), len(a.symbols), len(a.pool), len(a.dtOrder)}
}

// Release drops every term, sort and symbol made after the mark, in time linear in their number. Everything made before
// the mark stays valid. Marks are released last in, first out.
func (a *Arena) Release(m Mark) {
	a.releaseTerms(m)
	a.releaseSorts(m)
	a.releaseSymbols(m)
	a.releaseIndices(m)
}
