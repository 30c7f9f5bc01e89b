package build

import (
	"debug/elf"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// Whole is everything that a program, or a library, consists of when it runs on Linux.
type Whole struct {
	Main      string   // the program or library itself
	Arguments []string // that a start script gives it before all others
	Loader    string   // the dynamic loader that starts it; "": it needs none
	Libraries []string // all that are loaded with it, by the names that they are asked for
}

// WholeOf returns all files of the program in an argument vector, down to the C library, so that it can run on another
// machine as it does here. It returns nil if they are not known, as for programs in Java or Python. For a library, the
// vector has the path of the library instead of the program.
func WholeOf(argv []string) *Whole {
	main, folders := programOf(argv)
	// A virtual machine of Java, or Python, is more than a program and its libraries.
	if main == "" || len(jarsOf(argv)) > 0 || modulesOf(argv) != nil {
		return nil
	}
	w := &Whole{Main: main, Arguments: slices.Clone(argv[slices.Index(argv, main)+1:])}
	w.Libraries = withNeeded([]string{main}, folders, func(string) bool { return true })[1:]
	if len(w.Libraries) == 0 {
		return w
	}
	if argv[0] != main {
		w.Loader = argv[0]
	} else {
		w.Loader = loaderOf(main, w.Libraries)
	}
	w.Libraries = slices.DeleteFunc(w.Libraries, func(path string) bool { return path == w.Loader || isLoader(path) })
	return w
}

func isLoader(path string) bool { return strings.HasPrefix(filepath.Base(path), "ld-linux") }

// loaderOf returns the dynamic loader that a program names, or that lies beside the C library which a library needs.
func loaderOf(main string, libraries []string) string {
	if f, err := elf.Open(main); err == nil {
		defer f.Close()
		for _, p := range f.Progs {
			if p.Type != elf.PT_INTERP {
				continue
			}
			if name, err := io.ReadAll(p.Open()); err == nil {
				if path := strings.TrimRight(string(name), "\x00"); isLoader(path) {
					return path
				}
			}
		}
	}
	for _, path := range libraries {
		if isLoader(path) {
			return path
		}
		if filepath.Base(path) == "libc.so.6" {
			if beside, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "ld-linux*.so.*")); len(beside) > 0 {
				return beside[0]
			}
		}
	}
	return ""
}
