//go:build unix

package system

import "golang.org/x/sys/unix"

// AddressSpace returns the limit of this process's address space in bytes (ulimit -v); ok is false where there is none.
func AddressSpace() (limit uint64, ok bool) {
	var l unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &l); err != nil || uint64(l.Cur) >= 1<<62 {
		return 0, false
	}
	return uint64(l.Cur), true
}
