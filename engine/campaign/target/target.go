// Package target has the sources of targets: solvers with their modes, options and limits. It asks a solver single
// questions under a deterministic limit, learns which input the solver accepts, and builds meta solvers out of several
// solvers.
package target

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/system"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/catalogue"
	"github.com/smtlark/smtlark/solvers/native"
	"github.com/smtlark/smtlark/solvers/process"
	"github.com/smtlark/smtlark/solvers/rule"
)

// Solver is a source of targets: a solver of this machine, or a stand-in for one, with mode, options and limits. It
// holds no process: see TargetPool.
type Solver struct {
	Found *solvers.Solver
	Opt   process.TargetOptions
	// New makes the target in the mode given by the options; nil means a target for the program or library. Tests set
	// it to make fakes.
	New func(opt process.TargetOptions) solvers.Target
	// Expr is the expression of a campaign file that makes this solver again.
	Expr string
	// Learned has the solver's answers to questions about which input it accepts. nil means that it was not asked; then
	// its profile counts.
	Learned *learnedFacts
	// Further returns the same solver in its other modes, including its library of the same version, for use in
	// campaigns. It is nil if the user chose a mode.
	Further func(ctx context.Context) []*Solver
	// Members are the solvers that a meta solver asks, see NewCross; nil for a solver of this machine. New is set then.
	Members []*Solver
}

// Fresh returns a solver of this machine in mode fresh, which uses a process per question, with the given options and
// arguments.
func Fresh(found *solvers.Solver, options []rule.Setting, args []string) *Solver {
	return &Solver{Found: found, Opt: process.TargetOptions{Mode: solvers.Fresh, SMTOptions: options, Args: args}}
}

// Target returns a new target. The caller closes it.
func (s *Solver) Target() solvers.Target { return s.inMode(s.Opt.Mode) }

// InMode returns a new target of the same solver and options in another mode, under the same name.
func (s *Solver) InMode(m solvers.Mode) (solvers.Target, error) {
	if !s.hasMode(m) {
		return nil, fmt.Errorf("%s has no mode %s, only %v", s.Found.Name, m, s.Found.Modes())
	}
	return s.inMode(m), nil
}

// hasMode reports whether the solver can be used in a mode; of a meta solver, whether a member can.
func (s *Solver) hasMode(m solvers.Mode) bool {
	if s.Members == nil {
		return slices.Contains(s.Found.Modes(), m)
	}
	return m == s.Opt.Mode || slices.ContainsFunc(s.Members, func(x *Solver) bool { return x.hasMode(m) })
}

func (s *Solver) inMode(m solvers.Mode) solvers.Target {
	opt := s.Opt
	opt.Mode = m
	opt.Name = s.Name()
	return s.open(opt)
}

// open makes a target.
func (s *Solver) open(opt process.TargetOptions) solvers.Target {
	switch {
	case s.New != nil:
		return s.New(opt)
	case s.Found.Library != "":
		return native.New(s.Found, opt)
	}
	return process.New(s.Found, opt)
}

// Name returns the name of the target, the same in every mode.
func (s *Solver) Name() string { return process.NameOf(s.Found, s.Opt) }

// Options returns the names of the options, and the arguments with their values, that are set on this solver.
func (s *Solver) Options() []string {
	var out []string
	for _, o := range s.Opt.SMTOptions {
		out = append(out, o.Name)
	}
	for _, words := range solvers.SplitOptions(s.Opt.Args) {
		out = append(out, strings.Join(words, " "))
	}
	return out
}

// Without returns the solver without some of its Options.
func (s *Solver) Without(drop []string) *Solver {
	plain := *s
	plain.Opt.SMTOptions = slices.DeleteFunc(slices.Clone(s.Opt.SMTOptions), func(o rule.Setting) bool { return slices.Contains(drop, o.Name) })
	kept := slices.DeleteFunc(solvers.SplitOptions(s.Opt.Args), func(words []string) bool { return slices.Contains(drop, strings.Join(words, " ")) })
	plain.Opt.Args = slices.Concat(kept...)
	return &plain
}

// At returns the solver with its program or library replaced by another one, under the same name.
func (s *Solver) At(found *solvers.Solver) *Solver {
	out := *s
	out.Found, out.Opt.Name = found, s.Name()
	return &out
}

// WithProgram returns the solver with its program or library replaced by the one at path, see At. It fails for meta
// solvers, which have no program.
func (s *Solver) WithProgram(ctx context.Context, supply *catalogue.Catalogue, path string) (*Solver, error) {
	if s.Members != nil {
		return nil, fmt.Errorf("%s is made of several solvers: no program can take its place", s.Name())
	}
	at := func() (*solvers.Solver, error) { return supply.At(s.Found.Profile, path, "") }
	if s.Found.Library != "" {
		at = func() (*solvers.Solver, error) { return supply.LibraryAt(ctx, s.Found.Profile, path, "") }
	}
	found, err := at()
	if err != nil {
		return nil, err
	}
	return s.At(found), nil
}

// Product returns a key shared by the program and the library of one build of a solver. Each meta solver is a product
// of its own.
func (s *Solver) Product() string {
	if s.Members != nil {
		return s.Name()
	}
	return strings.TrimSuffix(s.Found.Profile.Name+"-"+s.Found.Version, "-")
}

// SameAs returns a text that is equal for solvers that behave the same: name, options, version and location.
func (s *Solver) SameAs() string {
	return strings.Join([]string{s.AskerName(), s.Found.Version, s.Found.Path, s.Found.Library}, "\x00")
}

// Stamp is SameAs with the stamps of the solver's files, which distinguish builds.
func (s *Solver) Stamp() string {
	parts := []string{s.SameAs()}
	for _, path := range append([]string{s.Found.Path, s.Found.Library}, s.Found.Exec...) {
		if stamp, _, err := system.Stamp(path); err == nil {
			parts = append(parts, stamp)
		}
	}
	return strings.Join(parts, "\x00")
}

// Found returns the installed solver of each element of a list.
func Found(list []*Solver) []*solvers.Solver {
	out := make([]*solvers.Solver, len(list))
	for i, s := range list {
		out[i] = s.Found
	}
	return out
}

// OptionList turns a dict of options into a list, sorted by name, so that the command line does not depend on how
// the dict was written.
func OptionList(m map[string]string) []rule.Setting {
	var out []rule.Setting
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, rule.Setting{Name: k, Value: m[k]})
	}
	return out
}
