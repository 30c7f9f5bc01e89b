// Package termread reads the terms and sorts of SMT-LIB 2.7, checks their sorts and knows what the names in them stand
// for.
//
// A Reader is made in layers, each of which uses those before it: tokens (sexpr.Lexer), what names stand for (Scopes),
// symbols and literals, sorts, what an application of a name builds, identifiers with indices and sorts, and terms. The
// layers lie in one value, so that reading a term follows no pointers.
package termread
