// Package value has the values of every sort of SMT-LIB and of the solvers' extensions: how they are represented,
// compared, written as text and as terms, and which of them a sort has. A value that is not known says why.
package value
