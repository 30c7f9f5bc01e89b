// Package learn asks solvers what they accept. It asks questions in batches, and halves a batch that is refused
// (Halve). Replies are stored by the hash of the build (Cache), so each build is asked once.
package learn
