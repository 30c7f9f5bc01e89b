// Package lineup has the targets of a campaign with what each was made of: opened, in another mode or without some
// options, beside other builds of their solvers; and it says which of them a case is made for, and which seeds and
// cases these take.
package lineup

import (
	"errors"
	"fmt"

	"github.com/smtlark/smtlark/engine/campaign/target"
	"github.com/smtlark/smtlark/solvers"
)

// Set is the targets that were opened for a campaign. Wrap is put around each that is opened; nil leaves them as they
// are.
type Set struct {
	Wrap func(t solvers.Target) solvers.Target

	of   map[solvers.Target]*target.Solver
	kept []solvers.Target
}

// Open makes a target. The caller closes it.
func (s *Set) Open(v *target.Solver) solvers.Target {
	t := s.wrapped(v.Target())
	if s.of == nil {
		s.of = map[solvers.Target]*target.Solver{}
	}
	s.of[t] = v
	return t
}

func (s *Set) wrapped(t solvers.Target) solvers.Target {
	if s.Wrap == nil {
		return t
	}
	return s.Wrap(t)
}

// Keep takes over targets: Close closes them.
func (s *Set) Keep(list ...solvers.Target) { s.kept = append(s.kept, list...) }

// Close closes the targets that were taken over.
func (s *Set) Close() error {
	var errs []error
	for _, t := range s.kept {
		errs = append(errs, t.Close())
	}
	return errors.Join(errs...)
}

// solverOf returns the solver that a target was made from. It returns an error if the target was not opened by this
// set.
func (s *Set) solverOf(t solvers.Target) (*target.Solver, error) {
	if v := s.of[t]; v != nil {
		return v, nil
	}
	return nil, fmt.Errorf("%s is no target of this campaign", t.Name())
}

// InMode returns a new target of the same solver and options in another mode.
func (s *Set) InMode(t solvers.Target, mode solvers.Mode) (solvers.Target, error) {
	v, err := s.solverOf(t)
	if err != nil {
		return nil, err
	}
	out, err := v.InMode(mode)
	if err != nil {
		return nil, err
	}
	return s.wrapped(out), nil
}

// Options returns the names of a target's own options and arguments.
func (s *Set) Options(t solvers.Target) []string {
	v := s.of[t]
	if v == nil {
		return nil
	}
	return v.Options()
}

// Without returns a target without some of its options and arguments.
func (s *Set) Without(t solvers.Target, mode solvers.Mode, drop []string) (solvers.Target, error) {
	v, err := s.solverOf(t)
	if err != nil {
		return nil, err
	}
	return v.Without(drop).InMode(mode)
}

// Expr returns the expression of a campaign file that makes a target again; "" for one that was not opened here.
func (s *Set) Expr(t solvers.Target) string {
	v := s.of[t]
	if v == nil {
		return ""
	}
	return v.Expr
}
