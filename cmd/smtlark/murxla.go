package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/smtlark/smtlark/engine/api/murxla"
	"github.com/smtlark/smtlark/solvers"
)

// readMurxla reads a trace if it is one of Murxla's.
func readMurxla(name string, text []byte) (t *solvers.Trace, is bool, err error) {
	if !murxla.IsTrace(text) {
		return nil, false, nil
	}
	if t, err = murxla.Read(text, nil); err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return t, true, err
}

// importProfile prints the profile of Murxla in a file as a campaign file's solver.profile.
func importProfile(e *env, file, name, base string) int {
	text, err := os.ReadFile(file)
	if err != nil {
		return e.fail(exitDisk, "api", err)
	}
	p, err := murxla.ReadProfile(text)
	if err != nil {
		return e.fail(exitUsage, "api", fmt.Errorf("%s: %w", file, err))
	}
	if name == "" {
		name = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	}
	fmt.Fprint(e.Stdout, p.Star(name, base))
	return exitOK
}
