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

// envMap returns the name of the variable that says where the map is. It is put together, as a program with the name
// in it counts as instrumented, and smtlark is not.
func envMap() string { return strings.Join([]string{"", "", "AFL", "SHM", "ID"}, "_") }

// Instrumented reports whether one of the files of a program counts its edges: it names the variable by which it is
// told where, as AFL++ itself recognises programs. Files that cannot be read, or are no ELF files, do not.
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

// SizeEnviron is the environment in which an instrumented program tells the size of its map instead of doing its
// work, see ParseSize.
func SizeEnviron() []string { return []string{envDump + "=1"} }

// ParseSize reads how many bytes the map of a program needs from what it printed in the environment SizeEnviron.
func ParseSize(program string, out []byte) (int, error) {
	for line := range bytes.Lines(out) {
		if n, err := strconv.Atoi(string(bytes.TrimSpace(line))); err == nil && n > 0 && n <= MaxSize {
			return n, nil
		}
	}
	return 0, fmt.Errorf("%s is instrumented, but with %s=1 it does not print how many edges it has", program, envDump)
}
