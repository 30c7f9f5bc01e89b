// Package smt is the term core: sorts, symbols, operators and terms of SMT-LIB 2.7 and of the solvers' extensions, in
// an arena.
//
// An Arena owns everything it hands out. Terms and sorts are small integers, equal exactly when they are the same term
// or sort (hash-consing), immutable, and checked against the operator table when they are made. There is no let:
// sharing of nodes is let. A test case builds its terms on top of its seed's between Mark and Release, which frees them
// at the end of the case. An Arena is not safe for concurrent use.
//
// The main types:
//
//   - Arena makes and reads everything: App applies an operator, Apply a symbol, Op, Args and Sort read a term, PostOrder
//     walks terms, Map rebuilds them.
//   - Term, Sort, Symbol, SortSymbol and Index are the numbers of an arena. Datatype and SymbolInfo describe what they
//     stand for.
//   - Op is an operator, and OpInfo its row of the table: names, theory, Signatures. Pattern is a sort with variables,
//     Bindings what these stand for, Production an operator with all sorts settled.
//   - Copier and NameCopier bring terms from one arena into another.
//   - Stack is an assertion stack of anything: items in the levels that push opens and pop closes.
//
// Read op.go and table_core.go first: the operator table. Then sig.go and pattern.go, which read it, nodes.go for the
// memory of terms, and build.go for the ways to make them.
package smt
