// Package consult asks solvers on behalf of campaign files, with limits that do not depend on how busy the machine is:
// for models and unsat cores of cases, and whether terms can hold together. Answers are remembered, and recorded with
// each case that depends on them.
package consult
