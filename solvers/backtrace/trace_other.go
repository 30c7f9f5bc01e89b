//go:build !linux || !(amd64 || arm64)

package backtrace

import "errors"

const supported = false

// Trace is there on Linux only.
func Trace(string, []string) (int, error) {
	return 0, errors.New("processes are traced on Linux only, on amd64 and arm64")
}
