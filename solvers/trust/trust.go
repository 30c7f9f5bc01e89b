// Package trust knows the folders whose files may name programs to run. A campaign file or a finding from somebody else
// must not do this: it may use only the solvers that are registered on this machine. As in editors, the user trusts a
// folder once; see docs/trust.md.
package trust

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Env names the environment variable with more folders and programs that are trusted, separated as in PATH. Children of
// this process inherit it.
const Env = "SMTLARK_TRUST"

// enforced says whether trust is checked at all.
var enforced bool

// Enforce makes this process distrust files outside trusted folders. The command line calls it before anything else; if
// it is not called, as in tests of packages, every folder is trusted.
func Enforce() { enforced = true }

// UntrustedError says that a file names a program to run but is not in a trusted folder.
type UntrustedError struct {
	Folder string // the one to be trusted
	What   string // the file's request, such as "path = \"/x/z3\" names a program"
}

func (e *UntrustedError) Error() string {
	folder := e.Folder
	if strings.ContainsAny(folder, " \t\n\"'`$\\&;|<>()*?[]#~!{}") {
		folder = "'" + strings.ReplaceAll(folder, "'", `'\''`) + "'"
	}
	return fmt.Sprintf("%s, and %s is no trusted folder. If you know where its files come from: smtlark trust %s (from now on), or --trust (this time). Else use solvers that are registered on this machine, see smtlark solvers and docs/trust.md",
		e.What, e.Folder, folder)
}

// file returns the file that remembers trusted folders, one a line, in the user's folder of settings.
func file() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "smtlark", "trusted"), nil
}

// Folders returns the remembered folders.
func Folders() ([]string, error) {
	file, err := file()
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []string
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		if line := strings.TrimSpace(lines.Text()); filepath.IsAbs(line) {
			out = append(out, line)
		}
	}
	return out, nil
}

// Holds reports whether a folder, or a program, is trusted or lies in a trusted folder. Links are followed first.
func Holds(path string) bool {
	if !enforced {
		return true
	}
	real, err := realPath(path)
	if err != nil {
		return false
	}
	known, _ := Folders() // what cannot be read trusts nothing
	for _, t := range append(known, filepath.SplitList(os.Getenv(Env))...) {
		if top, err := realPath(t); err == nil && t != "" && within(top, real) {
			return true
		}
	}
	return false
}

func within(top, path string) bool {
	rel, err := filepath.Rel(top, path)
	return err == nil && filepath.IsLocal(rel)
}

func realPath(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// Add remembers a folder and returns its path without links.
func Add(folder string) (string, error) {
	real, err := realPath(folder)
	if err != nil {
		return "", err
	}
	if st, err := os.Stat(real); err != nil || !st.IsDir() {
		return "", fmt.Errorf("%s is no folder", folder)
	}
	if strings.ContainsAny(real, "\r\n") {
		return "", fmt.Errorf("%q has a line break in its name and cannot be remembered", real)
	}
	known, err := Folders()
	if err != nil || slices.Contains(known, real) {
		return real, err
	}
	return real, save(append(known, real))
}

// Remove forgets a folder, and reports whether it was trusted. The folder need not exist any more.
func Remove(folder string) (bool, error) {
	known, err := Folders()
	if err != nil {
		return false, err
	}
	abs, err := filepath.Abs(folder)
	if err != nil {
		return false, err
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		real = abs
	}
	left := slices.DeleteFunc(slices.Clone(known), func(t string) bool { return t == real || t == abs })
	if len(left) == len(known) {
		return false, nil
	}
	return true, save(left)
}

func save(folders []string) error {
	file, err := file()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(file), "trusted-*") // a reader sees the old or the new list, whole
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	text := ""
	if len(folders) > 0 {
		text = strings.Join(folders, "\n") + "\n"
	}
	_, err = tmp.WriteString(text)
	if err := errors.Join(err, tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), file)
}

// All makes this process, and those that it starts from now on, trust every folder: --trust.
func All() error { return ForNow(string(filepath.Separator)) }

// ForNow makes this process, and those that it starts later, trust a folder or program that the user has typed.
func ForNow(path string) error {
	abs, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	return os.Setenv(Env, strings.TrimPrefix(os.Getenv(Env)+string(filepath.ListSeparator)+abs, string(filepath.ListSeparator)))
}
