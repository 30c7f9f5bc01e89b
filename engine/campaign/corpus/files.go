package corpus

import (
	"io/fs"
	"path/filepath"
)

// FilesBelow returns the files NAME.smt2 in a folder and in those below, as they are come across in the order of names.
func FilesBelow(folder string) (files []string, err error) {
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && filepath.Ext(path) == ".smt2" {
			files = append(files, path)
		}
		return err
	})
	return files, err
}
