// Package proving implements the verbs law and fusion. They run files that define laws or fusion operators, prove these
// by evaluation and with solvers, and search for further laws or generate functions.
package proving
