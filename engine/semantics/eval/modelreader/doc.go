// Package modelreader reads what solvers print as models and as values of terms. It lies above the evaluator, which
// computes the values of what they print.
package modelreader
