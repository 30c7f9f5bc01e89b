// Package modelreader reads what solvers print as models and as values of terms. It uses the evaluator to compute the
// values of the printed terms.
package modelreader
