package backtrace

import (
	"fmt"
	"os"
	"path"
	"strings"
	"sync"
)

// Frame is one active function.
type Frame struct {
	Function string `json:"function,omitempty"` // demangled, with its parameters; "" where no symbol covers it
	Module   string `json:"module,omitempty"`   // base name of the file that holds it; "" for none
	Build    string `json:"build_id,omitempty"` // GNU build id of that file
	Start    uint64 `json:"start"`              // where the function begins, as an address in its file
	Offset   uint64 `json:"offset"`             // where it was, from there on
	File     string `json:"file,omitempty"`     // of the source, where the file has debugging information
	Line     int    `json:"line,omitempty"`
	Signal   bool   `json:"signal,omitempty"` // the kernel put it there to call a signal handler
}

// shortBuild is the number of digits of a build id that tell builds apart for people.
const shortBuild = 8

// Name returns a name of the frame that is the same in every run of a build: the function, or where it begins in its
// file.
func (f *Frame) Name() string {
	switch {
	case f.Signal:
		return "<signal handler called>"
	case f.Function != "":
		return f.Function
	case f.Module == "" || f.isSystem():
		return "??"
	case f.Build == "":
		return fmt.Sprintf("%s+0x%x", f.Module, f.Start)
	}
	return fmt.Sprintf("%s@%s+0x%x", f.Module, f.Build[:min(shortBuild, len(f.Build))], f.Start)
}

// isSystem reports whether the frame is of a library of the system or the compiler, which has no part in where a
// solver failed.
func (f *Frame) isSystem() bool { return IsSystemLibrary(f.Module) }

// systemLibraries are the libraries of systems, compilers and big numbers, by the beginning of their file names.
var systemLibraries = []string{"libc.", "libc-", "ld-linux", "ld-musl", "libpthread", "libm.", "libm-", "libdl.",
	"librt.", "libstdc++", "libc++", "libgcc_s", "libunwind",
	"libasan", "libubsan", "libtsan", "libmsan", "libjemalloc", "libtcmalloc", "libgmp", "libmpfr", "linux-vdso", "[vdso]"}

// own is the file name of this program, which is also the one that loads libraries.
var own = sync.OnceValue(func() string {
	exe, err := os.Executable()
	if err != nil {
		return ""
	}
	return path.Base(exe)
})

// IsSystemLibrary reports whether the name of a file is that of a library that any solver may use, or of smtlark
// itself.
func IsSystemLibrary(file string) bool {
	file = path.Base(file)
	if file == own() {
		return true
	}
	for _, prefix := range systemLibraries {
		if strings.HasPrefix(file, prefix) {
			return true
		}
	}
	return false
}

// CallStack is the stack of one thread when a signal ended its process, the innermost function first.
type CallStack struct {
	Signal string  `json:"signal"` // its name, such as SIGSEGV
	Frames []Frame `json:"frames"`
	More   bool    `json:"more,omitempty"` // there were more frames than were kept
}

// String writes the stack as debuggers do, a line each, without addresses: it is the same in every run of one build.
func (s *CallStack) String() string { return s.Head(len(s.Frames)) }

// Head is String for the innermost functions, so many at most.
func (s *CallStack) Head(most int) string {
	var b strings.Builder
	for i := range s.Frames[:min(most, len(s.Frames))] {
		f := &s.Frames[i]
		fmt.Fprintf(&b, "#%-2d 0x* in %s", i, f.Name())
		switch {
		case f.File != "":
			fmt.Fprintf(&b, " (%s:%d)", f.File, f.Line)
		case f.Module != "":
			fmt.Fprintf(&b, " (%s+0x%x)", f.Module, f.Start+f.Offset)
		}
		b.WriteByte('\n')
	}
	if s.More || len(s.Frames) > most {
		b.WriteString("(more)\n")
	}
	return b.String()
}

// Recursion returns the names of the functions that a process called over and over until its stack was full, sorted, or
// nil where the stack does not look so. The position in the cycle at the end is random, so the innermost frames do not
// identify the crash.
func (s *CallStack) Recursion() []string {
	return recursiveNames(s)
}
