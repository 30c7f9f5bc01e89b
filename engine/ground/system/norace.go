//go:build !race

package system

// RaceDetector says that this program was built with Go's race detector.
const RaceDetector = false
