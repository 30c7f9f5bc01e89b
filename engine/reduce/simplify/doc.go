// Package simplify knows what a term can be replaced by without a look at what is above it: lighter terms that mean the same, its
// value, smaller literals.
package simplify
