// Package semantics has what terms mean, and which of them mean the same. Read eval first: it computes the value of a
// term in a model, exact or unknown. Then read law and proof: laws say which terms mean the same, and solvers prove
// them. rewrite applies laws, discovery looks for new ones. linear (the simplex algorithm) and smtml (another text
// format) need none of these.
package semantics
