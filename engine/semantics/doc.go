// Package semantics covers the meaning of terms and their equivalence. Read eval first: it computes the value of a term
// in a model, exact or unknown. Then read law and proof: laws state which terms are equivalent, and solvers prove them.
// rewrite applies laws, discovery looks for new ones. linear (the simplex algorithm) and smtml (another text format)
// need none of these.
package semantics
