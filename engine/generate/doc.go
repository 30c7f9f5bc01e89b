// Package generate has what makes cases. Read gen first: random sorts and terms. Then mutate, derive and fusion, which make cases of seeds; probe, symbolic and
// api, which make them of operators, programs and calls; and acceptance: which targets take a case.
package generate
