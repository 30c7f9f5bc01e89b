// Package cvc5 is the binding of libcvc5.
package cvc5
