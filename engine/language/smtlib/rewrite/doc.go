// Package rewrite replaces terms, symbols and names throughout the commands of a script, so that what is declared, defined and used
// stays in step.
package rewrite
