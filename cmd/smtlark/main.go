// Command smtlark finds bugs in SMT solvers. See README.md and docs/.
//
// main routes to a verb and exits with its code, nothing else: each verb lives in a file
// of its own that registers it, here or in a package below internal.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	_ "github.com/smtlark/smtlark/cmd/smtlark/internal/campaigns"
	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	_ "github.com/smtlark/smtlark/cmd/smtlark/internal/proving"
	_ "github.com/smtlark/smtlark/cmd/smtlark/internal/reduction"
	_ "github.com/smtlark/smtlark/cmd/smtlark/internal/results"
	_ "github.com/smtlark/smtlark/cmd/smtlark/internal/solving"
	"github.com/smtlark/smtlark/engine/ground/addressspace"
	"github.com/smtlark/smtlark/engine/ground/spelling"
	"github.com/smtlark/smtlark/engine/ground/system"
	"github.com/smtlark/smtlark/solvers/trust"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the second signal kills
	trust.Enforce()
	if !command.Verbs[firstWord(os.Args[1:])].Hidden { // the parent of a worker looks after what that leaves
		command.AdaptHeap()
		system.AdoptOrphansOnceStarted()
		if limit, ok := addressspace.Limit(); ok && limit < addressspace.Least {
			fmt.Fprintf(os.Stderr, "smtlark: the address space is limited to %d MB (ulimit -v): with less than %d MB smtlark may die of that, in a dump of its stacks; `ulimit -v unlimited` lifts the limit, --memory limits solvers\n",
				limit>>20, addressspace.Least>>20)
		}
	}
	command.ProfileTo(os.Getenv(command.EnvProfiles), firstWord(os.Args[1:]))
	e := &command.Env{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
	if !command.Verbs[firstWord(os.Args[1:])].Hidden { // hidden verbs speak protocols over the file itself
		e.Stdout = command.OutputTo(os.Stdout)
	}
	code := e.EndOutput(run(ctx, e, os.Args[1:]))
	command.EndProfile()
	stop()
	if !command.Verbs[firstWord(os.Args[1:])].Hidden {
		system.EndOrphans(nil) // what solvers left in the background
	}
	os.Exit(code)
}

func firstWord(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// run routes to the verb.
func run(ctx context.Context, e *command.Env, args []string) (code int) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintf(e.Stderr, "smtlark: internal error: %v\n%s", r, debug.Stack())
			code = command.ExitInternal
		}
	}()
	if len(args) == 0 {
		usage(e.Stderr)
		return command.ExitUsage
	}
	name := args[0]
	switch name {
	case "-h", "-help", "--help":
		usage(e.Stdout)
		return command.ExitOK
	case "--version":
		name = "version"
	}
	v, ok := command.Verbs[name]
	if !ok {
		return unknownVerb(e, name)
	}
	if code = v.Run(ctx, e, args[1:]); e.AskTrust() {
		code = v.Run(ctx, e, args[1:])
	}
	return code
}

// meant are verbs for what other programs call otherwise.
var meant = map[string]string{
	"status": "smtlark findings or smtlark report", "summary": "smtlark findings or smtlark report",
	"list": "smtlark findings", "ls": "smtlark findings", "show": "smtlark findings show",
	"replay": "smtlark repro", "reproduce": "smtlark repro", "minimize": "smtlark reduce", "minimise": "smtlark reduce",
	"start": "smtlark run", "resume": "smtlark run", "init": "smtlark new", "options": "smtlark solvers",
}

func unknownVerb(e *command.Env, name string) int {
	names := command.VerbNames(false)
	if strings.HasSuffix(name, ".star") {
		return e.UsageError("", "%q is a campaign file, not a verb (did you mean \"smtlark run %s\"?)", name, name)
	}
	if verbs := meant[name]; verbs != "" {
		return e.UsageError("", "no verb is named %q (did you mean %s?)", name, verbs)
	}
	if hint := spelling.Nearest(name, names); hint != "" {
		return e.UsageError("", "no verb is named %q (did you mean %q?)", name, hint)
	}
	return e.UsageError("", "no verb is named %q; the verbs are: %s", name, strings.Join(names, ", "))
}

// usage writes the overview of all verbs.
func usage(w io.Writer) {
	fmt.Fprintf(w, "smtlark finds bugs in SMT solvers. A campaign is a Starlark file.\n\nUsage: smtlark VERB [FLAGS] [ARGUMENTS]\n")
	for _, g := range command.Groups {
		var lines []string
		for _, n := range command.VerbNames(false) {
			if v := command.Verbs[n]; v.Group == g {
				lines = append(lines, fmt.Sprintf("  %-10s %s\n", n, v.Summary))
			}
		}
		if len(lines) > 0 {
			fmt.Fprintf(w, "\n%s:\n%s", g, strings.Join(lines, ""))
		}
	}
	fmt.Fprintf(w, "\nsmtlark help VERB describes a verb.\n\nExit codes: %s\n", command.ExitCodesText)
}
