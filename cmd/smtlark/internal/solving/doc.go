// Package solving implements the verb solve: an SMT-LIB solver that uses the solvers of this machine. It works on a
// pipe, on files and on folders.
package solving
