package campaign

import (
	"os"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// machine describes the operating system and the processor, for reports of bugs. It does not name the machine.
func machine() string {
	parts := []string{runtime.GOOS + "/" + runtime.GOARCH}
	if text, err := os.ReadFile("/etc/os-release"); err == nil {
		for _, line := range strings.Split(string(text), "\n") {
			if name, ok := strings.CutPrefix(line, "PRETTY_NAME="); ok {
				parts = append(parts, strings.Trim(name, `"`))
			}
		}
	}
	var u unix.Utsname
	if unix.Uname(&u) == nil {
		parts = append(parts, "kernel "+unix.ByteSliceToString(u.Release[:]))
	}
	return strings.Join(parts, ", ")
}
