// Package generate makes cases. Read gen first: random sorts and terms. mutate, derive and fusion make cases from
// seeds. probe makes them from operators, symbolic from programs, api from calls of a library. acceptance says which
// targets take a case.
package generate
