// Package bitwuzla is the binding of libbitwuzla.
package bitwuzla
