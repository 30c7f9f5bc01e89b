// Package semantics has what terms mean, and which of them mean the same. Read eval first: the value of a term in a model, exact or unknown. Then law and
// proof: terms with the same meaning, and how that is proven; rewrite and discovery, which use laws and look for them; linear and smtml stand for themselves.
package semantics
