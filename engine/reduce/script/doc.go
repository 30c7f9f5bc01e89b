// Package script is the search space of reductions of SMT-LIB scripts: candidates (State), when one may take the place of the current one
// (Subject), and the search with the edits of commands and terms that passes are made of (Search).
//
// Candidates are well-sorted and well-scoped by construction, since every edit replaces terms by terms of the same sort whose free
// variables are bound where they go, and drops declarations only when nothing uses them. A case that is known to be satisfiable
// stays so: its witness is evaluated on every candidate before any solver is asked, so a wrong answer of a solver cannot turn into a
// right one on the way.
package script
