package campaign

import (
	"os"
	"runtime"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/system"
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
	if release := system.Kernel(); release != "" {
		parts = append(parts, "kernel "+release)
	}
	return strings.Join(parts, ", ")
}
