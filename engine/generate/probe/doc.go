// Package probe asks solvers about single operators at the boundaries of their domains. A probe applies one operator of
// the table to constants that are pinned to boundary values of their sorts, and asserts that the result is, or is not,
// the value that our evaluator computes: an answer is known by construction and nothing masks a wrong one.
//
// Pairs of (operand, boundary class) of each operator are covered like a table: the technique visits every cell, see
// Table (Kuhn, Wallace, Gallo, "Software Fault Interactions and Implications for Software Testing", IEEE TSE 2004: most
// faults show with one or two factors).
package probe
