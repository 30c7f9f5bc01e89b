package benchmark

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

//go:embed stub.c.txt
var stubSource []byte

// CompileStub compiles a solver that answers sat at once, to measure only the fuzzer and the start of a process. It
// returns the paths of two copies, for tools that want two solvers.
func CompileStub(dir string) ([2]string, error) {
	var none [2]string
	programs := [2]string{filepath.Join(dir, "stub"), filepath.Join(dir, "stub2")}
	for _, program := range programs {
		// Static, since loading a C library costs more than the answer.
		if err := compile(stubSource, program, "-static"); err != nil {
			return none, err
		}
	}
	return programs, nil
}

// compile compiles a program in C, with further arguments for the compiler.
func compile(text []byte, program string, args ...string) error {
	compiler, err := exec.LookPath("cc")
	if err != nil {
		return errors.New("there is no C compiler (cc), which makes the programs that smtlark is measured with")
	}
	source := program + ".c"
	if err := os.WriteFile(source, text, 0o600); err != nil {
		return err
	}
	if out, err := exec.Command(compiler, slices.Concat([]string{"-O1", "-o", program, source}, args)...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", compiler, err, out)
	}
	return nil
}

//go:embed loop.c.txt
var loopSource []byte

// CompileLoop compiles the loop over cases of one formula that the modes of a solver are measured against, and returns
// its path.
func CompileLoop(dir string) (string, error) {
	program := filepath.Join(dir, "loop")
	return program, compile(loopSource, program, "-ldl")
}

// countVariable names the file to which the stub appends a byte for each file that it is given.
const countVariable = "STUB_COUNT"
