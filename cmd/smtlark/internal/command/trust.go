package command

import (
	"github.com/spf13/pflag"

	"github.com/smtlark/smtlark/solvers/confine"
	"github.com/smtlark/smtlark/solvers/trust"
)

// SafetyFlags adds the flags of verbs that start solvers. They hold for this process and those that it starts.
func SafetyFlags(fs *pflag.FlagSet) {
	UnsafeFlag(fs)
	fs.BoolFunc("trust", "let the files of this command name programs to run, wherever they are; see smtlark help trust", func(string) error { return trust.All() })
}

func UnsafeFlag(fs *pflag.FlagSet) {
	fs.BoolFunc("unsafe-solver", "let solvers write files and use the network: no Landlock, and no options or commands are removed", func(string) error {
		return confine.SetCurrent(confine.None)
	})
}
