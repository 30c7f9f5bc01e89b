package system

import (
	"io/fs"
	"path/filepath"
	"strings"
)

// ProgramSuffix ends the file names of programs.
const ProgramSuffix = ".exe"

// Executable reports whether a file can be started.
func Executable(st fs.FileInfo) bool {
	return st.Mode().IsRegular() && strings.EqualFold(filepath.Ext(st.Name()), ProgramSuffix)
}

// Pattern returns a pattern for filepath.Glob that matches a path and nothing else: no path here has '*' or '?', and
// there is no way to write a bracket as it is.
func Pattern(path string) string { return strings.ReplaceAll(path, "[", "?") }

// openAtOnce opens a pipe without waiting for somebody who writes to it; here nothing waits.
const openAtOnce = 0
