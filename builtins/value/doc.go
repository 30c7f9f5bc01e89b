// Package value has the Starlark values that modules of the script API share: terms and sorts, cases with their
// commands and places, models, streams of random numbers, laws, and the corpus; and the module corpus and the functions
// rng and law, which make some of them. A ThreadState holds the values that a thread keeps between and during cases.
package value
