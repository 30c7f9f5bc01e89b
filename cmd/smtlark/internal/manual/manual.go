// Package manual generates completion for bash, fish and zsh, and pages for man(1), from the flags and the help of the
// verbs.
package manual

import "github.com/spf13/pflag"

// Program is a command line with verbs.
type Program struct {
	Version   string
	Groups    []string // headings of the verbs, in the order of the pages
	ExitCodes string
	Verbs     []Synopsis
	Values    map[string][]string // of flags that take one of a few words, by the name of the flag
}

// Synopsis is the command line of one verb.
type Synopsis struct {
	Name, Summary string
	Group         string   // its heading
	Words         []string // what its first argument can be, where that is one of a few words
	Usage         string   // such as "run FILE [flags]"
	About         string   // the text of the help
	Flags         *pflag.FlagSet
}

// names lists the verbs.
func (p *Program) names() []string {
	var list []string
	for i := range p.Verbs {
		list = append(list, p.Verbs[i].Name)
	}
	return list
}
