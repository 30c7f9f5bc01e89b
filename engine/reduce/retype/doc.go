// Package retype makes the sorts of a script smaller, throughout: widths, formats, datatypes, parameters of functions.
package retype
