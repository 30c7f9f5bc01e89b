package command

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/smtlark/smtlark/engine/results/store"
	"github.com/smtlark/smtlark/engine/results/store/folder"
	script "github.com/smtlark/smtlark/starlark"
)

// Choices lets a shell complete the values of a flag whose value is one of a few words.
func Choices(c *cobra.Command, flag string, values ...string) {
	if err := c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // the command has no such flag
	}
}

// Words lets a shell complete the first argument of a command, which is one of a few words, or a file.
func Words(c *cobra.Command, words ...string) {
	Arguments(c, func(args []string) []string {
		if len(args) > 0 {
			return nil
		}
		return words
	})
}

// Arguments lets a shell complete the next argument of a command, given those before it: one of the words that next
// returns, or a file.
func Arguments(c *cobra.Command, next func(args []string) []string) {
	c.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return next(args), cobra.ShellCompDirectiveDefault
	}
}

// FindingNumbers lists the findings of the folder that the flag --out of a command names, each with a description.
func FindingNumbers(c *cobra.Command) (numbers []string) {
	out := "."
	if flag := c.Flag("out"); flag != nil && flag.Value.String() != "" {
		out = flag.Value.String()
	}
	r, err := store.OpenReader(out)
	if err != nil {
		return nil // there is nothing to complete
	}
	defer r.Close()
	found, err := r.Findings()
	if err != nil {
		return nil
	}
	for _, f := range found {
		numbers = append(numbers, described(f))
	}
	return numbers
}

func described(f *folder.Record) string {
	return cobra.CompletionWithDesc(f.Name(), strings.ReplaceAll(f.Headline(), "\n", " "))
}

// completeFlags lets a shell complete the flags that mean the same wherever they are.
func completeFlags(c *cobra.Command) {
	if c.Flags().Lookup("solver") != nil {
		if err := c.RegisterFlagCompletionFunc("solver", completeSolvers); err != nil {
			panic(err) // it has the flag
		}
	}
}

// completeSolvers completes the names of the solvers of this machine, and the kinds of all that are known.
func completeSolvers(*cobra.Command, []string, string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
	supply := script.Supply()
	kinds, err := supply.Profiles()
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	for _, p := range kinds {
		names = append(names, cobra.CompletionWithDesc(p.Name, "any version"))
	}
	installed, _ := supply.Installed()
	for _, s := range installed {
		names = append(names, cobra.CompletionWithDesc(s.Name, fmt.Sprintf("%s %s", s.Profile.Name, s.Version)))
	}
	return names, cobra.ShellCompDirectiveDefault // it may be a path, too
}
