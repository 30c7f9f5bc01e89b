// Package normal has keys of terms and queries that do not depend on how these are written: on the order of assertions
// and of the arguments of commutative operators, on how associative ones are nested, and on the names of functions,
// sorts and variables.
//
// Functions and sorts get colours by where they occur, refined until no round tells more of them apart (colour
// refinement, Weisfeiler and Leman 1968; as in McKay and Piperno, "Practical graph isomorphism, II", 2014). Where
// several keep one colour, one of them is singled out and refinement goes on. Bound variables are numbered by the
// quantifiers that they belong to (de Bruijn 1972, by levels). Hashes of terms are sums over the arguments where their
// order does not matter (Clarke and others, "Incremental multiset hash functions", ASIACRYPT 2003). So sums of sums
// need not be flattened, and towers of shared terms cost time linear in their number of nodes.
//
// Queries with equal keys are equal up to these differences, except for collisions of 128 bits. Queries that are equal
// up to them have equal keys, with two exceptions. If functions that are not symmetric keep the same colour, as in
// different regular graphs, the choice among them follows the order of the text. So does the rest of the work when
// refinement has used up its budget.
package normal
