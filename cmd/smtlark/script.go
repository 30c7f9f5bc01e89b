package main

import (
	"errors"
	"fmt"
	"os"

	script "github.com/smtlark/smtlark/starlark"
	"github.com/smtlark/smtlark/stdlib"
)

// sourcesFor returns the module sources for a campaign file: the embedded library and
// the project that the file belongs to.
func sourcesFor(file string) (*script.Sources, error) {
	reg, err := script.Registry()
	if err != nil {
		return nil, err
	}
	root, err := script.ProjectRoot(file)
	if err != nil {
		return nil, err
	}
	return script.NewSources(reg, stdlib.FS(), root), nil
}

// scriptError reports an error of a campaign file: exit 65, or 70 when the mistake is ours.
func (e *env) scriptError(err error) int {
	fmt.Fprintln(e.Stderr, err.Error())
	e.noteTrust(err, "", "")
	var se *script.Error
	if errors.As(err, &se) && se.Internal() {
		return exitInternal
	}
	return exitScript
}

// stuck tells the error of a script that cannot be ended, since a single step of it takes so long, and ends the process:
// what a thread of Options.Stuck is for.
func (e *env) stuck(err *script.Error) {
	fmt.Fprintf(e.Stderr, "%v\nThe step could not be interrupted, so smtlark ends here.\n", err)
	os.Exit(exitScript)
}
