// Package rewrite makes terms lighter by laws: each law of which one side is always lighter than the other is a rule,
// and ground terms are computed. A rule is found by the head of its side and the terms below that. Results are cached
// by term, so that shared terms are simplified once.
package rewrite
