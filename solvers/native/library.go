package native

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/smtlark/smtlark/solvers"
)

// library is a loaded C library.
type library struct {
	kind   string // "z3", ...
	path   string
	handle uintptr
	addrs  map[string]uintptr // by symbol; 0 for one that it lacks
	mem    scratch
	log    *callLog
	calls  uint64
	clock  bool          // measure the CPU time inside of the library
	spent  time.Duration // that time
}

// fault is how a call ends that has failed: it is thrown as a panic where the error is seen, and becomes the error of the
// session's call. Some of them have left C by unwinding over its frames.
type fault struct {
	class   solvers.Class
	message string
	dead    bool // the library's state cannot be trusted any more
}

func (f *fault) Error() string { return f.message }

// unsupported ends a call because the library or its binding lacks something.
func unsupported(format string, args ...any) *fault {
	return &fault{class: solvers.Unsupported, message: fmt.Sprintf(format, args...)}
}

// refuse ends a call because the library declined it.
func refuse(class solvers.Class, message string) *fault {
	return &fault{class: class, message: solvers.Normalize(message)}
}

func openLibrary(kind, path string) (*library, error) {
	if available != "" {
		return nil, fmt.Errorf("%s: %s", path, available)
	}
	h, err := dlopen(path)
	if err != nil {
		return nil, err
	}
	return &library{kind: kind, path: path, handle: h, addrs: map[string]uintptr{}, log: &callLog{}}, nil
}

// addr returns the address of a function, 0 if the library has none of that name.
func (l *library) addr(name string) uintptr {
	p, ok := l.addrs[name]
	if !ok {
		p = dlsym(l.handle, name)
		l.addrs[name] = p
	}
	return p
}

// has reports whether the library has a function.
func (l *library) has(name string) bool { return l.addr(name) != 0 }

// call calls a function of the library with words as arguments. It throws a fault if the library has none of that name.
func (l *library) call(name string, args ...uintptr) uintptr {
	p := l.addr(name)
	if p == 0 {
		panic(unsupported("%s has no function %s: another version of %s may have it", l.path, name, l.kind))
	}
	l.calls++
	l.log.note(name)
	if recording != nil {
		result := recording.before(name, args)
		r := syscallC(p, args)
		recording.after(name, result, r)
		return r
	}
	if l.clock {
		begun := threadCPU()
		defer func() { l.spent += threadCPU() - begun }()
	}
	return syscallC(p, args)
}

// boolean calls a function that returns a bool: only the lowest byte of the result counts.
func (l *library) boolean(name string, args ...uintptr) bool { return l.call(name, args...)&0xff != 0 }

// text calls a function that returns a C string.
func (l *library) text(name string, args ...uintptr) string { return goString(l.call(name, args...)) }

func (l *library) str(s string) uintptr       { return l.mem.str(s) }
func (l *library) u32s(list []uint32) uintptr { return l.mem.u32s(list) }
func (l *library) refs(list []ref) uintptr    { return l.mem.refs(list) }

// callLog keeps the names of the latest calls in a file that is mapped into memory, so that they are there when the
// process is not: writing costs a few nanoseconds and no system call.
type callLog struct {
	block []byte
	n     uint64
}

const (
	logSlots    = 31
	logSlotSize = 64
	logSize     = (logSlots + 1) * logSlotSize
)

// openLog makes the log in a file.
func openLog(path string) (*callLog, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := f.Truncate(logSize); err != nil {
		return nil, err
	}
	block, err := syscall.Mmap(int(f.Fd()), 0, logSize, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("mapping %s: %w", filepath.Base(path), err)
	}
	return &callLog{block: block}, nil
}

func (l *callLog) note(name string) {
	if l.block == nil {
		return
	}
	slot := l.block[logSlotSize*(1+int(l.n%logSlots)):][:logSlotSize]
	slot[0] = byte(copy(slot[1:], name))
	l.n++
	binary.LittleEndian.PutUint64(l.block, l.n)
}

// begin starts a run: calls of the one before do not count.
func (l *callLog) begin() {
	if l.block != nil {
		l.n = 0
		binary.LittleEndian.PutUint64(l.block, 0)
	}
}

// readLog returns the latest calls, oldest first, and the number of all.
func readLog(path string) (calls []string, n uint64) {
	block, err := os.ReadFile(path)
	if err != nil || len(block) < logSize {
		return nil, 0
	}
	n = binary.LittleEndian.Uint64(block)
	first := uint64(0)
	if n > logSlots {
		first = n - logSlots
	}
	for i := first; i < n; i++ {
		slot := block[logSlotSize*(1+int(i%logSlots)):][:logSlotSize]
		calls = append(calls, string(slot[1:1+min(int(slot[0]), logSlotSize-1)]))
	}
	return calls, n
}
