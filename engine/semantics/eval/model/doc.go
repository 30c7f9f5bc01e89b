// Package model has interpretations of the declared symbols of a script, whole or in part, and writes them as solvers
// do.
package model
