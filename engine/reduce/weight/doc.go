// Package weight computes the measure that reductions lower: the weight of terms, sorts, commands, calls and values of
// options. Every step that is kept makes a case lighter, so reductions end.
package weight
