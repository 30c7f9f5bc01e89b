package driver

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

// Library is a loaded C library.
type Library struct {
	kind   string // "z3", ...
	Path   string
	handle uintptr
	prefix string               // of all its functions
	funcs  map[string]*function // by name, with and without the prefix
	argv   [maxArgs]uintptr     // arguments of the present call; kept here so that calls allocate nothing
	Memory Scratch
	Log    *CallLog
	Calls  uint64
	Clock  bool          // measure the CPU time inside of the library
	Spent  time.Duration // that time
}

// maxArgs exceeds the number of arguments of any library function.
const maxArgs = 15

// function is a function of a library; at is 0 for one that the library lacks.
type function struct {
	name string // with the prefix
	at   uintptr
}

// Fault is the failure of a call. It is a panic value, which becomes the error of the session's call. Some faults have
// unwound C frames.
type Fault struct {
	Class   solvers.Class
	Message string
	Dead    bool // the library's state cannot be trusted any more
}

func (f *Fault) Error() string { return f.Message }

// Unsupported returns the fault for a feature that the library or its binding lacks.
func Unsupported(format string, args ...any) *Fault {
	return &Fault{Class: solvers.Unsupported, Message: fmt.Sprintf(format, args...)}
}

// Refuse returns the fault for a call that the library declined.
func Refuse(class solvers.Class, message string) *Fault {
	return &Fault{Class: class, Message: solvers.Normalize(message)}
}

// OpenLibrary loads the library of a kind of solver.
func OpenLibrary(kind, path string) (*Library, error) {
	if Unavailable != "" {
		return nil, fmt.Errorf("%s: %s", path, Unavailable)
	}
	h, err := dlopen(path)
	if err != nil {
		return nil, err
	}
	return &Library{kind: kind, Path: path, handle: h, prefix: prefixes[kind], funcs: map[string]*function{},
		Log: &CallLog{}}, nil
}

// prefixes has the prefix of the function names of each library.
var prefixes = map[string]string{"z3": "Z3_", "cvc5": "cvc5_", "bitwuzla": "bitwuzla_", "boolector": "boolector_",
	"yices2": "yices_"}

// lookUpFunction returns a function by its name, which may lack the prefix of the library.
func (l *Library) lookUpFunction(name string) *function {
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

// Address returns the address of a function, 0 if the library has none of that name.
func (l *Library) Address(name string) uintptr { return l.lookUpFunction(name).at }

// Has reports whether the library has a function.
func (l *Library) Has(name string) bool { return l.Address(name) != 0 }

// Call calls a function of the library with words as arguments; the prefix of its name may be left out. It throws a
// fault if the library has none of that name.
func (l *Library) Call(name string, args ...uintptr) uintptr {
	return l.enterCall(l.lookUpFunction(name), copy(l.argv[:], args), len(args))
}

// With is like Call, with first as the first argument.
func (l *Library) With(first uintptr, name string, args ...uintptr) uintptr {
	l.argv[0] = first
	return l.enterCall(l.lookUpFunction(name), 1+copy(l.argv[1:], args), 1+len(args))
}

// enterCall calls a function with the first n arguments of argv; want is the number of arguments that the caller
// passed.
func (l *Library) enterCall(f *function, n, want int) uintptr {
	switch {
	case f.at == 0:
		panic(Unsupported("%s has no function %s: another version of %s may have it", l.Path, f.name, l.kind))
	case n != want:
		panic(fmt.Sprintf("native: %s is called with %d arguments, more than there is room for", f.name, want))
	}
	l.Calls++
	l.Log.noteCall(f.name)
	if Recording != nil || l.Clock {
		return l.callObserved(f, slices.Clone(l.argv[:n]))
	}
	return SyscallC(f.at, l.argv[:n])
}

// callObserved makes a call that is recorded or measured.
func (l *Library) callObserved(f *function, args []uintptr) uintptr {
	if Recording != nil {
		result := Recording.recordCall(f.name, args)
		r := SyscallC(f.at, args)
		Recording.noteResult(f.name, result, r)
		return r
	}
	begun := threadCPU()
	defer func() { l.Spent += threadCPU() - begun }()
	return SyscallC(f.at, args)
}

// Boolean calls a function that returns a bool: only the lowest byte of the result counts.
func (l *Library) Boolean(name string, args ...uintptr) bool { return l.Call(name, args...)&0xff != 0 }

// Text calls a function that returns a C string.
func (l *Library) Text(name string, args ...uintptr) string { return GoString(l.Call(name, args...)) }

// Str returns the address of a C string in the memory of the present call.
func (l *Library) Str(s string) uintptr { return l.Memory.cString(s) }

// Words32 returns the address of a C array of 32-bit words.
func (l *Library) Words32(list []uint32) uintptr { return l.Memory.wordArray(list) }

// Refs returns the address of a C array of references.
func (l *Library) Refs(list []Ref) uintptr { return l.Memory.refArray(list) }

// CallLog keeps the names of the latest calls in a memory-mapped file, so that they survive the process. Writing costs
// a few nanoseconds and no system call.
type CallLog struct {
	block []byte
	n     uint64
}

const (
	logSlots    = 31
	logSlotSize = 64
	logSize     = (logSlots + 1) * logSlotSize
	stopAt      = 8 // offset of the flag that the running call was told to end, after the number of calls
)

// OpenLog makes the log in a file.
func OpenLog(path string) (*CallLog, error) {
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
	return &CallLog{block: block}, nil
}

// UseLog makes the library record its calls in a log, and when a check is told to end.
func (l *Library) UseLog(log *CallLog) {
	l.Log = log
	checkWatcher.useLog(log)
}

// noteStop notes whether the call that runs has been told to end.
func (l *CallLog) noteStop(told bool) {
	if l == nil || l.block == nil {
		return
	}
	l.block[stopAt] = 0
	if told {
		l.block[stopAt] = 1
	}
}

func (l *CallLog) noteCall(name string) {
	if l.block == nil {
		return
	}
	slot := l.block[logSlotSize*(1+int(l.n%logSlots)):][:logSlotSize]
	slot[0] = byte(copy(slot[1:], name))
	l.n++
	binary.LittleEndian.PutUint64(l.block, l.n)
}

// Begin starts a run: it discards the calls of the previous run.
func (l *CallLog) Begin() {
	if l.block != nil {
		l.n = 0
		binary.LittleEndian.PutUint64(l.block, 0)
		l.noteStop(false)
	}
}

// ReadLog returns the latest calls, oldest first, the number of all, and whether the last one was told to end.
func ReadLog(path string) (calls []string, n uint64, stopped bool) {
	block, err := os.ReadFile(path)
	if err != nil || len(block) < logSize {
		return nil, 0, false
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
	return calls, n, block[stopAt] != 0
}

// Printed returns the output of this process's library since the run began. It contains error messages of cvc5.
var Printed = func() string { return "" }
