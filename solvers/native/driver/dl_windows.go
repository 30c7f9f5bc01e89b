package driver

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/smtlark/smtlark/engine/ground/system"
)

const (
	Extension    = ".dll"
	PathVariable = "PATH"
)

// LibraryPatterns are the file names that a library may have. It is listed with the reason why it cannot be used.
func LibraryPatterns(name string) []string {
	return []string{name + Extension, name + "-[0-9]*" + Extension}
}

func SystemPlaces() []string { return nil }

func MapMemory(int) []byte { panic(Unavailable) }

func unmapMemory([]byte) {}

func mapFile(*os.File, int) ([]byte, error) { return nil, errors.New(Unavailable) }

func ProcessCPU() time.Duration { return system.CPUTime() }

func threadCPU() time.Duration { return system.CPUTime() }

func Become(argv []string) error { return fmt.Errorf("starting %s: %s", argv[0], Unavailable) }
