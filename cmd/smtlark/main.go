// Command smtlark finds bugs in SMT solvers. See README.md and docs/.
//
// main routes to a verb and exits with its code, nothing else: each verb lives in a file
// of its own that registers it, here or in a package below internal.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	_ "github.com/smtlark/smtlark/cmd/smtlark/internal/campaigns"
	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	_ "github.com/smtlark/smtlark/cmd/smtlark/internal/proving"
	_ "github.com/smtlark/smtlark/cmd/smtlark/internal/reduction"
	_ "github.com/smtlark/smtlark/cmd/smtlark/internal/results"
	_ "github.com/smtlark/smtlark/cmd/smtlark/internal/solving"
	"github.com/smtlark/smtlark/engine/ground/addressspace"
	"github.com/smtlark/smtlark/engine/ground/system"
	"github.com/smtlark/smtlark/solvers/trust"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the second signal kills
	trust.Enforce()
	hidden := command.IsHidden(firstWord(os.Args[1:]))
	if !hidden { // the parent of a worker looks after what that leaves
		command.AdaptHeap()
		system.AdoptOrphansOnceStarted()
		if limit, ok := addressspace.Limit(); ok && limit < addressspace.Least {
			fmt.Fprintf(os.Stderr, "smtlark: the address space is limited to %d MB (ulimit -v): with less than %d MB smtlark may die of that, in a dump of its stacks; `ulimit -v unlimited` lifts the limit, --memory limits solvers\n",
				limit>>20, addressspace.Least>>20)
		}
	}
	command.ProfileTo(os.Getenv(command.EnvProfiles), firstWord(os.Args[1:]))
	e := &command.Env{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
	if !hidden { // hidden verbs speak protocols over the file itself
		e.Stdout = command.OutputTo(os.Stdout)
	}
	code := e.EndOutput(run(ctx, e, os.Args[1:]))
	command.EndProfile()
	stop()
	if !hidden {
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
	switch firstWord(args) {
	case "--version":
		args = append([]string{"version"}, args[1:]...)
	case "-help": // as programs of Go spell it
		args = []string{"--help"}
	}
	if code = command.Execute(ctx, e, args); e.AskTrust() {
		code = command.Execute(ctx, e, args)
	}
	return code
}
