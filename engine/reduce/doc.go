// Package reduce makes a case smaller while a predicate on it stays true, so that a finding shows the solver's
// developers only the relevant part.
//
// Read package driver first, which searches, then subject.go, which defines the valid candidates of a script. Passes
// (passes.go has the table) propose candidates: over commands, terms, sorts and names. Cases are compared by a weight
// (package weight) that every accepted step lowers, so reduction ends; the best case so far is always at hand, so it
// can end at any time.
//
// Candidates are well-sorted and well-scoped by construction, since every edit replaces terms by terms of the same sort
// whose free variables are bound where they go, and drops declarations only when nothing uses them. A case that is
// known to be satisfiable stays so: its witness is evaluated on every candidate before any solver is asked, so a wrong
// answer of a solver cannot turn into a right one on the way.
//
// The main types:
//
//   - Run reduces a case; Options choose passes and bounds, Result has the smallest case and the counts of what was tried.
//   - PassInfo is a row of the table of passes, Custom a pass of a campaign file.
//   - package driver searches any Space: a Pass gives Proposals, an Asker says whether a Candidate keeps the property.
//     Memo remembers what was asked, Repeats asks flaky ones more often, Trail goes back where one was kept by chance.
//   - package property has what a reduction of a file may keep: a verdict, an ending, an output.
//
// Everything is deterministic: the same case and the same answers of the predicate give the same result.
package reduce
