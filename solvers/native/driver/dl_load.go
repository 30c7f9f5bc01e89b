//go:build (linux || darwin) && (amd64 || arm64) && !nonative

package driver

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/ebitengine/purego"
)

// Unavailable says why no library can be loaded by this build; "" if they can.
const Unavailable = ""

func dlopen(path string) (uintptr, error) {
	open := path
	// Libraries that it needs may lie beside it ($ORIGIN), but for a symbolic link the loader would search the link's
	// folder.
	if file, err := filepath.EvalSymlinks(path); err == nil && filepath.IsAbs(path) {
		open = file
	}
	h, err := purego.Dlopen(open, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return 0, explainOpen(path, err)
	}
	return h, nil
}

// explainOpen adds advice to an error of the dynamic loader.
func explainOpen(path string, err error) error {
	text := err.Error()
	switch {
	case strings.Contains(text, "GLIBC_") || strings.Contains(text, "GLIBCXX_"):
		return fmt.Errorf("%s was built for a newer system (%s); put the dynamic loader and the libraries it was built with beside it, as `smtlark solvers --fetch` does", path, text)
	case strings.Contains(text, "cannot open shared object file"), strings.Contains(text, "Library not loaded"):
		return fmt.Errorf("%s cannot be loaded, a library it needs is missing (%s); put it into the same folder or name its folder in %s", path, text, PathVariable)
	}
	return errors.New(text)
}

func dlsym(handle uintptr, name string) uintptr {
	p, err := purego.Dlsym(handle, name)
	if err != nil {
		return 0
	}
	return p
}

// SyscallC calls a C function.
func SyscallC(fn uintptr, args []uintptr) uintptr {
	r, _, _ := purego.SyscallN(fn, args...)
	return r
}

// NewCallback returns the address of a C function that calls a function of ours.
func NewCallback(fn any) uintptr { return purego.NewCallback(fn) }

var libc uintptr

// LibcSymbol returns the address of a function of the C library.
func LibcSymbol(name string) uintptr {
	if libc == 0 {
		h, err := purego.Dlopen(libcName, purego.RTLD_NOW)
		if err != nil {
			return 0
		}
		libc = h
	}
	return dlsym(libc, name)
}
