// Package reduce makes a case smaller while a predicate over it stays true: what is left of a finding is what the
// solver's developers need to see.
//
// Read package driver first, which searches, then subject.go: what a candidate of a script has to be. Passes (passes.go
// has the table) propose candidates: over commands, terms, sorts and names. Cases are compared by a weight (package
// weight) that every accepted step lowers, so reduction ends; the best case so far is always at hand, so it can end at
// any time.
//
// Candidates are well-sorted and well-scoped by construction, since every edit replaces terms by terms of the same sort
// whose free variables are bound where they go, and drops declarations only when nothing uses them. A case that is
// known to be satisfiable stays so: its witness is evaluated on every candidate before any solver is asked, so a wrong
// answer of a solver cannot turn into a right one on the way.
//
// Everything is deterministic: the same case and the same answers of the predicate give the same result.
package reduce
