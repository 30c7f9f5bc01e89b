// Package enumerate asks a solver again and again: for all values that terms can have together, and for a part of the
// assertions that is unsatisfiable and of which nothing can be left out.
package enumerate
