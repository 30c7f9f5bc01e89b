// Command planted makes the edits of tools/planted/SOLVER/NN.txtar in the sources of solvers, and checks with their
// witnesses that each defect shows with its switch on and not with it off. tools/planted.sh calls it.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/smtlark/smtlark/tools/benchmark"
)

// arguments are those with which a solver reads a script with several checks.
var arguments = map[string][]string{"boolector": {"--smt2"}, "bitwuzla": {}, "opensmt": {}}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "planted:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 3 || args[0] != "plant" && args[0] != "check" {
		return errors.New("usage: planted plant|check DEFECTS FOLDER")
	}
	defects, err := benchmark.ReadDefects(args[1])
	if err != nil {
		return err
	}
	var failures []error
	done := 0
	for _, d := range defects {
		place := filepath.Join(args[2], d.Solver)
		if args[0] == "check" {
			place = filepath.Join(args[2], "bin", d.Solver)
		}
		if _, err := os.Stat(place); errors.Is(err, os.ErrNotExist) && d.Solver == "opensmt" {
			continue // its sources have to be named
		}
		done++
		if args[0] == "plant" {
			err = d.Plant(place)
		} else {
			err = check(d, args[2])
		}
		if err != nil {
			failures = append(failures, err)
		}
	}
	if err := errors.Join(failures...); err != nil {
		return err
	}
	if args[0] == "check" {
		fmt.Printf("%d defects show with their switch on, and none with it off\n", done)
	}
	return nil
}

// check runs the witness of a defect with the switch off, where the answers have to be those expected, and on, where
// they must not be.
func check(d *benchmark.Defect, folder string) error {
	dir, err := os.MkdirTemp("", "planted-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	witness, hits := filepath.Join(dir, "witness.smt2"), filepath.Join(dir, "hits")
	if err := os.WriteFile(witness, []byte(d.Witness), 0o644); err != nil {
		return err
	}
	argv := append([]string{filepath.Join(folder, "bin", d.Solver)}, append(arguments[d.Solver], witness)...)
	off := answers(argv)
	if off != d.Expected {
		return fmt.Errorf("%s: its witness gives without the defect\n%s\nwant\n%s", d.Name(), off, d.Expected)
	}
	on := answers(argv, fmt.Sprintf("%s=%d", benchmark.PlantedEnv, d.Number), benchmark.PlantedHitsEnv+"="+hits)
	if on == d.Expected {
		count, _ := os.ReadFile(hits)
		return fmt.Errorf("%s: its witness gives with the defect the same as without, %q; hits: %q", d.Name(), on, bytes.TrimSpace(count))
	}
	fmt.Printf("%s: %s, not %s (%s)\n", d.Name(), oneLine(on), oneLine(off), d.Summary)
	return nil
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// answers runs a solver for at most five seconds with at most 2 GiB. It returns the output, and the way it ended if it
// did not exit.
func answers(argv []string, env ...string) string {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	// The shell sets the limit of memory, which os/exec cannot.
	cmd := exec.CommandContext(ctx, "sh", append([]string{"-c", `ulimit -v 2097152; ulimit -c 0; exec "$@"`, "sh"}, argv...)...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.Output()
	text := strings.TrimSpace(string(out))
	var failed *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return strings.TrimSpace(text + "\ntime is over")
	case errors.As(err, &failed) && failed.Sys().(syscall.WaitStatus).Signaled():
		return strings.TrimSpace(text + "\n" + failed.String())
	case err != nil && !errors.As(err, &failed):
		return err.Error()
	}
	return text
}
