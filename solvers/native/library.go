package native

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/smtlark/smtlark/solvers"
)

// library is a loaded C library.
type library struct {
	kind   string // "z3", ...
	path   string
	handle uintptr
	prefix string               // of all its functions
	funcs  map[string]*function // by name, with and without the prefix
	argv   [maxArgs]uintptr     // of the call that is made now: an array of its own a call would be garbage
	mem    scratch
	log    *callLog
	calls  uint64
	clock  bool          // measure the CPU time inside of the library
	spent  time.Duration // that time
}

// maxArgs is more than any function of a library has.
const maxArgs = 15

// function is a function of a library; at is 0 for one that the library lacks.
type function struct {
	name string // with the prefix
	at   uintptr
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
	if unavailable != "" {
		return nil, fmt.Errorf("%s: %s", path, unavailable)
	}
	h, err := dlopen(path)
	if err != nil {
		return nil, err
	}
	return &library{kind: kind, path: path, handle: h, prefix: prefixes[kind], funcs: map[string]*function{}, log: &callLog{}}, nil
}

// prefixes are what the names of a library's functions begin with.
var prefixes = map[string]string{"z3": "Z3_", "cvc5": "cvc5_", "bitwuzla": "bitwuzla_", "boolector": "boolector_", "yices2": "yices_"}

// function returns a function by its name, which may lack the prefix of the library.
func (l *library) function(name string) *function {
	f := l.funcs[name]
	if f == nil {
		f = &function{name: name}
		if !strings.HasPrefix(name, l.prefix) {
			f.name = l.prefix + name
		}
		f.at = dlsym(l.handle, f.name)
		l.funcs[name] = f
	}
	return f
}

// addr returns the address of a function, 0 if the library has none of that name.
func (l *library) addr(name string) uintptr { return l.function(name).at }

// has reports whether the library has a function.
func (l *library) has(name string) bool { return l.addr(name) != 0 }

// call calls a function of the library with words as arguments; the prefix of its name may be left out. It throws a fault
// if the library has none of that name.
func (l *library) call(name string, args ...uintptr) uintptr {
	return l.enter(l.function(name), copy(l.argv[:], args), len(args))
}

// with is call with a word ahead of the others.
func (l *library) with(first uintptr, name string, args ...uintptr) uintptr {
	l.argv[0] = first
	return l.enter(l.function(name), 1+copy(l.argv[1:], args), 1+len(args))
}

// enter calls a function with the first n arguments of argv; want is the number that there should be.
func (l *library) enter(f *function, n, want int) uintptr {
	switch {
	case f.at == 0:
		panic(unsupported("%s has no function %s: another version of %s may have it", l.path, f.name, l.kind))
	case n != want:
		panic(fmt.Sprintf("native: %s is called with %d arguments, more than there is room for", f.name, want))
	}
	l.calls++
	l.log.note(f.name)
	if recording != nil || l.clock {
		return l.observed(f, slices.Clone(l.argv[:n]))
	}
	return syscallC(f.at, l.argv[:n])
}

// observed makes a call that is recorded or measured.
func (l *library) observed(f *function, args []uintptr) uintptr {
	if recording != nil {
		result := recording.before(f.name, args)
		r := syscallC(f.at, args)
		recording.after(f.name, result, r)
		return r
	}
	begun := threadCPU()
	defer func() { l.spent += threadCPU() - begun }()
	return syscallC(f.at, args)
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
	block, err := mapFile(f, logSize)
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
