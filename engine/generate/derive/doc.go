// Package derive derives cases from cases: with other assertions over the same declarations, with terms replaced, with
// another logic; and says what stays known about their answers.
package derive
