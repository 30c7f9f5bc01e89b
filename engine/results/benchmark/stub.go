package benchmark

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

//go:embed stub.c.txt
var stubSource []byte

// CompileStub compiles the solver that says sat at once, so that what is measured is the fuzzer and the start of a process.
// It returns the paths of two copies, for tools that want two solvers.
func CompileStub(dir string) ([2]string, error) {
	var none [2]string
	compiler, err := exec.LookPath("cc")
	if err != nil {
		return none, errors.New("there is no C compiler (cc), which makes the solver that answers at once")
	}
	source := filepath.Join(dir, "stub.c")
	if err := os.WriteFile(source, stubSource, 0o600); err != nil {
		return none, err
	}
	programs := [2]string{filepath.Join(dir, "stub"), filepath.Join(dir, "stub2")}
	for _, program := range programs {
		// Static, since loading a C library costs more than the answer.
		if out, err := exec.Command(compiler, "-O1", "-static", "-o", program, source).CombinedOutput(); err != nil {
			return none, fmt.Errorf("%s: %w: %s", compiler, err, out)
		}
	}
	return programs, nil
}

// countVariable names the file to which the stub appends a byte for each file that it is given.
const countVariable = "STUB_COUNT"
