// Package language covers the syntax of SMT-LIB, but not its semantics. Read smt first: sorts, symbols, the operator
// table, and terms in an arena. Then smtlib, which reads and writes scripts, and logic, which tells which terms a logic
// allows. template has terms with parameters, literal makes literals, and normal makes keys of terms that do not depend
// on names.
package language
