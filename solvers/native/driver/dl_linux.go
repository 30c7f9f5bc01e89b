package driver

import (
	"path/filepath"
	"strings"
)

const (
	libcName     = "libc.so.6"
	Extension    = ".so"
	PathVariable = "LD_LIBRARY_PATH" // folders in which the dynamic loader looks first
)

// LibraryPatterns are the file names that a library may have. The last one is that of a copy in a Python wheel:
// auditwheel puts the first eight digits of its hash behind the name.
func LibraryPatterns(name string) []string {
	return []string{name + ".so", name + "-[0-9]*.so", name + ".so.[0-9]*", name + "-" + strings.Repeat("[0-9a-f]", 8) +
		".so*"}
}

// SystemPlaces are the folders of libraries of the system.
func SystemPlaces() []string {
	places, _ := filepath.Glob("/usr/lib/*-linux-gnu")
	return append([]string{"/usr/local/lib"}, append(places, "/usr/lib64", "/usr/lib")...)
}
