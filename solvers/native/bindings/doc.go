// Package bindings has the bindings of five libraries: libz3, libcvc5, libbitwuzla, libboolector and libyices. Each is
// one type over its library, with a table of the operators that it makes terms of.
package bindings
