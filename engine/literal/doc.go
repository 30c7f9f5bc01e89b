// Package literal makes literals of sorts: the simplest ones, those at boundaries, and any.
package literal
