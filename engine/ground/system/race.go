//go:build race

package system

// RaceDetector says that this program was built with Go's race detector. The race detector needs terabytes of address
// space, and memory for each byte that is used. It also reports intentional reads of data that may change.
const RaceDetector = true
