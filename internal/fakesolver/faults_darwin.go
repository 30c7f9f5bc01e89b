package fakesolver

import (
	"os"
	"strconv"
	"syscall"
)

// dieBy ends the process by a signal: it becomes a shell, which has no handlers of Go and sends itself the signal.
func dieBy(sig syscall.Signal) {
	_ = syscall.Exec("/bin/sh", []string{"sh", "-c", "kill -" + strconv.Itoa(int(sig)) + " $$"}, os.Environ())
	sleepForever()
}
