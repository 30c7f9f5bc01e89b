// Package sexpr reads the tokens and the S-expressions of SMT-LIB texts, and says where in a text something is wrong.
package sexpr
