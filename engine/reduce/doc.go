// Package reduce makes a case smaller while a predicate over it stays true: what is left of a finding is what the
// solver's developers need to see.
//
// Read driver first, which searches, then script: what a candidate of a script has to be. Passes propose candidates: over commands (package commands),
// terms (terms), sorts (sorts) and names (names). Cases are compared by a weight (package weight) that every
// accepted step lowers, so reduction ends; the best case so far is always at hand, so it can end at any time.
//
// Everything is deterministic: the same case and the same answers of the predicate give the same result.
package reduce
