//go:build unix

package script

import (
	"syscall"
	"time"
)

// processCPU returns the CPU time of this process so far, without its children's.
func processCPU() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
