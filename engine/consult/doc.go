// Package consult asks solvers on behalf of campaign files, under limits that do not depend on how busy the machine is: for models and
// unsat cores of cases, whether terms can hold together. What was found is remembered and, with a case that depends on it, recorded.
package consult
