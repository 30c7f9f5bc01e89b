// Package termtext writes terms as text: which shared subterms let binds and where (plan; quick, or careful where
// binders are), which variables must be renamed so that nothing is captured, and the text itself.
package termtext
