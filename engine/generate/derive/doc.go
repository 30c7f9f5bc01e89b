// Package derive derives cases from cases: with other assertions over the same declarations, with terms replaced, with
// another logic. It also determines which answers stay known.
package derive
