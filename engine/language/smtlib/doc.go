// Package smtlib reads and writes SMT-LIB 2.7 scripts.
//
// Parse keeps commands and heads that it does not know as text, and checks everything else. Printing a script and
// parsing the text gives the same terms in the same arena.
//
// The main types:
//
//   - Script is a list of Commands over the terms of one arena. AssertsAt has what a check-sat asks about, Scope what is
//     declared, WithCommands a changed copy.
//   - Command has a Kind, and the terms, symbols and texts of that kind. Kind says of a command what it is: a setting, a
//     declaration, a question.
//   - Answer is sat, unsat or unknown; None is no answer.
//   - Printer writes commands and terms one by one, and Script.Print a whole script.
//   - Stream reads commands one after the other, as a solver does from a pipe.
//   - SExpr is text by its parentheses, for replies of solvers and for other formats.
//   - Error says what is wrong with a text, and where: file:line:col and the line itself.
//
// Read script.go and command.go first, then parse.go. Terms are read by internal/termread and written by
// internal/termtext. Its printer has a quick plan of the lets for terms without binders, and a careful one for the rest.
package smtlib
