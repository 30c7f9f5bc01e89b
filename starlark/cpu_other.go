//go:build !unix

package script

import "time"

var started = time.Now()

// processCPU counts all time: a script's budget then includes waiting for solvers.
func processCPU() time.Duration { return time.Since(started) }
