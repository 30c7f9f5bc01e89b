// Package termread reads the terms and sorts of SMT-LIB 2.7, checks their sorts and resolves the names in them.
//
// A Reader consists of layers, each of which uses those before it: tokens (sexpr.Lexer), bindings of names (Scopes),
// symbols and literals, sorts, applications of names, identifiers with indices and sorts, and terms. All layers are
// embedded in one struct, so that reading a term follows no pointers.
package termread
