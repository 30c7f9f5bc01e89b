package system

import (
	"fmt"
	"os"
	"strings"
)

// Self returns how the present program is started with a verb of its own, for a child that
// is the program itself. A test of Go is no such program: it would run all its tests again.
func Self(verb string) ([]string, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("%s: where is smtlark itself? %w", verb, err)
	}
	if strings.HasSuffix(exe, ".test") {
		return nil, fmt.Errorf("%s: a test must set the package's Self, or there is no program to start", verb)
	}
	return []string{exe, verb}, nil
}
