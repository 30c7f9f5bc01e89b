// Package rewrite replaces terms, symbols and names throughout the commands of a script. Declarations, definitions and
// uses stay consistent.
package rewrite
