package command

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"sync"

	"github.com/spf13/pflag"
)

// EnvProfiles names the folder into which a process and those that it starts write profiles of themselves; --pprof sets
// it.
const EnvProfiles = "SMTLARK_PPROF"

// profiling is the profile of this process that has begun.
var profiling struct {
	sync.Mutex
	cpu  *os.File
	heap string // where the profile of the heap goes
}

// ProfileFlag adds --pprof.
func ProfileFlag(fs *pflag.FlagSet) {
	fs.Var(profileFolder{fs.Name()}, "pprof", "write CPU and heap profiles of this process of smtlark and of those that it starts into a `folder`, by verb and process, for: go tool pprof FOLDER/worker-*.cpu.pprof")
}

// profileFolder begins to profile if the folder is set.
type profileFolder struct{ verb string }

func (profileFolder) String() string { return "" }
func (profileFolder) Type() string   { return "string" }

// Set implements pflag.Value.
func (p profileFolder) Set(folder string) error {
	folder, err := filepath.Abs(folder)
	if err == nil {
		err = os.MkdirAll(folder, 0o777)
	}
	if err == nil {
		err = os.Setenv(EnvProfiles, folder) // for the processes that this one starts
	}
	if err == nil {
		err = beginProfile(folder, p.verb)
	}
	return err
}

// ProfileTo begins the profiles of a process that another one has started, in the folder of EnvProfiles; "" is none. A
// child that holds a library makes none: it can write nowhere but in its own folder.
func ProfileTo(folder, verb string) {
	if folder == "" || verb == "native" {
		return
	}
	if err := beginProfile(folder, verb); err != nil {
		fmt.Fprintf(os.Stderr, "smtlark: no profile of this process: %v\n", err)
	}
}

func beginProfile(folder, verb string) error {
	profiling.Lock()
	defer profiling.Unlock()
	if profiling.cpu != nil {
		return nil
	}
	base := filepath.Join(folder, fmt.Sprintf("%s-%d", verb, os.Getpid()))
	f, err := os.Create(base + ".cpu.pprof")
	if err != nil {
		return err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		f.Close()
		return err
	}
	profiling.cpu, profiling.heap = f, base+".heap.pprof"
	return nil
}

// EndProfile writes the profiles that have begun.
func EndProfile() {
	profiling.Lock()
	defer profiling.Unlock()
	if profiling.cpu == nil {
		return
	}
	pprof.StopCPUProfile()
	err := profiling.cpu.Close()
	profiling.cpu = nil
	if heap, heapErr := os.Create(profiling.heap); heapErr != nil {
		err = errors.Join(err, heapErr)
	} else {
		runtime.GC() // leaves only memory in use in the profile
		err = errors.Join(err, pprof.WriteHeapProfile(heap), heap.Close())
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "smtlark: the profile of this process is not complete: %v\n", err)
	}
}
