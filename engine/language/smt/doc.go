// Package smt is the term core: sorts, symbols, operators and terms of SMT-LIB 2.7 and of the solvers'
// extensions, in an arena.
//
// An Arena owns everything it hands out. Terms and sorts are small integers, equal exactly when they are the
// same term or sort (hash-consing), immutable, and checked against the operator table when they are made. There
// is no let: sharing of nodes is let. A test case builds on top of its seed's terms between Mark and Release, so
// that nothing of it outlives the case. An Arena is not safe for concurrent use.
package smt
