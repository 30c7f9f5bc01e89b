package value

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
)

// Files says which files a campaign file may read.
type Files struct {
	// Base is the folder that relative paths start at: that of the campaign file. Empty: the current one.
	Base string
	// Roots are the folders that may be read; what starts with // starts at the first. Empty: Base alone.
	Roots []string
}

// FilesKey is the slot of the files that a thread may read; without it that is what lies below the current folder.
var FilesKey = registry.NewKey[*Files]("the campaign's folder", "this thread has none")

// FilesOf returns what a thread may read.
func FilesOf(th *starlark.Thread) *Files {
	if f, err := FilesKey.Get(th); err == nil {
		return f
	}
	return &Files{}
}

func (f *Files) base() (string, error) {
	return filepath.Abs(f.Base)
}

func (f *Files) roots() ([]string, error) {
	names := f.Roots
	if len(names) == 0 {
		names = []string{f.Base}
	}
	var out []string
	for _, n := range names {
		abs, err := filepath.Abs(n)
		if err != nil {
			return nil, err
		}
		if real, err := filepath.EvalSymlinks(abs); err == nil {
			abs = real
		}
		out = append(out, abs)
	}
	return out, nil
}

// Resolve returns the absolute path that a script means, or an error when it lies outside of what the script may read.
func (f *Files) Resolve(path string) (string, error) {
	if strings.ContainsRune(path, 0) {
		return "", errors.New("a path has no zero byte")
	}
	roots, err := f.roots()
	if err != nil {
		return "", err
	}
	abs := filepath.FromSlash(path)
	switch {
	case strings.HasPrefix(path, "//"):
		abs = filepath.Join(roots[0], strings.TrimPrefix(path, "//"))
	case !filepath.IsAbs(abs):
		base, err := f.base()
		if err != nil {
			return "", err
		}
		abs = filepath.Join(base, abs)
	}
	abs = filepath.Clean(abs)
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		real = abs // it does not exist, or is a pattern
		if dir, err := filepath.EvalSymlinks(filepath.Dir(abs)); err == nil {
			real = filepath.Join(dir, filepath.Base(abs))
		}
	}
	for _, r := range roots {
		if rel, err := filepath.Rel(r, real); err == nil && filepath.IsLocal(rel) {
			return abs, nil
		}
	}
	return "", fmt.Errorf("%s lies outside of the folders that a campaign file may read (%s)", path, strings.Join(roots, ", "))
}

// maxFile bounds a file that is read as a whole.
const maxFile = 256 << 20

// ReadFile reads a file that the thread's script may read.
func ReadFile(th *starlark.Thread, path string) ([]byte, error) {
	name, err := FilesOf(th).Resolve(path)
	if err != nil {
		return nil, err
	}
	return readRegular(name, path)
}

func readRegular(name, shown string) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("no such file: %s", shown)
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", shown)
	case info.Size() > maxFile:
		return nil, fmt.Errorf("%s has %d bytes, at most %d are read", shown, info.Size(), maxFile)
	}
	return os.ReadFile(name)
}
