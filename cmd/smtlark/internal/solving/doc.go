// Package solving is the verb solve: a solver for SMT-LIB that is made of the solvers of this machine, on a pipe, for
// files and for folders.
package solving
