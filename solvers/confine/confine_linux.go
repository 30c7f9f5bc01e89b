package confine

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// support lists the means that this kernel has.
type support struct {
	landlock int  // ABI of Landlock, 0 for none
	signals  bool // its scope of signals spares threads of the same process, which Go's runtime needs
	seccomp  bool // system calls can be filtered
}

var supported = sync.OnceValue(func() (s support) {
	version := func(flag uintptr) int {
		n, _, err := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, flag)
		if err != 0 {
			return 0
		}
		return int(n)
	}
	s.landlock = version(unix.LANDLOCK_CREATE_RULESET_VERSION)
	const signalsFixed = 1 << 1 // erratum 2
	s.signals = s.landlock >= 6 && version(unix.LANDLOCK_CREATE_RULESET_ERRATA)&signalsFixed != 0
	action := uint32(unix.SECCOMP_RET_ERRNO)
	_, _, err := unix.Syscall(unix.SYS_SECCOMP, seccompActionAvailable, 0, uintptr(unsafe.Pointer(&action)))
	s.seccomp = err == 0 && callFilter != nil
	// A container may forbid features that the kernel supports.
	if s.landlock > 0 && !(support{landlock: s.landlock, signals: s.signals}).worksHere() {
		s.landlock = 0
	}
	s.seccomp = s.seccomp && support{seccomp: true}.worksHere()
	return s
})

// worksHere tries to confine a thread, which then ends.
func (s support) worksHere() bool {
	done := make(chan error)
	goOnLaterThread(func() { done <- s.confineThread("") })
	return <-done == nil
}

// onFirstThread reports whether the present thread is the first thread of the process.
func onFirstThread() bool { return unix.Gettid() == unix.Getpid() }

// seccompActionAvailable is SECCOMP_GET_ACTION_AVAIL.
const seccompActionAvailable = 2

// describeProtection describes what confined processes cannot do.
func (s support) describeProtection() (list []string) {
	if s.landlock > 0 {
		list = append(list, fmt.Sprintf("files read-only but a temporary folder (Landlock ABI %d)", s.landlock))
	}
	switch {
	case s.seccomp:
		list = append(list, "no network and no sockets, no change of modes, owners, times and attributes of files (seccomp)")
	case s.landlock >= 4:
		list = append(list, "no TCP (Landlock)")
	}
	return list
}

// cutsNetwork reports whether confined processes have no network.
func (s support) cutsNetwork() bool { return s.seccomp || s.landlock >= 4 }

// whyFilesUnprotected says why files are not protected, "" if they are.
func (s support) whyFilesUnprotected() string {
	if s.landlock > 0 {
		return ""
	}
	return "no Landlock: it needs Linux 5.13, to be enabled, see /sys/kernel/security/lsm, and a container that lets it be used"
}

// confineThread permanently confines the present thread and its descendants: they can write only below dir.
func (s support) confineThread(dir string) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return os.NewSyscallError("prctl", err)
	}
	if s.landlock > 0 {
		if err := s.restrictFiles(dir); err != nil {
			return err
		}
	}
	if !s.seccomp {
		return nil
	}
	program := unix.SockFprog{Len: uint16(len(callFilter)), Filter: &callFilter[0]}
	_, _, err := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&program)))
	if err != 0 {
		return os.NewSyscallError("seccomp", err)
	}
	return nil
}

// writeAccesses returns the ways of changing files that an ABI of Landlock knows. Reading and executing are not
// restricted.
func writeAccesses(abi int) uint64 {
	all := uint64(unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_MAKE_SYM)
	if abi >= 2 {
		all |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if abi >= 3 {
		all |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if abi >= 5 {
		all |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	return all
}

// readAccesses are the ways of using files without changing them.
const readAccesses = uint64(unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR)

// ofSystem lists the places that any program may read. Confined processes cannot read private files in /proc of
// processes outside, since Landlock forbids tracing these.
var ofSystem = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache", "/etc/ld.so.conf",
	"/etc/ld.so.conf.d", "/etc/alternatives",
	"/etc/localtime", "/proc", "/sys/devices/system", "/sys/fs/cgroup", "/sys/kernel/mm"}

// devices lists the files outside of its folder that any program may write.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}

// allowReading allows reading the files of the system, some folders, and this program, which runs as the child that
// holds a C library.
func allowReading(set int, folders []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	for _, path := range slices.Concat(ofSystem, folders, []string{self}) {
		access := readAccesses
		st, err := os.Stat(path)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err == nil && !st.IsDir() {
			access &^= unix.LANDLOCK_ACCESS_FS_READ_DIR
		}
		if err := allowAccess(set, path, access); err != nil && !errors.Is(err, os.ErrNotExist) &&
			!errors.Is(err, os.ErrPermission) {
			return err
		}
	}
	return nil
}

// restrictFiles limits a process by Landlock. A process may send signals only to those that are confined with it.
func (s support) restrictFiles(dir string) error {
	attr := unix.LandlockRulesetAttr{Handled_access_fs: writeAccesses(s.landlock)}
	folders := readable()
	if folders != nil {
		attr.Handled_access_fs |= readAccesses
	}
	size := unsafe.Sizeof(attr.Handled_access_fs) // what the first version has: older kernels refuse what they do not know
	if s.landlock >= 4 {
		attr.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
		size += unsafe.Sizeof(attr.Handled_access_net)
	}
	if s.landlock >= 6 {
		attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
		if s.signals {
			attr.Scoped |= unix.LANDLOCK_SCOPE_SIGNAL
		}
		size += unsafe.Sizeof(attr.Scoped)
	}
	set, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return os.NewSyscallError("landlock_create_ruleset", errno)
	}
	defer unix.Close(int(set))
	const special = unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK
	if dir != "" {
		if err := allowAccess(int(set), dir, attr.Handled_access_fs&^special); err != nil {
			return err
		}
	}
	if folders != nil {
		if err := allowReading(int(set), folders); err != nil {
			return err
		}
	}
	ofFile := attr.Handled_access_fs & (unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV)
	for _, device := range devices {
		if err := allowAccess(int(set), device, ofFile); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	if _, _, errno = unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, set, 0, 0); errno != 0 {
		return os.NewSyscallError("landlock_restrict_self", errno)
	}
	return nil
}

// allowAccess adds a rule that allows the given accesses to a file, or to everything below a folder.
func allowAccess(set int, path string, access uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	// The kernel's struct is packed and has 12 bytes; Go's struct has four bytes of padding after them.
	rule := unix.LandlockPathBeneathAttr{Allowed_access: access, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(set), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return &os.PathError{Op: "landlock_add_rule", Path: path, Err: errno}
	}
	return nil
}
