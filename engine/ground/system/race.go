//go:build race

package system

// RaceDetector says that this program was built with Go's race detector. It needs terabytes of address space, and
// memory for each byte that is used, and reports what is looked at on purpose while it may change.
const RaceDetector = true
