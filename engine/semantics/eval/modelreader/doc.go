// Package modelreader reads models and values of terms as solvers print them. It uses the evaluator to compute the
// values of the printed terms.
package modelreader
