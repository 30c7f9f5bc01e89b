package command

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/pprof"
)

// EnvProfiles names the folder into which a process and those that it starts write CPU profiles of themselves; "smtlark bench --pprof" sets it.
const EnvProfiles = "SMTLARK_CPU_PROFILES"

// ProfileTo begins a CPU profile of this process in a folder, named by the verb and the number of the process; "" is none. A child that
// holds a library makes none: it can write nowhere but in its own folder.
func ProfileTo(folder, verb string) (end func()) {
	if folder == "" || verb == "native" {
		return func() {}
	}
	f, err := os.Create(filepath.Join(folder, fmt.Sprintf("%s-%d.pprof", verb, os.Getpid())))
	if err == nil {
		err = pprof.StartCPUProfile(f)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "smtlark: no profile of this process: %v\n", err)
		return func() {}
	}
	return func() {
		pprof.StopCPUProfile()
		if err := f.Close(); err != nil {
			fmt.Fprintf(os.Stderr, "smtlark: the profile of this process is not complete: %v\n", err)
		}
	}
}
