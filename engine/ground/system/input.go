package system

import (
	"fmt"
	"io"
	"os"
)

// maxInput is the largest input of ReadInput in bytes; campaign files read no larger files, either.
const maxInput = 256 << 20

// ReadInput reads a file that a user names. It also reads a pipe, such as that of a shell's <(command), but not a pipe
// without a writer, which would block forever. It reads no device except the standard input, because a device may have
// no end.
func ReadInput(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	mode := os.O_RDONLY
	switch {
	case info.Mode().IsRegular():
		if info.Size() > maxInput {
			return nil, fmt.Errorf("%s has %d MB, a file may have %d", path, info.Size()>>20, maxInput>>20)
		}
	case info.Mode()&os.ModeNamedPipe != 0:
		mode |= openAtOnce
	case path != "/dev/stdin" && info.Mode()&(os.ModeDevice|os.ModeSocket) != 0:
		return nil, fmt.Errorf("%s is a device or a socket and no file", path)
	}
	f, err := os.OpenFile(path, mode, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxInput+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > maxInput:
		return nil, fmt.Errorf("%s has more than %d MB, a file may have no more", path, maxInput>>20)
	case len(text) == 0 && mode&openAtOnce != 0:
		return nil, fmt.Errorf("%s is a pipe to which nobody writes", path)
	}
	return text, nil
}

// IsRegularFile reports whether a path leads to a regular file, by links or not.
func IsRegularFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
