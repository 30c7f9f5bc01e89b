//go:build linux || darwin

package system

import (
	"io/fs"
	"strings"
	"syscall"
)

// openAtOnce is the flag to open a pipe without waiting for a writer.
const openAtOnce = syscall.O_NONBLOCK

// ProgramSuffix is the suffix of the file names of programs.
const ProgramSuffix = ""

// Executable reports whether a file can be started.
func Executable(st fs.FileInfo) bool { return st.Mode().IsRegular() && st.Mode()&0o111 != 0 }

// Pattern returns a pattern for filepath.Glob that matches a path and nothing else.
func Pattern(path string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`).Replace(path)
}
