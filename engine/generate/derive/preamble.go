package derive

import (
	"maps"
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
)

// Preamble is the part of a case before its assertions: logic, options and declarations. The cases made of one share
// it.
type Preamble struct {
	commands []smtlib.Command
	symbols  map[smt.Symbol]bool
	sorts    map[smt.SortSymbol]bool
}

// PreambleOf returns the preamble of a script. It drops the :status, which describes the seed, and other notes, which
// are of no use to a solver.
func PreambleOf(s *smtlib.Script) *Preamble {
	p := &Preamble{symbols: map[smt.Symbol]bool{}, sorts: map[smt.SortSymbol]bool{}}
	for _, c := range s.Commands {
		switch {
		case c.Kind == smtlib.CmdSetLogic, c.Kind == smtlib.CmdSetOption:
			p.commands = append(p.commands, c)
		case c.Kind.IsDeclaration():
			if !p.declare(c) { // in another push scope
				p.commands = append(p.commands, c)
			}
		}
	}
	return p
}

// declare notes the symbols and sorts that a command declares, and reports whether all were declared already.
func (p *Preamble) declare(c smtlib.Command) (again bool) {
	again = len(c.Symbols)+len(c.Sorts) > 0
	for _, f := range c.Symbols {
		again = again && p.symbols[f]
		p.symbols[f] = true
	}
	for _, s := range c.Sorts {
		again = again && p.sorts[s]
		p.sorts[s] = true
	}
	return again
}

// declares returns the declarations of the preamble, for scope.Missing. Names of terms come with the assertions of the
// case.
func (p *Preamble) declares() scope.Told {
	return scope.Told{Named: true, Sort: func(s smt.SortSymbol) bool { return p.sorts[s] }, Symbol: func(f smt.Symbol) bool { return p.symbols[f] }}
}

// Declarations returns the declarations that terms need where nothing was declared.
func Declarations(a *smt.Arena, ts []smt.Term) []smtlib.Command {
	nothing := (&Preamble{}).declares()
	nothing.Named = false // their assertions are not there
	return scope.Missing(a, ts, nothing)
}

// Question returns a script that asks whether a term can hold.
func Question(a *smt.Arena, t smt.Term) *smtlib.Script {
	commands := append(Declarations(a, []smt.Term{t}), smtlib.AssertCommand(t), smtlib.Command{Kind: smtlib.CmdCheckSat})
	return &smtlib.Script{Arena: a, Name: "term", Commands: commands}
}

// Declaring returns commands that declare the symbols which the terms use and the preamble lacks, and the preamble with
// these commands.
func (p *Preamble) Declaring(a *smt.Arena, ts []smt.Term) (missing []smtlib.Command, with *Preamble) {
	missing = scope.Missing(a, ts, p.declares())
	if len(missing) == 0 {
		return nil, p
	}
	with = &Preamble{commands: slices.Concat(p.commands, missing), symbols: maps.Clone(p.symbols), sorts: maps.Clone(p.sorts)}
	for _, c := range missing {
		with.declare(c)
	}
	return missing, with
}

// Undeclared returns the declarations of the preamble that commands lack.
func (p *Preamble) Undeclared(cmds []smtlib.Command) (out []smtlib.Command) {
	symbols, sorts := map[smt.Symbol]bool{}, map[smt.SortSymbol]bool{}
	for _, c := range cmds {
		for _, f := range c.Symbols {
			symbols[f] = true
		}
		for _, s := range c.Sorts {
			sorts[s] = true
		}
	}
	for _, c := range p.commands {
		lacks := func(f smt.Symbol) bool { return !symbols[f] }
		if c.Kind.IsDeclaration() && (slices.ContainsFunc(c.Symbols, lacks) || slices.ContainsFunc(c.Sorts, func(s smt.SortSymbol) bool { return !sorts[s] })) {
			out = append(out, c)
		}
	}
	return out
}

// Asserting returns a script with the preamble, some assertions, and the check-sat of the script that it is made of.
func (p *Preamble) Asserting(of *smtlib.Script, parts []smt.Term) *smtlib.Script {
	cmds := make([]smtlib.Command, 0, len(p.commands)+len(parts)+1)
	cmds = append(cmds, p.commands...)
	for i := range parts {
		cmds = append(cmds, smtlib.Command{Kind: smtlib.CmdAssert, Terms: parts[i : i+1 : i+1]})
	}
	return of.WithCommands(append(cmds, lastCheck(of)))
}

// lastCheck returns the check-sat for a script made of another: with the tactic of its last one, if that has any.
func lastCheck(s *smtlib.Script) smtlib.Command {
	for i := len(s.Commands) - 1; i >= 0; i-- {
		if s.Commands[i].Kind == smtlib.CmdCheckSatUsing {
			return s.Commands[i]
		}
		if s.Commands[i].Kind.IsCheck() {
			break
		}
	}
	return smtlib.Command{Kind: smtlib.CmdCheckSat}
}
