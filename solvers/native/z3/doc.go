// Package z3 is the binding of libz3.
package z3
