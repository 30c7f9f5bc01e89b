// Package simplify lists replacements of a term that are right in any context: lighter terms that mean the same, its
// value, smaller literals.
package simplify
