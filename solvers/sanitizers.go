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
	symbol   string // that such a file defines or wants
	variable string // by which its runtime is told settings
	settings string
	shadow   bool // it maps more memory than there is: only what is resident can be limited
}

// sanitizers and how they are run: a solver that ends while it holds memory is no finding, and the place of a mistake
// tells findings apart.
var sanitizers = []sanitizer{
	{"__asan_init", "ASAN_OPTIONS", "detect_leaks=0", true},
	{"__hwasan_init", "HWASAN_OPTIONS", "detect_leaks=0", true},
	{"__lsan_init", "LSAN_OPTIONS", "detect_leaks=0", false},
	{"__msan_init", "MSAN_OPTIONS", "", true},
	{"__tsan_init", "TSAN_OPTIONS", "", true},
	{"__ubsan_handle_", "UBSAN_OPTIONS", "print_stacktrace=1", false},
}

// sanitizersOf remembers which sanitizers files have, by their paths: a campaign asks for each of its targets.
var sanitizersOf sync.Map

// sanitizersIn returns the sanitizers that an ELF file was built with; none for what is no such file.
func sanitizersIn(path string) []sanitizer {
	if found, ok := sanitizersOf.Load(path); ok {
		return found.([]sanitizer)
	}
	var found []sanitizer
	if f, err := elf.Open(path); err == nil {
		defer f.Close()
		if s := f.Section(".dynstr"); s != nil {
			names, _ := s.Data() // of a broken file: none
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

// Environ returns the settings of the environment of the solver's processes, each NAME=value: those of its profile,
// and those for the sanitizers that it was built with, to which settings of the user's own environment are added.
func (s *Solver) Environ() []string {
	out := slices.Clip(s.Profile.Env)
	for _, each := range sanitizersIn(s.Path) {
		settings := each.settings
		if own := os.Getenv(each.variable); own != "" && settings != "" {
			settings += ":" + own // what comes later wins
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
