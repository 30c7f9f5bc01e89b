// Package smtlib reads and writes SMT-LIB 2.7 scripts.
//
// Parse is total: a command or a head that it does not know survives as it was written, and everything else is
// checked. Text and terms go round: printing a script and parsing the text gives the same terms in the same arena.
package smtlib
