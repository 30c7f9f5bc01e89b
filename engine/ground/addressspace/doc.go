// Package addressspace lets a process live with little address space (ulimit -v, RLIMIT_AS), as Why3 gives it to
// provers: 1 GB. Go, the C library and the interpreter of Starlark reserve far more than they use: 1.2 GB for the
// tables of Go's heap, 64 MB for each thread that calls malloc, 4 GB for small integers. All three continue with less
// if a reservation fails, or if they are configured so before they start (package begin).
package addressspace

import (
	"bytes"
	"log"
	"os"

	"github.com/smtlark/smtlark/engine/ground/addressspace/begin"
)

// Least is the limit in bytes below which Go itself may fail to start, or die soon.
const Least = 900 << 20

// Limit returns the limit of this process's address space in bytes; ok is false where there is none.
func Limit() (bytes uint64, ok bool) { return begin.Limit() }

// HeapUnder returns how many bytes the heap may have under a limit: the rest of the process was measured to take 740
// MB.
func HeapUnder(limit uint64) int64 {
	const (
		beside = 760 << 20
		least  = 48 << 20
	)
	if limit < beside+least {
		return least
	}
	return int64(limit - beside)
}

func init() {
	if _, limited := Limit(); limited {
		log.SetOutput(withoutNotice{})
	}
}

// withoutNotice is the standard error without the notice that small integers of Starlark are slower with little address
// space.
type withoutNotice struct{}

func (withoutNotice) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte("Starlark failed to allocate")) {
		return len(line), nil
	}
	return os.Stderr.Write(line)
}
