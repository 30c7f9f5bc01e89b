//go:build unix

package begin

import "syscall"

// Limit returns the limit of this process's address space in bytes (ulimit -v); ok is false where there is none.
func Limit() (bytes uint64, ok bool) {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &l); err != nil || uint64(l.Cur) >= 1<<62 {
		return 0, false
	}
	return uint64(l.Cur), true
}
