package confine

import (
	"runtime"
	"slices"

	"golang.org/x/sys/unix"
)

// The filter of system calls covers what Landlock does not: sockets, and changes of file attributes. It is assembled
// here and not by github.com/elastic/go-seccomp-bpf, whose programs have one rule for all calls of another
// architecture: a 32-bit program could do everything, or nothing. It binds one thread, where the rulesets of
// github.com/landlock-lsm/go-landlock bind the whole process.

// callFilter is a program for seccomp that lets every system call through but those that
//   - make sockets: of other families they are the network, of AF_UNIX the way to agents and daemons of the user. A pair of
//     sockets that are connected with each other (socketpair) leads nowhere else;
//   - set up io_uring, which could make sockets, too;
//   - change modes, owners, times and attributes of files, whoever may read them.
//
// It is nil for processors that it is not written for.
var callFilter = func() []unix.SockFilter {
	switch runtime.GOARCH {
	case "amd64":
		// Calls of x32 are numbered from 0x4000_0000 on; compat are those of i386.
		compat := []uint32{102, 359, 425, 15, 94, 182, 95, 16, 212, 207, 198, 30, 271, 299, 306, 298, 320, 412, 226, 227, 228,
			235, 236, 237, 452, 463, 466, 469}
		return filterProgram(unix.AUDIT_ARCH_X86_64, unix.SYS_IOCTL, 0x4000_0000, refusedCalls, 54, compat)
	case "arm64":
		compat := []uint32{281, 425, 15, 94, 182, 95, 16, 212, 207, 198, 269, 326, 333, 325, 348, 412, 226, 227, 228, 235,
			236, 237, 452, 463, 466, 469}
		return filterProgram(unix.AUDIT_ARCH_AARCH64, unix.SYS_IOCTL, 0x4000_0000, refusedCalls, 54, compat)
	}
	return nil
}()

// Calls that package unix does not name yet. They have the same number on every architecture.
const (
	sysFchmodat2     = 452
	sysSetxattrat    = 463
	sysRemovexattrat = 466
	sysFileSetattr   = 469
)

// attributeRequests are the requests of ioctl that change the attributes of a file, which a descriptor for reading is
// enough for: FS_IOC_SETFLAGS, FS_IOC32_SETFLAGS, FS_IOC_FSSETXATTR, FS_IOC_SETVERSION, FS_IOC32_SETVERSION.
var attributeRequests = []uint32{0x4008_6602, 0x4004_6602, 0x401c_5820, 0x4008_7602, 0x4004_7602}

// filterProgram writes the program for an architecture: its calls from foreign on are those of another word size and
// all refused. Calls of its other architecture (compat) have numbers of their own.
func filterProgram(arch, ioctl, foreign uint32, calls []uint32, compatIoctl uint32, compat []uint32) []unix.SockFilter {
	const (
		number, architecture, request = 0, 4, 24 // offsets in struct seccomp_data
		load                          = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal                         = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		atLeast                       = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
		end                           = unix.BPF_RET | unix.BPF_K
		toRefusal                     = 255 // placeholder target of jumps to the refusal, until the program is complete
	)
	section := func(ioctl uint32, calls []uint32) []unix.SockFilter {
		out := []unix.SockFilter{{Code: load, K: number}}
		for _, call := range calls {
			out = append(out, unix.SockFilter{Code: equal, Jt: toRefusal, K: call})
		}
		out = append(out, unix.SockFilter{Code: equal, Jf: uint8(len(attributeRequests) + 1), K: ioctl},
			unix.SockFilter{Code: load, K: request})
		for _, r := range attributeRequests {
			out = append(out, unix.SockFilter{Code: equal, Jt: toRefusal, K: r})
		}
		return append(out, unix.SockFilter{Code: end, K: unix.SECCOMP_RET_ALLOW})
	}
	other := section(compatIoctl, compat)
	own := section(ioctl, calls)
	program := slices.Concat(
		[]unix.SockFilter{{Code: load, K: architecture}, {Code: equal, Jt: uint8(len(other)), K: arch}},
		other,
		[]unix.SockFilter{{Code: load, K: number}, {Code: atLeast, Jt: toRefusal, K: foreign}},
		own,
		[]unix.SockFilter{{Code: end, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EACCES)}},
	)
	for i := range program {
		if program[i].Jt == toRefusal {
			program[i].Jt = uint8(len(program) - 1 - i - 1)
		}
	}
	return program
}
