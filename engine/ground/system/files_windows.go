package system

import (
	"io/fs"
	"path/filepath"
	"strings"
)

// ProgramSuffix is the suffix of the file names of programs.
const ProgramSuffix = ".exe"

// Executable reports whether a file can be started.
func Executable(st fs.FileInfo) bool {
	return st.Mode().IsRegular() && strings.EqualFold(filepath.Ext(st.Name()), ProgramSuffix)
}

// Pattern returns a pattern for filepath.Glob that matches a path and nothing else: no path on Windows has '*' or '?',
// and there is no way to escape a bracket.
func Pattern(path string) string { return strings.ReplaceAll(path, "[", "?") }

// openAtOnce is the flag to open a pipe without waiting for a writer. On Windows, opening never waits.
const openAtOnce = 0
