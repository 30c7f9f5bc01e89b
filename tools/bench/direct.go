package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/system"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/process"
)

// directClient is a minimal client of a solver on a pipe: it writes the new part of a query with its check-sat at once,
// and reads one line. It has no markers, no limits and no checks, so it is the baseline for layers above a pipe.
type directClient struct {
	a       *smt.Arena
	text    smtlib.Printer
	unsent  []byte
	command *exec.Cmd
	group   *system.Group
	in      io.WriteCloser
	out     *bufio.Reader
}

// startDirect starts a solver as it is started for a session.
func startDirect(ctx context.Context, a *smt.Arena, s *solvers.Solver) (*directClient, error) {
	args := slices.Concat(s.Profile.Args, s.Args, s.Profile.SessionArgs, s.Profile.IncrementalArgs)
	d := &directClient{a: a, command: exec.CommandContext(ctx, s.Path, args...)}
	in, err := d.command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := d.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if d.group, err = system.StartGroup(d.command); err != nil {
		return nil, fmt.Errorf("start %s: %w", s.Path, err)
	}
	d.in, d.out = in, bufio.NewReader(out)
	if pipe, ok := out.(*os.File); ok { // the cheapest way to wait for a reply in Go
		d.out = bufio.NewReader(process.NewPromptReader(pipe))
	}
	return d, nil
}

// do buffers a command without a reply, which is sent with the next check-sat.
func (d *directClient) do(c *smtlib.Command) error {
	d.unsent = append(d.text.Command(d.unsent, d.a, c), '\n')
	return nil
}

// check sends the buffered commands with a check-sat, and reads the answer.
func (d *directClient) check() (smtlib.Answer, error) {
	d.unsent = append(d.unsent, "(check-sat)\n"...)
	_, wrote := d.in.Write(d.unsent)
	d.unsent = d.unsent[:0]
	line, err := d.out.ReadString('\n')
	if err != nil {
		return smtlib.None, fmt.Errorf("no answer to check-sat: %w", errors.Join(err, wrote))
	}
	answer, ok := smtlib.ParseAnswer(strings.TrimSpace(line))
	if !ok {
		return smtlib.None, fmt.Errorf("no answer to check-sat, but %q", line)
	}
	return answer, nil
}

// close ends the solver's input and waits for the solver.
func (d *directClient) close() error {
	err := d.in.Close()
	defer d.group.Close()
	return errors.Join(err, d.command.Wait())
}
