package manual

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// Shells are the names of the shells that there is a completion for.
func Shells() []string { return slices.Sorted(maps.Keys(shells)) }

// Complete writes what lets a shell complete verbs, flags, their values and files; false if the shell is not known.
func Complete(w io.Writer, shell string, p *Program) bool {
	write := shells[shell]
	if write == nil {
		return false
	}
	write(w, p)
	return true
}

var shells = map[string]func(io.Writer, *Program){"bash": completeBash, "fish": completeFish, "zsh": completeZsh}

// words are what may follow a verb: its first arguments and its flags.
func (s *Synopsis) words() []string {
	words := slices.Clone(s.Words)
	s.Flags.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			words = append(words, "--"+f.Name)
		}
	})
	return words
}

func completeBash(w io.Writer, p *Program) {
	fmt.Fprint(w, `# bash completion for smtlark; written by: smtlark completion bash
_smtlark() {
	local word=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD-1]} words=""
	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
`)
	fmt.Fprintf(w, "\t\tCOMPREPLY=($(compgen -W %q -- \"$word\"))\n\t\treturn\n\tfi\n\tcase $last in\n", strings.Join(append(p.names(), "--help", "--version"), " "))
	for _, name := range slices.Sorted(maps.Keys(p.Values)) {
		fmt.Fprintf(w, "\t--%s) COMPREPLY=($(compgen -W %q -- \"$word\")); return ;;\n", name, strings.Join(p.Values[name], " "))
	}
	fmt.Fprint(w, "\tesac\n\tcase ${COMP_WORDS[1]} in\n")
	for _, s := range p.Verbs {
		words := s.words()
		if s.Name == "help" {
			words = p.names()
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

func completeZsh(w io.Writer, p *Program) {
	quote := func(s string) string {
		return strings.NewReplacer(`'`, `'\''`, `[`, `\[`, `]`, `\]`, `:`, `\:`).Replace(s)
	}
	fmt.Fprint(w, "#compdef smtlark\n# zsh completion for smtlark; written by: smtlark completion zsh\n_smtlark() {\n\tlocal -a verbs\n\tverbs=(\n")
	for _, s := range p.Verbs {
		fmt.Fprintf(w, "\t\t'%s:%s'\n", s.Name, quote(s.Summary))
	}
	fmt.Fprint(w, "\t)\n\tif ((CURRENT == 2)); then\n\t\t_describe verb verbs\n\t\treturn\n\tfi\n\tcase $words[2] in\n")
	for _, s := range p.Verbs {
		fmt.Fprintf(w, "\t%s) _arguments '1:verb:' ", s.Name)
		s.Flags.VisitAll(func(f *pflag.Flag) {
			if f.Hidden {
				return
			}
			value, usage := pflag.UnquoteUsage(f)
			switch {
			case value == "":
			case p.Values[f.Name] != nil:
				value = fmt.Sprintf(":%s:(%s)", value, strings.Join(p.Values[f.Name], " "))
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

func completeFish(w io.Writer, p *Program) {
	quote := func(s string) string { return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'" }
	fmt.Fprint(w, "# fish completion for smtlark; written by: smtlark completion fish\n")
	for _, s := range p.Verbs {
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
			if list := p.Values[f.Name]; list != nil {
				fmt.Fprintf(w, " -x -a %s", quote(strings.Join(list, " ")))
			} else if value != "" {
				fmt.Fprint(w, " -r")
			}
			fmt.Fprintln(w)
		})
	}
}
