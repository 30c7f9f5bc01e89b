// Package literal makes literals of sorts: the simplest ones, those at boundaries, and random ones.
package literal
