package native

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/native/driver"
	"github.com/smtlark/smtlark/solvers/rule"
	"github.com/smtlark/smtlark/solvers/tracetext"
)

// Reenter replaces the process by one that runs under the dynamic loader of the library's own tree, where there is one
// (see Discover), with the same arguments. It returns when that is not needed.
func Reenter(library string) error {
	loader := driver.LoaderOf(library)
	if loader == nil || driver.Unavailable != "" {
		return nil
	}
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	if strings.HasPrefix(filepath.Base(exe), "ld-linux") { // this is the process under the loader
		return nil
	}
	argv := append(append(loader, exe), os.Args[1:]...)
	return driver.Become(argv)
}

// PlayText plays a script or a trace on a library in this process, and writes the replies as a solver would. It
// implements "smtlark native KIND LIBRARY FILE", for reproducing a finding by hand: a crash ends the process.
func PlayText(kind, path string, text []byte, options []rule.Setting, plain bool, out io.Writer) error {
	return playText(kind, path, text, options, plain, out, func() {})
}

// playText is PlayText; loaded is called when the library is loaded, before any other call.
func playText(kind, path string, text []byte, options []rule.Setting, plain bool, out io.Writer, loaded func()) error {
	runtime.LockOSThread()
	lib, x, err := loadLibrary(kind, path)
	if err != nil {
		return err
	}
	defaultSignals()
	c := &childState{lib: lib, api: x, arena: smt.NewArena()}
	calls, err := c.readCalls(&request{Trace: tracetext.IsTrace(text), Plain: plain}, text)
	if err != nil {
		return err
	}
	if t, ok := x.(interface{ Learn() }); ok { // calls that query the library's options are not part of the run
		t.Learn()
	}
	loaded()
	s := driver.NewSession(x, c.arena)
	for _, o := range options {
		if err := s.SetOption(o.Name, o.Value); err != nil {
			fmt.Fprintf(out, "(error %q)\n", err.Error())
		}
	}
	run := &solvers.Run{}
	values, answers := 0, 0
	p := &solvers.Player{
		Open: func() (solvers.Session, error) { return c.openFurther(s) },
		Before: func(_ int, call *solvers.Call) {
			if driver.Recording != nil {
				driver.Recording.Comment(driver.DescribeCall(c.arena, call))
			}
		},
		After: func(_ int, call *solvers.Call, err error) {
			switch {
			case err != nil:
				fmt.Fprintf(out, "(error %q)\n", err.Error())
			case len(run.Answers) > answers:
				fmt.Fprintln(out, run.Answers[answers])
			case len(run.Values) > values && call.Command.Kind != smtlib.CmdOther:
				fmt.Fprintln(out, run.Values[values])
			}
			answers, values = len(run.Answers), len(run.Values)
		},
	}
	p.Play(context.Background(), s, calls, run)
	_, err = s.Close()
	return err
}
