// Package boolector is the binding of libboolector.
package boolector
