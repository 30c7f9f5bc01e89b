package command

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/fatih/color"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/engine/results/store/folder"
	"github.com/smtlark/smtlark/solvers/trust"
	script "github.com/smtlark/smtlark/starlark"
)

// The exit codes, the same for every verb. 1 and 2 are left out since a Go program that
// dies exits with 2.
const (
	ExitOK       = 0  // nothing was found, nothing failed
	ExitFindings = 10 // findings; for test, lint, fmt and docs: failures, warnings, differences
	ExitFlaky    = 11 // only findings that do not reproduce every time, or verdicts that are not settled yet
	ExitUsage    = 64 // wrong flags or arguments
	ExitScript   = 65 // an error in a campaign file
	ExitSolver   = 69 // no usable solver
	ExitInternal = 70 // a mistake in smtlark
	ExitDisk     = 74 // reading or writing failed, the disk is full
	ExitNoCase   = 75 // a campaign made no case: nothing was tested

	ExitInterrupted = 130 // interrupted before anything was tested, or before the end of a session
)

// Env is the environment that a verb may use, so that tests can replace it.
type Env struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer

	untrusted string // the folder that a file of the verb lies in, when the verb failed because it is not trusted
}

// Program is smtlark as the user calls it, for commands that are printed to be run: "bin/smtlark" is not on the PATH.
func (e *Env) Program() string {
	name := os.Args[0]
	if strings.HasSuffix(name, ".test") || filepath.Base(name) == name { // a test of Go, or found on the PATH
		return "smtlark"
	}
	if found, err := exec.LookPath("smtlark"); err == nil && found == name { // the name does as well
		return "smtlark"
	}
	return folder.ShellWord(name)
}

// Columns is the width of the terminal that the output goes to; 0 if it goes elsewhere.
func (e *Env) Columns() int {
	out, ok := e.Stdout.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(out.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// Runnable replaces smtlark, in the commands that a message suggests, by the name under which the user runs the
// program.
func (e *Env) Runnable(message string) string {
	name := e.Program()
	if name == "smtlark" {
		return message
	}
	return strings.NewReplacer("`smtlark ", "`"+name+" ", "replay: smtlark ", "replay: "+name+" ", "run it: smtlark ", "run it: "+name+" ",
		"replay it: smtlark ", "replay it: "+name+" ").Replace(message)
}

const ExitCodesText = `0 nothing found, 10 findings (or failed tests, warnings, differences),
11 only flaky or unsettled ones, 64 usage, 65 error in a campaign file, 69 no usable solver,
70 internal error, 74 reading or writing failed, 75 no case was made: nothing was tested,
130 interrupted before anything was tested, or before the end of a session.`

// flagsMeant maps flags of other programs to ours. By spelling alone, another flag or none would be suggested.
var flagsMeant = map[string]string{
	"time":        "for",
	"duration":    "for",
	"max-time":    "for",
	"iterations":  "cases",
	"runs":        "cases",
	"jobs":        "workers",
	"threads":     "workers",
	"output":      "out",
	"out-dir":     "out",
	"random-seed": "seed",
}

// wrongValue describes the error in a command line. For numbers, it names the expected kind of value, instead of the
// message of package strconv that pflag uses.
func wrongValue(err error) string {
	var wrong *pflag.InvalidValueError
	if !errors.As(err, &wrong) {
		return err.Error()
	}
	want := map[string]string{
		"bool":    "true or false",
		"float64": "a number",
		"int":     "a whole number",
		"int64":   "a whole number",
		"uint64":  "a whole number that is not negative",
	}[wrong.GetFlag().Value.Type()]
	if want == "" {
		return err.Error()
	}
	return fmt.Sprintf("--%s: want %s, got %q", wrong.GetFlag().Name, want, wrong.GetValue())
}

// UsageError reports a wrong command line and returns exitUsage.
func (e *Env) UsageError(verb, format string, args ...any) int {
	help := e.Program() + " --help"
	prefix := "smtlark: "
	if verb != "" {
		help, prefix = e.Program()+" help "+verb, "smtlark "+verb+": "
	}
	fmt.Fprintf(e.Stderr, "%s%s\nRun '%s'.\n", prefix, display.Text(e.Runnable(fmt.Sprintf(format, args...))), help)
	return ExitUsage
}

// Fail reports an error and returns the code. A missing input file is an error of the command line.
func (e *Env) Fail(code int, verb string, err error) int {
	var at *fs.PathError
	if code == ExitScript && errors.As(err, &at) && errors.Is(err, fs.ErrNotExist) {
		return e.UsageError(verb, "no such file or folder: %s", at.Path)
	}
	fmt.Fprintf(e.Stderr, "%s %s\n", Red("smtlark "+verb+":"), display.Text(e.Runnable(err.Error())))
	return code
}

// Colours are off when the output is no terminal or NO_COLOR is set (fatih/color looks
// at both).
var (
	Red    = color.New(color.FgRed).SprintFunc()
	Green  = color.New(color.FgGreen).SprintFunc()
	Yellow = color.New(color.FgYellow).SprintFunc()
)

// ScriptError reports an error of a campaign file: exit 65, or 70 when the mistake is ours.
func (e *Env) ScriptError(err error) int {
	fmt.Fprintln(e.Stderr, display.Text(err.Error()))
	e.NoteTrust(err, "", "")
	var se *script.ScriptError
	if errors.As(err, &se) && se.Internal() {
		return ExitInternal
	}
	return ExitScript
}

// Stuck reports the error of a script that cannot be stopped because one of its steps takes too long, and ends the
// process. It is for Options.Stuck of a thread.
func (e *Env) Stuck(err *script.ScriptError) {
	fmt.Fprintf(e.Stderr, "%s\nThe step could not be interrupted, so smtlark ends here.\n", display.Text(err.Error()))
	os.Exit(ExitScript)
}

// NoteTrust remembers that a file could not be used because its folder is not trusted; see AskTrust. dir is the folder
// of the project if the file does not determine it.
func (e *Env) NoteTrust(err error, file, dir string) {
	var untrusted *trust.UntrustedError
	var fault *campaign.LoadError
	switch {
	case errors.As(err, &untrusted):
		e.untrusted = untrusted.Folder
	case errors.As(err, &fault) && fault.Fault == campaign.FaultTrust:
		if e.untrusted = dir; dir == "" {
			e.untrusted, _ = script.ProjectRoot(file)
		}
	}
}

// Said writes a line printed by a campaign file to standard error.
func (e *Env) Said(text string) { fmt.Fprintln(e.Stderr, display.Text(text)) }

// AskTrust asks the user, where there is one, whether to trust the folder that NoteTrust has remembered, and reports
// whether it is trusted now, so that the verb can run again.
func (e *Env) AskTrust() bool {
	folder := e.untrusted
	e.untrusted = ""
	in, isFile := e.Stdin.(*os.File)
	out, isFileToo := e.Stderr.(*os.File)
	if folder == "" || !isFile || !isFileToo || !term.IsTerminal(int(in.Fd())) || !term.IsTerminal(int(out.Fd())) {
		return false
	}
	return e.asked(folder)
}

// Asked puts the question of AskTrust.
func (e *Env) asked(folder string) bool {
	fmt.Fprintf(e.Stderr, "\nTrust %s, from now on? Its files may then run any program. [y/N] ", display.Line(folder))
	line, _ := bufio.NewReader(e.Stdin).ReadString('\n')
	if answer := strings.ToLower(strings.TrimSpace(line)); answer != "y" && answer != "yes" {
		return false
	}
	if _, err := trust.Add(folder); err != nil {
		e.Fail(ExitDisk, "trust", err)
		return false
	}
	return true
}
