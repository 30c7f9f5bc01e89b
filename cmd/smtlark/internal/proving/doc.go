// Package proving is the verbs law and fusion: they run files for the laws and the fusion operators that these define,
// have them proven by evaluation and solvers, and look for further laws or generate functions.
package proving
