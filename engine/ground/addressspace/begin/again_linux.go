package begin

import "syscall"

// variable is the environment variable that is set when the program has restarted itself. It holds the previous soft
// limits of address space and stack, and for each setting whether its variable was set.
const variable = "SMTLARK_ADDRESS_SPACE"

// settings save address space: one malloc arena instead of one per thread, and few threads.
var settings = [...][2]string{{"MALLOC_ARENA_MAX", "1"}, {"GOMAXPROCS", "2"}}

const (
	// withoutTable is less than Go needs for a table of 512 MB that it hardly uses and does without.
	withoutTable = 1100 << 20
	// threadStack is the size of thread stacks, for which the C library uses the stack limit of the first thread.
	// Goroutines have stacks of their own.
	threadStack = 2 << 20
)

// limits lists the resource limits that are lowered for the start.
var limits = [...]int{syscall.RLIMIT_AS, syscall.RLIMIT_STACK}

// init restarts the program if there is little address space: Go and the C library read their settings only at the
// start.
func init() {
	limit, ok := Limit()
	if !ok || restore() || limit >= Enough {
		return
	}
	path, args := executable()
	if path == "" {
		return
	}
	before := ""
	for _, what := range limits {
		before += spell(softLimit(what))
	}
	for _, s := range settings {
		if _, set := syscall.Getenv(s[0]); set {
			before += "s"
			continue
		}
		before += "u"
		_ = syscall.Setenv(s[0], s[1])
	}
	_ = syscall.Setenv(variable, before)
	environment := syscall.Environ() // now, for with the limit there may be no memory
	setSoftLimit(syscall.RLIMIT_STACK, min(softLimit(syscall.RLIMIT_STACK), threadStack))
	setSoftLimit(syscall.RLIMIT_AS, min(limit, withoutTable))
	_ = syscall.Exec(path, args, environment)
	restore() // the program goes on as it was
}

// restore resets the limits and the environment to those before the restart; ok is false if the program was not
// restarted.
func restore() (ok bool) {
	before, _ := syscall.Getenv(variable)
	if len(before) != digits*len(limits)+len(settings) {
		return false
	}
	for _, what := range limits {
		setSoftLimit(what, valueOf(before[:digits]))
		before = before[digits:]
	}
	for i, s := range settings {
		if before[i] == 'u' {
			_ = syscall.Unsetenv(s[0])
		}
	}
	_ = syscall.Unsetenv(variable)
	return true
}

// digits is the number of characters that encode a number: the package strconv would be initialised too late.
const digits = 16

func spell(n uint64) string {
	var b [digits]byte
	for i := range b {
		b[digits-1-i] = 'a' + byte(n>>(4*i)&15)
	}
	return string(b[:])
}

func valueOf(text string) (n uint64) {
	for i := range len(text) {
		n = n<<4 | uint64(text[i]-'a')&15
	}
	return n
}

// executable returns the file of this program and its arguments; "" if they cannot be known.
func executable() (path string, args []string) {
	var b [4096]byte // PATH_MAX
	n, err := syscall.Readlink("/proc/self/exe", b[:])
	if err != nil || n == len(b) {
		return "", nil
	}
	path = string(b[:n])
	fd, err := syscall.Open("/proc/self/cmdline", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return "", nil
	}
	defer syscall.Close(fd)
	var arg []byte
	for {
		n, err := syscall.Read(fd, b[:])
		if err != nil {
			return "", nil
		}
		if n == 0 {
			return path, args
		}
		for _, c := range b[:n] {
			if c != 0 {
				arg = append(arg, c)
				continue
			}
			args = append(args, string(arg))
			arg = arg[:0]
		}
	}
}

func softLimit(what int) uint64 {
	var l syscall.Rlimit
	_ = syscall.Getrlimit(what, &l)
	return l.Cur
}

func setSoftLimit(what int, value uint64) {
	var l syscall.Rlimit
	if syscall.Getrlimit(what, &l) == nil {
		l.Cur = min(value, l.Max)
		_ = syscall.Setrlimit(what, &l)
	}
}
