// Package durable writes files that are complete or not there: under another name, synced to the disk, renamed. All
// reads and writes go through an os.Root: neither a name nor a link in a foreign folder leads out of it.
package durable

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/engine/ground/pattern"
)

// WriteNew writes and syncs a file that no other process uses yet.
func WriteNew(root *os.Root, name string, data []byte, mode fs.FileMode) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// Replace replaces the content of a file by data; readers see either the old or the new content.
func Replace(root *os.Root, name string, data []byte, mode fs.FileMode) error {
	temp := filepath.Join(filepath.Dir(name), "."+filepath.Base(name)+".new")
	if err := WriteNew(root, temp, data, mode); err != nil {
		root.Remove(temp)
		return err
	}
	if err := root.Rename(temp, name); err != nil {
		root.Remove(temp)
		return err
	}
	return SyncDir(root, filepath.Dir(name))
}

// ReplaceAt is Replace for a path. It makes missing folders.
func ReplaceAt(path string, data []byte, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer root.Close()
	return Replace(root, filepath.Base(path), data, mode)
}

// SyncDir makes renames in a folder durable.
func SyncDir(root *os.Root, dir string) error {
	d, err := root.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	return errors.Join(err, d.Close())
}

// OpenFile opens a regular file of a finding's folder, such as "runs/z3.json", for reading. Links that lead out of the
// folder that holds the finding are not followed.
func OpenFile(dir, name string) (*os.File, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(filepath.Dir(dir))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	path := filepath.Join(filepath.Base(dir), filepath.FromSlash(name))
	info, err := root.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // to open a pipe would wait
		return nil, &fs.PathError{Op: "read", Path: filepath.Join(dir, name), Err: errors.New("it is no regular file")}
	}
	return root.Open(path)
}

// ReadFile reads a file that it opens by OpenFile.
func ReadFile(dir, name string) ([]byte, error) {
	f, err := OpenFile(dir, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// JSON returns v as the text of a file that people read as well.
func JSON(v any) ([]byte, error) {
	text, err := json.MarshalIndent(v, "", "  ")
	return append(display.JSON(text), '\n'), err
}

var notName = pattern.Lazy(`[^A-Za-z0-9._-]+`)

// FileName turns a text into a file name that needs no quotes anywhere. It returns "" for a text without letters and
// digits.
func FileName(text string) string { return strings.Trim(notName().ReplaceAllString(text, "-"), "-.") }
