package system

import "os"

// anonymousFile opens a file that has no name any more.
func anonymousFile() (*os.File, error) {
	file, err := os.CreateTemp("", "smtlark-*")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(file.Name()); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}
