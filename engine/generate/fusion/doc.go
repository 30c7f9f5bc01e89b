// Package fusion joins scripts into one whose answer is known, by fusion functions: z = f(x, y) over variables of
// different scripts, where x and y follow from z by inverses, so that occurrences of x can be replaced by a term over z
// and y without a change of meaning (Winterer, Zhang and Su, "Validating SMT Solvers via Semantic Fusion", PLDI 2020).
//
// Fusion functions are trees of operators that are given with their inverses (package operator). A Table generates
// trees of any size over any number of inputs of any sorts (the generator follows the published fusion-function
// generator: arity tree first, then operators, then the inverses by walking down from the equation). Join brings
// scripts together in one arena with their names apart; Joint replaces occurrences and makes the case with its witness.
package fusion
