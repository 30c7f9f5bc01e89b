package confine

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// networkFilter is a program for seccomp that lets every system call through but those that make sockets of other families
// than AF_UNIX, and io_uring, which could make them, too. It is nil for processors that it is not written for.
var networkFilter = func() []unix.SockFilter {
	switch runtime.GOARCH {
	case "amd64":
		const socketcall, socket, x32 = 102, 359, 0x4000_0000 // of 32-bit programs; calls of x32 are numbered from x32 on
		return filterProgram(unix.AUDIT_ARCH_X86_64, unix.SYS_SOCKET, x32, []uint32{socketcall, socket})
	case "arm64":
		const socket = 281
		return filterProgram(unix.AUDIT_ARCH_AARCH64, unix.SYS_SOCKET, 0x4000_0000, []uint32{socket})
	}
	return nil
}()

// filterProgram writes the program. For programs of another word size all that makes sockets is refused.
func filterProgram(arch, socket, foreign uint32, compat []uint32) []unix.SockFilter {
	const (
		number, architecture, family = 0, 4, 16 // offsets in struct seccomp_data
		load                         = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal                        = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		atLeast                      = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
		end                          = unix.BPF_RET | unix.BPF_K
		refused                      = unix.SECCOMP_RET_ERRNO | uint32(unix.EACCES)
	)
	n := uint8(len(compat))
	program := []unix.SockFilter{
		{Code: load, K: architecture},
		{Code: equal, Jt: n + 2, K: arch},
		{Code: load, K: number}, // of another architecture
	}
	for i, call := range compat {
		program = append(program, unix.SockFilter{Code: equal, Jt: n - uint8(i) + 7, K: call})
	}
	return append(program, []unix.SockFilter{
		{Code: end, K: unix.SECCOMP_RET_ALLOW},
		{Code: load, K: number}, // of this one
		{Code: atLeast, Jt: 5, K: foreign},
		{Code: equal, Jt: 4, K: unix.SYS_IO_URING_SETUP},
		{Code: equal, Jf: 2, K: socket},
		{Code: load, K: family},
		{Code: equal, Jf: 1, K: unix.AF_UNIX},
		{Code: end, K: unix.SECCOMP_RET_ALLOW},
		{Code: end, K: refused},
	}...)
}
