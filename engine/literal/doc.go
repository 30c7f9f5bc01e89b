// Package literal makes literals and values of sorts.
package literal
