// Package reduction implements the verb reduce: it turns the flags into the property that smaller files must keep,
// reports progress, and writes the result.
package reduction
