package corpus

import (
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/smtlark/smtlark/engine/ground/system"
)

// FilesBelow returns the files NAME.smt2 in a folder and in those below, in the order in which they are come across, by
// names; extensions are others than .smt2. It leaves out pipes, devices and other files that are not regular, because
// opening them may block for ever, and returns their names in others.
func FilesBelow(folder string, extensions ...string) (files, others []string, err error) {
	if len(extensions) == 0 {
		extensions = []string{".smt2"}
	}
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || entry.IsDir() || !slices.Contains(extensions, filepath.Ext(path)):
		case entry.Type().IsRegular() || system.IsRegularFile(path):
			files = append(files, path)
		default:
			others = append(others, path)
		}
		return err
	})
	return files, others, err
}
