package main

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/cmd/smtlark/internal/manual"
	"github.com/smtlark/smtlark/cmd/smtlark/internal/results"
	"github.com/smtlark/smtlark/engine/results/report"
)

func init() {
	command.Register(command.Verb{Name: "completion", Summary: "print a script for command completion in a shell", Words: manual.Shells(), Run: runCompletion})
}

const completionAbout = `Prints a shell script that makes Tab complete verbs, flags, their values and files.

  bash   smtlark completion bash > ~/.local/share/bash-completion/completions/smtlark
  zsh    smtlark completion zsh > "${fpath[1]}/_smtlark"
  fish   smtlark completion fish > ~/.config/fish/completions/smtlark.fish

To try it at once: source <(smtlark completion bash)`

func runCompletion(ctx context.Context, e *command.Env, args []string) int {
	flags := pflag.NewFlagSet("completion", pflag.ContinueOnError)
	if code, done := e.Parse(flags, "completion "+strings.Join(manual.Shells(), "|"), completionAbout, args); done {
		return code
	}
	if flags.NArg() != 1 || !manual.Complete(e.Stdout, flags.Arg(0), programOf(ctx)) {
		return e.UsageError("completion", "want one of %s, got %q", strings.Join(manual.Shells(), ", "), strings.Join(flags.Args(), " "))
	}
	return command.ExitOK
}

// programOf asks every verb that is no secret what it would parse.
func programOf(ctx context.Context) *manual.Program {
	p := &manual.Program{Version: command.Version(), Groups: command.Groups, ExitCodes: command.ExitCodesText, Values: flagValues}
	for _, name := range command.VerbNames(false) {
		v := command.Verbs[name]
		s := manual.Synopsis{Name: v.Name, Summary: v.Summary, Group: v.Group, Words: v.Words}
		v.Run(ctx, &command.Env{Stdout: io.Discard, Stderr: io.Discard, Inspect: func(fs *pflag.FlagSet, usage, about string) {
			s.Flags, s.Usage, s.About = fs, usage, about
		}}, nil)
		p.Verbs = append(p.Verbs, s)
	}
	return p
}

// flagValues are the values of flags that have few.
var flagValues = map[string][]string{
	"format": results.FormatNames(), "fail-on": report.FailOns, "mode": {"fresh", "reset", "incremental", "native"},
	"solver": {"z3", "cvc5", "bitwuzla", "boolector", "cvc4", "yices2", "smtinterpol", "princess"},
}
