package native

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/smtlark/smtlark/engine/system"
)

const (
	extension    = ".dll"
	pathVariable = "PATH"
)

// libraryPatterns are the file names that a library may have. It is listed with the reason why it cannot be used.
func libraryPatterns(name string) []string {
	return []string{name + extension, name + "-[0-9]*" + extension}
}

func systemPlaces() []string { return nil }

func mapMemory(int) []byte { panic(unavailable) }

func unmapMemory([]byte) {}

func mapFile(*os.File, int) ([]byte, error) { return nil, errors.New(unavailable) }

func processCPU() time.Duration { return system.CPUTime() }

func threadCPU() time.Duration { return system.CPUTime() }

func become(argv []string) error { return fmt.Errorf("starting %s: %s", argv[0], unavailable) }
