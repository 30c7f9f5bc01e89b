package native

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/confine"
	"github.com/smtlark/smtlark/solvers/native/driver"
	"github.com/smtlark/smtlark/solvers/rule"
)

// RecordC plays a script or a trace on a library in this process, as PlayText does, and writes the calls of the
// library as a C program into a file while it makes them. A crash ends the process and leaves the program up to it.
func RecordC(kind, path string, text []byte, options []rule.Setting, plain bool, file string) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := playText(kind, path, text, options, plain, io.Discard, func() {
		driver.StartRecording(f, kind, path)
	}); err != nil {
		return err
	}
	_, err = io.WriteString(f, driver.RecordTail)
	return err
}

// ProgramC plays a script or a trace on a library in a child and returns a C program that makes the same calls of the
// library, up to the one that ended the child if one did.
func ProgramC(ctx context.Context, s *solvers.Solver, text []byte, options []rule.Setting) (string, error) {
	dir, err := os.MkdirTemp("", "smtlark-c-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out.c")
	if err := os.WriteFile(in, text, 0o600); err != nil {
		return "", err
	}
	argv := append(append(append([]string{}, s.Exec...), s.Args...), in, "--c", out)
	for _, o := range options {
		argv = append(argv, "-o", o.Name+"="+o.Value)
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	runErr := confine.RunIn(dir, cmd)
	program, err := os.ReadFile(out)
	if err != nil {
		return "", fmt.Errorf("the calls of %s could not be recorded: %w: %s", s.Library, errors.Join(runErr, err),
			bytes.TrimSpace(said.Bytes()))
	}
	if !bytes.HasSuffix(program, []byte(driver.RecordTail)) {
		program = append(program, driver.RecordTail...)
	}
	return string(program), nil
}
