package system

import (
	"io/fs"
	"path/filepath"
)

// SizeOf is the size of a file, or of all files below a folder, in bytes; unreadable files count as 0.
func SizeOf(path string) (n int64) {
	_ = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			n += info.Size()
		}
		return nil
	})
	return n
}
