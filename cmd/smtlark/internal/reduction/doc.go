// Package reduction is the verb reduce: what its flags ask to be kept of a file, and how that is told and written.
package reduction
