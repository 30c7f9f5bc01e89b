package system

import (
	"fmt"
	"os"
	"strings"
)

// Self returns the command line that starts this program with one of its verbs, for a child that runs the same program.
// A Go test binary does not qualify: it would run all its tests again.
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
