// Command smtlark finds bugs in SMT solvers. See README.md and docs/.
//
// main routes to a verb and exits with its code, nothing else: each verb lives in a file
// of its own that registers it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/fatih/color"
	"github.com/spf13/pflag"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/engine/store/folder"
	"github.com/smtlark/smtlark/engine/system"
	"github.com/smtlark/smtlark/solvers/trust"
)

// The exit codes, the same for every verb. 1 and 2 are left out since a Go program that
// dies exits with 2.
const (
	exitOK       = 0  // nothing was found, nothing failed
	exitFindings = 10 // findings; for test, lint, fmt and docs: failures, warnings, differences
	exitFlaky    = 11 // only findings that do not reproduce every time, or verdicts that are not settled yet
	exitUsage    = 64 // wrong flags or arguments
	exitScript   = 65 // an error in a campaign file
	exitSolver   = 69 // no usable solver
	exitInternal = 70 // a mistake in smtlark
	exitDisk     = 74 // reading or writing failed, the disk is full
)

// env is what a verb may touch of the world, so that tests can replace it.
type env struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer

	// inspect, if not nil, takes the flags and the help of a verb in place of arguments; the verb then does nothing.
	inspect func(fs *pflag.FlagSet, synopsis, about string)

	untrusted string // the folder that a file of the verb lies in, when the verb failed because it is not trusted
}

// program is smtlark as the user calls it, for commands that are printed to be run: "bin/smtlark" is not on the PATH.
func (e *env) program() string {
	name := os.Args[0]
	if strings.HasSuffix(name, ".test") || filepath.Base(name) == name { // a test of Go, or found on the PATH
		return "smtlark"
	}
	return folder.ShellWord(name)
}

// runnable replaces the name smtlark in the commands that a message tells to run by what the user calls it.
func (e *env) runnable(message string) string {
	name := e.program()
	if name == "smtlark" {
		return message
	}
	return strings.NewReplacer("`smtlark ", "`"+name+" ", "replay: smtlark ", "replay: "+name+" ", "run it: smtlark ", "run it: "+name+" ",
		"replay it: smtlark ", "replay it: "+name+" ").Replace(message)
}

// verb is one command of smtlark.
type verb struct {
	Name    string
	Summary string   // one line, lower case, no full stop
	Group   string   // heading in the help; see groups
	Hidden  bool     // started by smtlark itself
	Words   []string // what its first argument can be, where that is one of a few words
	// Run parses args with env.parse and returns an exit code.
	Run func(ctx context.Context, e *env, args []string) int
}

// groups are the headings of the help, in this order.
var groups = []string{groupCampaigns, groupScripts, groupOther}

const (
	groupCampaigns = "Find bugs"
	groupScripts   = "Write campaign files"
	groupOther     = "More"
)

var verbs = map[string]verb{}

// register adds a verb; call it from init.
func register(v verb) {
	if _, dup := verbs[v.Name]; dup {
		panic("smtlark: two verbs are named " + v.Name)
	}
	if !slices.Contains(groups, v.Group) {
		v.Group = groupOther
	}
	verbs[v.Name] = v
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the second signal kills
	trust.Enforce()
	if !verbs[firstWord(os.Args[1:])].Hidden { // the parent of a worker looks after what that leaves
		system.AdoptOrphans()
		if limit, ok := system.AddressSpace(); ok && limit < enoughAddressSpace {
			fmt.Fprintf(os.Stderr, "smtlark: the address space is limited to %d MB (ulimit -v): with less than %d MB smtlark may die of that, in a dump of its stacks; `ulimit -v unlimited` lifts the limit, --memory limits solvers\n",
				limit>>20, enoughAddressSpace>>20)
		}
	}
	code := run(ctx, &env{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}, os.Args[1:])
	stop()
	if !verbs[firstWord(os.Args[1:])].Hidden {
		system.EndOrphans(nil) // what solvers left in the background
	}
	os.Exit(code)
}

// enoughAddressSpace is with how much no verb was seen to die. Go and the interpreter of Starlark reserve much more than they use.
const enoughAddressSpace = 2 << 30

func firstWord(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// run routes to the verb.
func run(ctx context.Context, e *env, args []string) (code int) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintf(e.Stderr, "smtlark: internal error: %v\n%s", r, debug.Stack())
			code = exitInternal
		}
	}()
	if len(args) == 0 {
		usage(e.Stderr)
		return exitUsage
	}
	name := args[0]
	switch name {
	case "-h", "-help", "--help":
		usage(e.Stdout)
		return exitOK
	case "--version":
		name = "version"
	}
	v, ok := verbs[name]
	if !ok {
		return unknownVerb(e, name)
	}
	if code = v.Run(ctx, e, args[1:]); e.askTrust() {
		code = v.Run(ctx, e, args[1:])
	}
	return code
}

func unknownVerb(e *env, name string) int {
	names := verbNames(false)
	if strings.HasSuffix(name, ".star") {
		return e.usageError("", "%q is a campaign file, not a verb (did you mean \"smtlark run %s\"?)", name, name)
	}
	if hint := registry.Nearest(name, names); hint != "" {
		return e.usageError("", "no verb is named %q (did you mean %q?)", name, hint)
	}
	return e.usageError("", "no verb is named %q; the verbs are: %s", name, strings.Join(names, ", "))
}

// verbNames returns the sorted names, with or without the hidden ones.
func verbNames(hidden bool) (names []string) {
	for n, v := range verbs {
		if hidden || !v.Hidden {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	return names
}

const exitCodesText = `0 nothing found, 10 findings (or failed tests, warnings, differences),
11 only flaky or unsettled ones, 64 usage, 65 error in a campaign file, 69 no usable solver,
70 internal error, 74 reading or writing failed.`

// usage writes the overview of all verbs.
func usage(w io.Writer) {
	fmt.Fprintf(w, "smtlark finds bugs in SMT solvers. A campaign is a Starlark file.\n\nUsage: smtlark VERB [FLAGS] [ARGUMENTS]\n")
	for _, g := range groups {
		var lines []string
		for _, n := range verbNames(false) {
			if v := verbs[n]; v.Group == g {
				lines = append(lines, fmt.Sprintf("  %-10s %s\n", n, v.Summary))
			}
		}
		if len(lines) > 0 {
			fmt.Fprintf(w, "\n%s:\n%s", g, strings.Join(lines, ""))
		}
	}
	fmt.Fprintf(w, "\nsmtlark help VERB tells more.\n\nExit codes: %s\n", exitCodesText)
}

// parse parses the flags of a verb. When done is true the verb returns code at once:
// help was asked for, or the flags are wrong. synopsis is "run FILE [flags]"; about is
// the text of the help below it.
func (e *env) parse(fs *pflag.FlagSet, synopsis, about string, args []string) (code int, done bool) {
	fs.SetOutput(io.Discard)
	fs.SortFlags = false
	if e.inspect != nil {
		e.inspect(fs, synopsis, about)
		return exitOK, true
	}
	fs.Usage = func() {}
	err := fs.Parse(args)
	switch {
	case errors.Is(err, pflag.ErrHelp):
		fmt.Fprintf(e.Stdout, "Usage: smtlark %s\n\n%s\n", synopsis, strings.TrimSpace(about))
		if flags := fs.FlagUsagesWrapped(100); flags != "" {
			fmt.Fprintf(e.Stdout, "\nFlags:\n%s", flags)
		}
		return exitOK, true
	case err != nil:
		msg := err.Error()
		if name, ok := strings.CutPrefix(msg, "unknown flag: --"); ok {
			var names []string
			fs.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
			if hint := registry.Nearest(name, names); hint != "" {
				msg += fmt.Sprintf(" (did you mean --%s?)", hint)
			}
		}
		return e.usageError(fs.Name(), "%s", msg), true
	}
	return exitOK, false
}

// usageError reports a wrong command line and returns exitUsage.
func (e *env) usageError(verb, format string, args ...any) int {
	help := e.program() + " --help"
	prefix := "smtlark: "
	if verb != "" {
		help, prefix = e.program()+" help "+verb, "smtlark "+verb+": "
	}
	fmt.Fprintf(e.Stderr, "%s%s\nRun '%s'.\n", prefix, e.runnable(fmt.Sprintf(format, args...)), help)
	return exitUsage
}

// fail reports an error and returns the code.
func (e *env) fail(code int, verb string, err error) int {
	fmt.Fprintf(e.Stderr, "%s %s\n", red("smtlark "+verb+":"), e.runnable(err.Error()))
	return code
}

// Colours are off when the output is no terminal or NO_COLOR is set (fatih/color looks
// at both).
var (
	red    = color.New(color.FgRed).SprintFunc()
	green  = color.New(color.FgGreen).SprintFunc()
	yellow = color.New(color.FgYellow).SprintFunc()
)
