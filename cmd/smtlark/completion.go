package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

func init() {
	register(verb{Name: "completion", Summary: "print what lets a shell complete smtlark's commands", Words: shellNames(), Run: runCompletion})
}

const completionAbout = `Prints a script for a shell, with which Tab completes verbs, flags, their values and files.

  bash   smtlark completion bash > ~/.local/share/bash-completion/completions/smtlark
  zsh    smtlark completion zsh > "${fpath[1]}/_smtlark"
  fish   smtlark completion fish > ~/.config/fish/completions/smtlark.fish

To try it at once: source <(smtlark completion bash)`

// shells write the completion of a shell.
var shells = map[string]func(io.Writer, []synopsis){"bash": completeBash, "fish": completeFish, "zsh": completeZsh}

func shellNames() []string { return []string{"bash", "fish", "zsh"} }

func runCompletion(ctx context.Context, e *env, args []string) int {
	flags := pflag.NewFlagSet("completion", pflag.ContinueOnError)
	if code, done := e.parse(flags, "completion "+strings.Join(shellNames(), "|"), completionAbout, args); done {
		return code
	}
	write := shells[flags.Arg(0)]
	if write == nil || flags.NArg() != 1 {
		return e.usageError("completion", "want one of %s, got %q", strings.Join(shellNames(), ", "), strings.Join(flags.Args(), " "))
	}
	write(e.Stdout, synopses(ctx))
	return exitOK
}

// synopsis is what a verb's command line looks like.
type synopsis struct {
	verb
	Usage, About string
	Flags        *pflag.FlagSet
}

// synopses asks every verb that is no secret what it would parse.
func synopses(ctx context.Context) []synopsis {
	var all []synopsis
	for _, name := range verbNames(false) {
		s := synopsis{verb: verbs[name]}
		s.Run(ctx, &env{Stdout: io.Discard, Stderr: io.Discard, inspect: func(fs *pflag.FlagSet, usage, about string) {
			s.Flags, s.Usage, s.About = fs, usage, about
		}}, nil)
		all = append(all, s)
	}
	return all
}

// flagValues are the values of flags that have few.
var flagValues = map[string][]string{
	"format": formatNames(), "fail-on": {failOnAny, failOnNew, failOnNone}, "mode": {"fresh", "reset", "incremental", "native"},
	"solver": {"z3", "cvc5", "bitwuzla", "boolector", "cvc4", "yices2"},
}

// words are what may follow a verb: its first arguments and its flags.
func (s *synopsis) words() []string {
	words := slices.Clone(s.Words)
	s.Flags.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			words = append(words, "--"+f.Name)
		}
	})
	return words
}

// verbsOf lists the names of verbs.
func verbsOf(all []synopsis) []string {
	var list []string
	for _, s := range all {
		list = append(list, s.Name)
	}
	return list
}

func completeBash(w io.Writer, all []synopsis) {
	fmt.Fprint(w, `# bash completion for smtlark; written by: smtlark completion bash
_smtlark() {
	local word=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD-1]} words=""
	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
`)
	fmt.Fprintf(w, "\t\tCOMPREPLY=($(compgen -W %q -- \"$word\"))\n\t\treturn\n\tfi\n\tcase $last in\n", strings.Join(append(verbsOf(all), "--help", "--version"), " "))
	for _, name := range slices.Sorted(maps.Keys(flagValues)) {
		fmt.Fprintf(w, "\t--%s) COMPREPLY=($(compgen -W %q -- \"$word\")); return ;;\n", name, strings.Join(flagValues[name], " "))
	}
	fmt.Fprint(w, "\tesac\n\tcase ${COMP_WORDS[1]} in\n")
	for _, s := range all {
		words := s.words()
		if s.Name == "help" {
			words = verbsOf(all)
		}
		fmt.Fprintf(w, "\t%s) words=%q ;;\n", s.Name, strings.Join(append(words, "--help"), " "))
	}
	fmt.Fprint(w, `	esac
	if [[ $word == -* ]]; then
		COMPREPLY=($(compgen -W "$words" -- "$word"))
	else
		COMPREPLY=($(compgen -W "$(tr ' ' '\n' <<<"$words" | grep -v '^-')" -- "$word") $(compgen -f -- "$word"))
	fi
}
complete -o filenames -F _smtlark smtlark
`)
}

func completeZsh(w io.Writer, all []synopsis) {
	quote := func(s string) string {
		return strings.NewReplacer(`'`, `'\''`, `[`, `\[`, `]`, `\]`, `:`, `\:`).Replace(s)
	}
	fmt.Fprint(w, "#compdef smtlark\n# zsh completion for smtlark; written by: smtlark completion zsh\n_smtlark() {\n\tlocal -a verbs\n\tverbs=(\n")
	for _, s := range all {
		fmt.Fprintf(w, "\t\t'%s:%s'\n", s.Name, quote(s.Summary))
	}
	fmt.Fprint(w, "\t)\n\tif ((CURRENT == 2)); then\n\t\t_describe verb verbs\n\t\treturn\n\tfi\n\tcase $words[2] in\n")
	for _, s := range all {
		fmt.Fprintf(w, "\t%s) _arguments '1:verb:' ", s.Name)
		s.Flags.VisitAll(func(f *pflag.Flag) {
			if f.Hidden {
				return
			}
			value, usage := pflag.UnquoteUsage(f)
			switch {
			case value == "":
			case flagValues[f.Name] != nil:
				value = fmt.Sprintf(":%s:(%s)", value, strings.Join(flagValues[f.Name], " "))
			default:
				value = fmt.Sprintf(":%s:_files", quote(value))
			}
			fmt.Fprintf(w, "\\\n\t\t'--%s[%s]%s' ", f.Name, quote(usage), value)
		})
		if len(s.Words) > 0 {
			fmt.Fprintf(w, "\\\n\t\t'2:what:(%s)' ", strings.Join(s.Words, " "))
		}
		fmt.Fprint(w, "\\\n\t\t'*:file:_files' ;;\n")
	}
	fmt.Fprint(w, "\tesac\n}\nif [ \"$funcstack[1]\" = _smtlark ]; then _smtlark \"$@\"; else compdef _smtlark smtlark; fi\n")
}

func completeFish(w io.Writer, all []synopsis) {
	quote := func(s string) string { return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'" }
	fmt.Fprint(w, "# fish completion for smtlark; written by: smtlark completion fish\n")
	for _, s := range all {
		fmt.Fprintf(w, "complete -c smtlark -n __fish_use_subcommand -f -a %s -d %s\n", s.Name, quote(s.Summary))
		if len(s.Words) > 0 {
			fmt.Fprintf(w, "complete -c smtlark -n '__fish_seen_subcommand_from %s' -a %s\n", s.Name, quote(strings.Join(s.Words, " ")))
		}
		s.Flags.VisitAll(func(f *pflag.Flag) {
			if f.Hidden {
				return
			}
			value, usage := pflag.UnquoteUsage(f)
			fmt.Fprintf(w, "complete -c smtlark -n '__fish_seen_subcommand_from %s' -l %s -d %s", s.Name, f.Name, quote(usage))
			if f.Shorthand != "" {
				fmt.Fprintf(w, " -s %s", f.Shorthand)
			}
			if list := flagValues[f.Name]; list != nil {
				fmt.Fprintf(w, " -x -a %s", quote(strings.Join(list, " ")))
			} else if value != "" {
				fmt.Fprint(w, " -r")
			}
			fmt.Fprintln(w)
		})
	}
}
