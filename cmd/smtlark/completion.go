package main

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/manual"
)

func init() {
	register(verb{Name: "completion", Summary: "print what lets a shell complete smtlark's commands", Words: manual.Shells(), Run: runCompletion})
}

const completionAbout = `Prints a script for a shell, with which Tab completes verbs, flags, their values and files.

  bash   smtlark completion bash > ~/.local/share/bash-completion/completions/smtlark
  zsh    smtlark completion zsh > "${fpath[1]}/_smtlark"
  fish   smtlark completion fish > ~/.config/fish/completions/smtlark.fish

To try it at once: source <(smtlark completion bash)`

func runCompletion(ctx context.Context, e *env, args []string) int {
	flags := pflag.NewFlagSet("completion", pflag.ContinueOnError)
	if code, done := e.parse(flags, "completion "+strings.Join(manual.Shells(), "|"), completionAbout, args); done {
		return code
	}
	if flags.NArg() != 1 || !manual.Complete(e.Stdout, flags.Arg(0), programOf(ctx)) {
		return e.usageError("completion", "want one of %s, got %q", strings.Join(manual.Shells(), ", "), strings.Join(flags.Args(), " "))
	}
	return exitOK
}

// programOf asks every verb that is no secret what it would parse.
func programOf(ctx context.Context) *manual.Program {
	p := &manual.Program{Version: version(), Groups: groups, ExitCodes: exitCodesText, Values: flagValues}
	for _, name := range verbNames(false) {
		v := verbs[name]
		s := manual.Synopsis{Name: v.Name, Summary: v.Summary, Group: v.Group, Words: v.Words}
		v.Run(ctx, &env{Stdout: io.Discard, Stderr: io.Discard, inspect: func(fs *pflag.FlagSet, usage, about string) {
			s.Flags, s.Usage, s.About = fs, usage, about
		}}, nil)
		p.Verbs = append(p.Verbs, s)
	}
	return p
}

// flagValues are the values of flags that have few.
var flagValues = map[string][]string{
	"format": formatNames(), "fail-on": {failOnAny, failOnNew, failOnNone}, "mode": {"fresh", "reset", "incremental", "native"},
	"solver": {"z3", "cvc5", "bitwuzla", "boolector", "cvc4", "yices2"},
}
