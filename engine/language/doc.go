// Package language has what SMT-LIB is, and not what it means: sorts and terms, scripts in and out, logics. Read smt first: sorts, symbols, the operator
// table and terms in an arena. Then smtlib (scripts, read and written), logic, and template, literal and normal: terms with parameters, literals, keys of
// terms that do not depend on names.
package language
