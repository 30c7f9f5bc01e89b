package coverage

import (
	"bytes"
	"debug/elf"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// What AFL++'s runtime looks for in its environment (AFL++, docs/env_variables.md and include/config.h).
const (
	envSize = "AFL_MAP_SIZE"
	envDump = "AFL_DUMP_MAP_SIZE"
)

// envMap returns the name of the variable that says where the map is. It is assembled at run time, because a program
// that contains the name counts as instrumented, and smtlark is not.
func envMap() string { return strings.Join([]string{"", "", "AFL", "SHM", "ID"}, "_") }

// Instrumented reports whether a file of a program counts its edges. As in AFL++ itself, the test is whether the file
// contains the name of the variable for the map. Files that are unreadable or not ELF do not count.
func Instrumented(files []string) bool {
	for _, path := range files {
		found, ok := instrumented.Load(path)
		if !ok {
			found, _ = instrumented.LoadOrStore(path, namesMap(path))
		}
		if found.(bool) {
			return true
		}
	}
	return false
}

// instrumented remembers the known facts about files by their paths: a campaign asks for each of its targets.
var instrumented sync.Map

func namesMap(path string) bool {
	f, err := elf.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	for _, s := range f.Sections {
		if s.Type != elf.SHT_PROGBITS || !strings.HasPrefix(s.Name, ".rodata") { // where constants are
			continue
		}
		if text, err := s.Data(); err == nil && bytes.Contains(text, []byte(envMap())) {
			return true
		}
	}
	return false
}

// SizeEnviron returns the environment in which an instrumented program prints the size of its map and exits, see
// ParseSize.
func SizeEnviron() []string { return []string{envDump + "=1"} }

// ParseSize returns the size in bytes of the map that a program needs, from its output in the environment SizeEnviron.
func ParseSize(program string, out []byte) (int, error) {
	for line := range bytes.Lines(out) {
		if n, err := strconv.Atoi(string(bytes.TrimSpace(line))); err == nil && n > 0 && n <= MaxSize {
			return n, nil
		}
	}
	return 0, fmt.Errorf("%s is instrumented, but with %s=1 it does not print how many edges it has", program, envDump)
}
