// Package rewrite replaces terms, symbols and names throughout the commands of a script. What is declared, defined and
// used stays in step.
package rewrite
