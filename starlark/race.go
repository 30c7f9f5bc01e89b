//go:build race

package script

// raceDetector is set where reading the stack of a thread that stands still would be reported.
const raceDetector = true
