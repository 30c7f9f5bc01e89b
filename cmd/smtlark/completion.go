package main

import (
	"context"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
)

func init() { command.Register("completion", newCompletion) }

const completionAbout = `Prints a shell script that makes Tab complete verbs, flags, their values and files: solvers of this machine,
techniques, the numbers of findings, formats.

  bash         smtlark completion bash > ~/.local/share/bash-completion/completions/smtlark
  zsh          smtlark completion zsh > "${fpath[1]}/_smtlark"
  fish         smtlark completion fish > ~/.config/fish/completions/smtlark.fish
  powershell   smtlark completion powershell >> $PROFILE

To try it at once: source <(smtlark completion bash); bash needs its package bash-completion.`

// completions write the scripts of the shells.
var completions = map[string]func(root *cobra.Command, w io.Writer) error{
	"bash":       func(root *cobra.Command, w io.Writer) error { return root.GenBashCompletionV2(w, true) },
	"fish":       func(root *cobra.Command, w io.Writer) error { return root.GenFishCompletion(w, true) },
	"powershell": (*cobra.Command).GenPowerShellCompletionWithDesc,
	"zsh":        (*cobra.Command).GenZshCompletion,
}

func newCompletion(e *command.Env) *cobra.Command {
	shells := slices.Sorted(maps.Keys(completions))
	c := &cobra.Command{
		Use:   "completion " + strings.Join(shells, "|"),
		Short: "print a script for command completion in a shell",
		Long:  completionAbout,
	}
	command.Words(c, shells...)
	command.Does(c, func(context.Context) int {
		write := completions[c.Flags().Arg(0)]
		if c.Flags().NArg() != 1 || write == nil {
			given := strings.Join(c.Flags().Args(), " ")
			return e.UsageError("completion", "want one of %s, got %q", strings.Join(shells, ", "), given)
		}
		if err := write(c.Root(), e.Stdout); err != nil {
			return e.Fail(command.ExitDisk, "completion", err)
		}
		return command.ExitOK
	})
	return c
}
