package solvers

import (
	"bytes"
	"debug/elf"
	"os"
	"slices"
	"strings"
	"sync"
)

// sanitizer is a checker of compilers that can be built into a solver (LLVM, compiler-rt; GCC has the same).
type sanitizer struct {
	symbol   string // that an instrumented file defines or imports
	variable string // the environment variable with the settings of its runtime
	settings string
	shadow   bool // it maps more memory than the machine has, so only resident memory can be limited
}

// sanitizers lists the sanitizers with their settings: leaks are not reported, and UBSan prints a stack trace, which
// tells findings apart.
var sanitizers = []sanitizer{
	{"__asan_init", "ASAN_OPTIONS", "detect_leaks=0", true},
	{"__hwasan_init", "HWASAN_OPTIONS", "detect_leaks=0", true},
	{"__lsan_init", "LSAN_OPTIONS", "detect_leaks=0", false},
	{"__msan_init", "MSAN_OPTIONS", "", true},
	{"__tsan_init", "TSAN_OPTIONS", "", true},
	{"__ubsan_handle_", "UBSAN_OPTIONS", "print_stacktrace=1", false},
}

// sanitizersOf caches the sanitizers of files by path, since a campaign asks for each of its targets.
var sanitizersOf sync.Map

// sanitizersIn returns the sanitizers that an ELF file was built with; none for any other file.
func sanitizersIn(path string) []sanitizer {
	if found, ok := sanitizersOf.Load(path); ok {
		return found.([]sanitizer)
	}
	var found []sanitizer
	if f, err := elf.Open(path); err == nil {
		defer f.Close()
		if s := f.Section(".dynstr"); s != nil {
			names, _ := s.Data() // none if the file is broken
			for _, each := range sanitizers {
				if bytes.Contains(names, []byte(each.symbol)) {
					found = append(found, each)
				}
			}
		}
	}
	sanitizersOf.Store(path, found)
	return found
}

// Environ returns the environment settings of the solver's processes, each NAME=value: those of its profile, and those
// for the sanitizers that it was built with, extended by the user's own settings.
func (s *Solver) Environ() []string {
	out := slices.Clip(s.Profile.Env)
	for _, each := range sanitizersIn(s.Path) {
		settings := each.settings
		if own := os.Getenv(each.variable); own != "" && settings != "" {
			settings += ":" + own // later settings win
		}
		if settings != "" && !slices.ContainsFunc(out, func(e string) bool {
			return strings.HasPrefix(e, each.variable+"=")
		}) {
			out = append(out, each.variable+"="+settings)
		}
	}
	return out
}

// MemoryLimit says what the memory limit of the solver bounds, see Program.MemoryLimit. For a build with a sanitizer
// that maps more memory than there is, it bounds the resident memory.
func (s *Solver) MemoryLimit() string {
	if slices.ContainsFunc(sanitizersIn(s.Path), func(each sanitizer) bool { return each.shadow }) {
		return "resident"
	}
	return s.Profile.MemoryLimit
}
